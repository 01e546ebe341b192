/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbol.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"

struct table {
	const Elf64_Sym *symbols;
	size_t count;
	const char *names; /* closed by a 0 behind names_len */
	size_t names_len;
};

static bool is_function(const struct table *table, const Elf64_Sym *symbol, const char *name)
{
	return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_name < table->names_len &&
	       strcmp(table->names + symbol->st_name, name) == 0;
}

static int find_in(const struct elf_file *elf, const struct table *table, const char *name,
		   uint64_t *offset)
{
	for (size_t i = 0; i < table->count; i++) {
		const Elf64_Sym *symbol = &table->symbols[i];
		const Elf64_Phdr *segment;

		if (!is_function(table, symbol, name))
			continue;
		segment = elf_file__segment_at(elf, symbol->st_value);
		if (!segment || !(segment->p_flags & PF_X))
			return -EINVAL;
		*offset = symbol->st_value - segment->p_vaddr + segment->p_offset;
		return 0;
	}
	return -ENOENT;
}

static int find_in_section(const struct elf_file *elf, const char *section, const char *name,
			   uint64_t *offset)
{
	const Elf64_Shdr *header = elf_file__section(elf, section, NULL), *strings;
	char *symbols = NULL, *names = NULL;
	struct table table;
	int err;

	if (!header || header->sh_type == SHT_NOBITS)
		return -ENOENT;
	if (header->sh_link >= elf->section_count)
		return -EINVAL;
	strings = &elf->sections[header->sh_link];
	err = elf_file__read(elf, header->sh_offset, header->sh_size, &symbols);
	if (!err)
		err = elf_file__read(elf, strings->sh_offset, strings->sh_size, &names);
	if (!err) {
		table.symbols = (const Elf64_Sym *)symbols;
		table.count = header->sh_size / sizeof(Elf64_Sym);
		table.names = names;
		table.names_len = strings->sh_size;
		err = find_in(elf, &table, name, offset);
	}
	free(symbols);
	free(names);
	return err;
}

int symbol__find_function(int fd, const char *name, uint64_t *offset)
{
	struct elf_file elf;
	int err = elf_file__open(&elf, fd, NULL);

	if (err)
		return err;
	err = find_in_section(&elf, ".symtab", name, offset);
	if (err == -ENOENT)
		err = find_in_section(&elf, ".dynsym", name, offset);
	elf_file__close(&elf);
	return err;
}
