/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session with a real process: semaphores, what the process does meanwhile (exec, fork, exit),
 * full rings, the dump's ring, requests; after every end nothing is left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <gctrace/wire.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/request.h"
#include "attach/ring.h"
#include "base/clock.h"
#include "bench.h"
#include "target/host.h"
#include "target/process.h"

#define COLLECTION_SEMAPHORES (VICTIM_SEES_GC_START | VICTIM_SEES_BATCH)

/* What handlers were told. */
static struct {
	struct target *joined, *ended;
	unsigned int joins, ends, attaches;
} told;

static void on_joined(void *context, struct target *target)
{
	(void)context;
	told.joined = target;
	told.joins++;
}

static void on_attached(void *context, struct target *target)
{
	(void)context;
	(void)target;
	told.attaches++;
}

static void on_ended(void *context, struct target *target)
{
	(void)context;
	told.ended = target;
	told.ends++;
}

static struct session_options watched(void)
{
	struct session_options options = {
		.handlers = {
			.joined = on_joined,
			.attached = on_attached,
			.ended = on_ended,
		},
	};

	memset(&told, 0, sizeof(told));
	return options;
}

/* Poll until *count is at least wanted; a minute at most. */
static void poll_until(struct bench *bench, const unsigned int *count, unsigned int wanted)
{
	uint64_t end = clock__monotonic_ns() + 60 * NS_PER_S;

	while (*count < wanted && clock__monotonic_ns() < end)
		assert_int_equal(session__poll(bench->session, 10), 0);
	assert_true(*count >= wanted);
}

static uint64_t semaphores(struct bench *bench)
{
	return victim__do(&bench->victim, VICTIM_SEMAPHORES, 0, 0);
}

/* ---- Semaphores ---- */

static void levels_raise_their_semaphores_only(void **state)
{
	struct bench bench;

	NEEDS_ROOT;
	bench__start(&bench, NULL, LEVEL_COLLECTIONS);
	assert_int_equal(semaphores(&bench), COLLECTION_SEMAPHORES);
	assert_int_equal(bench.target->on, LEVEL_COLLECTIONS);
	assert_int_equal(session__want(bench.session, bench.target, LEVEL_MOVES), 0);
	assert_int_equal(semaphores(&bench), COLLECTION_SEMAPHORES | VICTIM_SEES_MOVED);
	assert_int_equal(session__want(bench.session, bench.target, LEVEL_DUMP), 0);
	assert_int_equal(semaphores(&bench),
			 COLLECTION_SEMAPHORES | VICTIM_SEES_MOVED | VICTIM_SEES_OBJECTS);
	session__detach(bench.session, NULL);
	assert_int_equal(semaphores(&bench), 0);
	assert_int_equal(bench.target->state, TARGET_LEFT);
	bench__do(&bench, VICTIM_GC_START, 10, 0);
	assert_int_equal(bench.tape.count, 0);
	bench__end(&bench);
}

