/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout (of HotSpot since 5; little-endian here, as the machine is):
 *
 *   prologue  ca fe c0 c0, byte order (1: little), major version 2, minor, accessible (0 while
 *             the JVM starts), i32 bytes used, i32 overflow, i64 time of change,
 *             i32 offset of the first entry, i32 number of entries
 *   entry     i32 length of the entry, i32 offset of its name, i32 elements of a vector (0:
 *             a scalar), u8 type ('J' long, 'B' byte), u8 flags, u8 units, u8 variability,
 *             i32 offset of the data; offsets are from the entry's beginning
 *
 * Names and strings are closed by a 0. Entries are added while the JVM runs, never removed.
 */
#include "hsperf.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/refuse.h"
#include "maps.h"
#include "process.h"
#include "reader.h"
#include "semaphore.h"

#define LIMIT ((size_t)4 << 20)  /* HotSpot allows 2 MiB */
#define MAJOR_VERSION 2

struct prologue {
	unsigned char magic[4];
	unsigned char byte_order, major, minor, accessible;
	int32_t used, overflow;
	int64_t modified;
	int32_t entry_offset, entry_count;
};

struct entry {
	int32_t length, name_offset, vector_length;
	unsigned char type, flags, units, variability;
	int32_t data_offset;
};

_Static_assert(sizeof(struct prologue) == 32, "as HotSpot writes it");
_Static_assert(sizeof(struct entry) == 20, "as HotSpot writes it");

struct hsperf {
	int memory_fd;           /* -1: from bytes */
	pid_t pid;               /* whose memory it is */
	uint64_t address;
	char *bytes, *spare;     /* size each: the copy, and where the next one is made */
	size_t size;
};

/* An entry checked: what it says lies in it. */
struct counter {
	const char *name;
	unsigned char type;
	const char *data;
	size_t data_len;         /* bytes */
	bool vector;
};

static int check(const char *bytes, size_t size, struct buf *why)
{
	static const unsigned char magic[4] = { 0xca, 0xfe, 0xc0, 0xc0 };
	struct prologue p;

	if (size < sizeof(p))
		return refuse(why, -EINVAL, "the JVM's performance counters are cut off");
	memcpy(&p, bytes, sizeof(p));
	if (memcmp(p.magic, magic, sizeof(magic)) != 0)
		return refuse(why, -EINVAL, "the JVM's performance counters do not begin as they"
			      " should (ca fe c0 c0)");
	if (!p.accessible)
		return refuse(why, -ENOENT, "the JVM is still making its performance counters");
	if (p.byte_order != 1 || p.major != MAJOR_VERSION)
		return refuse(why, -EINVAL, "the JVM's performance counters are of an unknown"
			      " version");
	if (p.entry_offset < (int32_t)sizeof(p) || (size_t)p.entry_offset > size ||
	    p.entry_count < 0)
		return refuse(why, -EINVAL, "the JVM's performance counters contradict"
			      " themselves");
	return 0;
}

/* The entry at *offset, which is moved behind it. False: no more, or none that makes sense. */
static bool next_counter(const struct hsperf *hsperf, size_t *offset, struct counter *counter)
{
	const char *base;
	struct entry e;
	size_t length;

	if (*offset > hsperf->size || hsperf->size - *offset < sizeof(e))
		return false;
	base = hsperf->bytes + *offset;
	memcpy(&e, base, sizeof(e));
	if (e.length < (int32_t)sizeof(e) || (size_t)e.length > hsperf->size - *offset)
		return false;
	length = (size_t)e.length;
	if (e.name_offset < (int32_t)sizeof(e) || (size_t)e.name_offset >= length ||
	    e.data_offset < (int32_t)sizeof(e) || (size_t)e.data_offset >= length)
		return false;
	counter->name = base + e.name_offset;
	if (!memchr(counter->name, '\0', length - (size_t)e.name_offset))
		return false;
	counter->type = e.type;
	counter->data = base + e.data_offset;
	counter->data_len = length - (size_t)e.data_offset;
	counter->vector = e.vector_length > 0;
	if (counter->vector && (size_t)e.vector_length < counter->data_len)
		counter->data_len = (size_t)e.vector_length;
	*offset += length;
	return true;
}

