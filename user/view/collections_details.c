/* SPDX-License-Identifier: BSD-2-Clause */
/* What -v shows below a collection: figures that its line has no room for, pools, pauses. */
#include <inttypes.h>

#include "../base/escape.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "collections.h"
#include "gctrace/wire.h"
#include "model/names.h"

/* What all of these need. */
struct page {
	struct buf *out;
	const struct terminal *terminal;
	const struct view_options *options;
	const struct heading *heading;
};

#define INDENT 6 /* the same for all forms of the lines above */
#define NAMES_NARROWEST 20
#define NAMES_WIDEST 32 /* "CodeHeap 'non-profiled nmethods'"; longer ones are whole, out of step */
#define BELOW_FIGURES (NAMES_NARROWEST + 6) /* indent of what goes on there */
#define DEAD_WIDTH 19 /* "dead 12.3 k objects" */
#define MAX_WIDTH 14 /* "  max 6.00 MiB" */
#define FIGURES_WIDTH 43 /* "  free  789 KiB ->  123 B    alive 29.5 MiB" */

static void begin_detail(const struct page *page)
{
	buf__add_repeated(page->out, ' ', INDENT);
	buf__add_str(page->out, terminal__on(page->terminal, STYLE_DIM));
}

static void end_detail(const struct page *page)
{
	struct buf *out = page->out;

	while (out->len > 0 && out->data[out->len - 1] == ' ')
		buf__truncate(out, out->len - 1);
	buf__add_str(out, terminal__off(page->terminal, STYLE_DIM));
	buf__add_char(out, '\n');
}

static void add_bytes(struct buf *out, const char *before, uint64_t bytes)
{
	char text[UNITS_TEXT] = "";

	if (bytes != EVENT_UNKNOWN)
		units__bytes_column(text, bytes);
	buf__printf(out, "%s%*s", *text ? before : "", *text ? UNITS_BYTES_COLUMNS : 0, text);
}

static struct buf name_of(const struct collection_pool *pool)
{
	struct buf name = BUF_INIT;

	escape__add(&name, pool->name.at, pool->name.bytes);
	return name;
}

static size_t widest_name(const struct collection *collection)
{
	size_t widest = NAMES_NARROWEST, width;

	for (size_t i = 0; i < collection->pool_count; i++) {
		struct buf name = name_of(&collection->pools[i]);

		width = utf8__columns(buf__str(&name), name.len);
		if (width > widest && width <= NAMES_WIDEST)
			widest = width;
		buf__free(&name);
	}
	return widest;
}

/*
 * What is to come has so many columns: where they have no room it goes on in a further line, set
 * in by `indent` more. *start: where in the text this line begins, behind its own indent.
 */
static void make_room(const struct page *page, size_t *start, size_t columns, size_t indent)
{
	struct buf *out = page->out;

	if (out->error || INDENT + utf8__columns(out->data + *start, out->len - *start) + columns <=
				  terminal__text_columns(page->terminal))
		return;
	end_detail(page);
	begin_detail(page);
	*start = out->len;
	buf__add_repeated(out, ' ', indent);
}

/* "  free 18.4 MiB -> 40.0 B    alive 29.5 MiB": what the runtime knows beside. */
static void add_pool_figures(const struct page *page, const struct collection *collection,
			     const struct collection_pool *pool, size_t *start)
{
	const uint64_t before = collection__of_pool(collection, pool, GCTRACE_FIGURE_FREE_BEFORE);
	const uint64_t after = collection__of_pool(collection, pool, GCTRACE_FIGURE_FREE_AFTER);
	const uint64_t alive = collection__of_pool(collection, pool, GCTRACE_FIGURE_PROMOTED);

	if (before == EVENT_UNKNOWN && after == EVENT_UNKNOWN && alive == EVENT_UNKNOWN)
		return;
	make_room(page, start, FIGURES_WIDTH, BELOW_FIGURES);
	if (before != EVENT_UNKNOWN && after != EVENT_UNKNOWN) {
		add_bytes(page->out, "  free ", before);
		add_bytes(page->out, " -> ", after);
	}
	add_bytes(page->out, "  alive ", alive);
}

static void pool_detail(const struct page *page, const struct collection *collection,
			const struct collection_pool *pool, size_t names)
{
	char before[UNITS_TEXT] = "-", after[UNITS_TEXT] = "-";
	struct buf *out = page->out, name = name_of(pool);
	size_t width = utf8__columns(buf__str(&name), name.len), start;

	begin_detail(page);
	start = out->len;
	buf__printf(out, "%-7s%s", pool->outside ? "beside" : "pool", buf__str(&name));
	buf__add_repeated(out, ' ', width < names ? names - width : 0);
	if (pool->before != EVENT_UNKNOWN)
		units__bytes_column(before, pool->before);
	if (pool->after != EVENT_UNKNOWN)
		units__bytes_column(after, pool->after);
	buf__printf(out, " %8s -> %8s", before, after);
	add_bytes(out, "  of ", pool->committed);
	if (pool->max != EVENT_UNKNOWN)
		make_room(page, &start, MAX_WIDTH, BELOW_FIGURES);
	add_bytes(out, "  max ", pool->max);
	add_pool_figures(page, collection, pool, &start);
	end_detail(page);
	if (name.error)
		out->error = name.error;
	buf__free(&name);
}

