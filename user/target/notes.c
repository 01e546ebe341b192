/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading .note.stapsdt.
 *
 *   note    u32 name size, u32 descriptor size, u32 type; name and descriptor, each padded
 *           to 4 bytes. Name "stapsdt", type 3.
 *   desc    u64 address of the nop, u64 address of .stapsdt.base as the linker knew it,
 *           u64 address of the semaphore or 0; then provider, name and arguments, each
 *           closed by a 0.
 *
 * The section is not loaded, so a tool that moves a finished file (prelink) does not adjust
 * the addresses in it; it does move the one-byte section .stapsdt.base. The difference between
 * where that is and where the note says it was is added to address and semaphore.
 *
 * A probe that was inlined or written several times has a note for each place. The kernel
 * wants offsets in the file, which the segments give; a note whose address is in no
 * executable segment, or whose semaphore is in no writable one, is malformed.
 */
#include "notes.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/vec.h"
#include "elf_file.h"

#define NOTE_SECTION ".note.stapsdt"
#define BASE_SECTION ".stapsdt.base"
#define BUILD_ID_SECTION ".note.gnu.build-id"
#define STAPSDT_OWNER "stapsdt"
#define STAPSDT_TYPE 3
#define GNU_OWNER "GNU"

/* A note as found, its strings not yet in place. */
struct raw_site {
	const char *provider, *name;
	struct note_site site;
};

struct reader {
	struct elf_file elf;
	struct notes *notes;
	struct buf strings;       /* all note sections, one behind the other */
	VEC(struct raw_site) sites;
	uint64_t base;            /* of .stapsdt.base, 0: none */
};

struct note_view {                /* one note of any owner, inside a section's bytes */
	const char *owner;
	size_t owner_len;
	uint32_t type;
	const char *desc;
	size_t desc_len;
};

static uint64_t padded(uint32_t size)
{
	return ((uint64_t)size + 3) & ~(uint64_t)3;
}

/* The note at *at, which is moved behind it. False at the end, or where nothing fits. */
static bool next_note(const char **at, const char *end, struct note_view *view)
{
	Elf64_Nhdr header;
	uint64_t left;

	if ((size_t)(end - *at) < sizeof(header))
		return false;
	memcpy(&header, *at, sizeof(header));
	left = (uint64_t)(end - *at) - sizeof(header);
	if (padded(header.n_namesz) > left ||
	    header.n_descsz > left - padded(header.n_namesz))
		return false;
	view->owner = *at + sizeof(header);
	view->owner_len = header.n_namesz;
	view->type = header.n_type;
	view->desc = view->owner + padded(header.n_namesz);
	view->desc_len = header.n_descsz;
	left -= padded(header.n_namesz);
	*at = view->desc + (padded(header.n_descsz) < left ? padded(header.n_descsz) : left);
	return true;
}

static bool is_owner(const struct note_view *view, const char *owner)
{
	return view->owner_len == strlen(owner) + 1 &&
	       memcmp(view->owner, owner, view->owner_len) == 0;
}

/* A string that ends inside; *at is moved behind it. NULL: it does not end. */
static const char *next_string(const char **at, const char *end)
{
	const char *text = *at;
	const char *stop = memchr(text, '\0', (size_t)(end - text));

	if (!stop)
		return NULL;
	*at = stop + 1;
	return text;
}

static bool locate(const struct reader *reader, struct note_site *site)
{
	const Elf64_Phdr *code = elf_file__segment_at(&reader->elf, site->address);
	const Elf64_Phdr *data;

	if (!code || !(code->p_flags & PF_X))
		return false;
	site->offset = site->address - code->p_vaddr + code->p_offset;
	if (site->offset >= reader->elf.size)
		return false;
	if (!site->semaphore)
		return true;
	data = elf_file__segment_at(&reader->elf, site->semaphore);
	if (!data || !(data->p_flags & PF_W))
		return false;
	site->semaphore_offset = site->semaphore - data->p_vaddr + data->p_offset;
	return site->semaphore_offset < reader->elf.size;
}

static bool parse_site(const struct reader *reader, const struct note_view *view,
		       struct raw_site *raw)
{
	const char *at = view->desc + 3 * sizeof(uint64_t);
	const char *end = view->desc + view->desc_len;
	uint64_t numbers[3], moved = 0;

