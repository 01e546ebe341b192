/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that say of themselves that they have very many names, mapped by this very process. */
#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture.h"
#include "target/elf_file.h"
#include "target/maps.h"
#include "target/process.h"
#include "target/symbol_table.h"
#include "target/symbols.h"

#define FILES 20
#define NAMES_AT 0x1000
#define FUNCTION 0x800
#define MAPPED 0x1000

static const char section_names[] = "\0.symtab\0.strtab\0.shstrtab";

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[4];
	Elf64_Sym symbols[2];
	char names[sizeof(section_names)];
};

/* One function, the name of which stands at the beginning of so many bytes of names. */
static void write_image(const char *path, const char *function, uint64_t names)
{
	struct image image = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_DYN, .e_machine = EM_X86_64,
			    .e_phoff = offsetof(struct image, segment), .e_phnum = 1,
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_shoff = offsetof(struct image, sections), .e_shnum = 4,
			    .e_shentsize = sizeof(Elf64_Shdr), .e_shstrndx = 3 },
		.segment = { PT_LOAD, PF_R | PF_X, 0, 0, 0, MAPPED, MAPPED, 0 },
		.sections = { { 0 },
			      { .sh_name = 1, .sh_type = SHT_SYMTAB, .sh_link = 2,
				.sh_offset = offsetof(struct image, symbols),
				.sh_size = sizeof(image.symbols) },
			      { .sh_name = 9, .sh_type = SHT_STRTAB, .sh_offset = NAMES_AT,
				.sh_size = names },
			      { .sh_name = 17, .sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct image, names),
				.sh_size = sizeof(section_names) } },
		.symbols = { { 0 },
			     { 1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, FUNCTION, 16 } },
	};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	memcpy(image.names, section_names, sizeof(section_names));
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &image, sizeof(image), 0), sizeof(image));
	assert_int_equal(pwrite(fd, function, strlen(function), NAMES_AT + 1), strlen(function));
	assert_int_equal(ftruncate(fd, (off_t)(NAMES_AT + names)), 0);
	close(fd);
}

static uint64_t map_image(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at = mmap(NULL, MAPPED, PROT_READ, MAP_PRIVATE, fd, 0);

	assert_true(at != MAP_FAILED);
	close(fd);
	return (uint64_t)(uintptr_t)at;
}

/* "file0", ... and last "small", all with a function of the file's name. */
static void map_all(uint64_t *at)
{
	char name[16];

	for (int i = 0; i <= FILES; i++) {
		snprintf(name, sizeof(name), i < FILES ? "file%d" : "small", i);
		write_image(name, name, i < FILES ? ELF_FILE_LIMIT : 64);
		at[i] = map_image(name);
	}
}

static const char *function_at(struct symbols *symbols, uint64_t base)
{
	struct symbol_found found;

	symbols__find(symbols, base + FUNCTION, &found);
	return found.function ? found.function : "";
}

static size_t find_all(struct symbols *symbols, const uint64_t *at)
{
	size_t found = 0;
	char name[16];

	for (int i = 0; i < FILES; i++) {
		const char *function = function_at(symbols, at[i]);

		snprintf(name, sizeof(name), "file%d", i);
		if (!*function)
			continue;
		assert_string_equal(function, name);
		assert_int_equal(found++, i);
	}
	return found;
}

static void there_is_room_for_so_many_symbols_in_all(void **state)
{
	uint64_t at[FILES + 1];
	struct process *process;
	struct maps maps = MAPS_INIT;
	struct symbols *symbols;
	const char *said;
	char first[16];
	size_t found;

	(void)state;
	map_all(at);
	assert_int_equal(process__open(getpid(), &process, NULL), 0);
	assert_int_equal(maps__read(&maps, process), 0);
	symbols = symbols__new(process);
	symbols__use(symbols, &maps);
	fixture__listen();
	found = find_all(symbols, at);
	assert_int_equal(find_all(symbols, at), found);
	/* What there is room for is read still. */
	assert_string_equal(function_at(symbols, at[FILES]), "small");
	said = fixture__said();
	assert_in_range(found, 8, SYMBOLS_MOST / ELF_FILE_LIMIT);
	snprintf(first, sizeof(first), "/file%zu ", found);
	assert_non_null(strstr(said, first));
	assert_non_null(strstr(said, "256 MiB"));
	assert_ptr_equal(strstr(said, "gctrace: warning: "), said);
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	for (size_t i = 0; i <= FILES; i++)
		munmap((void *)(uintptr_t)at[i], MAPPED);
	symbols__free(symbols);
	symbols__free(NULL);
	maps__free(&maps);
	process__free(process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(there_is_room_for_so_many_symbols_in_all,
						fixture__enter, fixture__leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
