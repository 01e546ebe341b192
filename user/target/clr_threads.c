/* SPDX-License-Identifier: BSD-2-Clause */
#include "clr_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/search.h"
#include "../base/vec.h"
#include "clr_contract.h"
#include "remote.h"

#define THREADS_MOST 65536  /* a list that runs in a circle ends here */
#define FRAMES_MOST 64	    /* looked through for one that tells */
#define THREAD_BYTES 4096   /* of a Thread that are read: more than one has */

enum field {
	FIRST_LINK,
	OS_ID,
	COOPERATIVE,
	FRAME,
	LINK,
	FRAME_NEXT,
	CALL_SP,
	CALL_RETURN,
	CALL_FP,
	BLOCK,
	BLOCK_RETURN,
	BLOCK_SAVED,
	SAVED_FP,
	BLOCK_BYTES,
	CONTEXT,
	FIELDS,
};

static const struct {
	const char *type, *field;
} names[FIELDS] = {
	[FIRST_LINK] = { "ThreadStore", "FirstThreadLink" },
	[OS_ID] = { "Thread", "OSId" },
	[COOPERATIVE] = { "Thread", "PreemptiveGCDisabled" },
	[FRAME] = { "Thread", "Frame" },
	[LINK] = { "Thread", "LinkNext" },
	[FRAME_NEXT] = { "Frame", "Next" },
	[CALL_SP] = { "InlinedCallFrame", "CallSiteSP" },
	[CALL_RETURN] = { "InlinedCallFrame", "CallerReturnAddress" },
	[CALL_FP] = { "InlinedCallFrame", "CalleeSavedFP" },
	[BLOCK] = { "FramedMethodFrame", "TransitionBlockPtr" },
	[BLOCK_RETURN] = { "TransitionBlock", "ReturnAddress" },
	[BLOCK_SAVED] = { "TransitionBlock", "CalleeSavedRegisters" },
	[SAVED_FP] = { "CalleeSavedRegisters", "Rbp" },
	[BLOCK_BYTES] = { "TransitionBlock", "!" },
	[CONTEXT] = { "ResumableFrame", "TargetContextPtr" },
};

/* Frames that have a TransitionBlock. */
static const char *const transitions[] = {
	"PrestubMethodFrameIdentifier",	      "CallCountingHelperFrameIdentifier",
	"StubDispatchFrameIdentifier",	      "ExternalMethodFrameIdentifier",
	"DynamicHelperFrameIdentifier",	      "PInvokeCalliFrameIdentifier",
};

#define TRANSITIONS (sizeof(transitions) / sizeof(transitions[0]))

/* Frames of a thread that was stopped in managed code, with all its registers. */
static const char *const stopped[] = {
	"ResumableFrameIdentifier",
	"RedirectedThreadFrameIdentifier",
};

#define STOPPED (sizeof(stopped) / sizeof(stopped[0]))

/* In those, which are laid out as Windows does it on x86-64; not known for others. */
#ifdef __x86_64__
#define KNOWS_CONTEXTS true
#else
#define KNOWS_CONTEXTS false
#endif
#define CONTEXT_SP 0x98
#define CONTEXT_FP 0xa0
#define CONTEXT_IP 0xf8

struct clr_threads {
	struct remote *memory;
	uint32_t at[FIELDS];
	uint64_t store, stopper; /* addresses of the variables */
	uint64_t inlined_call, transition[TRANSITIONS], stopped[STOPPED];
	size_t thread_bytes;
	VEC(struct clr_thread) list; /* by tid */
};

static int take_fields(struct clr_threads *threads, const struct clr_contract *contract)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (clr_contract__field(contract, names[i].type, names[i].field, &threads->at[i]))
			return -ENOTSUP;
	for (size_t i = OS_ID; i <= LINK; i++)
		if (threads->at[i] + sizeof(uint64_t) > threads->thread_bytes)
			threads->thread_bytes = threads->at[i] + sizeof(uint64_t);
	return threads->thread_bytes > THREAD_BYTES ? -ENOTSUP : 0;
}

