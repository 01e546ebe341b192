/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "collections.h"

/* A line that begins with "# ", and goes on in others if need be. Frees what it says. */
static void put(struct buf *out, const struct terminal *terminal, struct buf *said)
{
	const struct wrap wrap = { terminal__text_columns(terminal), "#", strlen("#   "), NULL };

	buf__printf(out, "%s# ", terminal__on(terminal, STYLE_DIM));
	wrap__add(out, &wrap, strlen("# "), buf__str(said));
	buf__printf(out, "%s\n", terminal__off(terminal, STYLE_DIM));
	if (said->error)
		out->error = said->error;
	buf__free(said);
}

static void add_text(struct buf *out, const char *before, struct text text, const char *after)
{
	if (text.bytes == 0)
		return;
	buf__add_str(out, before);
	escape__add(out, text.at, text.bytes);
	buf__add_str(out, after);
}

/* "collections and pauses, pools before and after, ..." */
static void add_known(struct buf *out, unsigned int known, const char *moves)
{
	const struct {
		unsigned int known;
		const char *words;
	} parts[] = {
		{ KNOWN_COLLECTIONS, "collections and pauses" },
		{ KNOWN_CAUSES, "causes" },
		{ KNOWN_SOME_CAUSES, "some causes" },
		{ KNOWN_POOLS, "pools before and after" },
		{ KNOWN_MOVES, moves },
		{ KNOWN_DEATHS, "how many objects died" },
		{ KNOWN_FATES, known & KNOWN_SAMPLES ? "what survived and died by pools and samples"
						     : "what survived and died by pools" },
		{ known & KNOWN_FATES ? 0 : KNOWN_SAMPLES, "what moved and died by samples" },
		{ KNOWN_ALLOCATIONS, "what was allocated, by samples, not what lives of it" },
	};
	const char *before = "";

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!(known & parts[i].known))
			continue;
		buf__printf(out, "%s%s", before, parts[i].words);
		before = ", ";
	}
	if (!known)
		buf__add_str(out, "nothing yet");
}

static void add_who(struct buf *out, const struct terminal *terminal, const struct heading *heading)
{
	struct buf said = BUF_INIT, from = BUF_INIT;

	if (heading->runtime.bytes == 0)
		buf__add_str(&said, "a runtime that has not said its name");
	add_text(&said, "", heading->runtime, "");
	add_text(&said, " ", heading->version, "");
	add_text(&said, ", ", heading->collector, "");
	if (heading->pid)
		buf__printf(&said, "; pid %" PRIu64, heading->pid);
	add_text(&said, " (", heading->name, ")");
	put(out, terminal, &said);
	if (!heading->file)
		return;
	buf__printf(&from, "from %s", escape(heading->file));
	put(out, terminal, &from);
}

static void add_list(struct buf *out, const struct terminal *terminal, const char *title,
		     unsigned int known, const char *moves)
{
	struct buf said = BUF_INIT;

	buf__add_str(&said, title);
	add_known(&said, known, moves);
	put(out, terminal, &said);
}

void collections__add_heading(struct buf *out, const struct terminal *terminal,
			      const struct heading *heading)
{
	static const char all_of_moves[] = "what moved, survived and died";
	const unsigned int all = KNOWN_COLLECTIONS | KNOWN_CAUSES | KNOWN_POOLS | KNOWN_MOVES;
	const unsigned int implied =
		(heading->known & KNOWN_SOME_CAUSES ? KNOWN_CAUSES : 0) |
		(heading->known & (KNOWN_FATES | KNOWN_SAMPLES) ? KNOWN_MOVES : 0);
	const unsigned int never = all & ~heading->known & ~heading->on_request & ~implied;
	struct buf said = BUF_INIT;

	add_who(out, terminal, heading);
	add_list(out, terminal, "known: ", heading->known, all_of_moves);
	if (heading->on_request & KNOWN_MOVES) {
		buf__printf(&said, "on request: %s%s (%s)",
			    heading->on_request & KNOWN_CAUSES ? "causes, " : "", all_of_moves,
			    text__is(heading->runtime, "HotSpot") ? "--exact-moves" : "--moves");
		put(out, terminal, &said);
	}
	if (heading->stopped_for.bytes) {
		char text[UNITS_TEXT];

		buf__add_str(&said, "in progress when the trace began: a ");
		escape__add(&said, heading->stopped_for.at, heading->stopped_for.bytes);
		if (heading->stopped_since_ns)
			buf__printf(&said, ", for about %s by then",
				    units__ns(text, heading->start_ns - heading->stopped_since_ns));
		else
			buf__add_str(&said, "; when it began is not visible");
		put(out, terminal, &said);
	}
	if (heading->stopped_not_visible) {
		buf__add_str(&said, "not visible: whether a collection was in progress when the"
				    " trace began (neither performance counters nor the heap's"
				    " state can be read)");
		put(out, terminal, &said);
	}
	if (heading__has_stalls(heading)) {
		buf__add_str(&said, "not visible: how long threads are stalled or slowed down for"
				    " an allocation, which is no pause");
		put(out, terminal, &said);
	}
	if (never)
		add_list(out, terminal, "not told by this process: ", never,
			 heading->known & KNOWN_DEATHS ? "what moved and survived" : all_of_moves);
}
