/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of the file need not be ours: where a part of it is missing, some have no record. Each
 * kind has a table of what they are here, by the file's number. They only go up there, so that a
 * table needs no sorting; one that does not is malformed.
 */
#include "sample_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "call_stacks.h"
#include "stream/sample_record.h"
#include "thread_names.h"

struct known_number {
	uint32_t number; /* in the file */
	uint32_t ours;
};
struct known_numbers VEC_OF(struct known_number);

struct sample_reader {
	uint32_t target, pid;
	struct call_stacks *stacks;
	struct sample_sink to;
	struct known_numbers methods, told_stacks, word_numbers;
	VEC(char *) words; /* by our number - 1; each is there once */
	struct thread_names threads;
	VEC(uint32_t) frames; /* scratch */
	VEC(struct sighting) rows;
	uint64_t rows_of; /* the sweep that they are of */
	uint64_t came;	  /* rows of it, those that were left out as well */
	uint64_t lost;
};

int sample_reader__new(uint32_t target, uint32_t pid, struct call_stacks *stacks,
		       struct sample_sink to, struct sample_reader **out)
{
	struct sample_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return -ENOMEM;
	reader->target = target;
	reader->pid = pid;
	reader->stacks = stacks;
	reader->to = to;
	*out = reader;
	return 0;
}

void sample_reader__free(struct sample_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->words.count; i++)
		free(reader->words.items[i]);
	vec__free(&reader->words);
	vec__free(&reader->methods);
	vec__free(&reader->told_stacks);
	vec__free(&reader->word_numbers);
	vec__free(&reader->frames);
	vec__free(&reader->rows);
	thread_names__free(&reader->threads);
	free(reader);
}

uint64_t sample_reader__lost(const struct sample_reader *reader)
{
	return reader->lost;
}

static int lose(struct sample_reader *reader, uint64_t count)
{
	reader->lost += count;
	return 0;
}

/* ---------------------------------------------------------------- numbers */

/* 0: it is not known. */
static uint32_t ours(const struct known_numbers *numbers, uint32_t number)
{
	const size_t at = search__front(numbers->items, numbers->count, known,
					known->number < number);

	return at < numbers->count && numbers->items[at].number == number ?
		       numbers->items[at].ours :
		       0;
}

static bool is_next(const struct known_numbers *numbers, uint32_t number)
{
	return number > (numbers->count ? numbers->items[numbers->count - 1].number : 0);
}

static int take_method(struct sample_reader *reader, uint32_t number, struct text name)
{
	struct known_number known = { .number = number };
	bool is_new;
	int err;

	if (!is_next(&reader->methods, number))
		return lose(reader, 1);
	err = call_stacks__method(reader->stacks, METHOD_MANAGED, number, &known.ours, &is_new);
	if (!err)
		err = call_stacks__set_name(reader->stacks, known.ours, name);
	return err ? err : vec__push(&reader->methods, known);
}

