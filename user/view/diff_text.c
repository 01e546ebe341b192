/* SPDX-License-Identifier: BSD-2-Clause */
/* Two heaps beside each other, for people. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../base/shorten.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "diff_view.h"
#include "heap_words.h"
#include "output.h"
#include "table.h"
#include "terminal.h"

#define NAME_COLUMNS 20
#define CHANGE_COLUMNS 9
#define PATH_INDENT 22 /* of its further lines: behind the two figures of a branch */

struct diff_text {
	const struct diff_shown *shown;
	const struct terminal *terminal;
	struct buf out, raw, name;
};

/* ---------------------------------------------------------------- pieces */

/* text->raw, which is empty then; words that are too long are shortened. */
static const char *escaped(struct diff_text *text)
{
	struct buf whole = BUF_INIT;

	buf__reset(&text->name);
	escape__move(&whole, &text->raw);
	shorten__add_words(&text->name, buf__str(&whole), whole.len);
	if (whole.error || text->name.error)
		text->out.error = whole.error ? whole.error : text->name.error;
	buf__free(&whole);
	return buf__str(&text->name);
}

static void add_wrapped(struct diff_text *text, const char *first, const char *prefix,
			size_t indent)
{
	const struct wrap wrap = { terminal__text_columns(text->terminal), prefix, indent,
				   WRAP_NAMES };

	buf__add_str(&text->out, first);
	wrap__add(&text->out, &wrap, utf8__columns(first, strlen(first)), escaped(text));
}

static void add_styled(struct diff_text *text, enum style style, const char *first,
		       const char *prefix)
{
	buf__add_str(&text->out, terminal__on(text->terminal, style));
	add_wrapped(text, first, prefix, 0);
	buf__add_str(&text->out, terminal__off(text->terminal, style));
	buf__add_char(&text->out, '\n');
}

static void add_title(struct diff_text *text, const char *words)
{
	buf__add_char(&text->out, '\n');
	buf__add_str(&text->raw, words);
	add_styled(text, STYLE_HEAD, "", "");
}

/* The sign stands before the figure, in the place of a blank where there is one. */
static char *add_sign(char *text, int64_t change)
{
	const size_t blanks = strspn(text, " ");

	if (!change)
		return text;
	if (!blanks)
		memmove(text + 1, text, strlen(text) + 1);
	text[blanks ? blanks - 1 : 0] = change < 0 ? '-' : '+';
	return text;
}

static uint64_t absolute(int64_t change)
{
	return change < 0 ? (uint64_t)-change : (uint64_t)change;
}

static char *count_change(char *text, int64_t change)
{
	return add_sign(units__count_column(text, absolute(change)), change);
}

static char *bytes_change(char *text, int64_t change)
{
	return add_sign(units__bytes_column(text, absolute(change)), change);
}

/* ---------------------------------------------------------------- heading, sentences */

static void add_dump(struct diff_text *text, unsigned int side)
{
	const struct heap_heading *heading = text->shown->heading[side];
	const struct heap_facts *facts = heading->facts;
	char objects[UNITS_TEXT], bytes[UNITS_TEXT];

	buf__printf(&text->raw, "%s", heading->subject);
	if (facts->collection != EVENT_UNKNOWN)
		buf__printf(&text->raw, ", after collection %" PRIu64, facts->collection);
	buf__printf(&text->raw, ": %s object%s, %s", units__count(objects, facts->objects),
		    units__s(facts->objects), units__bytes(bytes, facts->bytes));
	if (!text->shown->whole[side])
		buf__add_str(&text->raw, "; NOT WHOLE");
	add_styled(text, STYLE_DIM, side == DIFF_WAS ? "# A " : "# B ", "#     ");
}

static void add_heading(struct diff_text *text)
{
	const struct heap_heading *const *heading = text->shown->heading;
	const bool was_guess = heading[DIFF_WAS]->facts->estimated_types;

	add_dump(text, DIFF_WAS);
	add_dump(text, DIFF_IS);
	diff_words__how(&text->raw, text->shown);
	add_styled(text, STYLE_DIM, "# ", "#   ");
	heap_words__accuracy(&text->raw, heading[was_guess ? DIFF_WAS : DIFF_IS]->facts, false);
	add_styled(text, STYLE_DIM, "# ", "#   ");
	for (int side = 0; side < DIFF_SIDES; side++) {
		if (!heading[side]->facts->estimated_types)
			continue;
		buf__add_str(&text->raw, side == DIFF_WAS ? "A: " : "B: ");
		heap_words__estimated(&text->raw, heading[side]->facts, "");
		add_styled(text, STYLE_DIM, "# ", "#   ");
	}
}

