/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An ELF file that may have been made to harm its reader.
 *
 * It is read by pread() and never mapped: its owner may cut it off at any moment, and a
 * reader that has it mapped dies of SIGBUS. Every offset and size in it is checked against
 * the file and against a stated bound before memory is taken, and there is none of the
 * guessing and repairing that general libraries do. Only what gctrace can trace is let in:
 * 64-bit, little-endian, x86-64 or arm64.
 */
#ifndef GCTRACE_TARGET_ELF_FILE_H
#define GCTRACE_TARGET_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"

struct elf_file {
	int fd;                 /* the caller's */
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Phdr *segments;
	size_t segment_count;
	Elf64_Shdr *sections;   /* none in a file that was stripped of its table */
	size_t section_count;
	char *names;            /* of sections; closed by a 0 */
	size_t names_len;
	uint64_t bytes;         /* of tables that elf_file__open() read, failed or not */
};

/* No table, note or string section may be larger than this. Programs have some KiB. */
#define ELF_FILE_LIMIT ((uint64_t)16 << 20)

/*
 *   -ENOEXEC  not an ELF program, or cut off
 *   -ENOTSUP  an ELF program, but not one that gctrace can trace
 *   -EINVAL   it contradicts itself; -EFBIG: beyond the limit above
 *   or what reading gave. why (NULL: not wanted) gets the reason, as the end of a sentence
 *   that begins with the file's name. elf_file__close() is due after success only.
 */
int elf_file__open(struct elf_file *elf, int fd, struct buf *why);
void elf_file__close(struct elf_file *elf);

/* The next section with this name behind `after` (NULL: the first); NULL: no more. */
const Elf64_Shdr *elf_file__section(const struct elf_file *elf, const char *name,
				    const Elf64_Shdr *after);

/*
 * Bytes of the file, closed by a 0 that does not count; the caller frees *bytes. -EINVAL when
 * they are not all in the file, -EFBIG beyond the limit.
 */
int elf_file__read(const struct elf_file *elf, uint64_t offset, uint64_t size, char **bytes);

/*
 * A symbol that the file exports (.dynsym), by name: its address and size. False: there is none,
 * or the tables make no sense.
 */
bool elf_file__symbol(const struct elf_file *elf, const char *name, uint64_t *address,
		      uint64_t *size);

/* Where the bytes of an address are in the file: the segment, or NULL for none. */
const Elf64_Phdr *elf_file__segment_at(const struct elf_file *elf, uint64_t address);

#endif
