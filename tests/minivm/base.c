/* SPDX-License-Identifier: BSD-2-Clause */
#include "base.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void say(const char *format, va_list arguments)
{
	char text[1024];
	int n = snprintf(text, sizeof(text), "minivm: ");

	n += vsnprintf(text + n, sizeof(text) - (size_t)n - 1, format, arguments);
	if (n > (int)sizeof(text) - 2)
		n = sizeof(text) - 2;
	text[n++] = '\n';
	if (write(STDERR_FILENO, text, (size_t)n) < 0)
		return;
}

void die(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	_exit(1);
}

void refuse(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	_exit(2);
}

void bug(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	abort();
}

void *get_memory(void *old, size_t bytes)
{
	void *memory = realloc(old, bytes ? bytes : 1);

	if (!memory)
		die("out of memory: %zu bytes were asked for", bytes);
	return memory;
}

void *reserve(uint64_t hint, uint64_t bytes, const char *what)
{
	void *p = mmap((void *)(uintptr_t)hint, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("cannot reserve %llu MiB of addresses for %s: %s; a smaller --heap needs less",
		    (unsigned long long)bytes >> 20, what, strerror(errno));
	return p;
}

void sleep_ns(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000u),
			      .tv_nsec = (long)(ns % 1000000000u) };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

void list__grow(struct list *list)
{
	list->capacity = list->capacity ? list->capacity * 2 : 64;
	list->items = get_memory(list->items, list->capacity * sizeof(*list->items));
}

void list__append(struct list *to, struct list *from)
{
	for (size_t i = 0; i < from->count; i++)
		list__push(to, from->items[i]);
	from->count = 0;
}

void list__free(struct list *list)
{
	free(list->items);
	*list = (struct list){ 0 };
}
