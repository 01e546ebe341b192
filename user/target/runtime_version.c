/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime_version.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf_file.h"
#include "mapped_file.h"
#include "maps.h"
#include "process.h"
#include "procfs.h"
#include "reader.h"

#define RELEASE_LIMIT 65536
#define TEXT_LIMIT 64            /* a version that is longer is none */

/* Cut the last component off a path. False: there is none. */
static bool cut_last(struct buf *path)
{
	const char *slash = memrchr(buf__str(path), '/', path->len);

	if (!slash)
		return false;
	buf__truncate(path, (size_t)(slash - buf__str(path)));
	return true;
}

static bool read_file(const struct process *process, const char *path, char *bytes, size_t *len)
{
	int fd = process__open_file(process, path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return false;
	n = reader__read(process->pid, fd, bytes, *len);
	close(fd);
	if (n < 0)
		return false;
	*len = (size_t)n;
	return true;
}

/* KEY="VALUE" at the beginning of a line. */
static bool add_value(const char *text, size_t len, const char *key, struct buf *out)
{
	const char *line = text, *end = text + len;
	size_t key_len = strlen(key);

	while (line < end) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		const char *value = line + key_len;

		if (!stop)
			stop = end;
		if ((size_t)(stop - line) > key_len + 3 && memcmp(line, key, key_len) == 0 &&
		    value[0] == '=' && value[1] == '"' && stop[-1] == '"') {
			buf__add(out, value + 2, (size_t)(stop - 1 - (value + 2)));
			return true;
		}
		line = stop + 1;
	}
	return false;
}

void runtime_version__java(const struct process *process, const struct map *library,
			   struct buf *out)
{
	struct buf path = BUF_INIT;
	size_t len = RELEASE_LIMIT;
	char *bytes = malloc(RELEASE_LIMIT);

	/* JDK/lib/server/libjvm.so; Java 8 has one directory more. */
	buf__add(&path, library->path, library->path_len);
	for (int up = 0; bytes && up < 5 && cut_last(&path); up++) {
		size_t here = path.len;

		buf__add_str(&path, "/release");
		len = RELEASE_LIMIT;
		if (up >= 2 && !path.error && read_file(process, buf__str(&path), bytes, &len) &&
		    (add_value(bytes, len, "JAVA_RUNTIME_VERSION", out) ||
		     add_value(bytes, len, "JAVA_VERSION", out)))
			break;
		buf__truncate(&path, here);
	}
	free(bytes);
	buf__free(&path);
}

void runtime_version__dotnet(const struct map *library, struct buf *out)
{
	static const char directory[] = "/Microsoft.NETCore.App/";
	const char *at = memmem(library->path, library->path_len, directory, strlen(directory));
	const char *end = library->path + library->path_len;
	const char *slash;

	if (!at)
		return;
	at += strlen(directory);
	slash = memchr(at, '/', (size_t)(end - at));
	if (slash && at[0] >= '0' && at[0] <= '9')
		buf__add(out, at, (size_t)(slash - at));
}

static bool open_elf(const struct process *process, const struct maps *maps,
		     const struct map *file, struct elf_file *elf)
{
	int fd = mapped_file__open(process, maps, file);

	if (fd < 0)
		return false;
	if (elf_file__open(elf, fd, NULL) == 0)
		return true;
	close(fd);
	return false;
}

static void close_elf(struct elf_file *elf)
{
	close(elf->fd);
	elf_file__close(elf);
}

/* The bytes at an exported symbol: at least min of them, at most max. The caller frees. */
static char *symbol_bytes(const struct elf_file *elf, const char *name, uint64_t min, uint64_t max,
			  uint64_t *len)
{
	const Elf64_Phdr *segment;
	uint64_t address, size, left;
	char *bytes;

	if (!elf_file__symbol(elf, name, &address, &size))
		return NULL;
	segment = elf_file__segment_at(elf, address);
	if (!segment)
		return NULL;
	left = segment->p_filesz - (address - segment->p_vaddr);
	*len = size < max ? size : max;
	if (*len > left || *len < min)
		return NULL;
	if (elf_file__read(elf, segment->p_offset + (address - segment->p_vaddr), *len, &bytes))
		return NULL;
	return bytes;
}

void runtime_version__python(const struct process *process, const struct maps *maps,
			     const struct map *file, struct buf *out)
{
	struct elf_file elf;
	uint64_t hex, len;
	char *bytes;

	if (!open_elf(process, maps, file, &elf))
		return;
	bytes = symbol_bytes(&elf, "Py_Version", sizeof(hex), sizeof(hex), &len);
	if (bytes) {
		memcpy(&hex, bytes, sizeof(hex));
		buf__printf(out, "%u.%u.%u", (unsigned int)(hex >> 24 & 255),
			    (unsigned int)(hex >> 16 & 255), (unsigned int)(hex >> 8 & 255));
	}
	free(bytes);
	close_elf(&elf);
}

void runtime_version__ruby(const struct process *process, const struct maps *maps,
			   const struct map *file, struct buf *out)
{
	struct elf_file elf;
	uint64_t len;
	char *bytes;

	if (!open_elf(process, maps, file, &elf))
		return;
	bytes = symbol_bytes(&elf, "ruby_version", 2, TEXT_LIMIT, &len);
	if (bytes)
		buf__add(out, bytes, strnlen(bytes, len));
	free(bytes);
	close_elf(&elf);
}

/*
 * "\xff Go buildinf:", size of a pointer, flags; with flag 2 (Go 1.18 on) the version follows at
 * byte 32: its length as a varint, and its text, "go1.22.1".
 */
static void parse_buildinfo(const char *bytes, size_t len, struct buf *out)
{
	static const char magic[] = "\xff Go buildinf:";
	size_t text_len;

	if (len < 34 || memcmp(bytes, magic, strlen(magic)) != 0 || !(bytes[15] & 2))
		return;
	text_len = (unsigned char)bytes[32];
	if (text_len < 128 && text_len <= len - 33 && text_len > 2 &&
	    memcmp(bytes + 33, "go", 2) == 0)
		buf__add(out, bytes + 35, text_len - 2);
}

bool runtime_version__go(const struct process *process, const struct maps *maps,
			 const struct map *file, struct buf *out)
{
	const Elf64_Shdr *section;
	struct elf_file elf;
	uint64_t len;
	char *bytes;

	if (!open_elf(process, maps, file, &elf))
		return false;
	section = elf_file__section(&elf, ".go.buildinfo", NULL);
	if (section) {
		len = section->sh_size < RELEASE_LIMIT ? section->sh_size : RELEASE_LIMIT;
		if (elf_file__read(&elf, section->sh_offset, len, &bytes) == 0) {
			parse_buildinfo(bytes, len, out);
			free(bytes);
		}
	}
	close_elf(&elf);
	return section != NULL;
}

bool runtime_version__exports(const struct process *process, const struct maps *maps,
			      const struct map *file, const char *symbol)
{
	uint64_t address, size;
	struct elf_file elf;
	bool found;

	if (!open_elf(process, maps, file, &elf))
		return false;
	found = elf_file__symbol(&elf, symbol, &address, &size);
	close_elf(&elf);
	return found;
}
