/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_select.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buf.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../view/heap_words.h"

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

/* ---------------------------------------------------------------- types */

static int compare_u64(uint64_t more, uint64_t less)
{
	return more < less ? 1 : more > less ? -1 : 0;
}

static int compare_types(const void *a, const void *b)
{
	const uint32_t x = ((const struct heap_type_line *)a)->type;
	const uint32_t y = ((const struct heap_type_line *)b)->type;

	return x < y ? -1 : x > y;
}

static int by_retained(const void *a, const void *b)
{
	const struct heap_type_line *x = a, *y = b;
	int order = compare_u64(x->sums.retained, y->sums.retained);

	order = order ? order : compare_u64(x->sums.bytes, y->sums.bytes);
	return order ? order : compare_types(a, b);
}

static int by_shallow(const void *a, const void *b)
{
	const struct heap_type_line *x = a, *y = b;
	int order = compare_u64(x->sums.bytes, y->sums.bytes);

	return order ? order : compare_types(a, b);
}

static int by_count(const void *a, const void *b)
{
	const struct heap_type_line *x = a, *y = b;
	int order = compare_u64(x->sums.objects, y->sums.objects);

	return order ? order : by_shallow(a, b);
}

static int by_name(const void *a, const void *b, void *context)
{
	const struct heap_types *types = heap__types(context);
	const struct heap_type x = heap_types__at(types, ((const struct heap_type_line *)a)->type);
	const struct heap_type y = heap_types__at(types, ((const struct heap_type_line *)b)->type);
	const size_t least = x.name.bytes < y.name.bytes ? x.name.bytes : y.name.bytes;
	const int order = least ? memcmp(x.name.at, y.name.at, least) : 0;

	if (order || x.name.bytes != y.name.bytes)
		return order ? order : x.name.bytes < y.name.bytes ? -1 : 1;
	return compare_types(a, b);
}

static void sort_types(const struct heap *heap, enum heap_sort sort, struct heap_lines *lines)
{
	union {
		const struct heap *in;
		void *out;
	} context = { heap }; /* qsort_r() takes no const */

	switch (sort) {
	case HEAP_SORT_RETAINED:
		vec__sort(lines, by_retained);
		break;
	case HEAP_SORT_SHALLOW:
		vec__sort(lines, by_shallow);
		break;
	case HEAP_SORT_COUNT:
		vec__sort(lines, by_count);
		break;
	case HEAP_SORT_NAME:
		if (lines->count > 1)
			qsort_r(lines->items, lines->count, sizeof(*lines->items), by_name,
				context.out);
		break;
	}
}

static int gather(const struct heap *heap, const struct heap_type_sums *sums, const bool *wanted,
		  struct heap_lines *lines)
{
	int err = 0;

	for (uint32_t i = 0; i < heap__types(heap)->count && !err; i++)
		if (wanted[i] && sums[i].objects)
			err = vec__push(lines, (struct heap_type_line){ i, sums[i] });
	return err;
}

int heap_select__types(const struct heap *heap, const char *glob, enum heap_sort sort,
		       uint64_t top, struct heap_lines *lines, struct heap_type_list *to)
{
	bool *wanted = heap_select__globs(heap, glob);
	struct heap_type_sums *sums = NULL;
	int err = wanted ? heap__histogram(heap, &sums) : -ENOMEM;

	if (!err)
		err = gather(heap, sums, wanted, lines);
	free(sums);
	free(wanted);
	sort_types(heap, sort, lines);
	*to = (struct heap_type_list){ lines->items, lines->count,
				       heap_select__most(lines->count, top),
				       heap__facts(heap)->bytes };
	return err;
}

int heap_select__freed(const struct heap *heap, uint32_t place, uint64_t top,
		       struct heap_lines *lines, struct heap_type_list *to)
{
	struct heap_type_sums *sums = calloc(heap__types(heap)->count, sizeof(*sums));
	bool *wanted = heap_select__globs(heap, NULL);
	struct heap_subtree subtree = heap__subtree(heap, place);
	uint32_t at;
	int err = sums && wanted ? 0 : -ENOMEM;

	while (!err && (at = heap_subtree__next(&subtree, heap)) != HEAP_NONE) {
		const struct heap_object object = heap__object(heap, at);

		sums[object.type].objects++;
		sums[object.type].bytes += object.size;
	}
	if (!err)
		err = gather(heap, sums, wanted, lines);
	free(sums);
	free(wanted);
	sort_types(heap, HEAP_SORT_SHALLOW, lines);
	*to = (struct heap_type_list){ lines->items, lines->count,
				       heap_select__most(lines->count, top), 0 };
	return err;
}

/* ---------------------------------------------------------------- objects */

struct sortable {
	uint64_t key;
	uint32_t place;
};

static int by_key(const void *a, const void *b)
{
	const struct sortable *x = a, *y = b;
	const int order = compare_u64(x->key, y->key);

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

int heap_select__objects(const struct heap *heap, const char *glob, enum heap_sort sort,
			 struct heap_places *places)
{
	bool *wanted = heap_select__globs(heap, glob);
	VEC(struct sortable) found = VEC_INIT;
	int err = wanted ? 0 : -ENOMEM;

	for (uint32_t p = heap__first(heap); !err && p < heap__end(heap); p = heap__next(heap, p))
		if (!heap__is_node(heap, p) && wanted[heap__object(heap, p).type])
			err = vec__push(&found, (struct sortable){ key_of(heap, p, sort), p });
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
		error("finding an object needs more memory than the limit allows; raise"
		      " --mem-limit");
	else if (err)
		error_errno(err, "cannot find the object");
	else if (*place == HEAP_NONE)
		error("no object of this dump begins at 0x%" PRIx64, address);
	return !err && *place == HEAP_NONE ? -ENOENT : err;
}
