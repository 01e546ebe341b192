/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One order for the records of many rings.
 *
 * There are several rings because the threads of a parallel collector would fight for one. No
 * order can be had from positions in two rings. What there is:
 *
 *   (1) each record carries a stamp of one clock, taken when its probe was entered, before room
 *       for it was reserved;
 *   (2) a probe returns to its thread only after its record is committed.
 *
 * So if record x happened before record y (the same thread, or any chain of locks and barriers
 * between threads), then x was committed before y's probe was entered: before y's stamp. Sorting
 * by stamp is right. The question is when everything that belongs before a record is there.
 *
 * A round is
 *
 *   pass A   see all records up to the producer positions of now. Let T be the newest stamp seen.
 *   collect  read the loss counters
 *   pass B   read the positions again, see what came meanwhile
 *   hand on  everything with a stamp <= T, sorted.
 *
 * Let y be handed on in this round, and x have happened before y. x was committed before y's
 * stamp; y's stamp is <= T; T was read before pass A ended, and a stamp is never in the future.
 * So x was committed before pass B read the positions: it is seen, its stamp is smaller, and it
 * goes first or went in an earlier round. What was seen and is newer than T waits for the next
 * round, whose pass A sees it again; it follows at once. The same argument allows injected
 * records (their stamps have passed when they are injected, before pass B) to raise T.
 *
 * Nowhere does it matter in which ring a record is. A thread's records lie in several: it changes
 * its CPU, and a full ring spills into the next one. Only the parts of one hit have one stamp: they
 * lie in one ring, in their order there (bpf/ring.bpf.h keeps to the ring of the first).
 *
 * What is not promised: that stamps only grow. A probe that took its stamp and was then held up may
 * commit after a round that passed its stamp. Nothing that was handed on can have happened
 * after it, for its probe had not returned.
 *
 * Busy records: a program that sleeps (a page fault in the target's memory, a SIGSTOP in the
 * wrong place) keeps its reservation. By the same argument nothing waits for it: nothing
 * that is committed can have happened after it. It is looked past (its length is known), what
 * stands behind it in its ring is handed on in its turn, only the ring's memory is not freed. If it
 * lasts, the ring fills, and the programs count that. Whatever is still busy when the trace ends
 * is lost, as LOSS_STALLED.
 *
 * Losses: a counter that has grown by the time of `collect` says that something was lost after
 * the last round's T and before now. The loss is handed on before the records of the round, so
 * that nothing which may lack something is taken for whole; and it says its end, so that what
 * starts later in the same round is doubted too.
 */
#include "merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "attach/ring.h"
#include "base/clock.h"
#include "lane.h"
#include "loss.h"
#include "order.h"

#define MIN_SLEEP_NS NS_PER_MS
#define MAX_SLEEP_NS (5 * NS_PER_MS)
#define RELEASE_BYTES (32u << 10) /* a batch at a time */
#define FINISH_WAIT_NS (200 * NS_PER_MS)
#define RING_EVENT (MERGE_DATA | 1)

struct merge {
	struct merge_options options;
	VEC(struct lane *) lanes;
	struct waitings waitings;
	VEC(struct record *) injected; /* since the last pass */
	VEC(struct record_call) losses;
	uint64_t horizon; /* everything up to here has been handed on */
	uint64_t sleep_ns;
	int epoll;
	bool finished;
};

int merge__new(const struct merge_options *options, struct merge **out)
{
	struct merge *merge = calloc(1, sizeof(*merge));

	if (!merge)
		return -ENOMEM;
	if (options)
		merge->options = *options;
	if (!merge->options.min_sleep_ns)
		merge->options.min_sleep_ns = MIN_SLEEP_NS;
	if (!merge->options.max_sleep_ns)
		merge->options.max_sleep_ns = MAX_SLEEP_NS;
	merge->sleep_ns = merge->options.min_sleep_ns;
	merge->horizon = clock__monotonic_ns();
	merge->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (merge->epoll < 0) {
		int err = -errno;

		free(merge);
		return err;
	}
	*out = merge;
	return 0;
}

void merge__free(struct merge *merge)
{
	if (!merge)
		return;
	for (size_t i = 0; i < merge->lanes.count; i++)
		lane__free(merge->lanes.items[i]);
	for (size_t i = 0; i < merge->waitings.count; i++) {
		if (!merge->waitings.items[i].lane)
			free(merge->waitings.items[i].injected);
	}
	for (size_t i = 0; i < merge->injected.count; i++)
		free(merge->injected.items[i]);
	vec__free(&merge->lanes);
	vec__free(&merge->waitings);
	vec__free(&merge->injected);
	vec__free(&merge->losses);
	close(merge->epoll);
	free(merge);
}

int merge__epoll_fd(const struct merge *merge)
{
	return merge->epoll;
}

