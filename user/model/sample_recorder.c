/* SPDX-License-Identifier: BSD-2-Clause */
#include "sample_recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "call_stacks.h"
#include "stream/sample_record.h"
#include "thread_names.h"

struct sample_recorder {
	const struct call_stacks *stacks;
	uint32_t target;
	struct record_sink to;
	uint32_t methods, told_stacks;	/* that have their records */
	VEC(const char *) words;	/* static text; by number - 1 */
	struct thread_names threads;
	uint64_t stamp; /* of the sweep at hand */
	struct buf record;
};

int sample_recorder__new(const struct call_stacks *stacks, uint32_t target, struct record_sink to,
			 struct sample_recorder **out)
{
	struct sample_recorder *recorder = calloc(1, sizeof(*recorder));

	if (!recorder)
		return -ENOMEM;
	recorder->stacks = stacks;
	recorder->target = target;
	recorder->to = to;
	*out = recorder;
	return 0;
}

void sample_recorder__free(struct sample_recorder *recorder)
{
	if (!recorder)
		return;
	vec__free(&recorder->words);
	thread_names__free(&recorder->threads);
	buf__free(&recorder->record);
	free(recorder);
}

/* ---------------------------------------------------------------- records */

static struct record head_of(const struct sample_recorder *recorder, enum record_kind kind)
{
	return (struct record){
		.stamp = recorder->stamp,
		.kind = (uint16_t)kind,
		.target = recorder->target,
	};
}

/* What is in the buffer is a record, but for its length. */
static int put(struct sample_recorder *recorder)
{
	struct buf *record = &recorder->record;
	const uint32_t bytes = (uint32_t)record->len;

	if (record->error)
		return record->error;
	memcpy(record->data + offsetof(struct record, bytes), &bytes, sizeof(bytes));
	return recorder->to.record(recorder->to.ctx, (const void *)record->data, 0);
}

static int put_name(struct sample_recorder *recorder, enum sample_name_kind kind, uint32_t number,
		    struct text name)
{
	const struct sample_name_record record = {
		.head = head_of(recorder, RECORD_SAMPLE_NAME),
		.kind = kind,
		.number = number,
		.bytes = (uint32_t)name.bytes,
	};

	buf__reset(&recorder->record);
	buf__add(&recorder->record, &record, sizeof(record));
	buf__add(&recorder->record, name.at, name.bytes);
	return put(recorder);
}

static int put_stack(struct sample_recorder *recorder, uint32_t stack)
{
	size_t count;
	const uint32_t *methods = call_stacks__frames(recorder->stacks, stack, &count);
	const struct sample_stack_record record = {
		.head = head_of(recorder, RECORD_SAMPLE_STACK),
		.number = stack,
		.count = (uint32_t)count,
	};

	buf__reset(&recorder->record);
	buf__add(&recorder->record, &record, sizeof(record));
	buf__add(&recorder->record, methods, count * sizeof(*methods));
	return put(recorder);
}

static int put_new_numbers(struct sample_recorder *recorder)
{
	const uint32_t methods = call_stacks__method_count(recorder->stacks);
	const uint32_t stacks = call_stacks__stack_count(recorder->stacks);
	int err = 0;

	while (!err && recorder->methods < methods) {
		recorder->methods++;
		err = put_name(recorder, SAMPLE_NAME_METHOD, recorder->methods,
			       call_stacks__name(recorder->stacks, recorder->methods));
	}
	while (!err && recorder->told_stacks < stacks)
		err = put_stack(recorder, ++recorder->told_stacks);
	return err;
}

/* ---------------------------------------------------------------- rows */

/* 0: none. What is new gets its record. */
static int number_of(struct sample_recorder *recorder, const char *word, uint16_t *number)
{
	*number = 0;
	if (!word)
		return 0;
	for (size_t i = 0; i < recorder->words.count && !*number; i++)
		if (recorder->words.items[i] == word)
			*number = (uint16_t)(i + 1);
	if (*number)
		return 0;
	if (vec__push(&recorder->words, word))
		return -ENOMEM;
	*number = (uint16_t)recorder->words.count;
	return put_name(recorder, SAMPLE_NAME_WORD, *number, text__of(word));
}

