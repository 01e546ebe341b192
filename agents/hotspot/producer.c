/* SPDX-License-Identifier: BSD-2-Clause */
#include "producer.h"
#include "addresses.h"
#include "agents/common/emitter.h"
#include "fault.h"
#include "vm.h"

#include <stddef.h>
#include <stdio.h>

static char version[128];

void producer__learn(void)
{
	char *text = vm__property("java.vm.version");

	snprintf(version, sizeof(version), "%s", text ? text : "");
	vm__free(NULL, text);
}

/* What is unusual is said with the version, which stands above all that gctrace shows. */
void producer__write(struct gctrace_writer *writer)
{
	char text[sizeof(version) + 160];

	snprintf(text, sizeof(text), "%s%s%s%s", version,
		 addresses.are_known ? "" : ", objects named by tags",
		 fault.what ? "; not all is told: " : "", fault.what ? fault.what : "");
	gctrace_write_producer(writer, "", text, "HotSpot", "");
}

void producer__introduce(void)
{
	struct gctrace_writer *writer = emitter__take(0, 0);

	producer__write(writer);
	gctrace_flush(writer);
	emitter__release(writer);
}
