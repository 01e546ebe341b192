/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events made by hand, and what an assembler makes of them.
 *
 * Each function feeds one event; time and thread are taken from the script, which the test sets
 * as it likes (script->now, script->tid). What comes out is copied and kept in order.
 */
#ifndef TESTS_MODEL_SCRIPT_H
#define TESTS_MODEL_SCRIPT_H

#include "model/assembler.h"

#define U EVENT_UNKNOWN
#define SCRIPT_MOST 256

struct script_collection {
	struct collection is; /* texts and lists of it are not valid */
	char what[64], cause[64];
	struct pause pauses[8];
	char pause_what[8][32];
	struct collection_pool pools[8];
	char pool_names[8][32];
};

struct script_pause {
	struct pause is;
	char what[64];
	unsigned int collections;
};

struct script {
	struct assembler *assembler;
	uint64_t now;
	uint32_t tid, target;
	uint32_t how; /* of what starts next */
	bool outside; /* pools are */
	bool old;     /* the same */
	bool fresh;   /* the same */
	enum event_pools pools_tell; /* of what starts next */
	bool overdue; /* ends are */
	bool untold;  /* ranges are, of what ends next */
	uint32_t end_how; /* what the next end adds */
	struct script_collection *collections;
	size_t count;
	struct script_pause pauses[SCRIPT_MOST];
	size_t pause_count;
	size_t ended;
	struct assembler_odd odd; /* of the target that ended last */
};

void script__begin(struct script *script);
void script__end(struct script *script); /* ends all targets and frees */

void gc_start(struct script *script, uint64_t gc, uint64_t generations, uint64_t reason);
void gc_finish(struct script *script, uint64_t gc);
void gc_words(struct script *script, const char *what, const char *cause); /* a start, unnumbered */
void gc_counted(struct script *script, uint64_t collected);		   /* its finish */
void pause_begin(struct script *script, uint64_t pause, uint64_t why);
void pause_end(struct script *script, uint64_t pause, uint64_t suspend_ns);
void moved(struct script *script, uint64_t gc, uint64_t generation, uint32_t phase, uint32_t width,
	   uint64_t old, uint64_t new_, uint64_t length);
void surviving(struct script *script, uint64_t gc, uint64_t generation, uint32_t width,
	       uint64_t start, uint64_t length);
void generation(struct script *script, uint64_t gc, bool after, uint64_t number, uint64_t start,
		uint64_t used, uint64_t reserved);
void pool(struct script *script, uint64_t gc, const char *name, uint64_t before, uint64_t used,
	  uint64_t committed);
void figure(struct script *script, uint64_t gc, uint32_t what, uint64_t generation, uint64_t value);
void define(struct script *script, uint32_t space, uint64_t id, const char *name);
void loss(struct script *script);
void leave(struct script *script); /* the target exits */

/* Known, not estimated, and this. */
void assert_exactly(struct amount amount, uint64_t value);

#endif
