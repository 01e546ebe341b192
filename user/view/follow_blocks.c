/* SPDX-License-Identifier: BSD-2-Clause */
/* What ranges alone tell of a collection, for people: indented lines below it. */
#include <inttypes.h>

#include "../base/escape.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "follow_parts.h"
#include "terminal.h"

#define INDENT 11

static void add_bytes(struct buf *said, const char *what, uint64_t bytes)
{
	char text[UNITS_TEXT];

	if (bytes != EVENT_UNKNOWN)
		buf__printf(said, ", %s %s", what, units__bytes(text, bytes));
}

/* As the collection's figures call it; "gen 3" where they do not. */
static void say_name(struct buf *said, const struct collection *collection, uint64_t generation)
{
	for (size_t i = 0; i < collection->figure_count; i++) {
		const struct collection_figure *figure = &collection->figures[i];

		if (figure->generation != generation || !figure->name.bytes)
			continue;
		escape__add(said, figure->name.at, figure->name.bytes);
		return;
	}
	buf__printf(said, "gen %" PRIu64, generation);
}

static void say_generation(struct buf *said, const struct collection *collection,
			   const struct blocks_generation *of)
{
	char text[UNITS_TEXT];

	if (of->generation == GENERATION_UNKNOWN)
		buf__add_str(said, "generation not told");
	else
		say_name(said, collection, of->generation);
	buf__add_str(said, ": survived ");
	buf__add_str(said, of->survived == EVENT_UNKNOWN ? "-" : units__bytes(text, of->survived));
	add_bytes(said, "moved", of->moved);
	if (of->generation != GENERATION_UNKNOWN && of->moved)
		add_bytes(said, "of that slid", of->slid);
	add_bytes(said, "stayed", of->stayed);
	if (of->generation != GENERATION_UNKNOWN)
		add_bytes(said, "promoted", of->promoted);
	if (!of->holes_known)
		return;
	buf__printf(said, "; holes between survivors: %s", units__count(text, of->holes));
	if (of->holes) {
		add_bytes(said, "in all", of->hole_bytes);
		add_bytes(said, "largest", of->largest_hole);
	}
}

static void say_distance(struct buf *said, const struct blocks *blocks)
{
	char median[UNITS_TEXT], most[UNITS_TEXT];
	uint64_t below = blocks__median_below(blocks);

	buf__add_str(said, "moved ");
	/* Of a power of 2 and the next one, the one that tells more than the farthest does. */
	if (below != EVENT_UNKNOWN && below > blocks->farthest)
		buf__printf(said, "by %s or more in the median, ", units__bytes(median, below / 2));
	else if (below != EVENT_UNKNOWN)
		buf__printf(said, "by less than %s in the median, ", units__bytes(median, below));
	buf__printf(said, "by %s at most", units__bytes(most, blocks->farthest));
	add_bytes(said, "to lower addresses", blocks->down);
}

static void add_line(struct buf *out, const struct terminal *terminal, struct buf *said)
{
	struct wrap wrap = { terminal__text_columns(terminal), NULL, INDENT + 2, NULL };

	buf__add_repeated(out, ' ', INDENT);
	wrap__add(out, &wrap, INDENT, buf__str(said));
	buf__add_char(out, '\n');
	out->error = out->error ? out->error : said->error;
	buf__reset(said);
}

void follow__add_blocks(struct buf *out, const struct terminal *terminal,
			const struct follow_blocks *shown)
{
	const struct blocks *blocks = shown->is;
	struct buf said = BUF_INIT;

	for (size_t i = 0; i < blocks->generations.count; i++) {
		const struct blocks_generation *of = &blocks->generations.items[i];

		if (of->survived == 0 && of->moved == 0 && !of->holes_known)
			continue;
		say_generation(&said, shown->collection, of);
		add_line(out, terminal, &said);
	}
	if (blocks->farthest) {
		say_distance(&said, blocks);
		add_line(out, terminal, &said);
	}
	buf__free(&said);
}
