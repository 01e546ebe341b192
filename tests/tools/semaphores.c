/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * semaphores PID: the value of every semaphore of the stapsdt notes that a process maps, one line
 * each: provider, name, value. Exit status 0 if all are 0, 1 if one is up, 2 if there is none or
 * the process cannot be read.
 *
 * Tests ask it whether anybody is attached. It shares no code with gctrace on purpose: a mistake
 * in the one must not hide in the other.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct image {
	int memory;	    /* /proc/PID/mem */
	uint64_t bias;	    /* runtime address minus address in the file */
	uint64_t told[512]; /* semaphores that were printed: sites of one probe share one */
	size_t told_count;
	int found, up;
};

static bool was_told(struct image *image, uint64_t address)
{
	for (size_t i = 0; i < image->told_count; i++)
		if (image->told[i] == address)
			return true;
	if (image->told_count == sizeof(image->told) / sizeof(image->told[0])) {
		fprintf(stderr, "semaphores: more than %zu semaphores\n", image->told_count);
		exit(2);
	}
	image->told[image->told_count++] = address;
	return false;
}

static void tell_note(struct image *image, const char *desc, size_t size)
{
	uint64_t address[3]; /* site, base of the notes, semaphore */
	const char *provider = desc + sizeof(address), *name;
	uint16_t value;

	if (size <= sizeof(address))
		return;
	memcpy(address, desc, sizeof(address));
	name = provider + strnlen(provider, size - sizeof(address)) + 1;
	if (!address[2] || name >= desc + size || was_told(image, address[2]))
		return;
	if (pread(image->memory, &value, 2, (off_t)(image->bias + address[2])) != 2) {
		fprintf(stderr, "semaphores: %s:%s: %s\n", provider, name, strerror(errno));
		exit(2);
	}
	printf("%s %.*s %u\n", provider, (int)(desc + size - name), name, value);
	image->found++;
	image->up += value != 0;
}

static void tell_section(struct image *image, Elf_Data *data)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while ((at = gelf_getnote(data, at, &note, &name, &desc)) > 0)
		if (note.n_type == 3 && note.n_namesz == 8 &&
		    memcmp((char *)data->d_buf + name, "stapsdt", 8) == 0)
			tell_note(image, (char *)data->d_buf + desc, note.n_descsz);
}

/* Where the file's first loadable segment would begin, in pages. */
static bool first_address(Elf *elf, uint64_t *address)
{
	size_t count;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD) {
			*address = (header.p_vaddr - header.p_offset) & ~(uint64_t)4095;
			return true;
		}
	}
	return false;
}

static void tell_file(struct image *image, const char *path, uint64_t start)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *section = NULL;
	uint64_t first;
	GElf_Shdr header;

	image->told_count = 0;
	if (elf && elf_kind(elf) == ELF_K_ELF && first_address(elf, &first)) {
		image->bias = start - first;
		while ((section = elf_nextscn(elf, section)))
			if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE)
				tell_section(image, elf_getdata(section, NULL));
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	char path[PATH_MAX], line[PATH_MAX + 200];
	unsigned long start, end, offset;
	struct image image = { 0 };
	FILE *maps;

	if (argc != 2) {
		fprintf(stderr, "usage: semaphores PID\n");
		return 2;
	}
	elf_version(EV_CURRENT);
	snprintf(path, sizeof(path), "/proc/%s/mem", argv[1]);
	image.memory = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%s/maps", argv[1]);
	maps = fopen(path, "re");
	if (image.memory < 0 || !maps) {
		fprintf(stderr, "semaphores: %s: %s\n", path, strerror(errno));
		return 2;
	}
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) != 3 || offset != 0 ||
		    !strchr(line, '/'))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/map_files/%lx-%lx", argv[1], start, end);
		tell_file(&image, path, start);
	}
	fclose(maps);
	return image.found ? image.up != 0 : 2;
}
