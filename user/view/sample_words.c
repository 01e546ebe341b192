/* SPDX-License-Identifier: BSD-2-Clause */
#include "../base/buf.h"
#include "sample.h"

/* In tenths, rounded; what is not all is never shown as all, what is something not as nothing. */
void sample_words__add_share(struct buf *out, uint64_t part, uint64_t whole)
{
	uint64_t tenths;

	if (!whole) {
		buf__add_char(out, '-');
		return;
	}
	tenths = (uint64_t)((double)part / (double)whole * 1000 + 0.5);
	if (part && !tenths)
		buf__add_str(out, "<0.1 %");
	else if (part != whole && tenths >= 1000)
		buf__add_str(out, ">99.9 %");
	else
		buf__printf(out, "%llu.%llu %%", (unsigned long long)(tenths / 10),
			    (unsigned long long)(tenths % 10));
}

static void add_percent(struct buf *out, uint64_t part, uint64_t whole)
{
	const uint64_t percent = (part * 100 + whole / 2) / whole;

	if (!percent)
		buf__add_str(out, "<1 %");
	else if (percent == 100 && part != whole)
		buf__add_str(out, ">99 %");
	else
		buf__printf(out, "%llu %%", (unsigned long long)percent);
}

void sample_words__add_places(struct buf *out, const struct sampling_places *places)
{
	uint64_t left[PLACES];
	enum place most;

	for (unsigned int place = 0; place < PLACES; place++)
		left[place] = places->of[place];
	for (bool is_first = true;; is_first = false) {
		most = sampling_places__most(left);
		if (!left[most])
			break;
		buf__printf(out, "%s%s ", is_first ? "" : ", ", place__name(most));
		add_percent(out, left[most], places->samples);
		left[most] = 0;
	}
}
