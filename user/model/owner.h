/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who owns what accumulates: the one to blame for it, and not whoever stands above all of it.
 *
 *	ServiceProvider 61 MB - CallSite 61 MB - CartCache 61 MB - Dictionary 61 MB - Entry[] 61 MB
 *	platform                platform         application       collection         accumulates
 *
 * From the object that accumulates upwards in the dominator tree each keeps at least what the one
 * below it does. As long as that is hardly more, the thing kept is the same, and any of them may be
 * called its owner. What is meant is the nearest that the program's authors wrote: what is nearer
 * are collections, which do what they are told, and what is further is there to hold everything.
 *
 * Which are a runtime's own types their names say (package of heap_groups.h: "System.", "java.").
 * Without such an application type the owner is the nearest of the platform's that is no
 * collection (its cache, its pool). Where names tell nothing at all, for a runtime whose types have
 * no packages, it is the uppermost.
 *
 * A class of Java that may be unloaded has its statics in its class object, and what a loader or
 * another holds by that is what a static holds: the search ends below it, as it does below a root.
 */
#ifndef MODEL_OWNER_H
#define MODEL_OWNER_H

#include <stdbool.h>
#include <stdint.h>

#include "heap.h"

#define OWNER_PART 5 /* hardly more: a fifth at most */

/* Of an object that the roots reach: one above it, or itself. */
uint32_t owner__of(const struct heap *heap, uint32_t place);

/*
 * The same where the object is the head of a structure of its own type (accumulation.h), a list's
 * first node: what holds that is meant, if it is the program's.
 */
uint32_t owner__of_structure(const struct heap *heap, uint32_t place);

/* Is an object, or a node of the roots, a class object of Java? */
bool owner__is_class_object(const struct heap *heap, uint32_t place);

/* In a class object a static has its whole name, "shop.Cache.instance"; nothing else has a dot. */
bool owner__is_static(const struct heap *heap, uint32_t from, uint32_t to);

/* Is this object one of the platform's collections, or a part of one? */
bool owner__is_collection(const struct heap *heap, uint32_t place);

#endif
