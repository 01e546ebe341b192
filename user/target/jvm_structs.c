/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each table is an array of entries that ends with one whose name is NULL. Where in an entry its
 * parts are, and how far one is from the next, variables beside the array tell. Names are pointers
 * to text in libjvm.so.
 */
#include "jvm_structs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/search.h"
#include "../base/vec.h"
#include "jvm_memory.h"
#include "mapped_file.h"
#include "maps.h"
#include "symbol.h"

#define MOST_ENTRIES 16384 /* of a table; HotSpot 17 and 25 have up to 900 */
#define MOST_STRIDE 256
#define MOST_NAME 512

const char *const jvm_export__names[JVM_EXPORTS] = {
	[JVM_FIELDS] = "gHotSpotVMStructs",
	[JVM_FIELD_STRIDE] = "gHotSpotVMStructEntryArrayStride",
	[JVM_FIELD_TYPE] = "gHotSpotVMStructEntryTypeNameOffset",
	[JVM_FIELD_NAME] = "gHotSpotVMStructEntryFieldNameOffset",
	[JVM_FIELD_IS_STATIC] = "gHotSpotVMStructEntryIsStaticOffset",
	[JVM_FIELD_OFFSET] = "gHotSpotVMStructEntryOffsetOffset",
	[JVM_FIELD_ADDRESS] = "gHotSpotVMStructEntryAddressOffset",
	[JVM_TYPES] = "gHotSpotVMTypes",
	[JVM_TYPE_STRIDE] = "gHotSpotVMTypeEntryArrayStride",
	[JVM_TYPE_NAME] = "gHotSpotVMTypeEntryTypeNameOffset",
	[JVM_TYPE_SIZE] = "gHotSpotVMTypeEntrySizeOffset",
	[JVM_INTS] = "gHotSpotVMIntConstants",
	[JVM_INT_STRIDE] = "gHotSpotVMIntConstantEntryArrayStride",
	[JVM_INT_NAME] = "gHotSpotVMIntConstantEntryNameOffset",
	[JVM_INT_VALUE] = "gHotSpotVMIntConstantEntryValueOffset",
	[JVM_LONGS] = "gHotSpotVMLongConstants",
	[JVM_LONG_STRIDE] = "gHotSpotVMLongConstantEntryArrayStride",
	[JVM_LONG_NAME] = "gHotSpotVMLongConstantEntryNameOffset",
	[JVM_LONG_VALUE] = "gHotSpotVMLongConstantEntryValueOffset",
};

enum kind { KIND_OFFSET, KIND_ADDRESS, KIND_SIZE, KIND_CONSTANT };

struct entry {
	enum kind kind;
	size_t name; /* where it begins in names */
	uint64_t value;
};

struct jvm_structs {
	struct buf names;	    /* each closed by a 0 */
	VEC(struct entry) entries; /* by kind and name once all are read */
};

/* A table as it is read: its entries one after the other. */
struct table {
	struct jvm_memory *memory;
	const uint64_t *layout; /* what the variables say: stride, and offsets within an entry */
	unsigned char entry[MOST_STRIDE + sizeof(uint64_t)];
};

static uint64_t part(const struct table *table, uint64_t offset, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, table->entry + offset, size);
	return value;
}

/* The text that a pointer in the entry leads to, appended. Its length; 0: none; or -EINVAL. */
static int add_name(struct jvm_structs *structs, const struct table *table, uint64_t offset)
{
	char name[MOST_NAME];
	uint64_t address = part(table, offset, sizeof(address));
	int len = address ? jvm_memory__text(table->memory, address, name, sizeof(name)) : 0;

	if (len < 0)
		return -EINVAL;
	buf__add(&structs->names, name, (size_t)len);
	return len;
}

static int add(struct jvm_structs *structs, enum kind kind, size_t name, uint64_t value)
{
	buf__add_char(&structs->names, 0);
	if (structs->names.error)
		return structs->names.error;
	return vec__push(&structs->entries, (struct entry){ kind, name, value });
}

