/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small assembly of .NET for tests: types "A.Outer", "Inner" within it and "Lone", and methods
 * "First", "Second". Mapped, or as in its file (then its section is 0x200 further in front).
 */
#ifndef TESTS_CLR_IMAGE_H
#define TESTS_CLR_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CLR_IMAGE_BYTES 8192
#define CLR_IMAGE_SECTION 0x400 /* where it belongs */
#define CLR_IMAGE_SHIFT 0x200

static inline unsigned char *clr_image__put(unsigned char *at, uint64_t value, unsigned int width)
{
	memcpy(at, &value, width);
	return at + width;
}

/* "#~": Module 1 row, TypeDef 3, MethodDef 2, NestedClass 1, each index of 2 bytes. */
static inline unsigned char *clr_image__put_tables(unsigned char *at)
{
	static const uint32_t rows[] = { 1, 3, 2, 1 };
	/* In the strings: 1 "A", 3 "Outer", 9 "Inner", 15 "Lone", 20 "First", 26 "Second". */
	static const uint16_t types[][2] = { { 3, 1 }, { 9, 0 }, { 15, 0 } };
	static const uint16_t methods[] = { 20, 26 };

	at = clr_image__put(at, 0, 6);
	at = clr_image__put(at, 0, 2); /* all heaps are small */
	at = clr_image__put(at, 1 | 1 << 2 | 1 << 6 | UINT64_C(1) << 0x29, 8);
	at = clr_image__put(at, 0, 8);
	for (int i = 0; i < 4; i++)
		at = clr_image__put(at, rows[i], 4);
	at += 10; /* the row of Module */
	for (int i = 0; i < 3; i++) {
		at = clr_image__put(at, 0, 4);
		at = clr_image__put(at, types[i][0], 2);
		at = clr_image__put(at, types[i][1], 2);
		at += 6;
	}
	for (int i = 0; i < 2; i++) {
		at = clr_image__put(at, 0, 8);
		at = clr_image__put(at, methods[i], 2);
		at += 4;
	}
	at = clr_image__put(at, 2, 2); /* Inner lies in */
	return clr_image__put(at, 1, 2); /* Outer */
}

static inline void clr_image__put_metadata(unsigned char *root)
{
	static const char strings[] = "\0A\0Outer\0Inner\0Lone\0First\0Second";
	unsigned char *at = root;

	at = clr_image__put(at, 0x424a5342, 4);
	at = clr_image__put(at, 1 | 1 << 16, 8);
	at = clr_image__put(at, 12, 4);
	memcpy(at, "v4.0.30319\0", 12);
	at += 12;
	at = clr_image__put(at, 2 << 16, 4); /* streams */
	at = clr_image__put(at, 256 | UINT64_C(512) << 32, 8);
	memcpy(at, "#~\0", 4);
	at += 4;
	at = clr_image__put(at, 1024 | (uint64_t)sizeof(strings) << 32, 8);
	memcpy(at, "#Strings\0\0\0", 12);
	clr_image__put_tables(root + 256);
	memcpy(root + 1024, strings, sizeof(strings));
}

static inline void clr_image__make(unsigned char *image, bool is_mapped)
{
	const uint64_t pe = 0x80, section = CLR_IMAGE_SECTION;
	unsigned char *own = image + section - (is_mapped ? 0 : CLR_IMAGE_SHIFT);

	memset(image, 0, CLR_IMAGE_BYTES);
	memcpy(image, "MZ", 2);
	clr_image__put(image + 0x3c, pe, 4);
	memcpy(image + pe, "PE", 2);
	clr_image__put(image + pe + 6, 1, 2);	 /* sections */
	clr_image__put(image + pe + 20, 240, 2); /* bytes of the optional header */
	clr_image__put(image + pe + 24, 0x20b, 2);
	clr_image__put(image + pe + 24 + 112 + 14 * 8, section, 4);
	clr_image__put(image + pe + 24 + 240 + 12, section, 4);
	clr_image__put(image + pe + 24 + 240 + 16, 0x1000, 4);
	clr_image__put(image + pe + 24 + 240 + 20, section - CLR_IMAGE_SHIFT, 4);
	clr_image__put(own + 8, section + 0x100, 4);
	clr_image__put_metadata(own + 0x100);
}

#endif
