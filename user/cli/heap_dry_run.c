/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_dry_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "../attach/session.h"
#include "../attach/target.h"
#include "../base/buf.h"
#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "../model/dump_estimate.h"
#include "../stream/dump_list.h"
#include "../stream/facts.h"
#include "../stream/recording.h"
#include "../target/process.h"
#include "../view/json_fields.h"
#include "../view/view.h"
#include "gctrace/wire.h"
#include "heap_source.h"
#include "live.h"
#include "trace.h"

#define WAIT_NS (10 * NS_PER_S) /* for a collection, at most */
#define INDENT 11

/* A view of the trace: its heading, and at the end what was estimated. */
struct dry_run {
	struct view view;
	struct view *inner;
	struct trace trace;
	struct dump_yardstick yardstick;
	const char *earlier;
	struct buf of; /* whose dumps those are, escaped */
	uint64_t own_bytes;	/* memory of the process's own; EVENT_UNKNOWN */
	uint64_t gc;		/* the collection that told; EVENT_UNKNOWN: none did */
	uint64_t before, after; /* bytes of the heap around it */
};

/* ---------------------------------------------------------------- what it stands on */

static uint64_t own_memory(const struct process *process)
{
	const uint64_t bytes = process__own_memory(process);

	return bytes ? bytes : EVENT_UNKNOWN;
}

static int name_earlier(struct dry_run *run, uint32_t target)
{
	struct recording *recording;
	const struct facts *facts;
	const char *name, *pid;
	size_t bytes;
	int err = recording__open(run->earlier, &recording);

	if (err)
		return err;
	facts = recording__facts(recording);
	name = facts__get_target(facts, target, "comm", &bytes);
	pid = facts__get_target(facts, target, "pid", NULL);
	if (name)
		escape__add(&run->of, name, bytes);
	if (pid)
		buf__printf(&run->of, "%s(pid %s)", name ? " " : "", escape(pid));
	recording__close(recording);
	return 0;
}

static int read_earlier(struct dry_run *run)
{
	struct dump_list list = VEC_INIT;
	struct buf damage = BUF_INIT;
	int err = run->earlier ? dump_list__read(&list, run->earlier, &damage) : 0;

	for (size_t i = 0; i < list.count && !err; i++) {
		const struct dump_entry *dump = &list.items[i];

		if (dump->ended_ns != EVENT_UNKNOWN && dump->status == GCTRACE_DUMP_COMPLETE &&
		    dump->objects != EVENT_UNKNOWN && dump->bytes != EVENT_UNKNOWN)
			dump_yardstick__add(&run->yardstick, dump->objects, dump->bytes,
					    dump->ended_ns - dump->begun_ns);
	}
	if (!err && run->yardstick.dumps)
		err = name_earlier(run, list.items[0].target);
	vec__free(&list);
	dump_list__warn(&damage);
	buf__free(&damage);
	if (!err && run->earlier && !run->yardstick.dumps) {
		error("%s has no whole heap dump to measure by; gctrace heap FILE --list shows what"
		      " it has",
		      escape(run->earlier));
		err = -ENODATA;
	}
	return err;
}

static struct dump_estimate estimate_of(const struct dry_run *run, uint64_t *low, uint64_t *high)
{
	const bool told = run->gc != EVENT_UNKNOWN;

	*low = told ? run->after : 0;
	*high = told ? run->before : run->own_bytes;
	if (told && *high < *low)
		*high = *low;
	return dump_estimate__of(&run->yardstick, *low, *high);
}

/* ---------------------------------------------------------------- for people */

static void add_line(const struct dry_run *run, struct buf *out, const char *name,
		     const struct buf *text)
{
	const struct wrap wrap = { .columns = terminal__text_columns(&run->trace.terminal),
				   .indent = INDENT };

	buf__printf(out, "%-*s", INDENT, name);
	wrap__add(out, &wrap, INDENT, text->len ? text->data : "");
	buf__add_char(out, '\n');
}

typedef char *units__text(char *text, uint64_t value);

static void add_range(struct buf *text, units__text *unit, uint64_t low, uint64_t high)
{
	char from[UNITS_TEXT], to[UNITS_TEXT];

	unit(to, high);
	if (!low)
		buf__printf(text, "at most %s", to);
	else if (strcmp(unit(from, low), to) == 0)
		buf__printf(text, "about %s", to);
	else
		buf__printf(text, "%s to %s", from, to);
}