/* 1: taken; 0: the end; negative errno. Kinds of tables differ in this only. */
typedef int (*take_entry)(struct jvm_structs *structs, const struct table *table);

static int take_field(struct jvm_structs *structs, const struct table *table)
{
	const uint64_t *layout = table->layout;
	const bool is_static = part(table, layout[JVM_FIELD_IS_STATIC - JVM_FIELDS],
				    sizeof(int32_t)) != 0;
	const size_t name = structs->names.len;
	int len = add_name(structs, table, layout[JVM_FIELD_TYPE - JVM_FIELDS]), err;

	if (len <= 0)
		return len;
	buf__add_str(&structs->names, "::");
	if (add_name(structs, table, layout[JVM_FIELD_NAME - JVM_FIELDS]) < 0)
		return -EINVAL;
	err = add(structs, is_static ? KIND_ADDRESS : KIND_OFFSET, name,
		  part(table, layout[(is_static ? JVM_FIELD_ADDRESS : JVM_FIELD_OFFSET) -
				     JVM_FIELDS], sizeof(uint64_t)));
	return err ? err : 1;
}

/* One with a name and one value at these places in the layout. */
static int take_value(struct jvm_structs *structs, const struct table *table, enum kind kind,
		      size_t size)
{
	const size_t name = structs->names.len;
	int len = add_name(structs, table, table->layout[JVM_TYPE_NAME - JVM_TYPES]), err;
	uint64_t value;

	if (len <= 0)
		return len;
	value = part(table, table->layout[JVM_TYPE_SIZE - JVM_TYPES], size);
	if (size == sizeof(int32_t))
		value = (uint64_t)(int64_t)(int32_t)value;
	err = add(structs, kind, name, value);
	return err ? err : 1;
}

static int take_type(struct jvm_structs *structs, const struct table *table)
{
	return take_value(structs, table, KIND_SIZE, sizeof(uint64_t));
}

static int take_int(struct jvm_structs *structs, const struct table *table)
{
	return take_value(structs, table, KIND_CONSTANT, sizeof(int32_t));
}

static int take_long(struct jvm_structs *structs, const struct table *table)
{
	return take_value(structs, table, KIND_CONSTANT, sizeof(int64_t));
}

_Static_assert(JVM_TYPE_NAME - JVM_TYPES == JVM_INT_NAME - JVM_INTS &&
	       JVM_TYPE_SIZE - JVM_TYPES == JVM_INT_VALUE - JVM_INTS &&
	       JVM_TYPE_NAME - JVM_TYPES == JVM_LONG_NAME - JVM_LONGS &&
	       JVM_TYPE_SIZE - JVM_TYPES == JVM_LONG_VALUE - JVM_LONGS,
	       "take_value reads all three");

static const struct {
	enum jvm_export first, behind;
	take_entry take;
} tables[] = {
	{ JVM_FIELDS, JVM_TYPES, take_field },
	{ JVM_TYPES, JVM_INTS, take_type },
	{ JVM_INTS, JVM_LONGS, take_int },
	{ JVM_LONGS, JVM_EXPORTS, take_long },
};

static int read_entries(struct jvm_structs *structs, struct table *table, take_entry take)
{
	const uint64_t stride = table->layout[JVM_FIELD_STRIDE - JVM_FIELDS];
	uint64_t at = table->layout[0];

	for (size_t i = 0; i < MOST_ENTRIES; i++, at += stride) {
		int taken;

		if (!jvm_memory__read(table->memory, at, table->entry, stride))
			return -EINVAL;
		taken = take(structs, table);
		if (taken <= 0)
			return taken;
	}
	return -EINVAL;
}

