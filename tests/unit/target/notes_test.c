/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf_image.h"
#include "target/notes.h"

/* Read bytes as a file. The notes, or NULL with the error in *err and the reason in why. */
static struct notes *read_bytes(const struct buf *file, int *err, struct buf *why)
{
	int fd = elf_image__file(file->data, file->len);
	struct notes *notes;

	*err = notes__read(fd, &notes, why);
	close(fd);
	return notes;
}

static struct notes *read_image(struct elf_image *image)
{
	struct buf file = elf_image__make(image);
	struct notes *notes;
	int err;

	notes = read_bytes(&file, &err, NULL);
	assert_int_equal(err, 0);
	assert_non_null(notes);
	buf__free(&file);
	elf_image__free(image);
	return notes;
}

static void reads_probes_in_order(void **state)
{
	struct elf_image image = ELF_IMAGE_INIT;
	const struct note_probe *probe;
	struct notes *notes;

	(void)state;
	elf_image__probe(&image, "ruby", "gc__mark__end", "", IMAGE_CODE + 0x80, 0);
	elf_image__probe(&image, "gctrace", "batch", "8@%rdi 8@%rsi", IMAGE_CODE + 0x40,
			 IMAGE_DATA + 2);
	elf_image__probe(&image, "gctrace", "batch", "8@-8(%rbp) 8@$3", IMAGE_CODE + 0x20,
			 IMAGE_DATA + 2);
	elf_image__probe(&image, "another", "thing", "", IMAGE_CODE, 0);
	notes = read_image(&image);
	assert_int_equal(notes->probe_count, 3);
	assert_int_equal(notes->malformed, 0);
	assert_string_equal(notes->probes[0].provider, "another");
	assert_string_equal(notes->probes[2].provider, "ruby");

	probe = notes__find(notes, "gctrace", "batch");
	assert_non_null(probe);
	assert_int_equal(probe->site_count, 2);
	assert_int_equal(probe->sites[0].address, IMAGE_CODE + 0x20);
	assert_int_equal(probe->sites[0].offset, 0x1020);
	assert_int_equal(probe->sites[0].semaphore, IMAGE_DATA + 2);
	assert_int_equal(probe->sites[0].semaphore_offset, 0x2002);
	assert_string_equal(probe->sites[0].arguments, "8@-8(%rbp) 8@$3");
	assert_string_equal(probe->sites[1].arguments, "8@%rdi 8@%rsi");

	assert_int_equal(notes__find(notes, "ruby", "gc__mark__end")->sites[0].semaphore_offset, 0);
	assert_null(notes__find(notes, "ruby", "batch"));
	assert_true(notes__has_provider(notes, "ruby"));
	assert_false(notes__has_provider(notes, "rub"));
	notes__free(notes);
}

static void a_file_without_probes_is_fine(void **state)
{
	struct elf_image image = ELF_IMAGE_INIT;
	struct notes *notes = read_image(&image);

	(void)state;
	assert_int_equal(notes->probe_count, 0);
	assert_int_equal(notes->segment_count, 3);
	assert_null(notes__find(notes, "gctrace", "batch"));
	notes__free(notes);
	notes__free(NULL);
}

static void a_file_without_sections_is_fine(void **state)
{
	struct elf_image image = ELF_IMAGE_INIT;
	struct buf file = elf_image__make(&image);
	struct notes *notes;
	int err;

	(void)state;
	((Elf64_Ehdr *)(void *)file.data)->e_shoff = 0;
	notes = read_bytes(&file, &err, NULL);
	assert_int_equal(err, 0);
	assert_int_equal(notes->probe_count, 0);
	notes__free(notes);
	buf__free(&file);
}

/* Prelink moved the file's addresses by 0x100 after the notes were written. */
static void adjusts_to_the_base(void **state)
{
	struct elf_image image = ELF_IMAGE_INIT;
	struct notes *notes;

	(void)state;
	image.base_now = IMAGE_BASE + 0x100;
	elf_image__probe(&image, "gctrace", "batch", "", IMAGE_CODE + 0x40, IMAGE_DATA + 2);
	notes = read_image(&image);
	assert_int_equal(notes->probes[0].sites[0].address, IMAGE_CODE + 0x140);
	assert_int_equal(notes->probes[0].sites[0].offset, 0x1140);
	assert_int_equal(notes->probes[0].sites[0].semaphore_offset, 0x2102);
	notes__free(notes);

	image = (struct elf_image)ELF_IMAGE_INIT;
	image.base_now = 0;
	elf_image__probe(&image, "gctrace", "batch", "", IMAGE_CODE + 0x40, 0);
	notes = read_image(&image);
	assert_int_equal(notes->probes[0].sites[0].offset, 0x1040);
	notes__free(notes);
}

