/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A copy of a collection, for those who need it longer than whoever handed it out keeps it
 * (collection.h). One block of memory:
 *
 *	| struct collection_copy | pools | pauses | figures | texts |
 */
#ifndef MODEL_COLLECTION_COPY_H
#define MODEL_COLLECTION_COPY_H

#include "collection.h"

struct collection_copy {
	struct collection is; /* what it points to lies behind it */
	struct collection_copy *next;    /* the owner's */
};

/* NULL: no memory. To be freed by free(). */
struct collection_copy *collection_copy__new(const struct collection *collection);

#endif
