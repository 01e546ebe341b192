/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "stream/event.h"
#include "view/frequent.h"

static void offer(struct frequent_types *types, const char *name, uint64_t objects)
{
	frequent_types__offer(types, &(struct frequent_type){ { name, strlen(name) },
							      EVENT_UNKNOWN, objects });
}

static void assert_said(const struct frequent_types *types, const char *sentence)
{
	struct buf said = BUF_INIT;

	frequent_types__add(&said, types);
	assert_string_equal(buf__str(&said), sentence);
	buf__free(&said);
}

static void the_most_are_named_and_the_others_counted(void **state)
{
	struct frequent_types types = { .count = 0 };

	(void)state;
	offer(&types, "c", 3);
	offer(&types, "a", 10);
	offer(&types, "none", 0);
	offer(&types, "d", 2);
	assert_said(&types, "there are: a (10), c (3), d (2)");
	offer(&types, "b", 10);
	offer(&types, "e", 1);
	assert_said(&types, "there are: a (10), b (10), c (3), d (2), e (1)");
	offer(&types, "least", 1);
	offer(&types, "most", 11);
	assert_said(&types, "the most frequent of 7 types: most (11), a (10), b (10), c (3),"
			    " d (2)");
}

static void nothing_is_known_of_no_type(void **state)
{
	struct frequent_types types = { .count = 0 };

	(void)state;
	assert_said(&types, "no type is known");
}

static void types_without_a_name_have_their_number(void **state)
{
	struct frequent_types types = { .count = 0 };

	(void)state;
	frequent_types__offer(&types, &(struct frequent_type){ { NULL, 0 }, 17, 4 });
	offer(&types, "", 2);
	assert_said(&types, "there are: class 17 (4), class ? (2)");
}

static void names_are_escaped_and_shortened(void **state)
{
	struct frequent_types types = { .count = 0 };
	char name[1 << 16];

	(void)state;
	memset(name, 'x', sizeof(name));
	frequent_types__offer(&types,
			      &(struct frequent_type){ { name, sizeof(name) }, 1, 2 });
	offer(&types, "\x1b[31m", 1);
	assert_said(&types, "there are: xxxxxxxxxxxxxxxxxx...(+65500)...xxxxxxxxxxxxxxxxxx"
			    " (2), \\x1b[31m (1)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_most_are_named_and_the_others_counted),
		cmocka_unit_test(nothing_is_known_of_no_type),
		cmocka_unit_test(types_without_a_name_have_their_number),
		cmocka_unit_test(names_are_escaped_and_shortened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
