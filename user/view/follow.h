/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How followed objects are shown, in one of two forms: lines for people (follow_text.c) or NDJSON
 * (follow_ndjson.c). It stands beside the view of the trace (view.h), which has shown the heading
 * of a target before anything here, and shows its results behind.
 *
 *	anchor()      each heap dump that was matched
 *	collection()  each collection of which objects are known
 *	blocks()      behind it, or behind what the other view has of it: bytes by ranges alone
 *	object()      a step of the history of the one object that is followed
 *	state()       what is known at the end
 *	paint()       the same meanwhile: a table on a terminal, nothing elsewhere
 *	heading()     a heading, or lines of the other view, are about to be shown
 *
 * All answer 0, or a negative errno that was said.
 */
#ifndef GCTRACE_VIEW_FOLLOW_H
#define GCTRACE_VIEW_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "../model/identity.h"
#include "../model/leak_watch.h"
#include "../model/population.h"
#include "frequent.h"

struct buf;
struct heading;
struct json;
struct output;
struct terminal;
struct view_options;

struct follow_anchor {
	const struct identity_anchor *is;
	uint64_t time_ns;	/* when it had been told */
	uint64_t gc;		/* the collection before it; EVENT_UNKNOWN */
	uint64_t objects, bytes; /* as told */
};

struct follow_collection {
	const struct collection *collection;
	const struct identity_collection *is;
	struct survival_sum known; /* afterwards */
	bool in_doubt;		   /* what is known holds only if no whole collection was lost */
};

/* What ranges alone tell of it, behind what objects tell. */
struct follow_blocks {
	const struct collection *collection;
	const struct blocks *is; /* its figures; no blocks */
	bool alone;		 /* of no object was known that it survived */
};

enum follow_step {
	FOLLOW_SEEN,	  /* it is known from here on */
	FOLLOW_MOVED,
	FOLLOW_STAYED,	  /* it was condemned, and a range had it where it was */
	FOLLOW_UNTOUCHED, /* it was not condemned */
	FOLLOW_MATCHED,	  /* a dump has it where it was thought to be */
	FOLLOW_LEFT,	  /* by `fate` */
};

struct follow_object {
	enum follow_step step;
	bool first; /* that is shown of this object */
	uint64_t id, address; /* address: of FOLLOW_LEFT, the last one */
	uint64_t time_ns;
	uint64_t gc;	 /* the collection that has ended; EVENT_UNKNOWN: none was seen yet */
	uint64_t anchor; /* the number of the dump that tells; 0: none does */
	struct text what; /* kind of the collection; empty where there is none */
	uint64_t generation; /* GENERATION_UNKNOWN */
	bool promoted;
	uint32_t age, moves; /* OBJECT_COUNT_MOST: that or more */
	bool born;	     /* its birth was observed: both are exact */
	bool in_doubt;	     /* as in follow_collection */
	enum object_fate fate;
	struct text type; /* empty: not known */
	uint64_t class_, size; /* size: EVENT_UNKNOWN where it is not known any more */
};

struct follow_type {
	uint32_t index; /* of types.h */
	uint64_t class_;
	struct text name; /* empty: not told */
	const struct survival_type *sums;
	const struct population_type *alive; /* NULL: none is */
};

struct follow_leak {
	struct leak is;
	const struct follow_type *type;
};

/* The figures of identity, with what was not known before. */
struct follow_figures {
	struct identity_figures is;
	uint64_t new_;	/* objects of dumps after the first one */
	uint64_t types; /* with objects, and wanted */
	bool in_doubt;	/* as in follow_collection */
};

/* How often the model was wrong, as a share of what it believed when a dump came. */
struct follow_rate {
	bool known; /* there was something to compare */
	double low, high;
};
struct follow_rate follow__rate(uint64_t matched, uint64_t gone, uint64_t conflicts);
/* "error_rate", with its limits behind it where it is an estimate. */
void follow__add_json_rate(struct json *json, struct follow_rate rate);

struct follow_state {
	uint64_t now_ns;
	const struct follow_type *types; /* those wanted, the most bytes alive first */
	size_t type_count, types_shown;
	const struct frequent_types *others; /* types that are not wanted */
	const struct population_ages *ages;
	const struct survival_curve *curve;
	const struct follow_leak *leaks; /* the first ones are those of types wanted */
	size_t leak_count, leaks_shown;
	size_t leaks_unwanted; /* of types that are not wanted */
	struct follow_figures figures;
	struct survival_sum known;
	uint64_t whole_anchors; /* that the leak watch has seen */
	bool kept;		/* some object of one of them was known at the next */
	bool doubted;		/* a collection was shown as in doubt */
};

struct follow_view;

struct follow_view_form {
	int (*anchor)(struct follow_view *view, const struct heading *heading,
		      const struct follow_anchor *anchor);
	int (*collection)(struct follow_view *view, const struct heading *heading,
			  const struct follow_collection *collection);
	int (*blocks)(struct follow_view *view, const struct heading *heading,
		      const struct follow_blocks *blocks);
	int (*object)(struct follow_view *view, const struct heading *heading,
		      const struct follow_object *object);
	int (*state)(struct follow_view *view, const struct heading *heading,
		     const struct follow_state *state);
	int (*paint)(struct follow_view *view, const struct heading *heading,
		     const struct follow_state *state);
	int (*heading)(struct follow_view *view, bool several);
	void (*free)(struct follow_view *view);
};

struct follow_view {
	const struct follow_view_form *form;
};

/*
 * output and terminal must outlive the view; options are copied. `live`: paint the table instead of
 * showing lines. NULL: no memory, said.
 */
struct follow_view *follow_text__new(const struct view_options *options, struct output *output,
				     const struct terminal *terminal, bool live);
struct follow_view *follow_ndjson__new(struct output *output);

/* What there is to say of a leak, behind the name of its type. */
void follow__add_leak(struct buf *out, const struct leak *leak);

/* "12", ">= 12": an age, or a number of moves. */
char *follow__age(char *text, uint32_t age, bool exact);

/* "98.2 %" in UNITS_TEXT bytes; 100 only if it is all: else ">99.9 %". */
char *follow__share(char *text, uint64_t part, uint64_t whole);

/* "dead", "gone", ...: for machines. */
const char *follow__step_name(const struct follow_object *object);

#endif
