/* SPDX-License-Identifier: BSD-2-Clause */
#include "random_heap.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "model/heap.h"
#include "unit/model/dump.h"

#define OBJECTS 60u

void random_heap__classes(struct heap_builder *builder)
{
	dump__begin(builder);
	dump__class(builder, PLAIN, "Plain", "left\0right", 11, 0);
	dump__class(builder, ARRAY, "Plain[]", "", 0, GCTRACE_CLASS_ARRAY);
	dump__class(builder, BYTES, "byte[]", "", 0, GCTRACE_CLASS_BYTES);
	dump__class(builder, SHORTS, "Text", "", 0, GCTRACE_CLASS_VARIABLE);
	dump__class(builder, MIXED, "Mixed", "first\0second", 13, GCTRACE_CLASS_VARIABLE);
	dump__class(builder, WEAK, "Weak", "queue\0referent", 15, GCTRACE_CLASS_WEAK);
	dump__class(builder, STATICS, "Statics", "", 0, 0);
}

static uint64_t random_address(unsigned int *seed)
{
	return 0x1000 + (uint64_t)(rand_r(seed) % (int)OBJECTS) * 0x100;
}

static void tell_object(struct heap_builder *builder, uint64_t id, unsigned int *seed)
{
	const uint64_t class_ = PLAIN + (uint64_t)(rand_r(seed) % 6);
	const size_t count = class_ == BYTES || class_ == SHORTS ? 0 : (size_t)(rand_r(seed) % 6);
	const bool is_odd = rand_r(seed) % 16 == 0;
	const uint64_t size = class_ == PLAIN ? 56 : 8 + (uint64_t)(rand_r(seed) % 19) * 8 + is_odd;
	const bool is_weak = class_ == WEAK && rand_r(seed) % 2;
	uint64_t to[6];

	for (size_t i = 0; i < count; i++)
		to[i] = rand_r(seed) % 3 ? random_address(seed) : 0;
	dump__object(builder, &(struct told){ id, class_, size, to, count, 0, 0,
					      is_weak ? GCTRACE_REF_WEAK : 0, false });
}

struct heap *random_heap(unsigned int seed)
{
	struct heap_builder *builder = heap_builder__new(0);

	random_heap__classes(builder);
	for (unsigned int i = 0; i < 4; i++)
		dump__root(builder, i % 2 ? GCTRACE_C_STATIC : GCTRACE_C_HANDLES,
			   i % 2 ? STATICS : 0, random_address(&seed),
			   i % 2 ? GCTRACE_ROOT_STATIC : GCTRACE_ROOT_HANDLE, i, 0);
	for (uint64_t i = 0; i < OBJECTS; i++)
		tell_object(builder, 0x1000 + i * 0x100, &seed);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

/* ---------------------------------------------------------------- for others */

static FILE *create(const char *directory, unsigned int seed, const char *format)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%u.%s", directory, seed, format);
	file = fopen(path, "w");
	assert_non_null(file);
	return file;
}

void random_heap__leave(const struct heap *heap, unsigned int seed, const char *format,
			const char *bytes, size_t count)
{
	const char *directory = getenv("EXPORT_FILES");
	FILE *file;

	if (!directory)
		return;
	file = create(directory, seed, format);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
	file = create(directory, seed, "want");
	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		if (heap__is_node(heap, p))
			continue;
		fprintf(file, "%" PRIx64 " ", heap__object(heap, p).address);
		if (heap__object(heap, p).reached)
			fprintf(file, "%" PRIu64 "\n", heap__retained(heap, p));
		else
			fputs("-\n", file);
	}
	assert_int_equal(fclose(file), 0);
}
