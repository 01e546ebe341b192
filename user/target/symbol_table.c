/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbol_table.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"

#define UNDERSCORES_MOST 64 /* that are counted: a name may be as long as the table */

void symbol_room__take(struct symbol_room *room, uint64_t bytes)
{
	room->left -= bytes < room->left ? bytes : room->left;
}

static bool is_function(const Elf64_Sym *symbol)
{
	const unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_value;
}

static int compare(const void *a, const void *b)
{
	const struct symbol_entry *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static unsigned int underscores(const char *name)
{
	unsigned int count = 0;

	while (count < UNDERSCORES_MOST && name[count] == '_')
		count++;
	return count;
}

/* Of several names the plainest: "nanosleep" rather than "__GI___nanosleep". */
static bool is_plainer(const char *name, const char *than)
{
	return underscores(name) < underscores(than);
}

static void sort(struct symbol_table *table)
{
	size_t kept = 0;

	if (table->count)
		qsort(table->entries, table->count, sizeof(*table->entries), compare);
	for (size_t i = 0; i < table->count; i++) {
		struct symbol_entry *last = kept ? &table->entries[kept - 1] : NULL;
		const struct symbol_entry *next = &table->entries[i];

		if (!last || last->address != next->address)
			table->entries[kept++] = *next;
		else if (is_plainer(table->names + next->name, table->names + last->name))
			last->name = next->name;
	}
	table->count = kept;
}

/*
 * A table of names has those of everything else as well; of the functions' own ones a copy is kept.
 * Not if that is no smaller: names may be ends of one another.
 */
static int keep_names(struct symbol_table *table)
{
	size_t bytes = 0;
	char *names, *to;

	for (size_t i = 0; i < table->count && bytes <= table->names_len; i++)
		bytes += strlen(table->names + table->entries[i].name) + 1;
	if (bytes > table->names_len)
		return 0;
	names = to = malloc(bytes);
	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < table->count; i++) {
		const char *name = table->names + table->entries[i].name;

		table->entries[i].name = (uint32_t)(to - names);
		to = stpcpy(to, name) + 1;
	}
	free(table->names);
	table->names = names;
	table->names_len = bytes - 1;
	return 0;
}

static int take_functions(struct symbol_table *table, const Elf64_Sym *symbols, size_t count)
{
	size_t functions = 0;

	for (size_t i = 0; i < count; i++)
		functions += is_function(&symbols[i]);
	table->entries = malloc((functions ? functions : 1) * sizeof(*table->entries));
	if (!table->entries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const Elf64_Sym *symbol = &symbols[i];

		if (!is_function(symbol) || symbol->st_name >= table->names_len ||
		    !table->names[symbol->st_name])
			continue;
		table->entries[table->count++] = (struct symbol_entry){
			.address = symbol->st_value,
			.size = symbol->st_size > UINT32_MAX ? UINT32_MAX :
							       (uint32_t)symbol->st_size,
			.name = symbol->st_name,
		};
	}
	sort(table);
	return table->count ? keep_names(table) : -ENOENT;
}

static int read_bytes(const struct elf_file *elf, const Elf64_Shdr *section,
		      struct symbol_room *room, char **bytes)
{
	const uint64_t offset = section->sh_offset, size = section->sh_size;
	int err;

	if ((size > room->left || size > ELF_FILE_LIMIT) && offset <= elf->size &&
	    size <= elf->size - offset) {
		room->was_short = true;
		return -E2BIG;
	}
	err = elf_file__read(elf, offset, size, bytes);
	if (!err)
		symbol_room__take(room, size);
	return err;
}

static int read_section(struct symbol_table *table, const struct elf_file *elf, const char *name,
			struct symbol_room *room)
{
	const Elf64_Shdr *header = elf_file__section(elf, name, NULL), *strings;
	char *symbols = NULL;
	int err;

	if (!header || header->sh_type == SHT_NOBITS)
		return -ENOENT;
	if (header->sh_link >= elf->section_count)
		return -EINVAL;
	strings = &elf->sections[header->sh_link];
	if (strings->sh_type == SHT_NOBITS || strings->sh_size > UINT32_MAX)
		return -EINVAL;
	err = read_bytes(elf, header, room, &symbols);
	if (!err)
		err = read_bytes(elf, strings, room, &table->names);
	if (!err) {
		table->names_len = strings->sh_size;
		err = take_functions(table, (const Elf64_Sym *)symbols,
				     header->sh_size / sizeof(Elf64_Sym));
	}
	free(symbols);
	if (err)
		symbol_table__free(table);
	return err;
}

int symbol_table__read(struct symbol_table *table, const struct elf_file *elf,
		       struct symbol_room *room)
{
	int err;

	*table = (struct symbol_table)SYMBOL_TABLE_INIT;
	err = read_section(table, elf, ".symtab", room);
	if (!err)
		table->has_all = true;
	else if (err != -ENOMEM)
		err = read_section(table, elf, ".dynsym", room);
	return err;
}

void symbol_table__free(struct symbol_table *table)
{
	free(table->entries);
	free(table->names);
	*table = (struct symbol_table)SYMBOL_TABLE_INIT;
}

const char *symbol_table__at(const struct symbol_table *table, uint64_t address, uint64_t *start,
			     bool *inside)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->entries[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	*start = table->entries[low - 1].address;
	*inside = address - *start < table->entries[low - 1].size;
	return table->names + table->entries[low - 1].name;
}