static void leaves_out_and_counts_what_is_malformed(void **state)
{
	static const uint64_t good[3] = { IMAGE_CODE, IMAGE_BASE, 0 };
	struct elf_image image = ELF_IMAGE_INIT;
	char desc[sizeof(good) + 6] = { 0 };
	struct notes *notes;

	(void)state;
	memcpy(desc, good, sizeof(good));
	elf_image__probe(&image, "gctrace", "nowhere", "", 0x999999, 0);
	elf_image__probe(&image, "gctrace", "in_data", "", IMAGE_DATA, 0);
	elf_image__probe(&image, "gctrace", "sem_in_code", "", IMAGE_CODE, IMAGE_CODE);
	elf_image__probe(&image, "gctrace", "sem_nowhere", "", IMAGE_CODE, 0x10);
	elf_image__probe(&image, "gctrace", "sem_in_bss", "", IMAGE_CODE, IMAGE_DATA + 0x1800);
	elf_image__probe(&image, "", "no_provider", "", IMAGE_CODE, 0);
	elf_image__probe(&image, "gctrace", "", "", IMAGE_CODE, 0);
	elf_image__note(&image, "stapsdt", 3, desc, sizeof(good));           /* no strings */
	elf_image__note(&image, "stapsdt", 3, "short", 5);
	memcpy(desc + sizeof(good), "abcdef", 6);
	elf_image__note(&image, "stapsdt", 3, desc, sizeof(desc));           /* they don't end */
	elf_image__note(&image, "stapsdt", 4, desc, sizeof(desc));           /* another type */
	elf_image__note(&image, "systemtap", 3, desc, sizeof(desc));         /* another owner */
	elf_image__probe(&image, "gctrace", "good", "", IMAGE_CODE, 0);
	notes = read_image(&image);
	assert_int_equal(notes->malformed, 10);
	assert_int_equal(notes->probe_count, 1);
	assert_string_equal(notes->probes[0].name, "good");
	notes__free(notes);
}

/* A note that claims to be longer than its section: it is cut, and so is what follows. */
static void a_cut_note_is_counted(void **state)
{
	struct elf_image image = ELF_IMAGE_INIT;
	struct notes *notes;

	(void)state;
	elf_image__probe(&image, "gctrace", "good", "", IMAGE_CODE, 0);
	elf_image__probe(&image, "gctrace", "cut", "", IMAGE_CODE, 0);
	image.notes.len -= 8;
	notes = read_image(&image);
	assert_int_equal(notes->probe_count, 1);
	assert_int_equal(notes->malformed, 1);
	notes__free(notes);
}

static void sizes_that_wrap_are_refused(void **state)
{
	static const uint32_t sizes[] = { UINT32_MAX, UINT32_MAX - 2, UINT32_MAX - 3, 1u << 31 };
	struct buf file;
	int err;

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct elf_image image = ELF_IMAGE_INIT;
		struct notes *notes;

		elf_image__probe(&image, "gctrace", "batch", "", IMAGE_CODE, 0);
		file = elf_image__make(&image);
		memcpy(file.data + IMAGE_NOTES_AT + 4 * (i % 2), &sizes[i / 2], 4);
		notes = read_bytes(&file, &err, NULL);
		assert_int_equal(err, 0);
		assert_int_equal(notes->probe_count, 0);
		assert_int_equal(notes->malformed, 1);
		notes__free(notes);
		buf__free(&file);
		elf_image__free(&image);
	}
}

static void tells_the_bias(void **state)
{
	struct elf_image image = ELF_IMAGE_INIT;
	struct notes *notes = read_image(&image);
	uint64_t bias;

	(void)state;
	assert_true(notes__bias(notes, 0x7f0000001000, 0x1000, &bias));
	assert_int_equal(bias, 0x7f0000001000 - IMAGE_CODE);
	assert_true(notes__bias(notes, IMAGE_CODE, 0x1000, &bias));
	assert_int_equal(bias, 0);
	assert_false(notes__bias(notes, 0x7f0000000000, 0, &bias));
	assert_false(notes__bias(notes, 0x7f0000002000, 0x2000, &bias));
	notes__free(notes);
}

