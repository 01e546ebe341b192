/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/probe.h"

#include <string.h>

#define GCTRACE(name, levels, required) { PROVIDER_GCTRACE, #name, #name, levels, required }
#define HOTSPOT(name, levels, required) { PROVIDER_HOTSPOT, #name, #name, levels, required }
#define PYTHON(name) { PROVIDER_PYTHON, #name, #name, LEVEL_COLLECTIONS, true }
#define RUBY(name, required) { PROVIDER_RUBY, #name, #name, LEVEL_COLLECTIONS, required }
#define REQUEST(name) { PROVIDER_GCTRACE, "request__" #name, "request", 0, false }

const struct probe_row probe_rows[] = {
	/* A producer that packs batches looks at the other semaphores to know what to pack. */
	GCTRACE(batch, LEVEL_ALL, false),
	GCTRACE(gc__start, LEVEL_COLLECTIONS | LEVEL_POOLS | LEVEL_MOVES, true),
	GCTRACE(gc__finish, LEVEL_COLLECTIONS | LEVEL_POOLS | LEVEL_MOVES, true),
	GCTRACE(pause__begin, LEVEL_COLLECTIONS | LEVEL_MOVES | LEVEL_DUMP, false),
	GCTRACE(pause__end, LEVEL_COLLECTIONS | LEVEL_MOVES | LEVEL_DUMP, false),
	GCTRACE(moved__references, LEVEL_MOVES, false),
	GCTRACE(surviving__references, LEVEL_MOVES, false),
	GCTRACE(container__begin, LEVEL_DUMP, true),
	GCTRACE(root__references, LEVEL_DUMP, false),
	GCTRACE(object__references, LEVEL_DUMP, true),
	GCTRACE(class__define, LEVEL_DUMP | LEVEL_ALLOCATIONS, false),
	GCTRACE(object__alloc, LEVEL_ALLOCATIONS, true),
	REQUEST(dump),
	REQUEST(postpone),
	REQUEST(pause),
	/* Up for as long as the trace is. */
	{ PROVIDER_GCTRACE, "request__moves", "request", LEVEL_EXACT_MOVES, false },

	/* The pools also tell which collections there are: those of ZGC are nothing else. */
	HOTSPOT(gc__begin, LEVEL_COLLECTIONS, true),
	HOTSPOT(gc__end, LEVEL_COLLECTIONS, true),
	HOTSPOT(mem__pool__gc__begin, LEVEL_COLLECTIONS | LEVEL_POOLS, false),
	HOTSPOT(mem__pool__gc__end, LEVEL_COLLECTIONS | LEVEL_POOLS, true),
	HOTSPOT(vmops__begin, LEVEL_COLLECTIONS, false),
	HOTSPOT(vmops__end, LEVEL_COLLECTIONS, false),
	{ PROVIDER_HS_PRIVATE, "safepoint__begin", "safepoint__begin", LEVEL_COLLECTIONS, false },
	{ PROVIDER_HS_PRIVATE, "safepoint__end", "safepoint__end", LEVEL_COLLECTIONS, false },

	PYTHON(gc__start),
	PYTHON(gc__done),

	RUBY(gc__mark__begin, true),
	RUBY(gc__mark__end, true),
	RUBY(gc__sweep__begin, false),
	RUBY(gc__sweep__end, false),
};

const size_t probe_row_count = sizeof(probe_rows) / sizeof(probe_rows[0]);

bool probe__begins(const struct probe_row *row)
{
	static const char *const words[] = { "__begin", "__start" };
	size_t length = strlen(row->name);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t tail = strlen(words[i]);

		if (length > tail && strcmp(row->name + length - tail, words[i]) == 0)
			return true;
	}
	return false;
}

const char *level__name(enum level level)
{
	switch (level) {
	case LEVEL_COLLECTIONS:
		return "collections";
	case LEVEL_POOLS:
		return "pools";
	case LEVEL_MOVES:
		return "moves";
	case LEVEL_DUMP:
		return "dump";
	case LEVEL_ALLOCATIONS:
		return "allocations";
	case LEVEL_EXACT_MOVES:
		return "exact moves";
	default:
		return "several";
	}
}

unsigned int probes__levels(const struct modules *modules)
{
	unsigned int levels = 0;

	for (size_t i = 0; i < probe_row_count; i++) {
		const struct probe_row *row = &probe_rows[i];

		if (row->required &&
		    modules__find(modules, provider__name(row->provider), row->name, NULL))
			levels |= row->levels;
	}
	return levels;
}
