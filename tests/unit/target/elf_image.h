/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small ELF files made by hand, so that tests can have every field as wrong as they like.
 *
 *   segment 0  r--  address 0x0000     offset 0x0000 size 0x1000   headers
 *   segment 1  r-x  address 0x401000   offset 0x1000 size 0x1000   code
 *   segment 2  rw-  address 0x603000   offset 0x2000 size 0x1000   data, semaphores
 *   .note.stapsdt at 0x3000, .stapsdt.base at address BASE, section table behind the notes
 */
#ifndef TESTS_TARGET_ELF_IMAGE_H
#define TESTS_TARGET_ELF_IMAGE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define IMAGE_CODE 0x401000
#define IMAGE_DATA 0x603000
#define IMAGE_BASE 0x401f00
#define IMAGE_NOTES_AT 0x3000

struct elf_image {
	struct buf notes;        /* the section's bytes, appended to by the functions below */
	struct buf build_id;     /* 0 bytes: no such section */
	uint64_t base_now;       /* sh_addr of .stapsdt.base; 0: no such section */
	uint16_t machine, type;
};

#define ELF_IMAGE_INIT { BUF_INIT, BUF_INIT, IMAGE_BASE, EM_X86_64, ET_DYN }

/* A probe's note as the assembler macros of <sys/sdt.h> write it. */
void elf_image__probe(struct elf_image *image, const char *provider, const char *name,
		      const char *arguments, uint64_t address, uint64_t semaphore);

/* Any note. */
void elf_image__note(struct elf_image *image, const char *owner, uint32_t type, const void *desc,
		     uint32_t desc_len);

/* The finished file; the caller frees it. The headers are at its beginning, as always. */
struct buf elf_image__make(const struct elf_image *image);
void elf_image__free(struct elf_image *image);

/* An unlinked file with these bytes, open for reading and writing. */
int elf_image__file(const void *bytes, size_t len);

/* The section header with a name in a finished file, or NULL. */
Elf64_Shdr *elf_image__section(struct buf *file, const char *name);

#endif
