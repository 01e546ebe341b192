/* SPDX-License-Identifier: BSD-2-Clause */
/* The way of a heap dump, with a session that only notes what is asked of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "cli/dump.h"
#include "gctrace/wire.h"
#include "stream/loss.h"

#define TARGET 3
#define MIB (UINT64_C(1) << 20)

/* The world: a target and a kernel that do as the test says; what is asked of them is in `log`. */
struct world {
	struct buf log;	 /* of the dump's doings */
	struct buf told; /* what its sink got */
	uint64_t now;
	int lowered;
	int taken;	 /* answers of is_taken, open_ring and ask */
	int ring_error, ask_error;
	bool is_silent;
	size_t used;
	int sink_answer;
	size_t progress;
};

static uint64_t now_ns(void *context)
{
	return ((struct world *)context)->now;
}

static int is_taken(void *context)
{
	return ((struct world *)context)->taken;
}

/* It was only left up if `taken` is 2. */
static void lower_leftover(void *context)
{
	struct world *world = context;

	world->lowered++;
	if (world->taken == 2)
		world->taken = 0;
}

static void note_word(void *context, const char *word)
{
	struct world *world = context;

	buf__printf(&world->log, "%s%s", world->log.len ? " " : "", word);
}

static int open_ring(void *context)
{
	note_word(context, "ring");
	return ((struct world *)context)->ring_error;
}

static int ask(void *context)
{
	note_word(context, "ask");
	return ((struct world *)context)->ask_error;
}

static void unask(void *context)
{
	note_word(context, "unask");
}

static void hold(void *context, bool wait)
{
	note_word(context, wait ? "hold" : "go");
}

static bool is_silent(void *context)
{
	return ((struct world *)context)->is_silent;
}

static void leave_ring(void *context)
{
	note_word(context, "leave");
}

static void close_ring(void *context)
{
	note_word(context, "close");
}

static size_t used(void *context)
{
	return ((struct world *)context)->used;
}

static int keep(void *context, const struct event *event)
{
	struct world *world = context;

	buf__printf(&world->told, "%s%d", world->told.len ? " " : "", event->kind);
	return world->sink_answer;
}

static void see_progress(void *context, const struct dump_progress *progress)
{
	struct world *world = context;

	(void)progress;
	world->progress++;
}

static struct dump *start(struct world *world)
{
	const struct dump_ops ops = {
		world, now_ns, is_taken, lower_leftover, open_ring, ask, unask, hold, is_silent,
		leave_ring, close_ring, used,
	};
	const struct dump_options options = {
		.target = TARGET,
		.name = "pid 1",
		.sink = { keep, world },
		.progress = see_progress,
		.context = world,
	};
	struct dump *dump;

	*world = (struct world){ .log = BUF_INIT, .told = BUF_INIT, .now = 1000 * NS_PER_S };
	dump = dump__new(&options, &ops);
	assert_non_null(dump);
	return dump;
}

static void end(struct world *world, struct dump *dump)
{
	dump__free(dump);
	buf__free(&world->log);
	buf__free(&world->told);
}

#define EXPECT(buf, string)                                                                       \
	do {                                                                                      \
		assert_string_equal(buf__str(buf), string);                                       \
		buf__reset(buf);                                                                  \
	} while (0)

static void pass_time(struct world *world, struct dump *dump, uint64_t ms)
{
	for (uint64_t i = 0; i < ms; i += 50) {
		world->now += 50 * NS_PER_MS;
		dump__turn(dump);
	}
}

static struct event event_of(const struct world *world, enum event_kind kind)
{
	return (struct event){ .kind = kind, .target = TARGET, .stamp = world->now };
}

static int tell(struct world *world, struct dump *dump, enum event_kind kind)
{
	const struct event event = event_of(world, kind);

	return dump__event(dump, &event);
}