/* "45.9 to 52.2 B"; "about 45.9 B" of one figure. */
static void add_limits_of(struct buf *text, const struct dump_limits *limits, const char *unit)
{
	if (limits->low < limits->high)
		buf__printf(text, "%.3g to %.3g %s", limits->low, limits->high, unit);
	else
		buf__printf(text, "about %.3g %s", limits->low, unit);
}

static void add_heap(const struct dry_run *run, struct buf *text, uint64_t low, uint64_t high)
{
	add_range(text, units__bytes, low, high);
	if (run->gc != EVENT_UNKNOWN)
		buf__printf(text, ": in use after and before collection %" PRIu64 "; it may have"
				  " grown by the time of a dump", run->gc);
	else
		buf__add_str(text, ": all memory of the process that is not of files; no collection"
				   " told how full its heap is");
}

static void add_objects(const struct dry_run *run, struct buf *text,
			const struct dump_estimate *estimate)
{
	char count[UNITS_TEXT];

	add_range(text, units__count, estimate->objects_low, estimate->objects_high);
	if (estimate->assumed) {
		buf__printf(text, ": if they have %d B, the least that an object takes, to %d B on"
				  " average, which is assumed: no runtime tells it without a"
				  " dump; of mostly large arrays there are fewer",
			    DUMP_SIZE_LEAST, DUMP_SIZE_MOST);
		return;
	}
	buf__add_str(text, ": of ");
	add_limits_of(text, &run->yardstick.size, "B");
	buf__printf(text, " on average, by %s whole dump%s of %s in %s",
		    units__exact(count, run->yardstick.dumps), units__s(run->yardstick.dumps),
		    run->of.len ? buf__str(&run->of) : "a process", escape(run->earlier));
	if (run->yardstick.dumps == 1)
		buf__add_str(text, "; one tells nothing of how much that varies");
}

static void add_pause(const struct dry_run *run, struct buf *text,
		      const struct dump_estimate *estimate)
{
	add_range(text, units__ns, estimate->ns_low, estimate->ns_high);
	if (estimate->assumed) {
		buf__printf(text, ": at %d to %d ns an object, as measured with gctrace's own test"
				  " program; another runtime may need longer",
			    DUMP_NS_LEAST, DUMP_NS_MOST);
		return;
	}
	buf__add_str(text, ": at ");
	add_limits_of(text, &run->yardstick.ns, "ns");
	buf__printf(text, " an object, by the same dump%s; on a busier machine it takes longer",
		    units__s(run->yardstick.dumps));
}

static int show_text(struct dry_run *run)
{
	struct buf out = BUF_INIT, text = BUF_INIT;
	uint64_t low, high;
	const struct dump_estimate estimate = estimate_of(run, &low, &high);
	int err;

	buf__add_str(&out, "# a dry run: no heap dump was made, nothing asked of the process\n");
	add_heap(run, &text, low, high);
	add_line(run, &out, "heap", &text);
	buf__reset(&text);
	add_objects(run, &text, &estimate);
	add_line(run, &out, "objects", &text);
	buf__reset(&text);
	add_pause(run, &text, &estimate);
	add_line(run, &out, "pause", &text);
	if (estimate.assumed)
		buf__add_str(&out, "           a recording with dumps of this program would tell"
				   " better: --dry-run FILE\n");
	err = out.error || text.error || run->of.error ?
		      error_errno(ENOMEM, "cannot show the estimate") : 0;
	if (!err)
		err = output__write(&run->trace.output, buf__str(&out), out.len);
	buf__free(&out);
	buf__free(&text);
	return err;
}

/* ---------------------------------------------------------------- for programs */

static void add_limits(struct json *json, const char *key, uint64_t low, uint64_t high)
{
	json__array(json, key);
	json__u64(json, NULL, low);
	json__u64(json, NULL, high);
	json__end(json);
}

/* What the others rest on. */
static void add_rates(struct json *json, const char *key, const struct dump_limits *limits)
{
	json__array(json, key);
	json__double(json, NULL, limits->low);
	json__double(json, NULL, limits->high);
	json__end(json);
}

