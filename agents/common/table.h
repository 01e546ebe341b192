/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries by a number, in a region: looking one up and adding one is legal in a stopped world.
 * Entries stay where they are until the table is emptied, in the order in which they were added.
 */
#ifndef GCTRACE_AGENT_TABLE_H
#define GCTRACE_AGENT_TABLE_H

#include <stdint.h>

#include "region.h"

#define TABLE_HEADS 4096u

/* The first member of every entry. */
struct table_entry {
	uint64_t key;
	uint32_t next; /* entry + 1 of the same head; 0: none */
};

struct table {
	struct region entries;
	size_t entry_bytes;
	uint32_t count;
	uint32_t heads[TABLE_HEADS]; /* entry + 1; 0: none */
};

/* Outside of a pause. False: no such address space. */
bool table__reserve(struct table *table, size_t entry_bytes, size_t most);

/* NULL: there is none. */
void *table__find(const struct table *table, uint64_t key);

/* A new one, zero but for its key, which is not there yet. NULL: full. */
void *table__add(struct table *table, uint64_t key);

void *table__at(const struct table *table, uint32_t index);

/* It is found no more, but has its place until it is put back. Outside of a pause. */
void table__take_out(struct table *table, void *entry);
void table__put_back(struct table *table, void *entry, uint64_t key);

void table__empty(struct table *table);
void table__release(struct table *table);

#endif