static int tell_container(struct world *world, struct dump *dump, uint64_t type, uint64_t id1)
{
	struct event event = event_of(world, EVENT_CONTAINER);

	event.container.type = type;
	event.container.id1 = id1;
	event.container.id2 = 77;
	return dump__event(dump, &event);
}

static int tell_object(struct world *world, struct dump *dump, bool more)
{
	static const struct reference references[3] = { { .to = 8 }, { .to = 0 }, { .to = 16 } };
	struct event event = event_of(world, EVENT_OBJECT);

	event.object.size = 40;
	event.object.more = more;
	event.object.references = references;
	event.object.count = 3;
	return dump__event(dump, &event);
}

static int tell_loss(struct world *world, struct dump *dump, uint32_t target)
{
	struct event event = event_of(world, EVENT_LOSS);

	event.target = target;
	event.loss.count = 5;
	return dump__event(dump, &event);
}

static int tell_end(struct world *world, struct dump *dump, uint64_t status)
{
	struct event event = event_of(world, EVENT_DUMP_END);

	event.dump_end.status = status;
	event.dump_end.objects = 12;
	return dump__event(dump, &event);
}

/* Up to where the target has begun to tell. */
static struct dump *start_running(struct world *world)
{
	struct dump *dump = start(world);

	pass_time(world, dump, 300);
	EXPECT(&world->log, "ring ask");
	assert_int_equal(tell_container(world, dump, GCTRACE_C_BEGIN, 4), 0);
	return dump;
}

static void a_dump_from_its_wish_to_its_end(void **state)
{
	struct world world;
	struct dump *dump = start_running(&world);
	const struct dump_result *result = dump__result(dump);

	(void)state;
	assert_true(result->begun);
	assert_int_equal(result->number, 4);
	assert_int_equal(result->gc, 77);
	tell(&world, dump, EVENT_CLASS);
	tell(&world, dump, EVENT_DEFINE);
	tell(&world, dump, EVENT_GC_START); /* the trace's, not the dump's */
	tell_object(&world, dump, true);
	tell_object(&world, dump, false);
	assert_int_equal(result->outcome, DUMP_UNDER_WAY);
	tell_container(&world, dump, GCTRACE_C_END, GCTRACE_DUMP_COMPLETE);
	EXPECT(&world.log, "unask");
	tell_end(&world, dump, GCTRACE_DUMP_COMPLETE);
	EXPECT(&world.log, "leave");
	EXPECT(&world.told, "8 11 12 10 10 8 16");
	assert_int_equal(result->objects, 1);
	assert_int_equal(result->references, 4);
	assert_int_equal(result->heap_bytes, 40);
	assert_int_equal(result->told_objects, 12);

	/* The ring stays until the requests are down, and a while. */
	pass_time(&world, dump, 1000);
	assert_false(dump__is_over(dump));
	EXPECT(&world.log, "");
	tell_container(&world, dump, GCTRACE_C_BEGIN, 5);
	EXPECT(&world.told, ""); /* the next one is not ours */
	world.is_silent = true;
	dump__turn(dump);
	EXPECT(&world.log, "close");
	assert_true(dump__is_over(dump));
	assert_true(dump__is_whole(dump));
	end(&world, dump);
}

static void single_probes_tell_no_totals(void **state)
{
	struct world world;
	struct dump *dump = start_running(&world);

	(void)state;
	tell_container(&world, dump, GCTRACE_C_END, GCTRACE_DUMP_COMPLETE);
	EXPECT(&world.log, "unask");
	tell(&world, dump, EVENT_PAUSE_END);
	EXPECT(&world.log, "leave");
	assert_false(dump__result(dump)->has_totals);
	assert_true(dump__is_whole(dump));
	end(&world, dump);

	dump = start_running(&world);
	tell_container(&world, dump, GCTRACE_C_END, GCTRACE_DUMP_COMPLETE);
	pass_time(&world, dump, 450);
	EXPECT(&world.log, "unask");
	pass_time(&world, dump, 50);
	EXPECT(&world.log, "leave");
	end(&world, dump);
}

