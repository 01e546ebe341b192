/* SPDX-License-Identifier: BSD-2-Clause */
/* A heap graph for people: what all its parts share, heading and findings (heap_text.h). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../base/shorten.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "../model/heap_lives.h"
#include "follow.h"
#include "heap_text.h"
#include "heap_words.h"
#include "output.h"

int heap_text__flush(struct heap_text *text)
{
	int err = text->out.error ? text->out.error : text->raw.error;

	if (err)
		return error_errno(err, "cannot show the heap");
	err = output__write(text->output, buf__str(&text->out), text->out.len);
	buf__reset(&text->out);
	return err;
}

/* ---------------------------------------------------------------- pieces */

/* Words (columns: 0), or a name. */
static const char *in_short(struct heap_text *text, size_t columns)
{
	struct buf whole = BUF_INIT;

	buf__reset(&text->name);
	escape__move(&whole, &text->raw);
	if (columns)
		shorten__add_middle(&text->name, buf__str(&whole), whole.len, columns);
	else
		shorten__add_words(&text->name, buf__str(&whole), whole.len);
	if (whole.error || text->name.error)
		text->out.error = whole.error ? whole.error : text->name.error;
	buf__free(&whole);
	return buf__str(&text->name);
}

const char *heap_text__escaped(struct heap_text *text)
{
	return in_short(text, 0);
}

const char *heap_text__name(struct heap_text *text, size_t columns)
{
	return in_short(text, columns ? columns : 1);
}

char *heap_text__share(char *to, uint64_t part, uint64_t whole)
{
	if (!whole)
		return strcpy(to, "-");
	snprintf(to, UNITS_TEXT, "%.1f %%", 100.0 * (double)part / (double)whole);
	return to;
}

void heap_text__title(struct heap_text *text, const char *words)
{
	buf__printf(&text->out, "\n%s%s%s\n", terminal__on(text->terminal, STYLE_HEAD), words,
		    terminal__off(text->terminal, STYLE_HEAD));
}

void heap_text__add_life(struct heap_text *text, uint64_t address)
{
	struct heap_life life;
	char age[UNITS_TEXT];

	if (text->heading->lives && heap_lives__of(text->heading->lives, address, &life))
		buf__printf(&text->raw, ", id %" PRIu64 ", age %s", life.id,
			    follow__age(age, life.age, life.born));
}

void heap_text__line(struct heap_text *text, const char *before, const char *words, size_t indent)
{
	static const char blanks[] = "                    ";
	char prefix[sizeof(blanks)];
	const struct wrap wrap = { terminal__text_columns(text->terminal), prefix, 0, WRAP_NAMES };

	memcpy(prefix, blanks, sizeof(prefix));
	prefix[indent < sizeof(blanks) - 1 ? indent : sizeof(blanks) - 1] = 0;
	buf__add_str(&text->out, before);
	wrap__add(&text->out, &wrap, utf8__columns(before, strlen(before)), words);
	buf__add_char(&text->out, '\n');
}

static void heading_line(struct heap_text *text, const char *words)
{
	const struct wrap wrap = { terminal__text_columns(text->terminal), "#   ", 0, NULL };

	buf__add_str(&text->out, terminal__on(text->terminal, STYLE_DIM));
	buf__add_str(&text->out, "# ");
	wrap__add(&text->out, &wrap, 2, words);
	buf__add_str(&text->out, terminal__off(text->terminal, STYLE_DIM));
	buf__add_char(&text->out, '\n');
}

/* ---------------------------------------------------------------- heading, findings */

static void add_known(struct buf *out, const char *before, struct text text)
{
	if (!text.bytes)
		return;
	buf__add_str(out, before);
	buf__add(out, text.at, text.bytes);
}

static void add_who(struct heap_text *text)
{
	const struct heap_heading *heading = text->heading;
	struct buf *raw = &text->raw;

	if (heading->runtime.bytes)
		add_known(raw, "", heading->runtime);
	else
		buf__add_str(raw, "a runtime that has not said its name");
	add_known(raw, " ", heading->version);
	add_known(raw, ", ", heading->collector);
	if (heading->pid)
		buf__printf(raw, "; pid %" PRIu64, heading->pid);
	if (heading->name.bytes) {
		add_known(raw, " (", heading->name);
		buf__add_char(raw, ')');
	}
	heading_line(text, heap_text__escaped(text));
}

static void add_following(struct heap_text *text)
{
	const struct heap_lives *lives = text->heading->lives;
	char count[UNITS_TEXT];

	if (!lives || !heap_lives__collections(lives))
		return;
	buf__printf(&text->raw, "ages: collections survived of the %s that were followed; '>='"
				" where the birth was not observed",
		    units__exact(count, heap_lives__collections(lives)));
	heading_line(text, heap_text__escaped(text));
	if (heap_lives__in_doubt(lives))
		heading_line(text, "IN DOUBT: ids and ages are right only if no whole collection"
				   " was lost");
}

