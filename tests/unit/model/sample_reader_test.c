/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sweeps to records and back: random ones come back as they were; where records are missing, what
 * they alone told is not known, and counted; what contradicts the format is left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/vec.h"
#include "model/call_stacks.h"
#include "model/sample_reader.h"
#include "model/sample_recorder.h"
#include "stream/sample_record.h"
#include "unit/random.h"

enum { PID = 4711, TARGET = 3, MOST_THREADS = 2 * SAMPLE_ROWS_AT_ONCE + 7, METHODS = 40 };

/* Records, as they were written. */
struct tape {
	struct buf bytes;
	uint64_t records;
};

static int keep(void *context, const struct record *record, unsigned int ring)
{
	struct tape *tape = context;

	assert_int_equal(ring, 0);
	assert_int_equal(record->target, TARGET);
	buf__add(&tape->bytes, record, record->bytes);
	buf__add_repeated(&tape->bytes, '\0', -(size_t)record->bytes & 7);
	tape->records++;
	return 0;
}

struct record_at {
	const struct record *record;
	size_t offset;
};

static bool next(const struct tape *tape, struct record_at *at)
{
	if (at->offset >= tape->bytes.len)
		return false;
	at->record = (const void *)(tape->bytes.data + at->offset);
	at->offset += ((size_t)at->record->bytes + 7) & ~(size_t)7;
	return true;
}

/* ---------------------------------------------------------------- random sweeps */

static const char *const states[] = { "running", "ready", "waiting" };
static const char *const calls[] = { NULL, "futex", "read", "epoll_wait" };
static const char *const waits[] = { NULL, "lock", "input" };
static const enum accuracy accuracies[] = { ACCURACY_NONE, ACCURACY_POOR, ACCURACY_EXACT };
static const char *const names[] = { "", "main", "worker \x1b[31m", "pool-1-thread-12345678" };

#define ANY(array, seed) ((array)[random__below(seed, sizeof(array) / sizeof(*(array)))])

static uint32_t any_method(struct call_stacks *stacks, uint64_t *seed)
{
	const uint64_t key = random__below(seed, METHODS);
	char name[32];
	uint32_t method;
	bool is_new;

	assert_int_equal(call_stacks__method(stacks, key % METHOD_KINDS, key, &method, &is_new), 0);
	snprintf(name, sizeof(name), "method %u", (unsigned int)key);
	if (is_new)
		assert_int_equal(call_stacks__set_name(stacks, method, text__of(name)), 0);
	return method;
}

static uint32_t any_stack(struct call_stacks *stacks, uint64_t *seed)
{
	uint32_t frames[8], stack;
	const size_t count = random__below(seed, 8);

	for (size_t i = 0; i < count; i++)
		frames[i] = any_method(stacks, seed);
	assert_int_equal(call_stacks__stack(stacks, frames, count, &stack), 0);
	return stack;
}

static struct sighting any_sighting(struct call_stacks *stacks, uint32_t tid, uint64_t sweep,
				    uint64_t *seed)
{
	struct sighting sighting = {
		.pid = PID,
		.tid = tid,
		.name = text__of(ANY(names, seed)),
		.sweep = sweep,
		.time_ns = random__below(seed, UINT32_MAX),
		.place = (enum place)random__below(seed, PLACES),
		.accuracy = ANY(accuracies, seed),
		.ip = random__below(seed, UINT64_MAX),
		.sp = random__below(seed, UINT64_MAX),
		.pc_offset = (uint32_t)random__below(seed, 1000),
		.doing = { ANY(states, seed), ANY(calls, seed), ANY(waits, seed) },
	};

	for (unsigned int i = 0; i < SIGHTING_FIELDS; i++)
		sighting.of[i] = ANY(accuracies, seed);
	if (random__below(seed, 4)) {
		sighting.method = any_method(stacks, seed);
		sighting.flags |= SAMPLE_METHOD_ID;
	} else {
		sighting.of[SIGHTING_METHOD] = ACCURACY_NONE;
	}
	if (random__below(seed, 4)) {
		sighting.stack = any_stack(stacks, seed);
		sighting.flags |= SAMPLE_STACK_ID;
	} else {
		sighting.of[SIGHTING_STACK] = ACCURACY_NONE;
	}
	if (random__below(seed, 8) == 0)
		sighting.function = any_method(stacks, seed);
	return sighting;
}

struct told {
	struct call_stacks *stacks;
	VEC(struct sighting) rows; /* of all sweeps */
	VEC(struct sample_sweep) sweeps;
	struct tape tape;
};

