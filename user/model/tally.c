/* SPDX-License-Identifier: BSD-2-Clause */
#include "tally.h"

#include <errno.h>

/*
 * Spans of one strand: 1 MiB at most, and a plain copying collection has one strand for each
 * condemned generation. Eight strands may keep spans; what comes beyond is only summed.
 */
#define STRAND_SPANS 65536
#define STRANDS_WITH_SPANS 8
#define STRANDS 256

static struct strand *new_strand(struct tally *tally, const struct strand *like)
{
	struct strand strand = *like;

	if (tally->strands.count >= STRANDS) {
		tally->beyond = true;
		return NULL;
	}
	strand.to.limit = strand.from.limit = STRAND_SPANS;
	strand.to.overflowed = strand.from.overflowed =
		tally->crowded || tally->strands.count >= STRANDS_WITH_SPANS;
	if (vec__push(&tally->strands, strand))
		return NULL;
	return &tally->strands.items[tally->strands.count - 1];
}

/*
 * Survivors of a sweep are told where they lie in the end, what was moved in between them
 * included: theirs is the last phase.
 */
static uint32_t phase_of(const struct event *report)
{
	return report->kind == EVENT_SURVIVING ? UINT32_MAX : report->ranges.phase;
}

/* NULL: no memory, or (tally->beyond) more strands than are kept. */
static struct strand *strand_of(struct tally *tally, const struct event *report)
{
	struct strand like = { .generation = report->ranges.generation,
			       .width = report->ranges.width == 4 ? 4 : 8,
			       .phase = phase_of(report) };

	for (size_t i = 0; i < tally->strands.count; i++) {
		struct strand *strand = &tally->strands.items[i];

		if (strand->generation == like.generation && strand->width == like.width &&
		    strand->phase == like.phase)
			return strand;
	}
	return new_strand(tally, &like);
}

static bool add(uint64_t *sum, uint64_t value)
{
	if (!__builtin_add_overflow(*sum, value, sum))
		return true;
	*sum = UINT64_MAX;
	return false;
}

/* What a report adds to a strand. */
struct sums {
	uint64_t moved, stayed;
};

/*
 * The hot path: sums without a branch for each range, so that the compiler makes vectors of it.
 * False when a range wraps around or a length is so large that a sum might: nothing is right then.
 */
static bool sum_plain(const struct range *restrict ranges, size_t count, struct sums *sums)
{
	uint64_t all = 0, moved = 0, lengths = 0, wrapped = 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t old = ranges[i].old, new_ = ranges[i].new_;
		const uint64_t length = ranges[i].length;

		lengths |= length;
		wrapped |= (uint64_t)(old + length < old) | (uint64_t)(new_ + length < new_);
		moved += old == new_ ? 0 : length;
		all += length;
	}
	sums->moved = moved;
	sums->stayed = all - moved;
	return !wrapped && (count == 0 || lengths < UINT64_MAX / count);
}

/* Where ranges come to lie, which may be too much for the spans. */
struct destinations {
	struct strand *strand;
	struct generations *generations;
};

static void add_destination(const struct destinations *to, uint64_t start, uint64_t end)
{
	struct strand *strand = to->strand;

	if (spans__add(&strand->to, start, end))
		return;
	add(&strand->beside, end - start);
	if (generations__is_older(to->generations, start, strand->generation))
		add(&strand->beside_older, end - start);
}

/* Neighbours are joined before they are added. No range wraps around. */
static void add_destinations(const struct destinations *to, const struct range *ranges,
			     size_t count)
{
	uint64_t from = 0, until = 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t start = ranges[i].new_, end = start + ranges[i].length;

		if (start == until) {
			until = end;
		} else if (end > start) {
			if (until > from)
				add_destination(to, from, until);
			from = start;
			until = end;
		}
	}
	if (until > from)
		add_destination(to, from, until);
}

static void add_sources(struct spans *spans, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ranges[i].length > 0)
			spans__add(spans, ranges[i].old, ranges[i].old + ranges[i].length);
}

static void add_places(const struct destinations *to, const struct range *ranges, size_t count)
{
	add_destinations(to, ranges, count);
	if (to->strand->phase > 0 && to->strand->phase < UINT32_MAX)
		add_sources(&to->strand->from, ranges, count);
}

/* Range by range; leaves out, and counts, those that wrap around. False: a sum did not fit. */
static bool add_carefully(struct tally *tally, const struct destinations *to,
			  const struct range *ranges, size_t count, struct sums *sums)
{
	bool fits = true;
	uint64_t end;

	*sums = (struct sums){ 0, 0 };
	for (size_t i = 0; i < count; i++) {
		const struct range *range = &ranges[i];

		if (__builtin_add_overflow(range->old, range->length, &end) ||
		    __builtin_add_overflow(range->new_, range->length, &end)) {
			tally->overlong++;
			continue;
		}
		fits &= add(range->old == range->new_ ? &sums->stayed : &sums->moved,
			    range->length);
		add_places(to, range, 1);
	}
	return fits;
}

int tally__report(struct tally *tally, const struct event *report,
		  struct generations *generations)
{
	struct strand *strand = strand_of(tally, report);
	const struct destinations to = { strand, generations };
	const struct range *ranges = report->ranges.ranges;
	const size_t count = report->ranges.count;
	struct sums sums;
	bool fits = true;

