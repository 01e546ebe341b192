/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The runtime's profiling interfaces as C sees them on Linux: a pointer to an interface is a
 * pointer to a struct whose first word points to a table of functions, the first argument of each
 * is that pointer. Calls are the platform's own.
 *
 * Named are the slots that are used, at their places; the others are padding. Numbers and order
 * are those of corprof.idl of .NET 8 to 10. A slot of a later interface than the runtime has
 * granted must not be called: clr.version says which one it has.
 */
#ifndef GCTRACE_DOTNET_CLR_H
#define GCTRACE_DOTNET_CLR_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t HRESULT; /* negative: it failed */

#define S_OK ((HRESULT)0)
#define E_NOINTERFACE ((HRESULT)0x80004002)
#define E_POINTER ((HRESULT)0x80004003)
#define E_FAIL ((HRESULT)0x80004005)
#define CLASS_E_CLASSNOTAVAILABLE ((HRESULT)0x80040111)

struct guid {
	uint32_t a;
	uint16_t b, c;
	uint8_t d[8];
};

#define IID_IUnknown                                                                              \
	{ 0x00000000, 0x0000, 0x0000, { 0xC0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x46 } }
#define IID_IClassFactory                                                                         \
	{ 0x00000001, 0x0000, 0x0000, { 0xC0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x46 } }
/* ICorProfilerCallback, then Callback2 to Callback11: what the agent is. */
#define IIDS_CALLBACK                                                                             \
	{ 0x176FBED1, 0xA55C, 0x4796, { 0x98, 0xCA, 0xA9, 0xDA, 0x0E, 0xF8, 0x83, 0xE7 } },       \
	{ 0x8A8CC829, 0xCCF2, 0x49FE, { 0xBB, 0xAE, 0x0F, 0x02, 0x22, 0x28, 0x07, 0x1A } },       \
	{ 0x4FD2ED52, 0x7731, 0x4B8D, { 0x94, 0x69, 0x03, 0xD2, 0xCC, 0x30, 0x86, 0xC5 } },       \
	{ 0x7B63B2E3, 0x107D, 0x4D48, { 0xB2, 0xF6, 0xF6, 0x1E, 0x22, 0x94, 0x70, 0xD2 } },       \
	{ 0x8DFBA405, 0x8C9F, 0x45F8, { 0xBF, 0xFA, 0x83, 0xB1, 0x4C, 0xEF, 0x78, 0xB5 } },       \
	{ 0xFC13DF4B, 0x4448, 0x4F4F, { 0x95, 0x0C, 0xBA, 0x8D, 0x19, 0xD0, 0x0C, 0x36 } },       \
	{ 0xF76A2DBA, 0x1D52, 0x4539, { 0x86, 0x6C, 0x2A, 0xA5, 0x18, 0xF9, 0xEF, 0xC3 } },       \
	{ 0x5BED9B15, 0xC079, 0x4D47, { 0xBF, 0xE2, 0x21, 0x5A, 0x14, 0x0C, 0x07, 0xE0 } },       \
	{ 0x27583EC3, 0xC8F5, 0x482F, { 0x80, 0x52, 0x19, 0x4B, 0x8C, 0xE4, 0x70, 0x5A } },       \
	{ 0xCEC5B60E, 0xC69C, 0x495F, { 0x87, 0xF6, 0x84, 0xD2, 0x8E, 0xE1, 0x6F, 0xFB } },       \
	{ 0x42350846, 0xAAED, 0x47F7, { 0xB1, 0x28, 0xFD, 0x0C, 0x98, 0x88, 0x1C, 0xDE } }
/* ICorProfilerInfo15, then 14, 13, 12: what the runtime grants. 12 has EventPipe (.NET 5). */
#define IIDS_INFO                                                                                 \
	{ 0xB446462D, 0xBD22, 0x41DD, { 0x87, 0x2D, 0xDC, 0x71, 0x4C, 0x49, 0xEB, 0x56 } },       \
	{ 0xF460E352, 0xD76D, 0x4FE9, { 0x83, 0x5F, 0xF6, 0xAF, 0x9D, 0x6E, 0x86, 0x2D } },       \
	{ 0x6E6C7EE2, 0x0701, 0x4EC2, { 0x9D, 0x29, 0x2E, 0x87, 0x33, 0xB6, 0x69, 0x34 } },       \
	{ 0x27B24CCD, 0x1CB1, 0x47C5, { 0x96, 0xEE, 0x98, 0x19, 0x0D, 0xC3, 0x09, 0x59 } }