static void another_tracer_goes_first(void **state)
{
	struct world world;
	struct dump *dump = start(&world);

	(void)state;
	world.taken = 1;
	pass_time(&world, dump, 5000);
	tell_container(&world, dump, GCTRACE_C_BEGIN, 1); /* theirs */
	tell_object(&world, dump, false);
	tell_container(&world, dump, GCTRACE_C_END, 0);
	EXPECT(&world.log, "");
	EXPECT(&world.told, "");
	assert_int_equal(world.lowered, 1); /* in vain */
	world.taken = 0;
	pass_time(&world, dump, 200);
	EXPECT(&world.log, ""); /* the target's helper must have seen it down */
	pass_time(&world, dump, 50);
	EXPECT(&world.log, "ring ask");
	/* Stamped before we asked. */
	world.now -= 100 * NS_PER_MS;
	tell_container(&world, dump, GCTRACE_C_BEGIN, 1);
	world.now += 100 * NS_PER_MS;
	tell_container(&world, dump, GCTRACE_C_END, 0);
	EXPECT(&world.told, "");
	tell_container(&world, dump, GCTRACE_C_BEGIN, 2);
	EXPECT(&world.told, "8");
	assert_int_equal(dump__result(dump)->number, 2);
	end(&world, dump);
}

static void what_a_killed_tracer_left_up_is_lowered(void **state)
{
	struct world world;
	struct dump *dump = start(&world);

	(void)state;
	world.taken = 2;
	pass_time(&world, dump, 1900);
	assert_int_equal(world.lowered, 0);
	pass_time(&world, dump, 500);
	assert_int_equal(world.lowered, 1);
	EXPECT(&world.log, "ring ask");
	end(&world, dump);
}

static void a_flicker_of_another_request_starts_the_wait_anew(void **state)
{
	struct world world;
	struct dump *dump = start(&world);

	(void)state;
	pass_time(&world, dump, 150);
	world.taken = 1;
	pass_time(&world, dump, 50);
	world.taken = 0;
	pass_time(&world, dump, 200);
	EXPECT(&world.log, "");
	pass_time(&world, dump, 50);
	EXPECT(&world.log, "ring ask");
	end(&world, dump);
}

static void it_waits_for_others_only_so_long(void **state)
{
	struct world world;
	struct dump *dump = start(&world);

	(void)state;
	world.taken = 1;
	pass_time(&world, dump, DUMP_WAIT_NS / NS_PER_MS + 50);
	assert_true(dump__is_over(dump));
	assert_int_equal(dump__result(dump)->outcome, DUMP_TAKEN);
	EXPECT(&world.log, "");
	end(&world, dump);
}

static void a_dump_that_never_begins(void **state)
{
	struct world world;
	struct dump *dump = start(&world);

	(void)state;
	pass_time(&world, dump, 300);
	EXPECT(&world.log, "ring ask");
	pass_time(&world, dump, DUMP_BEGIN_NS / NS_PER_MS);
	EXPECT(&world.log, "unask leave");
	assert_int_equal(dump__result(dump)->outcome, DUMP_NEVER_BEGAN);
	assert_false(dump__result(dump)->begun);
	world.is_silent = true;
	pass_time(&world, dump, 250);
	EXPECT(&world.log, "close");
	assert_true(dump__is_over(dump));
	end(&world, dump);
}

static void what_cannot_be_had_is_undone(void **state)
{
	struct world world;
	struct dump *dump = start(&world);

	(void)state;
	world.ring_error = -ENOMEM;
	pass_time(&world, dump, 300);
	EXPECT(&world.log, "ring");
	assert_true(dump__is_over(dump));
	assert_int_equal(dump__result(dump)->outcome, DUMP_FAILED);
	end(&world, dump);

	dump = start(&world);
	world.ask_error = -EPERM;
	world.is_silent = true;
	pass_time(&world, dump, 300);
	EXPECT(&world.log, "ring ask leave");
	pass_time(&world, dump, 250);
	EXPECT(&world.log, "close");
	assert_int_equal(dump__result(dump)->outcome, DUMP_FAILED);
	end(&world, dump);

	dump = start(&world);
	world.taken = -ESRCH;
	dump__turn(dump);
	assert_int_equal(dump__result(dump)->outcome, DUMP_TARGET_GONE);
	assert_true(dump__is_over(dump));
	end(&world, dump);
}