	if (!strand)
		return tally->beyond ? 0 : -ENOMEM;
	if (sum_plain(ranges, count, &sums))
		add_places(&to, ranges, count);
	else
		fits = add_carefully(tally, &to, ranges, count, &sums);
	fits &= add(&strand->moved, sums.moved);
	fits &= add(report->kind == EVENT_SURVIVING ? &strand->swept : &strand->stayed,
		    sums.stayed);
	tally->beyond |= !fits;
	return 0;
}

uint32_t tally__width(const struct tally *tally, uint64_t generation)
{
	uint32_t width = 0;

	for (size_t i = 0; i < tally->strands.count; i++) {
		const struct strand *strand = &tally->strands.items[i];

		if (strand->generation == generation && strand->width > width)
			width = strand->width;
	}
	return width;
}

static bool counts(const struct tally *tally, const struct strand *strand)
{
	return strand->width == tally__width(tally, strand->generation);
}

static uint64_t live(const struct strand *strand)
{
	uint64_t bytes = strand->moved;

	add(&bytes, strand->stayed);
	add(&bytes, strand->swept);
	return bytes;
}

static void add_amount(struct amount *sum, uint64_t low, uint64_t value, uint64_t high)
{
	add(&sum->low, low);
	add(&sum->value, value);
	add(&sum->high, high);
	sum->estimated = sum->low != sum->high;
}

/*
 * What lies in an older generation now. What lies in none that was told may be in any; and where
 * the spans had no room, the generations may have changed since the report.
 */
static struct amount promoted(struct strand *strand, struct generations *generations)
{
	struct generation_shares shares;
	uint64_t bytes, value, most;

	spans__seal(&strand->to);
	bytes = spans__bytes(&strand->to);
	shares = generations__shares(generations, &strand->to, strand->generation);
	value = most = shares.older;
	add(&value, strand->beside_older);
	add(&most, bytes > shares.any ? bytes - shares.any : 0);
	add(&most, strand->beside);
	return amount__between(shares.older, value, most);
}

/*
 * How much of a strand was told in an earlier phase already: where its sources lie on earlier
 * destinations. As far as those are not kept, it is guessed that all which was promoted into this
 * generation, and all that moved within it, was told again.
 */
static struct amount repeated(struct tally *tally, struct strand *strand,
			      struct generations *generations)
{
	struct spans earlier = { .limit = (size_t)STRAND_SPANS * STRANDS };
	struct spans *from = strand->phase == UINT32_MAX ? &strand->to : &strand->from;
	uint64_t told = 0, guess = 0, all = live(strand), common;
	bool whole = !from->overflowed;

	for (size_t i = 0; i < tally->strands.count; i++) {
		struct strand *other = &tally->strands.items[i];

		if (other->phase >= strand->phase || !counts(tally, other))
			continue;
		add(&told, live(other));
		add(&guess, other->generation == strand->generation
				    ? live(other)
				    : promoted(other, generations).value);
		whole &= !other->to.overflowed;
		spans__join(&earlier, &other->to);
	}
	spans__seal(&earlier);
	spans__seal(from);
	common = spans__common(&earlier, from);
	spans__free(&earlier);
	common = common < all ? common : all;
	if (whole)
		return amount__exact(common);
	told = told < all ? told : all;
	guess = guess < told ? guess : told;
	return amount__between(common, guess > common ? guess : common, told);
}

static bool in_mask(uint64_t mask, uint64_t generation)
{
	return mask == UINT64_MAX || (generation < 64 && mask >> generation & 1);
}

struct amount tally__survived(struct tally *tally, struct generations *generations, uint64_t mask)
{
	struct amount sum = amount__exact(0), again;

	for (size_t i = 0; i < tally->strands.count; i++) {
		struct strand *strand = &tally->strands.items[i];
		uint64_t bytes = live(strand);

		if (!counts(tally, strand) || !in_mask(mask, strand->generation))
			continue;
		again = strand->phase > 0 ? repeated(tally, strand, generations)
					  : amount__exact(0);
		add_amount(&sum, bytes - again.high, bytes - again.value, bytes - again.low);
	}
	sum.known = !tally->beyond;
	return sum;
}

void tally__figures(struct tally *tally, struct generations *generations,
		    struct tally_figures *figures)
{
	uint64_t moved = 0, stayed = 0;
	struct amount sum = amount__exact(0), part;

	generations__seal(generations);
	for (size_t i = 0; i < tally->strands.count; i++) {
		struct strand *strand = &tally->strands.items[i];

		if (!counts(tally, strand))
			continue;
		add(&moved, strand->moved);
		add(&stayed, strand->stayed);
		part = promoted(strand, generations);
		add_amount(&sum, part.low, part.value, part.high);
	}
	figures->moved = amount__exact(moved);
	figures->stayed = amount__exact(stayed);
	figures->survived = tally__survived(tally, generations, UINT64_MAX);
	figures->promoted = sum;
	figures->moved.known = figures->stayed.known = !tally->beyond;
	figures->promoted.known = !tally->beyond && generations->told && !generations->overflowed;
}

void tally__free(struct tally *tally)
{
	for (size_t i = 0; i < tally->strands.count; i++) {
		spans__free(&tally->strands.items[i].to);
		spans__free(&tally->strands.items[i].from);
	}
	vec__free(&tally->strands);
}
