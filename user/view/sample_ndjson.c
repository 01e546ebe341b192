/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples as NDJSON, by the rules of ndjson.c; docs/output.md has every field. */
#include <stdlib.h>

#include "../base/report.h"
#include "../model/call_stacks.h"
#include "../stream/loss.h"
#include "json_fields.h"
#include "output.h"
#include "sample.h"

struct sample_ndjson {
	struct sample_view view;
	struct sample_view_options options;
	struct call_stacks *stacks;
	struct output *output;
	struct json json;
	uint32_t told_stacks; /* the last one that has its line */
};

static struct json *begin(struct sample_ndjson *ndjson, const char *event,
			  const struct sample_heading *heading)
{
	json__event(&ndjson->json, event, heading->pid);
	return &ndjson->json;
}

static int end(struct sample_ndjson *ndjson)
{
	return json__write(&ndjson->json, ndjson->output);
}

static int show_heading(struct sample_view *view, const struct sample_heading *heading)
{
	struct sample_ndjson *ndjson = (struct sample_ndjson *)view;
	struct json *json = begin(ndjson, "header", heading);

	json__string(json, "gctrace", GCTRACE_VERSION);
	json__text(json, "name", heading->name);
	json__text(json, "runtime", heading->runtime);
	json__text(json, "runtime_version", heading->version);
	json__string(json, "accuracy", "by_sample");
	json__u64(json, "start_ns", heading->start_ns);
	json__i64(json, "clock_offset_ns", heading->clock_offset_ns);
	if (heading->interval_ns)
		json__u64(json, "interval_ns", heading->interval_ns);
	json__flag(json, "insists", heading->insists);
	json__bool(json, "managed_frames", !heading->lacks);
	return end(ndjson);
}

/* ---------------------------------------------------------------- samples */

/* Each stack comes once, in front of the first sample that has it. */
static int show_stack(struct sample_ndjson *ndjson, const struct sample_heading *heading,
		      uint32_t stack)
{
	struct json *json = begin(ndjson, "stack", heading);
	size_t count;
	const uint32_t *frames = call_stacks__frames(ndjson->stacks, stack, &count);

	json__u64(json, "stack_id", stack);
	json__array(json, "methods");
	for (size_t i = 0; i < count; i++) {
		struct text name = call_stacks__name(ndjson->stacks, frames[i]);

		json__bytes(json, NULL, name.at, name.bytes);
	}
	json__end(json);
	return end(ndjson);
}

static int show_new_stacks(struct sample_ndjson *ndjson, const struct sample_heading *heading)
{
	const uint32_t last = call_stacks__stack_count(ndjson->stacks);
	int err = 0;

	while (!err && ndjson->told_stacks < last)
		err = show_stack(ndjson, heading, ++ndjson->told_stacks);
	return err;
}

static int show_frame_of(struct sample_ndjson *ndjson, const struct sample_heading *heading,
			 const struct sample_sweep *sweep)
{
	struct json *json = begin(ndjson, "sweep", heading);

	json__u64(json, "sweep", sweep->number);
	json__u64(json, "start_ns", sweep->start_ns);
	json__u64(json, "took_ns", sweep->end_ns - sweep->start_ns);
	json__u64(json, "threads", sweep->count);
	if (sweep->gc != SAMPLE_NO_GC) {
		json__u64(json, "gc", sweep->gc);
		json__u64(json, "gc_start_ns", sweep->gc_ns);
	}
	if (sweep->lost)
		json__u64(json, "lost_ticks", sweep->lost);
	return end(ndjson);
}

static void add_doing(struct json *json, const struct sighting_doing *doing)
{
	json__string(json, "state", doing->state);
	if (doing->syscall)
		json__string(json, "syscall", doing->syscall);
	if (doing->wait)
		json__string(json, "wait", doing->wait);
}

static void add_method(struct sample_ndjson *ndjson, const struct sighting *sighting)
{
	struct json *json = &ndjson->json;

	if (!(sighting->flags & SAMPLE_METHOD_ID))
		return;
	json__u64(json, "method_id", sighting->method);
	json__text(json, "method", call_stacks__name(ndjson->stacks, sighting->method));
	if (sighting->function)
		json__text(json, "function",
			   call_stacks__name(ndjson->stacks, sighting->function));
}

/* Which of the fields are no more than a guess. */
static void add_poor(struct json *json, const struct sighting *sighting)
{
	if (sighting->accuracy != ACCURACY_POOR)
		return;
	json__array(json, "poor");
	for (unsigned int i = 0; i < SIGHTING_FIELDS; i++)
		if (sighting->of[i] == ACCURACY_POOR)
			json__string(json, NULL, sighting__field_name((enum sighting_field)i));
	json__end(json);
}

static int show_sample(struct sample_ndjson *ndjson, const struct sample_heading *heading,
		       const struct sighting *sighting)
{
	struct json *json = begin(ndjson, "sample", heading);

	json__u64(json, "tid", sighting->tid);
	json__text(json, "name", sighting->name);
	json__u64(json, "sweep", sighting->sweep);
	json__u64(json, "time_ns", sighting->time_ns);
	add_doing(json, &sighting->doing);
	if (sighting->flags & SAMPLE_LOCATION)
		json__string(json, "location", place__name(sighting->place));
	add_method(ndjson, sighting);
	if (sighting->flags & SAMPLE_STACK_ID)
		json__u64(json, "stack_id", sighting->stack);
	json__string(json, "accuracy", accuracy__name(sighting->accuracy));
	add_poor(json, sighting);
	json__u64(json, "flags", sighting->flags);
	if (sighting->of[SIGHTING_REGISTERS] != ACCURACY_NONE) {
		json__address(json, "ip", sighting->ip);
		json__address(json, "sp", sighting->sp);
	}
	if (sighting->flags & SAMPLE_PC)
		json__u64(json, "pc_offset", sighting->pc_offset);
	return end(ndjson);
}

