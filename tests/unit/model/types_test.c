/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/object.h"
#include "model/types.h"
#include "unit/random.h"

#define CLASSES 5000

static uint32_t index_of(struct types *types, uint64_t class_)
{
	uint32_t index = UINT32_MAX;

	assert_int_equal(types__index(types, class_, &index), 0);
	return index;
}

static struct text words(const char *text)
{
	return (struct text){ text, strlen(text) };
}

static void assert_name(const struct types *types, uint32_t index, const char *want)
{
	assert_int_equal(types->of.items[index].name.bytes, strlen(want));
	assert_memory_equal(types->of.items[index].name.at, want, strlen(want));
}

static void the_class_that_nobody_knows_is_the_first(void **state)
{
	struct types types = { 0 };

	(void)state;
	assert_int_equal(index_of(&types, 77), 1);
	assert_int_equal(index_of(&types, 0), 0);
	assert_int_equal(index_of(&types, 77), 1);
	assert_int_equal(types.of.count, 2);
	types__free(&types);
}

/* Addresses of class objects have little in their low bits, numbers nothing in their high ones. */
static void an_index_is_a_class_for_good(void **state)
{
	struct types types = { 0 };

	(void)state;
	for (uint64_t i = 1; i < CLASSES; i++)
		assert_int_equal(index_of(&types, i << 12), i);
	for (uint64_t i = 1; i < CLASSES; i++)
		assert_int_equal(index_of(&types, i << 12), i);
	for (uint64_t i = 1; i < CLASSES; i += 2)
		assert_int_equal(index_of(&types, i), CLASSES + i / 2);
	for (uint64_t i = 1; i < CLASSES; i++)
		assert_int_equal(types.of.items[i].class_, i << 12);
	types__free(&types);
}

static void names_are_bytes_of_their_own(void **state)
{
	char name[] = { 'a', 0, '\n' };
	struct types types = { 0 };

	(void)state;
	assert_int_equal(types__define(&types, 5, (struct text){ name, 3 }), 0);
	name[0] = 'z';
	assert_int_equal(types.of.items[1].name.bytes, 3);
	assert_memory_equal(types.of.items[1].name.at, "a\0\n", 3);
	types__free(&types);
}

static void a_name_that_is_told_later_is_the_name(void **state)
{
	struct types types = { 0 };
	const uint32_t index = index_of(&types, 5);
	const char *before;

	(void)state;
	assert_int_equal(types__define(&types, 5, words("Order")), 0);
	before = types.of.items[index].name.at;
	assert_int_equal(types__define(&types, 5, words("Order")), 0);
	assert_ptr_equal(types.of.items[index].name.at, before); /* said in each dump: no news */
	assert_int_equal(types__define(&types, 5, words("")), 0);
	assert_name(&types, index, "Order"); /* nothing said */
	assert_int_equal(index_of(&types, 5), index);
	types__free(&types);
}

static void another_name_is_another_class(void **state)
{
	struct types types = { 0 };
	uint32_t orders;

	(void)state;
	assert_int_equal(types__define(&types, 5, words("Order")), 0);
	orders = index_of(&types, 5);
	assert_int_equal(types__define(&types, 5, words("Item")), 0);
	assert_int_not_equal(index_of(&types, 5), orders);
	assert_name(&types, orders, "Order");
	assert_name(&types, index_of(&types, 5), "Item");
	assert_int_equal(types__define(&types, 9, words("Order")), 0); /* it has come back */
	assert_int_equal(index_of(&types, 9), orders);
	assert_int_equal(types__define(&types, 10, words("Order")), 0); /* of another loader */
	assert_int_not_equal(index_of(&types, 10), orders);
	types__free(&types);
}

/*
 * Dumps, before each of which some classes are unloaded and others loaded, anywhere among them; all
 * are numbered anew. There are several of each name: they are told from each other by their order.
 */
#define LIVING 400
#define NAMES 150

struct living {
	unsigned int name;
	uint32_t index; /* as it was at first; 0: it is new */
};

static void tell_all(struct types *types, struct living *living, unsigned int count)
{
	char name[16];

	for (unsigned int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "Class%u", living[i].name);
		assert_int_equal(types__define(types, i + 1, words(name)), 0);
	}
	for (unsigned int i = 0; i < count; i++) {
		const uint32_t index = index_of(types, i + 1);

		if (living[i].index)
			assert_int_equal(index, living[i].index);
		living[i].index = index;
	}
}

