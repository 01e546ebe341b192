/* SPDX-License-Identifier: BSD-2-Clause */
#include "producer.h"
#include "agents/common/define.h"
#include "agents/common/emitter.h"
#include "clr.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char version[48];
static const char *_Atomic collector = ""; /* empty: not known yet */

void producer__learn(void)
{
	uint16_t instance, major = 0, minor = 0, build = 0, qfe;
	int32_t type;

	if (CLR_CALL(get_runtime_information, &instance, &type, &major, &minor, &build, &qfe, 0,
		     NULL, NULL) < 0)
		return;
	clr.major = major;
	clr.minor = minor;
	clr.build = build;
	snprintf(version, sizeof(version), "%u.%u.%u", major, minor, build);
}

/* Of a thread of this process; empty where there is none any more. */
static void name_of_thread(const char *thread, char name[32])
{
	char path[sizeof("/proc/self/task//comm") + NAME_MAX];

	name[0] = '\0';
	snprintf(path, sizeof(path), "/proc/self/task/%s/comm", thread);

	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? 0 : read(fd, name, 31);

	name[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/*
 * The server collector has threads of its own from its start on. The finalizer's, which is always
 * there, is started when the collector is ready.
 */
static const char *tell_by_threads(DIR *tasks)
{
	const char *found = "";
	char name[32];

	for (const struct dirent *task; (task = readdir(tasks));) {
		name_of_thread(task->d_name, name);
		if (begins(name, ".NET Server GC"))
			return "server";
		if (begins(name, ".NET Finalizer"))
			found = "workstation";
	}
	return found;
}

bool producer__learn_collector(void)
{
	DIR *tasks;

	if (*atomic_load(&collector))
		return true;
	tasks = opendir("/proc/self/task");
	if (!tasks)
		return false;
	atomic_store(&collector, tell_by_threads(tasks));
	closedir(tasks);
	return *atomic_load(&collector);
}

static const char *const generations[] = { "gen0", "gen1", "gen2", "LOH", "POH" };

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

const char *producer__generation(unsigned generation)
{
	return generations[generation];
}

/* What a collection is called by what it condemns: as .NET calls it. */
static void define_collections(struct gctrace_writer *writer)
{
	define__name(writer, GCTRACE_SPACE_COLLECTION, 0x1, "gen0");
	define__name(writer, GCTRACE_SPACE_COLLECTION, 0x3, "gen1");
	define__name(writer, GCTRACE_SPACE_COLLECTION, 0x1f, "gen2");
	define__name(writer, GCTRACE_SPACE_COLLECTION, 0x1c, "gen2"); /* a background one */
}

void producer__write(struct gctrace_writer *writer)
{
	gctrace_write_producer(writer, "", version, ".NET", atomic_load(&collector));
	for (unsigned i = 0; i < LENGTH(generations); i++)
		define__name(writer, GCTRACE_SPACE_GENERATION, i, generations[i]);
	define_collections(writer);
}

void producer__introduce(void)
{
	struct gctrace_writer *writer = emitter__take(0, 0);

	producer__write(writer);
	gctrace_flush(writer);
	emitter__release(writer);
}

/* The runtime's gc_reason. */
static const struct {
	uint32_t number; /* 0: our own */
	const char *name;
} reasons[] = {
	[0] = { GCTRACE_REASON_ALLOCATION, NULL },
	[1] = { GCTRACE_REASON_EXPLICIT, NULL },
	[2] = { GCTRACE_REASON_LOW_MEMORY, NULL },
	[3] = { 0, "empty" },
	[4] = { GCTRACE_REASON_LARGE, NULL },
	[5] = { 0, "out of space for small objects" },
	[6] = { 0, "out of space for large objects" },
	[7] = { 0, "explicit, not forced" },
	[8] = { 0, "stress" },
	[9] = { 0, "low memory, blocking" },
	[10] = { 0, "explicit, compacting" },
	[11] = { 0, "low memory of the host" },
	[12] = { 0, "provisional mode" },
	[13] = { 0, "low memory of the host, blocking" },
	[14] = { 0, "background tuning, small objects" },
	[15] = { 0, "background tuning, large objects" },
	[16] = { 0, "background stepping" },
	[17] = { 0, "explicit, aggressive" },
};

uint32_t producer__reason(uint32_t reason)
{
	if (reason >= LENGTH(reasons))
		return GCTRACE_REASON_UNKNOWN;
	return reasons[reason].number ? reasons[reason].number : GCTRACE_REASON_OWN + reason;
}

void producer__define_reason(struct gctrace_writer *writer, uint32_t reason)
{
	if (reason >= GCTRACE_REASON_OWN)
		define__name(writer, GCTRACE_SPACE_REASON, reason,
		       reasons[reason - GCTRACE_REASON_OWN].name);
}

void producer__define_why(struct gctrace_writer *writer, uint64_t why)
{
	if (why == WHY_SURVIVORS)
		define__name(writer, GCTRACE_SPACE_WHY, why, "survivors");
	else if (why == WHY_BACKGROUND)
		define__name(writer, GCTRACE_SPACE_WHY, why, "background collection");
}
