/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The graph of a heap dump, wherever it comes from: a live process, which is asked for one, or a
 * recording that has one in it. Whoever shows graphs sees no difference.
 *
 *	heap_source__init(&source);
 *	heap_source__live(&source, &target, &options);      or heap_source__file()
 *	... source.heap, source.heading ...
 *	heap_source__free(&source);
 *
 * Signals must be installed (signals.h). A stop in the midst of a dump has the target end it at
 * once, and what came is made a graph all the same.
 */
#ifndef GCTRACE_CLI_HEAP_SOURCE_H
#define GCTRACE_CLI_HEAP_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/buf.h"
#include "../view/heap_view.h"
#include "settings.h"

struct heap;
struct heap_lives;
struct session;

/* Are the objects followed up to the dump, so that ids and ages are known (heap_lives.h)? */
enum heap_following {
	HEAP_NOT_FOLLOWED,
	HEAP_FOLLOWED_IF_TOLD, /* where the recording has moves in it */
	HEAP_FOLLOWED,	       /* or it is an error; of a recording only */
};

struct heap_source_options {
	enum heap_following following;
	bool counts_only; /* no graph: heap__has_graph() */
};

struct heap_source {
	struct heap *heap; /* NULL: none came */
	struct heap_lives *lives; /* NULL: not followed */
	bool is_uncertain; /* another dump may be meant, since the file lacks something: said */
	struct heap_heading heading; /* its texts are below */
	struct buf name, runtime, version, collector;
	struct buf subject; /* "-p 4711 --via jvm", "app.gctrace@2": for a shell */
	struct buf file;    /* the latter as it is */
};

/* An error message: what needs ("paths need") more than the limit allows. -EDQUOT. */
int heap_source__over_limit(const char *what_needs, uint64_t limit);

void heap_source__init(struct heap_source *source);
void heap_source__free(struct heap_source *source);

/*
 * Is there one target only, and does its runtime make heap dumps, as far as that is known? What it
 * has instead is said where it does not. 0, or negative errno after an error message.
 */
int heap_source__check_target(struct session *session, const struct words *processes);

/* 0, or negative errno after an error message. There must be one process only. */
int heap_source__live(struct heap_source *source, const struct target_settings *target,
		      const struct heap_source_options *options);

/* The dump that a JVM makes by itself, when it is asked to (attach/jvm_dump.h). The same. */
int heap_source__jvm(struct heap_source *source, const struct target_settings *target,
		     const struct heap_source_options *options);

/* FILE or FILE@N. The same. */
int heap_source__file(struct heap_source *source, const char *word,
		      const struct heap_source_options *options);

#endif
