/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the BPF programs of provider gctrace make of the probes of a real process: contents, parts,
 * and what is lost, which is counted exactly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gctrace/wire.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

static struct bench bench;

static int start(void **state)
{
	(void)state;
	if (bench__has_root())
		bench__start(&bench, NULL, LEVEL_ALL);
	return 0;
}

static int end(void **state)
{
	(void)state;
	if (geteuid() == 0)
		bench__end(&bench);
	return 0;
}

static const struct record_call *only_call(unsigned int kind)
{
	const struct record *record = tape__find(&bench.tape, kind, 0);

	assert_int_equal(bench.tape.count, 1);
	assert_non_null(record);
	assert_int_equal(record->target, bench.target->index);
	assert_int_equal(record->tid, bench.victim.pid);
	return (const struct record_call *)record;
}

static void nothing_was_lost(void)
{
	struct loss_counts losses = bench__losses(&bench);

	for (int kind = 0; kind < BPF_LOSS_KINDS; kind++)
		assert_int_equal(losses.records[kind], 0);
}

static void scalars_come_as_they_are(void **state)
{
	const struct record_call *call;

	NEEDS_ROOT;
	bench__do(&bench, VICTIM_GC_START, 1, 0);
	call = only_call(RECORD_GC_START);
	assert_int_equal(call->head.bytes, sizeof(*call));
	for (uint64_t i = 0; i < 4; i++)
		assert_int_equal(call->args[i], i + 1);
	assert_int_equal(call->part.total, 0);
	nothing_was_lost();
}

/* Entries of a u64 array behind a record_call; array n of the victim starts with n. */
static const char *check_wide(const char *at, const struct record_part *part, uint64_t n)
{
	for (uint64_t i = 0; i < part->count; i++) {
		uint64_t value;

		memcpy(&value, at + 8 * i, 8);
		assert_int_equal(value, (part->first + i) * 8 + n);
	}
	return at + 8 * (size_t)part->count;
}

static const char *check_narrow(const char *at, const struct record_part *part, uint64_t n)
{
	for (uint64_t i = 0; i < part->count; i++) {
		uint32_t value;

		memcpy(&value, at + 4 * i, 4);
		assert_int_equal(value, (part->first + i) * 8 + n);
	}
	return at + 4 * (size_t)part->count;
}

static void check_moved(const struct record_call *call, uint64_t width)
{
	const char *at = (const char *)(call + 1);
	const uint64_t args[] = { width, 7, 1, 3 };

	for (int i = 0; i < 4; i++)
		assert_int_equal(call->args[i], args[i]);
	at = check_wide(at, &call->part, 0);
	at = check_wide(at, &call->part, 1);
	at = width == 4 ? check_narrow(at, &call->part, 2) : check_wide(at, &call->part, 2);
	assert_ptr_equal(at, (const char *)call + call->head.bytes);
}

/* Around every limit of a size class, and of a part. */
static const uint64_t counts[] = { 0, 1, 127, 128, 129, 511, 512, 513, 2047, 2048, 2049, 5000 };
#define COUNTS (sizeof(counts) / sizeof(counts[0]))

/* Calls fn for each part, which are told whole and in order. */
static void check_parts(unsigned int kind, uint64_t total,
			void (*fn)(const struct record_call *call, uint64_t more), uint64_t more)
{
	uint64_t first = 0;
	size_t n = 0;

	do {
		const struct record_call *call =
			(const struct record_call *)tape__find(&bench.tape, kind, n++);

		assert_non_null(call);
		assert_int_equal(call->part.total, total);
		assert_int_equal(call->part.first, first);
		assert_true(call->part.count <= GCTRACE_PART_ENTRIES);
		fn(call, more);
		first += call->part.count;
	} while (first < total);
	assert_int_equal(bench.tape.count, n);
}

static void moves_of_every_count(void **state)
{
	NEEDS_ROOT;
	for (size_t i = 0; i < COUNTS; i++) {
		for (uint64_t width = 4; width <= 8; width += 4) {
			bench__do(&bench, VICTIM_MOVED, counts[i], width);
			check_parts(RECORD_MOVED, counts[i], check_moved, width);
		}
	}
	nothing_was_lost();
}

static void check_surviving(const struct record_call *call, uint64_t width)
{
	const char *at = (const char *)(call + 1);

	assert_int_equal(call->args[0], width);
	assert_int_equal(call->args[1], 7);
	assert_int_equal(call->args[2], 1);
	at = check_wide(at, &call->part, 0);
	at = width == 4 ? check_narrow(at, &call->part, 1) : check_wide(at, &call->part, 1);
	assert_ptr_equal(at, (const char *)call + call->head.bytes);
}