static void add_sentences(struct diff_text *text)
{
	buf__add_char(&text->out, '\n');
	diff_words__all(&text->raw, text->shown);
	add_styled(text, STYLE_PLAIN, "", "");
	if (diff_words__most(&text->raw, text->shown))
		add_styled(text, STYLE_PLAIN, "", "");
	if (!diff_words__command(&text->raw, text->shown))
		return;
	buf__printf(&text->out, "    %s", terminal__on(text->terminal, STYLE_DIM));
	buf__move(&text->out, &text->raw); /* whole and as it is, or it would not do */
	buf__printf(&text->out, "%s\n", terminal__off(text->terminal, STYLE_DIM));
}

/* ---------------------------------------------------------------- types */

static void add_changes(struct table *table, const struct diff_type *type)
{
	const struct heap_type_sums *was = &type->side[DIFF_WAS], *is = &type->side[DIFF_IS];
	char figure[UNITS_TEXT];

	table__cell(table, STYLE_PLAIN,
		    count_change(figure, diff__change(was->objects, is->objects)));
	table__cell(table, STYLE_PLAIN, bytes_change(figure, diff__change(was->bytes, is->bytes)));
	table__cell(table, STYLE_PLAIN,
		    bytes_change(figure, diff__change(was->retained, is->retained)));
}

static void add_type(struct diff_text *text, struct table *table, uint32_t index, bool withdrawn)
{
	const struct diff_type *type = &text->shown->diff->types.items[index];
	char figure[UNITS_TEXT];

	if (text->shown->diff->has_fates) {
		table__cell(table, STYLE_PLAIN,
			    units__count_column(figure, type->fate.born.objects));
		table__cell(table, STYLE_PLAIN,
			    units__count_column(figure, type->fate.died.objects));
		table__cell(table, STYLE_PLAIN,
			    units__count_column(figure, type->fate.survived.objects));
	} else {
		table__cell(table, STYLE_PLAIN,
			    units__count_column(figure, type->side[DIFF_WAS].objects));
		table__cell(table, STYLE_PLAIN,
			    units__count_column(figure, type->side[DIFF_IS].objects));
	}
	if (withdrawn)
		table__cell(table, STYLE_PLAIN,
			    units__count_column(figure, type->fate.withdrawn.objects));
	add_changes(table, type);
	diff_words__type(&text->raw, text->shown, index);
	table__cell_name(table, STYLE_PLAIN, buf__str(&text->raw), text->raw.len);
	if (text->raw.error)
		text->out.error = text->raw.error;
	buf__reset(&text->raw);
	table__end_row(table, &text->out);
}

static void add_other_types(struct diff_text *text)
{
	const struct diff_shown *shown = text->shown;
	int64_t objects = 0, bytes = 0;
	char figure[UNITS_TEXT], size[UNITS_TEXT];

	if (shown->types_shown == shown->type_count)
		return;
	for (size_t i = shown->types_shown; i < shown->type_count; i++) {
		const struct diff_type *type = &shown->diff->types.items[shown->types[i]];

		objects += diff__change(type->side[DIFF_WAS].objects,
					type->side[DIFF_IS].objects);
		bytes += diff__change(type->side[DIFF_WAS].bytes, type->side[DIFF_IS].bytes);
	}
	buf__printf(&text->out, "  … %zu more type%s: %s%s object%s, %s%s (--top 0 shows all)\n",
		    shown->type_count - shown->types_shown,
		    units__s(shown->type_count - shown->types_shown), objects < 0 ? "-" : "+",
		    units__count(figure, absolute(objects)), units__s(absolute(objects)),
		    bytes < 0 ? "-" : "+", units__bytes(size, absolute(bytes)));
}

