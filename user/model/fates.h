/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What became of the objects of one heap dump until another of the same trace, by type.
 *
 *	                 A ---- collections, further dumps ----> B
 *	survived         x                                       x     the same object, by identity
 *	died             x ----- in no range, or not dumped
 *	withdrawn        x ----- its id was given up: it may live, and be among the born
 *	born                                                     x     after A, and alive in B
 *
 * Fed from the sink of an identity (identity.h): the two dumps as they are matched, and between
 * them whatever leaves. Ids are given in order and never twice, so those up to the last one of A
 * (`mark`) are A's objects. For each type: A = survived + died + withdrawn, B = survived + born.
 */
#ifndef MODEL_FATES_H
#define MODEL_FATES_H

#include <stdbool.h>
#include <stdint.h>

#include "anchor.h"
#include "base/vec.h"
#include "objects.h"

struct fate_sum {
	uint64_t objects, bytes;
};

struct fate {
	struct fate_sum survived, died, withdrawn, born;
};

/* All zero to begin with. */
struct fates {
	VEC(struct fate) of; /* by index of types.h */
	struct objects *objects;
	uint64_t mark;	     /* ids up to here were given by A */
	bool begun, ended;   /* A and B have been matched */
	/* Of the dumps behind A, B among them: how right the model was (identity.h). */
	uint64_t matched, gone, conflicts;
};

void fates__free(struct fates *fates);

/* A has been matched; `objects` is valid until B has, or fates__free(). */
void fates__begin(struct fates *fates, struct objects *objects, const struct anchor *anchor);

/* B has been matched. 0 or -ENOMEM. */
int fates__end(struct fates *fates, const struct anchor *anchor);

/* Another dump between the two. */
void fates__pass(struct fates *fates, const struct anchor *anchor);

/* An object leaves. 0 or -ENOMEM. */
int fates__left(struct fates *fates, const struct object *object, enum object_fate fate);

/* Of all types. */
struct fate fates__all(const struct fates *fates);

#endif
