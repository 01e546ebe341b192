/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CRC is the remainder of a polynomial division by P. So 16 bytes that stand d bits before
 * others may be replaced by anything of the same remainder that is added to those: their halves,
 * multiplied by what x^(d + 64) and x^d leave modulo P. Two carry-less multiplications do that:
 *
 *	| 16 bytes | 16 bytes | 16 bytes | 16 bytes | 64 bytes ...
 *	     '----------'----------'----------'--------> folded, four lanes at a time (d = 512)
 *
 * then the lanes into one (d = 128), which has the remainder of all that was folded into it. zlib
 * takes it from there, and the bytes behind.
 */
#include "crc32.h"

#include <zlib.h>

#ifdef __x86_64__
#include <emmintrin.h>
#include <wmmintrin.h>

#define LANES 4
#define STEP (LANES * sizeof(__m128i))

/* Bits are reversed, and a product has one less than there is room for: so these are the remainders
 * of x^(d + 32) and x^(d - 32), reversed and shifted by one. */
static const uint64_t by_512[2] = { 0x154442bd4, 0x1c6e41596 };
static const uint64_t by_128[2] = { 0x1751997d0, 0x0ccaa009e };

static __attribute__((target("pclmul"))) inline __m128i fold(__m128i lane, __m128i by,
							      __m128i with)
{
	const __m128i low = _mm_clmulepi64_si128(lane, by, 0x00);
	const __m128i high = _mm_clmulepi64_si128(lane, by, 0x11);

	return _mm_xor_si128(_mm_xor_si128(low, high), with);
}

/* Of whole steps, one at least: 16 bytes whose CRC, begun with 0, is that of all of them. */
static __attribute__((target("pclmul"))) void fold_all(const uint8_t *bytes, size_t steps,
						       uint8_t folded[16])
{
	const __m128i far = _mm_loadu_si128((const __m128i *)(const void *)by_512);
	const __m128i near = _mm_loadu_si128((const __m128i *)(const void *)by_128);
	const __m128i *at = (const __m128i *)(const void *)bytes;
	__m128i lane[LANES];

	for (unsigned int i = 0; i < LANES; i++)
		lane[i] = _mm_loadu_si128(at++);
	lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128(-1)); /* what a CRC begins with */
	while (--steps)
		for (unsigned int i = 0; i < LANES; i++)
			lane[i] = fold(lane[i], far, _mm_loadu_si128(at++));
	for (unsigned int i = 1; i < LANES; i++)
		lane[i] = fold(lane[i - 1], near, lane[i]);
	_mm_storeu_si128((__m128i *)(void *)folded, lane[LANES - 1]);
}

uint32_t crc32__of(const void *bytes, size_t count)
{
	const size_t steps = count / STEP;
	uint8_t folded[16];
	uLong crc;

	if (!steps || !__builtin_cpu_supports("pclmul"))
		return (uint32_t)crc32_z(0, bytes, count);
	fold_all(bytes, steps, folded);
	crc = crc32_z(UINT32_MAX, folded, sizeof(folded)); /* which zlib takes for begun with 0 */
	return (uint32_t)crc32_z(crc, (const Bytef *)bytes + steps * STEP, count % STEP);
}
#else
uint32_t crc32__of(const void *bytes, size_t count)
{
	return (uint32_t)crc32_z(0, bytes, count);
}
#endif
