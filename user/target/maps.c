/* SPDX-License-Identifier: BSD-2-Clause */
#include "maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/report.h"
#include "../base/search.h"
#include "../base/vec.h"
#include "process.h"
#include "procfs.h"
#include "reader.h"

#define DELETED " (deleted)"
#define CHUNK 65536
#define LINE_MOST (MAPS_PATH_MOST + 256)

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

/* ---------------------------------------------------------------- the text, as a stream */

struct parser {
	struct entries entries;
	struct buf paths; /* each closed by a 0; map.path is an offset until the end */
	struct buf line;  /* the last one, which has not ended yet: at most LINE_MOST of it */
	bool line_is_cut;
	size_t last; /* where the path added last is, and its length */
	size_t last_len;
	size_t malformed, left_out;
};

/* Neighbours are often of the same file. */
static int take_path(struct parser *parser, struct map *map, char *path, size_t len)
{
	const size_t tail = strlen(DELETED);

	if (len > tail && memcmp(path + len - tail, DELETED, tail) == 0) {
		map->deleted = true;
		len -= tail;
	}
	len = unescape(path, len);
	if (parser->line_is_cut || len >= MAPS_PATH_MOST ||
	    parser->paths.len + len >= MAPS_PATHS_MOST) {
		parser->left_out++;
		len = 0;
	}
	if (len != parser->last_len ||
	    memcmp(parser->paths.data + parser->last, path, len) != 0) {
		parser->last = parser->paths.len;
		parser->last_len = len;
		buf__add(&parser->paths, path, len);
		buf__add_char(&parser->paths, '\0');
	}
	map->path = (const char *)(uintptr_t)parser->last;
	map->path_len = len;
	return parser->paths.error;
}

static int take_line(struct parser *parser, char *line, size_t len)
{
	const char *at = line, *end = line + len;
	struct map map = { 0 };
	int err;

	if (!parse_numbers(&at, end, &map)) {
		parser->malformed++;
		return 0;
	}
	procfs__skip_blanks(&at, end);
	err = take_path(parser, &map, line + (at - line), (size_t)(end - at));
	return err ? err : vec__push(&parser->entries, map);
}

static int end_line(struct parser *parser)
{
	int err = buf__reserve(&parser->line, 0);

	if (!err)
		err = take_line(parser, parser->line.data, parser->line.len);
	buf__reset(&parser->line);
	parser->line_is_cut = false;
	return err;
}

static int take(struct parser *parser, const char *text, size_t len)
{
	int err = 0;

	while (len && !err) {
		const char *stop = memchr(text, '\n', len);
		const size_t some = stop ? (size_t)(stop - text) : len;
		const size_t room = LINE_MOST - parser->line.len;

		buf__add(&parser->line, text, some < room ? some : room);
		parser->line_is_cut |= some > room;
		if (stop)
			err = end_line(parser);
		text += some + (stop != NULL);
		len -= some + (stop != NULL);
	}
	return err;
}

/* Nothing has been read: "" has to be somewhere. */
static int begin(struct parser *parser)
{
	*parser = (struct parser){ .paths = BUF_INIT, .line = BUF_INIT };
	buf__add_char(&parser->paths, '\0');
	return parser->paths.error;
}

/* What has come is the maps' from here on, also after an error. */
static int finish(struct parser *parser, struct maps *maps, int err)
{
	if (!err && parser->line.len)
		err = end_line(parser);
	buf__free(&parser->line);
	maps->text = buf__detach(&parser->paths, NULL);
	buf__free(&parser->paths);
	if (!err && !maps->text)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < parser->entries.count; i++)
		parser->entries.items[i].path = maps->text +
						(uintptr_t)parser->entries.items[i].path;
	vec__sort(&parser->entries, compare_addresses);
	maps->entries = parser->entries.items;
	maps->count = parser->entries.count;
	maps->malformed = parser->malformed;
	maps->left_out = parser->left_out;
	if (!err)
		err = mark_files(maps);
	if (err)
		maps__free(maps);
	return err;
}

int maps__parse(struct maps *maps, const char *text, size_t len)
{
	struct parser parser;
	int err = begin(&parser);

	*maps = (struct maps)MAPS_INIT;
	if (!err)
		err = take(&parser, text, len);
	return finish(&parser, maps, err);
}

static int read_all(struct parser *parser, const struct process *process, bool *is_cut)
{
	const int fd = reader__open_at(process->pid, process->procfd, "maps", O_RDONLY);
	char *room = malloc(CHUNK);
	int err = fd < 0 ? fd : room ? 0 : -ENOMEM;
	uint64_t done = 0;

	while (!err) {
		const ssize_t n = reader__read(process->pid, fd, room, CHUNK);

		if (n <= 0) {
			err = (int)n;
			break;
		}
		err = take(parser, room, (size_t)n);
		done += (uint64_t)n;
		*is_cut = done >= MAPS_TEXT_MOST || parser->entries.count >= MAPS_MOST;
		if (*is_cut)
			break;
	}
	free(room);
	if (fd >= 0)
		close(fd);
	return err;
}

/* Once for each process: maps are read again and again. */
static void tell_limit(const struct maps *maps, pid_t pid)
{
	static pid_t told;

	if ((!maps->is_cut && !maps->left_out) || told == pid)
		return;
	told = pid;
	if (maps->is_cut)
		warning("process %d has more mapped than gctrace takes in (%u mappings, %u MiB of"
			" text): what lies behind address %" PRIx64 " is not seen", pid, MAPS_MOST,
			MAPS_TEXT_MOST >> 20,
			maps->count ? maps->entries[maps->count - 1].end : 0);
	else
		warning("%zu mappings of process %d have paths longer than %u bytes, or than %u MiB"
			" in all: gctrace leaves these paths out", maps->left_out, pid,
			MAPS_PATH_MOST, MAPS_PATHS_MOST >> 20);
}

int maps__read(struct maps *maps, const struct process *process)
{
	struct parser parser;
	bool is_cut = false;
	int err = begin(&parser);

	*maps = (struct maps)MAPS_INIT;
	if (!err)
		err = read_all(&parser, process, &is_cut);
	/* The last line has no end. */
	if (is_cut)
		buf__reset(&parser.line);
	err = finish(&parser, maps, err);
	maps->is_cut = is_cut && !err;
	for (size_t i = 0; !err && i < maps->count; i++) {
		struct map *map = &maps->entries[i];
		const char *seen = process__path(process, map->path);

		map->path_len -= (size_t)(seen - map->path);
		map->path = seen;
	}
	if (!err)
		tell_limit(maps, process->pid);
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