static void survivals_of_every_count(void **state)
{
	NEEDS_ROOT;
	for (size_t i = 0; i < COUNTS; i++) {
		for (uint64_t width = 4; width <= 8; width += 4) {
			bench__do(&bench, VICTIM_SURVIVING, counts[i], width);
			check_parts(RECORD_SURVIVING, counts[i], check_surviving, width);
		}
	}
	nothing_was_lost();
}

static void check_roots(const struct record_call *call, uint64_t has)
{
	const char *at = (const char *)(call + 1);

	assert_int_equal(call->args[0], has);
	at = check_wide(at, &call->part, 0);
	if (has & RECORD_HAS_FLAGS)
		at = check_narrow(at, &call->part, 2);
	if (has & RECORD_HAS_KINDS)
		at = check_wide(at, &call->part, 2);
	if (has & RECORD_HAS_IDS)
		at = check_wide(at, &call->part, 3);
	assert_ptr_equal(at, (const char *)call + call->head.bytes);
}

static void roots_of_every_count_and_form(void **state)
{
	NEEDS_ROOT;
	for (size_t i = 0; i < COUNTS; i++) {
		for (uint64_t has = 0; has < 8; has++) {
			bench__do(&bench, VICTIM_ROOTS, counts[i], has);
			check_parts(RECORD_ROOTS, counts[i], check_roots, has);
		}
	}
	nothing_was_lost();
}

static void check_object(const struct record_call *call, uint64_t has)
{
	const uint64_t args[] = { 0x1000, 0x10000, 5, 96, has };
	const char *at = (const char *)(call + 1);

	for (int i = 0; i < 5; i++)
		assert_int_equal(call->args[i], args[i]);
	at = check_wide(at, &call->part, 0);
	if (has)
		at = check_narrow(at, &call->part, 2);
	assert_ptr_equal(at, (const char *)call + call->head.bytes);
}

static void objects_of_every_count(void **state)
{
	NEEDS_ROOT;
	for (size_t i = 0; i < COUNTS; i++) {
		for (uint64_t has = 0; has <= RECORD_HAS_FLAGS; has++) {
			bench__do(&bench, VICTIM_OBJECT, counts[i], has);
			check_parts(RECORD_OBJECT, counts[i], check_object, has);
		}
	}
	nothing_was_lost();
}

static void more_than_a_hit_can_tell_is_counted(void **state)
{
	const uint64_t told = RECORD_PARTS * GCTRACE_PART_ENTRIES, more = 12345;
	struct loss_counts losses;
	uint64_t entries = 0;

	NEEDS_ROOT;
	bench__do(&bench, VICTIM_MOVED, told + more, 4);
	losses = bench__losses(&bench);
	for (size_t n = 0; n < bench.tape.count; n++) {
		const struct record_call *call =
			(const struct record_call *)tape__find(&bench.tape, RECORD_MOVED, n);

		check_moved(call, 4);
		entries += call->part.count;
	}
	assert_int_equal(entries, told);
	assert_int_equal(losses.records[BPF_LOSS_OVERSIZE], 1);
	assert_int_equal(losses.entries[BPF_LOSS_OVERSIZE], more);
}

/* The text as the victim has it: name from its byte 0, fields from its byte 7. */
static char text_at(uint64_t i, uint64_t name_bytes)
{
	return (char)('a' + (i < name_bytes ? i : i - name_bytes + 7) % 23);
}

static void check_class(uint64_t name_bytes, uint64_t fields_bytes)
{
	const uint64_t args[] = { 9, 8, 1, name_bytes, fields_bytes, 40 };
	uint64_t first = 0;

	bench__do(&bench, VICTIM_CLASS, name_bytes, fields_bytes);
	for (size_t n = 0; n < bench.tape.count; n++) {
		const struct record_call *call =
			(const struct record_call *)tape__find(&bench.tape, RECORD_CLASS, n);
		const char *text = (const char *)(call + 1);

		assert_non_null(call);
		assert_memory_equal(call->args, args, sizeof(args));
		assert_int_equal(call->part.first, first);
		assert_int_equal(call->part.total, name_bytes + fields_bytes);
		assert_int_equal(call->head.bytes, sizeof(*call) + call->part.count);
		for (uint64_t i = 0; i < call->part.count; i++)
			assert_int_equal(text[i], text_at(first + i, name_bytes));
		first += call->part.count;
	}
	assert_true(bench.tape.count > 0);
	assert_int_equal(first, name_bytes + fields_bytes);
}