static void add_types(struct diff_text *text)
{
	static const struct column by_identity[] = {
		{ "born", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
		{ "died", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
		{ "survived", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
	}, by_type[] = {
		{ "in A", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
		{ "in B", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
	}, changes[] = {
		{ "objects", CHANGE_COLUMNS, ALIGN_RIGHT },
		{ "bytes", CHANGE_COLUMNS, ALIGN_RIGHT },
		{ "retained", CHANGE_COLUMNS, ALIGN_RIGHT },
		{ "type", NAME_COLUMNS, ALIGN_LEFT },
	}, withdrawn = { "withdrawn", CHANGE_COLUMNS, ALIGN_RIGHT };
	const struct diff_shown *shown = text->shown;
	const bool has_fates = shown->diff->has_fates;
	const bool has_withdrawn = has_fates && shown->total.fate.withdrawn.objects;
	struct column columns[8];
	size_t count = has_fates ? 3 : 2;
	struct table table;

	memcpy(columns, has_fates ? by_identity : by_type, count * sizeof(*columns));
	if (has_withdrawn)
		columns[count++] = withdrawn;
	memcpy(columns + count, changes, sizeof(changes));
	add_title(text, "Types, by how they changed");
	table__init(&table, columns, count + 4, text->terminal);
	table__titles(&table, &text->out);
	for (size_t i = 0; i < shown->types_shown; i++)
		add_type(text, &table, shown->types[i], has_withdrawn);
	table__free(&table);
	add_other_types(text);
}

/* ---------------------------------------------------------------- paths */

static void add_branch(struct diff_text *text, uint32_t branch)
{
	const struct fate_sum *ending = text->shown->growth->branches.items[branch].ending;
	const struct fate_sum *was = &ending[DIFF_WAS], *is = &ending[DIFF_IS];
	char objects[UNITS_TEXT], bytes[UNITS_TEXT], figures[3 * UNITS_TEXT];

	count_change(objects, diff__change(was->objects, is->objects));
	bytes_change(bytes, diff__change(was->bytes, is->bytes));
	snprintf(figures, sizeof(figures), "%*s %*s ", CHANGE_COLUMNS, objects, CHANGE_COLUMNS,
		 bytes);
	diff_words__path(&text->raw, text->shown->growth, branch);
	add_wrapped(text, figures, "", PATH_INDENT);
	buf__add_char(&text->out, '\n');
}

static void add_branches(struct diff_text *text)
{
	const struct diff_shown *shown = text->shown;
	const size_t count = shown->branches->count;

	if (!count)
		return;
	add_title(text, "Shortest paths from the roots, by how many objects are at their ends");
	buf__printf(&text->out, "%*s %*s path\n", CHANGE_COLUMNS, "objects", CHANGE_COLUMNS,
		    "bytes");
	for (size_t i = 0; i < shown->branches_shown; i++)
		add_branch(text, shown->branches->items[i]);
	if (shown->branches_shown < count)
		buf__printf(&text->out, "  … %zu more path%s (--top 0 shows all)\n",
			    count - shown->branches_shown,
			    units__s(count - shown->branches_shown));
}

/* ---------------------------------------------------------------- the end */

static void add_withdrawn(struct diff_text *text)
{
	const struct fate_sum *withdrawn = &text->shown->total.fate.withdrawn;
	char count[UNITS_TEXT], again[UNITS_TEXT];

	if (!text->shown->diff->has_fates || !withdrawn->objects)
		return;
	buf__printf(&text->raw,
		    "of %s object%s of A nobody knows whether %s: up to %s of those called born"
		    " may be among them",
		    units__exact(count, withdrawn->objects), units__s(withdrawn->objects),
		    withdrawn->objects == 1 ? "it lives" : "they live",
		    units__exact(again, withdrawn->objects));
	add_styled(text, STYLE_NOTICE, "withdrawn  ", "           ");
}

static void add_limit(struct diff_text *text)
{
	static const char *const words[] = {
		[DIFF_WITHIN] = "growth is within the limit",
		[DIFF_EXCEEDED] = "the limit is exceeded",
		[DIFF_UNDECIDED] = "not decided, since a heap dump is incomplete",
	};
	const struct diff_shown *shown = text->shown;

	if (!shown->limit)
		return;
	buf__printf(&text->raw, "--fail-if-growth %s: %s", shown->limit, words[shown->verdict]);
	add_styled(text, shown->verdict == DIFF_WITHIN ? STYLE_PLAIN : STYLE_BAD, "limit      ",
		   "           ");
}

static void add_summary(struct diff_text *text)
{
	static const char *const names[] = { "A", "B" };
	const struct diff_shown *shown = text->shown;

	buf__add_char(&text->out, '\n');
	add_withdrawn(text);
	add_limit(text);
	if (diff__is_complete(shown))
		buf__add_str(&text->out, "complete: nothing is missing\n");
	for (unsigned int side = 0; side < DIFF_SIDES; side++) {
		if (shown->whole[side])
			continue;
		buf__printf(&text->raw, "NOT WHOLE: %s", names[side]);
		add_styled(text, STYLE_BAD, "", "");
		heap_words__missing(&text->out, shown->heading[side]->facts);
	}
	if (shown->lost) {
		buf__add_str(&text->raw, "NOT WHOLE: something was lost between A and B");
		add_styled(text, STYLE_BAD, "", "");
	}
}

int diff_text__show(const struct diff_shown *shown, struct output *output,
		    const struct terminal *terminal)
{
	struct diff_text text = { .shown = shown, .terminal = terminal };
	int err;

	add_heading(&text);
	add_sentences(&text);
	add_types(&text);
	add_branches(&text);
	add_summary(&text);
	err = text.out.error ? text.out.error : text.raw.error;
	if (err)
		error_errno(err, "cannot show the difference");
	else
		err = output__write(output, buf__str(&text.out), text.out.len);
	buf__free(&text.out);
	buf__free(&text.raw);
	buf__free(&text.name);
	return err;
}
