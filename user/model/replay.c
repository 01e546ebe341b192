/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay.h"

#include <stdlib.h>

#include "assembler.h"

struct replay {
	struct replay_sink sink;
	struct assembler *assembler;
	struct identity *identity;
	struct range_sink ranges; /* of the identity */
	bool enough;
};

/* ---------------------------------------------------------------- ranges, until it is enough */

typedef int range_sink__told(void *context, const struct range_transaction *transaction);

static int tell(const struct replay *replay, range_sink__told *told,
		const struct range_transaction *transaction)
{
	return replay->enough ? 0 : told(replay->ranges.context, transaction);
}

static int on_start(void *context, const struct range_transaction *transaction)
{
	const struct replay *replay = context;

	return tell(replay, replay->ranges.start, transaction);
}

static int on_report(void *context, const struct range_transaction *transaction,
		     const struct event *report)
{
	const struct replay *replay = context;

	return replay->enough ? 0 :
				replay->ranges.report(replay->ranges.context, transaction, report);
}

static int on_pause_end(void *context, const struct range_transaction *transaction)
{
	const struct replay *replay = context;

	return tell(replay, replay->ranges.pause_end, transaction);
}

static int on_finish(void *context, const struct range_transaction *transaction)
{
	const struct replay *replay = context;

	return tell(replay, replay->ranges.finish, transaction);
}

static int on_drop(void *context, const struct range_transaction *transaction)
{
	const struct replay *replay = context;

	return tell(replay, replay->ranges.drop, transaction);
}

/* ---------------------------------------------------------------- what is told */

static int on_collection(void *context, const struct collection *collection)
{
	const struct replay *replay = context;
	struct identity_view now;
	int err;

	identity__look(replay->identity, collection->target, &now, &err);
	return err;
}

/* The answer ends what is under way: what it would apply comes behind the dump. */
static int on_anchor(void *context, const struct identity_anchor *anchor)
{
	struct replay *replay = context;
	struct identity_view now;
	int answer = 0;

	if (replay->enough || !identity__look(replay->identity, anchor->target, &now, &answer) ||
	    answer)
		return answer;
	answer = replay->sink.dump(replay->sink.context, anchor, &now);
	replay->enough = answer == REPLAY_ENOUGH;
	return answer;
}

static void on_left(void *context, uint32_t target, const struct object *object, uint64_t address,
		    enum object_fate fate)
{
	const struct replay *replay = context;

	if (!replay->enough)
		replay->sink.left(replay->sink.context, target, object, address, fate);
}

struct replay *replay__new(const struct replay_sink *sink)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	const struct identity_sink told = { .context = replay, .anchor = on_anchor,
					    .left = sink->left ? on_left : NULL };
	const struct assembler_sink shown = { .context = replay, .collection = on_collection };
	const struct range_sink ranges = { replay,	 on_start,  on_report,
					   on_pause_end, on_finish, on_drop };

	if (!replay)
		return NULL;
	replay->sink = *sink;
	replay->identity = identity__new(&told);
	if (replay->identity) {
		replay->ranges = identity__ranges(replay->identity);
		replay->assembler = assembler__new(&shown, &ranges);
	}
	if (replay->assembler)
		return replay;
	replay__free(replay);
	return NULL;
}

void replay__free(struct replay *replay)
{
	if (!replay)
		return;
	assembler__free(replay->assembler);
	identity__free(replay->identity);
	free(replay);
}

int replay__whole_from(struct replay *replay, uint32_t target, uint64_t ns)
{
	return assembler__whole_from(replay->assembler, target, ns);
}

int replay__event(struct replay *replay, const struct event *event)
{
	int answer = 0;

	if (!replay->enough)
		answer = assembler__event(replay->assembler, event);
	if (!replay->enough && !answer)
		answer = identity__event(replay->identity, event);
	return replay->enough ? REPLAY_ENOUGH : answer;
}

uint64_t replay__memory(const struct replay *replay)
{
	return identity__bytes(replay->identity);
}
