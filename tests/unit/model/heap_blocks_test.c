/* SPDX-License-Identifier: BSD-2-Clause */
/* The same small heaps as in heap_property_test.c, in blocks of four: so they have many. */
#define BLOCK_SHIFT 2
#define GRAPHS 15000u

#include "model/dominators.c"

#include "heap_property_test.c"
