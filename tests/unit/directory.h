/* SPDX-License-Identifier: BSD-2-Clause */
/* A directory for one test, cmocka's set-up and tear-down: the current one meanwhile. */
#ifndef TESTS_DIRECTORY_H
#define TESTS_DIRECTORY_H

#include <sys/types.h>

/* Nobody has called sudo. */
int directory__enter(void **state);
int directory__leave(void **state);

/* A file in it: written, and as it must be. */
void directory__write(const char *name, const char *text);
void directory__has(const char *name, const char *text);
void directory__owned(const char *name, uid_t uid, gid_t gid);

/* Until the end of the test sudo was called by this user. Skips it where we are not root. */
void directory__sudo(uid_t uid, gid_t gid);

#endif