/* Names that only one has, so that it is known who is who. */
static void classes_that_are_numbered_anew_stay_who_they_are(void **state)
{
	static struct living living[LIVING + 1000];
	struct types types = { 0 };
	uint64_t seed = 3;
	unsigned int count = LIVING, names = LIVING;

	(void)state;
	for (unsigned int i = 0; i < count; i++)
		living[i] = (struct living){ i, 0 };
	for (unsigned int dump = 0; dump < 200; dump++) {
		const unsigned int at = (unsigned int)random__below(&seed, count);

		tell_all(&types, living, count);
		if (random__chance(&seed, 50)) {
			memmove(&living[at], &living[at + 1], (--count - at) * sizeof(*living));
		} else {
			memmove(&living[at + 1], &living[at], (count++ - at) * sizeof(*living));
			living[at] = (struct living){ names++, 0 };
		}
	}
	types__free(&types);
}

static void of_several_of_a_name_the_order_is_kept(void **state)
{
	static struct living living[LIVING];
	struct types types = { 0 };

	(void)state;
	for (unsigned int i = 0; i < LIVING; i++)
		living[i] = (struct living){ i ? i % NAMES : LIVING, 0 };
	tell_all(&types, living, LIVING);
	tell_all(&types, living + 1, LIVING - 1); /* the first was unloaded */
	tell_all(&types, living + 1, LIVING - 1);
	tell_all(&types, living, LIVING); /* and is there again */
	types__free(&types);
}

/* ---- against the plain words of types.h ---- */

#define PLAIN 64 /* classes, and more types than there come to be by them */

struct plain {
	struct {
		uint64_t class_;
		const char *name; /* NULL: none */
		bool is_free;
	} of[4096];
	uint32_t count, by_class[PLAIN]; /* 0: none */
};

static void plain__bind(struct plain *plain, uint64_t class_, uint32_t index)
{
	plain->of[index].class_ = class_;
	plain->of[index].is_free = false;
	plain->by_class[class_] = index;
}

static uint32_t plain__index(struct plain *plain, uint64_t class_)
{
	if (!plain->by_class[class_])
		plain__bind(plain, class_, ++plain->count);
	return plain->by_class[class_];
}

static uint32_t plain__named(const struct plain *plain, uint64_t class_, const char *name,
			     bool was_another)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i <= plain->count; i++)
		if (plain->of[i].name == name && plain->of[i].is_free)
			return i;
	for (uint32_t i = 1; i <= plain->count && was_another; i++)
		if (plain->of[i].name == name && plain->of[i].class_ > class_ &&
		    (!best || plain->of[i].class_ < plain->of[best].class_))
			best = i;
	return best;
}

static void plain__define(struct plain *plain, uint64_t class_, const char *name)
{
	const uint32_t before = plain->by_class[class_];
	uint32_t index;

	if (before && !plain->of[before].name)
		plain->of[before].name = name;
	if (before && plain->of[before].name == name)
		return;
	if (plain->of[before].class_ == class_)
		plain->of[before].is_free = before;
	index = plain__named(plain, class_, name, before);
	if (!index) {
		index = ++plain->count;
		assert_true(index < sizeof(plain->of) / sizeof(plain->of[0]));
		plain->of[index].name = name;
	}
	plain__bind(plain, class_, index);
}

/* Some names are the beginning of others; all are told of all classes, in any order. */
static void they_are_who_the_plain_words_say(void **state)
{
	static const char *const names[] = { "A", "AB", "ABC", "B", "\xff", "A\x01" };
	static struct plain plain;
	uint64_t seed = 11;

	(void)state;
	for (unsigned int round = 0; round < 50; round++) {
		const uint64_t classes = random__below(&seed, PLAIN - 2) + 2;
		struct types types = { 0 };

		plain = (struct plain){ .count = 0 };
		for (unsigned int step = 0; step < 1000; step++) {
			const uint64_t class_ = random__below(&seed, classes - 1) + 1;
			const char *name = names[random__below(&seed, 6)];

			if (random__chance(&seed, 20)) {
				assert_int_equal(index_of(&types, class_),
						 plain__index(&plain, class_));
				continue;
			}
			assert_int_equal(types__define(&types, class_, words(name)), 0);
			plain__define(&plain, class_, name);
			assert_int_equal(index_of(&types, class_), plain.by_class[class_]);
			assert_name(&types, plain.by_class[class_], name);
		}
		types__free(&types);
	}
}

