/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as an EventPipe payload, read in any order: the first half says what is read next, the
 * second is read. Nothing is read twice or beyond its end, and UTF-8 comes out whole.
 */
#include <stdint.h>
#include <stdlib.h>

#include "agents/dotnet/payload.c"
#include "check.h"

static void check_text(struct utf16 text)
{
	char *all = malloc(3 * text.units + 1), *some = malloc(text.units + 1);
	size_t bytes, less;

	CHECK(all && some);
	bytes = utf16__to_utf8(text, all, 3 * text.units);
	less = utf16__to_utf8(text, some, text.units);
	CHECK(less <= bytes && !memcmp(all, some, less));
	CHECK(less == bytes || ((uint8_t)all[less] & 0xc0) != 0x80);
	free(all);
	free(some);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct payload payload = payload__of(data + size / 2, size - size / 2);

	for (size_t i = 0; i < size / 2; i++) {
		const size_t before = payload__left(&payload);
		const bool was_bad = payload.bad;

		switch (data[i] % 5) {
		case 0:
			payload__u8(&payload);
			break;
		case 1:
			payload__u16(&payload);
			break;
		case 2:
			payload__u32(&payload);
			break;
		case 3:
			payload__u64(&payload);
			break;
		default:
			check_text(payload__utf16(&payload));
		}
		CHECK(payload.at <= payload.end && payload__left(&payload) <= before);
		CHECK(payload.bad || payload__left(&payload) < before);
		CHECK(payload.bad || !was_bad);
		CHECK(!payload.bad || payload__left(&payload) == 0);
	}
	return 0;
}
