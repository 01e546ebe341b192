/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of threads for other tools: whole stacks, below the name of their thread.
 *
 *	folded	main;shop.Main.main;shop.Cache.get;futex_wait (libc.so.6) 412
 *	pprof	the same stacks without the thread, which is a label, as are its id, what it did
 *		there (state, syscall, wait), its location, and how exact the stack is; what was
 *		not asked of the threads has no label
 *
 * Numbers of samples are exact. Times are estimates: a sample stands for the time between two
 * sweeps.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buf.h"
#include "../base/units.h"
#include "../model/call_stacks.h"
#include "folded.h"
#include "profile.h"
#include "sample.h"

static const struct text unknown = { "(not known)", sizeof("(not known)") - 1 };

struct exporting {
	const struct sampling *sampling;
	const struct call_stacks *stacks;
	VEC(const struct sampling_thread *) threads; /* by pid and tid */
};

/* ---------------------------------------------------------------- threads */

static int compare_ids(uint32_t pid, uint32_t tid, const struct sampling_thread *thread)
{
	if (pid != thread->pid)
		return pid < thread->pid ? -1 : 1;
	return tid < thread->tid ? -1 : tid > thread->tid;
}

static int compare_threads(const void *a, const void *b)
{
	const struct sampling_thread *x = *(const struct sampling_thread *const *)a;

	return compare_ids(x->pid, x->tid, *(const struct sampling_thread *const *)b);
}

static int compare_row(const void *key, const void *item)
{
	const struct stack_count *row = key;

	return compare_ids(row->pid, row->tid, *(const struct sampling_thread *const *)item);
}

static int sort_threads(struct exporting *exporting)
{
	const struct sampling *sampling = exporting->sampling;

	for (size_t i = 0; i < sampling->threads.count; i++)
		if (vec__push(&exporting->threads, &sampling->threads.items[i]))
			return -ENOMEM;
	vec__sort(&exporting->threads, compare_threads);
	return 0;
}

/* Its index; each row has a thread. */
static size_t thread_of(const struct exporting *exporting, const struct stack_count *row)
{
	const struct sampling_thread **found =
		bsearch(row, exporting->threads.items, exporting->threads.count,
			sizeof(*exporting->threads.items), compare_row);

	return (size_t)(found - exporting->threads.items);
}

static struct text thread_name(const struct exporting *exporting, const struct stack_count *row)
{
	return exporting->threads.items[thread_of(exporting, row)]->name;
}

/* ---------------------------------------------------------------- frames */

/* The methods of a row, innermost first; in `spare` where it has no stack. None: not known. */
static const uint32_t *frames_of(const struct exporting *exporting, const struct stack_count *row,
				 uint32_t spare[2], size_t *count)
{
	if (row->stack)
		return call_stacks__frames(exporting->stacks, row->stack, count);
	*count = 0;
	if (row->function)
		spare[(*count)++] = row->function;
	if (row->method)
		spare[(*count)++] = row->method;
	return spare;
}

/* ---------------------------------------------------------------- folded */

static bool is_chosen(const struct stack_count *row, enum sample_chosen chosen)
{
	return chosen == SAMPLE_ALL ||
	       (chosen == SAMPLE_RUNNING ? sighting_doing__runs(&row->doing) : !!row->doing.wait);
}

static void add_line(struct buf *line, const struct exporting *exporting,
		     const struct stack_count *row)
{
	uint32_t spare[2];
	size_t count;
	const uint32_t *frames = frames_of(exporting, row, spare, &count);

	folded__add(line, thread_name(exporting, row));
	if (!count)
		folded__add(line, unknown);
	for (size_t i = count; i-- > 0;)
		folded__add(line, call_stacks__name(exporting->stacks, frames[i]));
}

/* A line with what all rows make of it that read alike. */
struct folded_line {
	char *text;
	uint64_t samples;
};

static int compare_lines(const void *a, const void *b)
{
	return strcmp(((const struct folded_line *)a)->text, ((const struct folded_line *)b)->text);
}

struct folded_lines VEC_OF(struct folded_line);

static int make_lines(const struct exporting *exporting, enum sample_chosen chosen,
		      struct folded_lines *lines)
{
	const struct stack_counts *counts = &exporting->sampling->stacks;
	struct buf text = BUF_INIT;
	int err = 0;

