/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that a test compiles, starts and talks to; all in a directory of its own.
 */
#ifndef TESTS_TARGET_FIXTURE_H
#define TESTS_TARGET_FIXTURE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* cmocka's set-up and tear-down: a directory that is the current one meanwhile. */
int fixture__enter(void **state);
int fixture__leave(void **state);

void fixture__write(const char *name, const char *text);

/* $CC (or cc) with these arguments, which the test fails with if it fails. */
void fixture__compile(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A child with pipes to talk by. */
struct child {
	pid_t pid;
	FILE *to, *from;
};

/*
 * Start a program; `enter`, if it is not NULL, is called in the child before exec, and may make
 * namespaces: pid is then that of the last process forked (0: it may not do that here).
 */
struct child fixture__start(const char *program, const char *const *arguments,
			    bool (*enter)(void));
void fixture__stop(struct child *child);

/* Send a line; read one (without its newline), or fail. The text is the fixture's. */
void fixture__say(struct child *child, const char *line);
const char *fixture__hear(struct child *child);

/*
 * What is written to standard error from the one to the other, with messages of several lines
 * joined. The text is the fixture's.
 */
void fixture__listen(void);
const char *fixture__said(void);

/* Is this test to be skipped because we are not root? Says so. */
bool fixture__is_root(void);

/* skip() of cmocka with a reason, which its output lacks. */
#define SKIP(reason)                              \
	do {                                      \
		print_message("skip: %s\n", reason); \
		skip();                           \
	} while (0)

#endif
