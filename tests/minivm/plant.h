/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaks of many shapes, --plant: about half of a heap of --objects 20000 hangs on one. */
#ifndef MINIVM_PLANT_H
#define MINIVM_PLANT_H

#include "mutator.h"

/* By each thread of the program before it serves; says "planted SHAPE" when it is there. */
void plant(struct mutator *m);

#endif