	if (view->desc_len < sizeof(numbers) + 3)
		return false;
	memcpy(numbers, view->desc, sizeof(numbers));
	raw->provider = next_string(&at, end);
	raw->name = raw->provider ? next_string(&at, end) : NULL;
	raw->site.arguments = raw->name ? next_string(&at, end) : NULL;
	if (!raw->site.arguments || !*raw->provider || !*raw->name)
		return false;
	if (reader->base)
		moved = reader->base - numbers[1];
	raw->site.address = numbers[0] + moved;
	raw->site.semaphore = numbers[2] ? numbers[2] + moved : 0;
	return locate(reader, &raw->site);
}

static int parse_section(struct reader *reader, const char *bytes, size_t size)
{
	const char *at = bytes, *end = bytes + size;
	struct note_view view;
	int err = 0;

	while (!err && next_note(&at, end, &view)) {
		struct raw_site raw = { 0 };

		if (!is_owner(&view, STAPSDT_OWNER) || view.type != STAPSDT_TYPE)
			continue;
		if (parse_site(reader, &view, &raw))
			err = vec__push(&reader->sites, raw);
		else
			reader->notes->malformed++;
	}
	if (at != end)
		reader->notes->malformed++;
	return err;
}

/*
 * All sections are read before any is parsed: the strings stay where they are, and sites
 * point at them.
 */
static int read_notes(struct reader *reader, struct buf *why)
{
	const struct elf_file *elf = &reader->elf;
	int err = 0;

	for (const Elf64_Shdr *s = NULL; !err && (s = elf_file__section(elf, NOTE_SECTION, s));) {
		char *bytes = NULL;

		if (s->sh_type != SHT_NOTE)
			err = -EINVAL;
		else if (reader->strings.len + s->sh_size > ELF_FILE_LIMIT)
			err = -EFBIG;
		else
			err = elf_file__read(elf, s->sh_offset, s->sh_size, &bytes);
		if (!err) {
			buf__add(&reader->strings, bytes, s->sh_size);
			/* Sections begin at a note, whatever the length of the one before. */
			while (reader->strings.len % 4 && !reader->strings.error)
				buf__add_char(&reader->strings, '\0');
			err = reader->strings.error;
		}
		free(bytes);
	}
	if (err && why)
		buf__printf(why, "has notes of probes (%s) that cannot be read: %s", NOTE_SECTION,
			    strerror(-err));
	return err;
}

static int compare_raw(const void *a, const void *b)
{
	const struct raw_site *x = a, *y = b;
	int order = strcmp(x->provider, y->provider);

	if (!order)
		order = strcmp(x->name, y->name);
	if (order)
		return order;
	return (x->site.address > y->site.address) - (x->site.address < y->site.address);
}

static bool same_probe(const struct note_probe *probe, const struct raw_site *raw)
{
	return strcmp(probe->provider, raw->provider) == 0 && strcmp(probe->name, raw->name) == 0;
}

/* Sites in their order, and a probe for each run of them with one name. */
static int group(struct reader *reader)
{
	struct notes *notes = reader->notes;
	VEC(struct note_probe) probes = VEC_INIT;
	int err = 0;

	vec__sort(&reader->sites, compare_raw);
	notes->sites = calloc(reader->sites.count + 1, sizeof(*notes->sites));
	if (!notes->sites)
		return -ENOMEM;
	for (size_t i = 0; i < reader->sites.count && !err; i++) {
		const struct raw_site *raw = &reader->sites.items[i];
		struct note_probe probe = { raw->provider, raw->name, &notes->sites[i], 0 };

		notes->sites[i] = raw->site;
		if (!probes.count || !same_probe(&probes.items[probes.count - 1], raw))
			err = vec__push(&probes, probe);
		if (!err)
			probes.items[probes.count - 1].site_count++;
	}
	notes->probes = probes.items;
	notes->probe_count = probes.count;
	return err;
}

