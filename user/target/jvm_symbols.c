/* SPDX-License-Identifier: BSD-2-Clause */
#include "jvm_symbols.h"

#include <string.h>

#include "jvm_layout.h"
#include "jvm_memory.h"

#define TAG_UTF8 1 /* JVM specification, table 4.4-A */
#define WORD 8
#define LONGEST 128 /* of the texts that are compared with */

bool jvm_symbols__in_pool(struct jvm_memory *memory, const struct jvm_layout *layout,
			  uint64_t pool, uint32_t index, uint64_t *symbol)
{
	uint32_t length, tag_count;
	uint64_t tags;
	uint8_t tag;

	if (!index || !jvm_memory__u32(memory, pool + layout->pool_length, &length) ||
	    !jvm_memory__u64(memory, pool + layout->pool_tags, &tags) ||
	    !jvm_memory__u32(memory, tags + layout->array_length, &tag_count) ||
	    index >= length || index >= tag_count ||
	    !jvm_memory__u8(memory, tags + layout->array_bytes + index, &tag) ||
	    tag != TAG_UTF8 ||
	    !jvm_memory__u64(memory, pool + layout->pool_size + (uint64_t)index * WORD, symbol))
		return false;
	return *symbol != 0;
}

bool jvm_symbols__is(struct jvm_memory *memory, const struct jvm_layout *layout, uint64_t symbol,
		     const char *text)
{
	const size_t len = strlen(text);
	char body[LONGEST];
	uint16_t length;

	return len <= sizeof(body) &&
	       jvm_memory__u16(memory, symbol + layout->symbol_length, &length) && length == len &&
	       jvm_memory__read(memory, symbol + layout->symbol_body, body, len) &&
	       memcmp(body, text, len) == 0;
}
