/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of the threads of a process between two sweeps.
 *
 *	seen = seen_threads__of(&threads, row->kernel_tid)	for each row
 *	if (!seen__still_holds(seen, row)) ...			find it out anew
 *	seen_threads__keep(&threads, sweep)			who was in no row has ended
 *
 * A thread has at most one entry. seen_threads__of() costs the same however many threads there are.
 */
#ifndef GCTRACE_CLI_SEEN_H
#define GCTRACE_CLI_SEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "../attach/sampler.h"
#include "../base/buf.h"
#include "../base/vec.h"
#include "../model/hash_slots.h"
#include "../target/symbols.h"
#include "../target/walker.h"

/* What was found out about a thread, and when. */
struct seen {
	uint32_t kernel_tid;
	uint64_t born;
	uint64_t image;
	uint64_t switches;
	uint64_t sweep; /* number of the last one that it was in; 0: of none yet */
	bool is_known;	/* the rest holds for these switches */
	bool waits;	/* whoever is woken is looked at anew: more is asked of who is at work */
	bool is_still;	/* it stood still while it was read */
	struct walk walk; /* without its frames */
	struct symbol_found code;
	uint32_t method, function, stack;
	uint32_t pc_offset;
	uint64_t ip;
	bool in_generated;
	uint8_t fields, guessed, lasting; /* of the frame that the method is of */
	bool method_guessed; /* of native code */
	bool stack_guessed, stack_lasting;
	bool is_named; /* by the runtime, not only by the kernel */
	uint32_t sweeps; /* that it was in */
	struct buf name;
};

/*
 * Its number may have become that of another thread, or the thread has executed another program:
 * then nothing is known of that one.
 */
void seen__meet(struct seen *seen, const struct sampled *row);

/* Has it been off the CPU ever since it was looked at, and waits as it did? */
bool seen__still_holds(const struct seen *seen, const struct sampled *row);

/*
 * A thread was looked at again, as it was caught in this row: is that to be told rather than what
 * the look before had found? Only if it stood still, or if not even its registers were known.
 */
bool seen__is_better(const struct seen *seen, const struct sampled *row,
		     const struct sampled *before);

/*
 * Is the runtime to be asked for its name, in a sweep of many? While an object is being moved its
 * thread has none, and most never have one: again, until there is one, ever more seldom.
 */
bool seen__wants_name(const struct seen *seen);

/* All zero is none. */
struct seen_threads {
	VEC(struct seen) all;
	struct hash_slots slots; /* of all, by kernel_tid */
	struct memory memory;	 /* without a limit */
};

/* Its entry, a new one if it has none; valid until the next call. NULL: no memory. */
struct seen *seen_threads__of(struct seen_threads *threads, uint32_t kernel_tid);

/* Nothing that is known of any of them holds any longer, but who they are. */
void seen_threads__doubt(struct seen_threads *threads);

/* Forget all that were not in that sweep. */
void seen_threads__keep(struct seen_threads *threads, uint64_t sweep);
void seen_threads__free(struct seen_threads *threads);

#endif