#define IID_IMetaDataImport                                                                       \
	{ 0x7DAC8207, 0xD3AE, 0x4C75, { 0x9B, 0x67, 0x92, 0x80, 0x1A, 0x49, 0x7D, 0x44 } }
#define CLR_INFO_FIRST 15 /* of IIDS_INFO */

/* Any interface, as far as all are alike. */
struct unknown {
	const struct unknown_table *table;
};

struct unknown_table {
	HRESULT (*query_interface)(void *self, const struct guid *iid, void **out);
	uint32_t (*add_ref)(void *self);
	uint32_t (*release)(void *self);
};

/* Slots [first, last] that nobody names; pad_ with the first one's number. */
#define CLR_PAD(first, last) void *pad_##first[(last) - (first) + 1]

/* Of modules, of threads. */
struct enumerator_table {
	struct unknown_table unknown;
	CLR_PAD(3, 6);
	HRESULT (*next)(void *self, uint32_t room, uintptr_t *ids, uint32_t *count);
};

struct enumerator {
	const struct enumerator_table *table;
};

struct class_factory_table {
	struct unknown_table unknown;
	HRESULT (*create_instance)(void *self, void *outer, const struct guid *iid, void **out);
	HRESULT (*lock_server)(void *self, int32_t lock);
};

/* ICorProfilerCallback to Callback11: 98 slots, all of which the runtime may call. */
struct callback_table {
	struct unknown_table unknown;
	HRESULT (*initialize)(void *self, void *unknown);
	HRESULT (*shutdown)(void *self);
	CLR_PAD(5, 12);
	HRESULT (*module_load_started)(void *self, uintptr_t module);
	CLR_PAD(14, 14);
	HRESULT (*module_unload_started)(void *self, uintptr_t module);
	CLR_PAD(16, 28);
	HRESULT (*thread_created)(void *self, uintptr_t thread);
	HRESULT (*thread_destroyed)(void *self, uintptr_t thread);
	CLR_PAD(31, 41);
	HRESULT (*runtime_suspend_started)(void *self, int32_t reason);
	HRESULT (*runtime_suspend_finished)(void *self);
	HRESULT (*runtime_suspend_aborted)(void *self);
	HRESULT (*runtime_resume_started)(void *self);
	HRESULT (*runtime_resume_finished)(void *self);
	CLR_PAD(47, 49);
	HRESULT (*object_allocated)(void *self, uintptr_t object, uintptr_t class_);
	CLR_PAD(51, 72);
	HRESULT (*garbage_collection_started)(void *self, int32_t generations,
					      const int32_t *collected, int32_t reason);
	CLR_PAD(74, 74);
	HRESULT (*garbage_collection_finished)(void *self);
	CLR_PAD(76, 79);
	HRESULT (*initialize_for_attach)(void *self, void *unknown, void *data, uint32_t bytes);
	CLR_PAD(81, 94);
	HRESULT (*event_delivered)(void *self, uintptr_t provider, uint32_t id, uint32_t version,
				   uint32_t metadata_bytes, const uint8_t *metadata,
				   uint32_t bytes, const uint8_t *payload,
				   const struct guid *activity, const struct guid *related,
				   uintptr_t thread, uint32_t frames, uintptr_t *stack);
	CLR_PAD(96, 96);
	HRESULT (*load_as_notification_only)(void *self, int32_t *is_notification_only);
};
_Static_assert(sizeof(struct callback_table) == 98 * sizeof(void *), "callback slots");

/* EventPipeStartSession. */
struct provider_config {
	const uint16_t *name;
	uint64_t keywords;
	uint32_t level;
	const uint16_t *filter;
};
_Static_assert(sizeof(struct provider_config) == 32, "provider");

/* GetGenerationBounds. */
struct generation_range {
	int32_t generation; /* 3: large objects, 4: pinned objects */
	uintptr_t start;
	uintptr_t used;
	uintptr_t reserved;
};
_Static_assert(sizeof(struct generation_range) == 32, "generation range");

/* GetNonGCHeapBounds. */
struct frozen_range {
	uintptr_t start;
	uintptr_t used;
	uintptr_t reserved;
};
_Static_assert(sizeof(struct frozen_range) == 24, "frozen range");