static int show_sweep(struct sample_view *view, const struct sample_heading *heading,
		      const struct sample_sweep *sweep, const struct sampling *sampling)
{
	struct sample_ndjson *ndjson = (struct sample_ndjson *)view;
	int err;

	(void)sampling;
	if (ndjson->options.quiet)
		return 0;
	json__together(&ndjson->json);
	err = show_new_stacks(ndjson, heading);
	if (!err)
		err = show_frame_of(ndjson, heading, sweep);
	for (size_t i = 0; i < sweep->count && !err; i++)
		err = show_sample(ndjson, heading, &sweep->sightings[i]);
	return json__apart(&ndjson->json, ndjson->output, err);
}

/* ---------------------------------------------------------------- results */

static void add_places(struct json *json, const char *key, const struct sampling *sampling,
		       const uint64_t of[PLACES])
{
	if (sampling->no_places)
		return;
	json__object(json, key);
	for (unsigned int place = 0; place < PLACES; place++)
		if (of[place])
			json__u64(json, place__name((enum place)place), of[place]);
	json__end(json);
}

static int show_threads(struct sample_ndjson *ndjson, const struct sample_heading *heading,
			const struct sampling *sampling)
{
	int err = 0;

	for (size_t i = 0; i < sampling->threads.count && !err; i++) {
		const struct sampling_thread *thread = &sampling->threads.items[i];
		struct json *json = begin(ndjson, "thread", heading);

		json__u64(json, "tid", thread->tid);
		json__text(json, "name", thread->name);
		json__u64(json, "samples", thread->places.samples);
		json__u64(json, "awake_samples", thread->running);
		add_places(json, "locations", sampling, thread->places.of);
		err = end(ndjson);
	}
	return err;
}

static int show_methods(struct sample_ndjson *ndjson, const struct sample_heading *heading,
			const struct sampling *sampling)
{
	int err = 0;

	for (size_t i = 0; i < sampling->methods.count && !err; i++) {
		const struct sampling_method *method = &sampling->methods.items[i];
		struct json *json;

		if (!method->samples)
			continue;
		json = begin(ndjson, "method", heading);
		json__u64(json, "method_id", method->method);
		json__text(json, "name", call_stacks__name(ndjson->stacks, method->method));
		json__u64(json, "samples", method->samples);
		json__u64(json, "exact_samples", method->exact);
		add_places(json, "locations", sampling, method->places);
		err = end(ndjson);
	}
	return err;
}

static int show_summary(struct sample_ndjson *ndjson, const struct sample_heading *heading,
			const struct sampling *sampling)
{
	struct json *json = begin(ndjson, "summary", heading);

	json__bool(json, "complete", sampling__is_complete(sampling));
	json__object(json, "lost");
	if (sampling->lost)
		json__u64(json, loss__name(LOSS_RING_FULL), sampling->lost);
	if (sampling->unanswered)
		json__u64(json, loss__name(LOSS_UNANSWERED), sampling->unanswered);
	if (sampling->lost_rows)
		json__u64(json, loss__name(LOSS_MALFORMED), sampling->lost_rows);
	if (sampling->lost_blocks)
		json__u64(json, loss__name(LOSS_RECORDING), sampling->lost_blocks);
	json__end(json);
	json__u64(json, "sweeps", sampling->sweeps);
	if (sampling->missed)
		json__u64(json, "missed_sweeps", sampling->missed);
	if (sampling->holds) {
		json__u64(json, "holds", sampling->holds);
		json__u64(json, "held_ns", sampling->held_ns);
		json__u64(json, "longest_hold_ns", sampling->longest_hold_ns);
	}
	json__u64(json, "duration_ns", sampling->last_ns - sampling->first_ns);
	json__u64(json, "sweep_total_ns", sampling->sweep_ns);
	json__u64(json, "sweep_max_ns", sampling->longest_sweep_ns);
	json__u64(json, "threads", sampling->threads.count);
	json__u64(json, "samples", sampling->places.samples);
	json__u64(json, "exact_samples", sampling->by_accuracy[2]);
	json__u64(json, "poor_samples", sampling->by_accuracy[1]);
	json__u64(json, "none_samples", sampling->by_accuracy[0]);
	add_places(json, "locations", sampling, sampling->places.of);
	add_places(json, "exact_locations", sampling, sampling->places.exact);
	return end(ndjson);
}

static int show_results(struct sample_view *view, const struct sample_heading *heading,
			const struct sampling *sampling)
{
	struct sample_ndjson *ndjson = (struct sample_ndjson *)view;
	int err;

	json__together(&ndjson->json);
	err = show_threads(ndjson, heading, sampling);
	if (!err)
		err = show_methods(ndjson, heading, sampling);
	if (!err)
		err = show_summary(ndjson, heading, sampling);
	return json__apart(&ndjson->json, ndjson->output, err);
}

static void free_ndjson(struct sample_view *view)
{
	struct sample_ndjson *ndjson = (struct sample_ndjson *)view;

	json__free(&ndjson->json);
	free(ndjson);
}

struct sample_view *sample_ndjson__new(const struct sample_view_options *options,
				       struct call_stacks *stacks, struct output *output)
{
	struct sample_ndjson *ndjson = calloc(1, sizeof(*ndjson));

	if (!ndjson) {
		error("out of memory");
		return NULL;
	}
	ndjson->view = (struct sample_view){ show_heading, show_sweep, show_results, free_ndjson };
	ndjson->options = *options;
	ndjson->stacks = stacks;
	ndjson->output = output;
	return &ndjson->view;
}
