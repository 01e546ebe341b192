/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Perf maps: the text files in which compilers at run time tell profilers what they compiled where
 * (/tmp/perf-PID.map; Linux: tools/perf/Documentation/jit-interface.txt). A line is
 *
 *	START SIZE NAME
 *
 * with both numbers in base 16, with or without 0x (.NET writes it, Node and HotSpot do not), and
 * a name that may have blanks in it. Lines are added as code is compiled, never taken back: code
 * that was thrown away stays listed, and what came into its place follows further below. So where
 * lines overlap, the later one is right, and an earlier one only for what is left of it.
 *
 * The file is the target's, in a directory that anybody may write to. It counts only where it
 * belongs to the user that the process runs as, or to root, and was written since the process began
 * (in a container every program is pid 1, and files stay). Its text is hostile: what is no such
 * line is counted and left out, a name is cut at no length but that of the file, and a file
 * beyond PERF_MAP_MOST bytes or PERF_MAP_LINES lines is read up to there, which perf_map__is_cut()
 * tells: a line of 6 bytes becomes up to two pieces, each of which takes four times as much.
 */
#ifndef GCTRACE_TARGET_PERF_MAP_H
#define GCTRACE_TARGET_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"

/* A million methods have about 150 MB. */
#define PERF_MAP_MOST ((uint64_t)256 << 20)
#define PERF_MAP_LINES 1000000

struct perf_map;
struct process;

/* What is at an address. The name: unescaped, closed by a 0, valid until the map is changed. */
struct perf_code {
	uint64_t start, end; /* of what no later line has taken */
	const char *name;
};

/* An empty map, which text is added to (tests, fuzzing). NULL: no memory. */
struct perf_map *perf_map__new(void);

/*
 * The map of a process, which must outlive it, with all that is in it by now. directory: where its
 * runtime writes it, as the process sees it; NULL: /tmp. 0, or negative errno and the reason in
 * why (NULL: not wanted):
 *   -ENOENT  there is none
 *   -EPERM   it is somebody else's
 *   -ESTALE  it is older than the process
 *   or what opening and reading gave.
 */
int perf_map__open(const struct process *process, const char *directory, struct perf_map **map,
		   struct buf *why);
void perf_map__free(struct perf_map *map);

/*
 * Read what was added since. The file may have been made anew: then what is known of the old one
 * goes. 0 or negative errno; what was known stays then.
 */
int perf_map__refresh(struct perf_map *map);

/*
 * The next piece of the text: whole lines count at once, the beginning of one waits for its end.
 * 0 or -ENOMEM. Once it is cut, nothing counts any more.
 */
int perf_map__add(struct perf_map *map, const char *text, size_t len);

/* Is there code at the address? */
bool perf_map__find(const struct perf_map *map, uint64_t address, struct perf_code *code);

/* Pieces of code, none of which overlap; the one at an index below this, by address. */
size_t perf_map__count(const struct perf_map *map);
void perf_map__at(const struct perf_map *map, size_t index, struct perf_code *code);

/* Lines that were none, so far; was something beyond the limit left out? */
uint64_t perf_map__malformed(const struct perf_map *map);
bool perf_map__is_cut(const struct perf_map *map);

#endif
