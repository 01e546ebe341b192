/* SPDX-License-Identifier: BSD-2-Clause */
#include "stacks.h"
#include "agents/common/table.h"
#include "frames.h"
#include "rooms.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define STACKS_MOST (1u << 20)
#define FRAMES_ROOM (512u << 20)
#define TOLD_AT_ONCE 64u /* some KiB each */
#define LOOKED_AT_ONCE 256u /* for those that are to be told, while others wait for the lock */
#define SWEEP_LEAST 2000u

struct stack {
	struct table_entry entry; /* by a hash of its frames: see find() */
	uint64_t id;
	jvmtiFrameInfo *frames; /* NULL: it is forgotten */
	uint32_t edition;
	uint32_t count; /* of frames */
	uint32_t next;	/* of the forgotten ones, + 1 */
	uint32_t told;	/* in this round, or a former one; 0: in none */
	bool is_cut;	/* there are more frames */
	uint32_t holders;	 /* under the lock */
	_Atomic uint32_t wanted; /* in this sweep, or a former one */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table stacks;
static struct rooms frames;
static uint32_t forgotten; /* the first, + 1 */
static uint32_t first_new; /* none that is to be told is before it */
static uint32_t round = 1; /* of telling all; never 0 */
static _Atomic uint32_t count, left_out;
static uint32_t count_swept; /* those that were left by the last sweep */
static uint32_t sweep; /* our own thread's, and under the lock */
static _Atomic uint32_t edition; /* of classes */
static uint64_t last_id;

bool stacks__init(void)
{
	return table__reserve(&stacks, sizeof(struct stack), STACKS_MOST) &&
	       rooms__reserve(&frames, FRAMES_ROOM);
}

void stacks__release(void)
{
	table__release(&stacks);
	rooms__release(&frames);
}

void stacks__empty(void)
{
	table__empty(&stacks);
	rooms__empty(&frames);
	forgotten = first_new = count_swept = 0;
	count = left_out = 0;
}

static struct stack *stack_at(uint32_t number)
{
	return table__at(&stacks, number - 1);
}

uint64_t stacks__id(uint32_t number)
{
	return number ? stack_at(number)->id : 0;
}

uint32_t stacks__count(void)
{
	return count;
}

/* ---- Getting the number of one ---- */

void stacks__begin_edition(void)
{
	edition++;
}

static uint64_t hash_of(const jvmtiFrameInfo *at, jint depth, uint32_t of_edition)
{
	uint64_t hash = (uint64_t)of_edition << 32 | (uint32_t)depth;

	for (jint i = 0; i < depth; i++) {
		hash = (hash ^ (uintptr_t)at[i].method) * UINT64_C(0x9E3779B97F4A7C15);
		hash = ((hash ^ hash >> 29) + (uint64_t)at[i].location) *
		       UINT64_C(0xBF58476D1CE4E5B9);
	}
	return hash ^ hash >> 32;
}

static bool is(const struct stack *stack, const jvmtiFrameInfo *at, jint depth, uint32_t of_edition)
{
	return stack->edition == of_edition && stack->count + stack->is_cut == (uint32_t)depth &&
	       !memcmp(stack->frames, at, stack->count * sizeof(*at));
}

/* Where it is not known, *key is the one that it gets. */
static struct stack *find(const jvmtiFrameInfo *at, jint depth, uint32_t of_edition, uint64_t *key)
{
	struct stack *stack;

	while ((stack = table__find(&stacks, *key)) && !is(stack, at, depth, of_edition))
		++*key;
	return stack;
}

static uint32_t number_of(const struct stack *stack)
{
	return (uint32_t)(((const unsigned char *)stack - stacks.entries.at) /
			  stacks.entry_bytes) + 1;
}

static struct stack *get_entry(uint64_t key)
{
	struct stack *stack;

	if (!forgotten)
		return table__add(&stacks, key);
	stack = stack_at(forgotten);
	forgotten = stack->next;
	table__put_back(&stacks, stack, key);
	return stack;
}

static struct stack *add(const jvmtiFrameInfo *at, jint depth, uint32_t of_edition, uint64_t key)
{
	const jint told = depth < STACKS_DEPTH ? depth : STACKS_DEPTH;
	const size_t bytes = (size_t)told * sizeof(*at);
	jvmtiFrameInfo *to = rooms__get(&frames, bytes);
	struct stack *stack = to ? get_entry(key) : NULL;

