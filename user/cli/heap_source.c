/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/ram.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../model/heap.h"
#include "../model/heap_builder.h"
#include "../model/heap_lives.h"
#include "../stream/facts.h"
#include "../target/process.h"
#include "heap_intake.h"

#define SHARE_OF_FREE 8 /* of the machine's memory, for what may not be needed */

void heap_source__init(struct heap_source *source)
{
	*source = (struct heap_source){ .heap = NULL };
}

void heap_source__free(struct heap_source *source)
{
	heap__free(source->heap);
	heap_lives__free(source->lives);
	buf__free(&source->name);
	buf__free(&source->runtime);
	buf__free(&source->version);
	buf__free(&source->collector);
	buf__free(&source->subject);
	buf__free(&source->file);
	*source = (struct heap_source){ .heap = NULL };
}

/* ---------------------------------------------------------------- texts */

static void take_fact(const struct facts *facts, uint32_t target, const char *name,
		      struct buf *buf, struct text *text)
{
	size_t bytes;
	const char *value = facts__get_target(facts, target, name, &bytes);

	if (value && text->bytes == 0)
		*text = text__keep(buf, value, bytes);
}

void intake__facts(struct heap_source *source, const struct facts *facts, uint32_t target)
{
	struct heap_heading *heading = &source->heading;
	const char *pid = facts__get_target(facts, target, "pid", NULL);

	take_fact(facts, target, "comm", &source->name, &heading->name);
	take_fact(facts, target, "runtime", &source->runtime, &heading->runtime);
	take_fact(facts, target, "version", &source->version, &heading->version);
	take_fact(facts, target, "collector", &source->collector, &heading->collector);
	heading->pid = pid ? strtoull(pid, NULL, 10) : 0;
	heading->clock_offset_ns = facts__get_i64(facts, "clock_offset_ns", 0);
}

int intake__producer(struct intake *intake, const struct event *event)
{
	const struct {
		const char *name;
		struct text text;
	} all[] = {
		{ "runtime", event->producer.runtime },
		{ "version", event->producer.version },
		{ "collector", event->producer.collector },
	};
	char name[64];
	int err = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all) && !err; i++) {
		snprintf(name, sizeof(name), "target.%" PRIu32 ".%s", event->target, all[i].name);
		if (all[i].text.bytes)
			err = facts__set(intake->said, name, all[i].text.at, all[i].text.bytes);
	}
	return err ? error_errno(err, "cannot keep what the process says of itself") : 0;
}

/* ---------------------------------------------------------------- the graph */

int heap_source__over_limit(const char *what_needs, uint64_t limit)
{
	const uint64_t least = ram__least_needed();
	char bytes[UNITS_TEXT];

	error("%s more memory than the limit of %s allows; raise --mem-limit to at least %" PRIu64
	      " MiB", what_needs, units__bytes(bytes, limit),
	      ram__enough_mib(least ? least : limit));
	return -EDQUOT;
}

int intake__begin(struct intake *intake, struct heap_source *source,
		  const struct heap_source_options *options)
{
	*intake = (struct intake){ .source = source, .counts_only = options->counts_only };
	intake->limit = ram__limit_bytes();
	intake->builder = options->counts_only ? heap_builder__new_counting(intake->limit) :
						 heap_builder__new(intake->limit);
	intake->said = facts__new();
	return intake->builder && intake->said ? 0 :
						  error_errno(ENOMEM, "cannot make a heap graph");
}

void intake__end(struct intake *intake)
{
	heap_builder__free(intake->builder);
	facts__free(intake->said);
}

void intake__expect(struct intake *intake, const struct process *process)
{
	const long pages = sysconf(_SC_AVPHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
	const uint64_t heap = process__own_memory(process);
	const uint64_t share = pages > 0 && bytes > 0 ?
			       (uint64_t)pages * (uint64_t)bytes / SHARE_OF_FREE : 0;

	heap_builder__expect(intake->builder, heap < share ? heap : share);
}

static int say(struct intake *intake, int err)
{
	char text[256];

	heap_builder__explain(intake->builder, err, text, sizeof(text));
	error("%s", text);
	return err;
}

int intake__take(void *context, const struct event *event)
{
	struct intake *intake = context;
	int err;

	err = heap_builder__event(intake->builder, event);
	return err ? say(intake, err) : 0;
}

/* The agent has the JVM walk from the roots: what garbage there is, it does not learn. */
static bool is_of_agent(const struct intake *intake)
{
	return !intake->is_of_jvm &&
	       text__equal(intake->source->heading.runtime, text__of("HotSpot"));
}

int intake__finish(struct intake *intake)
{
	const struct heap_facts *facts = heap_builder__facts(intake->builder);
	char objects[UNITS_TEXT];
	int err;

	if (!intake->counts_only)
		progress("heap graph: %s objects, working out what keeps what alive",
			 units__count(objects, facts->objects));
	if (is_of_agent(intake))
		heap_builder__reached_only(intake->builder);
	err = heap_builder__finish(intake->builder, &intake->source->heap);
	progress_end();
	if (err)
		return say(intake, err);
	intake->source->heading.facts = heap__facts(intake->source->heap);
	intake->source->heading.counts_only = intake->counts_only;
	return 0;
}