static bool find(const struct hsperf *hsperf, const char *name, struct counter *counter)
{
	struct prologue p;
	size_t offset;

	memcpy(&p, hsperf->bytes, sizeof(p));
	offset = (size_t)p.entry_offset;
	for (int32_t i = 0; i < p.entry_count; i++) {
		if (!next_counter(hsperf, &offset, counter))
			return false;
		if (strcmp(counter->name, name) == 0)
			return true;
	}
	return false;
}

static int read_memory(pid_t pid, int fd, uint64_t address, char *bytes, size_t size)
{
	const ssize_t n = reader__pread(pid, fd, bytes, size, address);

	if (n == (ssize_t)size)
		return 0;
	/* EIO: nothing is mapped there any more. */
	return n < 0 && n != -EIO ? (int)n : -ESRCH;
}

int hsperf__refresh(struct hsperf *hsperf)
{
	char *old = hsperf->bytes;
	int err;

	if (hsperf->memory_fd < 0)
		return 0;
	err = read_memory(hsperf->pid, hsperf->memory_fd, hsperf->address, hsperf->spare,
			  hsperf->size);
	if (!err)
		err = check(hsperf->spare, hsperf->size, NULL);
	if (err)
		return err == -ENOENT ? -EINVAL : err;
	hsperf->bytes = hsperf->spare;
	hsperf->spare = old;
	return 0;
}

static struct hsperf *hsperf__new(size_t size)
{
	struct hsperf *hsperf = calloc(1, sizeof(*hsperf));

	if (!hsperf)
		return NULL;
	hsperf->memory_fd = -1;
	hsperf->size = size;
	hsperf->bytes = malloc(size + 1);
	hsperf->spare = malloc(size + 1);
	if (hsperf->bytes && hsperf->spare)
		return hsperf;
	hsperf__free(hsperf);
	return NULL;
}

void hsperf__free(struct hsperf *hsperf)
{
	if (!hsperf)
		return;
	if (hsperf->memory_fd >= 0)
		close(hsperf->memory_fd);
	free(hsperf->bytes);
	free(hsperf->spare);
	free(hsperf);
}

int hsperf__from_bytes(const void *bytes, size_t len, struct hsperf **out, struct buf *why)
{
	int err = check(bytes, len, why);
	struct hsperf *hsperf;

	*out = NULL;
	if (err)
		return err;
	if (len > LIMIT)
		return refuse(why, -EFBIG, "the JVM's performance counters are larger than 4 MiB");
	hsperf = hsperf__new(len);
	if (!hsperf)
		return -ENOMEM;
	memcpy(hsperf->bytes, bytes, len);
	*out = hsperf;
	return 0;
}

/* ".../hsperfdata_USER/PID" */
static bool is_hsperfdata(const struct map *map)
{
	static const char prefix[] = "/hsperfdata_";
	const char *at = memmem(map->path, map->path_len, prefix, strlen(prefix));

	return at && map->inode && map->shared && map->read && map->offset == 0;
}

static int open_map(const struct process *process, const struct map *map, struct hsperf **out,
		    struct buf *why)
{
	struct hsperf *hsperf;
	int err;

	if (map->end - map->start > LIMIT)
		return refuse(why, -EFBIG, "the JVM's performance counters are larger than 4 MiB");
	hsperf = hsperf__new((size_t)(map->end - map->start));
	if (!hsperf)
		return -ENOMEM;
	hsperf->address = map->start;
	hsperf->pid = process->pid;
	hsperf->memory_fd = semaphore__open_memory(process);
	if (hsperf->memory_fd < 0)
		err = refuse(why, hsperf->memory_fd, "the JVM's performance counters cannot be"
			     " read without CAP_SYS_PTRACE");
	else
		err = read_memory(hsperf->pid, hsperf->memory_fd, map->start, hsperf->bytes,
				  hsperf->size);
	if (!err)
		err = check(hsperf->bytes, hsperf->size, why);
	if (err)
		hsperf__free(hsperf);
	else
		*out = hsperf;
	return err;
}

int hsperf__open_maps(const struct process *process, const struct maps *maps,
		      struct hsperf **out, struct buf *why)
{
	*out = NULL;
	for (size_t i = 0; i < maps->count; i++)
		if (is_hsperfdata(&maps->entries[i]))
			return open_map(process, &maps->entries[i], out, why);
	return refuse(why, -ENOENT, "the JVM shares no performance counters (-XX:-UsePerfData,"
		      " -XX:+PerfDisableSharedMem, or it has just started)");
}

