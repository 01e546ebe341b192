/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Definitions that come in parts: texts of a class (name, fields) or of another number (name),
 * kept until their last part has come. One thread of the target tells the parts of one definition
 * in their order, so parts are told apart by producer, thread and what they define.
 *
 * Memory is bounded: at most JOIN_PENDING definitions and `limit` bytes of text. Where there is no
 * room, the oldest definition goes of the target that holds most: nobody takes it from others. What
 * has to go is incomplete; functions tell how many, the caller counts them as lost.
 */
#ifndef STREAM_JOIN_H
#define STREAM_JOIN_H

#include <stdbool.h>

#include "base/buf.h"
#include "event.h"

#define JOIN_PENDING 1024u
#define JOIN_BYTES ((size_t)64 << 20)

struct join_key {
	uint64_t producer;
	uint32_t target;
	uint32_t tid;
	uint32_t space; /* enum gctrace_space; 0: a class */
	uint64_t id;
	uint64_t a; /* part of the name where the space has several to an id; else 0 */
};

struct joins;

struct joins *joins__new(size_t limit); /* NULL: no memory */
void joins__free(struct joins *joins);

/*
 * Add a part of one or two texts. `last`: *name and *fields become the whole texts (valid until the
 * next call) and true is returned. A text that is whole at once is not copied. *incomplete grows
 * by the definitions of this target that had to go since it was here last, whoever took their
 * room, and by this one when it is too long or memory runs out.
 */
struct join_part {
	struct text name, fields;
	bool last;
};
bool joins__add(struct joins *joins, const struct join_key *key, const struct join_part *part,
		struct text *name, struct text *fields, uint64_t *incomplete);

/* How many bytes of the name are there already; 0: nothing is. */
size_t joins__so_far(const struct joins *joins, const struct join_key *key);

/*
 * Parts may be missing: forget what began; how many that were. With a target goes all of it, so
 * those are counted, too, that had to go and were not told.
 */
uint64_t joins__drop(struct joins *joins, const struct join_key *key);
uint64_t joins__drop_producer(struct joins *joins, uint32_t target, uint64_t producer);
uint64_t joins__drop_target(struct joins *joins, uint32_t target);

#endif
