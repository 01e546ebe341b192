/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmstructs.h"

#include <dlfcn.h>
#include <string.h>

#define ENTRIES_MOST 100000 /* of a table: a tenth of it is usual */
#define STRIDE_MOST 256

/* The symbols of old C libraries, as in agents/common/thread.c. */
#if defined(__GLIBC__) && defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#elif defined(__GLIBC__) && defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#endif
#ifdef OLDEST
__asm__(".symver dlopen, dlopen@" OLDEST);
__asm__(".symver dlsym, dlsym@" OLDEST);
#endif

/* A table of entries; offsets of what an entry has. */
struct entries {
	const unsigned char *first; /* NULL: there is no such table */
	uint64_t stride;
};

static struct {
	struct entries of;
	uint64_t type, field, is_static, offset, address;
} fields;

static struct {
	struct entries of;
	uint64_t name, value;
} constants;

static struct {
	struct entries of;
	uint64_t name, size;
} types;

static void *libjvm;

static void *own_symbol(const char *name)
{
	if (!libjvm)
		libjvm = dlopen("libjvm.so", RTLD_LAZY | RTLD_NOLOAD);
	return dlsym(libjvm ? libjvm : RTLD_DEFAULT, name);
}

static const void *pointer_at(const unsigned char *at, uint64_t offset)
{
	const void *pointer;

	memcpy(&pointer, at + offset, sizeof(pointer));
	return pointer;
}

static int int_at(const unsigned char *at, uint64_t offset)
{
	int value;

	memcpy(&value, at + offset, sizeof(value));
	return value;
}

/* ---- Finding ---- */

/* A number that is an offset into an entry, or an entry's size. */
static bool get_number(vmstructs_symbol *find, const char *name, uint64_t *number)
{
	const uint64_t *at = find(name);

	*number = at ? *at : UINT64_MAX;
	return *number <= STRIDE_MOST;
}

static bool get_table(vmstructs_symbol *find, const char *name, const char *stride,
		      struct entries *entries)
{
	const void *const *at = find(name);

	entries->first = at ? *at : NULL;
	return entries->first && get_number(find, stride, &entries->stride) &&
	       entries->stride >= 2 * sizeof(void *);
}

static bool get_fields(vmstructs_symbol *find)
{
	return get_table(find, "gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride",
			 &fields.of) &&
	       get_number(find, "gHotSpotVMStructEntryTypeNameOffset", &fields.type) &&
	       get_number(find, "gHotSpotVMStructEntryFieldNameOffset", &fields.field) &&
	       get_number(find, "gHotSpotVMStructEntryIsStaticOffset", &fields.is_static) &&
	       get_number(find, "gHotSpotVMStructEntryOffsetOffset", &fields.offset) &&
	       get_number(find, "gHotSpotVMStructEntryAddressOffset", &fields.address);
}

static bool get_constants(vmstructs_symbol *find)
{
	return get_table(find, "gHotSpotVMIntConstants",
			 "gHotSpotVMIntConstantEntryArrayStride", &constants.of) &&
	       get_number(find, "gHotSpotVMIntConstantEntryNameOffset", &constants.name) &&
	       get_number(find, "gHotSpotVMIntConstantEntryValueOffset", &constants.value);
}

static bool get_types(vmstructs_symbol *find)
{
	return get_table(find, "gHotSpotVMTypes", "gHotSpotVMTypeEntryArrayStride", &types.of) &&
	       get_number(find, "gHotSpotVMTypeEntryTypeNameOffset", &types.name) &&
	       get_number(find, "gHotSpotVMTypeEntrySizeOffset", &types.size);
}

bool vmstructs__find(vmstructs_symbol *find)
{
	vmstructs_symbol *symbol = find ? find : own_symbol;

	if (get_fields(symbol) && get_constants(symbol) && get_types(symbol))
		return true;
	fields.of.first = constants.of.first = types.of.first = NULL;
	return false;
}

/* ---- Looking up ---- */

/* The table ends with an entry that has no name. */
static const unsigned char *find_entry(const struct entries *of, uint64_t name_at,
				       const char *name, uint64_t second_at, const char *second)
{
	const unsigned char *at = of->first;

	for (unsigned i = 0; at && i < ENTRIES_MOST; i++, at += of->stride) {
		const char *entry = pointer_at(at, name_at);
		const char *rest = second ? pointer_at(at, second_at) : NULL;

		if (!entry)
			return NULL;
		if (!strcmp(entry, name) && (!second || (rest && !strcmp(rest, second))))
			return at;
	}
	return NULL;
}

static const unsigned char *find_field(const char *type, const char *field)
{
	return find_entry(&fields.of, fields.type, type, fields.field, field);
}

bool vmstructs__offset(const char *type, const char *field, size_t *offset)
{
	const unsigned char *entry = find_field(type, field);
	uint64_t value;

	if (!entry || int_at(entry, fields.is_static))
		return false;
	memcpy(&value, entry + fields.offset, sizeof(value));
	*offset = value;
	return value < 1u << 20;
}

void *vmstructs__static(const char *type, const char *field)
{
	const unsigned char *entry = find_field(type, field);

	if (!entry || !int_at(entry, fields.is_static))
		return NULL;
	return (void *)(uintptr_t)pointer_at(entry, fields.address);
}

bool vmstructs__constant(const char *name, int *value)
{
	const unsigned char *entry = find_entry(&constants.of, constants.name, name, 0, NULL);

	if (entry)
		*value = int_at(entry, constants.value);
	return entry != NULL;
}

/* ---- Flags: an array of JVMFlag, each with its name and the address of its value ---- */

static bool get_type_size(const char *name, uint64_t *size)
{
	const unsigned char *entry = find_entry(&types.of, types.name, name, 0, NULL);

	if (entry)
		memcpy(size, entry + types.size, sizeof(*size));
	return entry && *size && *size <= STRIDE_MOST;
}

static const void *find_flag(const char *name)
{
	const unsigned char *const *first = vmstructs__static("JVMFlag", "flags");
	const size_t *count = vmstructs__static("JVMFlag", "numFlags");
	size_t name_at, address_at;
	uint64_t stride;

	if (!first || !*first || !count || *count > ENTRIES_MOST ||
	    !vmstructs__offset("JVMFlag", "_name", &name_at) ||
	    !vmstructs__offset("JVMFlag", "_addr", &address_at) ||
	    !get_type_size("JVMFlag", &stride))
		return NULL;
	for (size_t i = 0; i < *count; i++) {
		const unsigned char *flag = *first + i * stride;
		const char *of = pointer_at(flag, name_at);

		if (of && !strcmp(of, name))
			return pointer_at(flag, address_at);
	}
	return NULL;
}

bool vmstructs__flag(const char *name, bool otherwise)
{
	const unsigned char *value = find_flag(name);

	return value ? *value != 0 : otherwise;
}

int vmstructs__number(const char *name, int otherwise)
{
	const void *value = find_flag(name);
	int number = otherwise;

	if (value)
		memcpy(&number, value, sizeof(number));
	return number;
}
