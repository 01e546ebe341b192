/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/buf.h"
#include "../base/escape.h"
#include "../base/files.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../base/vec.h"
#include "debug_file.h"
#include "elf_file.h"
#include "mapped_file.h"
#include "maps.h"
#include "process.h"
#include "symbol_table.h"

#define FILE_LEAST 4096 /* of room: what there is to know of a file takes memory, too */

/* A mapped file, known by what maps shows of it. */
struct symbol_file {
	uint64_t inode;
	uint32_t major, minor;
	Elf64_Phdr *segments; /* those that are loaded */
	size_t segment_count;
	struct symbol_table table;
};

struct symbols {
	const struct process *process;
	const struct maps *maps;
	VEC(struct symbol_file) files;
	struct symbol_room room; /* SYMBOLS_MOST and less */
	bool has_told;		 /* that it was too little */
	uint64_t left;		 /* DEBUG_FILES_MOST and less */
	struct buf unread;	 /* the first whose debug file was too large for what is left */
};

struct symbols *symbols__new(const struct process *process)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols) {
		symbols->process = process;
		symbols->room.left = SYMBOLS_MOST;
		symbols->left = DEBUG_FILES_MOST;
	}
	return symbols;
}

void symbols__free(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->files.count; i++) {
		free(symbols->files.items[i].segments);
		symbol_table__free(&symbols->files.items[i].table);
	}
	vec__free(&symbols->files);
	buf__free(&symbols->unread);
	free(symbols);
}

void symbols__use(struct symbols *symbols, const struct maps *maps)
{
	symbols->maps = maps;
}

/* ---------------------------------------------------------------- reading a file */

static int take_segments(struct symbol_file *file, const struct elf_file *elf)
{
	file->segments = malloc((elf->segment_count + 1) * sizeof(*file->segments));
	if (!file->segments)
		return -ENOMEM;
	for (size_t i = 0; i < elf->segment_count; i++)
		if (elf->segments[i].p_type == PT_LOAD)
			file->segments[file->segment_count++] = elf->segments[i];
	return 0;
}

static void read_debug_file(struct symbols *symbols, struct symbol_file *file,
			    const struct map *map, const struct elf_file *elf)
{
	struct symbol_table table;
	int err = debug_file__read(symbols->process, process__path(symbols->process, map->path),
				   elf, &symbols->left, &symbols->room, &table);

	if (err == -EFBIG && !symbols->unread.len)
		buf__add_str(&symbols->unread, map->path);
	if (err)
		return;
	symbol_table__free(&file->table);
	file->table = table;
}

/* A file that has no symbols, or cannot be read, is one without any. */
static void read_file(struct symbols *symbols, struct symbol_file *file,
		      const struct map *map)
{
	struct elf_file elf;
	int fd = mapped_file__open(symbols->process, symbols->maps, map), err;

	symbol_room__take(&symbols->room, FILE_LEAST);
	if (fd < 0)
		return;
	err = elf_file__open(&elf, fd, NULL);
	symbol_room__take(&symbols->room, elf.bytes);
	if (!err) {
		if (take_segments(file, &elf) == 0)
			symbol_table__read(&file->table, &elf, &symbols->room);
		if (!file->table.has_all)
			read_debug_file(symbols, file, map, &elf);
		elf_file__close(&elf);
	}
	close(fd);
}

/* Once: which it is first is enough to know that names are missing. */
static void tell_short(struct symbols *symbols, const struct map *map)
{
	char all[UNITS_TEXT], one[UNITS_TEXT];

	if (!symbols->room.was_short || symbols->has_told)
		return;
	symbols->has_told = true;
	warning("functions of %s are not all told by its symbols: no more than %s of one table and"
		" %s of all files together are read", escape(map->path),
		units__bytes(one, ELF_FILE_LIMIT), units__bytes(all, SYMBOLS_MOST));
}

static const struct symbol_file *file_of(struct symbols *symbols, const struct map *map)
{
	struct symbol_file file = {
		.inode = map->inode,
		.major = map->major,
		.minor = map->minor,
	};

	for (size_t i = 0; i < symbols->files.count; i++) {
		const struct symbol_file *known = &symbols->files.items[i];

		if (known->inode == map->inode && known->major == map->major &&
		    known->minor == map->minor)
			return known;
	}
	if (symbols->room.left < FILE_LEAST) {
		symbols->room.was_short = true;
		tell_short(symbols, map);
		return NULL;
	}
	if (vec__push(&symbols->files, file))
		return NULL;
	read_file(symbols, &symbols->files.items[symbols->files.count - 1], map);
	tell_short(symbols, map);
	return &symbols->files.items[symbols->files.count - 1];
}

const char *symbols__unread(const struct symbols *symbols)
{
	return symbols->unread.len ? buf__str(&symbols->unread) : NULL;
}

/* ---------------------------------------------------------------- looking up */

/* Where the file has what is mapped at this address; 0: in no segment. */
static uint64_t address_in(const struct symbol_file *file, const struct map *map, uint64_t address)
{
	const uint64_t offset = address - map->start + map->offset;

	for (size_t i = 0; i < file->segment_count; i++) {
		const Elf64_Phdr *segment = &file->segments[i];

		if (offset >= segment->p_offset && offset - segment->p_offset < segment->p_filesz)
			return segment->p_vaddr + (offset - segment->p_offset);
	}
	return 0;
}

void symbols__find(struct symbols *symbols, uint64_t address, struct symbol_found *found)
{
	const struct map *map = symbols->maps ? maps__at(symbols->maps, address) : NULL;
	const struct symbol_file *file;
	uint64_t in_file;

	*found = (struct symbol_found){ .file = "" };
	if (!map)
		return;
	found->is_code = map->execute;
	found->file = files__base_name(map->path);
	file = map->inode ? file_of(symbols, map) : NULL;
	in_file = file ? address_in(file, map, address) : 0;
	if (!in_file)
		return;
	found->function = symbol_table__at(&file->table, in_file, &found->start, &found->inside);
	if (!found->function)
		return;
	found->start += address - in_file;
	found->file_number = (uint32_t)(file - symbols->files.items) + 1;
}
