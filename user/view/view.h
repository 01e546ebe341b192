/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A view shows a trace, in one of two forms: lines for people (collections.c) or NDJSON
 * (ndjson.c). Commands speak to this interface alone, so both forms always show the same:
 *
 *	view__heading()     once for each target, before anything of it
 *	view__collection()  each collection that is to be shown
 *	view__pause()       each pause
 *	view__results()     once for each target at its end, and (of several) once for all: the end
 *
 * All return 0 or a negative errno, after which nothing more should be shown: what the output
 * answers (output.h), or -ENOMEM, said by error().
 */
#ifndef GCTRACE_VIEW_VIEW_H
#define GCTRACE_VIEW_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../model/assembler.h"
#include "../model/summary.h"
#include "../stream/loss.h"

struct follow_figures;
struct output;
struct terminal;

/* What can be known of a target's collections; a set. */
enum known {
	KNOWN_COLLECTIONS = 1,
	KNOWN_POOLS = 2,
	KNOWN_MOVES = 4,
	KNOWN_DEATHS = 8, /* how many objects died; what moves tell includes that */
	KNOWN_CAUSES = 16,
	KNOWN_SOME_CAUSES = 32, /* those that the runtime works out itself; not with the above */
	KNOWN_FATES = 64, /* what survived and died, as far as pools tell; moves tell it better */
	KNOWN_SAMPLES = 128, /* the same, estimated from samples as well */
	KNOWN_ALLOCATIONS = 256, /* what was allocated, by samples that are not followed */
};

/* What there is to say of a target. Texts are the target's own bytes; of 0 bytes: not known. */
struct heading {
	uint32_t target;
	uint64_t pid;
	struct text name; /* of the process */
	struct text runtime, version, collector;
	struct text provider;	 /* of the probes */
	unsigned int known;	 /* enum known: what its probes tell in this trace */
	unsigned int on_request; /* enum known: what they would tell if it was asked for */
	uint64_t start_ns;	 /* when the trace of it began */
	struct text stopped_for; /* what had stopped the program then; empty: nothing */
	uint64_t stopped_since_ns; /* about; 0: not known */
	bool stopped_not_visible;  /* nothing says whether something had */
	int64_t clock_offset_ns; /* to be added for ns since 1970 */
	const char *file;	 /* of the recording that it is read from; NULL: live */
};

/* Its collector makes threads wait for room without a pause, which no probe reports. */
bool heading__has_stalls(const struct heading *heading);

struct results {
	const struct heading *of; /* NULL: all targets together */
	bool last;		  /* nothing follows */
	struct summary *summary;
	uint64_t lost[LOSS_KINDS];
	struct assembler_odd odd;
	uint64_t shown; /* collections */
	size_t targets; /* of all together: how many */
	/* Of all together: whose a target of the summary is (NULL: not known). */
	const struct heading *(*whose)(const void *context, uint32_t target);
	const void *whose_context;
	const struct follow_figures *identity; /* where objects were followed; NULL */
	uint64_t contradicted; /* rounds of samples of which more is said to live than is in use */
};

/* Whose one of its longest pauses is; NULL: not known. */
const struct heading *results__whose(const struct results *results, uint32_t target);

/* Nothing was lost, and no figure contradicts another one. */
bool results__complete(const struct results *results);

struct view_options {
	bool timestamps; /* wall clock */
	bool verbose;	 /* pools, pauses and more figures of each collection */
	bool several; /* several processes: say of each line whose it is; else from the second on */
	uint64_t start_ns; /* of the trace: what times are counted from */
};

struct view;

struct view_form {
	int (*heading)(struct view *view, const struct heading *heading);
	int (*collection)(struct view *view, const struct heading *heading,
			  const struct collection *collection);
	/* May be NULL. */
	int (*pause)(struct view *view, const struct heading *heading, const struct pause *pause,
		     unsigned int collections);
	int (*results)(struct view *view, const struct results *results);
	void (*free)(struct view *view);
};

struct view {
	const struct view_form *form;
};

/* output and terminal must outlive the view; options are copied. NULL: no memory. */
struct view *collections_view__new(const struct view_options *options, struct output *output,
				   const struct terminal *terminal);
struct view *ndjson_view__new(const struct view_options *options, struct output *output);

static inline int view__heading(struct view *view, const struct heading *heading)
{
	return view->form->heading(view, heading);
}

static inline int view__collection(struct view *view, const struct heading *heading,
				   const struct collection *collection)
{
	return view->form->collection(view, heading, collection);
}

static inline int view__pause(struct view *view, const struct heading *heading,
			      const struct pause *pause, unsigned int collections)
{
	return view->form->pause ? view->form->pause(view, heading, pause, collections) : 0;
}

static inline int view__results(struct view *view, const struct results *results)
{
	return view->form->results(view, results);
}

static inline void view__free(struct view *view)
{
	if (view)
		view->form->free(view);
}

/* The counters of struct assembler_odd one by one: NULL at the end. */
const char *odd__name(unsigned int i); /* for machines: "stray_reports" */
const char *odd__text(unsigned int i, uint64_t count); /* for people, after that number */
uint64_t odd__of(const struct assembler_odd *odd, unsigned int i);

#endif