static void reads_the_build_id(void **state)
{
	struct elf_image image = ELF_IMAGE_INIT;
	struct notes *notes;

	(void)state;
	buf__add(&image.build_id, "\x01\x02\x03\x04\x05\x06\x07", 7);
	notes = read_image(&image);
	assert_int_equal(notes->build_id_len, 7);
	assert_memory_equal(notes->build_id, "\x01\x02\x03\x04\x05\x06\x07", 7);
	notes__free(notes);

	image = (struct elf_image)ELF_IMAGE_INIT;
	buf__add_repeated(&image.build_id, 'x', 65);
	notes = read_image(&image);
	assert_int_equal(notes->build_id_len, 0);
	notes__free(notes);
}

/* What is to be wrong, how it is refused, and a word of the reason. */
static const struct {
	size_t offset;
	uint64_t value;
	size_t size;
	int err;
	const char *word;
} wrong_headers[] = {
	{ 0, 'x', 1, -ENOEXEC, "not an ELF" },
	{ EI_CLASS, ELFCLASS32, 1, -ENOTSUP, "32-bit" },
	{ EI_DATA, ELFDATA2MSB, 1, -ENOTSUP, "big-endian" },
	{ offsetof(Elf64_Ehdr, e_type), ET_CORE, 2, -ENOEXEC, "no program" },
	{ offsetof(Elf64_Ehdr, e_machine), EM_RISCV, 2, -ENOTSUP, "machine 243" },
	{ offsetof(Elf64_Ehdr, e_phnum), 0, 2, -EINVAL, "segments" },
	{ offsetof(Elf64_Ehdr, e_phnum), PN_XNUM, 2, -EINVAL, "segments" },
	{ offsetof(Elf64_Ehdr, e_phentsize), 12, 2, -EINVAL, "segments" },
	{ offsetof(Elf64_Ehdr, e_phoff), UINT64_MAX - 3, 8, -EINVAL, "segments" },
	{ offsetof(Elf64_Ehdr, e_shoff), UINT64_MAX - 3, 8, -EINVAL, "sections" },
	{ offsetof(Elf64_Ehdr, e_shnum), 0, 2, -EINVAL, "sections" },
	{ offsetof(Elf64_Ehdr, e_shnum), 0xfeff, 2, -EINVAL, "sections" },
	{ offsetof(Elf64_Ehdr, e_shentsize), 0, 2, -EINVAL, "sections" },
	{ offsetof(Elf64_Ehdr, e_shstrndx), 0xffff, 2, -EINVAL, "sections" },
	{ offsetof(Elf64_Ehdr, e_shstrndx), 0, 2, -EINVAL, "names" },
};

static void refuses_wrong_headers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong_headers) / sizeof(wrong_headers[0]); i++) {
		struct elf_image image = ELF_IMAGE_INIT;
		struct buf file = elf_image__make(&image), why = BUF_INIT;
		int err;

		memcpy(file.data + wrong_headers[i].offset, &wrong_headers[i].value,
		       wrong_headers[i].size);
		assert_null(read_bytes(&file, &err, &why));
		assert_int_equal(err, wrong_headers[i].err);
		if (!strstr(buf__str(&why), wrong_headers[i].word))
			fail_msg("%s: not in: %s", wrong_headers[i].word, buf__str(&why));
		buf__free(&why);
		buf__free(&file);
	}
}

static void arm64_is_taken(void **state)
{
	struct elf_image image = ELF_IMAGE_INIT;
	struct notes *notes;

	(void)state;
	image.machine = EM_AARCH64;
	image.type = ET_EXEC;
	elf_image__probe(&image, "gctrace", "batch", "8@x0 8@[sp, 8]", IMAGE_CODE, 0);
	notes = read_image(&image);
	assert_int_equal(notes->machine, EM_AARCH64);
	assert_false(notes->position_independent);
	assert_int_equal(notes->probe_count, 1);
	notes__free(notes);
}

