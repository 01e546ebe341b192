/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of one target by their names, for types.c: a search tree in the order of names, and
 * among those of one name first the free ones by index, then the others by class. A search takes as
 * many steps as the logarithm of their number, whatever they are called and numbered: a file may
 * come from somebody who wants it to take long. (It is a treap, whose shape hangs on a secret.)
 *
 * What it is ordered by (name, is_free, class_) may change only while the type is out of it.
 * Index 0, which nobody knows, and types without a name are never in it.
 */
#ifndef MODEL_TYPE_NAMES_H
#define MODEL_TYPE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/text.h"

struct types;

/* Each does nothing with a type that is never in it. One that is put in was out, and so on. */
void type_names__put(struct types *types, uint32_t index);
void type_names__take_out(struct types *types, uint32_t index);

/* Of that name, the first that is free. 0: none. */
uint32_t type_names__free_one(const struct types *types, struct text name);

/* Of that name, of those that are not free the one with the next higher class. 0: none. */
uint32_t type_names__behind(const struct types *types, struct text name, uint64_t class_);

#endif
