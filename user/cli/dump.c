/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of a dump:
 *
 *          nobody else asks         C_BEGIN           C_END           told all
 *  WAITING ---------------> ASKED ---------> RUNNING -------> ENDING -------> LEAVING ---> OVER
 *     |                       |                 |                                ^  requests down,
 *     +-----------------------+-----------------+--------------------------------+  ring read out
 *      too long: TAKEN         too long:         silence, its end
 *      abort: ABORTED          NEVER_BEGAN       lost; target gone
 *
 * WAITING. A semaphore doesn't count tracers. While another one's dump is asked for, ours can't
 * be; and the target's helper, which looks 20 to 50 times a second, must have seen it down before
 * it goes up anew, or it would take our request for the old one. So it has to be down for
 * SETTLE_NS. Two tracers that ask at the same moment get the same dump, each whole. A request that
 * stays up for LEFTOVER_NS may be that of a tracer that was killed: then it is lowered, once.
 *
 * ASKED. The ring is made and switched to before the request goes up, so that C_BEGIN is in it.
 * Whatever was stamped before that moment is another tracer's dump and not passed on.
 *
 * RUNNING. The request is held up until C_END is here. An abort lowers it at once, and C_END still
 * comes. A dump that is to finish is aborted when its time is up. Back-pressure: when the ring is
 * filled to its mark the target is asked to wait before its next batch, and to go on when the ring
 * is drained. Asking takes up to 10 ms, so what comes meanwhile must find room above the mark: the
 * mark is half of a ring of 16 MiB or more, and an eighth of a smaller one.
 *
 * ENDING. DUMP_END follows C_END where batches are told, mostly in the same one; a pause's end,
 * or END_NS, says that none comes. Where C_END itself is lost, losses were counted and the
 * pause ends.
 *
 * LEAVING. The target's records go to the streaming rings again. A program that had chosen the
 * dump's ring before that may yet write to it. Lowering the request takes the kernel
 * a grace period, which waits for such programs; with LEAVE_NS besides, for those of an
 * aborted dump, whose request was lowered earlier, the ring is complete when it goes.
 */
#include "dump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../stream/loss.h"
#include "gctrace/wire.h"

#define SETTLE_NS (200 * NS_PER_MS)
#define LEFTOVER_NS (2 * NS_PER_S) /* so long another one's request is taken for one */
#define END_NS (500 * NS_PER_MS)
#define LEAVE_NS (200 * NS_PER_MS)
#define LAST_NS (300 * NS_PER_MS) /* for C_END of a dump that did not finish in its time */
#define PROGRESS_NS (100 * NS_PER_MS)
#define LARGE_RING (UINT64_C(16) << 20)

enum state { WAITING, ASKED, RUNNING, ENDING, LEAVING, OVER };

struct dump {
	struct dump_options options;
	struct dump_ops ops;
	struct dump_result result;
	char *words; /* the target's last notice; NULL: none, or no memory */
	enum state state;
	bool has_ring;	 /* the ring is there */
	bool is_asking;	 /* the request is up, or was raised and not lowered by us */
	bool is_held;	 /* the target is asked to wait */
	bool is_aborted; /* by us */
	bool said_taken;
	bool tried_leftover;
	bool is_silent; /* it was given up for its silence once */
	uint64_t started_ns;
	uint64_t free_ns;  /* since when nobody else asks; 0: somebody does */
	bool is_heard;	   /* something of it came since heard_ns; other collections are not */
	uint64_t heard_ns;
	uint64_t aborted_ns;
	uint64_t finish_ns; /* it is aborted then; 0: it has all the time it needs */
	uint64_t pause_ns; /* when the target's last pause began; 0: it is over, or none did */
	bool is_its_pause; /* the dump began in it */
	uint64_t quiet_ns; /* when its end was seen */
	uint64_t left_ns;
	uint64_t shown_ns; /* progress */
};

static uint64_t now_of(const struct dump *dump)
{
	return dump->ops.now_ns(dump->ops.context);
}

struct dump *dump__new(const struct dump_options *options, const struct dump_ops *ops)
{
	struct dump *dump = calloc(1, sizeof(*dump));

	if (!dump) {
		error_errno(ENOMEM, "cannot ask for a heap dump");
		return NULL;
	}
	dump->options = *options;
	if (!dump->options.wait_ns)
		dump->options.wait_ns = DUMP_WAIT_NS;
	if (!dump->options.begin_ns)
		dump->options.begin_ns = DUMP_BEGIN_NS;
	if (!dump->options.silence_ns)
		dump->options.silence_ns = DUMP_SILENCE_NS;
	dump->ops = *ops;
	dump->result.number = dump->result.gc = EVENT_UNKNOWN;
	dump->started_ns = now_of(dump);
	return dump;
}

