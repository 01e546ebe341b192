/* SPDX-License-Identifier: BSD-2-Clause */
#include "rounds.h"
#include "agents/common/clock.h"
#include "beans.h"
#include "handles.h"
#include "samples.h"
#include "spaces.h"

#include <gctrace/wire.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define ROUNDS_MOST 256u
#define FATES_LEAST 32768u

static struct {
	struct round rounds[ROUNDS_MOST];
	_Atomic uint32_t first, next; /* of the rounds that are there; they only grow */
	struct fate *fates;
	uint32_t room;			/* a power of 2 */
	_Atomic uint64_t told, written; /* fates so far */
	_Atomic uint64_t pauses;	/* begun and ended */
	_Atomic uint64_t collections;
	atomic_bool missed;
	atomic_bool is_locked, is_looking; /* the room changes; somebody writes to it */
	uint64_t last_gc;		   /* of the last round */
	bool in_doubt;			   /* the one that is looked for */
	uint64_t seen_pauses;
	uint64_t due_ns, wait_ns; /* when our own thread goes round again */
} rounds;

/* ---- Room ---- */

static struct fate *get_fates(uint32_t room)
{
	void *at = mmap(NULL, room * sizeof(struct fate), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

bool rounds__begin(JNIEnv *jni)
{
	memset((void *)&rounds, 0, sizeof(rounds));
	rounds.fates = get_fates(FATES_LEAST);
	rounds.room = FATES_LEAST;
	rounds.collections = spaces__pause_ends();
	rounds.last_gc = rounds__collections(jni);
	return rounds.fates != NULL;
}

void rounds__end(void)
{
	if (rounds.fates)
		munmap(rounds.fates, rounds.room * sizeof(*rounds.fates));
	rounds.fates = NULL;
}

static void replace(struct fate *fates, uint32_t room)
{
	struct fate *before = rounds.fates;
	const uint32_t before_room = rounds.room;

	rounds.is_locked = true;
	while (rounds.is_looking)
		sched_yield();
	if (rounds.told == rounds.written) {
		rounds.fates = fates;
		rounds.room = room;
		fates = before;
		room = before_room;
	}
	rounds.is_locked = false;
	munmap(fates, room * sizeof(*fates));
}

void rounds__fit(void)
{
	const uint32_t samples = samples__count();
	uint32_t room = FATES_LEAST;
	struct fate *fates;

	while (room < samples + samples / 4)
		room *= 2;
	if (room <= rounds.room && room > rounds.room / 4)
		return;
	fates = get_fates(room);
	if (fates)
		replace(fates, room);
}

/* ---- A look ---- */

/* What has to be written down; false: there is no room. */
static bool write_down(uint32_t place, uint64_t address, unsigned bits, bool is_old)
{
	if (rounds.written - rounds.told == rounds.room)
		return false;
	rounds.fates[rounds.written & (rounds.room - 1)] = (struct fate){
		.number = samples__at(place)->number,
		.address = address,
		.place = place,
		.bits = (uint16_t)bits,
		.is_old = is_old,
	};
	rounds.written++;
	return true;
}

static bool dies(uint32_t place, uint64_t seen)
{
	samples__place(place)->seen = seen | SEEN_DEAD;
	return write_down(place, 0, GCTRACE_SAMPLE_DEAD, false);
}

/* `seen` is 0 where nobody has looked before: where it lies is told then, too. */
static bool lives(uint32_t place, uint64_t seen, uint64_t now)
{
	const enum spaces_generation generation = spaces__generation(now);
	const bool is_old = generation == SPACES_OLD;
	const bool was_told = seen & SEEN_GENERATION, was_old = seen & SEEN_OLD;
	uint64_t next = now | (seen & SEEN_BITS);
	unsigned bits = 0;

	if ((seen & ~(uint64_t)SEEN_BITS) != now)
		bits = seen ? GCTRACE_SAMPLE_MOVED : GCTRACE_SAMPLE_ADDRESS;
	if (generation != SPACES_UNKNOWN && (!was_told || is_old != was_old)) {
		bits |= GCTRACE_SAMPLE_GENERATION;
		next = now | SEEN_GENERATION | (is_old ? SEEN_OLD : 0);
	}
	if (next != seen)
		samples__place(place)->seen = next;
	return !bits || write_down(place, now, bits, is_old);
}

static bool look_at(uint32_t place, bool have_generations)
{
	const struct sample_place *at = samples__place(place);
	const uint64_t handle = atomic_load_explicit(&at->handle, memory_order_acquire);
	const uint64_t seen = atomic_load_explicit(&at->seen, memory_order_relaxed);
	uint64_t now;

	if (!handle || seen & SEEN_DEAD)
		return true;
	now = handles__object(handle);
	if (!now)
		return dies(place, seen);
	if (now == (seen & ~(uint64_t)SEEN_BITS) && (seen & SEEN_OLD || !have_generations))
		return true;
	return lives(place, seen, now);
}

/* What there is no room for is looked at all the same, so that later rounds say what they see. */
static void look_at_all(void)
{
	const bool have_generations = spaces__have_generations();
	const uint32_t used = samples__used();
	bool is_whole = true;

	for (uint32_t place = 0; place < used; place++)
		is_whole &= look_at(place, have_generations);
	if (!is_whole)
		rounds.missed = rounds.in_doubt = true;
}

/* What was looked at from `begin` on is a round. */
static void end_round(uint64_t begin, uint64_t gc, uint64_t time_ns)
{
	const uint32_t next = rounds.next;
	struct round *round = &rounds.rounds[next % ROUNDS_MOST];

	if (gc == rounds.last_gc && rounds.written == begin)
		return; /* a pause that collected nothing */
	if (next - rounds.first == ROUNDS_MOST) {
		rounds.written = begin;
		rounds.missed = true;
		return;
	}
	rounds.last_gc = gc;
	*round = (struct round){ gc, time_ns, begin, rounds.written, rounds.in_doubt };
	rounds.in_doubt = false;
	atomic_store_explicit(&rounds.next, next + 1, memory_order_release);
}

/* ---- In the pause ---- */

static void look_in_pause(void)
{
	const uint64_t begin = rounds.written;

	rounds.is_looking = true;
	if (rounds.is_locked) {
		rounds.missed = rounds.in_doubt = true; /* what it did is the next one's, too */
	} else {
		look_at_all();
		end_round(begin, rounds.collections, clock__now());
	}
	rounds.is_looking = false;
}

void rounds__pause_begins(void)
{
	rounds.pauses |= 1;
	spaces__pause_begins();
}

void rounds__pause_ends(void)
{
	rounds.collections = spaces__pause_ends();
	if (!spaces__are_concurrent())
		look_in_pause();
	rounds.pauses = (rounds.pauses | 1) + 1;
}

uint64_t rounds__collections(JNIEnv *jni)
{
	return spaces__are_concurrent() ? beans__collections(jni) : rounds.collections;
}

uint64_t rounds__pauses(void)
{
	return rounds.pauses;
}

void rounds__see_first(uint32_t place)
{
	struct sample_place *at = samples__place(place);
	const uint64_t before = rounds.pauses;
	uint64_t nothing = 0, now;

	if (before & 1 || spaces__are_concurrent())
		return;
	now = handles__object(at->handle);
	if (rounds.pauses == before && now)
		atomic_compare_exchange_strong(&at->seen, &nothing, now);
}

/* ---- Our own thread ---- */

#define WAIT_FIRST_NS UINT64_C(250000000)
#define WAIT_MOST_NS UINT64_C(16000000000)

/* Behind each pause at once, and then ever more seldom: a cycle ends without a word. */
static bool is_due(uint64_t now)
{
	if (rounds.seen_pauses != rounds.pauses) {
		rounds.seen_pauses = rounds.pauses;
		rounds.wait_ns = WAIT_FIRST_NS;
	} else if (now < rounds.due_ns || rounds.wait_ns > WAIT_MOST_NS) {
		return false;
	}
	rounds.due_ns = now + rounds.wait_ns;
	rounds.wait_ns *= 2;
	return true;
}

static void bring_up_to_date(JNIEnv *jni, uint32_t place)
{
	const uint64_t handle = samples__place(place)->handle;

	if (handle)
		VM_CALL(jni, IsSameObject, (jobject)(uintptr_t)handle, NULL);
}

void rounds__see_new(JNIEnv *jni, uint32_t place)
{
	struct sample_place *at = samples__place(place);

	if (!spaces__are_concurrent()) {
		rounds__see_first(place);
	} else if (!at->seen) {
		bring_up_to_date(jni, place);
		at->seen = handles__object(at->handle);
	}
}

void rounds__go_round(JNIEnv *jni)
{
	const uint64_t now = clock__now(), begin = rounds.written;
	const uint32_t used = samples__used();

	if (!spaces__are_concurrent() || !is_due(now))
		return;
	if (!handles.keep_alive) {
		for (uint32_t place = 0; place < used; place++)
			bring_up_to_date(jni, place);
		look_at_all();
	}
	end_round(begin, beans__collections(jni), now); /* none that is seen is younger */
}

uint32_t rounds__ready(void)
{
	return atomic_load_explicit(&rounds.next, memory_order_acquire) - rounds.first;
}

const struct round *rounds__at(uint32_t index)
{
	return &rounds.rounds[(rounds.first + index) % ROUNDS_MOST];
}

const struct fate *rounds__fate(uint64_t at)
{
	return &rounds.fates[at & (rounds.room - 1)];
}

void rounds__drop(uint32_t count)
{
	if (count)
		rounds.told = rounds__at(count - 1)->end;
	rounds.first += count;
}

bool rounds__are_urgent(void)
{
	return rounds.next - rounds.first > ROUNDS_MOST / 2 ||
	       rounds.written - rounds.told > rounds.room / 2;
}

bool rounds__missed(void)
{
	return atomic_exchange(&rounds.missed, false);
}
