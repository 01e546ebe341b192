/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture.h"
#include "target/code_names.h"
#include "target/perf_map.h"
#include "target/process.h"

static void what_names_the_method_is_cut_out(void **state)
{
	static const struct {
		enum code_style style;
		const char *line, *method; /* NULL: a stub */
	} cases[] = {
		{ CODE_DOTNET, "void [App] A::Run()[QuickJitted]", "void [App] A::Run()" },
		{ CODE_DOTNET, "int32[] [App] A::B(int32[])[OptimizedTier1OSR]",
		  "int32[] [App] A::B(int32[])" },
		{ CODE_DOTNET, "int32[] [App] A::B(int32[])", "int32[] [App] A::B(int32[])" },
		{ CODE_DOTNET, "a[b]", "a[b]" },
		{ CODE_DOTNET, "[", "[" },
		{ CODE_DOTNET, "stub CreateHelper<DynamicHelper>", NULL },
		{ CODE_NODE, "JS:*work /a/b c.js:3:4", "work /a/b c.js:3:4" },
		{ CODE_NODE, "JS:~work /a/b c.js:3:4", "work /a/b c.js:3:4" },
		{ CODE_NODE, "JS:^work /a/b c.js:3:4", "work /a/b c.js:3:4" },
		{ CODE_NODE, "JS:+work /a/b c.js:3:4", "work /a/b c.js:3:4" },
		{ CODE_NODE, "LazyCompile:* /a.js:1:1", " /a.js:1:1" },
		{ CODE_NODE, "JS:work", "work" },
		{ CODE_NODE, "JS:", NULL },
		{ CODE_NODE, "JS:*", NULL },
		{ CODE_NODE, "Builtin:ArrayMap", NULL },
		{ CODE_NODE, "RegExp:a+", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *method;
		size_t len;
		const bool is_method = code_style__method(cases[i].style, cases[i].line, &method,
							  &len);

		assert_int_equal(is_method, cases[i].method != NULL);
		if (!is_method)
			continue;
		assert_int_equal(len, strlen(cases[i].method));
		assert_memory_equal(method, cases[i].method, len);
	}
}

static void a_method_has_one_number_whatever_its_code(void **state)
{
	struct code_name first, second, stub;
	struct code_names *names;
	struct process *process;
	char directory[4096], file[64];

	(void)state;
	assert_non_null(getcwd(directory, sizeof(directory)));
	snprintf(file, sizeof(file), "perf-%d.map", (int)getpid());
	assert_int_equal(process__open(getpid(), &process, NULL), 0);
	assert_int_equal(code_names__open(process, directory, CODE_DOTNET, &names, NULL), -ENOENT);
	assert_int_equal(code_names__find(names, 0x10, &first), 0);
	assert_int_equal(code_names__refresh(names), -ENOENT);
	fixture__write(file, "10 10 int32 A()[Tier0]\n20 10 int32 A()[Tier1]\n30 1 stub X\n");
	assert_int_equal(code_names__refresh(names), 0);
	assert_int_equal(code_names__find(names, 0x10, &first), 1);
	assert_int_equal(code_names__find(names, 0x2f, &second), 1);
	assert_int_equal(code_names__find(names, 0x30, &stub), 1);
	assert_int_equal(code_names__find(names, 0x31, &stub), 0);
	assert_int_equal(first.number, second.number);
	assert_int_not_equal(first.number, stub.number);
	assert_false(first.is_stub);
	assert_true(stub.is_stub);
	assert_string_equal(code_names__text(names, first.number), "int32 A()");
	assert_string_equal(code_names__text(names, stub.number), "stub X");
	assert_null(code_names__text(names, 0));
	code_names__free(names);
	code_names__free(NULL);
	process__free(process);
}

/* And names that it has are doubtful from then on: other code may be where that was. */
static void that_a_map_was_cut_is_told_once(void **state)
{
	struct buf text = BUF_INIT;
	struct code_name code;
	struct code_names *names;
	struct process *process;
	char directory[4096], file[64];

	(void)state;
	assert_non_null(getcwd(directory, sizeof(directory)));
	snprintf(file, sizeof(file), "perf-%d.map", (int)getpid());
	assert_int_equal(process__open(getpid(), &process, NULL), 0);
	buf__add_str(&text, "1000 10 JS:*work");
	buf__add_repeated(&text, '\n', PERF_MAP_LINES);
	fixture__write(file, buf__str(&text));
	fixture__listen();
	assert_int_equal(code_names__open(process, directory, CODE_NODE, &names, NULL), 0);
	assert_string_equal(fixture__said(), "");
	assert_int_equal(code_names__find(names, 0x1000, &code), 1);
	assert_false(code.is_doubtful);
	buf__add_char(&text, '\n');
	fixture__write(file, buf__str(&text));
	fixture__listen();
	assert_int_equal(code_names__refresh(names), 0);
	assert_int_equal(code_names__refresh(names), 0);
	assert_int_equal(code_names__find(names, 0x1000, &code), 1);
	assert_true(code.is_doubtful);
	buf__reset(&text);
	buf__printf(&text, "gctrace: warning: what process %d compiled last has no names: of its"
			   " perf map no more than 256 MiB and 1.00 M lines are read\n",
		    (int)getpid());
	assert_string_equal(fixture__said(), buf__str(&text));
	code_names__free(names);
	/* Whoever comes late is told as well. */
	fixture__listen();
	assert_int_equal(code_names__open(process, directory, CODE_NODE, &names, NULL), 0);
	assert_string_equal(fixture__said(), buf__str(&text));
	code_names__free(names);
	process__free(process);
	buf__free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_names_the_method_is_cut_out),
		cmocka_unit_test_setup_teardown(a_method_has_one_number_whatever_its_code,
						fixture__enter, fixture__leave),
		cmocka_unit_test_setup_teardown(that_a_map_was_cut_is_told_once,
						fixture__enter, fixture__leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
