/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/columns.h"

enum cell { CELL_A, CELL_B, CELL_C, CELL_D, CELLS };

static const struct column all[CELLS] = {
	[CELL_A] = { "a", 10, ALIGN_LEFT },
	[CELL_B] = { "b", 10, ALIGN_LEFT },
	[CELL_C] = { "c", 10, ALIGN_LEFT },
	[CELL_D] = { "d", 10, ALIGN_LEFT },
};

static const unsigned int dispensable[] = { CELL_C, CELL_A };

static void assert_cells(const struct columns *columns, size_t count, const unsigned int *cells)
{
	assert_int_equal(columns->table.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(columns->cells[i], cells[i]);
		assert_string_equal(columns->at[i].title, all[cells[i]].title);
	}
}

static void fit(struct columns *columns, struct terminal *terminal, size_t width)
{
	terminal->columns = width;
	columns__all(columns, all);
	columns__fit(columns, dispensable, 2, 2);
}

static void are_found_wherever_they_stand(void **state)
{
	struct terminal terminal = { .columns = 0 };
	struct columns columns;

	(void)state;
	columns__init(&columns, &terminal);
	columns__all(&columns, all);
	columns__remove(&columns, CELL_B);
	columns__remove(&columns, CELL_B);
	assert_cells(&columns, 3, (unsigned int[]){ CELL_A, CELL_C, CELL_D });
	assert_null(columns__find(&columns, CELL_B));
	assert_ptr_equal(columns__find(&columns, CELL_D), &columns.at[2]);
	columns__free(&columns);
}

static void least_important_ones_leave_first(void **state)
{
	struct terminal terminal = { .columns = 0 };
	struct columns columns;

	(void)state;
	columns__init(&columns, &terminal);
	fit(&columns, &terminal, 45); /* 40, three blanks, two behind */
	assert_cells(&columns, 4, (unsigned int[]){ CELL_A, CELL_B, CELL_C, CELL_D });
	fit(&columns, &terminal, 44);
	assert_cells(&columns, 3, (unsigned int[]){ CELL_A, CELL_B, CELL_D });
	fit(&columns, &terminal, 33);
	assert_cells(&columns, 2, (unsigned int[]){ CELL_B, CELL_D });
	fit(&columns, &terminal, 5); /* the rest is never left out */
	assert_cells(&columns, 2, (unsigned int[]){ CELL_B, CELL_D });
	assert_false(columns__resized(&columns));
	terminal.columns = 6;
	assert_true(columns__resized(&columns));
	columns__free(&columns);
}

static void room_that_is_left_is_given_away(void **state)
{
	struct terminal terminal = { .columns = 0 };
	struct columns columns;

	(void)state;
	columns__init(&columns, &terminal);
	fit(&columns, &terminal, 50);
	columns__widen(&columns, CELL_B, 13, 2);
	assert_int_equal(columns__find(&columns, CELL_B)->width, 13);
	columns__widen(&columns, CELL_C, 40, 2);
	assert_int_equal(columns__find(&columns, CELL_C)->width, 12);
	columns__widen(&columns, CELL_D, 40, 2);
	assert_int_equal(columns__find(&columns, CELL_D)->width, 10);
	columns__widen(&columns, CELL_B, 4, 2);
	assert_int_equal(columns__find(&columns, CELL_B)->width, 13);
	fit(&columns, &terminal, 0); /* no terminal: 100 */
	columns__widen(&columns, CELL_A, 1000, 2);
	assert_int_equal(table__width(&columns.table), 98);
	columns__remove(&columns, CELL_A);
	columns__widen(&columns, CELL_A, 1000, 2);
	assert_int_equal(columns.table.count, 3);
	columns__free(&columns);
}

static void titles_leave_a_terminal_only(void **state)
{
	struct terminal terminal = { .columns = 80, .is_terminal = true };
	struct columns columns;

	(void)state;
	columns__init(&columns, &terminal);
	assert_false(columns__titles_are_gone(&columns, 1));
	assert_true(columns__titles_are_gone(&columns, 40));
	terminal.is_terminal = false;
	assert_false(columns__titles_are_gone(&columns, 40));
	columns__free(&columns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(are_found_wherever_they_stand),
		cmocka_unit_test(least_important_ones_leave_first),
		cmocka_unit_test(room_that_is_left_is_given_away),
		cmocka_unit_test(titles_leave_a_terminal_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