static void an_abort_still_waits_for_the_end(void **state)
{
	struct world world;
	struct dump *dump = start_running(&world);

	(void)state;
	tell_object(&world, dump, false);
	dump__abort(dump);
	dump__abort(dump);
	EXPECT(&world.log, "unask");
	tell_object(&world, dump, false); /* on its way */
	pass_time(&world, dump, 5000);
	assert_false(dump__is_over(dump));
	tell_container(&world, dump, GCTRACE_C_END, GCTRACE_DUMP_ABORTED);
	tell_end(&world, dump, GCTRACE_DUMP_ABORTED);
	EXPECT(&world.log, "leave");
	EXPECT(&world.told, "8 10 10 8 16");
	assert_int_equal(dump__result(dump)->outcome, DUMP_ABORTED);
	assert_false(dump__is_whole(dump));
	end(&world, dump);
}

static void what_the_target_gives_up_it_says_why(void **state)
{
	struct event notice = { .kind = EVENT_NOTICE, .target = TARGET };
	struct world world;
	struct dump *dump = start_running(&world);

	(void)state;
	notice.notice.text = (struct text){ "no\nroom", 7 };
	assert_null(dump__words(dump));
	assert_int_equal(dump__event(dump, &notice), 0);
	tell_container(&world, dump, GCTRACE_C_END, GCTRACE_DUMP_ABORTED);
	tell_end(&world, dump, GCTRACE_DUMP_ABORTED);
	assert_int_equal(dump__result(dump)->outcome, DUMP_GIVEN_UP);
	assert_string_equal(dump__words(dump), "no\\nroom");
	assert_false(dump__is_whole(dump));
	end(&world, dump);
}

static void an_abort_before_the_beginning(void **state)
{
	struct world world;
	struct dump *dump = start(&world);

	(void)state;
	dump__abort(dump);
	assert_true(dump__is_over(dump));
	EXPECT(&world.log, "");
	end(&world, dump);

	/* Asked, and the target did not see it or has no answer to an ask that was taken back. */
	dump = start(&world);
	pass_time(&world, dump, 300);
	EXPECT(&world.log, "ring ask");
	dump__abort(dump);
	EXPECT(&world.log, "unask");
	pass_time(&world, dump, 600);
	EXPECT(&world.log, "leave");
	assert_int_equal(dump__result(dump)->outcome, DUMP_ABORTED);
	assert_false(dump__result(dump)->begun);
	end(&world, dump);

	/* The same where collections go on to be told, in the ring that was made for it. */
	dump = start(&world);
	pass_time(&world, dump, 300);
	dump__abort(dump);
	for (int i = 0; i < 12; i++) {
		dump__record(dump, 100, 0, MIB);
		pass_time(&world, dump, 50);
	}
	EXPECT(&world.log, "ring ask unask leave");
	assert_int_equal(dump__result(dump)->outcome, DUMP_ABORTED);
	end(&world, dump);

	/* After a time in which it would have begun, nothing more is waited for. */
	dump = start(&world);
	pass_time(&world, dump, 1000);
	dump__abort(dump);
	EXPECT(&world.log, "ring ask unask leave");
	assert_int_equal(dump__result(dump)->outcome, DUMP_ABORTED);
	end(&world, dump);

	/* Or it had begun just then. */
	dump = start(&world);
	pass_time(&world, dump, 300);
	dump__abort(dump);
	tell_container(&world, dump, GCTRACE_C_BEGIN, 1);
	tell_container(&world, dump, GCTRACE_C_END, GCTRACE_DUMP_ABORTED);
	tell(&world, dump, EVENT_PAUSE_END);
	EXPECT(&world.log, "ring ask unask leave");
	assert_int_equal(dump__result(dump)->outcome, DUMP_ABORTED);
	assert_true(dump__result(dump)->begun);
	end(&world, dump);
}

