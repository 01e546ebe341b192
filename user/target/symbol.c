/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbol.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf_file.h"

struct table {
	const Elf64_Sym *symbols;
	size_t count;
	const char *names; /* closed by a 0 behind names_len */
	size_t names_len;
};

static bool is_it(const struct table *table, const Elf64_Sym *symbol, unsigned int type,
		  const char *name)
{
	return ELF64_ST_TYPE(symbol->st_info) == type && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_name < table->names_len &&
	       strcmp(table->names + symbol->st_name, name) == 0;
}

static int find_in(const struct table *table, unsigned int type, const char *name,
		   uint64_t *address)
{
	for (size_t i = 0; i < table->count; i++) {
		if (!is_it(table, &table->symbols[i], type, name))
			continue;
		*address = table->symbols[i].st_value;
		return 0;
	}
	return -ENOENT;
}

/* Free symbols and names, after failure too. */
static int read_table(const struct elf_file *elf, const char *section, struct table *table)
{
	const Elf64_Shdr *header = elf_file__section(elf, section, NULL), *strings;
	char *symbols = NULL, *names = NULL;
	int err;

	*table = (struct table){ 0 };
	if (!header || header->sh_type == SHT_NOBITS)
		return -ENOENT;
	if (header->sh_link >= elf->section_count)
		return -EINVAL;
	strings = &elf->sections[header->sh_link];
	err = elf_file__read(elf, header->sh_offset, header->sh_size, &symbols);
	if (!err)
		err = elf_file__read(elf, strings->sh_offset, strings->sh_size, &names);
	table->symbols = (const Elf64_Sym *)symbols;
	table->count = symbols ? header->sh_size / sizeof(Elf64_Sym) : 0;
	table->names = names;
	table->names_len = names ? strings->sh_size : 0;
	return err;
}

static void free_table(struct table *table)
{
	free((void *)table->symbols);
	free((void *)table->names);
}

static int find_in_section(const struct elf_file *elf, const char *section, unsigned int type,
			   const char *name, uint64_t *address)
{
	struct table table;
	int err = read_table(elf, section, &table);

	if (!err)
		err = find_in(&table, type, name, address);
	free_table(&table);
	return err;
}

static int find(const struct elf_file *elf, unsigned int type, const char *name,
		uint64_t *address)
{
	int err = find_in_section(elf, ".symtab", type, name, address);

	return err == -ENOENT ? find_in_section(elf, ".dynsym", type, name, address) : err;
}

int symbol__find_function(int fd, const char *name, uint64_t *offset)
{
	const Elf64_Phdr *segment;
	struct elf_file elf;
	uint64_t address = 0;
	int err = elf_file__open(&elf, fd, NULL);

	if (err)
		return err;
	err = find(&elf, STT_FUNC, name, &address);
	if (!err) {
		segment = elf_file__segment_at(&elf, address);
		if (segment && segment->p_flags & PF_X)
			*offset = address - segment->p_vaddr + segment->p_offset;
		else
			err = -EINVAL;
	}
	elf_file__close(&elf);
	return err;
}

/* What is added to addresses in the file where its byte at this offset is mapped to `start`. */
static int find_bias(const struct elf_file *elf, uint64_t start, uint64_t offset, uint64_t *bias)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < elf->segment_count; i++) {
		const Elf64_Phdr *segment = &elf->segments[i];
		const uint64_t first = segment->p_offset & ~(page - 1);

		if (segment->p_type != PT_LOAD || offset < first ||
		    offset - first >= segment->p_offset - first + segment->p_filesz)
			continue;
		*bias = start - offset - (segment->p_vaddr - segment->p_offset);
		return 0;
	}
	return -EINVAL;
}

int symbol__find_variable(int fd, const char *name, uint64_t start, uint64_t offset,
			  uint64_t *address)
{
	uint64_t value = 0, bias = 0;
	struct elf_file elf;
	int err = elf_file__open(&elf, fd, NULL);

	if (err)
		return err;
	err = find(&elf, STT_OBJECT, name, &value);
	if (!err)
		err = find_bias(&elf, start, offset, &bias);
	if (!err)
		*address = bias + value;
	elf_file__close(&elf);
	return err;
}

static int find_all(const struct elf_file *elf, const char *const names[], size_t count,
		    uint64_t bias, uint64_t addresses[])
{
	struct table table;
	int err = read_table(elf, ".dynsym", &table);

	for (size_t i = 0; !err && i < count; i++) {
		uint64_t value = 0;

		err = find_in(&table, STT_OBJECT, names[i], &value);
		addresses[i] = bias + value;
	}
	free_table(&table);
	return err;
}

int symbol__find_exports(int fd, const char *const names[], size_t count, uint64_t start,
			 uint64_t offset, uint64_t addresses[])
{
	uint64_t bias = 0;
	struct elf_file elf;
	int err = elf_file__open(&elf, fd, NULL);

	if (err)
		return err;
	err = find_bias(&elf, start, offset, &bias);
	if (!err)
		err = find_all(&elf, names, count, bias, addresses);
	elf_file__close(&elf);
	return err;
}
