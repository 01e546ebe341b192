/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All records of a session, as they come, for tests of attaching.
 */
#ifndef TESTS_ATTACH_TAPE_H
#define TESTS_ATTACH_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/session.h"

struct taped {
	struct record *record; /* a copy */
	bool dump;	       /* it came by the dump's ring */
};

struct tape {
	struct taped *items;
	size_t count, alloc;
};

/* Everything that is in the rings now is taken out of them and put at the tape's end. */
void tape__drain(struct tape *tape, const struct session *session);
/* The same without keeping it: how many records there were. */
size_t tape__skip(const struct session *session);

/* The nth record of a kind, or NULL. */
const struct record *tape__find(const struct tape *tape, unsigned int kind, size_t nth);
size_t tape__count(const struct tape *tape, unsigned int kind);

void tape__free(struct tape *tape);

#endif
