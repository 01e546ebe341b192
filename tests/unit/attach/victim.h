/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A child process with probes, which does what it is told, for tests of attaching.
 */
#ifndef TESTS_ATTACH_VICTIM_H
#define TESTS_ATTACH_VICTIM_H

#include <stdint.h>
#include <sys/types.h>

struct victim {
	pid_t pid;
	int commands, answers; /* pipes */
};

enum victim_command {
	VICTIM_SEMAPHORES,  /* answer: bits of enum victim_semaphore */
	VICTIM_GC_START,    /* a times; gc is 1, 2, ... */
	VICTIM_MOVED,	    /* one hit with a entries, lengths of b bytes each, not split */
	VICTIM_SURVIVING,   /* the same */
	VICTIM_ROOTS,	    /* one hit with a entries; b: set of RECORD_HAS_* */
	VICTIM_OBJECT,	    /* one hit with a references; b: with flags */
	VICTIM_CLASS,	    /* a bytes of name, b of fields */
	VICTIM_BATCH,	    /* a batch of a bytes, which says that it has b */
	VICTIM_BAD_POINTER, /* a MOVED whose addresses lead nowhere */
	VICTIM_ABSENT,	    /* a MOVED with a entries whose pages are in a file and not mapped in;
			       b: enum victim_absence */
	VICTIM_EXEC,	    /* the same program anew, by its first thread or (a) by another one;
			       $VICTIM_COPY instead, if set: a copy, which it removes then */
	VICTIM_THREAD,	    /* one that waits; answer: its id */
	VICTIM_FORK,	    /* a child that does one GC_START and exits; if a, after GO came */
	VICTIM_GO,	    /* for that child, by victim__tell() */
	VICTIM_END_LEADER,  /* the first thread exits, another goes on */
	VICTIM_EXIT	    /* with status a */
};

enum victim_absence {
	VICTIM_NEVER_TOUCHED,
	VICTIM_TAKEN_OUT, /* they were touched, and evicted since */
	VICTIM_BY_HEADER  /* never touched, and fired by <gctrace/probes.h> */
};

enum victim_semaphore {
	VICTIM_SEES_GC_START = 1,
	VICTIM_SEES_MOVED = 2,
	VICTIM_SEES_OBJECTS = 4,
	VICTIM_SEES_BATCH = 8,
	VICTIM_SEES_DUMP = 16,
	VICTIM_SEES_PAUSE = 32
};

/* To be called first in main(): a victim that execs itself comes by here, and does not return. */
void victim__main(int argc, char *argv[]);

void victim__start(struct victim *victim);
void victim__end(struct victim *victim);

/* Have it read this when it comes to it; nobody waits for an answer. */
void victim__tell(struct victim *victim, enum victim_command command, uint64_t a, uint64_t b);

/* Do it, and wait until it is done. The answer. */
uint64_t victim__do(struct victim *victim, enum victim_command command, uint64_t a, uint64_t b);

#endif
