/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preloaded into gctrace: an allocator that refuses one request.
 *
 *	REFUSE_LIST=FILE   append the call site of each allocation that is seen for the first time
 *	REFUSE_SITE=HASH   refuse the first one from that site
 *	REFUSE_FIRED=FILE  is written to when that was done
 *
 * A site is the chain of return addresses, DEPTH of them, as offsets in the objects they lie in: it
 * is the same in each run. Children are left alone: what they do is reported by their parent.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEPTH 8
#define SKIPPED 2 /* frames: ours, and gctrace's own in front of us */
#define SITES 65536

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *at, size_t bytes);

static _Atomic uint64_t sites[SITES];
static atomic_bool is_done;
static bool is_ready;
static uint64_t chosen;
static int list = -1;
static int fired = -1;
static pid_t own;
static __thread bool is_inside;

struct place {
	uintptr_t at, offset;
};

static int find(struct dl_phdr_info *info, size_t size, void *context)
{
	struct place *place = context;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		const uintptr_t from = info->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_LOAD && place->at >= from &&
		    place->at - from < part->p_memsz) {
			place->offset = place->at - info->dlpi_addr;
			return 1;
		}
	}
	return 0;
}

static uint64_t site_now(void)
{
	void *frames[DEPTH + SKIPPED + 2];
	const int count = backtrace(frames, DEPTH + SKIPPED + 2);
	uint64_t hash = 1469598103934665603u;

	for (int i = SKIPPED; i < count; i++) {
		struct place place = { (uintptr_t)frames[i], 0 };

		dl_iterate_phdr(find, &place);
		hash = (hash ^ place.offset) * 1099511628211u;
	}
	return hash ? hash : 1;
}

static bool is_new(uint64_t site)
{
	for (uint64_t i = site % SITES;; i = (i + 1) % SITES) {
		uint64_t there = 0;

		if (atomic_compare_exchange_strong(&sites[i], &there, site))
			return true;
		if (there == site)
			return false;
	}
}

static bool is_refused(void)
{
	bool refused = false;
	uint64_t site;
	char line[32];
	int len;

	if (!is_ready || is_inside || is_done || getpid() != own)
		return false;
	is_inside = true;
	site = site_now();
	if (list >= 0 && is_new(site)) {
		len = snprintf(line, sizeof(line), "%016" PRIx64 "\n", site);
		if (write(list, line, (size_t)len) != len)
			_exit(99);
	}
	if (chosen == site && !atomic_exchange(&is_done, true)) {
		refused = true;
		if (fired >= 0 && write(fired, "1", 1) != 1)
			_exit(99);
		if (getenv("REFUSE_SHOW")) {
			void *frames[30];

			backtrace_symbols_fd(frames, backtrace(frames, 30), STDERR_FILENO);
		}
	}
	is_inside = false;
	if (refused)
		errno = ENOMEM;
	return refused;
}

__attribute__((constructor)) static void begin(void)
{
	const char *file = getenv("REFUSE_LIST"), *site = getenv("REFUSE_SITE");
	void *frame;

	backtrace(&frame, 1); /* loads what it needs */
	own = getpid();
	chosen = site ? strtoull(site, NULL, 16) : 0;
	/* Opened now: gctrace may give up its rights. */
	if (getenv("REFUSE_FIRED"))
		fired = open(getenv("REFUSE_FIRED"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (file)
		list = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	unsetenv("LD_PRELOAD");
	is_ready = list >= 0 || chosen;
}

void *malloc(size_t bytes)
{
	return is_refused() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	return is_refused() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *at, size_t bytes)
{
	return is_refused() ? NULL : __libc_realloc(at, bytes);
}

/* Of the graph's pieces that come from the kernel. */
void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t from)
{
	static void *(*next)(void *, size_t, int, int, int, off_t);

	if (!next)
		next = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
	if (is_refused())
		return MAP_FAILED;
	return next(at, bytes, protection, flags, fd, from);
}
