/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The notes of files seen, by device, inode, size and times of change: a rescan, and a second
 * process with the same library, reads a file once; beyond NOTE_CACHE_FILES of them the oldest are
 * forgotten, and are read again. Not for several threads at once.
 */
#ifndef GCTRACE_TARGET_NOTE_CACHE_H
#define GCTRACE_TARGET_NOTE_CACHE_H

#include "../base/buf.h"

#define NOTE_CACHE_FILES 8192

struct note_cache;
struct notes;

struct note_cache *note_cache__new(void);     /* NULL: no memory */
void note_cache__free(struct note_cache *cache);

/*
 * The notes of an open file, read now or earlier: *notes belongs to the cache (who keeps it beyond
 * the next call has it by notes__share()), and is NULL for a file without a probe of a provider
 * that gctrace knows (module.h). Returns what notes__read() did, with its reason, except that a
 * file that is no ELF program is a file without probes.
 */
int note_cache__read(struct note_cache *cache, int fd, struct notes **notes,
		     struct buf *why);

/* Files read so far, for tests and -vv. */
size_t note_cache__reads(const struct note_cache *cache);

#endif
