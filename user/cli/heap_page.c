/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_page.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../base/clock.h"
#include "../base/draft.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../model/examples.h"
#include "../model/excerpt.h"
#include "../model/outline.h"
#include "../view/heap_html.h"
#include "../view/output.h"
#include "heap_select.h"
#include "heap_source.h"
#include "signals.h"

/*
 * How much a page holds. Together some megabytes, which a browser opens at once; what goes beyond
 * is folded, and the page tells.
 */
#define SINGLES_MOST 2000u /* objects in the tree by themselves */
#define GROUPS_MOST 10000u /* and together */
#define STEPS_MOST 32u	   /* of a way */
#define WAYPOINTS_MOST 20000u
#define TYPES_MOST 10000u
#define NAMES_MOST (UINT64_C(2) << 20)
#define ROOTS_MOST 4000u /* lines */

/* What a page is made of. */
struct parts {
	struct heap_paths *paths;
	struct findings findings;
	struct heap_table types;
	struct example *examples;
	struct excerpt excerpt;
	struct outline roots;
	struct heap_html page;
};

static void free_parts(struct parts *parts)
{
	excerpt__free(&parts->excerpt);
	free(parts->examples);
	vec__free(&parts->findings);
	heap_table__free(&parts->types);
	vec__free(&parts->roots);
	heap_paths__free(parts->paths);
}

/* The objects that one can ask about beside those of the tree. */
static int add_of_interest(struct parts *parts)
{
	const size_t types = heap_html__types(&parts->page);
	int err = 0;

	for (size_t i = 0; i < parts->findings.count && !err; i++) {
		const struct finding *finding = &parts->findings.items[i];

		if (finding__is_of_object(finding))
			err = excerpt__add(&parts->excerpt, finding__object(finding));
	}
	for (size_t i = 0; i < types && !err; i++) {
		const struct example *example = &parts->examples[parts->types.list.lines[i].type];

		if (example->nearest == HEAP_NONE)
			continue;
		err = excerpt__add(&parts->excerpt, example->nearest);
		if (!err)
			err = excerpt__add(&parts->excerpt, example->biggest);
	}
	return err;
}

static int take_excerpt(struct parts *parts, const struct heap *heap)
{
	const struct excerpt_limits limits = { SINGLES_MOST, GROUPS_MOST, STEPS_MOST,
					       WAYPOINTS_MOST };
	int err = excerpt__init(&parts->excerpt, heap, parts->paths, &limits);

	parts->examples = err ? NULL : examples__find(heap, parts->paths);
	if (!err && !parts->examples)
		err = -ENOMEM;
	if (!err)
		err = add_of_interest(parts);
	return err ? err : excerpt__finish(&parts->excerpt);
}

/* Of each kind, thread, class as many as go on the page together. */
static int take_roots(struct parts *parts, const struct heap *heap)
{
	uint64_t *most = &parts->page.roots_most;
	int err;

	for (*most = 1000;; *most /= 3) {
		vec__reset(&parts->roots);
		err = outline__roots(heap, UINT64_MAX, *most, &parts->roots);
		if (err || parts->roots.count <= ROOTS_MOST || *most < 3)
			return err;
	}
}

static int take_parts(struct parts *parts, const struct heap_source *source)
{
	/* Ages are of the types that the table has by rank alone: a kilobyte each. */
	const struct heap_wish wish = { .sort = HEAP_SORT_RETAINED, .top = TYPES_MOST,
					.lives = source->heading.lives };
	const struct heap *heap = source->heap;
	int err = heap_paths__new(source->heap, &parts->paths);

	if (!err)
		err = findings__find(source->heap, parts->paths, &parts->findings);
	if (!err)
		err = heap_select__types(heap, &wish, &parts->types);
	if (!err)
		err = take_excerpt(parts, heap);
	return err ? err : take_roots(parts, heap);
}

static int say(const struct heap *heap, int err)
{
	if (err == -EDQUOT)
		return heap_source__over_limit("the page needs", heap__memory_limit(heap));
	if (err)
		error_errno(err, "cannot make the page");
	return err;
}

static int write_file(const struct heap_html *page, struct draft *draft)
{
	char objects[UNITS_TEXT], bytes[UNITS_TEXT];
	struct buf name = BUF_INIT;
	struct output output;
	struct stat written = { .st_size = 0 };
	int err;

	buf__add_str(&name, escape(draft->path));
	output__init(&output, draft->fd, signals__stop_fd(), buf__str(&name));
	err = heap_html__write(page, &output);
	fstat(draft->fd, &written);
	err = draft__close(draft, err);
	if (!err)
		note("%s object%s as a page, %s in %s",
		     units__count(objects, page->heading->facts->objects),
		     units__s(page->heading->facts->objects),
		     units__bytes(bytes, (uint64_t)written.st_size), buf__str(&name));
	buf__free(&name);
	return err;
}

int heap_page__write(const struct heap_source *source, struct draft *draft)
{
	struct parts parts = {
		.page = { .heap = source->heap, .heading = &source->heading,
			  .findings = &parts.findings, .types = &parts.types.list,
			  .types_most = TYPES_MOST, .names_most = NAMES_MOST,
			  .excerpt = &parts.excerpt, .roots = &parts.roots,
			  .made_ns = (int64_t)clock__monotonic_ns() + clock__wall_offset_ns() },
	};
	int err = say(source->heap, take_parts(&parts, source));

	parts.page.examples = parts.examples;
	if (!err)
		err = write_file(&parts.page, draft);
	free_parts(&parts);
	return err;
}
