/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf_image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NONE, NOTES, BASE, BUILD_ID, NAMES, SECTIONS };

static const char names[] = "\0.note.stapsdt\0.stapsdt.base\0.note.gnu.build-id\0.shstrtab";

static void pad(struct buf *buf, size_t to)
{
	while (buf->len % to)
		buf__add_char(buf, '\0');
}

static void add_note(struct buf *buf, const char *owner, uint32_t type, const void *desc,
		     uint32_t desc_len)
{
	Elf64_Nhdr header = { (uint32_t)strlen(owner) + 1, desc_len, type };

	buf__add(buf, &header, sizeof(header));
	buf__add(buf, owner, header.n_namesz);
	pad(buf, 4);
	buf__add(buf, desc, desc_len);
	pad(buf, 4);
}

void elf_image__note(struct elf_image *image, const char *owner, uint32_t type, const void *desc,
		     uint32_t desc_len)
{
	add_note(&image->notes, owner, type, desc, desc_len);
}

void elf_image__probe(struct elf_image *image, const char *provider, const char *name,
		      const char *arguments, uint64_t address, uint64_t semaphore)
{
	uint64_t numbers[3] = { address, IMAGE_BASE, semaphore };
	struct buf desc = BUF_INIT;

	buf__add(&desc, numbers, sizeof(numbers));
	buf__add(&desc, provider, strlen(provider) + 1);
	buf__add(&desc, name, strlen(name) + 1);
	buf__add(&desc, arguments, strlen(arguments) + 1);
	elf_image__note(image, "stapsdt", 3, desc.data, (uint32_t)desc.len);
	buf__free(&desc);
}

static uint32_t name_at(const char *name)
{
	const char *at = names + 1;

	while (strcmp(at, name) != 0)
		at += strlen(at) + 1;
	return (uint32_t)(at - names);
}

static void add_segments(struct buf *file)
{
	Elf64_Phdr segments[] = {
		{ PT_LOAD, PF_R, 0, 0, 0, 0x1000, 0x1000, 0x1000 },
		{ PT_LOAD, PF_R | PF_X, 0x1000, IMAGE_CODE, IMAGE_CODE, 0x1000, 0x1000, 0x1000 },
		{ PT_LOAD, PF_R | PF_W, 0x2000, IMAGE_DATA, IMAGE_DATA, 0x1000, 0x2000, 0x1000 },
	};

	buf__add(file, segments, sizeof(segments));
}

struct buf elf_image__make(const struct elf_image *image)
{
	struct buf file = BUF_INIT, build_id = BUF_INIT;
	Elf64_Shdr sections[SECTIONS] = { { 0 } };
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = image->type,
		.e_machine = image->machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 3,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = NAMES,
	};

	buf__add(&file, &header, sizeof(header));
	add_segments(&file);
	buf__add_repeated(&file, '\0', IMAGE_NOTES_AT - file.len);
	sections[NOTES] = (Elf64_Shdr){ .sh_name = name_at(".note.stapsdt"), .sh_type = SHT_NOTE,
					.sh_offset = file.len, .sh_size = image->notes.len };
	buf__add(&file, image->notes.data, image->notes.len);
	if (image->base_now)
		sections[BASE] = (Elf64_Shdr){ .sh_name = name_at(".stapsdt.base"),
					       .sh_type = SHT_PROGBITS, .sh_size = 1,
					       .sh_addr = image->base_now };
	if (image->build_id.len) {
		add_note(&build_id, "GNU", NT_GNU_BUILD_ID, image->build_id.data,
			 (uint32_t)image->build_id.len);
		sections[BUILD_ID] = (Elf64_Shdr){ .sh_name = name_at(".note.gnu.build-id"),
						   .sh_type = SHT_NOTE, .sh_offset = file.len,
						   .sh_size = build_id.len };
		buf__add(&file, build_id.data, build_id.len);
		buf__free(&build_id);
	}
	sections[NAMES] = (Elf64_Shdr){ .sh_name = name_at(".shstrtab"), .sh_type = SHT_STRTAB,
					.sh_offset = file.len, .sh_size = sizeof(names) };
	buf__add(&file, names, sizeof(names));
	pad(&file, 8);
	((Elf64_Ehdr *)(void *)file.data)->e_shoff = file.len;
	buf__add(&file, sections, sizeof(sections));
	return file;
}

void elf_image__free(struct elf_image *image)
{
	buf__free(&image->notes);
	buf__free(&image->build_id);
}

int elf_image__file(const void *bytes, size_t len)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		abort();
	return fd;
}

Elf64_Shdr *elf_image__section(struct buf *file, const char *name)
{
	Elf64_Ehdr *header = (void *)file->data;
	Elf64_Shdr *sections = (void *)(file->data + header->e_shoff);

	for (int i = 0; i < header->e_shnum; i++)
		if (sections[i].sh_name == name_at(name))
			return &sections[i];
	return NULL;
}
