/* SPDX-License-Identifier: BSD-2-Clause */
#include "view.h"

static const struct {
	const char *name, *one, *text;
	size_t offset;
} odds[] = {
	{ "stray_reports", "report for a collection that was over",
	  "reports for a collection that was over",
	  offsetof(struct assembler_odd, stray_reports) },
	{ "unfinished", "collection whose end was never told",
	  "collections whose end was never told",
	  offsetof(struct assembler_odd, unfinished) },
	{ "unbegun", "collection whose start was never told",
	  "collections whose start was never told",
	  offsetof(struct assembler_odd, unbegun) },
	{ "pauses_unended", "pause whose end was never told",
	  "pauses whose end was never told",
	  offsetof(struct assembler_odd, pauses_unended) },
	{ "pauses_unbegun", "pause whose start was never told",
	  "pauses whose start was never told",
	  offsetof(struct assembler_odd, pauses_unbegun) },
	{ "overlong", "range that reaches beyond the address space",
	  "ranges that reach beyond the address space",
	  offsetof(struct assembler_odd, overlong) },
	{ "names_dropped", "name too long to keep", "names too long to keep",
	  offsetof(struct assembler_odd, names_dropped) },
	{ "crowded", "collection with more generations, parts of them or pools than are kept",
	  "collections with more generations, parts of them or pools than are kept",
	  offsetof(struct assembler_odd, crowded) },
};

#define ODDS (sizeof(odds) / sizeof(*odds))

_Static_assert(ODDS * sizeof(uint64_t) == sizeof(struct assembler_odd), "a line for each counter");

const char *odd__name(unsigned int i)
{
	return i < ODDS ? odds[i].name : NULL;
}

const char *odd__text(unsigned int i, uint64_t count)
{
	if (i >= ODDS)
		return NULL;
	return count == 1 ? odds[i].one : odds[i].text;
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
	return !results->contradicted;
}

const struct heading *results__whose(const struct results *results, uint32_t target)
{
	if (results->of || !results->whose)
		return results->of;
	return results->whose(results->whose_context, target);
}

bool heading__has_stalls(const struct heading *heading)
{
	return text__is(heading->collector, "ZGC") || text__is(heading->collector, "Shenandoah");
}