/* Attaches, says so by a byte, and waits to be killed. */
static void child_attaches(pid_t pid, int ready)
{
	const struct session_options options = { 0 };
	struct process *process;
	struct session *session;
	struct target *target;

	if (session__new(&options, &session) || process__open(pid, &process, NULL) ||
	    session__add(session, process, LEVEL_ALL, &target) || write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void nothing_is_left_of_a_killed_tracer(void **state)
{
	struct victim victim;
	int ready[2];
	char byte;
	pid_t child;

	NEEDS_ROOT;
	victim__start(&victim);
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0)
		child_attaches(victim.pid, ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_not_equal(victim__do(&victim, VICTIM_SEMAPHORES, 0, 0), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(victim__do(&victim, VICTIM_SEMAPHORES, 0, 0), 0);
	victim__do(&victim, VICTIM_GC_START, 100, 0);
	close(ready[0]);
	close(ready[1]);
	victim__end(&victim);
}

/* ---- Losses ---- */

/* Nobody reads: what was sent is in the rings or counted, to the last record and entry. */
static void full_ring(bool old)
{
	const struct session_options options = { .ring_bytes = 1 << 19, .as_before_6 = old };
	const uint64_t sent = 3000;
	struct loss_counts losses;
	struct bench bench;
	uint64_t entries = 0;

	bench__start(&bench, &options, LEVEL_ALL);
	for (uint64_t i = 0; i < sent; i++)
		victim__do(&bench.victim, VICTIM_MOVED, i % 2048 + 1, 4);
	tape__drain(&bench.tape, bench.session);
	for (size_t i = 0; i < bench.tape.count; i++)
		entries += ((struct record_call *)bench.tape.items[i].record)->part.count;
	losses = bench__losses(&bench);
	assert_true(bench.tape.count > 0);
	assert_true(losses.records[BPF_LOSS_RING_FULL] > 0);
	assert_int_equal(bench.tape.count + losses.records[BPF_LOSS_RING_FULL], sent);
	for (uint64_t i = 0; i < sent; i++)
		entries -= i % 2048 + 1;
	assert_int_equal(entries + losses.entries[BPF_LOSS_RING_FULL], 0);
	bench__end(&bench);
}

static void full_rings_are_counted_exactly(void **state)
{
	NEEDS_ROOT;
	full_ring(false);
	full_ring(true);
}

static void look_at_absent(const struct session_options *options, enum victim_absence how,
			   uint64_t lost)
{
	struct loss_counts losses;
	struct bench bench;

	bench__start(&bench, options, LEVEL_ALL);
	bench__do(&bench, VICTIM_ABSENT, 2048, how);
	losses = bench__losses(&bench);
	assert_int_equal(losses.records[BPF_LOSS_COPY], lost);
	assert_int_equal(losses.entries[BPF_LOSS_COPY], lost * 2048);
	assert_int_equal(bench.tape.count, 1 - lost);
	bench__end(&bench);
}

/* A program that waited for memory would wait for as long as the target likes: it never does. */
static void absent_pages_are_counted(void **state)
{
	struct session_options options = { 0 };

	NEEDS_ROOT;
	look_at_absent(NULL, VICTIM_NEVER_TOUCHED, 1);
	look_at_absent(NULL, VICTIM_TAKEN_OUT, 1);
	options.as_before_6 = true;
	look_at_absent(&options, VICTIM_NEVER_TOUCHED, 1);
}

static void the_header_touches_what_it_passes(void **state)
{
	NEEDS_ROOT;
	look_at_absent(NULL, VICTIM_BY_HEADER, 0);
}

static void absent_pages_are_fetched_on_request(void **state)
{
	const struct session_options options = { .fault_in = true };

	NEEDS_ROOT;
	if (host__kernel_version() < (6u << 16))
		skip();
	look_at_absent(&options, VICTIM_NEVER_TOUCHED, 0);
	look_at_absent(&options, VICTIM_TAKEN_OUT, 0);
}

/* ---- What a process does ---- */

static void exec_is_a_new_target(bool by_other)
{
	struct session_options options = watched();
	struct target *old, *new;
	struct bench bench;

	bench__start(&bench, &options, LEVEL_COLLECTIONS);
	old = bench.target;
	victim__do(&bench.victim, VICTIM_GC_START, 5, 0);
	victim__do(&bench.victim, VICTIM_EXEC, by_other, 0);
	poll_until(&bench, &told.joins, 1);
	new = told.joined;
	assert_ptr_equal(told.ended, old);
	assert_int_equal(old->state, TARGET_EXECED);
	assert_ptr_equal(old->successor, new);
	/* Links that were there before make nothing of the new image partial. */
	if (by_other)
		assert_true(new->attached_ns > old->ended_ns);
	else
		assert_int_equal(new->attached_ns, old->ended_ns);
	assert_int_equal(new->on, LEVEL_COLLECTIONS);
	assert_int_equal(semaphores(&bench), COLLECTION_SEMAPHORES);
	/* Nor is anything missed, though links ended with the first thread. */
	assert_int_equal(session__poll(bench.session, 0), 0);
	assert_int_equal(old->missed + new->missed, 0);
	victim__do(&bench.victim, VICTIM_GC_START, 7, 0);
	tape__drain(&bench.tape, bench.session);
	assert_int_equal(bench.tape.count, 12);
	/* By CPU, so in no order; each twice would be the mistake to make here. */
	for (size_t i = 0, of_new = 0; i < 12; i++) {
		of_new += session__target_of(bench.session, bench.tape.items[i].record) == new;
		if (i == 11)
			assert_int_equal(of_new, 7);
	}
	session__detach(bench.session, NULL);
	assert_int_equal(semaphores(&bench), 0);
	bench__end(&bench);
}

static void exec_by_the_first_thread(void **state)
{
	NEEDS_ROOT;
	exec_is_a_new_target(false);
}

static void exec_by_another_thread(void **state)
{
	NEEDS_ROOT;
	exec_is_a_new_target(true);
}

/*
 * The thread that executes waits for all others to end, and one of them takes its time: it is held
 * where a tracer hears of its exit.
 */
static void exec_by_a_thread_that_has_to_wait(void **state)
{
	struct session_options options = watched();
	struct target *old;
	struct bench bench;
	uint64_t until;
	pid_t late;
	int status;

	NEEDS_ROOT;
	bench__start(&bench, &options, LEVEL_COLLECTIONS);
	old = bench.target;
	late = (pid_t)victim__do(&bench.victim, VICTIM_THREAD, 0, 0);
	assert_int_equal(ptrace(PTRACE_SEIZE, late, 0, PTRACE_O_TRACEEXIT), 0);
	victim__tell(&bench.victim, VICTIM_EXEC, true, 0);
	assert_int_equal(waitpid(late, &status, __WALL), late);
	until = clock__monotonic_ns() + 2 * NS_PER_S;
	while (clock__monotonic_ns() < until)
		assert_int_equal(session__poll(bench.session, 10), 0);
	assert_int_equal(told.joins, 0);
	assert_int_equal(ptrace(PTRACE_DETACH, late, 0, 0), 0);
	poll_until(&bench, &told.joins, 1);
	assert_int_equal(old->missed + told.joined->missed, 0);
	bench__end(&bench);
}

/* Nobody looks meanwhile: those between the first and the last are missed, not mixed up. */
static void each_of_several_execs_is_a_target(void **state)
{
	struct session_options options = watched();
	struct target *image[4];
	size_t of[4] = { 0 };
	struct bench bench;

	NEEDS_ROOT;
	bench__start(&bench, &options, LEVEL_COLLECTIONS);
	for (uint64_t i = 0; i < 4; i++) {
		victim__do(&bench.victim, VICTIM_GC_START, 5 + i, 0);
		if (i < 3)
			victim__do(&bench.victim, VICTIM_EXEC, 0, 0);
	}
	poll_until(&bench, &told.joins, 3);
	assert_int_equal(session__target_count(bench.session), 4);
	for (uint32_t i = 0; i < 4; i++) {
		image[i] = session__target(bench.session, i);
		assert_int_equal(image[i]->state, i < 3 ? TARGET_EXECED : TARGET_LIVE);
		assert_int_equal(image[i]->missed, i == 1 || i == 2);
		assert_string_equal(image[i]->process->comm, "exe");
		if (i) {
			assert_ptr_equal(image[i - 1]->successor, image[i]);
			assert_int_equal(image[i]->attached_ns, image[i - 1]->ended_ns);
		}
	}
	assert_int_equal(session__live_count(bench.session), 1);
	assert_int_equal(image[3]->on, LEVEL_COLLECTIONS);
	tape__drain(&bench.tape, bench.session);
	for (size_t n = 0; n < bench.tape.count; n++)
		of[session__target_of(bench.session, bench.tape.items[n].record)->index]++;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(of[i], 5 + i);
	bench__end(&bench);
}

static void an_image_that_nobody_saw_ends(void **state)
{
	struct session_options options = watched();
	struct bench bench;

	NEEDS_ROOT;
	bench__start(&bench, &options, LEVEL_COLLECTIONS);
	victim__do(&bench.victim, VICTIM_EXEC, 0, 0);
	victim__do(&bench.victim, VICTIM_EXIT, 3, 0);
	waitid(P_PID, (id_t)bench.victim.pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	poll_until(&bench, &told.ends, 2);
	assert_int_equal(told.joins, 1);
	assert_int_equal(bench.target->state, TARGET_EXECED);
	assert_int_equal(bench.target->missed, 0);
	assert_ptr_equal(told.ended, bench.target->successor);
	assert_int_equal(told.ended->state, TARGET_EXITED);
	assert_int_equal(told.ended->exit_status, 3 << 8);
	assert_int_equal(told.ended->missed, 1);
	assert_int_equal(session__live_count(bench.session), 0);
	bench__end(&bench);
}

static void losses_are_of_the_image_that_had_them(void **state)
{
	struct session_options options = watched();
	struct loss_counts before, after;
	struct bench bench;

	NEEDS_ROOT;
	bench__start(&bench, &options, LEVEL_ALL);
	victim__do(&bench.victim, VICTIM_BATCH, 100, 101);
	victim__do(&bench.victim, VICTIM_EXEC, 0, 0);
	poll_until(&bench, &told.joins, 1);
	victim__do(&bench.victim, VICTIM_BATCH, 100, 101);
	victim__do(&bench.victim, VICTIM_BATCH, 100, 101);
	before = bench__losses(&bench);
	bench.target = told.joined;
	after = bench__losses(&bench);
	assert_int_equal(before.records[BPF_LOSS_BAD_BATCH], 1);
	assert_int_equal(after.records[BPF_LOSS_BAD_BATCH], 2);
	bench__end(&bench);
}

static void exit_is_told_with_its_status(void **state)
{
	struct session_options options = watched();
	struct bench bench;

	NEEDS_ROOT;
	bench__start(&bench, &options, LEVEL_COLLECTIONS);
	victim__do(&bench.victim, VICTIM_GC_START, 3, 0);
	victim__do(&bench.victim, VICTIM_EXIT, 7, 0);
	poll_until(&bench, &told.ends, 1);
	assert_ptr_equal(told.ended, bench.target);
	assert_int_equal(bench.target->state, TARGET_EXITED);
	assert_int_equal(bench.target->exit_status, 7 << 8);
	tape__drain(&bench.tape, bench.session);
	assert_int_equal(bench.tape.count, 3);
	bench__end(&bench);
}

static void children_are_followed(void **state)
{
	struct session_options options = watched();
	struct bench bench;
	pid_t helper;

	NEEDS_ROOT;
	options.follow = true;
	bench__start(&bench, &options, LEVEL_COLLECTIONS);
	/* The victim waits for its child, which waits for us, and we must poll meanwhile. */
	helper = fork();
	if (helper == 0) {
		victim__do(&bench.victim, VICTIM_FORK, 1, 0);
		_exit(0);
	}
	poll_until(&bench, &told.joins, 1);
	victim__tell(&bench.victim, VICTIM_GO, 0, 0);
	poll_until(&bench, &told.ends, 1);
	waitpid(helper, NULL, 0);
	assert_int_equal(told.joins, 1);
	assert_int_equal(told.joined->process->parent, bench.victim.pid);
	assert_int_equal(told.joined->state, TARGET_EXITED);
	tape__drain(&bench.tape, bench.session);
	assert_int_equal(bench.tape.count, 1);
	assert_int_equal(bench.tape.items[0].record->target, told.joined->index);
	bench__end(&bench);
}

static void a_child_that_is_not_followed_tells_nothing(void **state)
{
	struct bench bench;

	NEEDS_ROOT;
	bench__start(&bench, NULL, LEVEL_COLLECTIONS);
	bench__do(&bench, VICTIM_FORK, 0, 0);
	assert_int_equal(session__poll(bench.session, 0), 0);
	assert_int_equal(bench.tape.count, 0);
	assert_int_equal(session__target_count(bench.session), 1);
	bench__end(&bench);
}

/* Links end with the thread that they were made for. */
static void the_first_thread_may_exit(void **state)
{
	struct session_options options = watched();
	struct bench bench;
	uint64_t end;

	NEEDS_ROOT;
	bench__start(&bench, &options, LEVEL_COLLECTIONS);
	victim__do(&bench.victim, VICTIM_END_LEADER, 0, 0);
	end = clock__monotonic_ns() + 60 * NS_PER_S;
	/* Between its end and the new links something may have been told. */
	while (!bench.target->missed && clock__monotonic_ns() < end)
		assert_int_equal(session__poll(bench.session, 10), 0);
	assert_true(bench.target->leader_gone);
	assert_int_equal(bench.target->missed, 1);
	assert_false(bench.target->look);
	assert_int_equal(semaphores(&bench), COLLECTION_SEMAPHORES);
	bench__do(&bench, VICTIM_GC_START, 5, 0);
	assert_int_equal(bench.tape.count, 5);
	session__detach(bench.session, NULL);
	assert_int_equal(semaphores(&bench), 0);
	bench__end(&bench);
}

/* ---- Dumps and requests ---- */

/* The first write to a page costs, which is not to be in a stop of the target. */
static void each_page_of_a_ring_was_written_to(void **state)
{
	const struct session_options options = { 0 };
	struct session *session;
	struct session_ring place;
	struct ring ring;

	NEEDS_ROOT;
	assert_int_equal(session__new(&options, &session), 0);
	for (size_t slot = 0; slot + 1 < session__ring_count(session); slot++) {
		assert_int_equal(session__ring(session, slot, &place), 0);
		assert_int_equal(ring__open(&ring, place.fd, place.bytes), 0);
		assert_int_equal(ring__producer(&ring), place.bytes);
		assert_int_equal(ring__used(&ring), 0);
		ring__close(&ring);
	}
	session__free(session);
}

static void a_dump_has_its_own_ring(void **state)
{
	struct session_ring ring;
	struct bench bench;
	size_t slots;

	NEEDS_ROOT;
	bench__start(&bench, NULL, LEVEL_ALL);
	slots = session__ring_count(bench.session);
	assert_int_equal(session__ring(bench.session, slots - 1, &ring), -ENOENT);
	for (int round = 0; round < 3; round++) {
		bench__do(&bench, VICTIM_GC_START, 1, 0);
		assert_false(bench.tape.items[0].dump);
		assert_int_equal(session__dump_begin(bench.session, bench.target), 0);
		assert_int_equal(session__dump_begin(bench.session, bench.target), -EBUSY);
		assert_int_equal(session__ring(bench.session, slots - 1, &ring), 0);
		assert_true(ring.dump);
		assert_int_equal(ring.bytes, SESSION_DUMP_BYTES);
		bench__do(&bench, VICTIM_OBJECT, 3, 0);
		assert_int_equal(bench.tape.count, 1);
		assert_true(bench.tape.items[0].dump);
		session__dump_end(bench.session);
		bench__do(&bench, VICTIM_GC_START, 1, 0);
		assert_false(bench.tape.items[0].dump);
		session__dump_release(bench.session);
		assert_int_equal(session__ring(bench.session, slots - 1, &ring), -ENOENT);
	}
	bench__end(&bench);
}

static void requests_go_up_and_down(void **state)
{
	struct request *dump, *pause;
	struct bench bench;

	NEEDS_ROOT;
	bench__start(&bench, NULL, LEVEL_DUMP);
	assert_int_equal(request__new(bench.session, bench.target, "nonsense", &dump), -ENOENT);
	assert_int_equal(request__new(bench.session, bench.target, "dump", &dump), 0);
	assert_int_equal(request__new(bench.session, bench.target, "pause", &pause), 0);
	assert_int_equal(request__is_taken(dump), 0);
	assert_int_equal(request__raise(dump), 0);
	assert_true(semaphores(&bench) & VICTIM_SEES_DUMP);
	for (int i = 0; i < 3; i++) {
		request__set(pause, true);
		while (!(semaphores(&bench) & VICTIM_SEES_PAUSE))
			usleep(1000);
		request__set(pause, false);
		while (semaphores(&bench) & VICTIM_SEES_PAUSE)
			usleep(1000);
	}
	assert_true(semaphores(&bench) & VICTIM_SEES_DUMP);
	request__set(pause, true);
	request__free(pause);
	request__free(dump);
	assert_false(semaphores(&bench) & (VICTIM_SEES_DUMP | VICTIM_SEES_PAUSE));
	bench__end(&bench);
}

static bool three_times(void *context)
{
	return ++*(int *)context < 3;
}

static void another_tracer_is_waited_for(void **state)
{
	struct request *ours, *theirs;
	struct bench bench;
	int looks = 0;

	NEEDS_ROOT;
	bench__start(&bench, NULL, LEVEL_DUMP);
	assert_int_equal(request__new(bench.session, bench.target, "dump", &theirs), 0);
	assert_int_equal(request__new(bench.session, bench.target, "dump", &ours), 0);
	assert_int_equal(request__raise(theirs), 0);
	assert_int_equal(request__is_taken(ours), 1);
	assert_int_equal(request__wait(ours, 0, NULL, NULL), -EBUSY);
	assert_int_equal(request__wait(ours, 10 * NS_PER_S, three_times, &looks), -EINTR);
	assert_int_equal(looks, 3);
	request__set(theirs, false);
	assert_int_equal(request__wait(ours, 10 * NS_PER_S, NULL, NULL), 0);
	request__free(theirs);
	request__free(ours);
	bench__end(&bench);
}

static void goes_up_and_down(struct bench *bench)
{
	struct request *dump;

	assert_int_equal(request__new(bench->session, bench->target, "dump", &dump), 0);
	assert_int_equal(request__is_taken(dump), 0);
	assert_int_equal(request__raise(dump), 0);
	assert_int_equal(semaphores(bench) & VICTIM_SEES_DUMP, VICTIM_SEES_DUMP);
	assert_int_equal(request__is_taken(dump), 1);
	request__free(dump);
	assert_int_equal(semaphores(bench) & VICTIM_SEES_DUMP, 0);
}

/* The target is asked by another thread then, attached to before or after that. */
static void requests_without_the_first_thread(void **state)
{
	struct session_options options = watched();
	struct bench bench = { .session = NULL };
	struct process *process;

	NEEDS_ROOT;
	bench__start(&bench, &options, LEVEL_COLLECTIONS);
	victim__do(&bench.victim, VICTIM_END_LEADER, 0, 0);
	while (!bench.target->leader_gone || bench.target->look)
		assert_int_equal(session__poll(bench.session, 10), 0);
	goes_up_and_down(&bench);
	session__free(bench.session);

	assert_int_equal(session__new(&options, &bench.session), 0);
	assert_int_equal(process__open(bench.victim.pid, &process, NULL), 0);
	assert_int_equal(session__add(bench.session, process, LEVEL_COLLECTIONS, &bench.target), 0);
	assert_true(bench.target->leader_gone);
	goes_up_and_down(&bench);
	bench__end(&bench);
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_raise_their_semaphores_only),
		cmocka_unit_test(nothing_is_left_of_a_killed_tracer),
		cmocka_unit_test(full_rings_are_counted_exactly),
		cmocka_unit_test(absent_pages_are_counted),
		cmocka_unit_test(the_header_touches_what_it_passes),
		cmocka_unit_test(absent_pages_are_fetched_on_request),
		cmocka_unit_test(exec_by_the_first_thread),
		cmocka_unit_test(exec_by_another_thread),
		cmocka_unit_test(exec_by_a_thread_that_has_to_wait),
		cmocka_unit_test(each_of_several_execs_is_a_target),
		cmocka_unit_test(an_image_that_nobody_saw_ends),
		cmocka_unit_test(losses_are_of_the_image_that_had_them),
		cmocka_unit_test(exit_is_told_with_its_status),
		cmocka_unit_test(children_are_followed),
		cmocka_unit_test(a_child_that_is_not_followed_tells_nothing),
		cmocka_unit_test(the_first_thread_may_exit),
		cmocka_unit_test(each_page_of_a_ring_was_written_to),
		cmocka_unit_test(a_dump_has_its_own_ring),
		cmocka_unit_test(requests_go_up_and_down),
		cmocka_unit_test(requests_without_the_first_thread),
		cmocka_unit_test(another_tracer_is_waited_for),
	};

	victim__main(argc, argv);
	return cmocka_run_group_tests_name("sessions", tests, NULL, NULL);
}
