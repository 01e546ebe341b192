/* SPDX-License-Identifier: BSD-2-Clause */
#include "thread_statics.h"
#include "agents/common/table.h"
#include "agents/common/unnamed.h"
#include "classes.h"
#include "clr.h"
#include "gone.h"
#include "layout.h"
#include "modules.h"
#include "types.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_FIELDS (1u << 16)
#define MOST_THREADS (1u << 16)
#define MOST_SLOTS (1u << 20)
#define MOST_CALLS (1u << 20) /* of the runtime in a pause: a tenth of a second */

#define FIRST_FIELD 0x04000001u
#define FIELD_STATIC 0x10u
#define FIELD_LITERAL 0x40u

#define ELEMENT_STRING 0x0e
#define ELEMENT_CLASS 0x12
#define ELEMENT_ARRAY 0x14
#define ELEMENT_GENERIC 0x15
#define ELEMENT_OBJECT 0x1c
#define ELEMENT_SZARRAY 0x1d

struct field {
	uintptr_t class_, module;
	uint32_t token;
	bool is_named;
};

struct thread {
	uintptr_t id;
	uint32_t kernel_id;
	bool is_told;
};

static struct region fields, threads;
static struct table slots; /* key: address */

/* A quick no for most others, which stand all over the heap as they do: a bit by a slot's hash. */
#define HINT_BITS 65536u
static uint64_t hints[HINT_BITS / 64];

bool thread_statics__init(void)
{
	return region__reserve(&fields, MOST_FIELDS * sizeof(struct field)) &&
	       region__reserve(&threads, MOST_THREADS * sizeof(struct thread)) &&
	       table__reserve(&slots, sizeof(struct table_entry), MOST_SLOTS);
}

void thread_statics__empty(void)
{
	region__empty(&fields);
	region__empty(&threads);
	table__empty(&slots);
	memset(hints, 0, sizeof(hints));
}

static struct field *field_at(size_t index)
{
	return (struct field *)(void *)fields.at + index;
}

static struct thread *thread_at(size_t index)
{
	return (struct thread *)(void *)threads.at + index;
}

static size_t field_count(void)
{
	return fields.used / sizeof(struct field);
}

static size_t thread_count(void)
{
	return threads.used / sizeof(struct thread);
}

/* ---- Before the pause ---- */

static bool is_reference(const uint8_t *signature, uint32_t bytes)
{
	struct payload payload = layout__type(signature, bytes);
	const uint8_t type = payload__u8(&payload);

	return type == ELEMENT_STRING || type == ELEMENT_CLASS || type == ELEMENT_ARRAY ||
	       type == ELEMENT_OBJECT || type == ELEMENT_SZARRAY ||
	       (type == ELEMENT_GENERIC && payload__u8(&payload) == ELEMENT_CLASS);
}

static bool is_thread_static(struct metadata *import, uint32_t token)
{
	static const uint16_t attribute[] = u"System.ThreadStaticAttribute";
	const void *value;
	uint32_t bytes;

	return METADATA_CALL(import, get_custom_attribute_by_name, token, attribute, &value,
			     &bytes) == S_OK;
}

static void add_field(const struct module *module, uint32_t type, uint32_t token)
{
	const uintptr_t class_ = classes__find(module, type, false);
	struct field *field = class_ ? region__get(&fields, sizeof(*field)) : NULL;

	if (field)
		*field = (struct field){ class_, module->entry.key, token, false };
	else if (class_)
		unnamed__add(1);
}

static void find_fields(const struct module *module)
{
	uint32_t type, units, attributes, bytes, constant, value_units;
	struct metadata *import = module->import;
	const uint8_t *signature;
	const void *value;

	for (uint32_t token = FIRST_FIELD;
	     METADATA_CALL(import, get_field_props, token, &type, NULL, 0, &units, &attributes,
			   &signature, &bytes, &constant, &value, &value_units) >= 0; token++)
		if ((attributes & (FIELD_STATIC | FIELD_LITERAL)) == FIELD_STATIC &&
		    is_reference(signature, bytes) && is_thread_static(import, token))
			add_field(module, type, token);
}

/* One that goes meanwhile is not asked for. */
static void add_thread(uintptr_t id)
{
	struct thread *thread = region__get(&threads, sizeof(*thread));

	if (!thread) {
		unnamed__add(1);
		return;
	}
	thread->id = id;
	gone__hold();
	if (gone__has(id) || CLR_CALL(get_thread_info, id, &thread->kernel_id) != S_OK)
		thread->id = 0;
	gone__release();
}

