/* SPDX-License-Identifier: BSD-2-Clause */
#include "mirrors.h"
#include "agents/common/table.h"

#include <stddef.h>

#define MOST (1u << 20)

struct mirror {
	struct table_entry entry; /* by address */
	uint64_t number;
};

struct mirrors mirrors;

static struct table table;

bool mirrors__init(void)
{
	return table__reserve(&table, sizeof(struct mirror), MOST);
}

void mirrors__empty(void)
{
	table__empty(&table);
	mirrors = (struct mirrors){ .address = 0 };
}

bool mirrors__add(uint64_t address, uint64_t number)
{
	struct mirror *mirror = table__add(&table, address);

	if (mirror)
		mirror->number = number;
	return mirror != NULL;
}

uint64_t mirrors__look_up(uint64_t address)
{
	const struct mirror *mirror = table__find(&table, address);

	if (!mirror)
		return 0;
	mirrors = (struct mirrors){ address, mirror->number };
	return mirror->number;
}