static void refuses_wrong_sections(void **state)
{
	static const struct {
		uint64_t offset, size;
		uint32_t type;
		int err;
	} wrong[] = {
		{ UINT64_MAX, 8, SHT_NOTE, -EINVAL },
		{ 0x3000, UINT64_MAX, SHT_NOTE, -EFBIG },
		{ 0x3000, UINT64_C(17) << 20, SHT_NOTE, -EFBIG },
		{ 0x3000, 0x10000, SHT_NOTE, -EINVAL },
		{ 0x3000, 8, SHT_PROGBITS, -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct elf_image image = ELF_IMAGE_INIT;
		struct buf file = elf_image__make(&image), why = BUF_INIT;
		Elf64_Shdr *section = elf_image__section(&file, ".note.stapsdt");
		int err;

		section->sh_offset = wrong[i].offset;
		section->sh_size = wrong[i].size;
		section->sh_type = wrong[i].type;
		assert_null(read_bytes(&file, &err, &why));
		assert_int_equal(err, wrong[i].err);
		assert_non_null(strstr(buf__str(&why), ".note.stapsdt"));
		buf__free(&why);
		buf__free(&file);
	}
}

/* A sparse file may claim sections of any size: none of that memory is taken. */
static void a_huge_sparse_file_takes_no_memory(void **state)
{
	struct elf_image image = ELF_IMAGE_INIT;
	struct buf file = elf_image__make(&image);
	struct notes *notes;
	int fd;

	(void)state;
	elf_image__section(&file, ".note.stapsdt")->sh_size = UINT64_C(1) << 40;
	fd = elf_image__file(file.data, file.len);
	assert_int_equal(ftruncate(fd, INT64_C(1) << 41), 0);
	assert_int_equal(notes__read(fd, &notes, NULL), -EFBIG);
	close(fd);
	buf__free(&file);
}

static void fill(struct elf_image *image)
{
	for (int i = 0; i < 8; i++)
		elf_image__probe(image, i % 2 ? "gctrace" : "python", "gc__start",
				 "8@%rdi -4@%eax", IMAGE_CODE + 16 * (uint64_t)i,
				 IMAGE_DATA + 2 * (uint64_t)i);
	buf__add(&image->build_id, "12345678", 8);
}

static void survives_being_cut_anywhere(void **state)
{
	struct elf_image image = ELF_IMAGE_INIT;
	struct buf file;
	int err;

	(void)state;
	fill(&image);
	file = elf_image__make(&image);
	for (size_t len = 0; len < file.len; len++) {
		struct buf cut = { file.data, len, 0, 0 };
		struct notes *notes = read_bytes(&cut, &err, NULL);

		/* The table of sections is last: without all of it, nothing is taken. */
		assert_null(notes);
		assert_true(err == -ENOEXEC || err == -EINVAL);
	}
	buf__free(&file);
	elf_image__free(&image);
}

/* Every byte of headers and notes, set to values that make trouble. */
static void survives_any_wrong_byte(void **state)
{
	static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct elf_image image = ELF_IMAGE_INIT;
	struct buf file;
	size_t readable = 0;
	int err;

	(void)state;
	fill(&image);
	file = elf_image__make(&image);
	for (size_t at = 0; at < file.len; at++) {
		char was = file.data[at];

		if (at >= 0x200 && at < IMAGE_NOTES_AT)
			continue;
		for (size_t v = 0; v < sizeof(values); v++) {
			struct notes *notes;

			file.data[at] = (char)values[v];
			notes = read_bytes(&file, &err, NULL);
			readable += notes != NULL;
			assert_true((notes != NULL) == (err == 0));
			notes__free(notes);
		}
		file.data[at] = was;
	}
	assert_true(readable > 1000);
	buf__free(&file);
	elf_image__free(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_probes_in_order),
		cmocka_unit_test(a_file_without_probes_is_fine),
		cmocka_unit_test(a_file_without_sections_is_fine),
		cmocka_unit_test(adjusts_to_the_base),
		cmocka_unit_test(leaves_out_and_counts_what_is_malformed),
		cmocka_unit_test(a_cut_note_is_counted),
		cmocka_unit_test(sizes_that_wrap_are_refused),
		cmocka_unit_test(tells_the_bias),
		cmocka_unit_test(reads_the_build_id),
		cmocka_unit_test(refuses_wrong_headers),
		cmocka_unit_test(arm64_is_taken),
		cmocka_unit_test(refuses_wrong_sections),
		cmocka_unit_test(a_huge_sparse_file_takes_no_memory),
		cmocka_unit_test(survives_being_cut_anywhere),
		cmocka_unit_test(survives_any_wrong_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
