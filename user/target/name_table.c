/* SPDX-License-Identifier: BSD-2-Clause */
#include "name_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buf.h"
#include "../base/vec.h"

#define SLOTS_FIRST 256 /* a power of two */

struct entry {
	size_t at, len; /* in texts */
	uint64_t hash;
};

struct name_table {
	VEC(struct entry) entries;
	struct buf texts; /* each closed by a 0 */
	uint32_t *slots;  /* number; 0: free */
	size_t mask;
};

static uint64_t hash_of(const char *text, size_t len)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

struct name_table *name_table__new(void)
{
	struct name_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->mask = SLOTS_FIRST - 1;
	table->slots = calloc(SLOTS_FIRST, sizeof(*table->slots));
	if (table->slots)
		return table;
	free(table);
	return NULL;
}

void name_table__free(struct name_table *table)
{
	if (!table)
		return;
	vec__free(&table->entries);
	buf__free(&table->texts);
	free(table->slots);
	free(table);
}

static void put(uint32_t *slots, size_t mask, uint64_t hash, uint32_t number)
{
	size_t at = hash & mask;

	while (slots[at])
		at = (at + 1) & mask;
	slots[at] = number;
}

/* At most half of the slots are taken. */
static bool widen(struct name_table *table)
{
	const size_t mask = table->mask * 2 + 1;
	uint32_t *slots;

	if (table->entries.count <= table->mask / 2)
		return true;
	slots = calloc(mask + 1, sizeof(*slots));
	if (!slots)
		return false;
	for (size_t i = 0; i < table->entries.count; i++)
		put(slots, mask, table->entries.items[i].hash, (uint32_t)i + 1);
	free(table->slots);
	table->slots = slots;
	table->mask = mask;
	return true;
}

static uint32_t find(const struct name_table *table, uint64_t hash, const char *text, size_t len)
{
	for (size_t at = hash & table->mask; table->slots[at]; at = (at + 1) & table->mask) {
		const struct entry *entry = &table->entries.items[table->slots[at] - 1];

		if (entry->hash == hash && entry->len == len &&
		    memcmp(table->texts.data + entry->at, text, len) == 0)
			return table->slots[at];
	}
	return 0;
}

static uint32_t add(struct name_table *table, uint64_t hash, const char *text, size_t len)
{
	const struct entry entry = { table->texts.len, len, hash };

	if (table->entries.count >= UINT32_MAX - 1 || !widen(table) ||
	    buf__reserve(&table->texts, len + 1) || vec__push(&table->entries, entry))
		return 0;
	buf__add(&table->texts, text, len);
	buf__add_char(&table->texts, '\0');
	put(table->slots, table->mask, hash, (uint32_t)table->entries.count);
	return (uint32_t)table->entries.count;
}

uint32_t name_table__number(struct name_table *table, const char *text, size_t len)
{
	const uint64_t hash = hash_of(text, len);
	const uint32_t number = find(table, hash, text, len);

	return number ? number : add(table, hash, text, len);
}

const char *name_table__text(const struct name_table *table, uint64_t number)
{
	if (!number || number > table->entries.count)
		return NULL;
	return table->texts.data + table->entries.items[number - 1].at;
}
