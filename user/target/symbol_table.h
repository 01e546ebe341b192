/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All functions of an ELF file by address: its .symtab, else its .dynsym, which has only those that
 * it exports. The file may be hostile: sizes are bounded by elf_file.h and, for all files together,
 * by the room that whoever reads them gives; what makes no sense is left out.
 */
#ifndef GCTRACE_TARGET_SYMBOL_TABLE_H
#define GCTRACE_TARGET_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Of all files of a process: what they take of memory, and how long whoever waits for names waits,
 * whatever it has mapped. Large programs have some 10 MiB.
 */
#define SYMBOLS_MOST ((uint64_t)256 << 20)

struct symbol_room {
	uint64_t left;	/* bytes of files that may still be read */
	bool was_short; /* something was left out: it was more, or beyond ELF_FILE_LIMIT */
};

/* What was read already: it is taken from the room as far as that goes. */
void symbol_room__take(struct symbol_room *room, uint64_t bytes);

struct symbol_entry {
	uint64_t address; /* in the file */
	uint32_t size;	  /* 0: the file does not say */
	uint32_t name;	  /* offset in names */
};

struct symbol_table {
	struct symbol_entry *entries; /* in ascending order of address, one for each */
	size_t count;
	char *names; /* of these; closed by a 0 behind names_len */
	size_t names_len;
	bool has_all; /* it is of a .symtab: between two functions there is no third */
};

#define SYMBOL_TABLE_INIT { NULL, 0, NULL, 0, false }

struct elf_file;

/*
 * 0; -ENOENT: the file has no symbols; -E2BIG: they need more than there is room for; or as
 * elf_file__read(). Where there is no room for .symtab there may be for .dynsym: 0, and
 * room->was_short tells.
 */
int symbol_table__read(struct symbol_table *table, const struct elf_file *elf,
		       struct symbol_room *room);
void symbol_table__free(struct symbol_table *table);

/*
 * The function that an address is in, or the nearest one below it where none says that it reaches
 * so far (*inside is false then). Its name, the table's own; NULL: there is none.
 */
const char *symbol_table__at(const struct symbol_table *table, uint64_t address,
			     uint64_t *start, bool *inside);

#endif
