/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts by number: the same text has the same number for as long as the table lives. */
#ifndef GCTRACE_TARGET_NAME_TABLE_H
#define GCTRACE_TARGET_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct name_table;

/* NULL: no memory. */
struct name_table *name_table__new(void);
void name_table__free(struct name_table *table);

/* The number of a text, from 1 on, in the order they came; 0: no memory. Any bytes but 0. */
uint32_t name_table__number(struct name_table *table, const char *text, size_t len);

/* The text of a number, closed by a 0, valid until the next new one; NULL: there is no such. */
const char *name_table__text(const struct name_table *table, uint64_t number);

#endif
