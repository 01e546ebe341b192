/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as /proc/PID/maps: nothing is read outside of it, and what comes out makes sense. */
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "target/maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t lines = 0, files = 0;
	struct maps maps;

	if (maps__parse(&maps, (const char *)data, size))
		return 0;
	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n' || i + 1 == size;
	CHECK(maps.count + maps.malformed == lines);
	for (size_t i = 0; i < maps.count; i++) {
		const struct map *map = &maps.entries[i];

		CHECK(map->start < map->end);
		CHECK(map->path[map->path_len] == '\0');
		CHECK(memchr(map->path, '\n', map->path_len) == NULL ||
		      map->path_len < size);
		CHECK(i == 0 || maps.entries[i - 1].start <= map->start);
		files += map->first_of_file;
	}
	for (const struct map *map = NULL; (map = maps__next_file(&maps, map));)
		CHECK(files-- > 0);
	CHECK(files == 0);
	(void)maps__at(&maps, size);
	(void)maps__named(&maps, "lib");
	maps__free(&maps);
	return 0;
}
