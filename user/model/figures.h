/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that the runtime itself tells of one collection. Told twice, the last one holds. */
#ifndef MODEL_FIGURES_H
#define MODEL_FIGURES_H

#include "base/vec.h"
#include "collection.h"

#define FIGURES_MOST 4096 /* of one collection; more are counted */

struct figures {
	VEC(struct collection_figure) of;
	uint64_t dropped;
};

/* 0 or -ENOMEM. */
int figures__note(struct figures *figures, const struct event *figure);

/* NULL: it was not told. */
const struct collection_figure *figures__find(const struct figures *figures, uint32_t what,
					      uint64_t generation);

void figures__free(struct figures *figures);

#endif
