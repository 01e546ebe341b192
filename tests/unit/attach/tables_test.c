/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots and numbers of sites: limited, and used again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach/tables.h"
#include "bench.h"

static void count_waits(void *context)
{
	++*(int *)context;
}

static struct target_switch switches(const struct tables *tables, uint32_t slot)
{
	struct target_switch value;

	for (size_t i = 0; tables__name(i); i++)
		if (strcmp(tables__name(i), "switches") == 0)
			assert_int_equal(bpf_map_lookup_elem(tables__fd(tables, i), &slot, &value),
					 0);
	return value;
}

static void slots_are_used_again_when_there_is_no_fresh_one(void **state)
{
	struct tables *tables;
	uint32_t slot, first = NO_SLOT;
	int waits = 0;

	NEEDS_ROOT;
	assert_int_equal(tables__new(&tables), 0);
	for (uint32_t i = 0; i < TARGET_SLOTS; i++) {
		assert_int_equal(tables__take_slot(tables, 5000 + i, count_waits, &waits, &slot),
				 0);
		assert_int_equal(switches(tables, slot).index, 5000 + i);
		if (i == 0)
			first = slot;
		else
			assert_int_not_equal(slot, first);
	}
	assert_int_equal(waits, 0);
	assert_int_equal(tables__take_slot(tables, 1, count_waits, &waits, &slot), -ENOSPC);
	assert_int_equal(tables__set_dumping(tables, first, true), 0);
	assert_int_equal(tables__set_cause(tables, first, 77), 0);
	assert_int_equal(switches(tables, first).dumping, 1);
	tables__give_slot(tables, NO_SLOT);
	tables__give_slot(tables, first);
	tables__give_slot(tables, first + 1);
	assert_int_equal(tables__take_slot(tables, 9000, count_waits, &waits, &slot), 0);
	assert_int_equal(waits, 1);
	assert_int_equal(slot, first);
	assert_int_equal(switches(tables, slot).index, 9000);
	assert_int_equal(switches(tables, slot).dumping, 0);
	assert_int_equal(switches(tables, slot).cause, 0);
	assert_int_equal(tables__take_slot(tables, 9001, count_waits, &waits, &slot), 0);
	assert_int_equal(slot, first + 1);
	assert_int_equal(tables__take_slot(tables, 9002, count_waits, &waits, &slot), -ENOSPC);
	tables__free(tables);
}

static void same_sites_share_a_number(void **state)
{
	struct site site, other;
	struct tables *tables;
	uint32_t a, b, c;

	NEEDS_ROOT;
	memset(&site, 0, sizeof(site));
	memset(&other, 0, sizeof(other));
	other.count = 1;
	assert_int_equal(tables__new(&tables), 0);
	assert_int_equal(tables__site(tables, &site, &a), 0);
	assert_int_equal(tables__site(tables, &other, &b), 0);
	assert_int_equal(tables__site(tables, &site, &c), 0);
	assert_int_equal(a, c);
	assert_int_not_equal(a, b);
	for (uint32_t i = 2; i < TABLES_SITES; i++) {
		other.operands[0].number = i;
		assert_int_equal(tables__site(tables, &other, &b), 0);
	}
	other.operands[0].number = -1;
	assert_int_equal(tables__site(tables, &other, &b), -ENOSPC);
	tables__free(tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_are_used_again_when_there_is_no_fresh_one),
		cmocka_unit_test(same_sites_share_a_number),
	};

	return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
