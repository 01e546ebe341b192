/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records on a reel, of which some get lost: what is assembled from the rest, compared with what is
 * assembled from all of them.
 *
 * The rule: what is not marked (partial, incomplete, cut off) is as it was without the loss; and
 * what is marked says no figure of a pause or a pool that is not true.
 */
#ifndef TESTS_MODEL_DAMAGE_H
#define TESTS_MODEL_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "stream/source.h"

struct reel {
	VEC(struct record *) records; /* in their order */
	uint64_t now;		      /* stamp of the next one that is put on it */
	uint32_t tid;
};

void reel__free(struct reel *reel);

/* Put on a record that starts at `now`, which is 10 ns later then. */
void reel__put(struct reel *reel, const struct record *record);
void reel__call(struct reel *reel, uint16_t kind, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
void reel__text(struct reel *reel, uint16_t kind, const char *text);
void reel__pool(struct reel *reel, uint16_t kind, const char *manager, const char *pool,
		uint64_t used);

/* All records of a file. */
void reel__read(struct reel *reel, const char *path);
/* The same into a file, in blocks of so many records. */
void reel__write(const struct reel *reel, const char *path, size_t records_a_block);

/* What comes out of a reel. */
struct reading;
struct reading *reading__whole(const struct reel *reel);
void reading__free(struct reading *reading);
void reading__print(const struct reading *reading); /* on stdout */
size_t reading__collections(const struct reading *reading);

/*
 * Of the reel, records [first, first + count) are lost, and told as lost (by a loss of this kind)
 * so many records before and after them. Beyond the end: the reel is cut off.
 */
struct damage {
	size_t first, count;
	size_t before, after;
	unsigned int kind;
};
struct reading *reading__damaged(const struct reel *reel, const struct damage *damage);
struct reading *reading__of_file(const char *path);

/* NULL: the rule holds; else what breaks it, valid until the next call. */
const char *reading__breach(const struct reading *whole, const struct reading *damaged);

#endif
