/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as an ELF file. The first byte chooses: 0 takes the rest as the file; else the rest is
 * one part of a file that is fine otherwise, so that the fuzzer need not find a whole ELF file
 * first.
 */
#ifndef FUZZ_ELF_BYTES_H
#define FUZZ_ELF_BYTES_H

#include <elf.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

/* Writes what is fine into the file: the first byte is choice, and so many bytes come behind it. */
typedef void (*elf_bytes__frame)(int fd, uint8_t choice, size_t bytes);

/* Of a library: what lies where in the file, and how many. The last section has the names. */
static inline Elf64_Ehdr elf_bytes__header(Elf64_Off segments, Elf64_Half segment_count,
					   Elf64_Off sections, Elf64_Half section_count)
{
	return (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_phoff = segments,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = segment_count,
		.e_shoff = sections,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = section_count,
		.e_shstrndx = section_count - 1,
	};
}

/*
 * The file, always the same descriptor; -1: there is none for these bytes. *at is where the bytes
 * behind the first lie in it: part, if they are one.
 */
static inline int elf_bytes__file(const uint8_t *data, size_t size, elf_bytes__frame write_frame,
				  off_t part, off_t *at)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("elf", 0);
	if (fd < 0 || size < 1)
		return -1;
	CHECK(ftruncate(fd, 0) == 0);
	*at = data[0] ? part : 0;
	if (data[0])
		write_frame(fd, data[0], size - 1);
	CHECK(pwrite(fd, data + 1, size - 1, *at) == (ssize_t)(size - 1));
	return fd;
}

#endif