/* Edge-triggered: as a level, a ring is readable as long as anything in it is not freed. */
static int watch(struct merge *merge, int fd)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.u64 = RING_EVENT };

	if (fd < 0)
		return 0;
	return epoll_ctl(merge->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

int merge__add_ring(struct merge *merge, struct ring *ring, unsigned int number)
{
	struct lane *lane = lane__new(ring, number);
	int err;

	if (!lane)
		return -ENOMEM;
	err = vec__push(&merge->lanes, lane);
	if (err) {
		lane__free(lane);
		return err;
	}
	err = watch(merge, ring->fd);
	if (err) {
		merge->lanes.count--;
		lane__free(lane);
	}
	return err;
}

int merge__inject(struct merge *merge, const struct record *record)
{
	struct record *copy = malloc(record->bytes);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, record, record->bytes);
	if (vec__push(&merge->injected, copy)) {
		free(copy);
		return -ENOMEM;
	}
	return 0;
}

int merge__lose(struct merge *merge, uint32_t target, unsigned int kind, uint64_t growth)
{
	struct record_call loss = {
		.head = {
			.stamp = merge->horizon,
			.bytes = sizeof(loss),
			.kind = RECORD_LOSS,
			.target = target,
		},
		.args = { kind, growth, clock__monotonic_ns() },
	};

	return vec__push(&merge->losses, loss);
}

/* ---------------------------------------------------------------------------------------------
 * Passes
 */

static int take_injected(struct merge *merge)
{
	if (vec__reserve(&merge->waitings, merge->injected.count))
		return -ENOMEM;
	for (size_t i = 0; i < merge->injected.count; i++) {
		struct record *record = merge->injected.items[i];

		merge->waitings.items[merge->waitings.count++] =
			(struct waiting){ .stamp = record->stamp, .injected = record };
	}
	vec__reset(&merge->injected);
	return 0;
}

static int pass(struct merge *merge)
{
	uint64_t malformed = 0;
	int err = take_injected(merge);

	for (size_t i = 0; i < merge->lanes.count && !err; i++)
		err = lane__look(merge->lanes.items[i], &merge->waitings, &malformed);
	if (malformed && !err)
		err = merge__lose(merge, LOSS_ANY_TARGET, LOSS_MALFORMED, malformed);
	return err;
}

static uint64_t newest(const struct merge *merge)
{
	uint64_t newest = 0;

	for (size_t i = 0; i < merge->waitings.count; i++) {
		if (merge->waitings.items[i].stamp > newest)
			newest = merge->waitings.items[i].stamp;
	}
	return newest;
}

/* ---------------------------------------------------------------------------------------------
 * Handing on. Something new may be injected by the sink: it waits for the next pass.
 */

static int hand_on_losses(struct merge *merge, const struct record_sink *sink)
{
	int answer = 0;
	size_t i;

	if (!merge->losses.count)
		return 0;
	for (i = 0; i < merge->losses.count && !answer; i++) {
		struct record_call loss = merge->losses.items[i];

		answer = sink->record(sink->ctx, &loss.head, 0);
	}
	memmove(merge->losses.items, merge->losses.items + i,
		(merge->losses.count - i) * sizeof(*merge->losses.items));
	merge->losses.count -= i;
	return answer;
}

static int hand_on_one(struct merge *merge, const struct waiting *waiting,
		       const struct record_sink *sink)
{
	const struct record *record;
	int answer = 0;

	if (!waiting->lane) {
		answer = sink->record(sink->ctx, waiting->injected, waiting->injected->ring);
		free(waiting->injected);
		return answer;
	}
	record = lane__record(waiting->lane, waiting->slot, &answer);
	if (record)
		answer = sink->record(sink->ctx, record, waiting->lane->number);
	else if (answer == -EBADMSG)
		answer = merge__lose(merge, LOSS_ANY_TARGET, LOSS_MALFORMED, 1);
	lane__done(waiting->lane, waiting->slot);
	return answer;
}

static void release_all(struct merge *merge)
{
	for (size_t i = 0; i < merge->lanes.count; i++)
		lane__release(merge->lanes.items[i]);
}

/* Those up to `until`, which are sorted; what is freed is freed soon, programs wait for it. */
static int hand_on(struct merge *merge, uint64_t until, const struct record_sink *sink)
{
	struct waitings *waitings = &merge->waitings;
	uint64_t unreleased = 0;
	int answer = 0;
	size_t i;

	if (!waitings->count)
		return 0;
	for (i = 0; i < waitings->count && !answer; i++) {
		const struct waiting *waiting = &waitings->items[i];

		if (waiting->stamp > until)
			break;
		if (waiting->stamp > merge->horizon)
			merge->horizon = waiting->stamp;
		unreleased += waiting->lane ? lane__bytes(waiting->lane, waiting->slot) : 0;
		answer = hand_on_one(merge, waiting, sink);
		if (unreleased >= RELEASE_BYTES) {
			release_all(merge);
			unreleased = 0;
		}
	}
	release_all(merge);
	memmove(waitings->items, waitings->items + i,
		(waitings->count - i) * sizeof(*waitings->items));
	waitings->count -= i;
	return answer;
}

