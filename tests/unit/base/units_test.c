/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/units.h"

static void shows_bytes(void **state)
{
	char text[UNITS_TEXT];

	(void)state;
	assert_string_equal(units__bytes(text, 0), "0 B");
	assert_string_equal(units__bytes(text, 1023), "1023 B");
	assert_string_equal(units__bytes(text, 1024), "1.00 KiB");
	assert_string_equal(units__bytes(text, 12902072), "12.3 MiB");
	assert_string_equal(units__bytes(text, 1023 * 1024), "1023 KiB");
	assert_string_equal(units__bytes(text, 1024 * 1024 - 1), "1.00 MiB");
	assert_string_equal(units__bytes(text, UINT64_MAX), "16.0 EiB");
}

static void shows_times(void **state)
{
	char text[UNITS_TEXT];

	(void)state;
	assert_string_equal(units__ns(text, 0), "0 ns");
	assert_string_equal(units__ns(text, 999), "999 ns");
	assert_string_equal(units__ns(text, 1230000), "1.23 ms");
	assert_string_equal(units__ns(text, 9995000), "10.0 ms");
	assert_string_equal(units__ns(text, 999499999), "999 ms");
	assert_string_equal(units__ns(text, 999500000), "1.00 s");
	assert_string_equal(units__ns(text, 4294967296), "4.29 s"); /* where u32 would wrap */
	assert_string_equal(units__ns(text, 738 * NS_PER_S), "12.3 min");
	assert_string_equal(units__ns(text, 90 * 60 * NS_PER_S), "1.50 h");
	assert_string_equal(units__ns(text, UINT64_MAX), "213504 d");
}

static void shows_counts(void **state)
{
	char text[UNITS_TEXT];

	(void)state;
	assert_string_equal(units__count(text, 999), "999");
	assert_string_equal(units__count(text, 1234), "1.23 k");
	assert_string_equal(units__count(text, 10000000), "10.0 M");
	assert_string_equal(units__count(text, UINT64_MAX), "18.4 E");
	assert_string_equal(units__exact(text, UINT64_MAX), "18446744073709551615");
}

/* Never off by more than half of the last digit shown. */
static void figures_are_rounded_right(void **state)
{
	static const struct { const char *unit; double size; } units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
		{ "min", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 },
	};

	(void)state;
	srandom(3);
	for (int i = 0; i < 100000; i++) {
		uint64_t value = ((uint64_t)random() << 33 ^ (uint64_t)random() << 2) >>
				 (random() % 64);
		char text[UNITS_TEXT], unit[UNITS_TEXT], *point;
		double shown, size = 0, step = 1;

		units__ns(text, value);
		assert_int_equal(sscanf(text, "%lf %s", &shown, unit), 2);
		for (size_t j = 0; j < sizeof(units) / sizeof(units[0]); j++)
			if (strcmp(unit, units[j].unit) == 0)
				size = units[j].size;
		assert_true(size > 0);
		point = strchr(text, '.');
		if (point)
			step = point[2] == ' ' ? 0.1 : 0.01;
		assert_true(shown * size - (double)value <= step * size * 0.5001);
		assert_true((double)value - shown * size <= step * size * 0.5001);
	}
}

static void columns_are_as_wide_as_promised(void **state)
{
	char text[UNITS_TEXT];

	(void)state;
	for (uint64_t value = 0; value < 100000000000; value = value * 5 / 4 + 1) {
		assert_int_equal(strlen(units__bytes_column(text, value)), UNITS_BYTES_COLUMNS);
		assert_int_equal(strlen(units__ns_column(text, value)), UNITS_NS_COLUMNS);
		assert_int_equal(strlen(units__count_column(text, value)), UNITS_COUNT_COLUMNS);
	}
	assert_string_equal(units__bytes_column(text, 512), " 512 B  ");
	assert_string_equal(units__bytes_column(text, 12902072), "12.3 MiB");
}

static void reads_durations(void **state)
{
	uint64_t ns = 1;

	(void)state;
	assert_int_equal(units__parse_duration("10ms", &ns), 0);
	assert_int_equal(ns, 10 * NS_PER_MS);
	assert_int_equal(units__parse_duration("1.5s", &ns), 0);
	assert_int_equal(ns, 1500 * NS_PER_MS);
	assert_int_equal(units__parse_duration("2m", &ns), 0);
	assert_int_equal(ns, 120 * NS_PER_S);
	assert_int_equal(units__parse_duration("0", &ns), 0);
	assert_int_equal(ns, 0);
	assert_int_equal(units__parse_duration("18446744073709551615ns", &ns), 0);
	assert_int_equal(ns, UINT64_MAX);
}

