/* SPDX-License-Identifier: BSD-2-Clause */
#include "folded.h"

#include <inttypes.h>

#include "../base/buf.h"
#include "../base/escape.h"

static const struct text nameless = { "(no name)", sizeof("(no name)") - 1 };

void folded__add(struct buf *line, struct text frame)
{
	const bool begins = !line->len;
	struct buf escaped = BUF_INIT;

	if (!frame.bytes)
		frame = nameless;
	escape__add(&escaped, frame.at, frame.bytes);
	if (!begins)
		buf__add_char(line, ';');
	for (const char *at = buf__str(&escaped); *at; at++) {
		if (*at == ';')
			buf__add_str(line, "\\x3b");
		else if (*at == '#' && begins && at == buf__str(&escaped))
			buf__add_str(line, "\\x23");
		else
			buf__add_char(line, *at);
	}
	line->error = line->error ? line->error : escaped.error;
	buf__free(&escaped);
}

void folded__end(struct buf *line, uint64_t number)
{
	buf__printf(line, " %" PRIu64 "\n", number);
}
