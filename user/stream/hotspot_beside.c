/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What gctrace's agent adds to a pause: the ranges of a young collection (wire.h, BESIDE).
 *
 *	JVM's probes		      gc__begin  pools before, after  gc__end		 vmops__end
 *	agent		BESIDE_START						ranges  BESIDE
 *	reported		      pause      start                           ranges  finish
 *
 * The agent learns what has moved when the collection is over, after gc__end. So from its start on
 * the end of the collection is held back until the agent has reported; it keeps its time. The next
 * record of the JVM shows where the agent reported nothing. (Where a JVM has no probes of
 * safepoints, gc__end is the end of the pause, too: it is held back in the same way, and moves to
 * where the agent was done.)
 *
 * THE TWO MUST AGREE. The ranges hold where the JVM's own word is that there was one young
 * collection in this pause, and the agent's that it told all of it; or that there was none, by
 * both. All else is told as untold. And where nobody says what became of old objects, which G1
 * moves in young collections too, all that is known is withdrawn (EVENT_REUSE).
 */
#include "hotspot_state.h"

#include <gctrace/wire.h>

static int tell(const struct event_sink *sink, const struct event *event)
{
	return sink->event(sink->ctx, event);
}

static int withdraw_all(const struct event_sink *sink, const struct event *like)
{
	struct event event = {
		.kind = EVENT_REUSE,
		.target = like->target,
		.tid = like->tid,
		.time = like->time,
		.stamp = like->stamp,
		.reuse = { .generations = UINT64_MAX, .length = UINT64_MAX },
	};

	return tell(sink, &event);
}

void beside__begin(struct hotspot *hotspot)
{
	struct beside *beside = &hotspot->beside;

	if (beside->verdict != BESIDE_AWAITED)
		beside->verdict = BESIDE_NONE;
}

uint64_t beside__generations(const struct hotspot *hotspot, uint64_t generations, uint32_t how)
{
	const bool may_be_none = generations == EVENT_UNKNOWN && !(how & GCTRACE_HOW_CONCURRENT);

	return hotspot->beside.is_heard && may_be_none ? 0 : generations;
}

/* Do agent and JVM say the same of this pause? */
static bool agree(const struct beside *beside)
{
	if (!beside->has_finish)
		return beside->verdict == BESIDE_NOTHING;
	if (beside->several)
		return false;
	return (beside->verdict == BESIDE_TOLD && beside->generations == 1) ||
	       (beside->verdict == BESIDE_NOTHING && beside->generations == 0);
}

static int release_finish(struct beside *beside, const struct event_sink *sink)
{
	const bool is_known = agree(beside);
	int err = 0;

	/*
	 * Where the agent says that it does not know, it has withdrawn what old objects it had
	 * to.
	 */
	if (!is_known && !(beside->verdict == BESIDE_UNTOLD && beside->has_finish))
		err = withdraw_all(sink, &beside->finish);
	if (err || !beside->has_finish)
		return err;
	beside->has_finish = false;
	beside->finish.gc_finish.untold = !is_known || beside->generations == 0;
	return tell(sink, &beside->finish);
}

static int release(struct beside *beside, const struct event_sink *sink)
{
	int err = release_finish(beside, sink);

	if (err || !beside->has_end)
		return err;
	beside->has_end = false;
	return beside->end.kind ? tell(sink, &beside->end) : 0;
}

int beside__settle(const struct step *step)
{
	struct beside *beside = &step->hotspot->beside;

	if (!beside->has_end)
		return 0;
	beside->verdict = BESIDE_NONE;
	/* Told only now, and perhaps since the agent's probe is gone: the trace is over. */
	beside->finish.stamp = beside->end.stamp = step->record->stamp;
	return release(beside, step->sink);
}

static bool is_awaited(const struct hotspot *hotspot)
{
	return hotspot->beside.verdict == BESIDE_AWAITED && hotspot->paused;
}

int beside__finish(const struct step *step, const struct event *finish, uint64_t generations)
{
	struct beside *beside = &step->hotspot->beside;
	const bool is_beside_program = generations == EVENT_UNKNOWN;
	int err = 0;

	if (is_awaited(step->hotspot) && !is_beside_program) {
		if (beside->has_finish) {
			beside->several = true;
			err = tell(step->sink, &beside->finish);
		}
		beside->finish = *finish;
		beside->generations = generations;
		beside->has_finish = true;
		return err;
	}
	/*
	 * The pause that it is around was before (a remark of newer JVMs), or nobody tells of it.
	 */
	if (beside->is_heard && !is_beside_program &&
	    !(generations == 0 && beside->verdict == BESIDE_NOTHING))
		err = withdraw_all(step->sink, finish);
	return err ? err : step__tell(step, finish);
}

int beside__end(const struct step *step, const struct event *end)
{
	struct beside *beside = &step->hotspot->beside;

	if (!is_awaited(step->hotspot))
		return end ? step__tell(step, end) : 0;
	beside->end = end ? *end : (struct event){ .kind = 0 };
	beside->has_end = true;
	return 0;
}

/* Its start, in the order of records, comes before anything that the JVM says of the pause. */
static int start(struct beside *beside, const struct event *event, const struct event_sink *sink)
{
	int err = 0;

	if (beside->has_end) {
		beside->verdict = BESIDE_NONE;
		err = release(beside, sink);
	}
	*beside = (struct beside){ .is_heard = true, .verdict = BESIDE_AWAITED,
				   .finish = *event };
	return err;
}

static int end(struct beside *beside, const struct event *event, const struct event_sink *sink)
{
	if (beside->verdict != BESIDE_AWAITED)
		return 0;
	if (event->beside.flags & GCTRACE_BESIDE_TOLD)
		beside->verdict = BESIDE_TOLD;
	else if (event->beside.flags & GCTRACE_BESIDE_UNTOLD)
		beside->verdict = BESIDE_UNTOLD;
	else
		beside->verdict = BESIDE_NOTHING;
	if (beside->has_end && !event->late && event->time > beside->end.time)
		beside->end.time = event->time;
	return release(beside, sink);
}

/* Whose is it? It goes to the collection that is held back. */
static bool belongs(const struct beside *beside, const struct event *event)
{
	if (beside->verdict != BESIDE_AWAITED || !beside->has_end || !beside->has_finish)
		return false;
	return event->kind != EVENT_MOVED || (beside->generations == 1 && !beside->several);
}

int hotspot__beside(void *state, const struct event *event, const struct event_sink *sink)
{
	struct beside *beside = &((struct hotspot *)state)->beside;

	if (event->kind != EVENT_BESIDE)
		return belongs(beside, event) ? tell(sink, event) : 0;
	if (event->beside.flags & GCTRACE_BESIDE_START)
		return start(beside, event, sink);
	return end(beside, event, sink);
}
