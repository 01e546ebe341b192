/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols that were taken out of a program or library, from the file that they were put into.
 * Where that is, by what the stripped file says of itself (as gdb's manual has it, "Separate Debug
 * Files"):
 *
 *	its build id abcdef...	/usr/lib/debug/.build-id/ab/cdef....debug
 *	.gnu_debuglink NAME	in the stripped file's own directory, in .debug below that, and
 *				below /usr/lib/debug in the directory of the same name
 *
 * as the process sees these paths. A file is taken only if it is of the same build: it has the same
 * build id, or, where there is none, the checksum that .gnu_debuglink tells.
 */
#ifndef GCTRACE_TARGET_DEBUG_FILE_H
#define GCTRACE_TARGET_DEBUG_FILE_H

#include <stdint.h>

#include "../base/buf.h"

struct elf_file;
struct process;
struct symbol_room;
struct symbol_table;

/*
 * To compare a checksum all of a file has to be read, which whoever waits for names should not have
 * to wait for long, whatever the process has mapped: no more than this of all files together.
 */
#define DEBUG_FILES_MOST ((uint64_t)256 << 20)

/*
 * path: of the stripped file, as the process sees it. left: how many bytes may still be read for
 * checksums, room: of symbols; both get less. 0; -ENOENT: there is none; -ESTALE: there is one, of
 * another build; -EFBIG: there is one that is larger than what was left; or as
 * symbol_table__read(), and the table is empty.
 */
int debug_file__read(const struct process *process, const char *path, const struct elf_file *elf,
		     uint64_t *left, struct symbol_room *room, struct symbol_table *table);

/*
 * What .gnu_debuglink says: the name of a file, appended, and the checksum of it. -ENOENT: nothing,
 * or nothing sensible; a name with a slash is none.
 */
int debug_file__link(const struct elf_file *elf, struct buf *name, uint32_t *checksum);

#endif