/* ---------------------------------------------------------------- requests and ring */

static void lower(struct dump *dump)
{
	if (dump->is_asking)
		dump->ops.unask(dump->ops.context);
	dump->is_asking = false;
}

static void hold(struct dump *dump, bool wait)
{
	if (dump->is_held == wait)
		return;
	dump->is_held = wait;
	dump->result.held += wait;
	dump->ops.hold(dump->ops.context, wait);
}

/* The outcome is decided; what has to be undone is undone. */
static void leave(struct dump *dump, enum dump_outcome outcome)
{
	if (dump->state >= LEAVING)
		return;
	dump->result.outcome = outcome;
	dump->result.ended_ns = dump->left_ns = now_of(dump);
	lower(dump);
	hold(dump, false);
	if (dump->has_ring)
		dump->ops.leave_ring(dump->ops.context);
	dump->state = dump->has_ring ? LEAVING : OVER;
}

static void close_ring(struct dump *dump)
{
	if (dump->has_ring)
		dump->ops.close_ring(dump->ops.context);
	dump->has_ring = false;
	dump->state = OVER;
}

void dump__give_up(struct dump *dump)
{
	leave(dump, dump->state == ENDING ? dump->result.outcome : DUMP_ABORTED);
	close_ring(dump);
}

void dump__free(struct dump *dump)
{
	if (!dump)
		return;
	dump__give_up(dump);
	free(dump->words);
	free(dump);
}

void dump__abort(struct dump *dump)
{
	if (dump->is_aborted || dump->state >= ENDING)
		return;
	dump->is_aborted = true;
	dump->heard_ns = dump->aborted_ns = now_of(dump); /* C_END has its time from here on */
	/* What did not begin in that time is not about to. */
	if (dump->state == WAITING || (dump->state == ASKED &&
				       dump->aborted_ns - dump->result.asked_ns >= END_NS)) {
		leave(dump, DUMP_ABORTED);
		return;
	}
	lower(dump);
	hold(dump, false);
}

void dump__finish(struct dump *dump, uint64_t until_ns)
{
	if (dump->finish_ns || dump->state >= LEAVING)
		return;
	dump->finish_ns = until_ns;
	/* The target may have begun one that was requested just now. */
	if (dump->state == WAITING ||
	    (dump->state == ASKED && now_of(dump) - dump->result.asked_ns >= END_NS))
		dump__abort(dump);
}

/* Its time is up: it is stopped, and left soon after, whatever the target does. */
static void cut_off(struct dump *dump, uint64_t now)
{
	if (!dump->finish_ns || now < dump->finish_ns || dump->state >= LEAVING)
		return;
	dump__abort(dump);
	if (now - dump->finish_ns >= LAST_NS)
		dump__give_up(dump);
}

/* ---------------------------------------------------------------- events */

static bool is_end(const struct event *event)
{
	return event->kind == EVENT_CONTAINER && event->container.type == GCTRACE_C_END;
}

static bool is_begin(const struct event *event)
{
	return event->kind == EVENT_CONTAINER && event->container.type == GCTRACE_C_BEGIN;
}

static bool is_content(const struct event *event)
{
	return event->kind == EVENT_CONTAINER || event->kind == EVENT_ROOTS ||
	       event->kind == EVENT_OBJECT || event->kind == EVENT_HEADS;
}

/* What may follow from a dump's beginning on, and is passed on. */
static bool belongs(const struct event *event)
{
	return is_content(event) || event->kind == EVENT_CLASS || event->kind == EVENT_DEFINE ||
	       event->kind == EVENT_PRODUCER || event->kind == EVENT_DUMP_END ||
	       event->kind == EVENT_LOSS;
}

static int pass_on(struct dump *dump, const struct event *event)
{
	const struct event_sink *sink = &dump->options.sink;

	return sink->event ? sink->event(sink->ctx, event) : 0;
}

static void begin(struct dump *dump, const struct event *event)
{
	dump->state = RUNNING;
	dump->result.begun = true;
	dump->result.begun_ns = event->stamp;
	dump->is_its_pause = dump->pause_ns != 0;
	if (!is_begin(event)) {
		dump->result.began_by_loss = true;
		return;
	}
	dump->result.number = event->container.id1;
	dump->result.gc = event->container.id2;
}

/* C_END: the target is done, or has stopped as it was asked to. */
static void end(struct dump *dump, enum dump_outcome outcome)
{
	dump->result.outcome = outcome;
	dump->quiet_ns = now_of(dump);
	lower(dump);
	hold(dump, false);
	dump->state = ENDING;
}

