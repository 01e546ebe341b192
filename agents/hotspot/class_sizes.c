/* SPDX-License-Identifier: BSD-2-Clause */
#include "class_sizes.h"
#include "memory.h"
#include "vmstructs.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define BITS 16
#define CLASS_WORD 8 /* of an object, behind its mark */
#define LENGTH 12    /* of an array, behind that */

/*
 * Klass::_layout_helper: positive: bytes of an instance, but for its lowest bit; negative: of an
 * array, the header's bytes in bits 16 to 23 and the logarithm of an element's in 0 to 5.
 */
#define HEADER_SHIFT 16
#define HEADER_MASK 255
#define ELEMENT_MASK 63
#define ELEMENT_MOST 3 /* 8 bytes */

struct known {
	uint32_t word; /* 0: none */
	uint32_t epoch;
	int32_t helper;
};

static struct {
	uint64_t base;
	int shift;
	size_t helper;
	size_t class_at; /* in a class object: what it is of */
	size_t size_at;	 /* the same: how many words it has */
	uint32_t class_word, chunk_word; /* 0: none */
	uint32_t epoch;
	struct known *known;
} sizes;

static bool read_static(const char *type, const char *field, void *to, size_t bytes)
{
	const void *at = vmstructs__static(type, field);

	return at && memory__read((uintptr_t)at, to, bytes);
}

/* Of the class object itself: as an int. */
static bool read_offset(const char *field, size_t *offset)
{
	int value = 0;

	if (!read_static("java_lang_Class", field, &value, sizeof(value)))
		return false;
	*offset = (size_t)value;
	return value >= 12 && value < 4096;
}

static bool find_encoding(void)
{
	static const char type[] = "CompressedKlassPointers";

	return (read_static(type, "_base", &sizes.base, sizeof(sizes.base)) ||
		read_static(type, "_narrow_klass._base", &sizes.base, sizeof(sizes.base))) &&
	       (read_static(type, "_shift", &sizes.shift, sizeof(sizes.shift)) ||
		read_static(type, "_narrow_klass._shift", &sizes.shift, sizeof(sizes.shift))) &&
	       sizes.shift >= 0 && sizes.shift <= 16;
}

static bool get_room(void)
{
	void *memory = mmap(NULL, sizeof(struct known) << BITS, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	sizes.known = memory;
	return true;
}

const char *class_sizes__find(void)
{
	size_t word = 0;

	if (!find_encoding() || !vmstructs__offset("Klass", "_layout_helper", &sizes.helper) ||
	    !read_offset("_klass_offset", &sizes.class_at) ||
	    !read_offset("_oop_size_offset", &sizes.size_at) ||
	    !vmstructs__offset("oopDesc", "_metadata._compressed_klass", &word) ||
	    word != CLASS_WORD)
		return "does not say how its classes tell their instances' sizes";
	if (!sizes.known && !get_room())
		return "has no memory left";
	sizes.epoch++;
	return NULL;
}

void class_sizes__forget(void)
{
	sizes.epoch++;
}

static uint32_t u32_at(uint64_t address)
{
	return *(const uint32_t *)(uintptr_t)address;
}

/* The word that instances of a class have; 0: it cannot be one. */
static uint32_t word_of(uint64_t class_object)
{
	const uint64_t class_ = *(const uint64_t *)(uintptr_t)(class_object + sizes.class_at);
	const uint64_t word = (class_ - sizes.base) >> sizes.shift;

	return class_ > sizes.base && word <= UINT32_MAX ? (uint32_t)word : 0;
}

bool class_sizes__learn(uint64_t class_, uint64_t chunk)
{
	sizes.class_word = word_of(class_);
	sizes.chunk_word = chunk ? word_of(chunk) : 0;
	/* A class object is an instance of what it says of itself. */
	return sizes.class_word && sizes.class_word == u32_at(class_ + CLASS_WORD) &&
	       (!chunk || (sizes.chunk_word && u32_at(chunk + CLASS_WORD) == sizes.class_word)) &&
	       class_sizes__of(sizes.class_word, class_, UINT64_MAX) > 64;
}

static bool get_helper(uint32_t word, int32_t *helper)
{
	struct known *known = &sizes.known[word * UINT32_C(2654435761) >> (32 - BITS)];
	const uint64_t class_ = sizes.base + ((uint64_t)word << sizes.shift);

	if (known->word != word || known->epoch != sizes.epoch) {
		if (class_ % 8 || !memory__read(class_ + sizes.helper, &known->helper,
						sizeof(known->helper))) {
			known->word = 0;
			return false;
		}
		known->word = word;
		known->epoch = sizes.epoch;
	}
	*helper = known->helper;
	return true;
}

static uint64_t array_size(uint32_t helper, uint32_t length)
{
	const uint64_t header = helper >> HEADER_SHIFT & HEADER_MASK;
	const unsigned element = helper & ELEMENT_MASK;

	if (element > ELEMENT_MOST || header < LENGTH + sizeof(length) || length > INT32_MAX)
		return 0;
	return (header + ((uint64_t)length << element) + 7) & ~UINT64_C(7);
}

uint64_t class_sizes__of(uint32_t word, uint64_t object, uint64_t end)
{
	int32_t helper;

	if (word == 0 || word == sizes.chunk_word || !get_helper(word, &helper))
		return 0;
	if (word == sizes.class_word)
		return end - object < sizes.size_at + 4 ?
			       0 : (uint64_t)u32_at(object + sizes.size_at) * 8;
	if (helper > 0)
		return (uint32_t)helper & ~UINT32_C(7);
	return helper < 0 ? array_size((uint32_t)helper, u32_at(object + LENGTH)) : 0;
}