	if (!stack) {
		if (to)
			rooms__give_back(&frames, to, bytes);
		left_out++;
		return NULL;
	}
	memcpy(to, at, bytes);
	stack->id = ++last_id;
	stack->frames = to;
	stack->edition = of_edition;
	stack->count = (uint32_t)told;
	stack->is_cut = told < depth;
	stack->told = 0;
	if (number_of(stack) - 1 < first_new)
		first_new = number_of(stack) - 1;
	count++;
	return stack;
}

static struct stack *hold(struct stack *stack)
{
	if (stack) {
		stack->wanted = sweep;
		stack->holders++;
	}
	return stack;
}

uint32_t stacks__of_caller(jvmtiEnv *jvmti)
{
	jvmtiFrameInfo at[STACKS_DEPTH + 1]; /* one more shows that there are more */
	const uint32_t now = edition;
	struct stack *stack;
	jint depth = 0;
	uint64_t key;

	if (VM_CALL(jvmti, GetStackTrace, NULL, 0, STACKS_DEPTH + 1, at, &depth) || depth <= 0)
		return 0;
	key = hash_of(at, depth, now);
	pthread_mutex_lock(&lock);
	stack = find(at, depth, now, &key);
	stack = hold(stack ? stack : add(at, depth, now, key));
	pthread_mutex_unlock(&lock);
	return stack ? number_of(stack) : 0;
}

/*
 * A sweep that has begun since sees the sample; one that begins now does, too. None begins here
 * between the two: what it keeps would become what the one before it wanted.
 */
void stacks__let_go(uint32_t number)
{
	if (!number)
		return;
	pthread_mutex_lock(&lock);
	stack_at(number)->wanted = sweep;
	stack_at(number)->holders--;
	pthread_mutex_unlock(&lock);
}

uint32_t stacks__left_out(void)
{
	return atomic_exchange(&left_out, 0);
}

/* ---- Telling ---- */

static struct {
	char at[1u << 20];
	size_t used;
} text;

static void add_text(const char *line, size_t bytes)
{
	if (!line || bytes > sizeof(text.at) - text.used) {
		left_out++;
		return;
	}
	memcpy(text.at + text.used, line, bytes);
	text.used += bytes;
}

static void tell(const struct visit *visit, struct gctrace_writer *writer,
		 const struct stack *stack)
{
	static const char cut[] = "[outer frames left out]\n";

	text.used = 0;
	for (uint32_t i = 0; i < stack->count; i++) {
		size_t bytes = 0;
		const char *line = frames__text(visit, &stack->frames[i], stack->edition, &bytes);

		add_text(line, bytes);
	}
	if (stack->is_cut)
		add_text(cut, sizeof(cut) - 1);
	gctrace_write_define(writer, GCTRACE_SPACE_STACK, stack->id, 0, 0, text.at,
			     text.used);
}

/* Among the next few: one that is to be told, which it is by that. Under the lock. */
static struct stack *look_for_new(void)
{
	for (uint32_t i = 0; i < LOOKED_AT_ONCE && first_new < stacks.count; i++) {
		struct stack *stack = table__at(&stacks, first_new++);

		if (!stack->frames || stack->told == round)
			continue;
		stack->told = round;
		return stack;
	}
	return NULL;
}

/* NULL: there is none. */
static const struct stack *take_new(void)
{
	const struct stack *found;
	bool has_more;

	do {
		pthread_mutex_lock(&lock);
		found = look_for_new();
		has_more = first_new < stacks.count;
		pthread_mutex_unlock(&lock);
	} while (!found && has_more);
	return found;
}

bool stacks__tell(const struct visit *visit, struct gctrace_writer *writer)
{
	const struct stack *stack = NULL;

	for (uint32_t i = 0; i < TOLD_AT_ONCE && (stack = take_new()); i++)
		tell(visit, writer, stack);
	return stack != NULL;
}

/* Those that were told before are told again, since it is another round. */
void stacks__tell_again(void)
{
	pthread_mutex_lock(&lock);
	first_new = 0;
	round += round == UINT32_MAX ? 2 : 1;
	pthread_mutex_unlock(&lock);
}

/* ---- Forgetting ---- */

bool stacks__are_many(void)
{
	return count >= SWEEP_LEAST && count / 2 >= count_swept;
}

void stacks__begin_sweep(void)
{
	pthread_mutex_lock(&lock);
	sweep++;
	pthread_mutex_unlock(&lock);
}

void stacks__keep(uint32_t number)
{
	if (number)
		stack_at(number)->wanted = sweep;
}

static void forget(struct stack *stack)
{
	table__take_out(&stacks, stack);
	rooms__give_back(&frames, stack->frames, stack->count * sizeof(*stack->frames));
	stack->frames = NULL;
	stack->next = forgotten;
	forgotten = number_of(stack);
	count--;
}

static void keep_frames(const struct stack *stack)
{
	for (uint32_t i = 0; i < stack->count; i++)
		frames__keep(&stack->frames[i], stack->edition);
}

/* In parts: others wait for the lock. True: it stays, and its frames are known. */
static bool stays(struct stack *stack)
{
	bool is_known;

	pthread_mutex_lock(&lock);
	if (stack->frames && !stack->holders && stack->wanted != sweep)
		forget(stack);
	is_known = stack->frames && stack->told;
	pthread_mutex_unlock(&lock);
	return is_known;
}

void stacks__end_sweep(void)
{
	const uint32_t end = stacks.count;

	frames__begin_sweep();
	for (uint32_t i = 0; i < end; i++) {
		struct stack *stack = table__at(&stacks, i);

		if (stays(stack))
			keep_frames(stack);
	}
	frames__end_sweep();
	count_swept = count;
}