static int copy_segments(struct reader *reader)
{
	const struct elf_file *elf = &reader->elf;
	struct notes *notes = reader->notes;

	notes->segments = calloc(elf->segment_count + 1, sizeof(*notes->segments));
	if (!notes->segments)
		return -ENOMEM;
	for (size_t i = 0; i < elf->segment_count; i++) {
		const Elf64_Phdr *from = &elf->segments[i];

		if (from->p_type != PT_LOAD)
			continue;
		notes->segments[notes->segment_count++] = (struct note_segment){
			.address = from->p_vaddr,
			.memory_size = from->p_memsz,
			.offset = from->p_offset,
			.file_size = from->p_filesz,
			.write = from->p_flags & PF_W,
			.execute = from->p_flags & PF_X,
		};
	}
	return 0;
}

/* For people and for caches only: a build id that cannot be read is none. */
static void read_build_id(struct reader *reader)
{
	const Elf64_Shdr *section = elf_file__section(&reader->elf, BUILD_ID_SECTION, NULL);
	struct notes *notes = reader->notes;
	struct note_view view;
	const char *at;
	char *bytes;

	if (!section || elf_file__read(&reader->elf, section->sh_offset, section->sh_size, &bytes))
		return;
	at = bytes;
	while (next_note(&at, bytes + section->sh_size, &view)) {
		if (!is_owner(&view, GNU_OWNER) || view.type != NT_GNU_BUILD_ID ||
		    view.desc_len > sizeof(notes->build_id))
			continue;
		memcpy(notes->build_id, view.desc, view.desc_len);
		notes->build_id_len = view.desc_len;
	}
	free(bytes);
}

static int read_all(struct reader *reader, struct buf *why)
{
	const Elf64_Shdr *base = elf_file__section(&reader->elf, BASE_SECTION, NULL);
	struct notes *notes = reader->notes;
	size_t len;
	int err;

	notes->machine = reader->elf.header.e_machine;
	notes->position_independent = reader->elf.header.e_type == ET_DYN;
	reader->base = base ? base->sh_addr : 0;
	read_build_id(reader);
	err = copy_segments(reader);
	if (!err)
		err = read_notes(reader, why);
	if (err || !reader->strings.len)
		return err;
	notes->strings = buf__detach(&reader->strings, &len);
	if (!notes->strings)
		return -ENOMEM;
	err = parse_section(reader, notes->strings, len);
	return err ? err : group(reader);
}

int notes__read(int fd, struct notes **out, struct buf *why)
{
	struct reader reader = { .strings = BUF_INIT };
	int err;

	*out = NULL;
	err = elf_file__open(&reader.elf, fd, why);
	if (err)
		return err;
	reader.notes = calloc(1, sizeof(*reader.notes));
	err = reader.notes ? read_all(&reader, why) : -ENOMEM;
	if (!err)
		*out = reader.notes;
	else
		notes__free(reader.notes);
	vec__free(&reader.sites);
	buf__free(&reader.strings);
	elf_file__close(&reader.elf);
	return err;
}

struct notes *notes__share(struct notes *notes)
{
	notes->others++;
	return notes;
}

void notes__free(struct notes *notes)
{
	if (!notes || notes->others-- > 0)
		return;
	free(notes->probes);
	free(notes->sites);
	free(notes->segments);
	free(notes->strings);
	free(notes);
}

const struct note_probe *notes__find(const struct notes *notes, const char *provider,
				     const char *name)
{
	struct raw_site wanted = { .provider = provider, .name = name };

	for (size_t i = 0; i < notes->probe_count; i++)
		if (same_probe(&notes->probes[i], &wanted))
			return &notes->probes[i];
	return NULL;
}

bool notes__has_provider(const struct notes *notes, const char *provider)
{
	for (size_t i = 0; i < notes->probe_count; i++)
		if (strcmp(notes->probes[i].provider, provider) == 0)
			return true;
	return false;
}

bool notes__bias(const struct notes *notes, uint64_t start, uint64_t offset, uint64_t *bias)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < notes->segment_count; i++) {
		const struct note_segment *segment = &notes->segments[i];
		uint64_t first = segment->offset & ~(page - 1);

		if (!segment->execute || offset < first ||
		    offset - first >= segment->file_size + (segment->offset - first))
			continue;
		*bias = start - offset - (segment->address - segment->offset);
		return true;
	}
	return false;
}
