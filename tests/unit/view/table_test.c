/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "view/table.h"

static const struct column columns[] = {
	{ "time", 6, ALIGN_RIGHT },
	{ "cause", 8, ALIGN_LEFT },
	{ "pause", 7, ALIGN_RIGHT },
	{ "note", 4, ALIGN_LEFT },
};

static const struct terminal plain;

static void assert_text(struct buf *buf, const char *expected)
{
	assert_int_equal(buf->error, 0);
	assert_string_equal(buf__str(buf), expected);
	buf__reset(buf);
}

static void row(struct table *table, struct buf *buf, const char *a, const char *b, const char *c,
		const char *d)
{
	table__cell(table, STYLE_PLAIN, a);
	table__cell(table, STYLE_PLAIN, b);
	table__cell(table, STYLE_PLAIN, c);
	table__cell(table, STYLE_PLAIN, d);
	table__end_row(table, buf);
}

static void cells_stand_below_each_other(void **state)
{
	struct buf buf = BUF_INIT;
	struct table table;

	(void)state;
	table__init(&table, columns, 4, &plain);
	assert_int_equal(table__width(&table), 28);
	table__titles(&table, &buf);
	assert_text(&buf, "  time cause      pause note\n");
	row(&table, &buf, "1.5", "full", "12 ms", "x");
	assert_text(&buf, "   1.5 full       12 ms x\n");
	row(&table, &buf, NULL, NULL, NULL, NULL);
	assert_text(&buf, "     - -              - -\n");
	row(&table, &buf, "1", "\xe6\xbc\xa2\xe6\xbc\xa2", "2", "");
	assert_text(&buf, "     1 \xe6\xbc\xa2\xe6\xbc\xa2           2\n");
	table__free(&table);
	buf__free(&buf);
}

static void wide_cells_are_whole_and_made_up_for(void **state)
{
	struct buf buf = BUF_INIT;
	struct table table;

	(void)state;
	table__init(&table, columns, 4, &plain);
	row(&table, &buf, "1", "allocation", "2 ms", "x");
	assert_text(&buf, "     1 allocation  2 ms x\n");
	row(&table, &buf, "1", "a much too long cause", "2 ms", "x");
	assert_text(&buf, "     1 a much too long cause 2 ms x\n");
	row(&table, &buf, "1", "full", "2 ms", "x");
	assert_text(&buf, "     1 full        2 ms x\n");
	table__free(&table);
	buf__free(&buf);
}

static void short_cells_keep_in_step(void **state)
{
	struct buf buf = BUF_INIT;
	struct table table;

	(void)state;
	table__init(&table, columns, 4, &plain);
	table__cell(&table, STYLE_PLAIN, "1");
	table__cell_short(&table, STYLE_PLAIN, "a much too long cause", 21);
	table__cell(&table, STYLE_PLAIN, "2 ms");
	table__cell_short(&table, STYLE_PLAIN, NULL, 0);
	table__end_row(&table, &buf);
	assert_text(&buf, "     1 a muc...    2 ms -\n");
	assert_int_equal(table__text_width(&table, "a\n", 2), 3);
	table__free(&table);
	buf__free(&buf);
}

static void long_names_keep_within_the_line(void **state)
{
	static const struct column two[] = { { "n", 5, ALIGN_RIGHT }, { "type", 20, ALIGN_LEFT } };
	const struct terminal narrow = { .columns = 40 };
	struct buf buf = BUF_INIT;
	struct table table;

	(void)state;
	table__init(&table, two, 2, &narrow);
	table__cell(&table, STYLE_PLAIN, "1");
	table__cell_name(&table, STYLE_PLAIN, "app.Cache<app.Key, app.Order>+Node", 34);
	table__end_row(&table, &buf);
	assert_text(&buf, "    1 app.Cache<app.Key, app.Order>+Node\n");
	table__cell(&table, STYLE_PLAIN, "1");
	table__cell_name(&table, STYLE_PLAIN, "app.Cache<app.Key, app.Order>+Nodes", 35);
	table__end_row(&table, &buf);
	assert_text(&buf, "    1 app.Cache<ap...(+12)...rder>+Nodes\n");
	table__cell(&table, STYLE_PLAIN, "1");
	table__cell_name(&table, STYLE_PLAIN, "", 0);
	table__end_row(&table, &buf);
	assert_text(&buf, "    1 -\n");
	table__free(&table);
	buf__free(&buf);
}

