/* SPDX-License-Identifier: BSD-2-Clause */
#include "place.h"

const char *place__name(enum place place)
{
	static const char *const names[PLACES] = {
		[PLACE_UNKNOWN] = "UNKNOWN",   [PLACE_JIT] = "JIT",
		[PLACE_NATIVE] = "NATIVE",     [PLACE_GC] = "GC",
		[PLACE_COMPILER] = "COMPILER", [PLACE_LOADER] = "LOADER",
		[PLACE_DEBUGGER] = "DEBUGGER", [PLACE_SECURITY] = "SECURITY",
		[PLACE_PROFILER] = "PROFILER", [PLACE_BLOCKING] = "BLOCKING",
	};

	return (unsigned int)place < PLACES ? names[place] : names[PLACE_UNKNOWN];
}

const char *accuracy__name(enum accuracy accuracy)
{
	if (accuracy == ACCURACY_EXACT)
		return "EXACT";
	return accuracy == ACCURACY_POOR ? "POOR" : "NONE";
}