static void refuses_what_is_no_duration(void **state)
{
	static const char *const wrong[] = {
		"", "s", ".", ".s", "30", "1 s", " 1s", "1s ", "-1s", "+1s", "1e3s", "0x1s",
		"1..5s", "1.s", "1,5s", "1S", "10msx", "0.1ns", "inf", "nan",
	};
	static const char *const large[] = {
		"18446744073709551616ns", "99999999999d", "99999999999999999999999999999999999s",
		"0.0000000000000000000001s",
	};
	uint64_t ns = 42;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(units__parse_duration(wrong[i], &ns), -EINVAL);
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		assert_int_equal(units__parse_duration(large[i], &ns), -ERANGE);
	assert_int_equal(ns, 42);
}

static void reads_sizes_and_counts(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(units__parse_bytes("64MiB", &value), 0);
	assert_int_equal(value, 64 << 20);
	assert_int_equal(units__parse_bytes("64M", &value), 0);
	assert_int_equal(value, 64 << 20);
	assert_int_equal(units__parse_bytes("64MB", &value), 0);
	assert_int_equal(value, 64000000);
	assert_int_equal(units__parse_bytes("1.5KiB", &value), 0);
	assert_int_equal(value, 1536);
	assert_int_equal(units__parse_bytes("65536", &value), 0);
	assert_int_equal(value, 65536);
	assert_int_equal(units__parse_bytes("0.1KiB", &value), -EINVAL);
	assert_int_equal(units__parse_bytes("16777216TiB", &value), -ERANGE);
	assert_int_equal(units__parse_bytes("64mib", &value), -EINVAL);
	assert_int_equal(units__parse_count("10k", &value), 0);
	assert_int_equal(value, 10000);
	assert_int_equal(units__parse_count("1.5", &value), -EINVAL);
	assert_int_equal(units__parse_count("5MiB", &value), -EINVAL);
	assert_int_equal(units__parse_count("-1", &value), -EINVAL);
}

/* What is shown for a size can be given back as one. */
static void own_units_are_understood(void **state)
{
	char text[UNITS_TEXT], *blank;
	uint64_t value, back;

	(void)state;
	for (value = 1; value < UINT64_C(1) << 44; value *= 2) {
		units__bytes(text, value);
		blank = strchr(text, ' ');
		memmove(blank, blank + 1, strlen(blank));
		assert_int_equal(units__parse_bytes(text, &back), 0);
		assert_int_equal(back, value);
	}
}

static void tells_the_time(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	setenv("TZ", "XXX-5:30", 1);
	tzset();
	clock__add_rfc3339(&buf, 0, false);
	assert_string_equal(buf__str(&buf), "1970-01-01T05:30:00.000000+05:30");
	assert_int_equal(buf.len, CLOCK_RFC3339_COLUMNS);
	setenv("TZ", "XXX3", 1);
	tzset();
	buf__reset(&buf);
	clock__add_rfc3339(&buf, INT64_C(1700000000123456789), false);
	assert_string_equal(buf__str(&buf), "2023-11-14T19:13:20.123456-03:00");
	buf__reset(&buf);
	clock__add_rfc3339(&buf, -1, true);
	assert_string_equal(buf__str(&buf), "1969-12-31T23:59:59.999999Z");
	buf__free(&buf);
}

static void wall_clock_is_monotonic_plus_offset(void **state)
{
	int64_t before = (int64_t)time(NULL), wall, after;

	(void)state;
	wall = (int64_t)clock__monotonic_ns() + clock__wall_offset_ns();
	after = (int64_t)time(NULL);
	assert_true(wall / (int64_t)NS_PER_S >= before - 1);
	assert_true(wall / (int64_t)NS_PER_S <= after + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_bytes),
		cmocka_unit_test(shows_times),
		cmocka_unit_test(shows_counts),
		cmocka_unit_test(figures_are_rounded_right),
		cmocka_unit_test(columns_are_as_wide_as_promised),
		cmocka_unit_test(reads_durations),
		cmocka_unit_test(refuses_what_is_no_duration),
		cmocka_unit_test(reads_sizes_and_counts),
		cmocka_unit_test(own_units_are_understood),
		cmocka_unit_test(tells_the_time),
		cmocka_unit_test(wall_clock_is_monotonic_plus_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
