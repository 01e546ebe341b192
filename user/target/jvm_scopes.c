/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A compiled method has an array of PcDesc, by offset in its code, between two sentinels (-1 and
 * a large one). Each says where in a stream of bytes its scope is: the offset of the caller's
 * scope in the same stream, 0 for none; the method, as an index into the compiled method's
 * metadata, from 1; the bytecode index plus 1; more that is not looked at. Numbers are encoded in
 * one to five bytes: a byte below LAST ends its number, each further one counts 64 times the one
 * before.
 *
 * Newer JVMs exclude bytes of 0, and count from 1. Which it is needs not be known: each chain ends
 * with a caller of 0, a byte of 0 in the old encoding, which the new one does not have, and
 * a byte of 1 in the new one, which is not 0 in the old.
 *
 *	until 22   all is in the compiled method itself
 *	since 23   PcDescs and scopes are in one piece of memory, metadata in another
 */
#include "jvm_scopes.h"

#include "jvm_code.h"
#include "jvm_layout.h"
#include "jvm_memory.h"

#define WORD 8
#define MOST_PCS (1U << 20)
#define LAST 192
#define ROOM 15 /* of a scope: its first three numbers */

struct tables {
	uint64_t pcs, pc_count;
	uint64_t scopes, scopes_end;
	uint64_t metadata, metadata_end;
};

static bool find_old(const struct jvm_scopes *scopes, const struct jvm_blob *blob,
		     struct tables *tables)
{
	const struct jvm_layout *layout = scopes->layout;
	uint32_t pcs, dependencies, metadata;

	if (!jvm_memory__u32(scopes->memory, blob->address + layout->compiled_pcs, &pcs) ||
	    !jvm_memory__u32(scopes->memory, blob->address + layout->compiled_dependencies,
			     &dependencies) ||
	    !jvm_memory__u32(scopes->memory, blob->address + layout->compiled_metadata,
			     &metadata) ||
	    !jvm_memory__u64(scopes->memory, blob->address + layout->compiled_scopes,
			     &tables->scopes) ||
	    pcs > dependencies || dependencies > blob->size || metadata > blob->size)
		return false;
	tables->pcs = blob->address + pcs;
	tables->pc_count = (dependencies - pcs) / layout->pc_size;
	tables->scopes_end = tables->pcs;
	tables->metadata = blob->address + metadata;
	tables->metadata_end = tables->scopes;
	return true;
}

static bool find_new(const struct jvm_scopes *scopes, const struct jvm_blob *blob,
		     struct tables *tables)
{
	const struct jvm_layout *layout = scopes->layout;
	uint32_t pcs, data, size, mutable_size, relocation;
	uint64_t base, mutable;

	if (!jvm_memory__u64(scopes->memory, blob->address + layout->compiled_immutable, &base) ||
	    !jvm_memory__u32(scopes->memory, blob->address + layout->compiled_immutable_size,
			     &size) ||
	    !jvm_memory__u32(scopes->memory, blob->address + layout->compiled_pcs, &pcs) ||
	    !jvm_memory__u32(scopes->memory, blob->address + layout->compiled_scopes_offset,
			     &data) ||
	    !jvm_memory__u64(scopes->memory, blob->address + layout->blob_mutable, &mutable) ||
	    !jvm_memory__u32(scopes->memory, blob->address + layout->blob_mutable_size,
			     &mutable_size) ||
	    !jvm_memory__u32(scopes->memory, blob->address + layout->blob_relocation_size,
			     &relocation) ||
	    pcs > data || data > size || relocation > mutable_size)
		return false;
	tables->pcs = base + pcs;
	tables->pc_count = (data - pcs) / layout->pc_size;
	tables->scopes = base + data;
	tables->scopes_end = base + size;
	tables->metadata = mutable + relocation;
	tables->metadata_end = mutable + mutable_size;
	return true;
}

static bool find_tables(const struct jvm_scopes *scopes, const struct jvm_blob *blob,
			struct tables *tables)
{
	const struct jvm_layout *layout = scopes->layout;
	bool found = false;

	if (!layout->pc_size)
		return false;
	if (jvm_layout__has_new_scopes(layout))
		found = find_new(scopes, blob, tables);
	else if (jvm_layout__has_old_scopes(layout))
		found = find_old(scopes, blob, tables);
	return found && tables->pc_count <= MOST_PCS && tables->scopes < tables->scopes_end &&
	       tables->metadata <= tables->metadata_end;
}

