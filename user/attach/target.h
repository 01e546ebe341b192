/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A target: one image of one process. An exec ends the target and makes a new one for the same
 * process; so does nothing else. Its index is what struct record calls `target`.
 *
 * Targets belong to the session (session.h), are never moved and live as long as it: what has
 * ended can still be asked for its facts, but its descriptors are closed and its modules gone.
 * The index of one that has ended is not used again.
 */
#ifndef ATTACH_TARGET_H
#define ATTACH_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../bpf/record.h"
#include "attach/link.h"
#include "base/buf.h"
#include "target/module.h"

struct kernel;
struct note_cache;
struct process;
struct programs;
struct reaper;
struct runtime;
struct tables;

/* What somebody wants to see; a set. Each level attaches probes that it needs, no others. */
enum level {
	LEVEL_COLLECTIONS = 1,	/* start and end of collections and pauses, causes, batches */
	LEVEL_POOLS = 2,	/* pools and generations before and after */
	LEVEL_MOVES = 4,	/* moved and surviving ranges */
	LEVEL_DUMP = 8,		/* containers, roots, objects, classes */
	LEVEL_ALLOCATIONS = 16, /* sampled allocations */
	LEVEL_EXACT_MOVES = 32, /* asks for all moves, also where they cost pauses much */
	LEVEL_ALL = 63
};

enum target_state {
	TARGET_LIVE,
	TARGET_EXECED, /* the process runs another image now */
	TARGET_EXITED,
	TARGET_LEFT /* detached from while it ran */
};

struct target {
	uint32_t index;
	struct process *process;  /* an image of it: open descriptors, pid, start, names */
	struct runtime *runtime;  /* as known when it was last scanned; NULL before */
	struct modules modules;	  /* files with probes; grows when more are mapped */
	struct target *successor; /* after an exec: the next image */

	unsigned int wanted; /* levels asked for */
	unsigned int on;     /* levels of which at least one probe is attached */
	size_t attached;     /* sites attached now */
	size_t failed;	     /* sites that could not be attached; a warning named them */
	uint64_t unattached; /* the same, with those that were later, or are left out */

	uint64_t missed;     /* times that something may have been missed without being counted:
				an image or a thread's links had gone before they were looked at */

	uint64_t opening_ns;  /* its image was looked at first between these; of one that nobody */
	uint64_t opened_ns;   /* has looked at yet (unseen): both are the exec's */
	uint64_t attached_ns; /* from when on all that was found at first is attached; 0: not yet */
	const char *stop_what;	/* the collection that had stopped it at the attach; NULL: none */
	uint64_t stop_since_ns; /* about when that began; 0: not known */
	bool stop_not_visible;	/* nothing says whether there was one */
	uint64_t ended_ns;    /* records stamped later are of its successor; 0: live */
	enum target_state state;
	int exit_status; /* wait status; -1: not known */

	/* The session's. */
	struct links links;	    /* after an exec they are the successor's */
	int memory_fd;		    /* /proc/PID/mem, to look at semaphores; -1 */
	pid_t gone;		    /* a thread that links were made for and that has exited; 0 */
	uint64_t gone_ns;	    /* when that, or one that executes, was seen last */
	bool leader_gone;	    /* the process's first thread has exited, others run */
	bool look;		    /* something was mapped: scan again */
	bool suspect;		    /* before that look news of it may have been lost */
	bool gap;		    /* its links had ended and were made anew, since gone_ns */
	bool unseen;		    /* an exec's image that nobody has looked at yet */
	struct process *candidate;  /* of an unseen one: may be it, unless news say otherwise */
	uint64_t cause;		    /* HotSpot: address of its text; 0: not known (cause.h) */
	uint32_t slot;		    /* what the cookies of its links name (tables.h); NO_SLOT */
	struct loss_counts before;  /* its slot's counters when it came by it */
	struct loss_counts losses;  /* its own, when its slot had gone */
	struct buf said;	    /* what could not be looked into, as warned of last */
	bool knows_build;	    /* its agent was compared with the one here */
};

/* Is it asked for moves? HotSpot's need a level of their own. Its runtime is known. */
bool target__wants_moves(const struct target *target);

/*
 * What follows is for the session.
 */

/* What attaching needs. */
struct attacher {
	const struct kernel *kernel;
	struct tables *tables;
	struct programs *programs;
	struct note_cache *notes;
	struct reaper *reaper;
};

/* Takes the process, also on failure. NULL: no memory, said already. */
struct target *target__new(struct process *process, uint32_t index, unsigned int levels);
void target__free(struct target *target); /* detaches */

/*
 * Scan the process and attach what is wanted and not attached yet, which includes what could not be
 * attached before. 0, or negative errno after an error message (-ESRCH, the process is gone, says
 * nothing). What cannot be attached by itself is warned of, once.
 */
int target__attach(struct target *target, const struct attacher *attacher);

/* Scan only: what was not known of its runtime may be known by now. The same errors. */
int target__identify(struct target *target, const struct attacher *attacher);

void target__detach(struct target *target);

/* Its losses so far. 0 or negative errno. */
int target__losses(const struct target *target, const struct tables *tables,
		   struct loss_counts *losses);

/* The image that it has executed now was looked at: it is this. Takes the process. */
void target__see(struct target *target, struct process *process);

/* After an exec: links and slot are the new image's. */
int target__pass(struct target *old, struct target *new, struct tables *tables);

/* It has ended and is detached, or will be by the reaper: let go of all that costs something. */
void target__close(struct target *target, struct tables *tables);

/* Is what target__attach() did still good? The thread with this id has exited. */
void target__thread_exited(struct target *target, pid_t tid);

#endif