static void add_pause(const struct page *page, const struct pause *pause)
{
	const struct wrap wrap = { .columns = terminal__text_columns(page->terminal),
				   .indent = INDENT + 7 };
	struct buf said = BUF_INIT;
	char text[UNITS_TEXT];

	escape__add(&said, pause->what.at, pause->what.bytes);
	buf__add_str(&said, pause->what.bytes ? " at " : "at ");
	collections__add_time(&said, page->options, page->heading,
			      pause->start_ns != EVENT_UNKNOWN ? pause->start_ns : pause->end_ns);
	buf__printf(&said, ": %s",
		    pause->share_ns == EVENT_UNKNOWN ? "-" : units__ns(text, pause->share_ns));
	if (pause->suspend_ns != EVENT_UNKNOWN)
		buf__printf(&said, ", stopping all threads %s", units__ns(text, pause->suspend_ns));
	if (pause->shared && pause->whole_ns != EVENT_UNKNOWN)
		buf__printf(&said, ", its part of a stop of %s", units__ns(text, pause->whole_ns));
	else if (pause->shared)
		buf__add_str(&said, ", its part of a stop");
	if (pause->open)
		buf__add_str(&said, ", in progress when the trace ended");
	if (pause->partial)
		buf__add_str(&said, ", began before the trace");
	if (pause->incomplete)
		buf__add_str(&said, ", incomplete");
	begin_detail(page);
	buf__add_str(page->out, "pause  ");
	wrap__add(page->out, &wrap, wrap.indent, buf__str(&said));
	end_detail(page);
	if (said.error)
		page->out->error = said.error;
	buf__free(&said);
}

static void add_amount(struct buf *out, const char *name, const struct amount *bytes)
{
	char text[UNITS_TEXT];

	if (bytes->known)
		buf__printf(out, "%s %s%s  ", name, bytes->estimated ? "~" : "",
			    units__bytes(text, bytes->value));
}

/* What of the ranges the line itself does not say. */
static void ranges_detail(const struct page *page, const struct collection *collection)
{
	struct buf *out = page->out;
	char text[UNITS_TEXT];
	size_t start;

	begin_detail(page);
	start = out->len;
	add_amount(out, "condemned", &collection->condemned.bytes);
	/* What no ranges tell may have no room in the line. */
	if (!collection->stayed.bytes.known)
		add_amount(out, "moved", &collection->moved.bytes);
	add_amount(out, "stayed", &collection->stayed.bytes);
	add_amount(out, "promoted", &collection->promoted.bytes);
	if (collection->dead.bytes.known && collection->dead.objects.known) {
		make_room(page, &start, DEAD_WIDTH, 0);
		buf__printf(out, "dead %s object%s",
			    units__count(text, collection->dead.objects.value),
			    units__s(collection->dead.objects.value));
	}
	end_detail(page);
}

/* "kind   compacting" */
static void how_detail(const struct page *page, const struct collection *collection)
{
	struct buf *out = page->out;

	begin_detail(page);
	buf__add_str(out, "kind   ");
	for (unsigned int bit = 0; names__how(bit); bit++)
		if (collection->how >> bit & 1)
			buf__printf(out, "%s ", names__how(bit));
	end_detail(page);
}

static void add_count(struct buf *out, const struct collection *collection, uint32_t what,
		      const char *name)
{
	const uint64_t count = collection__of_heap(collection, what);
	char text[UNITS_TEXT];

	if (count != EVENT_UNKNOWN)
		buf__printf(out, "%s %s  ", name, units__count(text, count));
}

/* "counts pinned 3  handles 214  finalized 2": in the whole heap, by the runtime. */
static void counts_detail(const struct page *page, const struct collection *collection)
{
	begin_detail(page);
	buf__add_str(page->out, "counts ");
	add_count(page->out, collection, GCTRACE_FIGURE_PINNED, "pinned");
	add_count(page->out, collection, GCTRACE_FIGURE_HANDLES, "handles");
	add_count(page->out, collection, GCTRACE_FIGURE_FINALIZED_OBJECTS, "finalized");
	add_count(page->out, collection, GCTRACE_FIGURE_MONITORS, "monitors");
	end_detail(page);
}

void collections__add_details(struct buf *out, const struct terminal *terminal,
			      const struct view_options *options,
			      const struct heading *heading, const struct collection *collection)
{
	const struct page page = { out, terminal, options, heading };
	size_t names = widest_name(collection);

	if (collection->condemned.bytes.known || collection->moved.bytes.known)
		ranges_detail(&page, collection);
	if (collection->how)
		how_detail(&page, collection);
	if (collection__of_heap(collection, GCTRACE_FIGURE_PINNED) != EVENT_UNKNOWN)
		counts_detail(&page, collection);
	for (size_t i = 0; i < collection->pool_count; i++)
		pool_detail(&page, collection, &collection->pools[i], names);
	for (size_t i = 0; i < collection->pauses_kept; i++)
		add_pause(&page, &collection->pauses[i]);
	if (collection->pause_count > collection->pauses_kept) {
		begin_detail(&page);
		buf__printf(out, "and %" PRIu64 " more pause%s",
			    collection->pause_count - collection->pauses_kept,
			    units__s(collection->pause_count - collection->pauses_kept));
		end_detail(&page);
	}
}

void collections__add_pause(struct buf *out, const struct terminal *terminal,
			    const struct view_options *options,
			    const struct heading *heading, const struct pause *pause)
{
	const struct page page = { out, terminal, options, heading };

	add_pause(&page, pause);
}