/*
 * One round; `everything`: nothing more can come, so whatever is there goes. *did says whether
 * there was, or still is, something to hand on.
 */
static int run_round(struct merge *merge, bool everything, const struct record_sink *sink,
		     bool *did)
{
	uint64_t until;
	int err;

	err = pass(merge);
	if (!err && merge->options.collect)
		err = merge->options.collect(merge->options.ctx, merge);
	if (!err)
		err = take_injected(merge);
	if (err)
		return err;
	*did = merge->waitings.count || merge->losses.count;
	if (!*did) {
		release_all(merge); /* those that were discarded */
		return 0;
	}
	until = newest(merge);
	err = pass(merge);
	if (err)
		return err;
	if (everything)
		until = UINT64_MAX;
	order__sort(&merge->waitings);
	err = hand_on_losses(merge, sink);
	return err ? err : hand_on(merge, until, sink);
}

/* ---------------------------------------------------------------------------------------------
 * Waiting: a short sleep after work, longer ones while nothing comes
 */

/* True if somebody else's descriptor ended the wait. */
static bool wait_for(struct merge *merge, uint64_t ns)
{
	struct epoll_event events[8];
	int count = epoll_wait(merge->epoll, events, 8, (int)((ns + NS_PER_MS - 1) / NS_PER_MS));

	for (int i = 0; i < count; i++) {
		if (events[i].data.u64 != RING_EVENT)
			return true;
	}
	return count < 0;
}

int merge__pull(struct merge *merge, uint64_t timeout_ns, const struct record_sink *sink)
{
	uint64_t started = clock__monotonic_ns();
	bool did, interrupted = false;

	if (merge->finished)
		return SOURCE_END;
	for (;;) {
		uint64_t passed, sleep_ns = merge->sleep_ns;
		int answer = run_round(merge, false, sink, &did);

		if (did || answer) {
			merge->sleep_ns = merge->options.min_sleep_ns;
			return source__answer(answer);
		}
		passed = clock__monotonic_ns() - started;
		if (interrupted || passed >= timeout_ns)
			return SOURCE_MORE;
		if (sleep_ns > timeout_ns - passed)
			sleep_ns = timeout_ns - passed;
		interrupted = wait_for(merge, sleep_ns);
		merge->sleep_ns = merge->sleep_ns * 2 < merge->options.max_sleep_ns ?
					  merge->sleep_ns * 2 :
					  merge->options.max_sleep_ns;
	}
}

/* ---------------------------------------------------------------------------------------------
 * Ends
 */

static size_t busy_in(const struct merge *merge, const struct lane *only)
{
	size_t count = 0;

	for (size_t i = 0; i < merge->lanes.count; i++) {
		if (!only || merge->lanes.items[i] == only)
			count += merge->lanes.items[i]->busy.count;
	}
	return count;
}

/*
 * Rounds until nothing is left (of one ring, or of all), for at most FINISH_WAIT_NS: a program that
 * was running when its probe was detached ends soon, unless it sleeps. The first round hands on
 * all that was there, the second what came meanwhile.
 */
static int drain(struct merge *merge, const struct lane *only, const struct record_sink *sink)
{
	uint64_t started = clock__monotonic_ns();
	size_t busy;
	bool did;
	int answer;

	for (unsigned int rounds = 1;; rounds++) {
		answer = run_round(merge, !only, sink, &did);
		if (answer)
			return answer;
		busy = busy_in(merge, only);
		if (rounds >= 2 && !busy && (only || !did))
			break;
		if (busy && clock__monotonic_ns() - started > FINISH_WAIT_NS)
			break;
		if (busy && !did)
			usleep(1000);
	}
	if (busy)
		answer = merge__lose(merge, LOSS_ANY_TARGET, LOSS_STALLED, busy);
	return answer ? answer : hand_on_losses(merge, sink);
}

int merge__remove_ring(struct merge *merge, struct ring *ring, const struct record_sink *sink)
{
	for (size_t i = 0; i < merge->lanes.count; i++) {
		struct lane *lane = merge->lanes.items[i];
		int answer;

		if (lane->ring != ring)
			continue;
		answer = drain(merge, lane, sink);
		if (answer)
			return source__answer(answer);
		if (ring->fd >= 0)
			epoll_ctl(merge->epoll, EPOLL_CTL_DEL, ring->fd, NULL);
		merge->lanes.items[i] = merge->lanes.items[--merge->lanes.count];
		lane__free(lane);
		return 0;
	}
	return -ENOENT;
}

int merge__finish(struct merge *merge, const struct record_sink *sink)
{
	int answer = drain(merge, NULL, sink);

	merge->finished = true;
	return answer ? source__answer(answer) : SOURCE_END;
}

static int pull(void *ctx, uint64_t timeout_ns, const struct record_sink *sink)
{
	return merge__pull(ctx, timeout_ns, sink);
}

struct source merge__source(struct merge *merge)
{
	return (struct source){ .pull = pull, .ctx = merge };
}
