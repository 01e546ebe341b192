/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A victim, a session attached to it and a tape: what tests of attaching start from.
 */
#ifndef TESTS_ATTACH_BENCH_H
#define TESTS_ATTACH_BENCH_H

#include "tape.h"
#include "victim.h"

struct bench {
	struct victim victim;
	struct session *session;
	struct target *target;
	struct tape tape;
};

/* A cmocka set-up: skips are by test, bench__needs_root(). options may be NULL. */
void bench__start(struct bench *bench, const struct session_options *options,
		  unsigned int levels);
void bench__end(struct bench *bench);

/* The victim does it; then the tape has what came of it. */
uint64_t bench__do(struct bench *bench, enum victim_command command, uint64_t a, uint64_t b);

/* What was lost so far, of the bench's target. */
struct loss_counts bench__losses(const struct bench *bench);

/* Attaching is for root only; says why where it is not. */
bool bench__has_root(void);

/* First thing in such a test of cmocka's. */
#define NEEDS_ROOT                      \
	do {                            \
		(void)state;            \
		if (!bench__has_root()) \
			skip();         \
	} while (0)

/* A field of /proc/PID/status, "" where it has none. False: there is no such process. */
bool bench__status(pid_t pid, const char *key, char *value, size_t size);

#endif
