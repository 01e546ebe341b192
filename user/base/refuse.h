/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An error with its reason in words, for who will say it:
 *
 *	return refuse(why, -ENOTSUP, "is a 32-bit program; gctrace traces 64-bit ones");
 *
 * The reason is appended to why, which may be NULL: nobody wants to know it.
 */
#ifndef GCTRACE_BASE_REFUSE_H
#define GCTRACE_BASE_REFUSE_H

#include "buf.h"

/* Answers err. */
int refuse(struct buf *why, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
