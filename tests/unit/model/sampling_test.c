/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/call_stacks.h"
#include "model/sampling.h"
#include "model/thread_names.h"
#include "unit/random.h"

static void the_same_is_kept_once(void **state)
{
	enum { STACKS = 3000, DEEPEST = 12 };
	struct call_stacks *stacks = call_stacks__new();
	uint32_t methods[DEEPEST], first, again;
	uint64_t seed = 7;
	size_t count, kept;
	bool is_new;

	(void)state;
	for (unsigned int i = 0; i < STACKS; i++) {
		count = random__below(&seed, DEEPEST);
		for (size_t j = 0; j < count; j++) {
			const uint64_t key = random__below(&seed, 5);
			const enum method_kind kind = key % METHOD_KINDS;

			assert_int_equal(call_stacks__method(stacks, kind, key << 40, &methods[j],
							     &is_new), 0);
			if (is_new)
				assert_int_equal(call_stacks__set_name(stacks, methods[j],
								       text__of("m")), 0);
			assert_int_equal(call_stacks__kind(stacks, methods[j]), kind);
			assert_true(text__is(call_stacks__name(stacks, methods[j]), "m"));
		}
		assert_int_equal(call_stacks__stack(stacks, methods, count, &first), 0);
		assert_int_equal(call_stacks__stack(stacks, methods, count, &again), 0);
		assert_int_equal(first, again);
		assert_true(first <= call_stacks__stack_count(stacks));
		const uint32_t *frames = call_stacks__frames(stacks, first, &kept);

		assert_int_equal(kept, count);
		if (count)
			assert_memory_equal(frames, methods, count * sizeof(*methods));
	}
	assert_int_equal(call_stacks__method_count(stacks), 5);
	assert_int_equal(call_stacks__name(stacks, 0).bytes, 0);
	call_stacks__free(stacks);
}

/* After an exec a walker's number is another method's, and the names that were told stay. */
static void keys_come_to_mean_something_else(void **state)
{
	struct call_stacks *stacks = call_stacks__new();
	uint32_t before, native, after, again;
	bool is_new;

	(void)state;
	assert_int_equal(call_stacks__method(stacks, METHOD_MANAGED, 7, &before, &is_new), 0);
	assert_int_equal(call_stacks__set_name(stacks, before, text__of("before")), 0);
	assert_int_equal(call_stacks__method(stacks, METHOD_NATIVE, 7, &native, &is_new), 0);
	call_stacks__forget_keys(stacks, METHOD_MANAGED);
	assert_int_equal(call_stacks__method(stacks, METHOD_MANAGED, 7, &after, &is_new), 0);
	assert_true(is_new);
	assert_int_not_equal(after, before);
	assert_int_equal(call_stacks__name(stacks, after).bytes, 0);
	assert_true(text__is(call_stacks__name(stacks, before), "before"));
	assert_int_equal(call_stacks__method(stacks, METHOD_MANAGED, 7, &again, &is_new), 0);
	assert_false(is_new);
	assert_int_equal(again, after);
	assert_int_equal(call_stacks__method(stacks, METHOD_NATIVE, 7, &again, &is_new), 0);
	assert_false(is_new);
	assert_int_equal(again, native);
	call_stacks__free(stacks);
}

static struct sighting seen(uint32_t tid, enum place place, enum accuracy accuracy)
{
	return (struct sighting){
		.pid = 1,
		.tid = tid,
		.name = text__of("thread"),
		.place = place,
		.accuracy = accuracy,
		.of = { [SIGHTING_PLACE] = accuracy, [SIGHTING_METHOD] = accuracy },
		.method = 3,
		.doing = { .state = "waiting", .wait = place == PLACE_BLOCKING ? "lock" : NULL },
	};
}

static void sums_add_up(void **state)
{
	struct sampling sampling = { 0 };
	uint64_t of_threads = 0, awake = 0;

	(void)state;
	for (unsigned int i = 0; i < 300; i++) {
		const struct sighting sighting =
			seen(i % 7, i % 3 ? PLACE_JIT : PLACE_BLOCKING,
			     i % 2 ? ACCURACY_EXACT : ACCURACY_POOR);

		assert_int_equal(sampling__add(&sampling, &sighting), 0);
	}
	assert_int_equal(sampling.places.samples, 300);
	assert_int_equal(sampling.places.of[PLACE_JIT], 200);
	assert_int_equal(sampling.places.exact[PLACE_JIT], 100);
	assert_int_equal(sampling.by_accuracy[1], 150);
	assert_int_equal(sampling.by_accuracy[2], 150);
	assert_int_equal(sampling.threads.count, 7);
	for (size_t i = 0; i < sampling.threads.count; i++) {
		of_threads += sampling.threads.items[i].places.samples;
		awake += sampling.threads.items[i].running;
	}
	assert_int_equal(of_threads, 300);
	assert_int_equal(awake, 200);
	assert_int_equal(sampling.methods.count, 3);
	assert_int_equal(sampling.methods.items[2].samples, 300);
	assert_int_equal(sampling.methods.items[2].exact, 150);
	assert_int_equal(sampling_places__most(sampling.places.of), PLACE_JIT);
	sampling__free(&sampling);
}

