/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the observer share:
 *
 *	observer.c        its life, its sweeps
 *	observer_hold.c   threads that lose their CPU while they are looked at
 *	observer_image.c  the program that runs, and what becomes of that by an exec
 *	observer_look.c   what is found out about a thread
 *	observer_tell.c   what is told of it: a sighting
 *	seen.h            what is known of threads between sweeps
 */
#ifndef GCTRACE_CLI_OBSERVER_PRIVATE_H
#define GCTRACE_CLI_OBSERVER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/buf.h"
#include "../base/vec.h"
#include "../target/map_query.h"
#include "../target/maps.h"
#include "../target/process.h"
#include "../target/remote.h"
#include "../target/runtime.h"
#include "../target/sight.h"
#include "../target/symbols.h"
#include "../target/walker.h"
#include "../target/whereabouts.h"
#include "observer.h"
#include "seen.h"

#define IMAGE_NONE 0
#define LIVES 4 /* threads that the process is looked at by, one after the other */

struct observing {
	struct observer_options options;
	struct process *process;
	const struct runtime *runtime;
	struct call_stacks *stacks;
	struct sampler *sampler;
	struct holder *holder; /* NULL: nobody is to lose a CPU */
	bool was_refused;      /* a CPU that is not for us: which was told */
	struct symbols *symbols;
	struct name_table *natives; /* functions and files, as observer_look.c tells them apart */
	bool told_unread; /* that it has left out a file */
	struct remote memory;
	struct maps maps;
	uint64_t maps_ns; /* when they were read; 0: they are not what is mapped now */
	bool maps_are_new;
	struct map_query query;
	bool distrusts_query; /* it did not agree with what had just been read */
	VEC(uint64_t) asked; /* of each mapping: number of the sweep in which it was asked for */
	uint64_t sweep;	     /* that is looked at */
	const struct walker *walker;
	void *walker_state; /* NULL: there is no walker, or it could not be opened */
	bool can_walk;	    /* in this sweep */
	enum paused paused; /* the same */
	bool looks_for_pause;	  /* the same: nobody has said that there is one */
	struct walk_pause before; /* where that is so: what there was when it began */
	struct buf lacks;
	uint64_t image; /* that all this is of: struct sampled; IMAGE_NONE: of none yet */
	struct process *executed; /* the process after an exec; NULL: there was none */
	uint64_t image_ns;	  /* when that was; the same for what follows */
	struct sight sight;
	bool has_sight;
	struct note_cache *notes;
	bool has_named; /* the walker has, a method */
	bool told_runtime;
	bool is_refused; /* it may not be looked at */
	unsigned int execs;
	struct seen_threads threads;
	VEC(uint32_t) frames; /* scratch */
	struct walk walk;     /* the same */
	struct buf name;      /* the same */
};

/* ---- observer_image.c ---- */

/* All return 0 or negative errno; none says anything of that. */

int observing__open_image(struct observing *own);
void observing__close_image(struct observing *own);
/* -ESRCH: none is left. */
int observing__look_by_another(struct observing *own);
int observing__read_maps(struct observing *own);
/* When mappings were read anew: which runtime has come with them? Of one that was known it is. */
int observing__meet_runtime(struct observing *own);
/* Has the process executed another program, as a sweep's rows say? Then begin with that. */
int observing__follow_exec(struct observing *own, struct sweep *sweep);
/*
 * Nothing could be read: has the process ended? While it executes another program it is like that
 * for a moment, and then the sweep is of the past.
 */
bool observing__is_alive(const struct observing *own, struct sweep *sweep);
/* What was read for rows of an image that is gone by now is of nobody. */
void observing__drop_past(struct sweep *sweep);

/* ---- observer_hold.c ---- */

/* Before privileges are dropped; 0 or negative errno after an error message. */
int observing__permit_holds(struct observing *own);
/* Afterwards: say what it costs, and be ready. The same. */
int observing__begin_holds(struct observing *own);
/* Look again at all that would be more exact if it had stood still. 0 or negative errno. */
int observing__hold_all(struct observing *own, struct sweep *sweep);

/* ---- observer_look.c ---- */

/*
 * Find out where it is, as it was caught in this row. 0 or negative errno. Where what is mapped at
 * one of its frames is not what was read, the row is torn: who knows when that changed.
 */
int observing__look_at(struct observing *own, struct sampled *row, struct seen *seen);
/* By the runtime's longer name, where it has one; else the kernel's. */
void observing__name_thread(struct observing *own, const struct sampled *row, struct seen *seen);

/* ---- observer_tell.c ---- */

/* Its name is the seen's. */
struct sighting observing__sight(const struct observing *own, const struct sweep *sweep,
				 const struct sampled *row, const struct seen *seen);

#endif