static bool read_pc(const struct jvm_scopes *scopes, const struct tables *tables, uint64_t i,
		    int32_t *offset, uint32_t *scope)
{
	const struct jvm_layout *layout = scopes->layout;
	const uint64_t at = tables->pcs + i * layout->pc_size;

	return jvm_memory__read(scopes->memory, at + layout->pc_offset, offset, sizeof(*offset)) &&
	       jvm_memory__u32(scopes->memory, at + layout->pc_scope, scope);
}

/* Where in the scopes the one of this place is; 0: not described. */
static uint32_t find_scope(const struct jvm_scopes *scopes, const struct tables *tables,
			   int32_t wanted, bool nearest)
{
	uint64_t low = 0, high = tables->pc_count;
	uint32_t scope = 0;
	int32_t offset;

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (!read_pc(scopes, tables, middle, &offset, &scope))
			return 0;
		if (offset < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	/* The last one is a sentinel. */
	if (low + 1 >= tables->pc_count || !read_pc(scopes, tables, low, &offset, &scope) ||
	    (!nearest && offset != wanted))
		return 0;
	return scope;
}

/* A number at *at, which is moved behind it. */
static bool decode(uint32_t excluded, const unsigned char *bytes, size_t len, size_t *at,
		   uint32_t *value)
{
	uint32_t sum = 0;

	for (unsigned int i = 0; i < 5; i++) {
		uint32_t byte;

		if (*at >= len)
			return false;
		byte = bytes[(*at)++];
		if (byte < excluded)
			return false;
		sum += (byte - excluded) << (6 * i);
		if (byte < LAST)
			break;
	}
	*value = sum;
	return true;
}

static bool read_metadata(const struct jvm_scopes *scopes, const struct tables *tables,
			  uint32_t index, uint64_t *value)
{
	const uint64_t at = tables->metadata + ((uint64_t)index - 1) * WORD;

	return index && at < tables->metadata_end && tables->metadata_end - at >= WORD &&
	       jvm_memory__u64(scopes->memory, at, value);
}

/* One scope; *caller: where the one is that called it, 0: none. */
static bool read_scope(const struct jvm_scopes *scopes, const struct tables *tables,
		       uint32_t excluded, uint32_t offset, struct jvm_scope *scope,
		       uint32_t *caller)
{
	const uint64_t start = tables->scopes + offset;
	unsigned char bytes[ROOM];
	size_t len = sizeof(bytes), at = 0;
	uint32_t method, bci;

	if (start >= tables->scopes_end)
		return false;
	if (len > tables->scopes_end - start)
		len = (size_t)(tables->scopes_end - start);
	if (!jvm_memory__read(scopes->memory, start, bytes, len) ||
	    !decode(excluded, bytes, len, &at, caller) ||
	    !decode(excluded, bytes, len, &at, &method) ||
	    !decode(excluded, bytes, len, &at, &bci) ||
	    !read_metadata(scopes, tables, method, &scope->method))
		return false;
	scope->bci = (int32_t)(bci - 1);
	return true;
}

/* From the scope at this offset outwards. How many; 0: it makes no sense. */
static size_t read_chain(const struct jvm_scopes *scopes, const struct tables *tables,
			 uint32_t excluded, uint32_t offset, uint64_t compiled,
			 struct jvm_scope *out)
{
	size_t count = 0;

	while (offset) {
		uint32_t caller = 0;

		/* Callers are written down first. */
		if (count == JVM_SCOPES_MOST ||
		    !read_scope(scopes, tables, excluded, offset, &out[count], &caller) ||
		    caller >= offset)
			return 0;
		count++;
		offset = caller;
	}
	return count && out[count - 1].method == compiled ? count : 0;
}

size_t jvm_scopes__at(const struct jvm_scopes *scopes, const struct jvm_blob *blob, uint64_t pc,
		      bool nearest, struct jvm_scope out[JVM_SCOPES_MOST])
{
	struct tables tables;
	uint32_t offset;
	size_t count = 0;

	if (blob->kind != JVM_CODE_COMPILED || pc - blob->begin > INT32_MAX ||
	    !find_tables(scopes, blob, &tables))
		return 0;
	offset = find_scope(scopes, &tables, (int32_t)(pc - blob->begin), nearest);
	for (uint32_t excluded = 0; !count && excluded <= 1; excluded++)
		count = read_chain(scopes, &tables, excluded, offset, blob->method, out);
	return count;
}
