/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines become pieces that do not overlap by laying the later ones over the earlier:
 *
 *	earlier   |----- a -----|   |-- b --|
 *	later           |---- c ------|
 *	          |- a -|---- c ------|- b -|
 *
 * Both are in the order of addresses, so this is one pass over both. Within what came at once it is
 * a merge sort whose later half wins; the result is laid over all that was known. n lines are at
 * most 2n - 1 pieces.
 */
#include "perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/refuse.h"
#include "../base/search.h"
#include "../base/vec.h"
#include "process.h"
#include "procfs.h"
#include "reader.h"

#define CHUNK ((size_t)64 << 10)
#define CLOCKS_DIFFER_S 2 /* a process's start is told in ticks since boot */

struct piece {
	uint64_t start, end;
	size_t name; /* offset in names */
};

struct pieces VEC_OF(struct piece);

struct perf_map {
	struct pieces pieces; /* in order, none of which overlap */
	struct pieces fresh;  /* lines that are not among them yet, as they came */
	struct buf names, rest; /* each closed by a 0; the line that has no end yet */
	uint64_t lines, malformed; /* all, and those that were none */
	bool is_cut;

	const struct process *process; /* NULL: text is added */
	struct buf path;
	dev_t device;
	ino_t inode;
	uint64_t offset; /* read so far */
};

/* ---------------------------------------------------------------- pieces */

static int add_piece(struct pieces *to, const struct piece *piece, uint64_t start, uint64_t end)
{
	return start < end ? vec__push(to, (struct piece){ start, end, piece->name }) : 0;
}

/* `to` is empty. 0 or -ENOMEM. */
static int lay_over(const struct pieces *earlier, const struct pieces *later, struct pieces *to)
{
	const struct piece *over = later->items, *last = over + later->count;
	uint64_t covered = 0;
	int err = vec__reserve(to, earlier->count + later->count);

	for (size_t i = 0; i < earlier->count && !err; i++) {
		const struct piece *piece = &earlier->items[i];
		uint64_t start = piece->start > covered ? piece->start : covered;

		for (; !err && over < last && over->start < piece->end; over++) {
			err = add_piece(to, piece, start, over->start);
			if (!err)
				err = vec__push(to, *over);
			covered = over->end;
			start = start > covered ? start : covered;
		}
		if (!err)
			err = add_piece(to, piece, start, piece->end);
	}
	for (; !err && over < last; over++)
		err = vec__push(to, *over);
	return err;
}

/* Lines as they came, the later over the earlier. `to` is empty. */
static int sort(const struct piece *lines, size_t count, struct pieces *to)
{
	struct pieces earlier = VEC_INIT, later = VEC_INIT;
	int err;

	if (count < 2)
		return count ? vec__push(to, lines[0]) : 0;
	err = sort(lines, count / 2, &earlier);
	if (!err)
		err = sort(lines + count / 2, count - count / 2, &later);
	if (!err)
		err = lay_over(&earlier, &later, to);
	vec__free(&earlier);
	vec__free(&later);
	return err;
}

/* What came since the last time is looked up from now on. */
static int settle(struct perf_map *map)
{
	struct pieces fresh = VEC_INIT, all = VEC_INIT;
	int err;

	if (!map->fresh.count)
		return 0;
	err = sort(map->fresh.items, map->fresh.count, &fresh);
	if (!err)
		err = lay_over(&map->pieces, &fresh, &all);
	vec__free(&fresh);
	if (err) {
		vec__free(&all);
		return err;
	}
	vec__free(&map->pieces);
	vec__free(&map->fresh);
	map->pieces = all;
	return 0;
}

/* ---------------------------------------------------------------- text */

static bool parse_number(const char **at, const char *end, uint64_t *value)
{
	if (end - *at > 2 && (*at)[0] == '0' && ((*at)[1] | 0x20) == 'x')
		*at += 2;
	return procfs__number(at, end, 16, value) && procfs__skip(at, end, ' ');
}

/* Code has a size and a name, and ends within the address space. */
static bool parse_line(const char *at, const char *end, struct piece *piece, const char **name)
{
	uint64_t size;

	if (!parse_number(&at, end, &piece->start) || !parse_number(&at, end, &size) || !size ||
	    __builtin_add_overflow(piece->start, size, &piece->end))
		return false;
	*name = at;
	return at < end && !memchr(at, '\0', (size_t)(end - at));
}

static int take_line(struct perf_map *map, const char *line, const char *end)
{
	struct piece piece = { .name = map->names.len };
	const char *name;

	if (!parse_line(line, end, &piece, &name)) {
		map->malformed++;
		return 0;
	}
	buf__add(&map->names, name, (size_t)(end - name));
	buf__add_char(&map->names, '\0');
	return map->names.error ? map->names.error : vec__push(&map->fresh, piece);
}

/* Text that ends with a newline. */
static int take_lines(struct perf_map *map, const char *at, const char *end)
{
	int err = 0;

	for (; at < end && !err && map->lines < PERF_MAP_LINES; map->lines++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		err = take_line(map, at, stop);
		at = stop + 1;
	}
	map->is_cut |= at < end;
	return err;
}

