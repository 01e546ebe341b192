/* SPDX-License-Identifier: BSD-2-Clause */
/* The JVM's signatures as names of Java. */
#ifndef GCTRACE_HOTSPOT_NAMES_H
#define GCTRACE_HOTSPOT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Room that any signature's name fits in: a class's has 65535 bytes at most. */
#define NAMES_ROOM (65535 + 3 * 256)

/*
 * "[[Ljava/util/Map$Entry;" is java.util.Map$Entry[][], "[I" is int[], and "La/B.0x1c;", which is a
 * hidden class, a.B/0x1c. What is no signature is taken as it is. Returns the bytes written, which
 * are not terminated; what does not fit is cut off.
 */
size_t names__class(const char *signature, char *to, size_t room);

/* Of a hidden class, which may be unloaded before what has loaded it? */
bool names__is_hidden(const char *signature);

#endif
