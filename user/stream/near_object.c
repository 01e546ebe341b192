/* SPDX-License-Identifier: BSD-2-Clause */
/* What near_object.h needs now and then: out of the way of the loops that it is in. */
#include "near_object.h"

struct number near_object__long_number(const uint8_t *at)
{
	struct cursor cursor = { at, at + NUMBER_MOST, false };
	const uint64_t value = varint__long(&cursor);

	return (struct number){ cursor.bad ? NULL : cursor.at, value };
}

const uint8_t *near_object__skip_many(const uint8_t *at, const uint8_t *end, uint64_t count,
				      bool flags)
{
	while ((size_t)(end - at) >= sizeof(uint64_t)) {
		uint64_t stops = number_stops(at), found;

		if (!stops || (flags && number_is_long(stops)))
			return NULL;
		found = (stops >> 7) * UINT64_C(0x0101010101010101) >> 56;
		if (found >= count) {
			while (--count)
				stops &= stops - 1;
			return number_behind(at, stops);
		}
		count -= found;
		at += 8 - (__builtin_clzll(stops) >> 3);
	}
	return NULL;
}