/* What nobody asked for is not unknown. */
static void places_that_are_not_asked_for_are_not_counted(void **state)
{
	struct sampling sampling = { .no_places = true };
	const struct sighting sighting = seen(1, PLACE_UNKNOWN, ACCURACY_NONE);

	(void)state;
	assert_int_equal(sampling__add(&sampling, &sighting), 0);
	assert_int_equal(sampling.places.samples, 1);
	assert_int_equal(sampling.places.of[PLACE_UNKNOWN], 0);
	assert_int_equal(sampling.threads.items[0].places.samples, 1);
	assert_int_equal(sampling.threads.items[0].places.of[PLACE_UNKNOWN], 0);
	assert_int_equal(sampling.methods.items[2].samples, 1);
	assert_int_equal(sampling.methods.items[2].places[PLACE_UNKNOWN], 0);
	sampling__free(&sampling);
}

/* A thread for each request, beside one that stays: the last is no more work than the first. */
static void threads_come_and_go(void **state)
{
	enum { THREADS = 300000 };
	struct sampling sampling = { 0 };
	struct sighting sighting = seen(1, PLACE_JIT, ACCURACY_EXACT);

	(void)state;
	for (uint32_t i = 0; i < THREADS; i++) {
		sighting.tid = 1;
		assert_int_equal(sampling__add(&sampling, &sighting), 0);
		sighting.tid = 2 + i;
		assert_int_equal(sampling__add(&sampling, &sighting), 0);
		assert_int_equal(sampling__add(&sampling, &sighting), 0);
	}
	assert_int_equal(sampling.threads.count, 1 + THREADS);
	assert_int_equal(sampling.threads.items[0].places.samples, THREADS);
	for (uint32_t i = 0; i < THREADS; i++) {
		assert_int_equal(sampling.threads.items[1 + i].tid, 2 + i);
		assert_int_equal(sampling.threads.items[1 + i].places.samples, 2);
	}
	sampling__free(&sampling);
}

static void names_are_the_last_ones(void **state)
{
	enum { THREADS = 300000 };
	struct thread_names names = { 0 };

	(void)state;
	assert_null(thread_names__find(&names, 1));
	for (uint32_t tid = 1; tid <= THREADS; tid++)
		assert_int_equal(thread_names__set(&names, tid, text__of("first")), 0);
	for (uint32_t tid = 2; tid <= THREADS; tid += 2)
		assert_int_equal(thread_names__set(&names, tid, text__of("second")), 0);
	for (uint32_t tid = THREADS; tid > 0; tid--) {
		const char *name = tid % 2 ? "first" : "second";

		assert_true(text__is(thread_names__find(&names, tid)->name, name));
		assert_int_equal(thread_names__set(&names, tid, text__of(name)), 1);
	}
	assert_null(thread_names__find(&names, THREADS + 1));
	thread_names__free(&names);
}

static void sweeps_are_timed(void **state)
{
	struct sampling sampling = { 0 };

	(void)state;
	sampling__sweep(&sampling, 100, 110, 0);
	sampling__sweep(&sampling, 200, 230, 2);
	assert_int_equal(sampling.sweeps, 2);
	assert_int_equal(sampling.sweep_ns, 40);
	assert_int_equal(sampling.longest_sweep_ns, 30);
	assert_int_equal(sampling.last_ns - sampling.first_ns, 130);
	assert_int_equal(sampling.lost, 2);
	sampling__free(&sampling);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_is_kept_once),
		cmocka_unit_test(keys_come_to_mean_something_else),
		cmocka_unit_test(sums_add_up),
		cmocka_unit_test(places_that_are_not_asked_for_are_not_counted),
		cmocka_unit_test(threads_come_and_go),
		cmocka_unit_test(names_are_the_last_ones),
		cmocka_unit_test(sweeps_are_timed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
