/* SPDX-License-Identifier: BSD-2-Clause */
#include "sighting.h"

#include <string.h>

bool sighting_doing__runs(const struct sighting_doing *doing)
{
	return doing->state && strcmp(doing->state, "running") == 0;
}

const char *sighting__field_name(enum sighting_field field)
{
	static const char *const names[SIGHTING_FIELDS] = {
		[SIGHTING_PLACE] = "location",	 [SIGHTING_METHOD] = "method",
		[SIGHTING_PC] = "pc_offset",	 [SIGHTING_STACK] = "stack",
		[SIGHTING_REGISTERS] = "ip",
	};

	return names[field];
}
