/* SPDX-License-Identifier: BSD-2-Clause */
#include "producer.h"
#include "agents/common/emitter.h"
#include "clr.h"

#include <stdio.h>
#include <string.h>

static char version[48];

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
	snprintf(version, sizeof(version), ".NET %u.%u.%u", major, minor, build);
}

static void define(struct gctrace_writer *writer, uint32_t space, uint64_t id, const char *name)
{
	gctrace_write_define(writer, space, id, 0, 0, name, strlen(name));
}

void producer__write(struct gctrace_writer *writer)
{
	static const char *const generations[] = { "gen0", "gen1", "gen2", "LOH", "POH" };

	gctrace_write_producer(writer, "", GCTRACE_VERSION, version[0] ? version : ".NET", "");
	for (unsigned i = 0; i < sizeof(generations) / sizeof(generations[0]); i++)
		define(writer, GCTRACE_SPACE_GENERATION, i, generations[i]);
}

void producer__introduce(void)
{
	struct gctrace_writer *writer = emitter__take(0, 0);

	producer__write(writer);
	gctrace_flush(writer);
	emitter__release(writer);
}
