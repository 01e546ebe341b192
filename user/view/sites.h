/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How sampled allocations are shown (gctrace follow --by), in one of two forms: tables for people
 * (sites_text.c) or NDJSON (sites_ndjson.c). It stands beside the view of the trace (view.h), which
 * has shown the heading of a target before anything here, and shows its results behind.
 *
 *	round()		what there is now: every now and then, and (last) at the end
 *	paint()		the same in place, on a terminal that is painted; nothing elsewhere
 *	turn()		what a collection did (-v)
 *	heading()	a heading, or lines of the other view, are about to be shown
 *
 * All answer 0, or a negative errno that was said.
 */
#ifndef GCTRACE_VIEW_SITES_H
#define GCTRACE_VIEW_SITES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../model/site_rows.h"
#include "../model/site_watch.h"
#include "../model/sites.h"

struct buf;
struct heading;
struct output;
struct terminal;
struct view_options;

struct sites_shown {
	const struct sites *sites;
	const struct site_groups *groups;
	const struct site_rows *rows;
	const struct site_watch *watch;
	const struct site_leaks *leaks;
	size_t shown;	  /* of the rows, or objects */
	uint64_t age;	  /* only what survived so many collections is counted as alive */
	uint64_t time_ns; /* now */
	bool last;
};

struct sites_view;

struct sites_view_form {
	int (*round)(struct sites_view *view, const struct heading *heading,
		     const struct sites_shown *shown);
	int (*paint)(struct sites_view *view, const struct heading *heading,
		     const struct sites_shown *shown);
	int (*turn)(struct sites_view *view, const struct heading *heading,
		    const struct sites *sites);
	int (*heading)(struct sites_view *view);
	void (*free)(struct sites_view *view);
};

struct sites_view {
	const struct sites_view_form *form;
};

/* As those of follow.h. */
struct sites_view *sites_text__new(const struct view_options *options, struct output *output,
				   const struct terminal *terminal, bool live);
struct sites_view *sites_ndjson__new(struct output *output);

/* ---- sites_words.c: what both say in the same words ---- */

/* Bytes a second, since they are looked at; 0: no time has passed. */
double sites__rate(const struct sites_shown *shown, const struct estimate *allocated);

/* What is old (site_watch.h) now and was at first; false: nothing was looked at yet. */
struct sites_growth {
	struct estimate then, now;
	uint64_t since_ns;
};
bool sites__growth(const struct sites_shown *shown, uint32_t group, struct sites_growth *growth);

/* Of the difference: what the two intervals allow for. */
struct bounds sites__growth_bounds(const struct sites_shown *shown,
				   const struct sites_growth *growth);

/*
 * Of samples that are not followed: why nothing is known of what lives, in words that go on with
 * "what lives, and how old it is, is not known: ...".
 */
#define SITES_UNFOLLOWED "its collector, ZGC with generations, keeps alive what is followed, so"\
			 " that nothing is"

/* Of a limit that is contradicted. */
void sites__add_contradiction(struct buf *out, const struct site_limit *limit);

/* May the last collection have done other things to samples than it is said to have? */
bool sites__turn_is_in_doubt(const struct sites *sites);

/* The frame at a node, "(no stack was told)" at the root: not escaped. */
struct text sites__frame(const struct sites *sites, uint32_t node);

/* What there is to say of a leak, behind the name of its site. */
void sites__add_leak(struct buf *out, const struct sites_shown *shown,
		     const struct site_leak *leak);

/* ---- for a file, at the end: what was allocated, lives, and lives in the old generation ---- */

enum sites_value { SITES_LIVE, SITES_ALLOCATED, SITES_OLD };

/* Each 0 or negative errno; all stacks are whole. */
int sites__write_folded(const struct sites *sites, enum sites_value value, FILE *out);
int sites__write_pprof(const struct sites *sites, const struct heading *heading, FILE *out);

#endif
