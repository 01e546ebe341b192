/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions and variables of an ELF file by name, from its .symtab, else its .dynsym: for the few
 * places where a runtime tells by these what it tells by no probe.
 */
#ifndef GCTRACE_TARGET_SYMBOL_H
#define GCTRACE_TARGET_SYMBOL_H

#include <stddef.h>
#include <stdint.h>

/*
 * Where the function of exactly this name starts in the file, which is what uprobes take. fd is
 * read by pread() and stays the caller's. 0; -ENOENT when there is none (a stripped file);
 * otherwise as elf_file__open().
 */
int symbol__find_function(int fd, const char *name, uint64_t *offset);

/*
 * Where the variable of exactly this name is in a process that has the file's byte at `offset`
 * mapped to the address `start`. The same.
 */
int symbol__find_variable(int fd, const char *name, uint64_t start, uint64_t offset,
			  uint64_t *address);

/*
 * The same for many variables that the file exports (.dynsym), looked up at once. -ENOENT: it does
 * not have all of them.
 */
int symbol__find_exports(int fd, const char *const names[], size_t count, uint64_t start,
			 uint64_t offset, uint64_t addresses[]);

#endif