static bool is_word(struct text text)
{
	for (size_t i = 0; i < text.bytes; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_", text.at[i]) || !text.at[i])
			return false;
	return text.bytes && text.bytes <= SAMPLE_WORD_BYTES;
}

static int take_word(struct sample_reader *reader, uint32_t number, struct text text)
{
	struct known_number known = { .number = number };
	char *word;

	/* Rows could not name one of a higher number. */
	if (!is_next(&reader->word_numbers, number) || number > UINT16_MAX || !is_word(text))
		return lose(reader, 1);
	for (size_t i = 0; i < reader->words.count && !known.ours; i++)
		if (text__is(text, reader->words.items[i]))
			known.ours = (uint32_t)i + 1;
	if (!known.ours) {
		word = strndup(text.at, text.bytes);
		if (!word || vec__push(&reader->words, word)) {
			free(word);
			return -ENOMEM;
		}
		known.ours = (uint32_t)reader->words.count;
	}
	return vec__push(&reader->word_numbers, known);
}

static int take_name(struct sample_reader *reader, const struct record *record)
{
	const struct sample_name_record *name = (const void *)record;
	struct text text;
	int set;

	if (record->bytes < sizeof(*name) || name->bytes > record->bytes - sizeof(*name))
		return lose(reader, 1);
	text = (struct text){ (const char *)(name + 1), name->bytes };
	switch (name->kind) {
	case SAMPLE_NAME_METHOD:
		return take_method(reader, name->number, text);
	case SAMPLE_NAME_WORD:
		return take_word(reader, name->number, text);
	case SAMPLE_NAME_THREAD:
		set = thread_names__set(&reader->threads, name->number, text);
		return set < 0 ? set : 0;
	default:
		return 0; /* of a later version */
	}
}

/* One with a method that is not known is none. */
static int take_stack(struct sample_reader *reader, const struct record *record)
{
	const struct sample_stack_record *stack = (const void *)record;
	const uint32_t *methods = (const void *)(stack + 1);
	struct known_number known;
	int err;

	if (record->bytes < sizeof(*stack) ||
	    stack->count > (record->bytes - sizeof(*stack)) / sizeof(*methods) ||
	    !is_next(&reader->told_stacks, stack->number))
		return lose(reader, 1);
	vec__reset(&reader->frames);
	for (uint32_t i = 0; i < stack->count; i++) {
		const uint32_t method = ours(&reader->methods, methods[i]);

		if (!method)
			return 0;
		if (vec__push(&reader->frames, method))
			return -ENOMEM;
	}
	known.number = stack->number;
	err = call_stacks__stack(reader->stacks, reader->frames.items, reader->frames.count,
				 &known.ours);
	return err ? err : vec__push(&reader->told_stacks, known);
}

/* ---------------------------------------------------------------- rows */

static const char *word_of(const struct sample_reader *reader, uint16_t number)
{
	const uint32_t word = ours(&reader->word_numbers, number);

	return word ? reader->words.items[word - 1] : NULL;
}

static bool is_accuracy(uint8_t accuracy)
{
	return accuracy == ACCURACY_NONE || accuracy == ACCURACY_POOR || accuracy == ACCURACY_EXACT;
}

static bool is_sound(const struct sample_row *row)
{
	return row->place < PLACES && is_accuracy(row->accuracy) && is_accuracy(row->of_place) &&
	       is_accuracy(row->of_method) && is_accuracy(row->of_pc) &&
	       is_accuracy(row->of_stack) && is_accuracy(row->of_registers);
}

/* A field that names what is not known is not valid. */
static void take_out(struct sighting *sighting, enum sample_flag flag, enum sighting_field field)
{
	sighting->flags &= ~(uint32_t)flag;
	sighting->of[field] = ACCURACY_NONE;
}

/* Without its thread's name, which may have changed when the sweep is over. */
static struct sighting sighting_of(const struct sample_reader *reader,
				   const struct sample_row *row, uint64_t sweep)
{
	struct sighting sighting = {
		.pid = reader->pid,
		.tid = row->tid,
		.sweep = sweep,
		.time_ns = row->time_ns,
		.place = (enum place)row->place,
		.flags = row->flags,
		.accuracy = (enum accuracy)row->accuracy,
		.of = { [SIGHTING_PLACE] = (enum accuracy)row->of_place,
			[SIGHTING_METHOD] = (enum accuracy)row->of_method,
			[SIGHTING_PC] = (enum accuracy)row->of_pc,
			[SIGHTING_STACK] = (enum accuracy)row->of_stack,
			[SIGHTING_REGISTERS] = (enum accuracy)row->of_registers },
		.ip = row->ip,
		.sp = row->sp,
		.method = ours(&reader->methods, row->method),
		.function = ours(&reader->methods, row->function),
		.stack = ours(&reader->told_stacks, row->stack),
		.pc_offset = row->pc_offset,
		.doing = { word_of(reader, row->state), word_of(reader, row->syscall),
			   word_of(reader, row->wait) },
	};

	if (!sighting.method)
		take_out(&sighting, SAMPLE_METHOD_ID, SIGHTING_METHOD);
	if (!sighting.stack)
		take_out(&sighting, SAMPLE_STACK_ID, SIGHTING_STACK);
	return sighting;
}

static int take_rows(struct sample_reader *reader, const struct record *record)
{
	const struct sample_rows_record *rows = (const void *)record;
	const struct sample_row *row = (const void *)(rows + 1);

	if (record->bytes < sizeof(*rows) ||
	    rows->count > (record->bytes - sizeof(*rows)) / sizeof(*row))
		return lose(reader, 1);
	if (rows->sweep != reader->rows_of) {
		vec__reset(&reader->rows);
		reader->came = 0;
		reader->rows_of = rows->sweep;
	}
	for (uint32_t i = 0; i < rows->count; i++, row++) {
		struct sighting sighting;

		reader->came++;
		if (!is_sound(row)) {
			lose(reader, 1);
			continue;
		}
		sighting = sighting_of(reader, row, rows->sweep);
		if (!sighting.doing.state)
			lose(reader, 1);
		else if (vec__push(&reader->rows, sighting))
			return -ENOMEM;
	}
	return 0;
}

static void name_threads(struct sample_reader *reader)
{
	for (size_t i = 0; i < reader->rows.count; i++) {
		struct sighting *row = &reader->rows.items[i];
		const struct thread_name *thread = thread_names__find(&reader->threads, row->tid);

		row->name = thread ? thread->name : (struct text){ "", 0 };
	}
}

static int take_sweep(struct sample_reader *reader, const struct record *record)
{
	const struct sample_sweep_record *told = (const void *)record;
	struct sample_sweep sweep;
	int answer;

	if (record->bytes < sizeof(*told) || told->end_ns < told->start_ns ||
	    told->rows > UINT32_MAX)
		return lose(reader, 1);
	if (told->number != reader->rows_of) {
		vec__reset(&reader->rows);
		reader->came = 0;
	}
	if (told->rows > reader->came)
		lose(reader, told->rows - reader->came);
	name_threads(reader);
	sweep = (struct sample_sweep){
		.number = told->number,
		.start_ns = told->start_ns,
		.end_ns = told->end_ns,
		.lost = told->lost,
		.missed = told->missed,
		.gc = told->gc,
		.gc_ns = told->gc_ns,
		.sightings = reader->rows.items,
		.count = reader->rows.count,
	};
	answer = reader->to.sweep(reader->to.context, &sweep);
	vec__reset(&reader->rows);
	reader->rows_of = reader->came = 0;
	return answer;
}

int sample_reader__record(struct sample_reader *reader, const struct record *record)
{
	if (record->target != reader->target)
		return 0;
	switch (record->kind) {
	case RECORD_SAMPLE_NAME:
		return take_name(reader, record);
	case RECORD_SAMPLE_STACK:
		return take_stack(reader, record);
	case RECORD_SAMPLE_ROWS:
		return take_rows(reader, record);
	case RECORD_SAMPLE_SWEEP:
		return take_sweep(reader, record);
	default:
		return 0;
	}
}