/* So much time from now on, as an ending trace leaves. */
static void finish(struct world *world, struct dump *dump, uint64_t ms)
{
	dump__finish(dump, world->now + ms * NS_PER_MS);
	dump__finish(dump, UINT64_MAX); /* asked again, as each round does: the first counts */
}

static void a_dump_that_has_begun_may_finish(void **state)
{
	struct world world;
	struct dump *dump = start_running(&world);

	(void)state;
	finish(&world, dump, 1000);
	pass_time(&world, dump, 900);
	EXPECT(&world.log, "");
	tell_container(&world, dump, GCTRACE_C_END, GCTRACE_DUMP_COMPLETE);
	tell_end(&world, dump, GCTRACE_DUMP_COMPLETE);
	pass_time(&world, dump, 5000);
	EXPECT(&world.log, "unask leave");
	assert_true(dump__is_whole(dump));
	end(&world, dump);

	/* C_END came in time, and DUMP_END never does. */
	dump = start_running(&world);
	finish(&world, dump, 1000);
	tell_container(&world, dump, GCTRACE_C_END, GCTRACE_DUMP_COMPLETE);
	pass_time(&world, dump, 5000);
	assert_true(dump__is_whole(dump));
	end(&world, dump);

	/* Requested just now: the target may have begun it. */
	dump = start(&world);
	pass_time(&world, dump, 300);
	EXPECT(&world.log, "ring ask");
	finish(&world, dump, 1000);
	EXPECT(&world.log, "");
	tell_container(&world, dump, GCTRACE_C_BEGIN, 1);
	tell_container(&world, dump, GCTRACE_C_END, GCTRACE_DUMP_COMPLETE);
	tell_end(&world, dump, GCTRACE_DUMP_COMPLETE);
	assert_true(dump__is_whole(dump));
	end(&world, dump);
}

static void one_that_does_not_finish_is_stopped(void **state)
{
	struct world world;
	struct dump *dump = start_running(&world);

	(void)state;
	finish(&world, dump, 1000);
	for (int i = 0; i < 21; i++) {
		tell_object(&world, dump, false);
		pass_time(&world, dump, 50);
	}
	EXPECT(&world.log, "unask"); /* and its end comes */
	tell_container(&world, dump, GCTRACE_C_END, GCTRACE_DUMP_ABORTED);
	tell_end(&world, dump, GCTRACE_DUMP_ABORTED);
	assert_int_equal(dump__result(dump)->outcome, DUMP_ABORTED);
	end(&world, dump);

	/* Or does not, however much else does. */
	dump = start_running(&world);
	finish(&world, dump, 1000);
	for (int i = 0; i < 40; i++) {
		tell_object(&world, dump, false);
		pass_time(&world, dump, 50);
	}
	EXPECT(&world.log, "unask leave close");
	assert_true(dump__is_over(dump));
	assert_int_equal(dump__result(dump)->outcome, DUMP_ABORTED);
	end(&world, dump);

	/* Nothing was requested, or not answered so far. */
	dump = start(&world);
	finish(&world, dump, 1000);
	assert_true(dump__is_over(dump));
	end(&world, dump);
	dump = start(&world);
	pass_time(&world, dump, 1000);
	finish(&world, dump, 1000);
	EXPECT(&world.log, "ring ask unask leave");
	end(&world, dump);
}

