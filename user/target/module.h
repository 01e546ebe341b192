/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modules: the files mapped executable by a process that carry probes of a known provider.
 *
 * Who attaches to one opens it for as long as that takes: then it holds a descriptor of the very
 * file that is mapped (checked by device and inode, or by the mapped bytes where the file system
 * shows other numbers there), and `path` is /proc/self/fd/N of it: for deleted files, in other
 * mount namespaces, after privileges were dropped, and without a race against someone who renames
 * files. At other times it has none, since a process may map more such files than we may have
 * open. `name` is for people.
 */
#ifndef GCTRACE_TARGET_MODULE_H
#define GCTRACE_TARGET_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../base/buf.h"
#include "notes.h"

struct maps;
struct note_cache;
struct process;

/* Providers that gctrace knows. A module has at least one of them. */
enum provider {
	PROVIDER_GCTRACE,
	PROVIDER_HOTSPOT,
	PROVIDER_HS_PRIVATE,
	PROVIDER_PYTHON,
	PROVIDER_RUBY,
	PROVIDER_COUNT,
};

const char *provider__name(enum provider provider);

/* By name; PROVIDER_COUNT: not one that gctrace knows. */
enum provider provider__find(const char *name);

struct module {
	struct module *next;
	int fd;			 /* -1: not open */
	char path[32];           /* "/proc/self/fd/N" while it is */
	char *name;              /* as the target sees it; unescaped */
	dev_t dev;               /* of the opened file */
	ino_t inode;
	uint32_t map_major, map_minor; /* as /proc/PID/maps has it: may differ from dev and */
	uint64_t map_inode;      /* inode on overlay file systems and btrfs */
	uint64_t bias;           /* add to addresses in notes for addresses in the process */
	uint64_t start;          /* of its first executable mapping */
	bool deleted;
	unsigned int providers;  /* bit 1 << enum provider */
	struct notes *notes;	 /* shared with the cache */
};

/*
 * What a process has, in the order of addresses. `skipped` has one line of reason for
 * every mapped file that could not be looked into and may have had probes: text for a
 * warning, escaped, lines closed by \n; an empty one means that nothing was overlooked.
 */
struct modules {
	struct module *first;
	size_t count;
	struct buf skipped;
};

#define MODULES_INIT { NULL, 0, BUF_INIT }

/*
 * Scan a process: modules not in `modules` yet are added at its end (so a rescan tells what
 * is new by the old count), those gone from the process stay; one that is mapped elsewhere
 * now gets its new bias. `skipped` is that of the last scan. 0, or negative errno when the process
 * could not be looked at (why says the reason; -ESRCH: gone; -EMFILE: no descriptor is left).
 */
int modules__scan(struct modules *modules, const struct process *process,
		  struct note_cache *cache, struct buf *why);
/* The same with maps read already. */
int modules__scan_maps(struct modules *modules, const struct process *process,
		       const struct maps *maps, struct note_cache *cache, struct buf *why);
void modules__free(struct modules *modules);

/*
 * Open it (again), where it is mapped by now; maps: NULL to have them read. 0 or negative errno:
 * -ENOENT, it is not mapped any more; -ESTALE, that is another file now.
 */
int module__open(struct module *module, const struct process *process, const struct maps *maps);
void module__close(struct module *module); /* if it is open */

/* The first module that has this probe, or NULL; *probe may be NULL. */
struct module *modules__find(const struct modules *modules, const char *provider,
			     const char *name, const struct note_probe **probe);

/* All providers of all modules: bits 1 << enum provider. */
unsigned int modules__providers(const struct modules *modules);

#endif