/* The last one has the most threads. */
static void tell(struct told *told, unsigned int sweeps, size_t most, uint64_t seed)
{
	const struct record_sink to = { keep, &told->tape };
	struct sample_recorder *recorder;

	told->stacks = call_stacks__new();
	assert_int_equal(sample_recorder__new(told->stacks, TARGET, to, &recorder), 0);
	for (unsigned int i = 1; i <= sweeps; i++) {
		const size_t first = told->rows.count;
		struct sample_sweep sweep = {
			.number = i, .start_ns = i * 1000, .end_ns = i * 1000 + 500,
			.lost = i % 3, .missed = i / 2, .gc = i % 2 ? SAMPLE_NO_GC : i,
			.count = i == sweeps ? most : random__below(&seed, 6),
		};

		for (uint32_t tid = 1; tid <= sweep.count; tid++)
			assert_int_equal(vec__push(&told->rows, any_sighting(told->stacks, tid, i,
									     &seed)), 0);
		sweep.sightings = &told->rows.items[first];
		assert_int_equal(sample_recorder__sweep(recorder, &sweep), 0);
		assert_int_equal(vec__push(&told->sweeps, sweep), 0);
	}
	sample_recorder__free(recorder);
}

static void forget(struct told *told)
{
	call_stacks__free(told->stacks);
	vec__free(&told->rows);
	vec__free(&told->sweeps);
	buf__free(&told->tape.bytes);
}

/* ---------------------------------------------------------------- what comes back */

struct heard {
	const struct told *told;
	struct call_stacks *stacks;
	size_t rows, sweeps;
};

