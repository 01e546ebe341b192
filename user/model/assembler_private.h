/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the assembler share (assembler.c says how they work together):
 *
 *   assembler.c              targets, and which event goes where
 *   assembler_collections.c  starts, ends and reports; handing out
 *   assembler_pauses.c       pauses, and whom they belong to
 *
 * All functions return 0, negative errno, or what a sink answered.
 */
#ifndef MODEL_ASSEMBLER_PRIVATE_H
#define MODEL_ASSEMBLER_PRIVATE_H

#include "assembler.h"
#include "image.h"

struct assembler {
	struct assembler_sink sink;
	struct range_sink ranges;
	struct image *images;
	uint64_t lost_until; /* of any target: also of those that are new */
	bool broken;	     /* the same: whole records were lost */
	uint64_t over_from;  /* when the trace was over; 0: not known, or not yet */
};

/* The first answer that is not 0 wins; what follows is done all the same. */
static inline void keep_first(int *result, int answer)
{
	if (!*result)
		*result = answer;
}

/* Was the trace over at this moment? A beginning counts by its time, all else by its stamp. */
bool assembler__is_late(const struct assembler *assembler, uint64_t ns);

/* Tell the range sink, by one of its functions, of a transaction. */
int assembler__tell_ranges(struct assembler *assembler, const struct transaction *transaction,
			   int (*function)(void *, const struct range_transaction *));

/* It is over: hand it out and forget it. */
int assembler__hand_out(struct assembler *assembler, struct image *image,
			struct transaction *transaction);

int assembler__gc_start(struct assembler *assembler, struct image *image,
			const struct event *event);
int assembler__gc_finish(struct assembler *assembler, struct image *image,
			 const struct event *event);
int assembler__ranges(struct assembler *assembler, struct image *image, const struct event *event);
int assembler__figure(struct assembler *assembler, struct image *image, const struct event *event);
int assembler__pool(struct assembler *assembler, struct image *image, const struct event *event);
int assembler__generation(struct image *image, const struct event *event);

int assembler__pause_begin(struct assembler *assembler, struct image *image,
			   const struct event *event);
int assembler__pause_end(struct assembler *assembler, struct image *image,
			 const struct event *event);
/* A pause is over; without an event its end was not seen. It is freed. */
int assembler__end_stop(struct assembler *assembler, struct image *image, struct stop *stop,
			const struct event *event);

#endif