int hsperf__open(const struct process *process, struct hsperf **out, struct buf *why)
{
	struct maps maps;
	int err = maps__read(&maps, process);

	*out = NULL;
	if (!err)
		err = hsperf__open_maps(process, &maps, out, why);
	maps__free(&maps);
	return err;
}

int hsperf__u64(const struct hsperf *hsperf, const char *name, uint64_t *value)
{
	struct counter counter;

	if (!find(hsperf, name, &counter) || counter.type != 'J' || counter.vector ||
	    counter.data_len < sizeof(*value))
		return -ENOENT;
	memcpy(value, counter.data, sizeof(*value));
	return 0;
}

const char *hsperf__string(const struct hsperf *hsperf, const char *name)
{
	struct counter counter;

	if (!find(hsperf, name, &counter) || counter.type != 'B' || !counter.vector ||
	    !memchr(counter.data, '\0', counter.data_len))
		return NULL;
	return counter.data;
}

uint64_t hsperf__string_address(const struct hsperf *hsperf, const char *name)
{
	struct counter counter;

	if (hsperf->memory_fd < 0 || !find(hsperf, name, &counter) || counter.type != 'B' ||
	    !counter.vector)
		return 0;
	return hsperf->address + (uint64_t)(counter.data - hsperf->bytes);
}

/* Of a collector that stops the program: what its counters are of. NULL: of another one. */
static const char *stop_word(const char *name)
{
	static const char *const words[][2] = {
		{ " young collection pauses", "young collection" },
		{ " full collection pauses", "full collection" },
		{ " concurrent cycle pauses", "pause of a concurrent cycle" },
	};

	for (size_t i = 0; name && i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i][0]))
			return words[i][1];
	return NULL;
}

static bool counter_of(const struct hsperf *hsperf, size_t collector, const char *what,
		       uint64_t *value)
{
	char name[64];

	snprintf(name, sizeof(name), "sun.gc.collector.%zu.%s", collector, what);
	return hsperf__u64(hsperf, name, value) == 0;
}

const char *hsperf__in_progress(const struct hsperf *hsperf, uint64_t *since_ns)
{
	uint64_t frequency, entry, exit, latest = 0;
	const char *found = NULL, *word;
	char name[64];

	if (hsperf__u64(hsperf, "sun.os.hrt.frequency", &frequency) || frequency == 0)
		return NULL;
	for (size_t i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "sun.gc.collector.%zu.name", i);
		word = stop_word(hsperf__string(hsperf, name));
		if (!word || !counter_of(hsperf, i, "lastEntryTime", &entry) ||
		    !counter_of(hsperf, i, "lastExitTime", &exit) || entry <= exit ||
		    entry < latest)
			continue;
		latest = entry;
		found = word;
	}
	*since_ns = (uint64_t)((double)latest * 1e9 / (double)frequency);
	return found;
}

/* Beginnings of names that the collectors give to their counters, 17 to 25. */
static const struct {
	const char *prefix, *name;
} collectors[] = {
	{ "G1 ", "G1" },
	{ "Parallel ", "Parallel" },
	{ "Serial ", "Serial" },
	{ "ZGC ", "ZGC" },
	{ "Z ", "ZGC" },
	{ "Shenandoah ", "Shenandoah" },
};

static const char *collector_of(const char *counter)
{
	for (size_t i = 0; counter && i < sizeof(collectors) / sizeof(collectors[0]); i++)
		if (strncmp(counter, collectors[i].prefix, strlen(collectors[i].prefix)) == 0)
			return collectors[i].name;
	return NULL;
}

const char *hsperf__collector(const struct hsperf *hsperf)
{
	static const char *const names[] = {
		"sun.gc.collector.0.name", "sun.gc.collector.1.name", "sun.gc.collector.2.name",
	};
	const char *arguments = hsperf__string(hsperf, "java.rt.vmArgs");
	const char *found = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !found; i++)
		found = collector_of(hsperf__string(hsperf, names[i]));
	/* It never collects, and has no counters. */
	if (!found && arguments && strstr(arguments, "-XX:+UseEpsilonGC"))
		found = "Epsilon";
	return found;
}