static void count(struct dump_result *result, const struct event *event)
{
	switch (event->kind) {
	case EVENT_OBJECT:
		for (size_t i = 0; i < event->object.count; i++)
			result->references += event->object.references[i].to != 0;
		if (event->object.more)
			return;
		result->objects++;
		result->heap_bytes += event->object.size;
		return;
	case EVENT_HEADS:
		result->objects += event->heads.count;
		for (size_t i = 0; i < event->heads.count; i++)
			result->heap_bytes += event->heads.heads[i].size;
		return;
	case EVENT_ROOTS:
		result->roots += event->roots.count;
		return;
	case EVENT_LOSS:
		result->lost += event->loss.count;
		return;
	case EVENT_DUMP_END:
		result->has_totals = true;
		result->told_objects = event->dump_end.objects;
		result->told_references = event->dump_end.references;
		result->told_roots = event->dump_end.roots;
		result->told_bytes = event->dump_end.bytes;
		return;
	default:
		return;
	}
}

static enum dump_outcome outcome_of(const struct dump *dump, uint64_t status)
{
	if (status == GCTRACE_DUMP_COMPLETE)
		return DUMP_COMPLETE;
	return dump->is_aborted ? DUMP_ABORTED : DUMP_GIVEN_UP;
}

static void keep_words(struct dump *dump, const struct event *event)
{
	free(dump->words);
	dump->words = strdup(escape_bytes(event->notice.text.at, event->notice.text.bytes));
}

static int take(struct dump *dump, const struct event *event)
{
	int answer;

	dump->is_heard = true;
	count(&dump->result, event);
	if (is_end(event))
		end(dump, outcome_of(dump, event->container.id1));
	else if (event->kind == EVENT_DUMP_END && dump->state == RUNNING)
		end(dump, outcome_of(dump, event->dump_end.status));
	answer = pass_on(dump, event);
	if (event->kind == EVENT_DUMP_END)
		leave(dump, dump->result.outcome);
	return answer;
}

/* The target runs again: nothing more of the dump comes. */
static void end_pause(struct dump *dump)
{
	if (dump->state == ENDING)
		leave(dump, dump->result.outcome);
	else if (dump->state == RUNNING && dump->result.lost)
		leave(dump, DUMP_END_LOST);
}

static bool concerns(const struct dump *dump, const struct event *event)
{
	return event->target == dump->options.target ||
	       (event->kind == EVENT_LOSS && event->target == LOSS_ANY_TARGET);
}

/* Another tracer's dump, or one that we have given up, began before we asked. */
static bool begins(const struct dump *dump, const struct event *event)
{
	return dump->state == ASKED && is_content(event) && !is_end(event) &&
	       event->stamp >= dump->result.asked_ns;
}

/* What the program feels is the whole pause, with the collection before the dump. */
static void measure_pause(struct dump *dump, const struct event *event)
{
	if (event->kind == EVENT_PAUSE_BEGIN) {
		dump->pause_ns = event->late ? 0 : event->time;
	} else if (event->kind == EVENT_PAUSE_END) {
		if (dump->is_its_pause && dump->pause_ns && !event->late &&
		    event->time > dump->pause_ns)
			dump->result.stopped_ns = event->time - dump->pause_ns;
		dump->pause_ns = 0;
		dump->is_its_pause = false;
	}
}

int dump__event(struct dump *dump, const struct event *event)
{
	if (!concerns(dump, event))
		return 0;
	measure_pause(dump, event);
	if (dump->state >= LEAVING)
		return 0;
	if (event->kind == EVENT_EXIT || event->kind == EVENT_EXEC) {
		leave(dump, DUMP_TARGET_GONE);
		return 0;
	}
	if (begins(dump, event))
		begin(dump, event);
	if (dump->state < RUNNING)
		return 0;
	if (event->kind == EVENT_NOTICE)
		keep_words(dump, event);
	if (event->kind == EVENT_PAUSE_END)
		end_pause(dump);
	return belongs(event) ? take(dump, event) : 0;
}

static int sink_event(void *context, const struct event *event)
{
	return dump__event(context, event);
}

struct event_sink dump__sink(struct dump *dump)
{
	return (struct event_sink){ sink_event, dump };
}

/* ---------------------------------------------------------------- the ring and the clock */

