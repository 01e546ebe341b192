/* SPDX-License-Identifier: BSD-2-Clause */
#include "ram.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "report.h"
#include "units.h"

#define THREAD_STACK (UINT64_C(1) << 20)
#define FILE_BYTES 8192

/* Sanitizers have an allocator and terabytes of shadow of their own. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

static _Atomic uint64_t refused, held;
static uint64_t limit, aside;
static _Atomic uint64_t over;
static struct rlimit before;
static bool is_limited;

/* ---------------------------------------------------------------- the allocator */

#ifndef HAS_SANITIZER

/* A static program has one allocator: the linker puts ours in front (see Makefile). */
#ifdef GCTRACE_STATIC
#define OURS(name) __wrap_##name
#define REAL(name) __real_##name
void *__real_malloc(size_t bytes) __attribute__((weak));
void *__real_calloc(size_t count, size_t bytes) __attribute__((weak));
void *__real_realloc(void *at, size_t bytes) __attribute__((weak));
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);
#else
#define OURS(name) name
#define REAL(name) next_##name()
#define NEXT(name, result, ...)                                                \
	typedef result name##_fn(__VA_ARGS__);                                 \
	static name##_fn *next_##name(void)                                    \
	{                                                                      \
		static name##_fn *_Atomic next;                                \
                                                                               \
		if (!next)                                                     \
			next = (name##_fn *)dlsym(RTLD_NEXT, #name);           \
		return next;                                                   \
	}
NEXT(malloc, void *, size_t)
NEXT(calloc, void *, size_t, size_t)
NEXT(realloc, void *, void *, size_t)
#endif

void *OURS(malloc)(size_t bytes)
{
	void *at = REAL(malloc)(bytes);

	if (!at)
		ram__refused(bytes);
	return at;
}

void *OURS(calloc)(size_t count, size_t bytes)
{
	void *at = REAL(calloc)(count, bytes);
	size_t all;

	if (!at)
		ram__refused(__builtin_mul_overflow(count, bytes, &all) ? SIZE_MAX : all);
	return at;
}

void *OURS(realloc)(void *at, size_t bytes)
{
	void *to = REAL(realloc)(at, bytes);

	if (!to && bytes)
		ram__refused(bytes);
	return to;
}

#endif

/* ---------------------------------------------------------------- small files */

/* Without a byte from the allocator, which may just have refused some. */
static bool read_file(const char *path, char text[FILE_BYTES])
{
	const int saved = errno, fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 0;

	while (fd >= 0 && len < FILE_BYTES - 1 &&
	       (n = read(fd, text + len, FILE_BYTES - 1 - len)) > 0)
		len += (size_t)n;
	if (fd >= 0)
		close(fd);
	text[len] = '\0';
	errno = saved;
	return fd >= 0 && n >= 0;
}

/* The number after a word that begins a line; UINT64_MAX: there is none. */
static uint64_t number_of(const char *text, const char *word)
{
	const size_t len = strlen(word);
	uint64_t number;

	for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
		if (strncmp(text, word, len) == 0 && sscanf(text + len, "%" SCNu64, &number) == 1)
			return number;
	return UINT64_MAX;
}

/* Private pages that can be written to, as RLIMIT_DATA counts them. */
static uint64_t data_bytes(void)
{
	char text[FILE_BYTES];
	unsigned long data = 0;

	if (!read_file("/proc/self/statm", text) ||
	    sscanf(text, "%*u %*u %*u %*u %*u %lu", &data) != 1)
		return 0;
	return (uint64_t)data * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---------------------------------------------------------------- what ran out */

void ram__refused(uint64_t bytes)
{
	uint64_t none = 0;

	if (atomic_compare_exchange_strong(&refused, &none, bytes ? bytes : 1))
		held = data_bytes();
}

void ram__over(uint64_t bytes)
{
	if (limit && bytes > over)
		over = bytes;
}

uint64_t ram__least_needed(void)
{
	uint64_t least;

	if (!over || __builtin_add_overflow(limit, over, &least))
		return 0;
	return least;
}

uint64_t ram__enough_mib(uint64_t bytes)
{
	const uint64_t more = bytes / 2 + (UINT64_C(5) << 20);

	return (bytes < UINT64_MAX - more ? bytes + more : UINT64_MAX) >> 20;
}

bool ram__ran_out(void)
{
	return refused != 0;
}

/* The limit that would have let it pass: what was held above the base, and what came on top. */
static uint64_t needed(void)
{
	const uint64_t all = held + aside + refused;

	return all > RAM_BASE_DATA ? all - RAM_BASE_DATA : 0;
}

bool ram__report(void)
{
	char text[256], least[UNITS_TEXT], most[UNITS_TEXT];
	int len;

	if (!ram__ran_out())
		return false;
	if (limit && refused <= SIZE_MAX / 2 && needed() > limit)
		len = snprintf(text, sizeof(text),
			       "gctrace: out of memory: at least %s are needed, and the limit is "
			       "%s;\ngctrace:   raise --mem-limit to at least %" PRIu64 " MiB\n",
			       units__bytes(least, needed()), units__bytes(most, limit),
			       ram__enough_mib(needed()));
	else
		len = snprintf(text, sizeof(text),
			       "gctrace: out of memory: the system refused %s; the output is"
			       " incomplete\n", units__bytes(least, refused));
	progress_end();
	if (write(STDERR_FILENO, text, (size_t)len) != len)
		return true;
	return true;
}

/* ---------------------------------------------------------------- what is available */

/* What a control group has left: pages of files that were not used lately can be taken back. */
static uint64_t room_in(const char *group, bool unified)
{
	static const char *const names[2][3] = {
		{ "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file " },
		{ "memory.max", "memory.current", "inactive_file " },
	};
	char path[PATH_MAX + 64], text[FILE_BYTES];
	uint64_t most, high = UINT64_MAX, used, files;

	snprintf(path, sizeof(path), "%s/%s", group, names[unified][0]);
	most = read_file(path, text) ? number_of(text, "") : UINT64_MAX;
	snprintf(path, sizeof(path), "%s/memory.high", group);
	if (unified && read_file(path, text))
		high = number_of(text, "");
	if (high < most)
		most = high;
	snprintf(path, sizeof(path), "%s/%s", group, names[unified][1]);
	used = read_file(path, text) ? number_of(text, "") : UINT64_MAX;
	if (most == UINT64_MAX || used == UINT64_MAX)
		return UINT64_MAX;
	snprintf(path, sizeof(path), "%s/memory.stat", group);
	files = read_file(path, text) ? number_of(text, names[unified][2]) : UINT64_MAX;
	used -= files < used ? files : 0;
	return used < most ? most - used : 0;
}

/* The least of a group and of all above it. */
static uint64_t room_from(const char *root, const char *group, size_t len, bool unified)
{
	char path[PATH_MAX];
	uint64_t least = UINT64_MAX, room;
	const int from = snprintf(path, sizeof(path), "%s/sys/fs/cgroup%s", root,
				  unified ? "" : "/memory");
	char *slash;

	if (from < 0 || (size_t)from + len >= sizeof(path))
		return UINT64_MAX;
	memcpy(path + from, group, len);
	path[(size_t)from + len] = '\0';
	for (;;) {
		room = room_in(path, unified);
		least = room < least ? room : least;
		slash = strrchr(path + from, '/');
		if (!slash)
			return least;
		*slash = '\0';
	}
}

uint64_t ram__available(const char *root)
{
	char path[PATH_MAX], text[FILE_BYTES], *line, *next, *group;
	uint64_t least = UINT64_MAX, room;

	snprintf(path, sizeof(path), "%s/proc/meminfo", root);
	if (read_file(path, text))
		least = number_of(text, "MemAvailable:");
	if (least != UINT64_MAX)
		least <<= 10;
	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	for (line = read_file(path, text) ? text : NULL; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		group = strchr(line, ':');
		group = group ? strchr(group + 1, ':') : NULL;
		if (!group++)
			continue;
		if (strncmp(line, "0::", 3) && !strstr(line, ":memory:"))
			continue;
		room = room_from(root, group, strlen(group), line[0] == '0' && line[1] == ':');
		least = room < least ? room : least;
	}
	return least == UINT64_MAX ? 0 : least;
}

/* ---------------------------------------------------------------- the limit */

static void apply(void)
{
#ifndef HAS_SANITIZER
	const uint64_t all = limit > UINT64_MAX / 2 ? limit : limit + RAM_BASE_DATA;
	struct rlimit now = before;

	now.rlim_cur = all > aside ? all - aside : 0;
	if (now.rlim_cur < before.rlim_cur)
		is_limited = setrlimit(RLIMIT_DATA, &now) == 0 || is_limited;
#endif
}

void ram__limit(uint64_t bytes)
{
	pthread_attr_t usual;

	if (limit || getrlimit(RLIMIT_DATA, &before))
		return;
	limit = bytes ? bytes : ram__available("") / 2;
	if (!limit)
		return;
	/* The whole stack of a thread counts, from its start. */
	if (pthread_attr_init(&usual) == 0) {
		pthread_attr_setstacksize(&usual, THREAD_STACK);
		pthread_setattr_default_np(&usual);
		pthread_attr_destroy(&usual);
	}
	apply();
}

uint64_t ram__limit_bytes(void)
{
	return limit;
}

void ram__set_aside(uint64_t bytes)
{
	aside += bytes;
	apply();
}

void ram__unlimit(void)
{
	if (is_limited)
		setrlimit(RLIMIT_DATA, &before);
}
