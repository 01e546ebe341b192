/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of an agent of another build, and of which nothing is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attach/agent_build.h"
#include "target/notes.h"

static struct note_probe probes[] = {
	{ .provider = "gctrace", .name = "batch" },
	{ .provider = "gctrace", .name = "request__dump" },
	{ .provider = "gctrace", .name = "request__pause" },
};

static struct notes build(const char *id, size_t probe_count)
{
	struct notes notes = { .probes = probes, .probe_count = probe_count,
			       .build_id_len = strlen(id) };

	memcpy(notes.build_id, id, strlen(id));
	return notes;
}

static void expect(const struct notes *loaded, const struct notes *here, const char *words)
{
	struct buf text = BUF_INIT;

	assert_int_equal(agent_build__compare(loaded, here, &text), words != NULL);
	if (words && !strstr(buf__str(&text), words))
		fail_msg("not there: %s\n%s", words, buf__str(&text));
	if (!words)
		assert_int_equal(text.len, 0);
	buf__free(&text);
}

static void of_the_same_build_nothing_is_said(void **state)
{
	const struct notes a = build("0123456789", 3), b = build("0123456789", 3);

	(void)state;
	expect(&a, &b, NULL);
}

static void without_a_number_nothing_is_known(void **state)
{
	const struct notes a = build("", 3), b = build("0123456789", 3);

	(void)state;
	expect(&a, &b, NULL);
	expect(&b, &a, NULL);
}

static void of_another_build_both_are_named(void **state)
{
	const struct notes a = build("ABCDEFGH", 3), b = build("abcdefgh", 3);
	const struct notes longer = build("ABCDEFGHI", 3);

	(void)state;
	expect(&a, &b, "another build (414243444546) than the one here (616263646566): it has the"
		       " same probes");
	expect(&a, &longer, "another build");
}

static void what_it_lacks_is_told(void **state)
{
	const struct notes a = build("ABCDEFGH", 1), b = build("abcdefgh", 3);

	(void)state;
	expect(&a, &b, ": it lacks the probes request__dump, request__pause, and what needs them is"
		       " not told; ");
	expect(&b, &a, "it has the same probes"); /* and others, which nobody asks for */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_the_same_build_nothing_is_said),
		cmocka_unit_test(without_a_number_nothing_is_known),
		cmocka_unit_test(of_another_build_both_are_named),
		cmocka_unit_test(what_it_lacks_is_told),
	};

	return cmocka_run_group_tests_name("attach/agent_build", tests, NULL, NULL);
}
