/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff_replay.h"

#include <errno.h>
#include <stdbool.h>

#include "../base/report.h"
#include "../model/replay.h"
#include "../stream/recording.h"
#include "gctrace/wire.h"
#include "signals.h"

struct replaying {
	struct diff_replay *result;
	struct replay *replay;
	const struct diff_dumps *dumps;
	struct heap_diff *diff;
	uint32_t target;
	uint64_t begun;	 /* dumps of whatever target */
	uint64_t latest; /* the one of this target */
	bool was_told;	 /* A's end has come */
	bool part;	 /* one of the two was matched, but was not whole */
	bool in_doubt, disagrees;
	bool ranges; /* some were told between the two */
	uint64_t collections; /* of the target, when A was matched */
	int error;
};

/* ---------------------------------------------------------------- what the replay tells */

static int begin_fates(struct replaying *replaying, const struct identity_anchor *dump,
		       const struct identity_view *now)
{
	replaying->part = !dump->whole;
	if (!dump->whole)
		return REPLAY_ENOUGH;
	fates__begin(&replaying->result->fates, now->objects, &dump->result);
	replaying->collections = now->figures.collections;
	return 0;
}

static int end_fates(struct replaying *replaying, const struct identity_anchor *dump,
		     const struct identity_view *now)
{
	struct fates *fates = &replaying->result->fates;
	int err;

	replaying->part |= !dump->whole;
	if (!dump->whole || !fates->begun)
		return REPLAY_ENOUGH;
	err = fates__end(fates, &dump->result);
	if (err)
		return err;
	replaying->in_doubt = now->in_doubt;
	replaying->disagrees = !heap_diff__fates(replaying->diff, fates, now->types);
	replaying->result->collections = now->figures.collections - replaying->collections;
	return REPLAY_ENOUGH;
}

static int on_dump(void *context, const struct identity_anchor *dump,
		   const struct identity_view *now)
{
	struct replaying *replaying = context;
	const struct diff_dumps *dumps = replaying->dumps;

	if (dump->target != replaying->target || replaying->latest < dumps->of[DIFF_WAS].number)
		return 0;
	if (replaying->latest == dumps->of[DIFF_WAS].number)
		return begin_fates(replaying, dump, now);
	if (replaying->latest == dumps->of[DIFF_IS].number)
		return end_fates(replaying, dump, now);
	fates__pass(&replaying->result->fates, &dump->result);
	return 0;
}

static void on_left(void *context, uint32_t target, const struct object *object,
		    uint64_t address, enum object_fate fate)
{
	struct replaying *replaying = context;

	(void)address;
	if (target == replaying->target && !replaying->error)
		replaying->error = fates__left(&replaying->result->fates, object, fate);
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
				     replaying->result->fates.begun;
		return;
	case EVENT_LOSS:
		replaying->result->lost |= replaying->was_told;
		return;
	default:
		return;
	}
}

static int hear(void *context, const struct event *event)
{
	struct replaying *replaying = context;
	int answer;

	note_event(replaying, event);
	answer = replay__event(replaying->replay, event);
	return replaying->error ? replaying->error : answer;
}

/* ---------------------------------------------------------------- the way through the file */

static int on_turn(void *context)
{
	(void)context;
	signals__take();
	return signals__stopping();
}

static int read_all(struct replaying *replaying, struct recording *recording)
{
	const struct replay_sink told = { .context = replaying, .dump = on_dump, .left = on_left };
	const struct feed_options options = { .wanted = REPLAY_WANTS };
	const struct event_sink sink = { hear, replaying };
	const struct source source = recording__source(recording);
	int err;

	replaying->replay = replay__new(&told);
	if (!replaying->replay)
		return -ENOMEM;
	err = replay__whole_from(replaying->replay, replaying->target,
				 recording__whole_from(recording, replaying->target));
	if (!err)
		err = feed__read_all(&options, &sink, &source, on_turn);
	replay__free(replaying->replay);
	replaying->result->fates.objects = NULL;
	return err;
}

/* With fewer than half of the ids most of what is said would be of objects that nobody knows. */
static const char *judge(const struct replaying *replaying)
{
	const struct fates *fates = &replaying->result->fates;
	const struct fate all = fates__all(fates);

	if (signals__stopping())
		return "following them was stopped";
	if (replaying->part)
		return replaying->result->lost ? "something was lost beside one of the dumps"
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
	return replaying->result->lost
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
	err = read_all(replaying, recording);
	progress_end();
	damage = recording__damage(recording);
	if (!err && damage && replaying->result->lost)
		warning("%s", damage);
	recording__close(recording);
	return err == -ENOMEM ? error_errno(err, "cannot follow the objects") : err;
}

int diff_replay__run(struct diff_replay *replay, const struct diff_dumps *dumps,
		     struct heap_diff *diff)
{
	struct replaying replaying = { .result = replay, .dumps = dumps, .diff = diff,
				       .target = dumps->of[DIFF_WAS].entry.target };
	int err;

	err = replay_file(&replaying);
	if (!err)
		replay->why = judge(&replaying);
	diff->has_fates = !err && !replay->why;
	return err;
}

void diff_replay__free(struct diff_replay *replay)
{
	fates__free(&replay->fates);
}
