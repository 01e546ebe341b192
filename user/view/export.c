/* SPDX-License-Identifier: BSD-2-Clause */
#include "export.h"

#include <stddef.h>
#include <string.h>

/* By name. */
#define EXPORTERS(EXPORTER)    \
	EXPORTER(dot)          \
	EXPORTER(folded)       \
	EXPORTER(heapsnapshot) \
	EXPORTER(hprof)        \
	EXPORTER(perfetto)     \
	EXPORTER(pprof)

#define DECLARED(name) extern const struct exporter export_##name;
#define ADDRESS(name) &export_##name,
#define NAME(name) #name,

EXPORTERS(DECLARED)

const struct exporter *const exporters[] = { EXPORTERS(ADDRESS) NULL };
const char *const export_names[] = { EXPORTERS(NAME) NULL };

const struct exporter *export__find(const char *name)
{
	for (size_t i = 0; exporters[i]; i++)
		if (strcmp(exporters[i]->name, name) == 0)
			return exporters[i];
	return NULL;
}
