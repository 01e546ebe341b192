/* SPDX-License-Identifier: BSD-2-Clause */
/* What is looked into is this program, which has a symbol table, and damaged copies of it. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/symbol.h"

extern const char __ehdr_start; /* the linker's: where the file's first byte is mapped */

int looked_for_by_this_test(int n);

__attribute__((noinline)) int looked_for_by_this_test(int n)
{
	return 3 * n + (int)getpid();
}

int not_a_function_of_this_test = 7;

/* The program as bytes, to be changed and looked into again. */
struct image {
	char *bytes;
	size_t size;
	FILE *file;
};

static void image__read(struct image *image)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat st;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	image->size = (size_t)st.st_size;
	image->bytes = malloc(image->size);
	assert_non_null(image->bytes);
	assert_int_equal(read(fd, image->bytes, image->size), image->size);
	close(fd);
	image->file = tmpfile();
	assert_non_null(image->file);
}

static int image__find(struct image *image, const char *name, uint64_t *offset)
{
	rewind(image->file);
	assert_int_equal(ftruncate(fileno(image->file), 0), 0);
	assert_int_equal(fwrite(image->bytes, 1, image->size, image->file), image->size);
	fflush(image->file);
	return symbol__find_function(fileno(image->file), name, offset);
}

static void image__free(struct image *image)
{
	free(image->bytes);
	fclose(image->file);
}

static Elf64_Shdr *image__section(struct image *image, Elf64_Word type)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)image->bytes;
	Elf64_Shdr *sections = (Elf64_Shdr *)(image->bytes + header->e_shoff);

	for (int i = 0; i < header->e_shnum; i++)
		if (sections[i].sh_type == type)
			return &sections[i];
	fail_msg("this program has no section of type %u", type);
	return NULL;
}

static void a_function_is_where_its_bytes_are(void **state)
{
	const unsigned char *code = (const unsigned char *)(uintptr_t)looked_for_by_this_test;
	struct image image;
	uint64_t offset = 0;

	(void)state;
	assert_int_equal(looked_for_by_this_test(0), (int)getpid());
	image__read(&image);
	assert_int_equal(image__find(&image, "looked_for_by_this_test", &offset), 0);
	assert_true(offset + 16 <= image.size);
	assert_memory_equal(image.bytes + offset, code, 16);
	image__free(&image);
}

static void only_functions_of_that_very_name(void **state)
{
	struct image image;
	uint64_t offset;

	(void)state;
	image__read(&image);
	assert_int_equal(not_a_function_of_this_test, 7);
	assert_int_equal(image__find(&image, "looked_for_by_this_tes", &offset), -ENOENT);
	assert_int_equal(image__find(&image, "not_a_function_of_this_test", &offset), -ENOENT);
	assert_int_equal(image__find(&image, "", &offset), -ENOENT);
	/* Of another file: known by name, and not in this one. */
	assert_int_equal(image__find(&image, "getpid", &offset), -ENOENT);
	image__free(&image);
}

static void a_variable_is_where_it_is_in_memory(void **state)
{
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const uint64_t start = (uint64_t)(uintptr_t)&__ehdr_start;
	uint64_t address = 0;

	(void)state;
	assert_int_equal(symbol__find_variable(fd, "not_a_function_of_this_test", start, 0,
					       &address), 0);
	assert_int_equal(address, (uintptr_t)&not_a_function_of_this_test);
	assert_int_equal(symbol__find_variable(fd, "looked_for_by_this_test", start, 0, &address),
			 -ENOENT);
	assert_int_equal(symbol__find_variable(fd, "not_a_function_of_this_test", start,
					       UINT64_MAX / 2, &address), -EINVAL);
	close(fd);
}

static void a_stripped_file_has_none(void **state)
{
	struct image image;
	uint64_t offset;

	(void)state;
	image__read(&image);
	image__section(&image, SHT_SYMTAB)->sh_type = SHT_NOBITS;
	assert_int_equal(image__find(&image, "looked_for_by_this_test", &offset), -ENOENT);
	image__free(&image);
}

static void tables_that_contradict_the_file(void **state)
{
	struct image image;
	uint64_t offset;
	Elf64_Shdr *table;

	(void)state;
	image__read(&image);
	table = image__section(&image, SHT_SYMTAB);
	table->sh_link = 65535;
	assert_int_equal(image__find(&image, "looked_for_by_this_test", &offset), -EINVAL);
	table->sh_link = 0; /* the null section: no names */
	assert_int_equal(image__find(&image, "looked_for_by_this_test", &offset), -ENOENT);
	table->sh_size = UINT64_MAX;
	assert_true(image__find(&image, "looked_for_by_this_test", &offset) < 0);
	image__free(&image);
}

static void an_address_that_is_nowhere(void **state)
{
	struct image image;
	uint64_t offset;
	Elf64_Shdr *table;
	Elf64_Sym *symbols;

	(void)state;
	image__read(&image);
	table = image__section(&image, SHT_SYMTAB);
	symbols = (Elf64_Sym *)(image.bytes + table->sh_offset);
	for (size_t i = 0; i < table->sh_size / sizeof(*symbols); i++)
		symbols[i].st_value = UINT64_MAX - 5;
	assert_int_equal(image__find(&image, "looked_for_by_this_test", &offset), -EINVAL);
	image__free(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_is_where_its_bytes_are),
		cmocka_unit_test(only_functions_of_that_very_name),
		cmocka_unit_test(a_variable_is_where_it_is_in_memory),
		cmocka_unit_test(a_stripped_file_has_none),
		cmocka_unit_test(tables_that_contradict_the_file),
		cmocka_unit_test(an_address_that_is_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
