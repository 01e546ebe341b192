/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines that are painted anew in place: what is written to the terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/report.h"
#include "samples.h"
#include "view/screen.h"

static void painted_in_place(void **state)
{
	struct screen screen;
	struct sheet sheet;

	(void)state;
	sheet__begin(&sheet);
	sheet.terminal.columns = 20;
	screen__init(&screen, &sheet.terminal, &sheet.output);
	assert_int_equal(screen__paint(&screen, "one\ntwo\n"), 0);
	assert_string_equal(sheet__text(&sheet), "one\033[K\r\ntwo\033[K\r\n\033[J");
	assert_int_equal(screen__paint(&screen, "three\n"), 0);
	assert_string_equal(sheet__text(&sheet), "\r\033[2Athree\033[K\r\n\033[J");
	/* A message has taken their place. */
	assert_int_equal(report__stand_above(0), 1);
	assert_int_equal(screen__paint(&screen, "four\n"), 0);
	assert_string_equal(sheet__text(&sheet), "four\033[K\r\n\033[J");
	assert_int_equal(screen__clear(&screen), 0);
	assert_string_equal(sheet__text(&sheet), "\r\033[1A\033[J");
	assert_int_equal(screen__clear(&screen), 0);
	assert_string_equal(sheet__text(&sheet), "");
	screen__free(&screen);
	sheet__end(&sheet);
}

/* The last column stays free; what is wide counts as wide; what is cut is said to be. */
static void long_lines_end_in_dots(void **state)
{
	struct screen screen;
	struct sheet sheet;

	(void)state;
	sheet__begin(&sheet);
	sheet.terminal.columns = 12;
	screen__init(&screen, &sheet.terminal, &sheet.output);
	assert_int_equal(screen__paint(&screen, "12345678901\n123456789012\n"
					       "漢漢漢漢漢漢\n"), 0);
	assert_string_equal(sheet__text(&sheet), "12345678901\033[K\r\n12345678...\033[K\r\n"
						 "漢漢漢漢...\033[K\r\n\033[J");
	assert_int_equal(screen__clear(&screen), 0);
	screen__free(&screen);
	sheet__end(&sheet);
}

static void another_size_wipes_all(void **state)
{
	struct screen screen;
	struct sheet sheet;

	(void)state;
	sheet__begin(&sheet);
	sheet.terminal.columns = 80;
	screen__init(&screen, &sheet.terminal, &sheet.output);
	assert_int_equal(screen__paint(&screen, "one\n"), 0);
	sheet__text(&sheet);
	sheet.terminal.columns = 40;
	assert_int_equal(screen__paint(&screen, "one\n"), 0);
	assert_string_equal(sheet__text(&sheet), "\033[H\033[2Jone\033[K\r\n\033[J");
	assert_int_equal(screen__clear(&screen), 0);
	screen__free(&screen);
	sheet__end(&sheet);
}

static void no_more_lines_than_rows(void **state)
{
	struct buf lines = BUF_INIT;
	struct screen screen;
	struct sheet sheet;

	(void)state;
	sheet__begin(&sheet);
	sheet.terminal.columns = 80;
	screen__init(&screen, &sheet.terminal, &sheet.output);
	assert_int_equal(screen__rows(&screen), 23); /* a file has none: as if there were 24 */
	for (int i = 0; i < 40; i++)
		buf__add_str(&lines, "x\n");
	assert_int_equal(screen__paint(&screen, buf__str(&lines)), 0);
	assert_int_equal(report__stand_above(0), 23);
	buf__free(&lines);
	screen__free(&screen);
	sheet__end(&sheet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(painted_in_place),
		cmocka_unit_test(long_lines_end_in_dots),
		cmocka_unit_test(another_size_wipes_all),
		cmocka_unit_test(no_more_lines_than_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
