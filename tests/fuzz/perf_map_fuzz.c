/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any text as a perf map, in two pieces: what comes out is in order, overlaps nowhere, and is the
 * same as when it comes at once.
 */
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "target/perf_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct perf_map *map, size_t lines)
{
	struct perf_code code, found;
	uint64_t last = 0;

	CHECK(perf_map__malformed(map) <= lines);
	CHECK(perf_map__count(map) <= 2 * (lines - perf_map__malformed(map)));
	for (size_t i = 0; i < perf_map__count(map); i++) {
		perf_map__at(map, i, &code);
		CHECK(code.start >= last && code.start < code.end && code.name[0]);
		CHECK(perf_map__find(map, code.start, &found) && found.start == code.start);
		CHECK(perf_map__find(map, code.end - 1, &found) && found.end == code.end);
		last = code.end;
	}
}

static void compare(const struct perf_map *a, const struct perf_map *b)
{
	CHECK(perf_map__malformed(a) == perf_map__malformed(b));
	for (size_t i = 0; i < perf_map__count(a); i++) {
		struct perf_code mine, other;

		perf_map__at(a, i, &mine);
		CHECK(perf_map__find(b, mine.start, &other));
		CHECK(strcmp(mine.name, other.name) == 0);
		CHECK(perf_map__find(b, mine.end - 1, &other));
		CHECK(strcmp(mine.name, other.name) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_map *at_once = perf_map__new(), *in_two = perf_map__new();
	const char *text = (const char *)data;
	size_t lines = 0;

	CHECK(at_once && in_two);
	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	CHECK(perf_map__add(at_once, text, size) == 0);
	CHECK(perf_map__add(in_two, text, size / 2) == 0);
	CHECK(perf_map__add(in_two, text + size / 2, size - size / 2) == 0);
	look(at_once, lines);
	look(in_two, lines);
	compare(at_once, in_two);
	compare(in_two, at_once);
	perf_map__free(at_once);
	perf_map__free(in_two);
	return 0;
}