	for (size_t i = 0; i < counts->of.count && !err; i++) {
		const struct stack_count *row = &counts->of.items[i];
		struct folded_line line = { .samples = row->samples };

		if (!is_chosen(row, chosen))
			continue;
		buf__reset(&text);
		add_line(&text, exporting, row);
		err = text.error;
		if (!err)
			line.text = strdup(buf__str(&text));
		if (!line.text || vec__push(lines, line)) {
			free(line.text);
			err = -ENOMEM;
		}
	}
	buf__free(&text);
	return err;
}

static int write_lines(const struct folded_lines *lines, FILE *out)
{
	struct buf text = BUF_INIT;
	int err = 0;

	for (size_t i = 0, next; i < lines->count && !err; i = next) {
		uint64_t samples = 0;

		for (next = i; next < lines->count &&
			       !strcmp(lines->items[next].text, lines->items[i].text); next++)
			samples += lines->items[next].samples;
		buf__add_str(&text, lines->items[i].text);
		folded__end(&text, samples);
		err = buf__flush(&text, out);
	}
	buf__free(&text);
	return err;
}

int sample_export__write_folded(const struct sampling *sampling, const struct call_stacks *stacks,
				enum sample_chosen chosen, FILE *out)
{
	struct exporting exporting = { .sampling = sampling, .stacks = stacks };
	struct folded_lines lines = VEC_INIT;
	int err = sort_threads(&exporting);

	if (!err)
		err = make_lines(&exporting, chosen, &lines);
	vec__sort(&lines, compare_lines);
	if (!err)
		err = write_lines(&lines, out);
	for (size_t i = 0; i < lines.count; i++)
		free(lines.items[i].text);
	vec__free(&lines);
	vec__free(&exporting.threads);
	return err;
}

/* ---------------------------------------------------------------- pprof: labels */

enum label { LABEL_THREAD, LABEL_TID, LABEL_STATE, LABEL_SYSCALL, LABEL_WAIT, LABEL_LOCATION,
	     LABEL_ACCURACY, LABELS };

static const char *const label_names[LABELS] = {
	"thread", "tid", "state", "syscall", "wait", "location", "accuracy",
};

/* Words that have their number in the profile. */
struct known_word {
	const char *word; /* static text */
	uint64_t text;
};

struct thread_texts {
	uint64_t name, tid; /* 0: not written yet */
};

struct profiling {
	struct exporting exporting;
	struct profile profile;
	uint64_t keys[LABELS];
	VEC(struct known_word) words;
	VEC(struct thread_texts) threads; /* as those of exporting */
	uint64_t period_ns;		  /* 0: none */
	unsigned int fields;		  /* enum sample_flag: those that were asked for */
};

static void label_word(struct profiling *profiling, enum label label, const char *word)
{
	struct known_word known = { .word = word };

	if (!word)
		return;
	for (size_t i = 0; i < profiling->words.count && !known.text; i++)
		if (profiling->words.items[i].word == word)
			known.text = profiling->words.items[i].text;
	if (!known.text) {
		known.text = profile__text(&profiling->profile, text__of(word));
		if (vec__push(&profiling->words, known))
			profiling->profile.out.error = -ENOMEM;
	}
	profile__label(&profiling->profile, profiling->keys[label], known.text);
}

static void label_thread(struct profiling *profiling, const struct stack_count *row)
{
	const size_t at = thread_of(&profiling->exporting, row);
	struct thread_texts *texts = &profiling->threads.items[at];
	char tid[16];

	if (!texts->name) {
		snprintf(tid, sizeof(tid), "%" PRIu32, row->tid);
		texts->name = profile__text(&profiling->profile,
					    profiling->exporting.threads.items[at]->name);
		texts->tid = profile__text(&profiling->profile, text__of(tid));
	}
	profile__label(&profiling->profile, profiling->keys[LABEL_THREAD], texts->name);
	profile__label(&profiling->profile, profiling->keys[LABEL_TID], texts->tid);
}

static void label(struct profiling *profiling, const struct stack_count *row)
{
	label_thread(profiling, row);
	label_word(profiling, LABEL_STATE, row->doing.state);
	label_word(profiling, LABEL_SYSCALL, row->doing.syscall);
	label_word(profiling, LABEL_WAIT, row->doing.wait);
	if (profiling->fields & SAMPLE_LOCATION)
		label_word(profiling, LABEL_LOCATION, place__name(row->place));
	if (profiling->fields & (SAMPLE_STACK_ID | SAMPLE_METHOD_ID))
		label_word(profiling, LABEL_ACCURACY, accuracy__name(row->accuracy));
}

/* ---------------------------------------------------------------- pprof */

