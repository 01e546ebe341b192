/* SPDX-License-Identifier: BSD-2-Clause */
/* What both forms of the view of followed objects say in the same words. */
#include <stdio.h>

#include "../base/buf.h"
#include "../base/clock.h"
#include "../base/units.h"
#include "follow.h"
#include "follow_parts.h"

/*
 * A conflict is an error for certain. What is gone may have died since, unseen as long as nobody
 * collected it, or lie elsewhere than the model believes.
 */
struct follow_rate follow__rate(uint64_t matched, uint64_t gone, uint64_t conflicts)
{
	const double all = (double)matched + (double)gone + (double)conflicts;

	if (all == 0)
		return (struct follow_rate){ .known = false };
	return (struct follow_rate){ true, (double)conflicts / all,
				     ((double)conflicts + (double)gone) / all };
}

void follow__add_rate(struct buf *out, struct follow_rate rate)
{
	if (!rate.known)
		buf__add_char(out, '-');
	else if (rate.low == rate.high)
		buf__printf(out, "%.3g %%", 100 * rate.low);
	else
		buf__printf(out, "%.3g to %.3g %%", 100 * rate.low, 100 * rate.high);
}

char *follow__share(char *text, uint64_t part, uint64_t whole)
{
	const double share = 100.0 * (double)part / (double)whole;

	if (part < whole && share >= 99.95)
		snprintf(text, UNITS_TEXT, ">99.9 %%");
	else
		snprintf(text, UNITS_TEXT, "%.3g %%", share);
	return text;
}

static void add_oldest(struct buf *out, const struct leak *leak)
{
	const char *before = "; seen first: id ";

	for (size_t i = 0; i < LEAK_OLDEST && leak->oldest[i].id; i++) {
		buf__printf(out, "%s%llu", before, (unsigned long long)leak->oldest[i].id);
		before = ", ";
	}
}

void follow__add_leak(struct buf *out, const struct leak *leak)
{
	char objects[UNITS_TEXT], bytes[UNITS_TEXT], rate[UNITS_TEXT], span[UNITS_TEXT];
	char cohort[UNITS_TEXT], share[UNITS_TEXT];
	const double minutes = (double)leak->span_ns / (60.0 * (double)NS_PER_S);

	buf__printf(out, "+%s object%s, +%s in %s", units__count(objects, leak->objects),
		    units__s(leak->objects), units__bytes(bytes, leak->bytes),
		    units__ns(span, leak->span_ns));
	if (minutes > 0 && (double)leak->bytes / minutes < 1e18)
		buf__printf(out, " (%s a minute)",
			    units__bytes(rate, (uint64_t)((double)leak->bytes / minutes)));
	buf__printf(out, "; of the %s in dump %llu that dump %llu still had, %s are alive",
		    units__count(cohort, leak->cohort), (unsigned long long)leak->first,
		    (unsigned long long)leak->base,
		    follow__share(share, leak->cohort_alive, leak->cohort));
	add_oldest(out, leak);
}

char *follow__age(char *text, uint32_t age, bool exact)
{
	snprintf(text, UNITS_TEXT, "%s%u", exact && age < OBJECT_COUNT_MOST ? "" : ">= ", age);
	return text;
}

const char *follow__step_name(const struct follow_object *object)
{
	static const char *const steps[] = {
		[FOLLOW_SEEN] = "seen",		  [FOLLOW_MOVED] = "moved",
		[FOLLOW_STAYED] = "stayed",	  [FOLLOW_UNTOUCHED] = "untouched",
		[FOLLOW_MATCHED] = "matched",
	};
	static const char *const fates[] = {
		[OBJECT_DEAD] = "dead",
		[OBJECT_GONE] = "gone",
		[OBJECT_WITHDRAWN] = "withdrawn",
		[OBJECT_CONFLICT] = "conflict",
	};

	return object->step == FOLLOW_LEFT ? fates[object->fate] : steps[object->step];
}
