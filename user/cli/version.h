/* SPDX-License-Identifier: BSD-2-Clause */
/* What a bug report should begin with. */
#ifndef GCTRACE_CLI_VERSION_H
#define GCTRACE_CLI_VERSION_H

#include "../base/buf.h"
#include "status.h"

/* "0.1.0" */
const char *version__string(void);

/* Versions of gctrace, its libraries and the kernel, a line each. */
void version__add(struct buf *buf);

/* The same, on stdout. */
enum status version__show(void);

#endif