static int take_globals(struct clr_threads *threads, const struct clr_contract *contract)
{
	if (clr_contract__global(contract, "ThreadStore", &threads->store) ||
	    clr_contract__global(contract, "InlinedCallFrameIdentifier", &threads->inlined_call))
		return -ENOTSUP;
	if (clr_contract__global(contract, "GCThread", &threads->stopper))
		threads->stopper = 0;
	for (size_t i = 0; i < TRANSITIONS; i++)
		if (clr_contract__global(contract, transitions[i], &threads->transition[i]))
			threads->transition[i] = 0; /* not in this version */
	for (size_t i = 0; i < STOPPED; i++)
		if (clr_contract__global(contract, stopped[i], &threads->stopped[i]))
			threads->stopped[i] = 0;
	return 0;
}

int clr_threads__new(const struct clr_contract *contract, struct remote *memory,
		     struct clr_threads **out)
{
	struct clr_threads *threads = calloc(1, sizeof(*threads));
	int err;

	*out = NULL;
	if (!threads)
		return -ENOMEM;
	threads->memory = memory;
	err = take_fields(threads, contract);
	if (!err)
		err = take_globals(threads, contract);
	if (err)
		clr_threads__free(threads);
	else
		*out = threads;
	return err;
}

void clr_threads__free(struct clr_threads *threads)
{
	if (!threads)
		return;
	vec__free(&threads->list);
	free(threads);
}

/* ---------------------------------------------------------------- the list */

static int read_word(struct clr_threads *threads, uint64_t address, uint64_t *value)
{
	return remote__read(threads->memory, address, value, sizeof(*value));
}

static uint64_t word_in(const unsigned char *bytes, size_t at)
{
	uint64_t value;

	memcpy(&value, bytes + at, sizeof(value));
	return value;
}

/* A thread, and the link to the next one. */
static int read_thread(struct clr_threads *threads, uint64_t address, uint64_t *link)
{
	struct clr_thread thread = { .address = address };
	unsigned char bytes[THREAD_BYTES];
	uint32_t cooperative;
	int err = remote__read(threads->memory, address, bytes, threads->thread_bytes);

	if (err)
		return err;
	thread.tid = (pid_t)word_in(bytes, threads->at[OS_ID]);
	memcpy(&cooperative, bytes + threads->at[COOPERATIVE], sizeof(cooperative));
	thread.is_cooperative = cooperative != 0;
	*link = word_in(bytes, threads->at[LINK]);
	/* One that was made, and not started yet or is dead, has no thread of the system's. */
	return thread.tid > 0 ? vec__push(&threads->list, thread) : 0;
}

static int read_list(struct clr_threads *threads)
{
	uint64_t store, link;
	int err = read_word(threads, threads->store, &store);

	if (!err && !store)
		return 0; /* not yet */
	if (!err)
		err = read_word(threads, store + threads->at[FIRST_LINK], &link);
	for (size_t seen = 0; !err && link; seen++) {
		if (seen >= THREADS_MOST || link < threads->at[LINK])
			return -EPROTO;
		err = read_thread(threads, link - threads->at[LINK], &link);
	}
	return err;
}

