/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A yardstick: a profiler that has the runtime tell what gctrace's agent has it tell, and throws
 * all of it away. What it costs is what the runtime itself takes for telling, and no agent can be
 * below. Does what files in the directory LISTENER ask for, and removes each when it is done:
 *
 *	movement   tells moved and surviving ranges from now on
 *	quiet      tells nothing any more
 *	dump       one whole collection with its heap
 *
 * Built by who uses it.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "loaded.h"

#define LEVEL_INFORMATIONAL 4
/* As in agents/dotnet/session.c. */
#define KEYWORDS_COLLECTIONS 0x1
#define KEYWORDS_MOVEMENT 0x400000
#define KEYWORDS_DUMP (0x100000 | 0x80000 | 0x1000000)

static struct info *info;

static uint64_t open_session(uint64_t keywords)
{
	const struct provider_config config = {
		.name = (const uint16_t *)u"Microsoft-Windows-DotNETRuntime",
		.keywords = keywords,
		.level = LEVEL_INFORMATIONAL,
	};
	uint64_t session = 0;

	info->table->start_session(info, 1, &config, 0, &session);
	return session;
}

static bool is_asked_for(const char *what, char path[4096])
{
	const char *directory = getenv("LISTENER");

	return directory && snprintf(path, 4096, "%s/%s", directory, what) < 4096 &&
	       !access(path, F_OK);
}

static void dump(void)
{
	const uint64_t collections = open_session(KEYWORDS_COLLECTIONS);
	const uint64_t heap = open_session(KEYWORDS_DUMP);

	info->table->force_gc(info);
	info->table->stop_session(info, heap);
	info->table->stop_session(info, collections);
}

static void *listen(void *context)
{
	uint64_t collections = 0, movement = 0;
	char path[4096];

	for (;; usleep(20000)) {
		if (is_asked_for("movement", path)) {
			collections = open_session(KEYWORDS_COLLECTIONS);
			movement = open_session(KEYWORDS_MOVEMENT);
			unlink(path);
		}
		if (is_asked_for("quiet", path)) {
			info->table->stop_session(info, movement);
			info->table->stop_session(info, collections);
			unlink(path);
		}
		if (is_asked_for("dump", path)) {
			dump();
			unlink(path);
		}
	}
	return context;
}

static HRESULT loaded__begin(struct info *granted)
{
	pthread_t thread;

	info = granted;
	if (pthread_create(&thread, NULL, listen, NULL))
		return E_FAIL;
	return info->table->set_event_mask2(info, 0, HIGH_BASIC_GC | HIGH_MONITOR_EVENT_PIPE);
}
