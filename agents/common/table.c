/* SPDX-License-Identifier: BSD-2-Clause */
#include "table.h"

#include <string.h>

static uint32_t head_of(uint64_t key)
{
	_Static_assert(TABLE_HEADS == 1u << 12, "12 bits are left of the product");
	return (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 52);
}

bool table__reserve(struct table *table, size_t entry_bytes, size_t most)
{
	memset(table, 0, sizeof(*table));
	table->entry_bytes = (entry_bytes + 7) & ~(size_t)7;
	return region__reserve(&table->entries, table->entry_bytes * most);
}

void *table__at(const struct table *table, uint32_t index)
{
	return table->entries.at + index * table->entry_bytes;
}

void *table__find(const struct table *table, uint64_t key)
{
	struct table_entry *entry;

	for (uint32_t i = table->heads[head_of(key)]; i; i = entry->next) {
		entry = table__at(table, i - 1);
		if (entry->key == key)
			return entry;
	}
	return NULL;
}

void *table__add(struct table *table, uint64_t key)
{
	struct table_entry *entry = region__get(&table->entries, table->entry_bytes);
	uint32_t *head = &table->heads[head_of(key)];

	if (!entry)
		return NULL;
	entry->key = key;
	entry->next = *head;
	*head = ++table->count;
	return entry;
}

static uint32_t number_of(const struct table *table, const void *entry)
{
	return (uint32_t)(((const unsigned char *)entry - table->entries.at) /
			  table->entry_bytes) + 1;
}

void table__take_out(struct table *table, void *entry)
{
	const struct table_entry *out = entry;
	const uint32_t number = number_of(table, entry);
	uint32_t *link = &table->heads[head_of(out->key)];

	while (*link != number)
		link = &((struct table_entry *)table__at(table, *link - 1))->next;
	*link = out->next;
}

void table__put_back(struct table *table, void *entry, uint64_t key)
{
	struct table_entry *back = entry;
	uint32_t *head = &table->heads[head_of(key)];

	back->key = key;
	back->next = *head;
	*head = number_of(table, entry);
}

void table__release(struct table *table)
{
	region__release(&table->entries);
}

void table__empty(struct table *table)
{
	region__empty(&table->entries);
	memset(table->heads, 0, sizeof(table->heads));
	table->count = 0;
}
