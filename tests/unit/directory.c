/* SPDX-License-Identifier: BSD-2-Clause */
#include "directory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"

int directory__enter(void **state)
{
	char name[] = "/tmp/gctrace-test.XXXXXX";

	if (!mkdtemp(name) || chdir(name) || chmod(name, 0755))
		return -1;
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	*state = strdup(name);
	return *state ? 0 : -1;
}

int directory__leave(void **state)
{
	char command[100];
	int err;

	snprintf(command, sizeof(command), "rm -rf '%s'", (char *)*state);
	err = chdir("/") || system(command);
	free(*state);
	return err;
}

void directory__write(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

void directory__has(const char *name, const char *text)
{
	struct buf buf = BUF_INIT;

	assert_int_equal(files__read(name, &buf), 0);
	assert_string_equal(buf__str(&buf), text);
	buf__free(&buf);
}

void directory__owned(const char *name, uid_t uid, gid_t gid)
{
	struct stat st;

	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_uid, uid);
	assert_int_equal(st.st_gid, gid);
}

void directory__sudo(uid_t uid, gid_t gid)
{
	char text[20];

	if (geteuid() != 0) {
		print_message("skip: needs root\n");
		skip();
	}
	snprintf(text, sizeof(text), "%u", uid);
	setenv("SUDO_UID", text, 1);
	snprintf(text, sizeof(text), "%u", gid);
	setenv("SUDO_GID", text, 1);
}
