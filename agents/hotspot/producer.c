/* SPDX-License-Identifier: BSD-2-Clause */
#include "producer.h"
#include "agents/common/emitter.h"
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

void producer__write(struct gctrace_writer *writer)
{
	gctrace_write_producer(writer, "", version, "HotSpot", "");
}

void producer__introduce(void)
{
	struct gctrace_writer *writer = emitter__take(0, 0);

	producer__write(writer);
	gctrace_flush(writer);
	emitter__release(writer);
}
