/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of ranges alone: single ones, and random collections against a map of every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/blocks.h"
#include "unit/random.h"

#define HEAP 256
#define COLLECTIONS 20000
#define GENERATIONS 3

static const struct blocks_generation *of(const struct blocks *blocks, uint64_t generation)
{
	static const struct blocks_generation none = { .spanned = EVENT_UNKNOWN };

	for (size_t i = 0; i < blocks->generations.count; i++)
		if (blocks->generations.items[i].generation == generation)
			return &blocks->generations.items[i];
	return &none;
}

static void picture(struct generation_places *places, const struct generation_place *of_it,
		    size_t count)
{
	memset(places, 0, sizeof(*places));
	places->taken = true;
	for (size_t i = 0; i < count; i++)
		assert_int_equal(vec__push(&places->of, of_it[i]), 0);
}

static void sliding_leaves_no_holes(void **state)
{
	const struct generation_place whole = { 0, 1000, 0 };
	const struct range ranges[] = { { 0, 0, 100 }, { 200, 100, 50 }, { 400, 150, 50 } };
	struct blocks blocks = { 0 };
	struct generation_places places;
	struct blocks_end end = { UINT64_MAX, &places, true };

	(void)state;
	picture(&places, &whole, 1);
	assert_int_equal(blocks__spanned(&blocks, 0, 600), 0);
	assert_int_equal(blocks__phase(&blocks, ranges, 3, &places), 0);
	assert_int_equal(blocks__conclude(&blocks, &end), 0);
	assert_int_equal(of(&blocks, 0)->survived, 200);
	assert_int_equal(of(&blocks, 0)->stayed, 100);
	assert_int_equal(of(&blocks, 0)->slid, 100);
	assert_int_equal(of(&blocks, 0)->spanned, 600);
	assert_true(of(&blocks, 0)->holes_known);
	assert_int_equal(of(&blocks, 0)->holes, 0);
	assert_int_equal(blocks.farthest, 250);
	assert_int_equal(blocks.down, 100);
	assert_int_equal(blocks__median_below(&blocks), 128);
	generation_places__free(&places);
	blocks__free(&blocks);
}

static void without_generations_little_is_known(void **state)
{
	const struct range ranges[] = { { 0, 500, 100 }, { 300, 700, 50 } };
	struct blocks blocks = { 0 };
	struct generation_places nothing = { 0 };
	struct blocks_end end = { UINT64_MAX, &nothing, true };

	(void)state;
	assert_int_equal(blocks__phase(&blocks, ranges, 2, &nothing), 0);
	assert_int_equal(blocks__conclude(&blocks, &end), 0);
	assert_int_equal(of(&blocks, GENERATION_UNKNOWN)->survived, 150);
	assert_int_equal(of(&blocks, GENERATION_UNKNOWN)->slid, 0);
	assert_int_equal(of(&blocks, GENERATION_UNKNOWN)->promoted, 0);
	assert_false(of(&blocks, GENERATION_UNKNOWN)->holes_known);
	blocks__free(&blocks);
}

static void a_concurrent_one_tells_no_holes(void **state)
{
	const struct generation_place whole = { 0, 1000, 0 };
	const struct range ranges[] = { { 0, 0, 100 }, { 200, 200, 50 } };
	struct blocks blocks = { 0 };
	struct generation_places places;
	struct blocks_end end = { UINT64_MAX, &places, false };

	(void)state;
	picture(&places, &whole, 1);
	assert_int_equal(blocks__spanned(&blocks, 0, 600), 0);
	assert_int_equal(blocks__phase(&blocks, ranges, 2, &places), 0);
	assert_int_equal(blocks__conclude(&blocks, &end), 0);
	assert_false(of(&blocks, 0)->holes_known);
	assert_int_equal(of(&blocks, 0)->holes, 0);
	generation_places__free(&places);
	blocks__free(&blocks);
}

