/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples and rounds against a heap of the test's own: handles are words of it, a collection moves
 * and kills what it likes, and what is told must lead to what is there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gctrace/wire.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "agents/hotspot/beans.h"
#include "agents/hotspot/handles.h"
#include "agents/hotspot/rounds.h"
#include "agents/hotspot/samples.h"
#include "agents/hotspot/spaces.h"
#include "unit/random.h"

/* ---- What the JVM would say ---- */

#define OLD UINT64_C(0x80000000)

struct handles handles = { .mask = ~UINT64_C(0) };

static struct {
	uint64_t collections;
	bool are_concurrent, have_generations;
	unsigned looked_at; /* handles that were brought up to date */
} jvm;

bool spaces__are_concurrent(void)
{
	return jvm.are_concurrent;
}

bool spaces__have_generations(void)
{
	return jvm.have_generations;
}

void spaces__pause_begins(void)
{
}

uint64_t spaces__pause_ends(void)
{
	return jvm.collections;
}

enum spaces_generation spaces__generation(uint64_t address)
{
	if (!jvm.have_generations)
		return SPACES_UNKNOWN;
	return address >= OLD ? SPACES_OLD : SPACES_YOUNG;
}

uint64_t beans__collections(JNIEnv *jni)
{
	(void)jni;
	return jvm.collections;
}

static jboolean JNICALL is_same(JNIEnv *jni, jobject a, jobject b)
{
	(void)jni;
	(void)a;
	assert_null(b);
	jvm.looked_at++;
	return JNI_FALSE;
}

static const struct JNINativeInterface_ functions = { .IsSameObject = is_same };
static JNIEnv jni = &functions;

/* ---- */

static _Alignas(8) uint64_t words[100000];

static int set_up(void **state)
{
	(void)state;
	memset(&jvm, 0, sizeof(jvm));
	memset(words, 0, sizeof(words));
	jvm.have_generations = true;
	assert_true(samples__init());
	assert_true(rounds__begin(&jni));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rounds__end();
	samples__empty();
	return 0;
}

static uint32_t add(uint64_t *word, uint64_t address)
{
	const struct sample sample = { .size = 16 };
	uint32_t place;

	*word = address;
	place = samples__add(&sample, (uintptr_t)word | 1);
	assert_int_not_equal(place, SAMPLES_NONE);
	rounds__see_first(place);
	return place;
}

/* A pause in which this happens, if anything. */
static void collect(uint64_t *word, uint64_t now)
{
	rounds__pause_begins();
	if (word)
		*word = now;
	jvm.collections++;
	rounds__pause_ends();
}

static const struct fate *only_fate(uint32_t round)
{
	const struct round *at = rounds__at(round);

	assert_int_equal(at->end, at->begin + 1);
	return rounds__fate(at->begin);
}

static void expect_fate(uint32_t round, uint32_t place, unsigned bits, uint64_t address,
			bool is_old)
{
	const struct fate *fate = only_fate(round);

	assert_int_equal(fate->place, place);
	assert_int_equal(fate->number, samples__at(place)->number);
	assert_int_equal(fate->bits, bits);
	assert_int_equal(fate->address, address);
	assert_int_equal(fate->is_old, is_old);
}

static void each_round_says_what_changed(void **state)
{
	const uint32_t place = add(&words[0], 0x1000);

	(void)state;
	collect(NULL, 0);
	collect(&words[0], 0x2000);
	collect(NULL, 0);
	collect(&words[0], OLD);
	collect(&words[0], 0);
	collect(NULL, 0);
	assert_int_equal(rounds__ready(), 6);
	expect_fate(0, place, GCTRACE_SAMPLE_GENERATION, 0x1000, false);
	expect_fate(1, place, GCTRACE_SAMPLE_MOVED, 0x2000, false);
	assert_int_equal(rounds__at(2)->begin, rounds__at(2)->end);
	expect_fate(3, place, GCTRACE_SAMPLE_MOVED | GCTRACE_SAMPLE_GENERATION, OLD, true);
	expect_fate(4, place, GCTRACE_SAMPLE_DEAD, 0, false);
	assert_int_equal(rounds__at(5)->begin, rounds__at(5)->end);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(rounds__at(i)->gc, i + 1);
	rounds__drop(6);
	assert_int_equal(rounds__ready(), 0);
	assert_false(rounds__missed());
}

static void where_generations_are_not_known_none_is_told(void **state)
{
	const uint32_t place = add(&words[0], 0x1000);

	(void)state;
	jvm.have_generations = false;
	collect(NULL, 0);
	collect(&words[0], OLD);
	assert_int_equal(rounds__at(0)->begin, rounds__at(0)->end);
	expect_fate(1, place, GCTRACE_SAMPLE_MOVED, OLD, false);
}

