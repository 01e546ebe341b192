/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes by name, and the words that -p takes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/escape.h"
#include "../base/files.h"
#include "../base/refuse.h"
#include "../base/shorten.h"
#include "../base/vec.h"
#include "../base/wrap.h"
#include "process.h"
#include "procfs.h"
#include "reader.h"

struct pids VEC_OF(pid_t);

#define TEXT_MOST 4096
#define LOOK "; gctrace probes lists those that can be traced"

/* A command line is memory of its process: what names it stands in front. */
static bool read_text(pid_t pid, const char *path, struct buf *text)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return false;
	err = reader__take(pid, fd, TEXT_MOST, text);
	close(fd);
	return err == 0 || err == -EFBIG;
}

static bool read_at(pid_t pid, const char *name, struct buf *text)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	buf__reset(text);
	if (strcmp(name, "exe") == 0)
		return procfs__read_link(AT_FDCWD, path, text) == 0;
	return read_text(pid, path, text);
}

/*
 * The names a process goes by: comm, base name of exe, base name of argv[0]. Calls back
 * for each; true when a call returned true.
 */
static bool any_name(pid_t pid, bool (*test)(const char *name, void *context), void *context)
{
	struct buf text = BUF_INIT;
	bool found = false;

	if (read_at(pid, "comm", &text)) {
		if (text.len && text.data[text.len - 1] == '\n')
			buf__truncate(&text, text.len - 1);
		found = test(buf__str(&text), context);
	}
	if (!found && read_at(pid, "exe", &text))
		found = test(files__base_name(buf__str(&text)), context);
	if (!found && read_at(pid, "cmdline", &text))
		found = test(files__base_name(buf__str(&text)), context);
	buf__free(&text);
	return found;
}

static bool same_name(const char *name, void *context)
{
	return *name && strcmp(name, context) == 0;
}

static bool similar_name(const char *name, void *context)
{
	return strcasestr(name, context) != NULL;
}

/* A process of user space that has not ended: kernel threads and zombies have no cmdline. */
static bool is_running_program(pid_t pid, struct buf *text)
{
	return read_at(pid, "cmdline", text) && text->len > 0;
}

static int compare_pids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

static int list(struct pids *pids, bool (*test)(const char *name, void *context), void *context)
{
	struct buf text = BUF_INIT;
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int err = 0;

	if (!proc)
		return -errno;
	while (!err && (entry = readdir(proc))) {
		const char *at = entry->d_name, *end = at + strlen(at);
		uint64_t pid;

		if (!procfs__number(&at, end, 10, &pid) || at != end || pid > INT_MAX)
			continue;
		if ((pid_t)pid == getpid() || !is_running_program((pid_t)pid, &text))
			continue;
		if (!test || any_name((pid_t)pid, test, context))
			err = vec__push(pids, (pid_t)pid);
	}
	closedir(proc);
	buf__free(&text);
	vec__sort(pids, compare_pids);
	return err;
}

int process__find(const char *name, pid_t **pids, size_t *count)
{
	struct pids found = VEC_INIT;
	int err = list(&found, name ? same_name : NULL, (void *)name);

	if (err)
		vec__free(&found);
	*pids = found.items;
	*count = found.count;
	return err;
}

/* Programs of one name differ in what comes first (where it lies) or last (what it runs). */
static void add_line(struct buf *why, pid_t pid)
{
	struct buf text = BUF_INIT, shown = BUF_INIT;
	const size_t before = why->len;

	buf__printf(why, "\n  %d", pid);
	if (read_at(pid, "cmdline", &text)) {
		for (size_t i = 0; i + 1 < text.len; i++)
			if (text.data[i] == '\0')
				text.data[i] = ' ';
		if (text.len && text.data[text.len - 1] == '\0')
			buf__truncate(&text, text.len - 1);
		buf__add_char(why, ' ');
		escape__add(&shown, buf__str(&text), text.len);
		shorten__add_middle(why, buf__str(&shown), shown.len,
				    WRAP_COLUMNS + 1 - (why->len - before));
	}
	buf__free(&shown);
	buf__free(&text);
}

static int several(const char *word, const struct pids *found, struct buf *why)
{
	if (!why)
		return -EEXIST;
	buf__printf(why, "%zu processes have the name %s; give the pid of one:", found->count,
		    escape(word));
	for (size_t i = 0; i < found->count; i++)
		add_line(why, found->items[i]);
	return -EEXIST;
}

static int nobody(const char *word, struct buf *why)
{
	struct pids near = VEC_INIT;

	if (!why)
		return -ENOENT;
	buf__printf(why, "no process has the name %s", escape(word));
	if (list(&near, similar_name, (void *)word) == 0 && near.count) {
		buf__add_str(why, "; names that contain it:");
		for (size_t i = 0; i < near.count; i++)
			add_line(why, near.items[i]);
	} else {
		buf__add_str(why, LOOK);
	}
	vec__free(&near);
	return -ENOENT;
}

static int by_name(const char *word, pid_t *pid, struct buf *why)
{
	struct pids found = VEC_INIT;
	int err = list(&found, same_name, (void *)word);

	if (err && why)
		buf__printf(why, "cannot list /proc: %s", strerror(-err));
	else if (!err && found.count == 0)
		err = nobody(word, why);
	else if (!err && found.count > 1)
		err = several(word, &found, why);
	else if (!err)
		*pid = found.items[0];
	vec__free(&found);
	return err;
}

int process__resolve(const char *word, pid_t *pid, struct buf *why)
{
	const char *at = word, *end = word + strlen(word);
	uint64_t value;

	*pid = 0;
	if (word[0] == '-' && word[1] && strspn(word + 1, "0123456789") == strlen(word + 1))
		return refuse(why, -EINVAL, "%s is not the id of a process" LOOK, escape(word));
	if (strspn(word, "0123456789") != strlen(word) || !*word)
		return by_name(word, pid, why);
	if (!procfs__number(&at, end, 10, &value) || value == 0 || value > INT_MAX)
		return refuse(why, -EINVAL, "%s is not the id of a process" LOOK, escape(word));
	*pid = (pid_t)value;
	return 0;
}
