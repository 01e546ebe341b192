/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs minivm and reads its truth as other tests do: is it a heap, and do its accounts add up?
 * (minivm --verify asks more of the heap itself; tests/e2e/minivm.sh runs that.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/vec.h"
#include "minivm/truth_reader.h"

struct heap {
	VEC(struct truth_object) objects;
	VEC(uint64_t) ids;  /* of them, sorted when the snapshot is whole */
	VEC(uint64_t) refs; /* ids that something refers to */
};

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void add_objects(struct heap *heap, const struct truth_part *part)
{
	const struct truth_object *object = (const void *)(part + 1);

	for (uint64_t i = 0; i < part->count; i++) {
		assert_int_equal(vec__push(&heap->objects, object[i]), 0);
		assert_int_equal(vec__push(&heap->ids, object[i].id), 0);
	}
}

static void add_references(struct heap *heap, const struct truth_part *part)
{
	const uint64_t *word = (const void *)(part + 1);

	for (uint64_t i = 0; i < part->count; i++) {
		for (uint64_t n = *word++; n > 0; n--, word++) {
			if (*word)
				assert_int_equal(vec__push(&heap->refs, *word), 0);
		}
	}
}

static void add_roots(struct heap *heap, const struct truth_part *part)
{
	const struct truth_root *root = (const void *)(part + 1);

	for (uint64_t i = 0; i < part->count; i++)
		assert_int_equal(vec__push(&heap->refs, root[i].object), 0);
}

/* Nothing dangles, and no two objects have one id or lie upon one another. */
static void check_heap(struct heap *heap)
{
	assert_true(heap->objects.count > 0);
	vec__sort(&heap->ids, by_number);
	for (size_t i = 1; i < heap->ids.count; i++)
		assert_true(heap->ids.items[i - 1] < heap->ids.items[i]);
	for (size_t i = 0; i < heap->refs.count; i++)
		assert_non_null(bsearch(&heap->refs.items[i], heap->ids.items, heap->ids.count,
					sizeof(uint64_t), by_number));
	vec__reset(&heap->ids);
	for (size_t i = 0; i < heap->objects.count; i++) {
		assert_int_equal(vec__push(&heap->ids, heap->objects.items[i].address), 0);
		assert_int_equal(vec__push(&heap->ids, heap->objects.items[i].address +
							       heap->objects.items[i].size - 1), 0);
	}
	/* Starts and ends in turns, whatever order they were told in. */
	vec__sort(&heap->ids, by_number);
	for (size_t i = 0; i < heap->ids.count; i++)
		assert_int_equal(heap->ids.items[i] & 7, i & 1 ? 7 : 0);
}

static uint64_t told(const struct truth_counts *counts)
{
	return counts->moved.bytes + counts->stayed.bytes + counts->survived.bytes +
	       counts->dead.bytes;
}

static void check_accounts(const struct heap *heap, const struct truth_gc_finish *finish)
{
	uint64_t bytes[3] = { 0 };

	for (size_t i = 0; i < heap->objects.count; i++)
		bytes[heap->objects.items[i].generation] += heap->objects.items[i].size;
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(bytes[i], finish->pools[i].used);
	assert_int_equal(finish->counts[0].condemned.bytes, told(&finish->counts[0]));
	assert_int_equal(finish->counts[2].condemned.bytes, told(&finish->counts[2]));
	if (finish->counts[1].condemned.bytes)
		assert_int_equal(finish->counts[1].condemned.bytes +
					 finish->counts[0].promoted.bytes,
				 told(&finish->counts[1]));
}

static void forget(struct heap *heap)
{
	vec__free(&heap->objects);
	vec__free(&heap->ids);
	vec__free(&heap->refs);
}

static void check_file(const char *path, uint64_t collections)
{
	struct truth_reader reader;
	struct heap heap = { 0 };
	uint64_t finished = 0, classes = 0;

	assert_int_equal(truth__open_reader(&reader, path), 0);
	while (truth__next(&reader) > 0) {
		if (reader.kind == TRUTH_CLASS)
			classes++;
		if (reader.kind == TRUTH_OBJECTS)
			add_objects(&heap, reader.payload);
		if (reader.kind == TRUTH_REFERENCES)
			add_references(&heap, reader.payload);
		if (reader.kind == TRUTH_ROOTS)
			add_roots(&heap, reader.payload);
		if (reader.kind != TRUTH_GC_FINISH)
			continue;
		finished++;
		check_accounts(&heap, reader.payload);
		check_heap(&heap);
		forget(&heap);
	}
	assert_int_equal(reader.kind, TRUTH_END);
	assert_true(classes > 20);
	assert_true(finished >= collections);
	forget(&heap);
	truth__close_reader(&reader);
}

static void truth_is_a_heap(const char *collector)
{
	const char *build = getenv("BUILD");
	char path[] = "/tmp/truth_test.XXXXXX", command[1024];
	int fd = mkstemp(path), status;

	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof(command),
		 "%s/minivm --quiet --deterministic --objects 2000 --nursery 64k --collector %s "
		 "--collections 60 --full-every 9 --truth %s",
		 build ? build : "build", collector, path);
	status = system(command);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
		unlink(path);
		skip(); /* minivm is not built */
	}
	assert_int_equal(status, 0);
	check_file(path, 60);
	unlink(path);
}

static void truth_of_sweep(void **state)
{
	(void)state;
	truth_is_a_heap("sweep");
}

static void truth_of_compact(void **state)
{
	(void)state;
	truth_is_a_heap("compact");
}

static void truth_of_concurrent(void **state)
{
	(void)state;
	truth_is_a_heap("concurrent");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truth_of_sweep),
		cmocka_unit_test(truth_of_compact),
		cmocka_unit_test(truth_of_concurrent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