static void text_of_the_target_is_escaped(void **state)
{
	struct buf buf = BUF_INIT;
	struct table table;

	(void)state;
	table__init(&table, columns, 4, &plain);
	table__cell_printf(&table, STYLE_PLAIN, "%d", 7);
	table__cell_bytes(&table, STYLE_PLAIN, "a\n\0", 3);
	table__end_row(&table, &buf);
	assert_text(&buf, "     7 a\\n\\x00\n");
	table__free(&table);
	buf__free(&buf);
}

static void colour_takes_no_room(void **state)
{
	struct terminal colour = { .colour = true };
	struct buf buf = BUF_INIT;
	struct table table;

	(void)state;
	table__init(&table, columns, 4, &colour);
	table__cell(&table, STYLE_BAD, "1");
	table__cell(&table, STYLE_PLAIN, "full");
	table__cell(&table, STYLE_GOOD, "2");
	table__end_row(&table, &buf);
	assert_text(&buf, "     \033[31m1\033[0m full           \033[32m2\033[0m\n");
	table__free(&table);
	buf__free(&buf);
}

static int open_terminal(int *master)
{
	struct winsize size = { .ws_row = 24, .ws_col = 133 };
	int slave;

	*master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(*master >= 0 && grantpt(*master) == 0 && unlockpt(*master) == 0);
	slave = open(ptsname(*master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
	return slave;
}

static void knows_a_terminal(void **state)
{
	struct winsize size = { .ws_row = 24, .ws_col = 90 };
	struct terminal terminal;
	int master, slave = open_terminal(&master);

	(void)state;
	unsetenv("COLUMNS");
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	terminal__init(&terminal, slave, COLOUR_AUTO);
	assert_true(terminal.is_terminal && terminal.colour);
	assert_int_equal(terminal.columns, 133);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
	terminal__resize(&terminal);
	assert_int_equal(terminal.columns, 90);
	setenv("COLUMNS", "40", 1);
	terminal__resize(&terminal);
	assert_int_equal(terminal.columns, 40);
	setenv("COLUMNS", "junk", 1);
	terminal__resize(&terminal);
	assert_int_equal(terminal.columns, 90);
	unsetenv("COLUMNS");
	close(slave);
	close(master);
}

static void heeds_who_wants_no_colour(void **state)
{
	struct terminal terminal;
	int master, slave = open_terminal(&master), file = open("/dev/null", O_WRONLY);

	(void)state;
	setenv("TERM", "xterm", 1);
	setenv("NO_COLOR", "1", 1);
	terminal__init(&terminal, slave, COLOUR_AUTO);
	assert_false(terminal.colour);
	terminal__init(&terminal, slave, COLOUR_ALWAYS);
	assert_true(terminal.colour);
	setenv("NO_COLOR", "", 1); /* the convention: empty is as good as not set */
	terminal__init(&terminal, slave, COLOUR_AUTO);
	assert_true(terminal.colour);
	setenv("TERM", "dumb", 1);
	terminal__init(&terminal, slave, COLOUR_AUTO);
	assert_false(terminal.colour);
	setenv("TERM", "xterm", 1);
	terminal__init(&terminal, slave, COLOUR_NEVER);
	assert_false(terminal.colour);
	terminal__init(&terminal, file, COLOUR_AUTO);
	assert_false(terminal.colour || terminal.is_terminal);
	assert_int_equal(terminal.columns, 0);
	close(file);
	close(slave);
	close(master);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_stand_below_each_other),
		cmocka_unit_test(wide_cells_are_whole_and_made_up_for),
		cmocka_unit_test(short_cells_keep_in_step),
		cmocka_unit_test(long_names_keep_within_the_line),
		cmocka_unit_test(text_of_the_target_is_escaped),
		cmocka_unit_test(colour_takes_no_room),
		cmocka_unit_test(knows_a_terminal),
		cmocka_unit_test(heeds_who_wants_no_colour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