static int put_names_of(struct sample_recorder *recorder, const struct sighting *sighting)
{
	int set = thread_names__set(&recorder->threads, sighting->tid, sighting->name);
	uint16_t number;
	int err = set < 0 ? set : 0;

	if (!set)
		err = put_name(recorder, SAMPLE_NAME_THREAD, sighting->tid, sighting->name);
	if (!err)
		err = number_of(recorder, sighting->doing.state, &number);
	if (!err)
		err = number_of(recorder, sighting->doing.syscall, &number);
	return err ? err : number_of(recorder, sighting->doing.wait, &number);
}

/* All of its words have their records. */
static struct sample_row row_of(struct sample_recorder *recorder, const struct sighting *sighting)
{
	struct sample_row row = {
		.time_ns = sighting->time_ns,
		.ip = sighting->ip,
		.sp = sighting->sp,
		.tid = sighting->tid,
		.method = sighting->method,
		.function = sighting->function,
		.stack = sighting->stack,
		.pc_offset = sighting->pc_offset,
		.place = (uint8_t)sighting->place,
		.flags = (uint8_t)sighting->flags,
		.accuracy = (uint8_t)sighting->accuracy,
		.of_place = (uint8_t)sighting->of[SIGHTING_PLACE],
		.of_method = (uint8_t)sighting->of[SIGHTING_METHOD],
		.of_pc = (uint8_t)sighting->of[SIGHTING_PC],
		.of_stack = (uint8_t)sighting->of[SIGHTING_STACK],
		.of_registers = (uint8_t)sighting->of[SIGHTING_REGISTERS],
	};

	number_of(recorder, sighting->doing.state, &row.state);
	number_of(recorder, sighting->doing.syscall, &row.syscall);
	number_of(recorder, sighting->doing.wait, &row.wait);
	return row;
}

static int put_rows(struct sample_recorder *recorder, const struct sample_sweep *sweep,
		    size_t from, size_t count)
{
	const struct sample_rows_record record = {
		.head = head_of(recorder, RECORD_SAMPLE_ROWS),
		.sweep = sweep->number,
		.count = (uint32_t)count,
	};

	buf__reset(&recorder->record);
	buf__add(&recorder->record, &record, sizeof(record));
	for (size_t i = 0; i < count; i++) {
		const struct sample_row row = row_of(recorder, &sweep->sightings[from + i]);

		buf__add(&recorder->record, &row, sizeof(row));
	}
	return put(recorder);
}

static int put_sweep(struct sample_recorder *recorder, const struct sample_sweep *sweep)
{
	const struct sample_sweep_record record = {
		.head = head_of(recorder, RECORD_SAMPLE_SWEEP),
		.number = sweep->number,
		.start_ns = sweep->start_ns,
		.end_ns = sweep->end_ns,
		.lost = sweep->lost,
		.missed = sweep->missed,
		.gc = sweep->gc,
		.gc_ns = sweep->gc_ns,
		.rows = sweep->count,
	};

	buf__reset(&recorder->record);
	buf__add(&recorder->record, &record, sizeof(record));
	return put(recorder);
}

int sample_recorder__sweep(struct sample_recorder *recorder, const struct sample_sweep *sweep)
{
	int err;

	recorder->stamp = sweep->start_ns;
	err = put_new_numbers(recorder);
	for (size_t i = 0; i < sweep->count && !err; i++)
		err = put_names_of(recorder, &sweep->sightings[i]);
	for (size_t i = 0; i < sweep->count && !err; i += SAMPLE_ROWS_AT_ONCE) {
		const size_t left = sweep->count - i;

		err = put_rows(recorder, sweep, i,
			       left < SAMPLE_ROWS_AT_ONCE ? left : SAMPLE_ROWS_AT_ONCE);
	}
	return err ? err : put_sweep(recorder, sweep);
}
