/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The USDT probes of an ELF file: its .note.stapsdt.
 *
 * A probe is a provider and a name; it has one or more sites, and each site an address, a
 * semaphore (or none) and a text that says where the arguments are. Addresses are those
 * of the file with the .stapsdt.base adjustment made; add the load bias (module.h) for
 * addresses in a process. Offsets are those in the file, which is what uprobes take.
 *
 * The file is the target's and may be made to deceive: everything is bounded and checked,
 * nothing is mapped (a file that shrinks while mapped would kill the reader), a
 * malformed note is left out and counted.
 */
#ifndef GCTRACE_TARGET_NOTES_H
#define GCTRACE_TARGET_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"

struct note_site {
	uint64_t address;           /* of the nop */
	uint64_t offset;            /* the same in the file */
	uint64_t semaphore;         /* address, 0: none */
	uint64_t semaphore_offset;  /* the same in the file, 0: none */
	const char *arguments;      /* "8@%rdi -4@$3" */
};

struct note_probe {
	const char *provider;
	const char *name;
	struct note_site *sites;
	size_t site_count;          /* at least 1 */
};

struct note_segment {               /* PT_LOAD */
	uint64_t address, memory_size;
	uint64_t offset, file_size;
	bool write, execute;
};

struct notes {
	struct note_probe *probes;  /* sorted by provider, then name */
	size_t probe_count;
	size_t malformed;           /* notes that made no sense, and were left out */
	struct note_segment *segments;
	size_t segment_count;
	uint16_t machine;           /* EM_X86_64 or EM_AARCH64 */
	bool position_independent;  /* ET_DYN */
	unsigned char build_id[64];
	size_t build_id_len;        /* 0: none */
	char *strings;
	struct note_site *sites;
	unsigned int others;	    /* owners beside the first */
};

/*
 * Read a file's notes. A file without probes is a success with probe_count 0.
 *   -ENOEXEC  not ELF, or cut off: not a program
 *   -ENOTSUP  ELF, but not 64-bit little-endian x86-64 or arm64 (why says what)
 *   -EINVAL   an ELF file that contradicts itself
 *   or what reading gave. why as in process.h; the caller frees *out by notes__free().
 */
int notes__read(int fd, struct notes **out, struct buf *why);

/* Another owner: notes go when each has called notes__free(). Not by several threads at once. */
struct notes *notes__share(struct notes *notes);
void notes__free(struct notes *notes);

/* The probe, or NULL. */
const struct note_probe *notes__find(const struct notes *notes, const char *provider,
				     const char *name);

/* Is there a probe of this provider? */
bool notes__has_provider(const struct notes *notes, const char *provider);

/*
 * What to add to the file's addresses where the file's offset is mapped executable at
 * start; false when no executable segment holds that offset.
 */
bool notes__bias(const struct notes *notes, uint64_t start, uint64_t offset, uint64_t *bias);

#endif
