/* SPDX-License-Identifier: BSD-2-Clause */
#include "refuse.h"

int refuse(struct buf *why, int err, const char *format, ...)
{
	va_list args;

	if (!why)
		return err;
	va_start(args, format);
	buf__vprintf(why, format, args);
	va_end(args);
	return err;
}
