/* SPDX-License-Identifier: BSD-2-Clause */
/* What must hold whatever the bytes are: where it does not, the fuzzer has found something. */
#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

#include <stdlib.h>

#define CHECK(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

#endif
