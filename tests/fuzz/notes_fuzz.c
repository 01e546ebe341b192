/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as an ELF file with probes, or as the notes of one: see elf_bytes.h. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "elf_bytes.h"
#include "target/notes.h"

#define CODE 0x1000
#define DATA 0x2000
#define NOTES 0x3000

static const char names[] = "\0.note.stapsdt\0.stapsdt.base\0.shstrtab";

struct frame {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	Elf64_Shdr sections[4];
	char names[sizeof(names)];
};

static void write_frame(int fd, uint8_t choice, size_t notes)
{
	struct frame frame = {
		.header = elf_bytes__header(offsetof(struct frame, segments), 2,
					    offsetof(struct frame, sections), 4),
		.segments = { { PT_LOAD, PF_R | PF_X, CODE, CODE, CODE, 0x1000, 0x1000, 0 },
			      { PT_LOAD, PF_R | PF_W, DATA, DATA, DATA, 0x1000, 0x1000, 0 } },
		.sections = { { 0 },
			      { .sh_name = 1, .sh_type = SHT_NOTE, .sh_offset = NOTES,
				.sh_size = notes },
			      { .sh_name = 15, .sh_type = SHT_PROGBITS, .sh_addr = CODE },
			      { .sh_name = 29, .sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct frame, names),
				.sh_size = sizeof(names) } },
	};

	(void)choice;
	memcpy(frame.names, names, sizeof(names));
	CHECK(pwrite(fd, &frame, sizeof(frame), 0) == sizeof(frame));
}

static void check(const struct notes *notes, uint64_t size)
{
	uint64_t bias;

	for (size_t i = 0; i < notes->probe_count; i++) {
		const struct note_probe *probe = &notes->probes[i];

		CHECK(*probe->provider && *probe->name && probe->site_count > 0);
		CHECK(notes__find(notes, probe->provider, probe->name) == probe);
		CHECK(notes__has_provider(notes, probe->provider));
		for (size_t j = 0; j < probe->site_count; j++) {
			const struct note_site *site = &probe->sites[j];

			CHECK(strlen(site->arguments) < size);
			CHECK(site->offset < size && site->semaphore_offset < size);
			CHECK(!site->semaphore_offset || site->semaphore);
		}
	}
	(void)notes__bias(notes, size, CODE, &bias);
	CHECK(notes->build_id_len <= sizeof(notes->build_id));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct notes *notes;
	off_t at;
	int fd = elf_bytes__file(data, size, write_frame, NOTES, &at);

	if (fd >= 0 && notes__read(fd, &notes, NULL) == 0) {
		check(notes, (uint64_t)at + size);
		notes__free(notes);
	}
	return 0;
}
