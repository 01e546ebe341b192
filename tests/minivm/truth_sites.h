/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --truth-sites: of every object where it was allocated and at which collection, so that the truth
 * file has what lives of each site by age (TRUTH_SITES), to be compared with what samples estimate.
 */
#ifndef MINIVM_TRUTH_SITES_H
#define MINIVM_TRUTH_SITES_H

#include <stdint.h>

struct mutator;
struct object;

/* m has just made it. */
void truth_sites__born(struct mutator *m, const struct object *o, uint64_t bytes);

/* In a stopped world, after the gc-th collection: counts what there is. */
void truth_sites__count(uint64_t gc);

/* What was counted: `put` writes a record. */
void truth_sites__write(void (*put)(uint32_t kind, const void *payload, uint64_t bytes));

#endif
