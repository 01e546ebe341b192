/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/json_fields.h"

static void what_is_not_told_is_left_out(void **state)
{
	const struct text name = { "shop", 4 }, cut = { "shopping", 4 }, none = { NULL, 0 };
	struct json json = JSON_INIT;
	size_t len;

	(void)state;
	json__event(&json, "gc", 7);
	json__known(&json, "before", 0);
	json__known(&json, "after", EVENT_UNKNOWN);
	json__text(&json, "name", name);
	json__text(&json, "cut", cut);
	json__text(&json, "version", none);
	json__flag(&json, "partial", true);
	json__flag(&json, "concurrent", false);
	assert_string_equal(json__close(&json, &len),
			    "{\"event\":\"gc\",\"pid\":7,\"before\":0,\"name\":\"shop\","
			    "\"cut\":\"shop\",\"partial\":true}\n");
	json__event(&json, "summary", 0);
	assert_string_equal(json__close(&json, &len), "{\"event\":\"summary\"}\n");
	json__free(&json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_told_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
