/* SPDX-License-Identifier: BSD-2-Clause */
#include "nonsense.h"
#include "nursery.h"
#include "options.h"
#include "report.h"

#define SOME 0x1000 /* bytes: objects enough */

/* A range that something real has, told as if it went elsewhere, too. */
static void tell_contradiction(struct reporter *r, const struct gc *gc)
{
	if (r->bytes && r->is_move && r->phase == gc->phase)
		report__nonsense(r, gc, r->generation, r->start, r->to + 8, r->bytes);
}

/* From where nothing lies onto old objects, which do not move. */
static void tell_intruder(struct reporter *r, const struct gc *gc)
{
	if (!(gc->condemned >> GEN_OLD & 1))
		report__nonsense(r, gc, GEN_NURSERY, SOME, heap.old + SOME, SOME);
}

void nonsense__tell(struct reporter *r, const struct gc *gc)
{
	if (gc->number % NONSENSE_EVERY)
		return;
	switch (opt.nonsense) {
	case NONSENSE_NONE:
		break;
	case NONSENSE_EMPTY:
		report__nonsense(r, gc, GEN_NURSERY, nursery.eden.start, heap.old, 0);
		break;
	case NONSENSE_WRAPPED:
		report__nonsense(r, gc, GEN_NURSERY, UINT64_MAX - 63, heap.old, 128);
		break;
	case NONSENSE_OVERRUN:
		report__nonsense(r, gc, GEN_LARGE, heap.large + heap.large_bytes - 64, heap.old,
				 SOME);
		break;
	case NONSENSE_CONTRADICTION:
		tell_contradiction(r, gc);
		break;
	case NONSENSE_INTRUDER:
		tell_intruder(r, gc);
		break;
	}
}
