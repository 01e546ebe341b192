/* SPDX-License-Identifier: BSD-2-Clause */
#include "view.h"

static const struct {
	const char *name, *text;
	size_t offset;
} odds[] = {
	{ "stray_reports", "reports for a collection that was over",
	  offsetof(struct assembler_odd, stray_reports) },
	{ "unfinished", "collections whose end was never told",
	  offsetof(struct assembler_odd, unfinished) },
	{ "unbegun", "collections whose start was never told",
	  offsetof(struct assembler_odd, unbegun) },
	{ "pauses_unended", "pauses whose end was never told",
	  offsetof(struct assembler_odd, pauses_unended) },
	{ "pauses_unbegun", "pauses whose start was never told",
	  offsetof(struct assembler_odd, pauses_unbegun) },
	{ "overlong", "ranges that reach beyond the address space",
	  offsetof(struct assembler_odd, overlong) },
	{ "names_dropped", "names too long to keep", offsetof(struct assembler_odd, names_dropped) },
};

#define ODDS (sizeof(odds) / sizeof(*odds))

_Static_assert(ODDS * sizeof(uint64_t) == sizeof(struct assembler_odd), "a line for each counter");

const char *odd__name(unsigned int i)
{
	return i < ODDS ? odds[i].name : NULL;
}

const char *odd__text(unsigned int i)
{
	return i < ODDS ? odds[i].text : NULL;
}

uint64_t odd__of(const struct assembler_odd *odd, unsigned int i)
{
	return *(const uint64_t *)((const char *)odd + odds[i].offset);
}

bool results__complete(const struct results *results)
{
	for (size_t i = 0; i < LOSS_KINDS; i++)
		if (results->lost[i])
			return false;
	return true;
}
