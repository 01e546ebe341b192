/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/agent_library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "target/procfs.h"

/* The directory of this program, with the slash. */
static int own_directory(struct buf *directory)
{
	int err = procfs__read_link(AT_FDCWD, "/proc/self/exe", directory);

	if (!err)
		buf__truncate(directory,
			      (size_t)(files__base_name(directory->data) - directory->data));
	return err ? err : directory->error;
}

static bool take(const char *path, struct buf *out)
{
	char *real = realpath(path, NULL);
	struct stat st;
	const bool is_there = real && stat(real, &st) == 0 && S_ISREG(st.st_mode);

	if (is_there)
		buf__add_str(out, real);
	free(real);
	return is_there;
}

int agent_library__find(const char *name, struct buf *path)
{
	static const char *const folders[] = { "", "../lib/gctrace/" };
	struct buf directory = BUF_INIT, tried = BUF_INIT;
	int err = own_directory(&directory);
	bool found = false;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && !err && !found; i++) {
		struct buf candidate = BUF_INIT;

		buf__printf(&candidate, "%s%s%s", buf__str(&directory), folders[i], name);
		found = take(buf__str(&candidate), path);
		buf__printf(&tried, "%s%s", i ? " and " : "", buf__str(&candidate));
		buf__free(&candidate);
	}
	if (!found)
		buf__add(path, buf__str(&tried), tried.len);
	buf__free(&directory);
	buf__free(&tried);
	return found ? path->error : -ENOENT;
}
