/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff_replay.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "../base/report.h"
#include "../model/identity.h"
#include "../stream/facts.h"
#include "../stream/feed.h"
#include "../stream/recording.h"
#include "gctrace/wire.h"
#include "signals.h"

#define WANTED                                                                                  \
	(FEED_WANTS(EVENT_GC_START) | FEED_WANTS(EVENT_GC_FINISH) |                              \
	 FEED_WANTS(EVENT_PAUSE_BEGIN) | FEED_WANTS(EVENT_PAUSE_END) | FEED_WANTS(EVENT_MOVED) | \
	 FEED_WANTS(EVENT_SURVIVING) | FEED_WANTS(EVENT_GENERATION) |                            \
	 FEED_WANTS(EVENT_CONTAINER) | FEED_WANTS(EVENT_OBJECT) | FEED_WANTS(EVENT_CLASS) |      \
	 FEED_WANTS(EVENT_OBJECT_ALLOC) | FEED_WANTS(EVENT_DUMP_END))

#define ENOUGH 1

struct replaying {
	struct diff_replay *replay;
	const struct diff_dumps *dumps;
	struct heap_diff *diff;
	struct identity *identity;
	struct assembler *assembler;
	uint32_t target;
	uint64_t begun;	 /* dumps of whatever target */
	uint64_t latest; /* the one of this target */
	bool was_told;	 /* A's end has come */
	bool part;	 /* one of the two was matched, but was not whole */
	bool in_doubt, disagrees;
	bool ranges; /* some were told between the two */
};

/* ---------------------------------------------------------------- what the identity tells */

static int on_collection(void *context, const struct identity_collection *told)
{
	struct replaying *replaying = context;

	replaying->replay->collections += told->target == replaying->target &&
					  replaying->replay->fates.begun;
	return 0;
}

static int end_fates(struct replaying *replaying, const struct identity_view *now,
		     const struct anchor *anchor)
{
	struct fates *fates = &replaying->replay->fates;
	int err = fates__end(fates, anchor);

	if (err)
		return err;
	replaying->in_doubt = now->in_doubt;
	replaying->disagrees = !heap_diff__fates(replaying->diff, fates, now->types);
	return ENOUGH;
}

static int on_anchor(void *context, const struct identity_anchor *told)
{
	struct replaying *replaying = context;
	const uint64_t number = replaying->latest;
	struct fates *fates = &replaying->replay->fates;
	struct identity_view now;
	int err;

	if (told->target != replaying->target || number < replaying->dumps->of[DIFF_WAS].number)
		return 0;
	if (!identity__look(replaying->identity, told->target, &now, &err))
		return err;
	if (err)
		return err;
	if (number == replaying->dumps->of[DIFF_WAS].number) {
		replaying->part = !told->whole;
		if (told->whole)
			fates__begin(fates, now.objects, &told->result);
		return told->whole ? 0 : ENOUGH;
	}
	if (number == replaying->dumps->of[DIFF_IS].number) {
		replaying->part |= !told->whole;
		return told->whole && fates->begun ? end_fates(replaying, &now, &told->result)
						   : ENOUGH;
	}
	fates__pass(fates, &told->result);
	return 0;
}

static void on_left(void *context, uint32_t target, const struct object *object,
		    uint64_t address, enum object_fate fate)
{
	struct replaying *replaying = context;

	(void)address;
	if (target == replaying->target)
		fates__left(&replaying->replay->fates, object, fate);
}

/* ---------------------------------------------------------------- what is told */

static void note_container(struct replaying *replaying, const struct event *event)
{
	const bool begins = event->container.type == GCTRACE_C_BEGIN;

	replaying->begun += begins;
	if (event->target != replaying->target)
		return;
	if (begins)
		replaying->latest = replaying->begun;
	else if (event->container.type == GCTRACE_C_END)
		replaying->was_told |=
			replaying->latest == replaying->dumps->of[DIFF_WAS].number;
}

/* What is lost before A is matched, and behind its end, is not missing in A: it lies between. */
static void note_event(struct replaying *replaying, const struct event *event)
{
	switch (event->kind) {
	case EVENT_CONTAINER:
		note_container(replaying, event);
		return;
	case EVENT_MOVED:
	case EVENT_SURVIVING:
		replaying->ranges |= event->target == replaying->target &&
				     replaying->replay->fates.begun;
		return;
	case EVENT_LOSS:
		replaying->replay->lost |= replaying->was_told;
		return;
	default:
		return;
	}
}

