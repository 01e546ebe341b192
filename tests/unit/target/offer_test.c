/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "target/module.h"
#include "target/offer.h"
#include "target/runtime.h"

/* Samples without moves are nobody's births, and HotSpot's, which have numbers, never are. */
static void test_samples_are_births_where_moves_tell_of_them(void **state)
{
	static const struct {
		enum runtime_kind kind;
		bool allocations, moves, survivals, births;
	} cases[] = {
		{ RUNTIME_PROBES, true, true, true, true },
		{ RUNTIME_PROBES, true, false, true, true },
		{ RUNTIME_PROBES, true, true, false, true },
		{ RUNTIME_PROBES, true, false, false, false },
		{ RUNTIME_PROBES, false, true, true, false },
		{ RUNTIME_DOTNET, true, true, true, true },
		{ RUNTIME_HOTSPOT, true, true, true, false },
		{ RUNTIME_HOTSPOT, true, false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct runtime runtime = { .kind = cases[i].kind };
		const struct offer offers[OFFER_COUNT] = {
			[OFFER_ALLOCATIONS] = { .available = cases[i].allocations },
			[OFFER_MOVES] = { .available = cases[i].moves },
			[OFFER_SURVIVALS] = { .available = cases[i].survivals },
		};

		assert_int_equal(offers__tell_births(&runtime, offers), cases[i].births);
	}
}

/* Not of ZGC with generations, nor where it is not known whether it has any. */
static void test_samples_tell_fates_where_collections_find_their_dead(void **state)
{
	static const struct {
		enum runtime_kind kind;
		const char *collector, *version;
		bool tell;
	} cases[] = {
		{ RUNTIME_HOTSPOT, "G1", "25.0.3+9", true },
		{ RUNTIME_HOTSPOT, "Shenandoah", NULL, true },
		{ RUNTIME_HOTSPOT, "ZGC", "17.0.15+6-Debian-1deb12u1", true },
		{ RUNTIME_HOTSPOT, "ZGC", "21.0.2+13", false },
		{ RUNTIME_HOTSPOT, "ZGC", "25.0.3+9", false },
		{ RUNTIME_HOTSPOT, "ZGC", "internal", false },
		{ RUNTIME_HOTSPOT, "ZGC", NULL, false },
		{ RUNTIME_HOTSPOT, NULL, "17.0.15", false },
		{ RUNTIME_DOTNET, NULL, "10.0.1", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct runtime runtime = {
			.kind = cases[i].kind,
			.collector = (char *)cases[i].collector,
			.version = (char *)cases[i].version,
		};

		assert_int_equal(offers__samples_tell_fates(&runtime), cases[i].tell);
	}
}

/* .NET's agent has all of probes.h; nobody fires the one for samples. */
static void test_a_probe_that_nobody_fires_is_no_offer(void **state)
{
	struct note_probe probes[] = {
		{ .provider = "gctrace", .name = "gc__start" },
		{ .provider = "gctrace", .name = "object__alloc" },
	};
	struct notes notes = { .probes = probes, .probe_count = 2 };
	struct module module = { .notes = &notes };
	const struct modules modules = { .first = &module, .count = 1 };
	struct runtime runtime = { .kind = RUNTIME_PROBES, .has_probes = true };
	struct offer offers[OFFER_COUNT];

	(void)state;
	offers__find(&runtime, &modules, offers);
	assert_true(offers[OFFER_COLLECTIONS].available);
	assert_true(offers[OFFER_ALLOCATIONS].available);
	runtime.kind = RUNTIME_DOTNET;
	offers__find(&runtime, &modules, offers);
	assert_true(offers[OFFER_COLLECTIONS].available);
	assert_false(offers[OFFER_ALLOCATIONS].available);
	assert_string_equal(offers[OFFER_ALLOCATIONS].text,
			    "gctrace's agent in .NET does not sample them");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_are_births_where_moves_tell_of_them),
		cmocka_unit_test(test_samples_tell_fates_where_collections_find_their_dead),
		cmocka_unit_test(test_a_probe_that_nobody_fires_is_no_offer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
