/* SPDX-License-Identifier: BSD-2-Clause */
/* What threads are called, by their ids: the last name of each. */
#ifndef MODEL_THREAD_NAMES_H
#define MODEL_THREAD_NAMES_H

#include <stdint.h>

#include "base/vec.h"
#include "hash_slots.h"
#include "stream/text.h"

struct thread_name {
	uint32_t tid;
	struct text name; /* allocated */
};

/* All zero is empty. */
struct thread_names {
	VEC(struct thread_name) of;
	struct hash_slots slots; /* of these, by tid */
	struct memory memory;	 /* without a limit */
};

/* NULL: it has none. Valid until the next one is set. */
const struct thread_name *thread_names__find(const struct thread_names *names, uint32_t tid);

/* 1: it had this one already; 0: it was set; or -ENOMEM. */
int thread_names__set(struct thread_names *names, uint32_t tid, struct text name);
void thread_names__free(struct thread_names *names);

#endif