static bool same_word(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static void expect_row(const struct heard *heard, const struct sighting *want,
		       const struct sighting *got)
{
	struct sighting copy = *got;

	assert_true(text__equal(want->name, got->name));
	assert_true(same_word(want->doing.state, got->doing.state));
	assert_true(same_word(want->doing.syscall, got->doing.syscall));
	assert_true(same_word(want->doing.wait, got->doing.wait));
	assert_true(text__equal(call_stacks__name(heard->told->stacks, want->method),
				call_stacks__name(heard->stacks, got->method)));
	copy.name = want->name;
	copy.doing = want->doing;
	assert_memory_equal(&copy.of, &want->of, sizeof(copy.of));
	assert_true(copy.pid == want->pid && copy.tid == want->tid && copy.sweep == want->sweep &&
		    copy.time_ns == want->time_ns && copy.place == want->place &&
		    copy.flags == want->flags && copy.accuracy == want->accuracy &&
		    copy.ip == want->ip && copy.sp == want->sp && copy.method == want->method &&
		    copy.function == want->function && copy.stack == want->stack &&
		    copy.pc_offset == want->pc_offset);
}

static int compare(void *context, const struct sample_sweep *got)
{
	struct heard *heard = context;
	const struct sample_sweep *want = &heard->told->sweeps.items[heard->sweeps++];

	assert_true(got->number == want->number && got->start_ns == want->start_ns &&
		    got->end_ns == want->end_ns && got->lost == want->lost &&
		    got->missed == want->missed && got->gc == want->gc);
	assert_int_equal(got->count, want->count);
	for (size_t i = 0; i < got->count; i++)
		expect_row(heard, &heard->told->rows.items[heard->rows++], &got->sightings[i]);
	return 0;
}

static void all_comes_back(void **state)
{
	struct told told = { 0 };
	struct heard heard = { .told = &told, .stacks = call_stacks__new() };
	struct record_at at = { NULL, 0 };
	struct sample_reader *reader;
	size_t count, other;

	(void)state;
	tell(&told, 200, MOST_THREADS, 5);
	/* Its sweeps point into what grew. */
	for (size_t i = 0, row = 0; i < told.sweeps.count; row += told.sweeps.items[i++].count)
		told.sweeps.items[i].sightings = &told.rows.items[row];
	assert_int_equal(sample_reader__new(TARGET, PID, heard.stacks,
					    (struct sample_sink){ compare, &heard }, &reader), 0);
	while (next(&told.tape, &at))
		assert_int_equal(sample_reader__record(reader, at.record), 0);
	assert_int_equal(heard.sweeps, 200);
	assert_int_equal(heard.rows, told.rows.count);
	assert_int_equal(sample_reader__lost(reader), 0);
	assert_int_equal(call_stacks__stack_count(heard.stacks),
			 call_stacks__stack_count(told.stacks));
	for (uint32_t stack = 1; stack <= call_stacks__stack_count(told.stacks); stack++) {
		const uint32_t *a = call_stacks__frames(told.stacks, stack, &count);
		const uint32_t *b = call_stacks__frames(heard.stacks, stack, &other);

		assert_int_equal(count, other);
		if (count)
			assert_memory_equal(a, b, count * sizeof(*a));
	}
	sample_reader__free(reader);
	call_stacks__free(heard.stacks);
	forget(&told);
}

/* ---------------------------------------------------------------- what is missing */

struct count {
	const struct call_stacks *stacks;
	uint64_t sweeps, rows, methods, stacked;
};

static int count_rows(void *context, const struct sample_sweep *sweep)
{
	struct count *count = context;

	count->sweeps++;
	count->rows += sweep->count;
	for (size_t i = 0; i < sweep->count; i++) {
		const struct sighting *row = &sweep->sightings[i];

		assert_non_null(row->doing.state);
		assert_true(row->method <= call_stacks__method_count(count->stacks));
		assert_true(row->stack <= call_stacks__stack_count(count->stacks));
		assert_true(!row->method == !(row->flags & SAMPLE_METHOD_ID));
		assert_true(row->method || row->of[SIGHTING_METHOD] == ACCURACY_NONE);
		count->methods += row->method != 0;
		count->stacked += row->stack != 0;
	}
	return 0;
}

/* Every record of `kind` is left out (but every n-th). */
static struct count read_without(const struct told *told, unsigned int kind, unsigned int every,
				 uint64_t *lost)
{
	struct call_stacks *stacks = call_stacks__new();
	struct count count = { .stacks = stacks };
	struct record_at at = { NULL, 0 };
	struct sample_reader *reader;
	unsigned int seen = 0;

	assert_int_equal(sample_reader__new(TARGET, PID, stacks,
					    (struct sample_sink){ count_rows, &count }, &reader),
			 0);
	while (next(&told->tape, &at))
		if (at.record->kind != kind || (every && ++seen % every == 0))
			assert_int_equal(sample_reader__record(reader, at.record), 0);
	*lost = sample_reader__lost(reader);
	sample_reader__free(reader);
	call_stacks__free(stacks);
	return count;
}

static void what_is_missing_is_counted(void **state)
{
	struct told told = { 0 };
	struct count whole, part;
	uint64_t lost;

	(void)state;
	tell(&told, 100, MOST_THREADS, 9);
	whole = read_without(&told, 0, 0, &lost);
	assert_int_equal(lost, 0);
	assert_int_equal(whole.rows, told.rows.count);
	part = read_without(&told, RECORD_SAMPLE_ROWS, 0, &lost);
	assert_int_equal(part.rows, 0);
	assert_int_equal(lost, told.rows.count);
	part = read_without(&told, RECORD_SAMPLE_ROWS, 2, &lost);
	assert_int_equal(part.rows + lost, told.rows.count);
	part = read_without(&told, RECORD_SAMPLE_STACK, 2, &lost);
	assert_int_equal(part.rows, told.rows.count);
	assert_true(part.stacked && part.stacked < whole.stacked);
	assert_int_equal(part.methods, whole.methods);
	part = read_without(&told, RECORD_SAMPLE_NAME, 2, &lost);
	assert_int_equal(part.rows + lost, told.rows.count);
	assert_true(part.methods < whole.methods);
	part = read_without(&told, RECORD_SAMPLE_SWEEP, 2, &lost);
	assert_int_equal(part.sweeps, 50);
	forget(&told);
}

/* Some byte of each record is another one, and its length what that says. */
static void any_bytes_are_read(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (unsigned int round = 0; round < 300; round++) {
		struct told told = { 0 };
		struct call_stacks *stacks = call_stacks__new();
		struct count count = { .stacks = stacks };
		struct record_at at = { NULL, 0 };
		struct sample_reader *reader;

		tell(&told, 3, 20, round);
		assert_int_equal(sample_reader__new(TARGET, PID, stacks,
						    (struct sample_sink){ count_rows, &count },
						    &reader), 0);
		while (next(&told.tape, &at)) {
			const uint32_t bytes = at.record->bytes;
			/* Of its own, so that a sanitizer sees what is read behind it. */
			struct record *copy = malloc(bytes);

			memcpy(copy, at.record, bytes);
			((uint8_t *)copy)[random__below(&seed, bytes)] ^=
				(uint8_t)random__below(&seed, 256);
			copy->target = TARGET;
			copy->bytes = (uint32_t)(sizeof(*copy) +
						 random__below(&seed, bytes - sizeof(*copy) + 1));
			if (random__below(&seed, 4))
				copy->bytes = bytes;
			assert_int_equal(sample_reader__record(reader, copy), 0);
			free(copy);
		}
		sample_reader__free(reader);
		call_stacks__free(stacks);
		forget(&told);
	}
}

/* What no row could name is not kept. */
static void words_have_small_numbers(void **state)
{
	struct call_stacks *stacks = call_stacks__new();
	struct count count = { .stacks = stacks };
	struct {
		struct sample_name_record name;
		char text[8];
	} word = {
		.name = { .head = { .bytes = sizeof(word), .kind = RECORD_SAMPLE_NAME,
				    .target = TARGET },
			  .kind = SAMPLE_NAME_WORD, .number = UINT16_MAX, .bytes = 4 },
		.text = "lock",
	};
	struct sample_reader *reader;

	(void)state;
	assert_int_equal(sample_reader__new(TARGET, PID, stacks,
					    (struct sample_sink){ count_rows, &count }, &reader),
			 0);
	assert_int_equal(sample_reader__record(reader, &word.name.head), 0);
	assert_int_equal(sample_reader__lost(reader), 0);
	word.name.number++;
	assert_int_equal(sample_reader__record(reader, &word.name.head), 0);
	assert_int_equal(sample_reader__lost(reader), 1);
	sample_reader__free(reader);
	call_stacks__free(stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_comes_back),
		cmocka_unit_test(what_is_missing_is_counted),
		cmocka_unit_test(any_bytes_are_read),
		cmocka_unit_test(words_have_small_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