/* As the cleanup of G1; but that it finds somebody dead is told. */
static void a_pause_that_collects_nothing_is_no_round(void **state)
{
	const uint32_t place = add(&words[0], OLD);

	(void)state;
	collect(NULL, 0);
	for (int i = 0; i < 10; i++) {
		rounds__pause_begins();
		rounds__pause_ends();
	}
	assert_int_equal(rounds__ready(), 1);
	rounds__pause_begins();
	words[0] = 0;
	rounds__pause_ends();
	assert_int_equal(rounds__ready(), 2);
	assert_int_equal(rounds__at(1)->gc, 1);
	expect_fate(1, place, GCTRACE_SAMPLE_DEAD, 0, false);
}

/* A thread that is about to hand over what it has sampled sees no address in a pause. */
static void one_that_is_added_in_a_pause_is_seen_at_its_end(void **state)
{
	uint32_t place;

	(void)state;
	rounds__pause_begins();
	place = add(&words[0], 0x1000);
	assert_int_equal(samples__place(place)->seen, 0);
	words[0] = 0x3000;
	jvm.collections++;
	rounds__pause_ends();
	expect_fate(0, place, GCTRACE_SAMPLE_ADDRESS | GCTRACE_SAMPLE_GENERATION, 0x3000, false);
}

static void one_that_nobody_saw_alive_dies_all_the_same(void **state)
{
	uint32_t place;

	(void)state;
	rounds__pause_begins();
	place = add(&words[0], 0x1000);
	words[0] = 0;
	jvm.collections++;
	rounds__pause_ends();
	expect_fate(0, place, GCTRACE_SAMPLE_DEAD, 0, false);
}

static void a_place_is_used_again_and_a_number_is_not(void **state)
{
	const uint32_t place = add(&words[0], 0x1000);
	const uint64_t number = samples__at(place)->number;
	uint32_t other;

	(void)state;
	assert_int_equal(samples__count(), 1);
	assert_int_equal(samples__take_new(), place);
	assert_int_equal(samples__remove(place), (uintptr_t)&words[0] | 1);
	assert_int_equal(samples__count(), 0);
	collect(NULL, 0);
	assert_int_equal(rounds__at(0)->begin, rounds__at(0)->end);
	other = add(&words[1], 0x1000);
	assert_int_equal(other, place);
	assert_int_equal(samples__at(other)->number, number + 1);
	assert_int_equal(samples__take_new(), other);
	assert_int_equal(samples__at(other)->next, SAMPLES_NONE);
	assert_int_equal(samples__take_new(), SAMPLES_NONE);
}

static void more_rounds_than_there_is_room_for_are_missed(void **state)
{
	(void)state;
	add(&words[0], 0x1000);
	for (int i = 0; i < 256; i++)
		collect(&words[0], 0x1000 + (uint64_t)i * 8);
	assert_false(rounds__missed());
	assert_true(rounds__are_urgent());
	collect(&words[0], 0x100000);
	assert_true(rounds__missed());
	assert_false(rounds__missed());
	assert_int_equal(rounds__ready(), 256);
	assert_int_equal(samples__place(0)->seen & ~(uint64_t)SEEN_BITS, 0x100000);
	rounds__drop(256);
	collect(&words[0], 0x200000);
	assert_int_equal(rounds__ready(), 1);
	expect_fate(0, 0, GCTRACE_SAMPLE_MOVED, 0x200000, false);
}

static void more_fates_than_there_is_room_for_are_missed(void **state)
{
	const uint64_t many = sizeof(words) / sizeof(*words);

	(void)state;
	for (uint64_t i = 0; i < many; i++)
		add(&words[i], 0x1000 + i * 8);
	collect(NULL, 0); /* each is told its generation */
	assert_true(rounds__missed());
	rounds__drop(rounds__ready());
	rounds__fit();
	for (uint64_t i = 0; i < many; i++)
		words[i] += 0x1000000;
	collect(NULL, 0);
	assert_false(rounds__missed());
	assert_int_equal(rounds__at(0)->end - rounds__at(0)->begin, many);
}

static void beside_the_program_rounds_are_gone_by_our_own_thread(void **state)
{
	const struct sample sample = { .size = 16 };
	uint32_t place;

	(void)state;
	jvm.are_concurrent = true;
	jvm.have_generations = false;
	words[0] = 0x1000;
	place = samples__add(&sample, (uintptr_t)&words[0]);
	rounds__see_first(place);
	assert_int_equal(samples__place(place)->seen, 0);
	rounds__see_new(&jni, place);
	assert_int_equal(samples__place(place)->seen, 0x1000);
	collect(&words[0], 0x2000);
	assert_int_equal(rounds__ready(), 0);
	jvm.looked_at = 0;
	rounds__go_round(&jni);
	assert_int_equal(jvm.looked_at, 1);
	assert_int_equal(rounds__ready(), 1);
	expect_fate(0, place, GCTRACE_SAMPLE_MOVED, 0x2000, false);
	rounds__go_round(&jni); /* too soon */
	assert_int_equal(jvm.looked_at, 1);
}

