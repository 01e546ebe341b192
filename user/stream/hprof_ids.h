/* SPDX-License-Identifier: BSD-2-Clause */
/* From ids in an hprof file (of strings, classes, frames) to small numbers. All zero is empty. */
#ifndef STREAM_HPROF_IDS_H
#define STREAM_HPROF_IDS_H

#include <stdint.h>

#define HPROF_NO_NUMBER UINT32_MAX

struct hprof_ids {
	struct hprof_id {
		uint64_t id;
		uint32_t number; /* + 1; 0: free */
	} *of;
	uint32_t mask, count;
	uint64_t key; /* nobody who writes a file can foretell which ids will share a slot */
};

/* HPROF_NO_NUMBER: there is none. */
uint32_t hprof_ids__get(const struct hprof_ids *ids, uint64_t id);

/* A later number replaces an earlier one. 0 or -ENOMEM. */
int hprof_ids__put(struct hprof_ids *ids, uint64_t id, uint32_t number);

void hprof_ids__free(struct hprof_ids *ids);

#endif