static int show_json(struct dry_run *run, uint64_t pid)
{
	struct json json = JSON_INIT;
	uint64_t low, high;
	const struct dump_estimate estimate = estimate_of(run, &low, &high);
	int err;

	json__event(&json, "estimate", pid);
	json__string(&json, "heap_by", run->gc != EVENT_UNKNOWN ? "collection" : "memory");
	json__known(&json, "gc", run->gc);
	json__flag(&json, "assumed", estimate.assumed);
	if (!estimate.assumed)
		json__u64(&json, "dumps", run->yardstick.dumps);
	json__object(&json, "estimated");
	add_limits(&json, "bytes", low, high);
	add_limits(&json, "objects", estimate.objects_low, estimate.objects_high);
	add_limits(&json, "dump_ns", estimate.ns_low, estimate.ns_high);
	add_rates(&json, "bytes_per_object", &estimate.by.size);
	add_rates(&json, "ns_per_object", &estimate.by.ns);
	json__end(&json);
	err = json__write(&json, &run->trace.output);
	json__free(&json);
	return err;
}

/* ---------------------------------------------------------------- as a view */

static struct dry_run *run_of(struct view *view)
{
	return (struct dry_run *)((char *)view - offsetof(struct dry_run, view));
}

static int show_heading(struct view *view, const struct heading *heading)
{
	return view__heading(run_of(view)->inner, heading);
}

/* The first one that tells is enough. */
static int see_collection(struct view *view, const struct heading *heading,
			  const struct collection *collection)
{
	struct dry_run *run = run_of(view);
	const bool has_before = collection->before_bytes != EVENT_UNKNOWN;

	(void)heading;
	if (collection->after_bytes == EVENT_UNKNOWN)
		return 0;
	run->gc = collection->number;
	run->after = collection->after_bytes;
	run->before = has_before ? collection->before_bytes : collection->after_bytes;
	return 1;
}

static int show_results(struct view *view, const struct results *results)
{
	struct dry_run *run = run_of(view);
	const uint64_t pid = results->of ? results->of->pid : 0;
	int err;

	if (run->gc == EVENT_UNKNOWN && run->own_bytes == EVENT_UNKNOWN) {
		error("nothing is known of the heap: no collection came, and the process ended");
		return -ENODATA;
	}
	if (run->trace.form->form != OUTPUT_JSON)
		return show_text(run);
	err = show_json(run, pid);
	return err ? err : view__results(run->inner, results);
}

static void free_view(struct view *view)
{
	view__free(run_of(view)->inner);
}

static struct view *dress(void *context, const struct view_options *options, struct view *inner)
{
	static const struct view_form form = { show_heading, see_collection, NULL,
					       show_results, free_view };
	struct dry_run *run = context;

	(void)options;
	run->inner = inner;
	run->view.form = &form;
	return &run->view;
}

/* ---------------------------------------------------------------- life */

static int begin(struct dry_run *run, const struct target_settings *settings)
{
	const struct live_options options = { .fault_in = settings->fault_in };
	const struct target *target;
	int err = trace__open_live(&run->trace, &options);

	if (!err)
		err = live__add_named(run->trace.live, settings);
	if (!err)
		err = heap_source__check_target(live__session(run->trace.live),
						&settings->processes);
	if (err)
		return err;
	target = session__target(live__session(run->trace.live), 0);
	run->own_bytes = own_memory(target->process);
	err = trace__begin(&run->trace);
	if (!err)
		progress("waiting for a collection, which tells how full the heap is");
	return err;
}

enum status heap_dry_run(const struct target_settings *target,
			 const struct output_settings *output, const char *earlier)
{
	static const struct view_settings viewing = VIEW_SETTINGS_DEFAULTS;
	struct trace_settings tracing = TRACE_SETTINGS_DEFAULTS;
	struct dry_run run = { .earlier = earlier, .of = BUF_INIT, .gc = EVENT_UNKNOWN };
	enum status status = STATUS_FAILED;

	tracing.duration_ns = WAIT_NS;
	tracing.allow_loss = true;
	trace__init(&run.trace, &tracing, &viewing, output);
	run.trace.dress = dress;
	run.trace.dress_context = &run;
	if (!read_earlier(&run) && !begin(&run, target)) {
		int err = trace__follow(&run.trace, NULL);

		progress_end();
		status = trace__finish(&run.trace, err);
	}
	trace__close(&run.trace);
	buf__free(&run.of);
	return status;
}
