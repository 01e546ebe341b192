/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>

#include "../base/buf.h"
#include "../base/clock.h"
#include "../base/units.h"
#include "sites.h"

double sites__rate(const struct sites_shown *shown, const struct estimate *allocated)
{
	const uint64_t first_ns = shown->sites->first_ns;

	if (first_ns == EVENT_UNKNOWN || shown->time_ns <= first_ns)
		return 0;
	return allocated->bytes / ((double)(shown->time_ns - first_ns) / (double)NS_PER_S);
}

bool sites__growth(const struct sites_shown *shown, uint32_t group, struct sites_growth *growth)
{
	uint64_t ns;

	return site_watch__first(shown->watch, group, &growth->then, &growth->since_ns) &&
	       site_watch__last(shown->watch, group, &growth->now, &ns);
}

struct bounds sites__growth_bounds(const struct sites_shown *shown,
				   const struct sites_growth *growth)
{
	const struct bounds then = estimate__bytes(&growth->then, &shown->sites->sampler),
			    now = estimate__bytes(&growth->now, &shown->sites->sampler);

	return (struct bounds){ now.low - then.high, now.high - then.low };
}

bool sites__turn_is_in_doubt(const struct sites *sites)
{
	return sites->doubted || sites->turn.is_doubted;
}

void sites__add_contradiction(struct buf *out, const struct site_limit *limit)
{
	char live[UNITS_TEXT], low[UNITS_TEXT], in_use[UNITS_TEXT];

	buf__printf(out, "estimates contradict the heap in use: %s live by samples (at least %s),"
			 " %s in use",
		    units__bytes(live, (uint64_t)llround(limit->then.bytes)),
		    units__bytes(low, (uint64_t)limit->then.bounds.low),
		    units__bytes(in_use, limit->in_use));
}

struct text sites__frame(const struct sites *sites, uint32_t node)
{
	return node == STACKS_ROOT ? text__of("(no stack was told)") :
				     stacks__frame(&sites->stacks, node);
}

static void add_between(struct buf *out, const struct sites_shown *shown,
			const struct estimate *of)
{
	const struct bounds bounds = estimate__bytes(of, &shown->sites->sampler);
	char low[UNITS_TEXT], high[UNITS_TEXT], text[UNITS_TEXT];

	buf__printf(out, "%s%s", bounds.low < bounds.high ? "~" : "",
		    units__bytes(text, (uint64_t)llround(of->bytes)));
	if (bounds.low < bounds.high)
		buf__printf(out, " (%s to %s)", units__bytes(low, (uint64_t)bounds.low),
			    units__bytes(high, (uint64_t)ceil(bounds.high)));
}

void sites__add_leak(struct buf *out, const struct sites_shown *shown,
		     const struct site_leak *leak)
{
	const double minutes = (double)leak->span_ns / (60.0 * (double)NS_PER_S),
		     grown = leak->now.bytes - leak->then.bytes;
	char text[UNITS_TEXT], rate[UNITS_TEXT];

	buf__add_str(out, "what survived ");
	buf__printf(out, "%u collections or more has only grown for %s and %llu collections, from ",
		    SITE_WATCH_AGE, units__ns(text, leak->span_ns),
		    (unsigned long long)leak->turns);
	add_between(out, shown, &leak->then);
	buf__add_str(out, " to ");
	add_between(out, shown, &leak->now);
	if (minutes > 0)
		buf__printf(out, ", ~%s a minute",
			    units__bytes(rate, (uint64_t)(grown / minutes)));
	if (leak->then.bytes > 0)
		buf__printf(out, "; %.3g %% of what was there then still lives",
			    100 * (leak->alive > 0 ? leak->alive : 0));
	if (leak->unlooked)
		buf__add_str(out, "; nothing old has died since, of any site: perhaps nobody has"
				  " collected the old generation, and some of it is garbage");
}