/* Regions: the ends of one that is not full, and one that is empty, are no holes. */
static void what_is_free_between_parts_is_no_hole(void **state)
{
	const struct range ranges[] = {
		{ 0, 0, 10 }, { 20, 20, 10 },	 /* a hole of 10, and 70 free above it */
		{ 310, 310, 10 }, { 390, 390, 10 }, /* 10 free below, one of 70, then full */
		{ 400, 400, 100 },
	};
	struct generations generations = { 0 };
	struct blocks blocks = { 0 };
	struct generation_places places = { 0 };
	struct blocks_end end = { UINT64_MAX, &places, true };

	(void)state;
	for (uint64_t start = 0; start < 500; start += 100)
		assert_int_equal(generations__note(&generations, 1, true, 0, start, 100), 0);
	assert_int_equal(generation_places__take(&places, &generations), 0);
	assert_int_equal(places.of.count, 1);
	assert_int_equal(blocks__phase(&blocks, ranges, 5, &places), 0);
	assert_int_equal(blocks__conclude(&blocks, &end), 0);
	assert_int_equal(of(&blocks, 0)->holes, 2);
	assert_int_equal(of(&blocks, 0)->hole_bytes, 80);
	assert_int_equal(of(&blocks, 0)->largest_hole, 70);
	generations__free(&generations);
	generation_places__free(&places);
	blocks__free(&blocks);
}

/* ---------------------------------------------------------------- byte by byte */

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t any(uint64_t below)
{
	return random__below(&seed, below);
}

struct byte {
	bool lives;
	uint64_t from;
};

struct figures {
	uint64_t survived, moved, stayed, slid, promoted;
	uint64_t holes, hole_bytes, largest;
};

static struct {
	struct byte now[HEAP], then[HEAP];
	struct figures of[GENERATIONS + 1]; /* the last: unknown */
	uint64_t distances[BLOCKS_DISTANCES], down;
	bool clash;
	struct generation_places before, after;
	uint64_t mask;
} o;

/* Random generations, in parts some of which touch, something unknown between others. */
static void draw(struct generation_places *places)
{
	uint64_t at = any(20), last = GENERATION_UNKNOWN;

	memset(places, 0, sizeof(*places));
	places->taken = true;
	while (at < HEAP) {
		struct generation_place place = { at, at + 1 + any(90), any(GENERATIONS) };

		if (place.end > HEAP)
			place.end = HEAP;
		if (place.generation == last)
			place.generation = (last + 1) % GENERATIONS;
		last = place.generation;
		assert_int_equal(vec__push(&places->of, place), 0);
		for (uint64_t seam = at + 1 + any(60); seam < place.end; seam += 1 + any(60))
			assert_int_equal(vec__push(&places->seams, seam), 0);
		at = place.end + (any(3) ? 0 : 1 + any(20));
	}
}

/* Where a byte lies: index in the picture, or -1. */
static int where(const struct generation_places *places, uint64_t at)
{
	for (size_t i = 0; i < places->of.count; i++)
		if (places->of.items[i].start <= at && at < places->of.items[i].end)
			return (int)i;
	return -1;
}

static uint64_t generation_at(const struct generation_places *places, uint64_t at)
{
	int i = where(places, at);

	return i < 0 ? GENERATIONS : places->of.items[i].generation;
}

static void move_byte(uint64_t at, uint64_t to)
{
	bool again = o.now[at].lives;
	struct byte byte = { true, again ? o.now[at].from : generation_at(&o.before, at) };
	struct figures *figures = &o.of[byte.from];
	int part = where(&o.before, at);

	figures->survived += !again;
	if (at == to) {
		figures->stayed += !again;
	} else {
		uint64_t far = to < at ? at - to : to - at;

		figures->moved++;
		figures->slid += to < at && part >= 0 && part == where(&o.before, to);
		o.down += to < at;
		for (unsigned int i = 0; i < BLOCKS_DISTANCES; i++)
			o.distances[i] += far >> i == 1;
	}
	o.now[at].lives = false;
	o.clash |= o.then[to].lives;
	o.then[to] = byte;
}

static size_t draw_ranges(struct range *ranges)
{
	uint64_t at = any(30), to = any(60);
	bool slides = any(2);
	size_t count = 0;

	while (at < HEAP - 1 && to < HEAP - 1) {
		uint64_t length = 1 + any(24), most = at > to ? HEAP - at : HEAP - to;

		length = length < most ? length : most;
		if (!any(3))
			to = at > to || !slides ? at : to;
		ranges[count++] = (struct range){ at, slides ? to : any(HEAP - length + 1),
						  length };
		at += length + any(20);
		to += length + any(3) * any(10);
	}
	return count;
}