#define ALIKE 100000
#define DEEPEST 200 /* log2 is 17; a list is as deep as there are */

static unsigned int depth_of(const struct types *types, uint32_t tree)
{
	static struct {
		uint32_t tree, depth;
	} left[ALIKE];
	unsigned int count = 0, deepest = 0;

	left[count].tree = tree;
	left[count++].depth = 1;
	while (count) {
		const uint32_t at = left[--count].tree, depth = left[count].depth;
		const uint32_t below[] = { types->of.items[at].left, types->of.items[at].right };

		deepest = depth > deepest ? depth : deepest;
		for (unsigned int i = 0; i < 2; i++) {
			if (!below[i])
				continue;
			left[count].tree = below[i];
			left[count++].depth = depth + 1;
		}
	}
	return deepest;
}

/* As a file may have them that somebody wrote for us to be slow. */
static void many_of_one_name_are_found_fast(void **state)
{
	struct types types = { 0 };

	(void)state;
	for (uint64_t i = 1; i <= ALIKE; i++)
		assert_int_equal(types__define(&types, i * 2, words("Order")), 0);
	assert_in_range(depth_of(&types, types.by_name), 17, DEEPEST);
	for (uint64_t i = 1; i <= ALIKE / 2; i++) /* every other one gets free */
		assert_int_equal(types__define(&types, i * 4, words("Item")), 0);
	assert_in_range(depth_of(&types, types.by_name), 17, DEEPEST);
	for (uint64_t i = ALIKE / 2; i > 0; i--) /* and have another number */
		assert_int_equal(types__define(&types, i * 4 + 1, words("Order")), 0);
	assert_in_range(depth_of(&types, types.by_name), 17, DEEPEST);
	assert_int_equal(types.of.count, 1 + ALIKE + ALIKE / 2);
	types__free(&types);
}

static void freed_is_empty(void **state)
{
	struct types types = { 0 };

	(void)state;
	assert_int_equal(types__define(&types, 5, words("Order")), 0);
	types__free(&types);
	types__free(&types);
	assert_int_equal(index_of(&types, 6), 1);
	assert_int_equal(index_of(&types, 5), 2);
	types__free(&types);
}

#ifndef __SANITIZE_ADDRESS__ /* it would have the memory in earnest */
/* As many classes as there are indices, of which no page is touched. */
static void all_further_classes_are_one(void **state)
{
	struct types types = { 0 };

	(void)state;
	assert_int_equal(index_of(&types, 5), 1);
	free(types.of.items);
	types.of.items = calloc(OBJECT_TYPE_MOST, sizeof(*types.of.items));
	assert_non_null(types.of.items);
	types.of.count = types.of.alloc = OBJECT_TYPE_MOST;
	assert_int_equal(index_of(&types, 6), OBJECT_TYPE_MOST);
	assert_int_equal(index_of(&types, 7), OBJECT_TYPE_MOST);
	assert_int_equal(index_of(&types, 5), 1);
	assert_int_equal(types__define(&types, 8, words("Order")), 0);
	assert_int_equal(types.of.count, OBJECT_TYPE_MOST + 1);
	assert_int_equal(types.of.items[OBJECT_TYPE_MOST].class_, EVENT_UNKNOWN);
	assert_name(&types, OBJECT_TYPE_MOST, "");
	vec__free(&types.of);
	types__free(&types);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_class_that_nobody_knows_is_the_first),
		cmocka_unit_test(an_index_is_a_class_for_good),
		cmocka_unit_test(names_are_bytes_of_their_own),
		cmocka_unit_test(a_name_that_is_told_later_is_the_name),
		cmocka_unit_test(another_name_is_another_class),
		cmocka_unit_test(classes_that_are_numbered_anew_stay_who_they_are),
		cmocka_unit_test(of_several_of_a_name_the_order_is_kept),
		cmocka_unit_test(they_are_who_the_plain_words_say),
		cmocka_unit_test(many_of_one_name_are_found_fast),
		cmocka_unit_test(freed_is_empty),
#ifndef __SANITIZE_ADDRESS__
		cmocka_unit_test(all_further_classes_are_one),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
