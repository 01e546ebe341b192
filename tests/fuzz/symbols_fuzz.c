/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as an ELF file whose symbols are read, and each name made readable, and what it says of
 * a file that has more of them; or as its symbols and, behind as many of them as the first byte
 * says, their names: see elf_bytes.h.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "elf_bytes.h"
#include "target/debug_file.h"
#include "target/demangle.h"
#include "target/elf_file.h"
#include "target/symbol_table.h"

#define TABLE 0x1000

static const char names[] = "\0.symtab\0.strtab\0.shstrtab";

struct frame {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[4];
	char names[sizeof(names)];
};

static void write_frame(int fd, uint8_t symbols, size_t bytes)
{
	const size_t table = symbols * sizeof(Elf64_Sym);
	struct frame frame = {
		.header = elf_bytes__header(offsetof(struct frame, segment), 1,
					    offsetof(struct frame, sections), 4),
		.segment = { PT_LOAD, PF_R | PF_X, 0, 0, 0, 0x1000, 0x1000, 0 },
		.sections = { { 0 },
			      { .sh_name = 1, .sh_type = SHT_SYMTAB, .sh_offset = TABLE,
				.sh_size = table < bytes ? table : bytes, .sh_link = 2 },
			      { .sh_name = 9, .sh_type = SHT_STRTAB, .sh_offset = TABLE + table,
				.sh_size = table < bytes ? bytes - table : 0 },
			      { .sh_name = 17, .sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct frame, names),
				.sh_size = sizeof(names) } },
	};

	memcpy(frame.names, names, sizeof(names));
	CHECK(pwrite(fd, &frame, sizeof(frame), 0) == sizeof(frame));
}

static void check(const struct symbol_table *table)
{
	struct buf out = BUF_INIT;
	uint64_t start;
	bool inside;

	for (size_t i = 0; i < table->count; i++) {
		const struct symbol_entry *entry = &table->entries[i];

		CHECK(entry->name < table->names_len);
		CHECK(i == 0 || table->entries[i - 1].address < entry->address);
		CHECK(symbol_table__at(table, entry->address, &start, &inside) ==
		      table->names + entry->name);
		CHECK(start == entry->address);
		buf__reset(&out);
		demangle__add(&out, table->names + entry->name);
		CHECK(out.len > 0);
	}
	buf__free(&out);
}

/* What was read is enough room to read it again, and a byte less is not. */
static void check_room(const struct elf_file *elf, const struct symbol_table *table, uint64_t used)
{
	struct symbol_room room = { .left = used };
	struct symbol_table again;

	CHECK(used >= table->names_len + table->count * sizeof(*table->entries));
	CHECK(symbol_table__read(&again, elf, &room) == 0 && !room.was_short && !room.left);
	CHECK(again.count == table->count && again.has_all == table->has_all);
	symbol_table__free(&again);
	room.left = used - 1;
	if (symbol_table__read(&again, elf, &room) == 0)
		symbol_table__free(&again);
	CHECK(room.was_short);
}

static void check_symbols(const struct elf_file *elf)
{
	struct symbol_room room = { .left = SYMBOLS_MOST };
	struct symbol_table table;

	if (symbol_table__read(&table, elf, &room))
		return;
	check(&table);
	check_room(elf, &table, SYMBOLS_MOST - room.left);
	symbol_table__free(&table);
}

/* Where it says that its symbols are: a name within one directory. */
static void check_link(const struct elf_file *elf)
{
	struct buf name = BUF_INIT;
	uint32_t checksum;

	if (debug_file__link(elf, &name, &checksum) == 0)
		CHECK(name.len && !strchr(buf__str(&name), '/') && strcmp(buf__str(&name), ".."));
	buf__free(&name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_file elf;
	off_t at;
	int fd = elf_bytes__file(data, size, write_frame, TABLE, &at);

	if (fd < 0 || elf_file__open(&elf, fd, NULL))
		return 0;
	check_link(&elf);
	check_symbols(&elf);
	elf_file__close(&elf);
	return 0;
}