static int hear(void *context, const struct event *event)
{
	struct replaying *replaying = context;
	int err;

	note_event(replaying, event);
	err = assembler__event(replaying->assembler, event);
	return err ? err : identity__event(replaying->identity, event);
}

/* ---------------------------------------------------------------- the way through the file */

static int begin(struct replaying *replaying, const struct recording *recording)
{
	const struct identity_sink sink = { .context = replaying, .collection = on_collection,
					    .anchor = on_anchor, .left = on_left };
	const struct facts *facts = recording__facts(recording);
	const char *attached = facts__get_target(facts, replaying->target, "attached_ns", NULL);
	struct range_sink ranges;

	replaying->identity = identity__new(&sink);
	if (!replaying->identity)
		return -ENOMEM;
	ranges = identity__ranges(replaying->identity);
	replaying->assembler = assembler__new(&(struct assembler_sink){ .context = NULL }, &ranges);
	if (!replaying->assembler)
		return -ENOMEM;
	return assembler__whole_from(replaying->assembler, replaying->target,
				     attached ? strtoull(attached, NULL, 10) :
						facts__get_u64(facts, "started_ns", 0));
}

static int read_all(struct replaying *replaying, struct recording *recording)
{
	const struct feed_options options = { .wanted = WANTED };
	const struct event_sink sink = { hear, replaying };
	const struct source source = recording__source(recording);
	struct feed *feed;
	int answer = feed__new(&options, &sink, &feed);

	if (answer)
		return answer;
	do {
		answer = feed__pull(feed, &source, 0);
		signals__take();
	} while (answer == SOURCE_MORE && !signals__stopping());
	if (answer >= 0 && answer != SOURCE_STOPPED)
		answer = feed__end(feed);
	feed__free(feed);
	return answer < 0 ? answer : 0;
}

/* With fewer than half of the ids most of what is said would be of objects that nobody knows. */
static const char *judge(const struct replaying *replaying)
{
	const struct fates *fates = &replaying->replay->fates;
	const struct fate all = fates__all(fates);

	if (replaying->part)
		return replaying->replay->lost ? "something was lost beside one of the dumps"
					       : "one of the dumps does not tell the whole heap";
	if (!fates->begun || !fates->ended)
		return "the recording ends before its addresses could be told";
	if (replaying->in_doubt)
		return "after a loss nobody knows whether a whole collection is missing";
	if (replaying->disagrees)
		return "what is known of the objects does not add up to the two dumps";
	if (all.withdrawn.objects <= all.survived.objects + all.died.objects)
		return NULL;
	if (!replaying->ranges)
		return "no moves were recorded between the dumps (gctrace record --moves)";
	return replaying->replay->lost
		       ? "what was lost leaves more than half of the objects unknown"
		       : "the runtime leaves open what became of more than half of the objects";
}

static int replay_file(struct replaying *replaying)
{
	struct recording *recording;
	const char *damage;
	int err = recording__open(replaying->dumps->of[DIFF_IS].path, &recording);

	if (err)
		return err;
	progress("following the objects from one dump to the other");
	err = begin(replaying, recording);
	if (!err)
		err = read_all(replaying, recording);
	progress_end();
	damage = recording__damage(recording);
	if (!err && damage && replaying->replay->lost)
		warning("%s", damage);
	recording__close(recording);
	return err == -ENOMEM ? error_errno(err, "cannot follow the objects") : err;
}

int diff_replay__run(struct diff_replay *replay, const struct diff_dumps *dumps,
		     struct heap_diff *diff)
{
	struct replaying replaying = { .replay = replay, .dumps = dumps, .diff = diff,
				       .target = dumps->of[DIFF_WAS].entry.target };
	int err;

	err = replay_file(&replaying);
	if (!err)
		replay->why = judge(&replaying);
	diff->has_fates = !err && !replay->why;
	assembler__free(replaying.assembler);
	identity__free(replaying.identity);
	replay->fates.objects = NULL;
	return err;
}

void diff_replay__free(struct diff_replay *replay)
{
	fates__free(&replay->fates);
}