static void show_progress(struct dump *dump, uint64_t now)
{
	const struct dump_result *result = &dump->result;
	const struct dump_progress progress = {
		.objects = result->objects,
		.heap_bytes = result->heap_bytes,
		.stream_bytes = result->stream_bytes,
		.since_ns = result->begun && now > result->begun_ns ? now - result->begun_ns : 0,
		.waiting = !result->begun,
	};

	if (!dump->options.progress || now - dump->shown_ns < PROGRESS_NS)
		return;
	dump->shown_ns = now;
	dump->options.progress(dump->options.context, &progress);
}

void dump__record(struct dump *dump, size_t bytes, size_t used, size_t size)
{
	const size_t mark = size >= LARGE_RING ? size / 2 : size / 8;

	dump->result.stream_bytes += bytes;
	if (used > dump->result.used_most)
		dump->result.used_most = used;
	if (dump->state != ASKED && dump->state != RUNNING)
		return;
	if (used >= mark && !dump->is_aborted)
		hold(dump, true);
	show_progress(dump, now_of(dump));
}

static void ask(struct dump *dump, uint64_t now)
{
	int err = dump->ops.open_ring(dump->ops.context);

	if (!err) {
		dump->has_ring = true;
		dump->result.asked_ns = dump->heard_ns = now;
		err = dump->ops.ask(dump->ops.context);
		dump->is_asking = !err;
		dump->state = ASKED;
	}
	if (err == -ESRCH)
		leave(dump, DUMP_TARGET_GONE);
	else if (err)
		leave(dump, DUMP_FAILED);
}

static void look_at_others(struct dump *dump, uint64_t now)
{
	const int taken = dump->ops.is_taken(dump->ops.context);

	if (taken == -ESRCH) {
		leave(dump, DUMP_TARGET_GONE);
	} else if (taken < 0) {
		error_errno(taken, "%s: cannot see whether another tracer asks for a heap dump",
			    dump->options.name);
		leave(dump, DUMP_FAILED);
	} else if (taken) {
		dump->free_ns = 0;
		if (!dump->said_taken)
			note("%s: another tracer has a heap dump made: waiting until it is done",
			     dump->options.name);
		dump->said_taken = true;
		if (!dump->tried_leftover && now - dump->started_ns >= LEFTOVER_NS) {
			dump->tried_leftover = true;
			dump->ops.lower_leftover(dump->ops.context);
		}
		if (now - dump->started_ns >= dump->options.wait_ns)
			leave(dump, DUMP_TAKEN);
	} else if (!dump->free_ns) {
		dump->free_ns = now;
	} else if (now - dump->free_ns >= SETTLE_NS) {
		ask(dump, now);
	}
}

static void wait_for_begin(struct dump *dump, uint64_t now)
{
	/* Collections go on meanwhile, and are heard. */
	if (dump->is_aborted && now - dump->aborted_ns >= END_NS)
		leave(dump, DUMP_ABORTED);
	else if (now - dump->result.asked_ns >= dump->options.begin_ns)
		leave(dump, DUMP_NEVER_BEGAN);
}

/* Silence: first it is aborted, and where that brings no C_END, given up. */
static void run(struct dump *dump, uint64_t now)
{
	if (dump->is_held && dump->ops.used(dump->ops.context) == 0)
		hold(dump, false);
	if (dump->is_heard)
		dump->heard_ns = now;
	dump->is_heard = false;
	if (now - dump->heard_ns < dump->options.silence_ns)
		return;
	if (dump->is_aborted || dump->is_silent) {
		leave(dump, dump->is_silent || !dump->is_aborted ? DUMP_SILENT : DUMP_ABORTED);
		return;
	}
	dump->is_silent = true;
	dump__abort(dump);
}

void dump__turn(struct dump *dump)
{
	const uint64_t now = now_of(dump);

	cut_off(dump, now);
	switch (dump->state) {
	case WAITING:
		look_at_others(dump, now);
		break;
	case ASKED:
		wait_for_begin(dump, now);
		break;
	case RUNNING:
		run(dump, now);
		break;
	case ENDING:
		if (now - dump->quiet_ns >= END_NS)
			leave(dump, dump->result.outcome);
		break;
	case LEAVING:
		if (dump->ops.is_silent(dump->ops.context) && now - dump->left_ns >= LEAVE_NS)
			close_ring(dump);
		break;
	case OVER:
		break;
	}
	if (dump->state < ENDING)
		show_progress(dump, now);
}

bool dump__is_over(const struct dump *dump)
{
	return dump->state == OVER;
}

const struct dump_result *dump__result(const struct dump *dump)
{
	return &dump->result;
}

const char *dump__name(const struct dump *dump)
{
	return dump->options.name;
}

const char *dump__words(const struct dump *dump)
{
	return dump->words;
}
