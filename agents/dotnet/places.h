/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The place of a reference in its object, by the slot that it stands in:
 *
 *	class              PLACE_OFFSET  bytes from its start; fields are told with theirs
 *	array              PLACE_INDEX   the element's number
 *	array of structs   PLACE_INDEX   element * words + word, where the array's class is told
 *	                                 with a name for each word of an element (types__tell_word)
 *
 * What stands in no known place is at PLACE_NOWHERE: never a guess.
 */
#ifndef GCTRACE_DOTNET_PLACES_H
#define GCTRACE_DOTNET_PLACES_H

#include <stdint.h>

#include "types.h"

#define PLACE_NOWHERE UINT64_MAX

/*
 * enum gctrace_object_bits: how the objects of a class say their references' places. NULL, here and
 * below: a class for which there was no room (types__get()).
 */
uint32_t places__form(const struct type *type);

/* offset: of the slot from the object's start, in an object of `bytes`. */
uint64_t places__of(const struct type *type, uint64_t offset, uint64_t bytes);

#endif
