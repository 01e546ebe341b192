/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "../base/escape.h"
#include "collections.h"

static void begin_line(struct buf *out, const struct terminal *terminal)
{
	buf__add_str(out, terminal__on(terminal, STYLE_DIM));
	buf__add_str(out, "# ");
}

static void end_line(struct buf *out, const struct terminal *terminal)
{
	buf__add_str(out, terminal__off(terminal, STYLE_DIM));
	buf__add_char(out, '\n');
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
		{ KNOWN_POOLS, "pools before and after" },
		{ KNOWN_MOVES, moves },
		{ KNOWN_DEATHS, "how many objects died" },
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
	begin_line(out, terminal);
	if (heading->runtime.bytes == 0)
		buf__add_str(out, "a runtime that has not said its name");
	add_text(out, "", heading->runtime, "");
	add_text(out, " ", heading->version, "");
	add_text(out, ", ", heading->collector, "");
	if (heading->pid)
		buf__printf(out, "; pid %" PRIu64, heading->pid);
	add_text(out, " (", heading->name, ")");
	end_line(out, terminal);
	if (heading->file) {
		begin_line(out, terminal);
		buf__printf(out, "from %s", escape(heading->file));
		end_line(out, terminal);
	}
}

void collections__add_heading(struct buf *out, const struct terminal *terminal,
			      const struct heading *heading)
{
	unsigned int all = KNOWN_COLLECTIONS | KNOWN_POOLS | KNOWN_MOVES;
	unsigned int never = all & ~heading->known & ~heading->on_request;

	add_who(out, terminal, heading);
	begin_line(out, terminal);
	buf__add_str(out, "known: ");
	add_known(out, heading->known, "what moved, survived and died");
	end_line(out, terminal);
	if (heading->on_request & KNOWN_MOVES) {
		begin_line(out, terminal);
		buf__add_str(out, "on request: what moved, survived and died (--moves)");
		end_line(out, terminal);
	}
	if (never) {
		begin_line(out, terminal);
		buf__add_str(out, "not told by this process: ");
		add_known(out, never, heading->known & KNOWN_DEATHS ? "what moved and survived"
								    : "what moved, survived and died");
		end_line(out, terminal);
	}
}
