/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as what CPython publishes: what is taken lies where it is read. */
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "target/cpython_layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned char head[16] = "xdebugpy\xf0\x00\x0d\x03";
	unsigned char bytes[CPYTHON_PUBLISHED] = { 0 };
	struct cpython_layout layout;

	memcpy(bytes, head, sizeof(head));
	memcpy(bytes + 24, data, size < sizeof(bytes) - 24 ? size : sizeof(bytes) - 24);
	if (cpython_layout__find("3.13.1", bytes, &layout, NULL))
		return 0;
	CHECK(layout.code_start <= CPYTHON_CODE_BYTES && layout.code_start >= 24);
	CHECK(layout.code_name + 8 <= layout.code_start);
	CHECK(layout.code_file + 8 <= layout.code_start);
	CHECK(layout.code_line + 8 <= layout.code_start);
	CHECK(layout.frame_code + 8 <= CPYTHON_FRAME_BYTES);
	CHECK(layout.frame_owner + 8 <= CPYTHON_FRAME_BYTES);
	CHECK(layout.thread_id + 8 <= CPYTHON_THREAD_BYTES);
	return 0;
}
