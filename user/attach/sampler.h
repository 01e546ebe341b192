/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the threads of a process are: sweeps over all of them (bpf/sample.bpf.c).
 *
 *	sampler__new()          loads the programs, opens a clock for each CPU
 *	sampler__sweep()        one set of rows, one for each thread
 *	  ...                   the target's memory is read for them
 *	sampler__look_again()   which of the threads stood still in the meantime?
 *	sampler__free()
 *
 * A sweep begins with a census (attach/census.h): a thread that is off the CPU is where its saved
 * registers say. Where one is on a CPU, that CPU's clock is then armed for one tick, some
 * microseconds ahead: what it meets running is where the tick says. Between sweeps nothing of ours
 * runs in the kernel. What no tick met (it went off the CPU, and is to be found there next time)
 * stays CAUGHT_STALE.
 *
 * The target is neither stopped nor changed. Functions return 0 or negative errno.
 */
#ifndef ATTACH_SAMPLER_H
#define ATTACH_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../bpf/sample.h"
#include "base/vec.h"
#include "target/walker.h"

struct sampler;

struct sampler_options {
	pid_t pid;
	const pid_t *tids; /* only these of its threads; the caller's. NULL: all of them */
	size_t tid_count;
	bool copies_stack; /* ticks bring stack bytes along: SAMPLE_STACK_BYTES */
	bool visits;	   /* all threads of the host, as where the kernel cannot walk; for tests */
};

/* What a thread that is off the CPU does there. */
enum sampled_state {
	SAMPLED_RUNS,	 /* it is on a CPU */
	SAMPLED_IS_READY, /* it would run if there was a CPU for it */
	SAMPLED_WAITS,	 /* for anything, can be interrupted */
	SAMPLED_WAITS_DEEP, /* cannot: mostly for a disk */
	SAMPLED_IS_STOPPED, /* by a signal or a debugger */
	SAMPLED_ENDS,
};

struct sampled {
	struct caught_thread caught;
	enum sampled_state state;
	bool torn;  /* it ran while it was looked at: not even its registers are known */
	bool is_worker; /* the kernel's, for io_uring: it runs none of the program's code */
	bool still; /* sampler__look_again(): it has not run since */
	uint32_t kernel_tid;
	uint32_t cpu;
	uint64_t born; /* another thread with its number has another */
	uint64_t switches;
	uint64_t image; /* grows with each exec */
	uint64_t args[3]; /* of caught.syscall */
	char comm[16];	  /* closed by a 0 */
};

struct sweep {
	uint64_t number;	    /* from 1 */
	uint64_t start_ns, end_ns;  /* CLOCK_MONOTONIC: every row's time lies in between */
	uint64_t asked, met;	    /* ticks: that were armed, that met a thread of its rows */
	uint64_t lost;		    /* that found no room: rows that stayed CAUGHT_STALE by that */
	VEC(struct sampled) rows;   /* one for each thread */
	VEC(struct sample_tick) ticks; /* what the rows' stack bytes lie in */
	bool is_past;	/* sampler__look_again(): the process has executed another image since */
	size_t next;		    /* the sampler's: where it looks for a row first */
};

/* After an error message that says what is missing. */
int sampler__new(const struct sampler_options *options, struct sampler **out);
void sampler__free(struct sampler *sampler);

/*
 * Ticks bring some stack bytes along, for a walker, from now on or no longer: SAMPLE_LEAF_BYTES.
 * Where whole stacks are asked for they do anyway.
 */
void sampler__copy_leaf(struct sampler *sampler, bool copies);

/* Does it walk along the process's threads (attach/census.h)? For tests. */
bool sampler__walks(const struct sampler *sampler);

/*
 * Which image the process has executed (sampled.image); 0: it has no thread of those. 0 or negative
 * errno.
 */
int sampler__find_image(struct sampler *sampler, uint64_t *image);

/*
 * A new sweep in place of the one before. -ESRCH: there are no threads (any more). Begin with an
 * all-zero struct; free it by sweep__free().
 */
int sampler__sweep(struct sampler *sampler, struct sweep *sweep);

/*
 * Sweep again for the rows that are CAUGHT_STALE or torn, until there are none or it has been
 * tried `tries` times; rows of threads that have ended meanwhile stay as they are.
 */
int sampler__insist(struct sampler *sampler, struct sweep *sweep, unsigned int tries);

/* Set `still` in all rows, and is_past. */
int sampler__look_again(struct sampler *sampler, struct sweep *sweep);

/*
 * One thread, as fast as can be. Single it out beforehand, which takes the time; then look at it as
 * often as need be: at its registers, which are exact if it is off the CPU, and whether it still is
 * where that row says (`still`). In the end let it be.
 */
void sampler__single_out(struct sampler *sampler, const struct sampled *row);
int sampler__catch_one(struct sampler *sampler, struct sampled *row);
int sampler__look_again_at_one(struct sampler *sampler, struct sampled *row);
void sampler__let_be(struct sampler *sampler);

/* The registers of a row are those of its time. */
static inline bool sampled__is_sharp(const struct sampled *row)
{
	return !row->torn && row->caught.how != CAUGHT_STALE;
}

void sweep__free(struct sweep *sweep);

#endif