static void colours_of_zgc_are_taken_off(void **state)
{
	(void)state;
	handles = (struct handles){ .mask = (UINT64_C(1) << 42) - 1, .view = UINT64_C(1) << 44 };
	assert_int_equal(handles__address(0), 0);
	for (unsigned colour = 42; colour < 45; colour++)
		assert_int_equal(handles__address(0x1238 | UINT64_C(1) << colour),
				 0x1238 | UINT64_C(1) << 44);
	handles = (struct handles){ .mask = ~UINT64_C(0) };
}

/* ---- Anything, against the truth ---- */

#define OBJECTS 300

struct model {
	uint64_t address[OBJECTS]; /* by place, as told; 0: dead */
	bool is_old[OBJECTS];
};

static void apply(struct model *model, const struct round *round)
{
	for (uint64_t at = round->begin; at < round->end; at++) {
		const struct fate *fate = rounds__fate(at);

		if (fate->bits & GCTRACE_SAMPLE_DEAD)
			model->address[fate->place] = 0;
		if (fate->bits & (GCTRACE_SAMPLE_MOVED | GCTRACE_SAMPLE_ADDRESS))
			model->address[fate->place] = fate->address;
		if (fate->bits & GCTRACE_SAMPLE_GENERATION)
			model->is_old[fate->place] = fate->is_old;
	}
}

static void move_and_kill(uint64_t *random, uint64_t *next)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		if (words[i] && random__below(random, 10) == 0)
			words[i] = 0;
		else if (words[i] && random__below(random, 2))
			words[i] = (*next += 8) | (random__below(random, 3) ? 0 : OLD);
	}
}

/* Its handle is the word of its place. */
static void add_at_its_place(struct model *model, uint64_t address)
{
	const struct sample sample = { .size = 16 };
	const uint32_t place = samples__add(&sample, (uintptr_t)&words[OBJECTS]);

	words[place] = model->address[place] = address;
	samples__place(place)->handle = (uintptr_t)&words[place];
	rounds__see_first(place);
}

static void what_is_told_leads_to_what_is_there(void **state)
{
	uint64_t random = 7, next = 0x1000;
	struct model model = { .address = { 0 } };

	(void)state;
	for (unsigned step = 0; step < 2000; step++) {
		while (samples__count() < OBJECTS)
			add_at_its_place(&model, next += 8);
		rounds__pause_begins();
		move_and_kill(&random, &next);
		jvm.collections++;
		rounds__pause_ends();
		assert_int_equal(rounds__ready(), 1);
		apply(&model, rounds__at(0));
		rounds__drop(1);
		for (uint32_t i = 0; i < samples__used(); i++) {
			assert_int_equal(model.address[i], words[i]);
			if (words[i])
				assert_int_equal(model.is_old[i], words[i] >= OLD);
			else if (samples__place(i)->handle)
				samples__remove(i);
		}
	}
	assert_false(rounds__missed());
}

/* ---- Threads ---- */

static void *add_many(void *context)
{
	(void)context;
	for (int i = 0; i < 20000; i++) {
		const struct sample sample = { .size = (uint64_t)i };

		samples__add(&sample, (uintptr_t)&words[0]);
	}
	return NULL;
}

static void threads_add_at_once(void **state)
{
	pthread_t threads[8];
	uint64_t first = samples__at(add(&words[0], 0x1000))->number, last = first, count = 0;

	(void)state;
	samples__remove(samples__take_new());
	for (int i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_many, NULL), 0);
	while (last < first + 160000) {
		uint32_t next;

		collect(NULL, 0);
		rounds__drop(rounds__ready());
		for (uint32_t at = samples__take_new(); at != SAMPLES_NONE; at = next) {
			next = samples__at(at)->next;
			assert_int_equal(samples__at(at)->number, last + 1);
			last = samples__at(at)->number;
			if (count++ % 2)
				samples__remove(at);
		}
	}
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(samples__count(), 80000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_round_says_what_changed),
		TEST(where_generations_are_not_known_none_is_told),
		TEST(a_pause_that_collects_nothing_is_no_round),
		TEST(one_that_is_added_in_a_pause_is_seen_at_its_end),
		TEST(one_that_nobody_saw_alive_dies_all_the_same),
		TEST(a_place_is_used_again_and_a_number_is_not),
		TEST(more_rounds_than_there_is_room_for_are_missed),
		TEST(more_fates_than_there_is_room_for_are_missed),
		TEST(beside_the_program_rounds_are_gone_by_our_own_thread),
		TEST(what_is_told_leads_to_what_is_there),
		TEST(threads_add_at_once),
		cmocka_unit_test(colours_of_zgc_are_taken_off),
	};

	return cmocka_run_group_tests_name("agents/hotspot_rounds", tests, NULL, NULL);
}
