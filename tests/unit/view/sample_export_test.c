/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of threads as folded stacks and as a profile: what is counted together, names that the
 * formats give a meaning, and samples of which little is known. What pprof makes of the profile is
 * tests/e2e/sample.sh's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "model/call_stacks.h"
#include "view/sample.h"

enum { OUTER = 1, INNER, NATIVE, METHODS = NATIVE };

static const struct sighting_doing runs = { .state = "running" };
static const struct sighting_doing waits = { "waiting", "futex", "lock" };

struct case_of {
	struct call_stacks *stacks;
	struct sampling sampling;
	uint32_t stack;
};

static void add(struct case_of *of, uint32_t tid, const char *name, uint32_t stack,
		struct sighting_doing doing)
{
	const struct sighting sighting = {
		.pid = 1,
		.tid = tid,
		.name = text__of(name),
		.stack = stack,
		.method = stack ? INNER : 0,
		.doing = doing,
	};

	assert_int_equal(sampling__add(&of->sampling, &sighting), 0);
}

static void begin(struct case_of *of)
{
	static const char *const names[METHODS] = { "#Outer;run", "a b\x1b[31m", "f (libc.so)" };
	const uint32_t frames[] = { NATIVE, INNER, OUTER };
	uint32_t method;
	bool is_new;

	*of = (struct case_of){ .stacks = call_stacks__new(),
				.sampling = { .counts_stacks = true } };
	for (unsigned int i = 0; i < METHODS; i++) {
		assert_int_equal(call_stacks__method(of->stacks, METHOD_MANAGED, i, &method,
						     &is_new), 0);
		assert_int_equal(call_stacks__set_name(of->stacks, method, text__of(names[i])), 0);
	}
	assert_int_equal(call_stacks__stack(of->stacks, frames, METHODS, &of->stack), 0);
	add(of, 7, "#pool", of->stack, runs);
	add(of, 7, "#pool", of->stack, runs);
	add(of, 7, "#pool", of->stack, waits);
	add(of, 8, "#pool", of->stack, runs); /* of the same name: in one line */
	add(of, 9, "late", 0, runs);
	sampling__sweep(&of->sampling, 1000, 1010, 0);
	sampling__sweep(&of->sampling, 3000, 3010, 0);
}

static void end(struct case_of *of)
{
	sampling__free(&of->sampling);
	call_stacks__free(of->stacks);
}

static void expect_folded(const struct case_of *of, enum sample_chosen chosen, const char *expected)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(sample_export__write_folded(&of->sampling, of->stacks, chosen, out), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
	free(text);
}

#define STACK "\\x23pool;#Outer\\x3brun;a b\\x1b[31m;f (libc.so)"

static void what_is_alike_is_one_line(void **state)
{
	struct case_of of;

	(void)state;
	begin(&of);
	assert_int_equal(of.sampling.stacks.of.count, 4);
	expect_folded(&of, SAMPLE_ALL, STACK " 4\nlate;(not known) 1\n");
	expect_folded(&of, SAMPLE_RUNNING, STACK " 3\nlate;(not known) 1\n");
	expect_folded(&of, SAMPLE_WAITING, STACK " 1\n");
	end(&of);
}

/* The frames within would be taken for the thread. */
static void a_thread_may_have_no_name(void **state)
{
	struct case_of of;

	(void)state;
	begin(&of);
	add(&of, 10, "", of.stack, waits);
	expect_folded(&of, SAMPLE_WAITING,
		      "(no name);#Outer\\x3brun;a b\\x1b[31m;f (libc.so) 1\n" STACK " 1\n");
	end(&of);
}

/* Unpacked; it is the next call's, too. */
static char *profile_of(const struct case_of *of, uint64_t interval_ns, unsigned int fields,
			size_t *len)
{
	const struct sample_heading heading = { .pid = 1, .name = text__of("app"),
						.interval_ns = interval_ns, .fields = fields };
	static char plain[65536];
	z_stream zlib = { .avail_in = 0 };
	char *packed;
	size_t bytes;
	FILE *out = open_memstream(&packed, &bytes);

	assert_int_equal(sample_export__write_pprof(&heading, &of->sampling, of->stacks, out), 0);
	assert_int_equal(fclose(out), 0);
	zlib.next_in = (void *)packed;
	zlib.avail_in = (unsigned int)bytes;
	zlib.next_out = (void *)plain;
	zlib.avail_out = sizeof(plain);
	assert_int_equal(inflateInit2(&zlib, 15 + 16), Z_OK);
	assert_int_equal(inflate(&zlib, Z_FINISH), Z_STREAM_END);
	*len = zlib.total_out;
	inflateEnd(&zlib);
	free(packed);
	return plain;
}

static bool has(const char *bytes, size_t len, const char *word)
{
	return memmem(bytes, len, word, strlen(word)) != NULL;
}

static void a_profile_has_times_only_at_an_interval(void **state)
{
	struct case_of of;
	const char *plain;
	size_t len;

	(void)state;
	begin(&of);
	assert_int_equal(sampling__period_ns(&of.sampling, 5), 2000);
	plain = profile_of(&of, 10, SAMPLE_STACK_ID, &len);
	assert_true(has(plain, len, "nanoseconds"));
	assert_true(has(plain, len, "one every 2.00 us"));
	assert_true(has(plain, len, "a b\\x1b[31m"));
	plain = profile_of(&of, 0, SAMPLE_STACK_ID, &len);
	assert_false(has(plain, len, "nanoseconds"));
	assert_true(has(plain, len, "#pool"));
	end(&of);
}

/* Texts of a profile are there once they are used: the words are those of labels alone. */
static void what_was_not_asked_for_has_no_label(void **state)
{
	static const struct {
		unsigned int fields;
		bool has_location, has_accuracy;
	} cases[] = {
		{ SAMPLE_STACK_ID, false, true },
		{ SAMPLE_METHOD_ID, false, true },
		{ SAMPLE_LOCATION, true, false },
		{ SAMPLE_FIELDS, true, true },
	};
	struct case_of of;
	const char *plain;
	size_t len;

	(void)state;
	begin(&of);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		plain = profile_of(&of, 10, cases[i].fields, &len);
		assert_int_equal(has(plain, len, "UNKNOWN"), cases[i].has_location);
		assert_int_equal(has(plain, len, "NONE"), cases[i].has_accuracy);
		assert_true(has(plain, len, "futex")); /* told whatever was asked */
	}
	end(&of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_alike_is_one_line),
		cmocka_unit_test(a_thread_may_have_no_name),
		cmocka_unit_test(a_profile_has_times_only_at_an_interval),
		cmocka_unit_test(what_was_not_asked_for_has_no_label),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