static int take(struct perf_map *map, const char *text, size_t len)
{
	const char *last = len ? memrchr(text, '\n', len) : NULL;
	const size_t whole = last ? (size_t)(last + 1 - text) : 0;
	int err;

	if (map->is_cut)
		return 0;
	buf__add(&map->rest, text, whole);
	err = map->rest.error;
	if (!err && whole) {
		err = take_lines(map, map->rest.data, map->rest.data + map->rest.len);
		buf__reset(&map->rest);
	}
	if (!err && len > whole) {
		buf__add(&map->rest, text + whole, len - whole);
		err = map->rest.error;
	}
	return err;
}

int perf_map__add(struct perf_map *map, const char *text, size_t len)
{
	int err = take(map, text, len);

	return err ? err : settle(map);
}

/* ---------------------------------------------------------------- the file */

/* Written to before the process began? Then it is of another one with its pid. */
static bool is_older(const struct stat *st, const struct process *process)
{
	struct timespec wall, boot;
	int64_t began;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	began = wall.tv_sec - boot.tv_sec +
		(int64_t)(process->start_ticks / (uint64_t)sysconf(_SC_CLK_TCK));
	return st->st_mtim.tv_sec + CLOCKS_DIFFER_S < began;
}

static int check_file(const struct perf_map *map, const struct stat *st, struct buf *why)
{
	const struct process *process = map->process;
	const char *path = buf__str(&map->path);

	if (st->st_uid != process->uid && st->st_uid != process->euid && st->st_uid != 0)
		return refuse(why, -EPERM,
			      "%s belongs to user %u, who is neither its user (%u) nor root",
			      escape(path), st->st_uid, (unsigned int)process->euid);
	if (is_older(st, process))
		return refuse(why, -ESTALE, "%s is older than the process", escape(path));
	return 0;
}

/* The descriptor, or negative errno. */
static int open_file(const struct perf_map *map, struct stat *st, struct buf *why)
{
	const char *path = buf__str(&map->path);
	int fd = process__open_file(map->process, path, O_RDONLY | O_NOFOLLOW), err;

	if (fd == -ENOENT)
		return refuse(why, fd, "there is no %s", escape(path));
	if (fd < 0)
		return refuse(why, fd, "%s cannot be opened: %s", escape(path), strerror(-fd));
	err = fstat(fd, st) ? -errno : check_file(map, st, why);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

static int read_file(struct perf_map *map, int fd)
{
	char *room = malloc(CHUNK);
	int err = room ? 0 : -ENOMEM;

	while (!err && !map->is_cut) {
		const ssize_t n = reader__pread(map->process->pid, fd, room, CHUNK, map->offset);

		if (n <= 0) {
			err = (int)n;
			break;
		}
		map->offset += (uint64_t)n;
		err = take(map, room, (size_t)n);
		map->is_cut |= map->offset >= PERF_MAP_MOST;
	}
	free(room);
	return err ? err : settle(map);
}

static void forget(struct perf_map *map)
{
	vec__free(&map->pieces);
	vec__free(&map->fresh);
	buf__reset(&map->names);
	buf__reset(&map->rest);
	map->lines = map->malformed = 0;
	map->offset = 0;
	map->is_cut = false;
}

static int refresh(struct perf_map *map, struct buf *why)
{
	struct stat st;
	int fd = open_file(map, &st, why), err;

	if (fd < 0)
		return fd;
	if (st.st_dev != map->device || st.st_ino != map->inode ||
	    (uint64_t)st.st_size < map->offset)
		forget(map);
	map->device = st.st_dev;
	map->inode = st.st_ino;
	err = read_file(map, fd);
	close(fd);
	if (err)
		refuse(why, err, "%s cannot be read: %s", escape(buf__str(&map->path)),
		       strerror(-err));
	return err;
}

int perf_map__refresh(struct perf_map *map)
{
	return map->process ? refresh(map, NULL) : 0;
}

/* ---------------------------------------------------------------- outside */

struct perf_map *perf_map__new(void)
{
	return calloc(1, sizeof(struct perf_map));
}

int perf_map__open(const struct process *process, const char *directory, struct perf_map **out,
		   struct buf *why)
{
	struct perf_map *map = perf_map__new();
	int err;

	*out = NULL;
	if (!map)
		return -ENOMEM;
	map->process = process;
	buf__printf(&map->path, "%s/perf-%d.map", directory ? directory : "/tmp",
		    process__inner_pid(process));
	err = map->path.error;
	if (!err)
		err = refresh(map, why);
	if (err)
		perf_map__free(map);
	else
		*out = map;
	return err;
}

void perf_map__free(struct perf_map *map)
{
	if (!map)
		return;
	vec__free(&map->pieces);
	vec__free(&map->fresh);
	buf__free(&map->names);
	buf__free(&map->rest);
	buf__free(&map->path);
	free(map);
}

size_t perf_map__count(const struct perf_map *map)
{
	return map->pieces.count;
}

void perf_map__at(const struct perf_map *map, size_t index, struct perf_code *code)
{
	const struct piece *piece = &map->pieces.items[index];

	*code = (struct perf_code){ piece->start, piece->end, map->names.data + piece->name };
}

bool perf_map__find(const struct perf_map *map, uint64_t address, struct perf_code *code)
{
	const size_t begun = search__front(map->pieces.items, map->pieces.count, piece,
					   piece->start <= address);

	if (!begun || map->pieces.items[begun - 1].end <= address)
		return false;
	perf_map__at(map, begun - 1, code);
	return true;
}

uint64_t perf_map__malformed(const struct perf_map *map)
{
	return map->malformed;
}

bool perf_map__is_cut(const struct perf_map *map)
{
	return map->is_cut;
}