static void names_are_whole(void **state)
{
	NEEDS_ROOT;
	check_class(0, 0);
	check_class(1, 0);
	check_class(0, 1);
	check_class(256, 257);
	check_class(4096, 4097);
	check_class(RECORD_TEXT_PART, RECORD_TEXT_PART + 1);
	check_class(65536, 100000);
	check_class(400000, 17);
	nothing_was_lost();
}

static void names_beyond_the_bound_are_counted(void **state)
{
	const uint64_t told = (uint64_t)RECORD_PARTS * RECORD_TEXT_PART, fields = 1000;
	struct loss_counts losses;

	NEEDS_ROOT;
	bench__do(&bench, VICTIM_CLASS, told + 5000, fields);
	losses = bench__losses(&bench);
	assert_int_equal(bench.tape.count, RECORD_PARTS);
	assert_int_equal(losses.records[BPF_LOSS_OVERSIZE], 1);
	assert_int_equal(losses.entries[BPF_LOSS_OVERSIZE], 5000 + fields);
}

static void batches_of_every_size(void **state)
{
	static const uint64_t sizes[] = { 48, 4096, 4097, 16384, 16385, 65535, 65536 };

	NEEDS_ROOT;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct record *record;
		const char *body;

		bench__do(&bench, VICTIM_BATCH, sizes[i], sizes[i]);
		assert_int_equal(bench.tape.count, 1);
		record = tape__find(&bench.tape, RECORD_BATCH, 0);
		assert_non_null(record);
		assert_int_equal(record->bytes, sizeof(*record) + sizes[i]);
		body = (const char *)(record + 1);
		assert_int_equal(((const struct gctrace_batch *)(const void *)body)->records, 11);
		for (uint64_t at = sizeof(struct gctrace_batch); at < sizes[i]; at++)
			assert_int_equal(body[at], 'a' + at % 23);
	}
	nothing_was_lost();
}

static void what_is_no_batch_is_counted(void **state)
{
	struct loss_counts losses;

	NEEDS_ROOT;
	bench__do(&bench, VICTIM_BATCH, 100, 101); /* two sizes */
	bench__do(&bench, VICTIM_BATCH, 47, 47);   /* smaller than its head */
	assert_int_equal(bench.tape.count, 0);
	losses = bench__losses(&bench);
	assert_int_equal(losses.records[BPF_LOSS_BAD_BATCH], 2);
	bench__do(&bench, VICTIM_BATCH, 65537, 65537);
	losses = bench__losses(&bench);
	assert_int_equal(bench.tape.count, 0);
	assert_int_equal(losses.records[BPF_LOSS_OVERSIZE], 1);
	assert_int_equal(losses.entries[BPF_LOSS_OVERSIZE], 11);
}

static void unreadable_memory_is_counted(void **state)
{
	struct loss_counts losses;

	NEEDS_ROOT;
	bench__do(&bench, VICTIM_BAD_POINTER, 0, 0);
	losses = bench__losses(&bench);
	assert_int_equal(bench.tape.count, 0);
	assert_int_equal(losses.records[BPF_LOSS_COPY], 1);
	assert_int_equal(losses.entries[BPF_LOSS_COPY], 100);
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(scalars_come_as_they_are, start, end),
		cmocka_unit_test_setup_teardown(moves_of_every_count, start, end),
		cmocka_unit_test_setup_teardown(survivals_of_every_count, start, end),
		cmocka_unit_test_setup_teardown(roots_of_every_count_and_form, start, end),
		cmocka_unit_test_setup_teardown(objects_of_every_count, start, end),
		cmocka_unit_test_setup_teardown(more_than_a_hit_can_tell_is_counted, start, end),
		cmocka_unit_test_setup_teardown(names_are_whole, start, end),
		cmocka_unit_test_setup_teardown(names_beyond_the_bound_are_counted, start, end),
		cmocka_unit_test_setup_teardown(batches_of_every_size, start, end),
		cmocka_unit_test_setup_teardown(what_is_no_batch_is_counted, start, end),
		cmocka_unit_test_setup_teardown(unreadable_memory_is_counted, start, end),
	};

	victim__main(argc, argv);
	return cmocka_run_group_tests_name("records of probes", tests, NULL, NULL);
}
