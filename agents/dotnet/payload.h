/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The payload of an EventPipe event of .NET: little-endian numbers without padding, and texts in
 * UTF-16 that end with a zero unit. Nothing in it is aligned.
 *
 * What is left of one. A read beyond the end makes it bad and it stays so; what is read from then
 * on is 0 or empty. So a reader of a whole item looks once, behind it.
 */
#ifndef DOTNET_PAYLOAD_H
#define DOTNET_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct payload {
	const uint8_t *at, *end;
	bool bad;
};

/* A text where it stands, without its end. */
struct utf16 {
	const uint8_t *at;
	size_t units;
};

static inline struct payload payload__of(const void *bytes, size_t count)
{
	const uint8_t *at = bytes;

	return (struct payload){ at, at + count, false };
}

static inline size_t payload__left(const struct payload *payload)
{
	return (size_t)(payload->end - payload->at);
}

/* The next `count` bytes, or NULL. */
static inline const uint8_t *payload__take(struct payload *payload, size_t count)
{
	const uint8_t *at = payload->at;

	if (payload__left(payload) < count) {
		payload->bad = true;
		payload->at = payload->end;
		return NULL;
	}
	payload->at += count;
	return at;
}

static inline uint64_t payload__number(struct payload *payload, size_t bytes)
{
	const uint8_t *at = payload__take(payload, bytes);
	uint64_t number = 0;

	if (at)
		memcpy(&number, at, bytes);
	return number;
}

static inline uint8_t payload__u8(struct payload *payload)
{
	return (uint8_t)payload__number(payload, 1);
}

static inline uint16_t payload__u16(struct payload *payload)
{
	return (uint16_t)payload__number(payload, 2);
}

static inline uint32_t payload__u32(struct payload *payload)
{
	return (uint32_t)payload__number(payload, 4);
}

static inline uint64_t payload__u64(struct payload *payload)
{
	return payload__number(payload, 8);
}

struct utf16 payload__utf16(struct payload *payload);

/* How many units there are in front of the zero that ends it. */
struct utf16 utf16__of(const uint16_t *text);

/*
 * In UTF-8, whole characters only, no zero behind them; a surrogate that stands alone becomes
 * U+FFFD. Returns how many bytes that are: 3 a unit are always room enough.
 */
size_t utf16__to_utf8(struct utf16 text, char *to, size_t room);

#endif