static void add_accuracy(struct heap_text *text)
{
	const struct heap_facts *facts = text->heading->facts;

	heap_words__accuracy(&text->raw, facts, text->heading->counts_only);
	if (text->heading->counts_only)
		buf__add_str(&text->raw, facts->reached_only ? "; garbage is not walked" :
			     "; all objects count, also those that no root reaches: what keeps"
			     " them alive is not looked at");
	heading_line(text, heap_text__escaped(text));
	if (!facts->estimated_types)
		return;
	heap_words__estimated(&text->raw, facts, " (~)");
	heading_line(text, heap_text__escaped(text));
}

static void add_what(struct heap_text *text)
{
	const struct heap_facts *facts = text->heading->facts;
	char objects[UNITS_TEXT], bytes[UNITS_TEXT], references[UNITS_TEXT], roots[UNITS_TEXT];
	struct buf *raw = &text->raw;

	buf__add_str(raw, "heap dump");
	if (facts->dump != EVENT_UNKNOWN)
		buf__printf(raw, " %" PRIu64, facts->dump);
	if (text->heading->file)
		buf__printf(raw, ", %s", text->heading->file);
	if (facts->collection != EVENT_UNKNOWN)
		buf__printf(raw, ", after collection %" PRIu64, facts->collection);
	heading_line(text, heap_text__escaped(text));
	buf__printf(raw, "%s object%s, %s", units__count(objects, facts->objects),
		    units__s(facts->objects), units__bytes(bytes, facts->bytes));
	if (!text->heading->counts_only)
		buf__printf(raw, ", %s reference%s, %s root%s",
			    units__count(references, facts->references),
			    units__s(facts->references), units__count(roots, facts->roots),
			    units__s(facts->roots));
	if (text->heading->dump_ns)
		buf__printf(raw, ", told in %s", units__ns(bytes, text->heading->dump_ns));
	if (text->heading->stopped_ns)
		buf__printf(raw, "; the program stood still for %s",
			    units__ns(bytes, text->heading->stopped_ns));
	heading_line(text, heap_text__escaped(text));
	add_following(text);
	add_accuracy(text);
}

static int show_heading(struct heap_view *view)
{
	struct heap_text *text = heap_text__of(view);

	add_who(text);
	add_what(text);
	if (!heap__is_complete(text->heap))
		heading_line(text, "NOT WHOLE: what is missing stands at the end; all figures are"
				   " of what came");
	return heap_text__flush(text);
}

static int show_findings(struct heap_view *view, const struct findings *findings)
{
	struct heap_text *text = heap_text__of(view);

	heap_text__title(text, text->heading->of_a_part ? "Findings, of the whole heap" :
							  "Findings");
	for (size_t i = 0; i < findings->count; i++) {
		char before[UNITS_TEXT];

		snprintf(before, sizeof(before), "%3zu ", i + 1);
		heap_words__finding(&text->raw, text->heap, &findings->items[i]);
		heap_text__line(text, before, heap_text__escaped(text), HEAP_TEXT_INDENT);
		heap_words__more(&text->raw, text->heap, &findings->items[i],
				 text->heading->subject, text->heading->file);
		buf__printf(&text->out, "%*s%s", HEAP_TEXT_INDENT, "",
			    terminal__on(text->terminal, STYLE_DIM));
		buf__move(&text->out, &text->raw); /* whole and as it is, or it would not do */
		buf__printf(&text->out, "%s\n", terminal__off(text->terminal, STYLE_DIM));
	}
	if (!findings->count)
		heap_text__line(text, "  ",
				"nothing stands out: no object, thread or finalizer keeps as much"
				" as a 20th of the heap alive",
				2);
	return heap_text__flush(text);
}

/* ---------------------------------------------------------------- life */

static void free_text(struct heap_view *view)
{
	struct heap_text *text = heap_text__of(view);

	buf__free(&text->out);
	buf__free(&text->raw);
	buf__free(&text->name);
	free(text);
}

struct heap_view *heap_text__new(const struct heap *heap, const struct heap_heading *heading,
				 struct output *output, const struct terminal *terminal)
{
	static const struct heap_view_form form = {
		.heading = show_heading,
		.findings = show_findings,
		.types = heap_text__types,
		.roots = heap_text__roots,
		.objects = heap_text__objects,
		.tree = heap_text__tree,
		.path = heap_text__path,
		.merged = heap_text__merged,
		.freed = heap_text__freed,
		.summary = heap_text__summary,
		.free = free_text,
	};
	struct heap_text *text = calloc(1, sizeof(*text));

	if (!text) {
		error("out of memory");
		return NULL;
	}
	text->view.form = &form;
	text->heap = heap;
	text->heading = heading;
	text->output = output;
	text->terminal = terminal;
	return &text->view;
}
