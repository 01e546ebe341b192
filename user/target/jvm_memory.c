/* SPDX-License-Identifier: BSD-2-Clause */
#include "jvm_memory.h"

#include <stdlib.h>
#include <string.h>

#include "remote.h"

#define PAGE 4096 /* of the cache; the target's may be larger */
#define SLOTS 512 /* a power of two: 2 MiB, which is what the tables of a busy JVM need */
#define SLOT_BITS 9

struct slot {
	uint64_t number;     /* of the page: its address / PAGE */
	uint64_t generation; /* of the sweep that read it */
	bool is_there;
};

struct jvm_memory {
	struct remote *remote;
	uint64_t generation;
	struct slot slots[SLOTS];
	unsigned char pages[SLOTS][PAGE];
};

struct jvm_memory *jvm_memory__new(struct remote *remote)
{
	struct jvm_memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return NULL;
	memory->remote = remote;
	memory->generation = 1;
	return memory;
}

void jvm_memory__free(struct jvm_memory *memory)
{
	free(memory);
}

struct remote *jvm_memory__remote(const struct jvm_memory *memory)
{
	return memory->remote;
}

void jvm_memory__forget(struct jvm_memory *memory)
{
	memory->generation++;
}

/* The bytes of a page, or NULL: nothing can be read there. */
static const unsigned char *page_at(struct jvm_memory *memory, uint64_t number)
{
	const size_t i = (size_t)(number * 0x9e3779b97f4a7c15 >> (64 - SLOT_BITS));
	struct slot *slot = &memory->slots[i];

	if (slot->number != number || slot->generation != memory->generation) {
		*slot = (struct slot){ .number = number, .generation = memory->generation };
		slot->is_there = remote__read(memory->remote, number * PAGE, memory->pages[i],
					      PAGE) == 0;
	}
	return slot->is_there ? memory->pages[i] : NULL;
}

bool jvm_memory__read(struct jvm_memory *memory, uint64_t address, void *to, size_t size)
{
	unsigned char *at = to;

	if (size > UINT64_MAX - address)
		return false;
	while (size) {
		const size_t from = (size_t)(address % PAGE);
		const size_t some = size < PAGE - from ? size : PAGE - from;
		const unsigned char *page = page_at(memory, address / PAGE);

		if (!page)
			return false;
		memcpy(at, page + from, some);
		at += some;
		address += some;
		size -= some;
	}
	return true;
}

#define DEFINE_READ(name, type)                                                          \
	bool name(struct jvm_memory *memory, uint64_t address, type *value)              \
	{                                                                                \
		type read;                                                               \
											 \
		if (!jvm_memory__read(memory, address, &read, sizeof(read)))             \
			return false;                                                    \
		*value = read;                                                           \
		return true;                                                             \
	}

DEFINE_READ(jvm_memory__u8, uint8_t)
DEFINE_READ(jvm_memory__u16, uint16_t)
DEFINE_READ(jvm_memory__u32, uint32_t)
DEFINE_READ(jvm_memory__u64, uint64_t)

int jvm_memory__text(struct jvm_memory *memory, uint64_t address, char *to, size_t size)
{
	size_t have = 0;

	while (have < size) {
		const size_t from = (size_t)((address + have) % PAGE);
		const size_t some = size - have < PAGE - from ? size - have : PAGE - from;
		const unsigned char *page = page_at(memory, (address + have) / PAGE);
		const unsigned char *end = page ? memchr(page + from, 0, some) : NULL;

		if (!page)
			return -1;
		memcpy(to + have, page + from, end ? (size_t)(end - page) - from + 1 : some);
		if (end)
			return (int)(have + (size_t)(end - page) - from);
		have += some;
	}
	return -1;
}
