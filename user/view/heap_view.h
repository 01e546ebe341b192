/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a heap graph is shown, in one of two forms: tables and trees for people (heap_text.h) or
 * NDJSON (heap_ndjson.c). Commands speak to this interface alone:
 *
 *	heading()    first: what dump this is, and how much of it there is
 *	findings()   what somebody who is out of memory should know first
 *	types(), roots(), objects(), tree(), path(), merged()   as the command was asked; of a
 *	             heap without a graph (heap__has_graph()) types() alone
 *	summary()    last: is it all, and what is missing
 *
 * All answer 0, or a negative errno that was said.
 */
#ifndef GCTRACE_VIEW_HEAP_VIEW_H
#define GCTRACE_VIEW_HEAP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../model/findings.h"
#include "../model/heap.h"
#include "../model/heap_groups.h"
#include "../model/heap_histogram.h"
#include "../model/outline.h"
#include "../model/path_merge.h"
#include "../model/population.h"

struct buf;
struct heap_lives;
struct json;
struct output;
struct terminal;

/* Texts are the target's own bytes; of 0 bytes: not known. */
struct heap_heading {
	const struct heap_facts *facts;
	bool counts_only; /* there is no graph: heap__has_graph() */
	uint64_t pid;
	struct text name; /* of the process */
	struct text runtime, version, collector;
	int64_t clock_offset_ns;
	uint64_t began_ns;   /* when; 0: not known */
	uint64_t dump_ns;    /* how long it took; 0: not known */
	uint64_t stopped_ns; /* how long the program stood still for it; 0: not known */
	const char *file;    /* "app.gctrace@2", not escaped; NULL: a live process */
	uint64_t in_file;    /* FILE@N: N */
	const struct heap_lives *lives; /* of the objects; NULL: they were not followed */
	const char *subject; /* "-p 4711 --via jvm", "app.gctrace@2": what a shell is to be told */
	bool of_a_part; /* of types or objects those that were asked for: the rest is of all */
};

struct heap_type_line {
	uint32_t type; /* or group, where the list has groups */
	struct heap_type_sums sums;
	const struct population_type *ages; /* of the same objects; NULL: not known */
};

struct heap_type_list {
	const struct heap_type_line *lines; /* in the order in which they are to be shown */
	size_t count, shown;
	uint64_t of_bytes; /* what shares are shares of; 0: there are none */
	const struct heap_groups *groups; /* NULL: it is of types */
	uint64_t age_least; /* of what is known to have survived so many collections; 0: of all */
	const char *none;   /* where count is 0: why, a sentence, escaped; NULL: not known */
};

struct heap_object_list {
	const uint32_t *places;
	size_t count, shown;
	const char *none; /* as above */
};

/* A way from a root to an object; see model/heap_paths.h. */
struct heap_way {
	const uint32_t *places;
	size_t count;
};

struct heap_view;

struct heap_view_form {
	int (*heading)(struct heap_view *view);
	int (*findings)(struct heap_view *view, const struct findings *findings);
	int (*types)(struct heap_view *view, const struct heap_type_list *list);
	int (*roots)(struct heap_view *view, const struct outline *outline);
	int (*objects)(struct heap_view *view, const struct heap_object_list *list);
	int (*tree)(struct heap_view *view, const struct outline *outline);
	int (*path)(struct heap_view *view, const struct heap_way *way);
	int (*merged)(struct heap_view *view, const struct path_merge *merge);
	/* What would be freed with an object: by type. Programs get all, whatever is `shown`. */
	int (*freed)(struct heap_view *view, uint32_t place, const struct heap_type_list *list);
	int (*summary)(struct heap_view *view);
	void (*free)(struct heap_view *view);
};

struct heap_view {
	const struct heap_view_form *form;
};

/* All must outlive the view. NULL: no memory, said. */
struct heap_view *heap_text__new(const struct heap *heap, const struct heap_heading *heading,
				 struct output *output, const struct terminal *terminal);
struct heap_view *heap_ndjson__new(const struct heap *heap, const struct heap_heading *heading,
				   struct output *output);

/* A `header` line of a dump, and an object with what it lacks: for other forms of NDJSON. */
void heap_view__add_header(struct json *json, const struct heap_heading *heading);
void heap_view__add_missing(struct json *json, const char *key, const struct heap_facts *facts);

/* Appends a word as a shell takes it: in quotes, $'...' where it has more than plain characters. */
void heap_view__quote(struct buf *out, const void *bytes, size_t len);

/*
 * The same of a pattern for --type that matches this name: `?` for what patterns give a meaning,
 * `*` for the middle of a name of more than 200 bytes.
 */
void heap_view__quote_glob(struct buf *out, struct text name);

#endif