static void run_phase(struct blocks *blocks)
{
	struct range ranges[HEAP];
	size_t count = draw_ranges(ranges);

	memset(o.then, 0, sizeof(o.then));
	for (size_t i = 0; i < count; i++)
		for (uint64_t j = 0; j < ranges[i].length; j++)
			move_byte(ranges[i].old + j, ranges[i].new_ + j);
	for (uint64_t i = 0; i < HEAP; i++) {
		o.clash |= o.now[i].lives && o.then[i].lives;
		if (o.then[i].lives)
			o.now[i] = o.then[i];
	}
	assert_int_equal(blocks__phase(blocks, ranges, count, &o.before), 0);
}

static bool is_seam(const struct generation_places *places, uint64_t at)
{
	for (size_t i = 0; i < places->seams.count; i++)
		if (places->seams.items[i] == at)
			return true;
	return false;
}

static void count_holes(const struct generation_place *part)
{
	struct figures *figures = &o.of[part->generation];
	uint64_t last = UINT64_MAX;

	for (uint64_t i = part->start; i < part->end; i++) {
		if (is_seam(&o.after, i))
			last = UINT64_MAX;
		if (!o.now[i].lives)
			continue;
		if (last != UINT64_MAX && i > last + 1) {
			figures->holes++;
			figures->hole_bytes += i - last - 1;
			if (i - last - 1 > figures->largest)
				figures->largest = i - last - 1;
		}
		last = i;
	}
}

static void conclude(void)
{
	for (uint64_t i = 0; i < HEAP; i++) {
		uint64_t to = generation_at(&o.after, i);

		if (o.now[i].lives && o.now[i].from < GENERATIONS && to < GENERATIONS &&
		    to > o.now[i].from)
			o.of[o.now[i].from].promoted++;
	}
	for (size_t i = 0; i < o.after.of.count; i++)
		if (o.mask >> o.after.of.items[i].generation & 1)
			count_holes(&o.after.of.items[i]);
}

static void compare(const struct blocks *blocks)
{
	for (uint64_t g = 0; g <= GENERATIONS; g++) {
		const struct blocks_generation *found =
			of(blocks, g == GENERATIONS ? GENERATION_UNKNOWN : g);
		const struct figures *right = &o.of[g];
		bool judged = g < GENERATIONS && o.mask >> g & 1;

		assert_int_equal(found->survived, right->survived);
		assert_int_equal(found->moved, right->moved);
		assert_int_equal(found->stayed, right->stayed);
		assert_int_equal(found->slid, right->slid);
		assert_int_equal(found->promoted, right->promoted);
		assert_int_equal(found->holes, right->holes);
		assert_int_equal(found->hole_bytes, right->hole_bytes);
		assert_int_equal(found->largest_hole, right->largest);
		assert_int_equal(found->holes_known, judged);
	}
	assert_memory_equal(blocks->distances, o.distances, sizeof(o.distances));
	assert_int_equal(blocks->down, o.down);
}

static void every_byte_is_right(void **state)
{
	unsigned int sound = 0;

	(void)state;
	for (unsigned int n = 0; n < COLLECTIONS; n++) {
		struct blocks blocks = { 0 };
		struct blocks_end end = { 0, &o.after, true };

		memset(&o, 0, sizeof(o));
		draw(&o.before);
		draw(&o.after);
		end.mask = o.mask = any(1 << GENERATIONS);
		for (unsigned int g = 0; g < GENERATIONS; g++)
			assert_int_equal(blocks__spanned(&blocks, g, any(HEAP)), 0);
		for (uint64_t phases = 1 + any(3); phases > 0 && !o.clash; phases--)
			run_phase(&blocks);
		assert_int_equal(blocks__conclude(&blocks, &end), 0);
		assert_int_equal(blocks.clashes > 0, o.clash);
		sound += !o.clash;
		if (!o.clash) {
			conclude();
			compare(&blocks);
		}
		generation_places__free(&o.before);
		generation_places__free(&o.after);
		blocks__free(&blocks);
	}
	assert_true(sound > COLLECTIONS / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sliding_leaves_no_holes),
		cmocka_unit_test(without_generations_little_is_known),
		cmocka_unit_test(a_concurrent_one_tells_no_holes),
		cmocka_unit_test(what_is_free_between_parts_is_no_hole),
		cmocka_unit_test(every_byte_is_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
