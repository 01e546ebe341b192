/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attach/clr_knobs.h"

/* "NAME=VALUE", closed by NULL. */
static const char *get(const void *context, const char *name)
{
	const size_t len = strlen(name);

	for (const char *const *at = context; *at; at++)
		if (strncmp(*at, name, len) == 0 && (*at)[len] == '=')
			return *at + len + 1;
	return NULL;
}

static void a_knob_that_forbids_is_named(void **state)
{
	static const struct {
		const char *environment[3];
		const char *by_socket, *at_start; /* what forbids; NULL: nothing does */
	} cases[] = {
		{ { NULL }, NULL, NULL },
		{ { "DOTNET_EnableDiagnostics=0" }, "DOTNET_EnableDiagnostics=0",
		  "DOTNET_EnableDiagnostics=0" },
		{ { "COMPlus_EnableDiagnostics=0x0" }, "COMPlus_EnableDiagnostics=0x0",
		  "COMPlus_EnableDiagnostics=0x0" },
		{ { "DOTNET_EnableDiagnostics_IPC=00" }, "DOTNET_EnableDiagnostics_IPC=00", NULL },
		{ { "DOTNET_EnableDiagnostics_Profiler=0" }, "DOTNET_EnableDiagnostics_Profiler=0",
		  "DOTNET_EnableDiagnostics_Profiler=0" },
		/* The newer spelling wins. */
		{ { "COMPlus_EnableDiagnostics=0", "DOTNET_EnableDiagnostics=1" }, NULL, NULL },
		{ { "COMPlus_EnableDiagnostics=1", "DOTNET_EnableDiagnostics=0" },
		  "DOTNET_EnableDiagnostics=0", "DOTNET_EnableDiagnostics=0" },
		/* What is no number, or another one, is the default. */
		{ { "DOTNET_EnableDiagnostics=" }, NULL, NULL },
		{ { "DOTNET_EnableDiagnostics=no" }, NULL, NULL },
		{ { "DOTNET_EnableDiagnostics=10" }, NULL, NULL },
		{ { "EnableDiagnostics=0" }, NULL, NULL },
		/* It may hold anything. */
		{ { "DOTNET_EnableDiagnostics=0\x1b[2J" }, "DOTNET_EnableDiagnostics=0\\x1b[2J",
		  "DOTNET_EnableDiagnostics=0\\x1b[2J" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		const char *want = i % 2 ? cases[i / 2].at_start : cases[i / 2].by_socket;
		struct buf setting = BUF_INIT;

		assert_int_equal(clr_knobs__forbid(get, cases[i / 2].environment,
						   i % 2 ? CLR_AT_START : CLR_BY_SOCKET,
						   &setting),
				 want != NULL);
		assert_string_equal(buf__str(&setting), want ? want : "");
		buf__free(&setting);
	}
}

#define OURS "/lib/agent.so={67637472-6163-6500-8000-646f746e6574};"

static void profilers_that_are_listed_are_kept(void **state)
{
	static const struct {
		const char *environment[3];
		const char *want;
	} cases[] = {
		{ { NULL }, OURS },
		{ { "CORECLR_ENABLE_NOTIFICATION_PROFILERS=1" }, OURS },
		{ { "CORECLR_ENABLE_NOTIFICATION_PROFILERS=1",
		    "CORECLR_NOTIFICATION_PROFILERS=/a=b" }, "/a=b;" OURS },
		{ { "CORECLR_ENABLE_NOTIFICATION_PROFILERS=1",
		    "CORECLR_NOTIFICATION_PROFILERS=/a=b;/c=d;" }, "/a=b;/c=d;" OURS },
		{ { "CORECLR_ENABLE_NOTIFICATION_PROFILERS=1",
		    "CORECLR_NOTIFICATION_PROFILERS=" }, OURS },
		/* Those that were not enabled stay out. */
		{ { "CORECLR_ENABLE_NOTIFICATION_PROFILERS=0",
		    "CORECLR_NOTIFICATION_PROFILERS=/a=b;" }, OURS },
		{ { "CORECLR_NOTIFICATION_PROFILERS=/a=b;" }, OURS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf value = BUF_INIT;

		assert_int_equal(clr_knobs__add_profiler(get, cases[i].environment,
							 "/lib/agent.so", &value), 0);
		assert_string_equal(buf__str(&value), cases[i].want);
		buf__free(&value);
	}
}

static void a_path_that_breaks_the_list_is_refused(void **state)
{
	static const char *const none[] = { NULL };
	struct buf value = BUF_INIT;

	(void)state;
	assert_int_equal(clr_knobs__add_profiler(get, none, "/a;b", &value), -EINVAL);
	assert_int_equal(clr_knobs__add_profiler(get, none, "/a=b", &value), -EINVAL);
	assert_int_equal(value.len, 0);
	buf__free(&value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_knob_that_forbids_is_named),
		cmocka_unit_test(profilers_that_are_listed_are_kept),
		cmocka_unit_test(a_path_that_breaks_the_list_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
