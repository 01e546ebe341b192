/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What keeps a dump from being whole, in words. The first one counts. A dump that has one before
 * its walk is over ends there; one that comes behind costs names only. Either way it is told.
 *
 * The dump's thread or, in the pause, the JVM's that walks: one at a time.
 */
#ifndef GCTRACE_HOTSPOT_FAULT_H
#define GCTRACE_HOTSPOT_FAULT_H

#include <stdbool.h>

struct fault {
	const char *what; /* NULL: none */
	bool is_of_addresses;
};

extern struct fault fault;

static inline void fault__raise(const char *what)
{
	if (!fault.what)
		fault.what = what;
}

/* Objects do not stand where they were found: they will not, either, the next time. */
static inline void fault__raise_of_addresses(const char *what)
{
	fault.is_of_addresses |= !fault.what;
	fault__raise(what);
}

/* The reason of all others. */
static inline void fault__replace(const char *what)
{
	fault.what = what;
}

static inline void fault__clear(void)
{
	fault = (struct fault){ 0 };
}

#endif
