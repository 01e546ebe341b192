/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/clr_knobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agents/dotnet/contract.h"
#include "base/escape.h"

/* As the runtime reads a number: hexadecimal, and nothing where it is none. */
static bool is_zero(const char *value)
{
	char *end;

	return strtoul(value, &end, 16) == 0 && end != value;
}

/* Either spelling; the newer one counts where both are there. */
static bool is_off(clr_getenv *get, const void *context, const char *knob, struct buf *setting)
{
	static const char *const spellings[] = { "DOTNET_", "COMPlus_" };

	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
		struct buf name = BUF_INIT;
		const char *value;

		buf__printf(&name, "%s%s", spellings[i], knob);
		value = get(context, buf__str(&name));
		if (value && is_zero(value))
			buf__printf(setting, "%s=%s", buf__str(&name), escape(value));
		buf__free(&name);
		if (value)
			return is_zero(value);
	}
	return false;
}

bool clr_knobs__forbid(clr_getenv *get, const void *context, enum clr_way way, struct buf *setting)
{
	return is_off(get, context, "EnableDiagnostics", setting) ||
	       (way == CLR_BY_SOCKET &&
		is_off(get, context, "EnableDiagnostics_IPC", setting)) ||
	       is_off(get, context, "EnableDiagnostics_Profiler", setting);
}

/* Entries "PATH={CLSID};": without the last semicolon .NET 9 and 10 drop the last entry. */
int clr_knobs__add_profiler(clr_getenv *get, const void *context, const char *library,
			    struct buf *value)
{
	const char *enabled = get(context, "CORECLR_ENABLE_NOTIFICATION_PROFILERS");
	const char *listed = get(context, "CORECLR_NOTIFICATION_PROFILERS");

	if (strpbrk(library, "=;"))
		return -EINVAL;
	/* What is listed, but not enabled, is to stay out. */
	if (enabled && !is_zero(enabled) && listed && *listed)
		buf__printf(value, "%s%s", listed,
			    listed[strlen(listed) - 1] == ';' ? "" : ";");
	buf__printf(value, "%s=%s;", library, GCTRACE_DOTNET_CLSID);
	return value->error;
}
