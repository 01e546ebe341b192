/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_select.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>

#include "../base/buf.h"
#include "../model/heap_lives.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../view/heap_words.h"
#include "heap_source.h"

const char *const heap_sorts[] = { "retained", "shallow", "count", "name", NULL };

bool *heap_select__globs(const struct heap *heap, const char *glob)
{
	const uint32_t count = heap__types(heap)->count;
	bool *wanted = calloc(count, sizeof(*wanted));
	struct buf name = BUF_INIT;

	for (uint32_t i = 0; i < count && wanted; i++) {
		buf__reset(&name);
		heap_words__type(&name, heap, i);
		wanted[i] = !glob || fnmatch(glob, buf__str(&name), 0) == 0;
		if (name.error) {
			free(wanted);
			wanted = NULL;
		}
	}
	buf__free(&name);
	return wanted;
}

size_t heap_select__most(size_t count, uint64_t top)
{
	return top && top < count ? (size_t)top : count;
}

int heap_select__compare(uint64_t more, uint64_t less)
{
	return more < less ? 1 : more > less ? -1 : 0;
}

/* ---------------------------------------------------------------- ages */

bool heap_picking__has(const void *context, uint32_t place)
{
	const struct heap_picking *picking = context;
	struct heap_life life;
	uint64_t address;

	if (!picking->wish->age_least)
		return true;
	address = heap__object(picking->heap, place).address;
	return heap_lives__of(picking->wish->lives, address, &life) &&
	       life.age >= picking->wish->age_least;
}

/* ---------------------------------------------------------------- objects */

struct sortable {
	uint64_t key;
	uint32_t place;
};

static int by_key(const void *a, const void *b)
{
	const struct sortable *x = a, *y = b;
	const int order = heap_select__compare(x->key, y->key);

	return order ? order : x->place < y->place ? -1 : x->place > y->place;
}

/* What no root reaches retains nothing that could be known: it comes last. */
static uint64_t key_of(const struct heap *heap, uint32_t place, enum heap_sort sort)
{
	const struct heap_object object = heap__object(heap, place);

	if (sort == HEAP_SORT_SHALLOW)
		return object.size;
	if (!object.reached)
		return 0;
	return sort == HEAP_SORT_COUNT ? object.dominates : object.retained;
}

int heap_select__objects(const struct heap *heap, const struct heap_wish *wish,
			 struct heap_places *places)
{
	const struct heap_picking picking = { heap, wish };
	bool *wanted = heap_select__globs(heap, wish->type);
	VEC(struct sortable) found = VEC_INIT;
	int err = wanted ? 0 : -ENOMEM;

	for (uint32_t p = heap__first(heap); !err && p < heap__end(heap); p = heap__next(heap, p))
		if (!heap__is_node(heap, p) && wanted[heap__type(heap, p)] &&
		    heap_picking__has(&picking, p))
			err = vec__push(&found,
					(struct sortable){ key_of(heap, p, wish->sort), p });
	vec__sort(&found, by_key);
	if (!err)
		err = vec__reserve(places, found.count);
	for (size_t i = 0; i < found.count && !err; i++)
		places->items[places->count++] = found.items[i].place;
	vec__free(&found);
	free(wanted);
	return err;
}

/* ---------------------------------------------------------------- one object */

int heap_select__find(struct heap *heap, uint64_t address, uint32_t *place)
{
	int err = heap__find(heap, address, place);

	if (err == -EDQUOT)
		heap_source__over_limit("finding an object needs", heap__memory_limit(heap));
	else if (err)
		error_errno(err, "cannot find the object");
	else if (*place == HEAP_NONE)
		error("no object of this dump begins at 0x%" PRIx64, address);
	return !err && *place == HEAP_NONE ? -ENOENT : err;
}

static int say_missing(const struct heap_lives *lives, uint64_t id)
{
	if (id > heap_lives__ids(lives))
		error("object %" PRIu64 " was not seen up to this dump: ids up to %" PRIu64
		      " were given",
		      id, heap_lives__ids(lives));
	else
		error("object %" PRIu64 " is not in this dump: it had died, or was lost sight of;"
		      " gctrace follow FILE --id %" PRIu64 " tells its history",
		      id, id);
	return -ENOENT;
}

int heap_select__find_id(struct heap *heap, const struct heap_lives *lives, uint64_t id,
			 uint32_t *place)
{
	uint64_t address;
	int err;

	if (heap_lives__find(lives, id, &address, &err)) {
		err = heap__find(heap, address, place);
		if (!err && *place != HEAP_NONE)
			return 0;
	}
	return err ? error_errno(err, "cannot find the object") : say_missing(lives, id);
}
