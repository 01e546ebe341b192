/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing the truth file, whose format truth.h describes. Without --truth nothing is done. */
#ifndef MINIVM_TRUTH_WRITE_H
#define MINIVM_TRUTH_WRITE_H

#include <stdint.h>

struct gc;
struct pause;
struct dump_totals;

void truth__open(void);
void truth__close(void);

/* By the collector's thread; all but truth__pause() in a stopped world. */
void truth__gc_start(const struct gc *gc);
void truth__gc_finish(const struct gc *gc);
void truth__pause(const struct pause *pause);
void truth__dump(uint64_t dump, uint64_t gc, uint64_t status, const struct dump_totals *totals);

/* What was written so far is in the file. */
void truth__flush(void);

/* --print-truth; returns the exit status. */
int truth__print(const char *path);

#endif
