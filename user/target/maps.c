/* SPDX-License-Identifier: BSD-2-Clause */
#include "maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/search.h"
#include "../base/vec.h"
#include "process.h"
#include "procfs.h"

#define DELETED " (deleted)"

struct entries VEC_OF(struct map);

static bool parse_flag(const char **at, const char *end, char yes, bool *flag)
{
	*flag = procfs__skip(at, end, yes);
	return *flag || procfs__skip(at, end, '-');
}

/* "rwxp", "r--s" */
static bool parse_permissions(const char **at, const char *end, struct map *map)
{
	if (!parse_flag(at, end, 'r', &map->read) || !parse_flag(at, end, 'w', &map->write) ||
	    !parse_flag(at, end, 'x', &map->execute))
		return false;
	map->shared = procfs__skip(at, end, 's');
	return map->shared || procfs__skip(at, end, 'p');
}

static bool parse_device(const char **at, const char *end, struct map *map)
{
	uint64_t major, minor;

	if (!procfs__number(at, end, 16, &major) || !procfs__skip(at, end, ':') ||
	    !procfs__number(at, end, 16, &minor) || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	map->major = (uint32_t)major;
	map->minor = (uint32_t)minor;
	return true;
}

/* All of a line but the path: "START-END PERMS OFFSET MAJOR:MINOR INODE". */
static bool parse_numbers(const char **at, const char *end, struct map *map)
{
	return procfs__number(at, end, 16, &map->start) && procfs__skip(at, end, '-') &&
	       procfs__number(at, end, 16, &map->end) && procfs__skip(at, end, ' ') &&
	       map->start < map->end && parse_permissions(at, end, map) &&
	       procfs__skip(at, end, ' ') && procfs__number(at, end, 16, &map->offset) &&
	       procfs__skip(at, end, ' ') && parse_device(at, end, map) &&
	       procfs__skip(at, end, ' ') && procfs__number(at, end, 10, &map->inode) &&
	       (*at == end || **at == ' ');
}

/* Undo the kernel's only escape, \012 for a newline, in place. The new length. */
static size_t unescape(char *path, size_t len)
{
	size_t to = 0;

	for (size_t from = 0; from < len; to++) {
		if (len - from >= 4 && memcmp(path + from, "\\012", 4) == 0) {
			path[to] = '\n';
			from += 4;
		} else {
			path[to] = path[from++];
		}
	}
	return to;
}

/* The path of a line, which ends at end: the byte there is made a 0. */
static void take_path(struct map *map, char *path, char *end)
{
	size_t len = (size_t)(end - path), tail = strlen(DELETED);

	if (len > tail && memcmp(end - tail, DELETED, tail) == 0) {
		map->deleted = true;
		len -= tail;
	}
	map->path_len = unescape(path, len);
	path[map->path_len] = '\0';
	map->path = path;
}

static bool parse_line(char *line, char *end, struct map *map)
{
	const char *at = line;

	*map = (struct map){ 0 };
	if (!parse_numbers(&at, end, map))
		return false;
	procfs__skip_blanks(&at, end);
	take_path(map, line + (at - line), end);
	return true;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct map *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

static int compare_files(const void *a, const void *b)
{
	const struct map *x = *(struct map *const *)a, *y = *(struct map *const *)b;

	if (x->inode != y->inode)
		return COMPARE(x->inode, y->inode);
	if (x->major != y->major)
		return COMPARE(x->major, y->major);
	if (x->minor != y->minor)
		return COMPARE(x->minor, y->minor);
	return COMPARE(x, y);
}

static bool same_file(const struct map *a, const struct map *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor;
}

/* Mark the first executable mapping of each file. By sorting: there may be 65,530 of them. */
static int mark_files(struct maps *maps)
{
	VEC(struct map *) code = VEC_INIT;
	int err = 0;

	for (size_t i = 0; i < maps->count && !err; i++)
		if (maps->entries[i].execute && maps->entries[i].inode)
			err = vec__push(&code, &maps->entries[i]);
	vec__sort(&code, compare_files);
	for (size_t i = 0; i < code.count; i++)
		code.items[i]->first_of_file = i == 0 ||
					       !same_file(code.items[i - 1], code.items[i]);
	vec__free(&code);
	return err;
}

/* Cut maps->text, which is len long, into entries that point into it. */
static int parse(struct maps *maps, size_t len)
{
	struct entries entries = VEC_INIT;
	char *line = maps->text, *end = maps->text + len;
	struct map map;
	int err = 0;

	while (!err && line < end) {
		char *stop = memchr(line, '\n', (size_t)(end - line));

		if (!stop)
			stop = end;
		if (parse_line(line, stop, &map))
			err = vec__push(&entries, map);
		else
			maps->malformed++;
		line = stop + 1;
	}
	vec__sort(&entries, compare_addresses);
	maps->entries = entries.items;
	maps->count = entries.count;
	return err ? err : mark_files(maps);
}

static int parse_owned(struct maps *maps, char *text, size_t len)
{
	int err;

	*maps = (struct maps)MAPS_INIT;
	maps->text = text;
	err = parse(maps, len);
	if (err)
		maps__free(maps);
	return err;
}

int maps__parse(struct maps *maps, const char *text, size_t len)
{
	char *copy = malloc(len + 1);

	*maps = (struct maps)MAPS_INIT;
	if (!copy)
		return -ENOMEM;
	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	return parse_owned(maps, copy, len);
}

int maps__read(struct maps *maps, const struct process *process)
{
	struct buf text = BUF_INIT;
	int err = process__read(process, "maps", &text);
	size_t len;
	char *bytes;

	*maps = (struct maps)MAPS_INIT;
	if (!err) {
		bytes = buf__detach(&text, &len);
		err = bytes ? parse_owned(maps, bytes, len) : -ENOMEM;
	}
	for (size_t i = 0; !err && i < maps->count; i++) {
		struct map *map = &maps->entries[i];
		const char *seen = process__path(process, map->path);

		map->path_len -= (size_t)(seen - map->path);
		map->path = seen;
	}
	buf__free(&text);
	return err;
}

void maps__free(struct maps *maps)
{
	free(maps->entries);
	free(maps->text);
	*maps = (struct maps)MAPS_INIT;
}

const struct map *maps__at(const struct maps *maps, uint64_t address)
{
	const size_t low = search__front(maps->entries, maps->count, map, map->end <= address);

	if (low < maps->count && maps->entries[low].start <= address)
		return &maps->entries[low];
	return NULL;
}

const struct map *maps__next_file(const struct maps *maps, const struct map *last)
{
	for (size_t i = last ? (size_t)(last - maps->entries) + 1 : 0; i < maps->count; i++)
		if (maps->entries[i].first_of_file)
			return &maps->entries[i];
	return NULL;
}

const struct map *maps__named(const struct maps *maps, const char *prefix)
{
	size_t len = strlen(prefix);

	for (size_t i = 0; i < maps->count; i++) {
		const struct map *map = &maps->entries[i];
		const char *slash = memrchr(map->path, '/', map->path_len);

		if (slash && map->inode && strncmp(slash + 1, prefix, len) == 0)
			return map;
	}
	return NULL;
}
