/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data of the program that the virtual machine runs: a web shop. Functions that return an
 * object return it as the last thing they do: the caller puts it into a local at once.
 */
#ifndef MINIVM_PROGRAM_H
#define MINIVM_PROGRAM_H

#include "mutator.h"

/* Aborts when an object is not of the class that the program put there. */
void check_class(const struct object *o, unsigned class_);

struct object *new_string(struct mutator *m, uint64_t bytes);
struct object *new_customer(struct mutator *m);
/* *customer: a local. The order knows its customer, not the other way round. */
struct object *new_order(struct mutator *m, struct object **customer);
/* The order becomes its customer's first, who keeps the last few. */
void place_order(struct mutator *m, struct object **customer);
struct object *new_session(struct mutator *m, struct object **customer);
/* A binary tree of that depth, built by recursion. */
struct object *new_tree(struct mutator *m, unsigned depth);
struct object *new_list(struct mutator *m, unsigned cells);

struct object *new_map(struct mutator *m, uint64_t capacity);
/*
 * Adds an entry, whether the key is there or not. All three are locals, or the first a static; the
 * map is in this field of the object there, or (MAP_ITSELF) that object. So a map that only a field
 * keeps is no thread's root while memory for the entry is made, where the world may stop.
 */
#define MAP_ITSELF (-1)
void map_put(struct mutator *m, struct object **holder, int field, struct object **key,
	     struct object **value);
uint64_t map_size(struct object *map);

/* Statics and the virtual machine's own objects; by main, before other threads start. */
void program__start(struct mutator *m, uint64_t threads);

/* A random product, never NULL. */
struct object *any_product(struct mutator *m);

/* About how many objects hang on a customer. */
#define OBJECTS_OF_CUSTOMER 22

#endif
