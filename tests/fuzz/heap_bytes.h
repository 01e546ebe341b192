/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as the events of a heap dump, for the targets that want a heap: each event is taken
 * from the bytes that are left: a first byte for its kind, the others for its numbers, one byte
 * each; most of them mean small numbers, so that addresses meet.
 */
#ifndef FUZZ_HEAP_BYTES_H
#define FUZZ_HEAP_BYTES_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "check.h"
#include "corpus.h"
#include "model/heap_builder.h"
#include "model/heap_histogram.h"

#define LIMIT (UINT64_C(8) << 20)
#define REFERENCES 12

struct bytes {
	const uint8_t *at, *end;
	bool heads; /* objects are told without their references */
};

static inline uint8_t byte_of(struct bytes *bytes)
{
	return bytes->at < bytes->end ? *bytes->at++ : 0;
}

/* Small ones, and now and then one of all magnitudes. */
static inline uint64_t number_of(struct bytes *bytes)
{
	const uint8_t first = byte_of(bytes);

	if (first < 0xe0)
		return first;
	return (UINT64_MAX >> 2 * (first - 0xe0)) - byte_of(bytes);
}

static inline uint64_t address_of(struct bytes *bytes)
{
	const uint64_t number = number_of(bytes);

	return number < 0xe0 ? number * 8 : number;
}

static inline int tell_head(struct heap_builder *builder, const struct event *object)
{
	const struct object_head head = { object->object.id, object->object.class_,
					  object->object.size };
	struct event event = { .kind = EVENT_HEADS };

	event.heads.heads = &head;
	event.heads.count = 1;
	return heap_builder__event(builder, &event);
}

static inline int tell_object(struct heap_builder *builder, struct bytes *bytes)
{
	struct reference references[REFERENCES];
	struct event event = { .kind = EVENT_OBJECT };
	const uint8_t how = byte_of(bytes);

	event.object.id = address_of(bytes);
	event.object.class_ = number_of(bytes);
	event.object.size = number_of(bytes);
	event.object.places = how & 3;
	event.object.more = how & 4;
	event.object.count = (how >> 4) % (REFERENCES + 1);
	event.object.references = references;
	for (size_t i = 0; i < event.object.count; i++)
		references[i] = (struct reference){
			.to = address_of(bytes),
			.place = how & 8 ? number_of(bytes) : i,
			.flags = how & 8 ? (uint32_t)byte_of(bytes) << 6 : 0,
		};
	return bytes->heads ? tell_head(builder, &event) : heap_builder__event(builder, &event);
}

static inline int tell_roots(struct heap_builder *builder, struct bytes *bytes)
{
	const struct root root = { address_of(bytes), number_of(bytes), number_of(bytes),
				   (uint32_t)number_of(bytes), 0 };
	struct event event = { .kind = EVENT_ROOTS };

	event.roots.type = number_of(bytes);
	event.roots.id1 = number_of(bytes);
	event.roots.roots = &root;
	event.roots.count = 1;
	return heap_builder__event(builder, &event);
}

static inline int tell_name(struct heap_builder *builder, struct bytes *bytes, enum event_kind kind)
{
	struct event event = { .kind = kind };
	const struct text text = { (const char *)bytes->at,
				   (size_t)(bytes->end - bytes->at) < 9 ? 0 : 9 };

	if (kind == EVENT_CLASS) {
		event.class_.class_ = number_of(bytes);
		event.class_.flags = byte_of(bytes);
		event.class_.name = event.class_.fields = text;
	} else {
		event.define.space = byte_of(bytes) % 14;
		event.define.id = number_of(bytes);
		event.define.a = number_of(bytes);
		event.define.b = number_of(bytes);
		event.define.name = text;
	}
	return heap_builder__event(builder, &event);
}

static inline int tell(struct heap_builder *builder, struct bytes *bytes)
{
	struct event event = { .kind = EVENT_CONTAINER };

	switch (byte_of(bytes) % 8) {
	case 0:
		return tell_roots(builder, bytes);
	case 1:
		event.container.type = number_of(bytes);
		event.container.id1 = number_of(bytes);
		event.container.id2 = number_of(bytes);
		return heap_builder__event(builder, &event);
	case 2:
		return tell_name(builder, bytes, EVENT_CLASS);
	case 3:
		return tell_name(builder, bytes, EVENT_DEFINE);
	case 4:
		event.kind = byte_of(bytes) % 2 ? EVENT_LOSS : EVENT_DUMP_END;
		return heap_builder__event(builder, &event);
	default:
		return tell_object(builder, bytes);
	}
}

static inline struct heap *built_of(struct heap_builder *builder, struct bytes bytes)
{
	struct heap *heap = NULL;
	int err = 0;

	CHECK(builder);
	while (bytes.at < bytes.end && !err)
		err = tell(builder, &bytes);
	if (!err)
		err = heap_builder__finish(builder, &heap);
	CHECK(err == 0 || err == -EDQUOT);
	heap_builder__free(builder);
	return heap;
}

/* NULL: there is not enough memory for it within the limit. */
static inline struct heap *heap_of(const uint8_t *data, size_t size)
{
	return built_of(heap_builder__new(LIMIT), (struct bytes){ data, data + size, false });
}

/* The same without a graph. */
static inline struct heap *counts_of(const uint8_t *data, size_t size)
{
	return built_of(heap_builder__new_counting(LIMIT),
			(struct bytes){ data, data + size, true });
}

/* Who counts only counts the same. */
static inline void compare_counts(const struct heap *heap, const struct heap *counted)
{
	const struct heap_types *types = heap__types(heap), *others = heap__types(counted);
	struct heap_type_sums *sums = NULL, *counts = NULL;

	CHECK(heap__facts(heap)->objects == heap__facts(counted)->objects);
	CHECK(heap__facts(heap)->bytes == heap__facts(counted)->bytes);
	CHECK(heap__facts(heap)->odd.sizes == heap__facts(counted)->odd.sizes);
	CHECK(heap__facts(heap)->odd.nameless == heap__facts(counted)->odd.nameless);
	CHECK(!heap__histogram(heap, &sums) && !heap__histogram(counted, &counts));
	for (uint32_t i = 0; i < types->count; i++) {
		const uint64_t number = heap_types__at(types, i).number;
		const uint32_t other = i ? heap_types__known(others, number) : 0;

		CHECK(other != UINT32_MAX || !sums[i].objects);
		CHECK(other == UINT32_MAX || (sums[i].objects == counts[other].objects &&
					      sums[i].bytes == counts[other].bytes));
	}
	free(sums);
	free(counts);
}

/* What a program does with such a heap. */
static void use_heap(struct heap *heap);

/* Into an empty corpus: objects, roots, names. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const uint8_t seed[] = { 1, 1, 1, 7, 0, 8, 9, 1, 0, 14, 0, 5, 0x20, 8, 1, 16, 9, 10,
					5, 0x14, 9, 1, 16, 8, 5, 0, 10, 1, 16, 5, 0x10, 9, 1, 16,
					10, 1, 13, 0, 0 };
	const int dir = corpus__open(*argc, *argv);

	if (dir >= 0) {
		corpus__add(dir, 0, seed, sizeof(seed));
		close(dir);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct heap *heap = heap_of(data, size), *counted = counts_of(data, size);

	if (heap)
		use_heap(heap);
	if (heap && counted)
		compare_counts(heap, counted);
	heap__free(heap);
	heap__free(counted);
	return 0;
}

#endif
