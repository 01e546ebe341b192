/* SPDX-License-Identifier: BSD-2-Clause */
#include "debug_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../base/files.h"
#include "elf_file.h"
#include "process.h"
#include "reader.h"
#include "symbol_table.h"

#define NOTE_OWNER "GNU"
#define BUILD_ID_MOST 64
#define NAME_MOST 256
#define CHUNK 65536
#define DEBUG_ROOT "/usr/lib/debug"

/* By what a file of the same build is known. */
struct build {
	unsigned char id[BUILD_ID_MOST];
	size_t id_size; /* 0: it has none */
	uint32_t checksum;
	bool has_checksum;
	uint64_t *left; /* bytes that may be read for checksums */
	struct symbol_room *room; /* and of symbols */
};

/* The build id out of the file's notes: name size, size, type, "GNU\0", bytes. 0: none. */
static size_t find_build_id(const struct elf_file *elf, unsigned char *id)
{
	const Elf64_Shdr *section = elf_file__section(elf, ".note.gnu.build-id", NULL);
	const size_t head = sizeof(Elf64_Nhdr) + sizeof(NOTE_OWNER);
	Elf64_Nhdr note;
	size_t size = 0;
	char *bytes;

	if (!section || section->sh_type == SHT_NOBITS || section->sh_size < head ||
	    section->sh_size > head + BUILD_ID_MOST ||
	    elf_file__read(elf, section->sh_offset, section->sh_size, &bytes))
		return 0;
	memcpy(&note, bytes, sizeof(note));
	if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(NOTE_OWNER) &&
	    memcmp(bytes + sizeof(note), NOTE_OWNER, sizeof(NOTE_OWNER)) == 0 &&
	    note.n_descsz > 1 && note.n_descsz <= section->sh_size - head) {
		size = note.n_descsz;
		memcpy(id, bytes + head, size);
	}
	free(bytes);
	return size;
}

/* The name, a 0, zeros up to a multiple of 4, the checksum. */
int debug_file__link(const struct elf_file *elf, struct buf *name, uint32_t *checksum)
{
	const Elf64_Shdr *section = elf_file__section(elf, ".gnu_debuglink", NULL);
	char *bytes;
	size_t len, at;

	if (!section || section->sh_type == SHT_NOBITS ||
	    section->sh_size > NAME_MOST + sizeof(*checksum) ||
	    elf_file__read(elf, section->sh_offset, section->sh_size, &bytes))
		return -ENOENT;
	len = strnlen(bytes, section->sh_size);
	at = (len + 4) / 4 * 4;
	if (len && at + sizeof(*checksum) <= section->sh_size && !strchr(bytes, '/') &&
	    strcmp(bytes, ".") != 0 && strcmp(bytes, "..") != 0) {
		buf__add(name, bytes, len);
		memcpy(checksum, bytes + at, sizeof(*checksum));
	} else {
		len = 0;
	}
	free(bytes);
	return len ? name->error : -ENOENT;
}

/* ---------------------------------------------------------------- is it of the same build? */

static int check_all(const struct elf_file *elf, const struct build *build)
{
	unsigned char bytes[CHUNK];
	uLong checksum = crc32(0, NULL, 0);
	uint64_t at = 0;
	ssize_t n;

	if (elf->size > *build->left)
		return -EFBIG;
	*build->left -= elf->size;
	while ((n = reader__pread(0, elf->fd, bytes, sizeof(bytes), at)) > 0 && at <= elf->size) {
		checksum = crc32(checksum, bytes, (uInt)n);
		at += (uint64_t)n;
	}
	return n == 0 && checksum == build->checksum ? 0 : -ESTALE;
}

/* 0; -ESTALE: no; -EFBIG: nobody knows. */
static int check(const struct elf_file *elf, const struct build *build)
{
	unsigned char id[BUILD_ID_MOST];

	if (!build->id_size)
		return build->has_checksum ? check_all(elf, build) : -ESTALE;
	return find_build_id(elf, id) == build->id_size &&
			       memcmp(id, build->id, build->id_size) == 0 ?
		       0 :
		       -ESTALE;
}

static int read_one(const struct process *process, const char *path, const struct build *build,
		    struct symbol_table *table)
{
	struct elf_file elf;
	int fd = process__open_file(process, path, O_RDONLY), err;

	if (fd < 0)
		return fd;
	err = elf_file__open(&elf, fd, NULL);
	symbol_room__take(build->room, elf.bytes);
	if (!err) {
		err = check(&elf, build);
		if (!err)
			err = symbol_table__read(table, &elf, build->room);
		/* One of the same build may be the stripped file itself. */
		if (!err && !table->has_all) {
			symbol_table__free(table);
			err = -ENOENT;
		}
		elf_file__close(&elf);
	}
	close(fd);
	return err;
}

/* ---------------------------------------------------------------- where it may be */

static int read_by_id(const struct process *process, const struct build *build,
		      struct symbol_table *table)
{
	struct buf path = BUF_INIT;
	int err;

	if (!build->id_size)
		return -ENOENT;
	buf__printf(&path, DEBUG_ROOT "/.build-id/%02x/", build->id[0]);
	for (size_t i = 1; i < build->id_size; i++)
		buf__printf(&path, "%02x", build->id[i]);
	buf__add_str(&path, ".debug");
	err = path.error ? path.error : read_one(process, buf__str(&path), build, table);
	buf__free(&path);
	return err;
}

static int read_by_link(const struct process *process, const char *of, const char *name,
			const struct build *build, struct symbol_table *table)
{
	static const struct {
		const char *before, *behind;
	} places[] = { { "", "" }, { "", ".debug/" }, { DEBUG_ROOT, "" } };
	const int directory = (int)(files__base_name(of) - of);
	struct buf path = BUF_INIT;
	int err = -ENOENT, first = 0; /* that there is one that nobody knows of is told above all */

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		buf__reset(&path);
		buf__printf(&path, "%s%.*s%s%s", places[i].before, directory, of,
			    places[i].behind, name);
		err = path.error ? path.error :
				   read_one(process, buf__str(&path), build, table);
		if (!err || err == -ENOMEM)
			break;
		if (err != -ENOENT && (!first || err == -EFBIG))
			first = err;
	}
	buf__free(&path);
	return err == -ENOENT && first ? first : err;
}

int debug_file__read(const struct process *process, const char *path, const struct elf_file *elf,
		     uint64_t *left, struct symbol_room *room, struct symbol_table *table)
{
	struct build build = { .left = left, .room = room };
	struct buf name = BUF_INIT;
	int err;

	*table = (struct symbol_table)SYMBOL_TABLE_INIT;
	build.id_size = find_build_id(elf, build.id);
	err = read_by_id(process, &build, table);
	if (err && err != -ENOMEM && *path == '/' &&
	    debug_file__link(elf, &name, &build.checksum) == 0) {
		build.has_checksum = true;
		err = read_by_link(process, path, buf__str(&name), &build, table);
	}
	buf__free(&name);
	return err;
}