static void the_target_may_end_at_any_time(void **state)
{
	static const enum event_kind ends[] = { EVENT_EXIT, EVENT_EXEC };
	struct world world;
	struct dump *dump;

	(void)state;
	for (int i = 0; i < 2; i++) {
		dump = start(&world);
		tell(&world, dump, ends[i]);
		assert_true(dump__is_over(dump));
		assert_int_equal(dump__result(dump)->outcome, DUMP_TARGET_GONE);
		end(&world, dump);

		dump = start_running(&world);
		tell_object(&world, dump, false);
		dump__record(dump, 100, MIB, MIB);
		EXPECT(&world.log, "hold");
		tell(&world, dump, ends[i]);
		EXPECT(&world.log, "unask go leave");
		assert_int_equal(dump__result(dump)->outcome, DUMP_TARGET_GONE);
		end(&world, dump);
	}
	/* Somebody else's end is not its. */
	dump = start_running(&world);
	tell(&world, dump, EVENT_EXIT);
	end(&world, dump);
}

static void the_target_waits_while_the_ring_is_full(void **state)
{
	struct world world;
	struct dump *dump = start_running(&world);

	(void)state;
	dump__record(dump, 100, 31 * MIB, 64 * MIB);
	EXPECT(&world.log, "");
	dump__record(dump, 100, 32 * MIB, 64 * MIB);
	dump__record(dump, 100, 40 * MIB, 64 * MIB);
	EXPECT(&world.log, "hold");
	world.used = 100;
	pass_time(&world, dump, 100);
	EXPECT(&world.log, "");
	world.used = 0;
	dump__turn(dump);
	EXPECT(&world.log, "go");
	/* A small ring is full sooner than the request is up: its mark is lower. */
	dump__record(dump, 100, MIB / 8 - 1, MIB);
	EXPECT(&world.log, "");
	dump__record(dump, 100, MIB / 8, MIB);
	EXPECT(&world.log, "hold");
	/* The end lets go. */
	tell_container(&world, dump, GCTRACE_C_END, 0);
	EXPECT(&world.log, "unask go");
	dump__record(dump, 100, MIB, MIB);
	EXPECT(&world.log, "");
	assert_int_equal(dump__result(dump)->held, 2);
	assert_int_equal(dump__result(dump)->used_most, 40 * MIB);
	assert_int_equal(dump__result(dump)->stream_bytes, 600);
	end(&world, dump);

	/* Nobody is held in a dump that is stopped: it shall end. */
	dump = start_running(&world);
	dump__record(dump, 100, MIB, MIB);
	dump__abort(dump);
	dump__record(dump, 100, MIB, MIB);
	EXPECT(&world.log, "hold unask go");
	end(&world, dump);
}

static void losses_are_counted_and_an_end_may_be_lost(void **state)
{
	struct world world;
	struct dump *dump = start_running(&world);

	(void)state;
	tell(&world, dump, EVENT_PAUSE_END); /* of a pause before it, told late */
	assert_int_equal(dump__result(dump)->outcome, DUMP_UNDER_WAY);
	tell_loss(&world, dump, TARGET + 1);
	assert_int_equal(dump__result(dump)->lost, 0);
	tell_loss(&world, dump, TARGET);
	tell_loss(&world, dump, LOSS_ANY_TARGET);
	assert_int_equal(dump__result(dump)->lost, 10);
	EXPECT(&world.told, "8 19 19");
	tell(&world, dump, EVENT_PAUSE_END);
	EXPECT(&world.log, "unask leave");
	assert_int_equal(dump__result(dump)->outcome, DUMP_END_LOST);
	end(&world, dump);

	/* Whole at its end, but not all of it. */
	dump = start_running(&world);
	tell_loss(&world, dump, TARGET);
	tell_container(&world, dump, GCTRACE_C_END, 0);
	assert_int_equal(dump__result(dump)->outcome, DUMP_COMPLETE);
	assert_false(dump__is_whole(dump));
	end(&world, dump);

	/* C_BEGIN itself was lost. */
	dump = start(&world);
	pass_time(&world, dump, 300);
	tell_loss(&world, dump, TARGET);
	tell_object(&world, dump, false);
	assert_true(dump__result(dump)->begun);
	assert_true(dump__result(dump)->began_by_loss);
	assert_int_equal(dump__result(dump)->number, EVENT_UNKNOWN);
	tell_end(&world, dump, GCTRACE_DUMP_COMPLETE);
	assert_false(dump__is_whole(dump));
	end(&world, dump);
}

