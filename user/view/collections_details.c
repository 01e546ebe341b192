/* SPDX-License-Identifier: BSD-2-Clause */
/* What -v shows below a collection: figures that its line has no room for, pools, pauses. */
#include <inttypes.h>

#include "../base/escape.h"
#include "../base/units.h"
#include "collections.h"

/* What all of these need. */
struct page {
	struct buf *out;
	const struct terminal *terminal;
	const struct view_options *options;
	size_t indent;
	const struct heading *heading;
};

static void begin_detail(const struct page *page)
{
	buf__add_repeated(page->out, ' ', page->indent);
	buf__add_str(page->out, terminal__on(page->terminal, STYLE_DIM));
}

static void end_detail(const struct page *page)
{
	buf__add_str(page->out, terminal__off(page->terminal, STYLE_DIM));
	buf__add_char(page->out, '\n');
}

static void add_bytes(struct buf *out, const char *name, uint64_t bytes)
{
	char text[UNITS_TEXT];

	if (bytes != EVENT_UNKNOWN)
		buf__printf(out, "  %s %s", name, units__bytes(text, bytes));
}

static void pool_detail(const struct page *page, const struct collection_pool *pool)
{
	struct buf *out = page->out;
	char before[UNITS_TEXT] = "-", after[UNITS_TEXT] = "-";
	size_t start;

	begin_detail(page);
	buf__add_str(out, "pool ");
	start = out->len;
	escape__add(out, pool->name.at, pool->name.bytes);
	if (out->len - start < 24)
		buf__add_repeated(out, ' ', 24 - (out->len - start));
	if (pool->before != EVENT_UNKNOWN)
		units__bytes_column(before, pool->before);
	if (pool->after != EVENT_UNKNOWN)
		units__bytes_column(after, pool->after);
	buf__printf(out, " %8s -> %8s", before, after);
	add_bytes(out, "of", pool->committed);
	add_bytes(out, "max", pool->max);
	if (pool->outside)
		buf__add_str(out, "  (not in the heap)");
	end_detail(page);
}

static void add_pause(const struct page *page, const struct pause *pause)
{
	struct buf *out = page->out;
	char text[UNITS_TEXT];

	begin_detail(page);
	buf__add_str(out, "pause ");
	escape__add(out, pause->what.at, pause->what.bytes);
	buf__add_str(out, pause->what.bytes ? " at " : "at ");
	collections__add_time(out, page->options, page->heading,
			      pause->start_ns != EVENT_UNKNOWN ? pause->start_ns : pause->end_ns);
	buf__printf(out, "  %s",
		    pause->share_ns == EVENT_UNKNOWN ? "-" : units__ns(text, pause->share_ns));
	if (pause->suspend_ns != EVENT_UNKNOWN)
		buf__printf(out, ", stopping all threads %s", units__ns(text, pause->suspend_ns));
	if (pause->shared)
		buf__add_str(out, ", shared");
	if (pause->partial)
		buf__add_str(out, ", began before the trace");
	if (pause->incomplete)
		buf__add_str(out, ", incomplete");
	end_detail(page);
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

	begin_detail(page);
	add_amount(out, "condemned", &collection->condemned.bytes);
	add_amount(out, "stayed", &collection->stayed.bytes);
	add_amount(out, "promoted", &collection->promoted.bytes);
	if (collection->dead.bytes.known && collection->dead.objects.known)
		buf__printf(out, "dead %s objects",
			    units__count(text, collection->dead.objects.value));
	while (out->len > 0 && out->data[out->len - 1] == ' ')
		buf__truncate(out, out->len - 1);
	end_detail(page);
}

void collections__add_details(struct buf *out, const struct terminal *terminal,
			      const struct view_options *options, size_t indent,
			      const struct heading *heading, const struct collection *collection)
{
	const struct page page = { out, terminal, options, indent, heading };

	if (collection->condemned.bytes.known || collection->moved.bytes.known)
		ranges_detail(&page, collection);
	for (size_t i = 0; i < collection->pool_count; i++)
		pool_detail(&page, &collection->pools[i]);
	for (size_t i = 0; i < collection->pauses_kept; i++)
		add_pause(&page, &collection->pauses[i]);
	if (collection->pause_count > collection->pauses_kept) {
		begin_detail(&page);
		buf__printf(out, "and %" PRIu64 " more pauses",
			    collection->pause_count - collection->pauses_kept);
		end_detail(&page);
	}
}

void collections__add_pause(struct buf *out, const struct terminal *terminal,
			    const struct view_options *options, size_t indent,
			    const struct heading *heading, const struct pause *pause)
{
	const struct page page = { out, terminal, options, indent, heading };

	add_pause(&page, pause);
}
