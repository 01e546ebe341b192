/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is said on stderr meanwhile.
 *
 *	ear__open(&ear);
 *	...
 *	assert_int_equal(ear__close(&ear, "could not"), 1);
 */
#ifndef TESTS_ATTACH_EAR_H
#define TESTS_ATTACH_EAR_H

#include <stddef.h>
#include <stdio.h>

struct ear {
	FILE *file;
	int before;
};

void ear__open(struct ear *ear);

/* How often were these words said? Messages are put together again where they were wrapped. */
size_t ear__close(struct ear *ear, const char *words);

#endif
