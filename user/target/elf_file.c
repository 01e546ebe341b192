/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/refuse.h"
#include "reader.h"

/* All of it, or -ENOEXEC: the file has become shorter. */
static int read_fully(int fd, uint64_t offset, void *bytes, uint64_t size)
{
	const ssize_t n = reader__pread(0, fd, bytes, size, offset);

	if (n < 0)
		return (int)n;
	return (uint64_t)n == size ? 0 : -ENOEXEC;
}

int elf_file__read(const struct elf_file *elf, uint64_t offset, uint64_t size, char **bytes)
{
	int err;

	*bytes = NULL;
	if (offset > elf->size || size > elf->size - offset)
		return -EINVAL;
	if (size > ELF_FILE_LIMIT)
		return -EFBIG;
	*bytes = malloc(size + 1);
	if (!*bytes)
		return -ENOMEM;
	(*bytes)[size] = '\0';
	err = read_fully(elf->fd, offset, *bytes, size);
	if (err) {
		free(*bytes);
		*bytes = NULL;
	}
	return err;
}

static int check_machine(const Elf64_Ehdr *header, struct buf *why)
{
	if (header->e_machine == EM_X86_64 || header->e_machine == EM_AARCH64)
		return 0;
	return refuse(why, -ENOTSUP, "is a program for another kind of machine (ELF machine %u);"
		      " gctrace knows x86-64 and arm64", header->e_machine);
}

static int check_header(const struct elf_file *elf, struct buf *why)
{
	const Elf64_Ehdr *header = &elf->header;

	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return refuse(why, -ENOEXEC, "is not an ELF program");
	if (header->e_ident[EI_CLASS] != ELFCLASS64)
		return refuse(why, -ENOTSUP, "is a 32-bit program; gctrace traces 64-bit ones");
	if (header->e_ident[EI_DATA] != ELFDATA2LSB)
		return refuse(why, -ENOTSUP, "is a big-endian program; gctrace knows x86-64 and"
			      " arm64");
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return refuse(why, -ENOEXEC, "is an ELF file, but no program or library");
	return check_machine(header, why);
}

static int read_table(struct elf_file *elf, uint64_t offset, uint64_t size, char **bytes)
{
	int err = elf_file__read(elf, offset, size, bytes);

	if (!err)
		elf->bytes += size;
	return err;
}

static int read_segments(struct elf_file *elf, struct buf *why)
{
	const Elf64_Ehdr *header = &elf->header;
	uint64_t size = (uint64_t)header->e_phnum * sizeof(Elf64_Phdr);
	char *bytes;
	int err;

	if (header->e_phnum == 0 || header->e_phentsize != sizeof(Elf64_Phdr) ||
	    header->e_phnum == PN_XNUM)
		return refuse(why, -EINVAL, "has no sensible table of segments");
	err = read_table(elf, header->e_phoff, size, &bytes);
	if (err)
		return refuse(why, err, "has a table of segments that is not in the file");
	elf->segments = (Elf64_Phdr *)(void *)bytes;
	elf->segment_count = header->e_phnum;
	return 0;
}

/* Section numbers that need the escape in section 0 (over 65,279) are no program's. */
static int read_sections(struct elf_file *elf, struct buf *why)
{
	const Elf64_Ehdr *header = &elf->header;
	uint64_t size = (uint64_t)header->e_shnum * sizeof(Elf64_Shdr);
	const Elf64_Shdr *names;
	char *bytes;
	int err;

	if (header->e_shoff == 0)
		return 0;
	if (header->e_shnum == 0 || header->e_shentsize != sizeof(Elf64_Shdr) ||
	    header->e_shstrndx >= header->e_shnum)
		return refuse(why, -EINVAL, "has no sensible table of sections");
	err = read_table(elf, header->e_shoff, size, &bytes);
	if (err)
		return refuse(why, err, "has a table of sections that is not in the file");
	elf->sections = (Elf64_Shdr *)(void *)bytes;
	elf->section_count = header->e_shnum;
	names = &elf->sections[header->e_shstrndx];
	if (names->sh_type != SHT_STRTAB)
		return refuse(why, -EINVAL, "has no names of sections");
	err = read_table(elf, names->sh_offset, names->sh_size, &elf->names);
	if (err)
		return refuse(why, err, "has names of sections that are not in the file");
	elf->names_len = names->sh_size;
	return 0;
}

int elf_file__open(struct elf_file *elf, int fd, struct buf *why)
{
	struct stat st;
	int err;

	*elf = (struct elf_file){ .fd = fd };
	if (fstat(fd, &st))
		return refuse(why, -errno, "cannot be looked at");
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(elf->header))
		return refuse(why, -ENOEXEC, "is not an ELF program");
	elf->size = (uint64_t)st.st_size;
	err = read_fully(fd, 0, &elf->header, sizeof(elf->header));
	if (err)
		return refuse(why, err, "cannot be read");
	err = check_header(elf, why);
	if (!err)
		err = read_segments(elf, why);
	if (!err)
		err = read_sections(elf, why);
	if (err)
		elf_file__close(elf);
	return err;
}

void elf_file__close(struct elf_file *elf)
{
	free(elf->segments);
	free(elf->sections);
	free(elf->names);
	*elf = (struct elf_file){ .fd = -1, .bytes = elf->bytes };
}

const Elf64_Shdr *elf_file__section(const struct elf_file *elf, const char *name,
				    const Elf64_Shdr *after)
{
	size_t first = after ? (size_t)(after - elf->sections) + 1 : 0;

	for (size_t i = first; i < elf->section_count; i++) {
		const Elf64_Shdr *section = &elf->sections[i];

		/* names are closed by a 0, so a name that begins inside also ends inside. */
		if (section->sh_name < elf->names_len &&
		    strcmp(elf->names + section->sh_name, name) == 0)
			return section;
	}
	return NULL;
}

static bool find_symbol(const char *symbols, size_t count, const char *names, size_t names_len,
			const char *name, Elf64_Sym *symbol)
{
	for (size_t i = 0; i < count; i++) {
		memcpy(symbol, symbols + i * sizeof(*symbol), sizeof(*symbol));
		/* names are closed by a 0 behind names_len. */
		if (symbol->st_name < names_len && symbol->st_shndx != SHN_UNDEF &&
		    strcmp(names + symbol->st_name, name) == 0)
			return true;
	}
	return false;
}

bool elf_file__symbol(const struct elf_file *elf, const char *name, uint64_t *address,
		      uint64_t *size)
{
	const Elf64_Shdr *table = elf_file__section(elf, ".dynsym", NULL);
	const Elf64_Shdr *text = elf_file__section(elf, ".dynstr", NULL);
	char *symbols = NULL, *names = NULL;
	Elf64_Sym symbol = { 0 };
	bool found = false;

	if (table && text &&
	    elf_file__read(elf, table->sh_offset, table->sh_size, &symbols) == 0 &&
	    elf_file__read(elf, text->sh_offset, text->sh_size, &names) == 0)
		found = find_symbol(symbols, table->sh_size / sizeof(symbol), names, text->sh_size,
				    name, &symbol);
	free(symbols);
	free(names);
	*address = symbol.st_value;
	*size = symbol.st_size;
	return found;
}

const Elf64_Phdr *elf_file__segment_at(const struct elf_file *elf, uint64_t address)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const Elf64_Phdr *segment = &elf->segments[i];

		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_filesz)
			return segment;
	}
	return NULL;
}