static void silence_is_ended(void **state)
{
	struct world world;
	struct dump *dump = start_running(&world);
	const uint64_t patience = DUMP_SILENCE_NS / NS_PER_MS;

	(void)state;
	tell_object(&world, dump, false);
	pass_time(&world, dump, patience - 50);
	tell_object(&world, dump, false);
	/* The target may collect all the while: that is no life of the dump's. */
	dump__record(dump, 100, 0, MIB);
	tell(&world, dump, EVENT_PAUSE_BEGIN);
	pass_time(&world, dump, patience - 50);
	dump__record(dump, 100, 0, MIB);
	tell(&world, dump, EVENT_PAUSE_END);
	EXPECT(&world.log, "");
	pass_time(&world, dump, 100);
	EXPECT(&world.log, "unask");
	pass_time(&world, dump, patience + 50);
	EXPECT(&world.log, "leave");
	assert_int_equal(dump__result(dump)->outcome, DUMP_SILENT);
	end(&world, dump);
}

static void freeing_undoes_everything(void **state)
{
	struct world world;
	struct dump *dump = start_running(&world);

	(void)state;
	dump__record(dump, 100, MIB, MIB);
	EXPECT(&world.log, "hold");
	dump__free(dump);
	EXPECT(&world.log, "unask go leave close");
	end(&world, NULL);
}

static void the_sinks_answer_is_handed_up(void **state)
{
	struct world world;
	struct dump *dump = start_running(&world);

	(void)state;
	world.sink_answer = -ENOMEM;
	assert_int_equal(tell_object(&world, dump, false), -ENOMEM);
	assert_int_equal(tell(&world, dump, EVENT_GC_START), 0);
	end(&world, dump);
}

static void progress_is_shown_now_and_then(void **state)
{
	struct world world;
	struct dump *dump = start_running(&world);

	(void)state;
	world.progress = 0;
	for (int i = 0; i < 1000; i++) {
		world.now += NS_PER_MS;
		dump__record(dump, 100, 0, MIB);
	}
	assert_in_range(world.progress, 9, 11);
	end(&world, dump);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dump_from_its_wish_to_its_end),
		cmocka_unit_test(single_probes_tell_no_totals),
		cmocka_unit_test(another_tracer_goes_first),
		cmocka_unit_test(what_a_killed_tracer_left_up_is_lowered),
		cmocka_unit_test(a_flicker_of_another_request_starts_the_wait_anew),
		cmocka_unit_test(it_waits_for_others_only_so_long),
		cmocka_unit_test(a_dump_that_never_begins),
		cmocka_unit_test(what_cannot_be_had_is_undone),
		cmocka_unit_test(an_abort_still_waits_for_the_end),
		cmocka_unit_test(what_the_target_gives_up_it_says_why),
		cmocka_unit_test(an_abort_before_the_beginning),
		cmocka_unit_test(a_dump_that_has_begun_may_finish),
		cmocka_unit_test(one_that_does_not_finish_is_stopped),
		cmocka_unit_test(the_target_may_end_at_any_time),
		cmocka_unit_test(the_target_waits_while_the_ring_is_full),
		cmocka_unit_test(losses_are_counted_and_an_end_may_be_lost),
		cmocka_unit_test(silence_is_ended),
		cmocka_unit_test(freeing_undoes_everything),
		cmocka_unit_test(the_sinks_answer_is_handed_up),
		cmocka_unit_test(progress_is_shown_now_and_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