static void add_types(struct profile *profile, bool has_period)
{
	profile__sample_type(profile, "samples", "count", false);
	profile__sample_type(profile, "running", "count", !has_period);
	if (!has_period)
		return;
	profile__sample_type(profile, "wall", "nanoseconds", false);
	profile__sample_type(profile, "cpu", "nanoseconds", true);
}

static void add_head(struct profiling *profiling, const struct sample_heading *heading)
{
	const struct sampling *sampling = profiling->exporting.sampling;
	struct profile *profile = &profiling->profile;
	struct buf words = BUF_INIT;
	char period[UNITS_TEXT];

	add_types(profile, profiling->period_ns);
	profile__mapping(profile, heading->name);
	if (heading->clock_offset_ns)
		profile__time(profile, sampling->first_ns + (uint64_t)heading->clock_offset_ns);
	profile__duration(profile, sampling->last_ns - sampling->first_ns);
	buf__printf(&words, "Samples of threads by gctrace " GCTRACE_VERSION ": %" PRIu64
			    " sweeps over all of them", sampling->sweeps);
	if (profiling->period_ns)
		buf__printf(&words, ", one every %s. wall and cpu are estimates: a sample stands"
				    " for this time", units__ns(period, profiling->period_ns));
	buf__add_str(&words, ".");
	profile__comment(profile, buf__str(&words));
	profile__comment(profile, "running, cpu: of threads on a CPU; samples, wall: of those"
				  " that wait, too.");
	for (unsigned int i = 0; i < LABELS; i++)
		profiling->keys[i] = profile__text(profile, text__of(label_names[i]));
	buf__free(&words);
}

/* A method's location has its number; behind them all is that of what is not known. */
static int add_locations(struct profiling *profiling)
{
	const struct call_stacks *stacks = profiling->exporting.stacks;
	const uint32_t count = call_stacks__method_count(stacks);
	struct profile_place place = { .function = unknown };
	int err = profile__location(&profiling->profile, UINT64_C(1) + count, &place);

	for (uint32_t method = 1; method <= count && !err; method++) {
		place.function = call_stacks__name(stacks, method);
		err = profile__location(&profiling->profile, method, &place);
	}
	return err;
}

static int add_sample(struct profiling *profiling, const struct stack_count *row)
{
	const struct exporting *exporting = &profiling->exporting;
	const uint64_t runs = sighting_doing__runs(&row->doing) ? row->samples : 0;
	struct profile *profile = &profiling->profile;
	uint32_t spare[2];
	size_t count;
	const uint32_t *frames = frames_of(exporting, row, spare, &count);

	for (size_t i = 0; i < count; i++)
		profile__step(profile, frames[i]);
	if (!count)
		profile__step(profile, UINT64_C(1) + call_stacks__method_count(exporting->stacks));
	profile__value(profile, row->samples);
	profile__value(profile, runs);
	if (profiling->period_ns) {
		profile__value(profile, row->samples * profiling->period_ns);
		profile__value(profile, runs * profiling->period_ns);
	}
	label(profiling, row);
	return profile__end_sample(profile);
}

static int write_all(struct profiling *profiling, const struct sample_heading *heading)
{
	const struct stack_counts *counts = &profiling->exporting.sampling->stacks;
	int err;

	add_head(profiling, heading);
	err = add_locations(profiling);
	for (size_t i = 0; i < counts->of.count && !err; i++)
		err = add_sample(profiling, &counts->of.items[i]);
	return err;
}

static int make_room(struct profiling *profiling)
{
	const size_t count = profiling->exporting.threads.count;

	if (vec__reserve(&profiling->threads, count))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		profiling->threads.items[i] = (struct thread_texts){ 0, 0 };
	return 0;
}

int sample_export__write_pprof(const struct sample_heading *heading,
			       const struct sampling *sampling, const struct call_stacks *stacks,
			       FILE *out)
{
	struct profiling profiling = {
		.exporting = { .sampling = sampling, .stacks = stacks },
		.fields = heading->fields,
	};
	int err = sort_threads(&profiling.exporting);

	if (heading->interval_ns)
		profiling.period_ns = sampling__period_ns(sampling, heading->interval_ns);
	if (!err)
		err = make_room(&profiling);
	if (!err)
		err = profile__begin(&profiling.profile, out);
	if (!err)
		err = write_all(&profiling, heading);
	err = profile__finish(&profiling.profile, err);
	vec__free(&profiling.threads);
	vec__free(&profiling.words);
	vec__free(&profiling.exporting.threads);
	return err;
}