static int read_table(struct jvm_structs *structs, struct jvm_memory *memory,
		      const uint64_t *exports, size_t i)
{
	uint64_t layout[JVM_EXPORTS] = { 0 };
	struct table table = { .memory = memory, .layout = layout };
	const enum jvm_export first = tables[i].first;
	const size_t count = tables[i].behind - first;

	for (size_t j = 0; j < count; j++)
		if (!jvm_memory__u64(memory, exports[first + j], &layout[j]))
			return -EINVAL;
	if (!layout[1] || layout[1] > MOST_STRIDE)
		return -EINVAL;
	for (size_t j = 2; j < count; j++)
		if (layout[j] >= layout[1])
			return -EINVAL;
	return read_entries(structs, &table, tables[i].take);
}

static int compare(const void *a, const void *b, void *names)
{
	const struct entry *left = a, *right = b;
	const char *text = names;

	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	return strcmp(text + left->name, text + right->name);
}

static int not_there(struct buf *why, const char *what)
{
	if (why)
		buf__add_str(why, what);
	return -ENOTSUP;
}

int jvm_structs__find_exports(const struct process *process, const struct maps *maps,
			      uint64_t exports[JVM_EXPORTS], struct buf *why)
{
	const struct map *map = maps__named(maps, "libjvm.so");
	int err, fd;

	if (!map)
		return not_there(why, "no libjvm.so is mapped");
	fd = mapped_file__open(process, maps, map);
	if (fd < 0)
		return fd == -ESRCH ? fd : not_there(why, "its libjvm.so cannot be opened");
	err = symbol__find_exports(fd, jvm_export__names, JVM_EXPORTS, map->start, map->offset,
				   exports);
	close(fd);
	return !err || err == -ENOMEM ? err
				      : not_there(why, "its libjvm.so exports no vmStructs");
}

int jvm_structs__read(struct jvm_memory *memory, const uint64_t exports[JVM_EXPORTS],
		      struct jvm_structs **out, struct buf *why)
{
	struct jvm_structs *structs = calloc(1, sizeof(*structs));
	int err = structs ? 0 : -ENOMEM;

	*out = NULL;
	for (size_t i = 0; !err && i < sizeof(tables) / sizeof(tables[0]); i++) {
		err = read_table(structs, memory, exports, i);
		if (err == -EINVAL && why)
			buf__printf(why, "its table %s makes no sense",
				    jvm_export__names[tables[i].first]);
	}
	if (err) {
		jvm_structs__free(structs);
		return err;
	}
	if (structs->entries.count > 1)
		qsort_r(structs->entries.items, structs->entries.count, sizeof(struct entry),
			compare, structs->names.data);
	*out = structs;
	return 0;
}

void jvm_structs__free(struct jvm_structs *structs)
{
	if (!structs)
		return;
	buf__free(&structs->names);
	vec__free(&structs->entries);
	free(structs);
}

static bool find(const struct jvm_structs *structs, enum kind kind, const char *name,
		 uint64_t *value)
{
	const struct entry *entries = structs->entries.items;
	const char *names = buf__str(&structs->names);
	size_t i = search__front(entries, structs->entries.count, entry,
				 entry->kind < kind || (entry->kind == kind &&
				 strcmp(names + entry->name, name) < 0));

	if (i == structs->entries.count || entries[i].kind != kind ||
	    strcmp(names + entries[i].name, name) != 0)
		return false;
	*value = entries[i].value;
	return true;
}

bool jvm_structs__offset(const struct jvm_structs *structs, const char *name, uint64_t *offset)
{
	return find(structs, KIND_OFFSET, name, offset);
}

bool jvm_structs__address(const struct jvm_structs *structs, const char *name, uint64_t *address)
{
	return find(structs, KIND_ADDRESS, name, address);
}

bool jvm_structs__size(const struct jvm_structs *structs, const char *name, uint64_t *size)
{
	return find(structs, KIND_SIZE, name, size);
}

bool jvm_structs__constant(const struct jvm_structs *structs, const char *name, uint64_t *value)
{
	return find(structs, KIND_CONSTANT, name, value);
}

size_t jvm_structs__count(const struct jvm_structs *structs)
{
	return structs->entries.count;
}
