/* SPDX-License-Identifier: BSD-2-Clause */
#include "sequence.h"

static bool is_seen(const struct sequence *sequence, uint64_t number)
{
	number %= SEQUENCE_WINDOW;
	return sequence->bits[number / 64] >> (number % 64) & 1;
}

static void set_seen(struct sequence *sequence, uint64_t number, bool seen)
{
	uint64_t bit = UINT64_C(1) << (number % 64);

	number %= SEQUENCE_WINDOW;
	if (seen)
		sequence->bits[number / 64] |= bit;
	else
		sequence->bits[number / 64] &= ~bit;
}

static void begin(struct sequence *sequence, uint64_t number, uint64_t stamp)
{
	sequence->begun = true;
	sequence->base = sequence->low = sequence->next = number;
	sequence->floor = number > SEQUENCE_WINDOW / 2 ? number - SEQUENCE_WINDOW / 2 : 0;
	sequence->settled_ns = stamp;
}

/* Everything below `until` is settled; how many of them had not come. */
static uint64_t settle(struct sequence *sequence, uint64_t until, uint64_t stamp)
{
	uint64_t lost = 0;

	if (until <= sequence->low)
		return 0;
	for (; sequence->low < until && sequence->low < sequence->next; sequence->low++)
		lost += !is_seen(sequence, sequence->low);
	if (sequence->low < until) {
		lost += until - sequence->low; /* a lost tail */
		sequence->low = until;
	}
	sequence->settled_ns = stamp;
	return lost;
}

/* Make room for `number`: the window ends with it. */
static uint64_t slide(struct sequence *sequence, uint64_t number, uint64_t stamp)
{
	uint64_t floor, lost;

	if (number - sequence->floor < SEQUENCE_WINDOW)
		return 0;
	floor = number - SEQUENCE_WINDOW + 1;
	lost = settle(sequence, floor, stamp);
	if (floor - sequence->floor >= SEQUENCE_WINDOW) {
		for (unsigned int i = 0; i < SEQUENCE_WINDOW / 64; i++)
			sequence->bits[i] = 0;
	} else {
		for (uint64_t old = sequence->floor; old < floor; old++)
			set_seen(sequence, old, false);
	}
	sequence->floor = floor;
	return lost;
}

/* Step over what has come in the meantime, so that low is at a hole or at next. */
static void step(struct sequence *sequence, uint64_t stamp)
{
	if (sequence->low < sequence->next && is_seen(sequence, sequence->low))
		sequence->settled_ns = stamp;
	while (sequence->low < sequence->next && is_seen(sequence, sequence->low))
		sequence->low++;
}

/* Give up holes that have been open for long. */
static uint64_t lose_patience(struct sequence *sequence, uint64_t stamp)
{
	uint64_t lost = 0;

	if (sequence->doubted > sequence->low) {
		if (stamp < sequence->doubted_ns + SEQUENCE_PATIENCE_NS)
			return 0;
		lost = settle(sequence, sequence->doubted, stamp);
		step(sequence, stamp);
	}
	sequence->doubted = sequence->low < sequence->next ? sequence->next : 0;
	sequence->doubted_ns = stamp;
	return lost;
}

enum sequence_verdict sequence__arrive(struct sequence *sequence, uint64_t number, uint64_t stamp,
				       uint64_t *lost)
{
	enum sequence_verdict verdict = SEQUENCE_NEW;

	*lost = 0;
	if (!sequence->begun)
		begin(sequence, number, stamp);
	if (number < sequence->floor || number == UINT64_MAX)
		return SEQUENCE_DUPLICATE;
	*lost = slide(sequence, number, stamp);
	if (is_seen(sequence, number))
		return SEQUENCE_DUPLICATE;
	if (number < sequence->low && number >= sequence->base)
		verdict = SEQUENCE_LATE;
	set_seen(sequence, number, true);
	if (number >= sequence->next)
		sequence->next = number + 1;
	step(sequence, stamp);
	*lost += lose_patience(sequence, stamp);
	return verdict;
}

uint64_t sequence__expect(struct sequence *sequence, uint64_t batches, uint64_t stamp)
{
	uint64_t lost;

	if (!sequence->begun)
		return 0;
	lost = settle(sequence, batches, stamp);
	if (sequence->next < sequence->low)
		sequence->next = sequence->low;
	step(sequence, stamp);
	return lost;
}

uint64_t sequence__end(struct sequence *sequence, uint64_t stamp)
{
	return sequence->begun ? lose_patience(sequence, stamp) : 0;
}
