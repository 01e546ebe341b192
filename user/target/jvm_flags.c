/* SPDX-License-Identifier: BSD-2-Clause */
#include "jvm_flags.h"

#include <stdint.h>
#include <string.h>

#include "jvm_layout.h"
#include "jvm_memory.h"

#define MOST_FLAGS 16384 /* JVMs have 700 to 1,500 */
#define MOST_NAME 128

bool jvm_flags__is_set(struct jvm_memory *memory, const struct jvm_layout *layout,
		       const char *name, bool otherwise)
{
	uint64_t flags, count, text, value;
	char found[MOST_NAME];
	uint8_t is_set;

	if (!jvm_memory__u64(memory, layout->flags, &flags) ||
	    !jvm_memory__u64(memory, layout->flag_count, &count) || count > MOST_FLAGS)
		return otherwise;
	for (uint64_t i = 0; i < count; i++, flags += layout->flag_size) {
		if (!jvm_memory__u64(memory, flags + layout->flag_name, &text))
			return otherwise;
		/* The last one has no name. */
		if (!text || jvm_memory__text(memory, text, found, sizeof(found)) < 0 ||
		    strcmp(found, name) != 0)
			continue;
		return jvm_memory__u64(memory, flags + layout->flag_value, &value) &&
				       jvm_memory__u8(memory, value, &is_set) ?
			       is_set != 0 :
			       otherwise;
	}
	return otherwise;
}
