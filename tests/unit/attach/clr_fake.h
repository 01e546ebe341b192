/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that has what a .NET process has, outside: the name of its runtime mapped, and a
 * diagnostics socket in its TMPDIR, which is the current directory. What it answers is the test's.
 */
#ifndef TESTS_ATTACH_CLR_FAKE_H
#define TESTS_ATTACH_CLR_FAKE_H

#include <stdint.h>

#include "unit/target/fixture.h"

struct process;

/* How its socket is named: dotnet-diagnostic-PID-KEY-socket. */
enum clr_fake_name {
	CLR_FAKE_OWN,	/* pid and start time */
	CLR_FAKE_AGED,	/* another start time */
	CLR_FAKE_NONE,	/* no socket */
};

struct clr_fake {
	struct child child;
	struct process *process;
	char directory[4096]; /* as it sees it */
};

/*
 * Begin, within fixture__enter(). settings: of its environment besides TMPDIR, "NAME=VALUE" closed
 * by NULL; or NULL.
 */
void clr_fake__begin(struct clr_fake *fake, enum clr_fake_name name, const char *const *settings);
void clr_fake__end(struct clr_fake *fake);

/*
 * The next connection gets a reply, ok or not, with a number; or what a process says of itself,
 * with this version; or any bytes; or nothing, and is closed. Any number of them, in their order.
 */
void clr_fake__reply(struct clr_fake *fake, unsigned int ok, uint32_t result);
void clr_fake__say_version(struct clr_fake *fake, const char *version);
void clr_fake__say(struct clr_fake *fake, const char *bytes, unsigned int count);
void clr_fake__exit(struct clr_fake *fake); /* instead of an answer */

#endif