static int compare_tids(const void *a, const void *b)
{
	const struct clr_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

int clr_threads__refresh(struct clr_threads *threads)
{
	int err;

	vec__reset(&threads->list);
	err = read_list(threads);
	if (err)
		vec__reset(&threads->list);
	vec__sort(&threads->list, compare_tids);
	return err;
}

const struct clr_thread *clr_threads__find(const struct clr_threads *threads, pid_t tid)
{
	const size_t at = search__front(threads->list.items, threads->list.count, thread,
					thread->tid < tid);

	return at < threads->list.count && threads->list.items[at].tid == tid
		       ? &threads->list.items[at] : NULL;
}

bool clr_threads__is_stopper(struct clr_threads *threads, const struct clr_thread *thread)
{
	uint64_t stopper;

	return threads->stopper && read_word(threads, threads->stopper, &stopper) == 0 &&
	       stopper == thread->address;
}

/* ---------------------------------------------------------------- frames */

/* Inactive while its return address is 0: no call is under way. */
static int take_call(struct clr_threads *threads, uint64_t frame, struct clr_anchor *anchor)
{
	struct remote_part parts[] = {
		{ frame + threads->at[CALL_SP], &anchor->sp, sizeof(anchor->sp), 0 },
		{ frame + threads->at[CALL_RETURN], &anchor->ip, sizeof(anchor->ip), 0 },
		{ frame + threads->at[CALL_FP], &anchor->fp, sizeof(anchor->fp), 0 },
	};
	int err = remote__read_parts(threads->memory, parts, 3);

	for (size_t i = 0; i < 3 && !err; i++)
		err = parts[i].err;
	if (!err && !anchor->ip)
		err = -ENOENT;
	return err;
}

static int take_transition(struct clr_threads *threads, uint64_t frame, struct clr_anchor *anchor)
{
	uint64_t block;
	int err = read_word(threads, frame + threads->at[BLOCK], &block);

	if (err)
		return err;
	anchor->sp = block + threads->at[BLOCK_BYTES];
	err = read_word(threads, block + threads->at[BLOCK_RETURN], &anchor->ip);
	if (!err)
		err = read_word(threads,
				block + threads->at[BLOCK_SAVED] + threads->at[SAVED_FP],
				&anchor->fp);
	return err;
}

static int take_context(struct clr_threads *threads, uint64_t frame, struct clr_anchor *anchor)
{
	uint64_t context;
	int err = read_word(threads, frame + threads->at[CONTEXT], &context);

	if (!err)
		err = read_word(threads, context + CONTEXT_IP, &anchor->ip);
	if (!err)
		err = read_word(threads, context + CONTEXT_SP, &anchor->sp);
	return err ? err : read_word(threads, context + CONTEXT_FP, &anchor->fp);
}

static bool is_one_of(const uint64_t *kinds, size_t count, uint64_t kind)
{
	for (size_t i = 0; i < count; i++)
		if (kind && kinds[i] == kind)
			return true;
	return false;
}

/* -ENOENT: no call is under way there; -ENOTSUP: what it is cannot be told. */
static int take_frame(struct clr_threads *threads, uint64_t frame, struct clr_anchor *anchor)
{
	uint64_t kind;
	int err = read_word(threads, frame, &kind);

	if (err)
		return err;
	anchor->is_caller = true;
	if (kind == threads->inlined_call)
		return take_call(threads, frame, anchor);
	if (is_one_of(threads->transition, TRANSITIONS, kind))
		return take_transition(threads, frame, anchor);
	anchor->is_caller = false;
	if (KNOWS_CONTEXTS && is_one_of(threads->stopped, STOPPED, kind))
		return take_context(threads, frame, anchor);
	return -ENOTSUP;
}

int clr_threads__anchor(struct clr_threads *threads, const struct clr_thread *thread,
			struct clr_anchor *anchor)
{
	uint64_t frame;
	int err = read_word(threads, thread->address + threads->at[FRAME], &frame);

	anchor->is_guessed = false;
	for (size_t seen = 0; !err && seen < FRAMES_MOST; seen++) {
		if (!frame || frame == UINT64_MAX)
			return -ENOENT;
		err = take_frame(threads, frame, anchor);
		if (err != -ENOENT && err != -ENOTSUP)
			return err;
		/* It may have been left by way of a frame of which nothing is known. */
		anchor->is_guessed |= err == -ENOTSUP;
		err = read_word(threads, frame + threads->at[FRAME_NEXT], &frame);
	}
	return err ? err : -ENOENT;
}
