/* SPDX-License-Identifier: BSD-2-Clause */
#include "jvm_flags.h"

#include <string.h>

#include "jvm_layout.h"
#include "jvm_memory.h"

#define MOST_FLAGS 16384 /* JVMs have 700 to 1,500 */
#define MOST_NAME 128

bool jvm_flags__number(struct jvm_memory *memory, const struct jvm_layout *layout,
		       const char *name, size_t bytes, uint64_t *number)
{
	uint64_t flags, count, text, value;
	char found[MOST_NAME];

	if (!jvm_memory__u64(memory, layout->flags, &flags) ||
	    !jvm_memory__u64(memory, layout->flag_count, &count) || count > MOST_FLAGS)
		return false;
	for (uint64_t i = 0; i < count; i++, flags += layout->flag_size) {
		if (!jvm_memory__u64(memory, flags + layout->flag_name, &text))
			return false;
		/* The last one has no name. */
		if (!text || jvm_memory__text(memory, text, found, sizeof(found)) < 0 ||
		    strcmp(found, name) != 0)
			continue;
		*number = 0;
		return jvm_memory__u64(memory, flags + layout->flag_value, &value) &&
		       jvm_memory__read(memory, value, number, bytes);
	}
	return false;
}

bool jvm_flags__is_set(struct jvm_memory *memory, const struct jvm_layout *layout,
		       const char *name, bool otherwise)
{
	uint64_t is_set;

	return jvm_flags__number(memory, layout, name, 1, &is_set) ? is_set != 0 : otherwise;
}