static void find_threads(void)
{
	struct enumerator *all = NULL;
	uint32_t count = 0;
	uintptr_t id;

	if (CLR_CALL(enum_threads, (void **)&all) < 0 || !all)
		return;
	while (all->table->next(all, 1, &id, &count) == S_OK && count == 1)
		add_thread(id);
	all->table->unknown.release(all);
}

void thread_statics__learn(void)
{
	for (uint32_t i = 0; i < modules__count(); i++) {
		const struct module *module = modules__at(i);

		if (module->import && !module->may_unload)
			find_fields(module);
	}
	find_threads();
}

/* ---- In the pause ---- */

static void define(struct gctrace_writer *writer, struct field *field)
{
	uint16_t name[MODULE_NAME_UNITS];
	char text[3 * MODULE_NAME_UNITS];
	uint32_t type, units, attributes, bytes, constant, value_units;
	struct metadata *import = modules__import(field->module);
	const uint8_t *signature;
	const void *value;

	field->is_named = true;
	types__get(writer, field->class_, 0);
	if (!import || METADATA_CALL(import, get_field_props, field->token, &type, name,
				     MODULE_NAME_UNITS, &units, &attributes, &signature, &bytes,
				     &constant, &value, &value_units) != S_OK)
		return;
	/* By its token: the others are counted from 0 (statics.c). */
	gctrace_write_define(writer, GCTRACE_SPACE_STATIC, field->class_, field->token, 0, text,
			     utf16__to_utf8(utf16__of(name), text, sizeof(text)));
}

static uint64_t *hint_of(uint64_t slot)
{
	return &hints[slot / sizeof(uintptr_t) % HINT_BITS / 64];
}

static uint64_t hint_bit(uint64_t slot)
{
	return UINT64_C(1) << slot / sizeof(uintptr_t) % 64;
}

static void tell(struct gctrace_writer *writer, struct thread *thread, struct field *field,
		 uintptr_t domain, struct totals *totals)
{
	void *address = NULL;
	uint64_t slot, object;

	if (CLR_CALL(get_thread_static_address2, field->class_, field->token, domain, thread->id,
		     &address) != S_OK || !address)
		return;
	memcpy(&object, address, sizeof(object));
	slot = (uint64_t)(uintptr_t)address;
	if (!object || table__find(&slots, slot))
		return;
	if (!table__add(&slots, slot)) {
		unnamed__add(1);
		return;
	}
	*hint_of(slot) |= hint_bit(slot);
	if (!field->is_named)
		define(writer, field);
	thread->is_told = true;
	gctrace_write_container(writer, GCTRACE_C_THREAD_STATIC, field->class_, thread->kernel_id);
	gctrace_write_root(writer, object, 0, GCTRACE_ROOT_STATIC, field->token);
	totals->roots++;
}

/* Who goes meanwhile waits for the fields of one thread, and not of all. */
static void tell_of_thread(struct gctrace_writer *writer, struct thread *thread, uintptr_t domain,
			   struct totals *totals)
{
	gone__hold();
	if (thread->id && !gone__has(thread->id)) {
		for (size_t i = 0; i < field_count(); i++)
			tell(writer, thread, field_at(i), domain, totals);
	}
	gone__release();
}

void thread_statics__tell(struct gctrace_writer *writer, uintptr_t domain, struct totals *totals)
{
	const size_t most = field_count() ? MOST_CALLS / field_count() : 0;
	size_t threads = thread_count();

	if (threads > most) {
		unnamed__add((threads - most) * field_count());
		threads = most;
	}
	for (size_t i = 0; domain && i < threads; i++)
		tell_of_thread(writer, thread_at(i), domain, totals);
}

bool thread_statics__has(uint64_t slot)
{
	return *hint_of(slot) & hint_bit(slot) && table__find(&slots, slot);
}

/* ---- Afterwards ---- */

/* "worker 4711": several have one name. */
static size_t read_name(uint32_t kernel_id, char *name, size_t room)
{
	char path[64];
	ssize_t bytes;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", kernel_id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	bytes = read(fd, name, room - 32);
	close(fd);
	if (bytes <= 1)
		return 0;
	return (size_t)(bytes - 1) + (size_t)snprintf(name + bytes - 1, 32, " %u", kernel_id);
}

void thread_statics__name_threads(struct gctrace_writer *writer)
{
	for (size_t i = 0; i < thread_count(); i++) {
		const struct thread *thread = thread_at(i);
		char name[128];
		const size_t bytes =
			thread->is_told ? read_name(thread->kernel_id, name, sizeof(name)) : 0;

		if (bytes)
			gctrace_write_define(writer, GCTRACE_SPACE_THREAD, thread->kernel_id,
					     thread->kernel_id, 0, name, bytes);
	}
}
