/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the native code of a process is called: for any address the file that is mapped there and
 * the function, by the file's own symbols, or, where they were taken out, by those of its debug
 * file (debug_file.h).
 *
 * A file's symbols are read when it is first asked for, and kept. Names are the target's, and not
 * escaped. Of all files no more than SYMBOLS_MOST is read; the first that this leaves something out
 * of is told in a warning.
 */
#ifndef GCTRACE_TARGET_SYMBOLS_H
#define GCTRACE_TARGET_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct maps;
struct process;
struct symbols;

struct symbol_found {
	const char *file;     /* its base name, "[vdso]" and the like, "" for memory without one */
	const char *function; /* as the linker has it; NULL: not known */
	uint64_t start;	      /* of the function, in the process */
	uint32_t file_number; /* the same for the same file; 0: of none that has symbols */
	bool inside;	      /* the address is within the size that the function has */
	bool is_code;	      /* something executable is mapped there */
};

/* NULL: no memory. The process outlives it. */
struct symbols *symbols__new(const struct process *process);
void symbols__free(struct symbols *symbols);

/* Mappings, which outlive the next call of this. Files that were read stay. */
void symbols__use(struct symbols *symbols, const struct maps *maps);

/* Texts in *found are the symbols' own, as long as they live; `file` as long as the maps. */
void symbols__find(struct symbols *symbols, uint64_t address, struct symbol_found *found);

/*
 * The first file that has no names of its debug file since that would have to be read as a whole,
 * and DEBUG_FILES_MOST of such were read. NULL: there was none.
 */
const char *symbols__unread(const struct symbols *symbols);

#endif