/* GetClassLayout. */
struct field_offset {
	uint32_t token;
	uint32_t offset;
};

typedef int32_t reference_callback(uintptr_t root, uintptr_t *reference, void *context);
typedef int32_t object_callback(uintptr_t object, void *context);

/* ICorProfilerInfo to Info15, as the runtime gives them. */
struct info_table {
	struct unknown_table unknown;
	HRESULT (*get_class_from_object)(void *self, uintptr_t object, uintptr_t *class_);
	/* Loads a class that is not loaded. */
	HRESULT (*get_class_from_token)(void *self, uintptr_t module, uint32_t token,
					uintptr_t *class_);
	CLR_PAD(5, 7);
	HRESULT (*get_function_from_token)(void *self, uintptr_t module, uint32_t token,
					   uintptr_t *function);
	CLR_PAD(9, 10);
	HRESULT (*is_array_class)(void *self, uintptr_t class_, uint32_t *element_type,
				  uintptr_t *element_class, uint32_t *rank);
	HRESULT (*get_thread_info)(void *self, uintptr_t thread, uint32_t *kernel_id);
	CLR_PAD(13, 14);
	HRESULT (*get_function_info)(void *self, uintptr_t function, uintptr_t *class_,
				     uintptr_t *module, uint32_t *token);
	CLR_PAD(16, 19);
	HRESULT (*get_module_info)(void *self, uintptr_t module, const uint8_t **base,
				   uint32_t room, uint32_t *units, uint16_t *name,
				   uintptr_t *assembly);
	HRESULT (*get_module_metadata)(void *self, uintptr_t module, uint32_t flags,
				       const struct guid *iid, void **out);
	CLR_PAD(22, 27);
	HRESULT (*force_gc)(void *self);
	CLR_PAD(29, 37);
	HRESULT (*get_function_info2)(void *self, uintptr_t function, uintptr_t frame,
				      uintptr_t *class_, uintptr_t *module, uint32_t *token,
				      uint32_t room, uint32_t *count, uintptr_t *arguments);
	CLR_PAD(39, 39);
	HRESULT (*get_class_layout)(void *self, uintptr_t class_, struct field_offset *fields,
				    uint32_t room, uint32_t *count, uint32_t *class_size);
	HRESULT (*get_class_id_info2)(void *self, uintptr_t class_, uintptr_t *module,
				      uint32_t *token, uintptr_t *parent, uint32_t room,
				      uint32_t *count, uintptr_t *arguments);
	CLR_PAD(42, 42);
	/* Loads a class that is not loaded. */
	HRESULT (*get_class_from_token_and_type_args)(void *self, uintptr_t module, uint32_t token,
						      uint32_t count, const uintptr_t *arguments,
						      uintptr_t *class_);
	CLR_PAD(44, 45);
	HRESULT (*get_array_object_info)(void *self, uintptr_t object, uint32_t dimensions,
					 uint32_t *sizes, int32_t *lower_bounds, uint8_t **data);
	/* E_INVALIDARG for what is no struct. */
	HRESULT (*get_box_class_layout)(void *self, uintptr_t class_, uint32_t *offset);
	CLR_PAD(48, 49);
	HRESULT (*get_app_domain_static_address)(void *self, uintptr_t class_, uint32_t token,
						 uintptr_t domain, void **address);
	CLR_PAD(51, 53);
	HRESULT (*get_generation_bounds)(void *self, uint32_t room, uint32_t *count,
					 struct generation_range *ranges);
	CLR_PAD(55, 65);
	HRESULT (*enum_modules)(void *self, void **out);
	HRESULT (*get_runtime_information)(void *self, uint16_t *instance, int32_t *type,
					   uint16_t *major, uint16_t *minor, uint16_t *build,
					   uint16_t *qfe, uint32_t room, uint32_t *units,
					   uint16_t *version);
	HRESULT (*get_thread_static_address2)(void *self, uintptr_t class_, uint32_t token,
					      uintptr_t domain, uintptr_t thread, void **address);
	CLR_PAD(69, 69);
	HRESULT (*get_module_info2)(void *self, uintptr_t module, const uint8_t **base,
				    uint32_t room, uint32_t *units, uint16_t *name,
				    uintptr_t *assembly, uint32_t *flags);
	HRESULT (*enum_threads)(void *self, void **out);
	CLR_PAD(72, 79);
	HRESULT (*get_object_size2)(void *self, uintptr_t object, size_t *bytes);
	CLR_PAD(81, 81);
	HRESULT (*set_event_mask2)(void *self, uint32_t low, uint32_t high);
	CLR_PAD(83, 92);
	HRESULT (*enumerate_object_references)(void *self, uintptr_t object,
					       reference_callback *callback, void *context);
	HRESULT (*is_frozen_object)(void *self, uintptr_t object, int32_t *is_frozen);
	CLR_PAD(95, 100);
	HRESULT (*start_session)(void *self, uint32_t count, const struct provider_config *configs,
				 int32_t rundown, uint64_t *session);
	CLR_PAD(102, 102);
	HRESULT (*stop_session)(void *self, uint64_t session);
	CLR_PAD(104, 104);
	HRESULT (*get_provider_info)(void *self, uintptr_t provider, uint32_t room,
				     uint32_t *units, uint16_t *name);
	CLR_PAD(106, 110);
	HRESULT (*enumerate_non_gc_objects)(void *self, void **out);
	HRESULT (*get_non_gc_heap_bounds)(void *self, uint32_t room, uint32_t *count,
					  struct frozen_range *ranges);
	CLR_PAD(113, 113);
	/* ICorProfilerInfo15 only: .NET 9 */
	HRESULT (*enumerate_gc_heap_objects)(void *self, object_callback *callback, void *context);
};
_Static_assert(sizeof(struct info_table) == 115 * sizeof(void *), "info slots");
#define CLR_AT(member, slot)                                                                      \
	_Static_assert(offsetof(struct info_table, member) == (slot) * sizeof(void *), #member)
CLR_AT(get_function_info, 15);
CLR_AT(get_module_metadata, 21);
CLR_AT(get_function_from_token, 8);
CLR_AT(force_gc, 28);
CLR_AT(get_class_layout, 40);
CLR_AT(get_class_from_token_and_type_args, 43);
CLR_AT(get_array_object_info, 46);
CLR_AT(get_box_class_layout, 47);
CLR_AT(get_app_domain_static_address, 50);
CLR_AT(get_generation_bounds, 54);
CLR_AT(get_runtime_information, 67);
CLR_AT(get_thread_info, 12);
CLR_AT(get_thread_static_address2, 68);
CLR_AT(get_module_info2, 70);
CLR_AT(enum_threads, 71);
CLR_AT(get_object_size2, 80);
CLR_AT(set_event_mask2, 82);
CLR_AT(enumerate_object_references, 93);
CLR_AT(start_session, 101);
CLR_AT(get_provider_info, 105);
CLR_AT(get_non_gc_heap_bounds, 112);
CLR_AT(enumerate_gc_heap_objects, 114);

struct info {
	const struct info_table *table;
};

/* What profiler.c was given; set before the first callback, never changed. */
struct clr {
	struct info *info;
	unsigned version; /* of ICorProfilerInfo: 12 to 15 */
	unsigned major, minor, build; /* of the runtime */
};

extern struct clr clr;

/* CLR_CALL(force_gc) or CLR_CALL(stop_session, session) */
#define CLR_CALL(method, ...) clr.info->table->method(clr.info, ##__VA_ARGS__)

/* SetEventMask2: low and high half. */
#define MONITOR_MODULES 0x4u
#define MONITOR_THREADS 0x200u
#define MONITOR_SUSPENDS 0x10000u
#define HIGH_BASIC_GC 0x10u
#define HIGH_MONITOR_LARGE_ALLOCATIONS 0x40u
#define HIGH_MONITOR_EVENT_PIPE 0x80u
/* What the agent asks for from its beginning on. */
#define MONITOR_LOW (MONITOR_MODULES | MONITOR_THREADS | MONITOR_SUSPENDS)
#define MONITOR_HIGH (HIGH_BASIC_GC | HIGH_MONITOR_EVENT_PIPE)

/* GetModuleInfo2. */
#define MODULE_COLLECTIBLE 0x8u

/* RuntimeSuspendStarted. */
#define SUSPEND_FOR_GC 1
#define SUSPEND_FOR_GC_PREP 7

/* GarbageCollectionStarted. */
#define GC_INDUCED 1

#endif
