/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words for the numbers of the wire format (reasons, kinds of pauses), gctrace's own and those
 * that a producer defined (EVENT_DEFINE) for the numbers that are its own.
 */
#ifndef MODEL_NAMES_H
#define MODEL_NAMES_H

#include <stdint.h>

#include "base/vec.h"
#include "stream/event.h"

#define NAMES_BYTES (256u << 10) /* of definitions kept for a target; more are counted */

struct name {
	uint32_t space; /* enum gctrace_space */
	uint64_t id;
	struct text text; /* allocated */
};

struct names {
	VEC(struct name) of;
	size_t bytes;
	uint64_t dropped; /* definitions beyond NAMES_BYTES */
};

/* Keep a definition, if it is of a space that collections speak of. 0 or -ENOMEM. */
int names__define(struct names *names, const struct event *define);

/* Static words, or texts that are valid until the next names__define(); empty: no word for it. */
struct text names__reason(const struct names *names, uint64_t reason);
struct text names__why(const struct names *names, uint64_t why);
struct text names__collection(const struct names *names, uint64_t generations);
struct text names__generation(const struct names *names, uint64_t generation);

/* The generation that is called so; EVENT_UNKNOWN: none. */
uint64_t names__generation_called(const struct names *names, struct text name);

/* The word for a bit of enum gctrace_how: bit 0, 1, ...; NULL: there is none. */
const char *names__how(unsigned int bit);

void names__free(struct names *names);

#endif
