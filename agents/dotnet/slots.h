/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the objects of a class have references: learned while they are told, object by object.
 *
 * To have the runtime enumerate an object's references takes longer than all else that is done with
 * it. It has said how many there are that are not null (BULK_NODE). So where an object has as many
 * in the slots that others of its class were seen to have, those are all of them; else it is
 * enumerated, and what is new is learned. A slot that was learned is one of every object of the
 * class: nothing is read that is no reference.
 */
#ifndef GCTRACE_DOTNET_SLOTS_H
#define GCTRACE_DOTNET_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#define SLOTS_MOST 14

struct slots {
	uint32_t count; /* SLOTS_MOST + 1: too many to keep */
	uint32_t at[SLOTS_MOST]; /* offsets, in no order */
};

/* There is one, which may be known already. */
void slots__learn(struct slots *slots, uint64_t offset);

/* Are any known? */
static inline bool slots__are_known(const struct slots *slots)
{
	return slots->count - 1 < SLOTS_MOST;
}

#endif
