/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The view of gctrace sample, in two forms (sample_text.c, sample_ndjson.c):
 *
 *	heading()   once for each process, first
 *	sweep()     the rows of each sweep
 *	results()   once for each process, last
 *
 * All return 0 or a negative errno, after which nothing more should be shown, as view.h.
 */
#ifndef GCTRACE_VIEW_SAMPLE_H
#define GCTRACE_VIEW_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../model/sampling.h"
#include "../model/sighting.h"

struct buf;
struct call_stacks;
struct output;
struct terminal;

struct sample_heading {
	uint32_t pid;
	struct text name, runtime, version; /* empty: not known */
	uint64_t start_ns;
	int64_t clock_offset_ns;
	uint64_t interval_ns; /* 0: at collections only */
	unsigned int fields;  /* enum sample_flag */
	bool insists;	      /* --exact or --hold */
	bool holds;	      /* --hold */
	const char *lacks; /* why there are no managed frames, escaped; NULL: there are */
};

struct sample_view_options {
	uint64_t top;  /* threads and methods in the results; 0: all */
	bool quiet;    /* no rows, only the results */
	bool at_collections; /* sweeps are made for these */
	bool stays;	/* on a terminal: rows are painted in place */
	uint64_t start_ns;
};

struct sample_view {
	int (*heading)(struct sample_view *view, const struct sample_heading *heading);
	int (*sweep)(struct sample_view *view, const struct sample_heading *heading,
		     const struct sample_sweep *sweep, const struct sampling *sampling);
	int (*results)(struct sample_view *view, const struct sample_heading *heading,
		       const struct sampling *sampling);
	void (*free)(struct sample_view *view);
};

/* NULL after an error message. stacks, output and terminal outlive it. */
struct sample_view *sample_text__new(const struct sample_view_options *options,
				     struct call_stacks *stacks, struct output *output,
				     const struct terminal *terminal);
struct sample_view *sample_ndjson__new(const struct sample_view_options *options,
				       struct call_stacks *stacks, struct output *output);

/* What the text form ends with: the sums. */
void sample_text__add_results(struct buf *out, const struct terminal *terminal,
			      const struct sample_view_options *options,
			      const struct call_stacks *stacks,
			      const struct sampling *sampling);

/*
 * For other tools, at the end: what sampling.stacks has. 0 or negative errno, not said; of what
 * could not be written ferror(out) tells.
 */
enum sample_chosen { SAMPLE_ALL, SAMPLE_RUNNING, SAMPLE_WAITING };
int sample_export__write_folded(const struct sampling *sampling, const struct call_stacks *stacks,
				enum sample_chosen chosen, FILE *out);
int sample_export__write_pprof(const struct sample_heading *heading,
			       const struct sampling *sampling, const struct call_stacks *stacks,
			       FILE *out);

/* "JIT 61 %, BLOCKING 39 %": the largest first, what rounds to 0 % as "<1 %". Appends. */
void sample_words__add_places(struct buf *out, const struct sampling_places *places);

/* "12.3 %", "100 %", "0 %"; of 0: "-". Appends. */
void sample_words__add_share(struct buf *out, uint64_t part, uint64_t whole);

#endif
