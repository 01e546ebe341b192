/* SPDX-License-Identifier: BSD-2-Clause */
#include "dumper.h"

#include <errno.h>
#include <stddef.h>

#include "../attach/session.h"
#include "../attach/target.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../target/process.h"
#include "dump_live.h"
#include "live.h"

void dumper__begin(struct dumper *dumper, struct live *live)
{
	dumper->live = live;
	dumper->round_ns = clock__monotonic_ns();
}

int dumper__event(struct dumper *dumper, const struct event *event)
{
	return dumper->dump ? dump__event(dump_live__dump(dumper->dump), event) : 0;
}

/* Each process had its turn before, and now the trace, or the process, ended first. */
static bool is_taken_back(const struct dumper *dumper, const struct dump_result *result)
{
	return dumper->had_round && !result->begun &&
	       (result->outcome == DUMP_ABORTED || result->outcome == DUMP_TARGET_GONE);
}

static void finish_dump(struct dumper *dumper, const struct dump *dump)
{
	const struct dump_result *result = dump__result(dump);
	const bool was_taken_back = is_taken_back(dumper, result);

	progress_end();
	if (!was_taken_back && !(dumper->is_quiet && dump__is_whole(dump)))
		dump__tell(dump);
	dumper->begun += result->begun;
	dumper->whole += dump__is_whole(dump);
	dumper->incomplete += result->begun && !dump__is_whole(dump);
	if (result->begun && result->ended_ns - dumper->dump_ns > dumper->longest_ns)
		dumper->longest_ns = result->ended_ns - dumper->dump_ns;
	dumper->failed += !result->begun && !was_taken_back;
	dump_live__free(dumper->dump);
	dumper->dump = NULL;
}

/* The trace was over before their turn came. */
static void tell_unasked(struct dumper *dumper)
{
	const struct session *session = live__session(dumper->live);

	for (; dumper->next < session__target_count(session); dumper->next++) {
		const struct target *target = session__target(session, dumper->next);

		if (target->state != TARGET_LIVE && target->state != TARGET_LEFT)
			continue;
		error("pid %d: no heap dump: the trace ended before it was asked for",
		      target->process->pid);
		dumper->failed++;
	}
}

void dumper__end(struct dumper *dumper)
{
	struct dump *dump = dumper->dump ? dump_live__dump(dumper->dump) : NULL;

	dumper->is_done = true;
	if (dump) {
		dump__give_up(dump);
		finish_dump(dumper, dump);
	}
	if (dumper->live && !dumper->had_round)
		tell_unasked(dumper);
}

void dumper__drop(struct dumper *dumper)
{
	if (dumper->dump) {
		dump__give_up(dump_live__dump(dumper->dump));
		dump_live__free(dumper->dump);
		dumper->dump = NULL;
		progress_end();
	}
	dumper->had_round = true;
}

/* The next target that lives; false: the round is over. */
static bool start_dump(struct dumper *dumper)
{
	const struct session *session = live__session(dumper->live);
	struct dump_options options = { .progress = dump__show_progress };
	int err;

	while (dumper->next < session__target_count(session)) {
		options.target = dumper->next++;
		dumper->dump_ns = clock__monotonic_ns();
		if (session__target(session, options.target)->state != TARGET_LIVE)
			continue;
		err = dump_live__new(dumper->live, &options, false, &dumper->dump);
		if (!err)
			return true;
		dumper->failed += err != -ESRCH || !dumper->had_round;
	}
	return false;
}

static void start_round(struct dumper *dumper, uint64_t now)
{
	dumper->is_in_round = true;
	dumper->next = 0;
	dumper->round_ns += dumper->every_ns;
	if (!dumper->every_ns || dumper->round_ns > now)
		return;
	dumper->round_ns = now + dumper->every_ns;
}

static void end_round(struct dumper *dumper)
{
	dumper->is_in_round = false;
	dumper->had_round = true;
	dumper->is_done = !dumper->every_ns;
	if (!dumper->is_done && !dumper->said_late && clock__monotonic_ns() > dumper->round_ns) {
		note("heap dumps take longer than the time between them: each starts when the one"
		     " before is done");
		dumper->said_late = true;
	}
}

/* Those before took so long, and the heap may have grown by a quarter. */
static bool would_be_late(const struct dumper *dumper, uint64_t now)
{
	return dumper->until_ns && dumper->had_round &&
	       now + dumper->longest_ns + dumper->longest_ns / 4 > dumper->until_ns;
}

/* No dump is begun from now on. */
static void leave_rest(struct dumper *dumper, uint64_t now)
{
	char ns[UNITS_TEXT];

	dumper->is_in_round = false;
	dumper->is_done = true;
	if (!dumper->is_quiet && now < dumper->until_ns)
		note("no further heap dump: it could not end in time; the longest took %s",
		     units__ns(ns, dumper->longest_ns));
}

void dumper__turn(struct dumper *dumper)
{
	const uint64_t now = clock__monotonic_ns();

	if (dumper->dump) {
		struct dump *dump = dump_live__dump(dumper->dump);

		dump__turn(dump);
		if (dump__is_over(dump))
			finish_dump(dumper, dump);
		return;
	}
	if (dumper->is_done || dumper->is_stopping)
		return;
	if ((dumper->is_in_round || now >= dumper->round_ns) && would_be_late(dumper, now)) {
		leave_rest(dumper, now);
		return;
	}
	if (!dumper->is_in_round && now >= dumper->round_ns)
		start_round(dumper, now);
	if (dumper->is_in_round && !start_dump(dumper))
		end_round(dumper);
}

bool dumper__may_stop(struct dumper *dumper, bool hurry)
{
	if (!hurry)
		return !dumper->is_in_round && (dumper->is_done || dumper->begun + dumper->failed);
	dumper->is_stopping = true;
	if (dumper->dump && dumper->finish_ns)
		dump__finish(dump_live__dump(dumper->dump),
			     clock__monotonic_ns() + dumper->finish_ns);
	else if (dumper->dump)
		dump__abort(dump_live__dump(dumper->dump));
	return !dumper->dump;
}
