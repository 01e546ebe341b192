/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc/PID/maps: what a process has mapped where.
 *
 * The target chooses the paths: any bytes, any length, "(deleted)" at their end or newlines
 * (which the kernel writes as \012) in them, and how many there are. So the text is taken in as a
 * stream, within limits, and a path is a hint for people and for opening; what file it was is known
 * by device and inode alone.
 */
#ifndef GCTRACE_TARGET_MAPS_H
#define GCTRACE_TARGET_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"

struct process;

/* Of one process. Linux allows 65,530 mappings unless vm.max_map_count was raised. */
#define MAPS_MOST 1000000u
#define MAPS_TEXT_MOST (64u << 20)
#define MAPS_PATH_MOST (256u << 10)
#define MAPS_PATHS_MOST (16u << 20)

struct map {
	uint64_t start, end;     /* addresses, start < end */
	uint64_t offset;         /* of start in the file */
	uint32_t major, minor;   /* device, as the kernel shows it here */
	uint64_t inode;          /* 0: no file */
	bool read, write, execute, shared;
	bool deleted;            /* the path ended in " (deleted)", which is cut off */
	bool first_of_file;      /* the first executable mapping of its file */
	const char *path;        /* closed by a 0; "" when the kernel shows none */
	size_t path_len;
};

/* Entries in ascending order of address, and the text that their paths lie in. */
struct maps {
	struct map *entries;
	size_t count;
	size_t malformed;        /* lines that were no mapping, and were left out */
	size_t left_out;         /* mappings whose path is too long: it is "" */
	bool is_cut;             /* there are more than the limits allow */
	char *text;
};

#define MAPS_INIT { NULL, 0, 0, 0, false, NULL }

/* From text in memory; text is copied. 0 or -ENOMEM. */
int maps__parse(struct maps *maps, const char *text, size_t len);

/*
 * Of a process; paths as it sees them (process__path). 0 or negative errno (-ESRCH: gone; -EACCES:
 * no right to look; -ETIMEDOUT: reader.h). A limit that was hit is warned of once.
 */
int maps__read(struct maps *maps, const struct process *process);

void maps__free(struct maps *maps);

/* The mapping that holds an address, or NULL. */
const struct map *maps__at(const struct maps *maps, uint64_t address);

/*
 * The first executable mapping of each distinct file (device and inode), in order of
 * address: call with NULL first, then with what was returned; NULL at the end.
 */
const struct map *maps__next_file(const struct maps *maps, const struct map *last);

/* Is there a file mapped whose path's last component begins with prefix? The first, or NULL. */
const struct map *maps__named(const struct maps *maps, const char *prefix);

#endif
