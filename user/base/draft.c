/* SPDX-License-Identifier: BSD-2-Clause */
#include "draft.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "escape.h"
#include "files.h"
#include "report.h"
#include "rights.h"

/* A file of the owner's that has no other name may be replaced. */
static int may_replace(const char *path, const struct stat *there)
{
	uid_t uid;
	gid_t gid;

	files__owner(&uid, &gid);
	if (there->st_uid == uid && there->st_nlink == 1)
		return 0;
	error("%s exists and %s; remove it, or give another name", escape(path),
	      there->st_nlink != 1 ? "has hard links" : "belongs to another user");
	return -EEXIST;
}

int draft__open(struct draft *draft, const char *path)
{
	struct stat there;
	const bool is_there = lstat(path, &there) == 0;
	int err = 0;

	*draft = (struct draft){ .fd = -1, .path = path };
	if (is_there && S_ISREG(there.st_mode))
		err = may_replace(path, &there);
	if (!err && (!is_there || S_ISREG(there.st_mode)))
		buf__printf(&draft->part, "%s.%d.part", path, (int)getpid());
	if (!err && draft->part.error)
		err = error_errno(draft->part.error, "cannot create %s", escape(path));
	if (!err)
		err = draft->fd = files__create(draft->part.len ? buf__str(&draft->part) : path);
	if (err < 0)
		buf__free(&draft->part);
	return err < 0 ? err : 0;
}

/* ---------------------------------------------------------------- its name */

/* Give the part its name, or (name NULL) take it away. */
static int settle_at(int dir, const char *part, const char *name)
{
	const int err = name ? renameat(dir, part, dir, name) : unlinkat(dir, part, 0);

	return err ? -errno : 0;
}

static const char *name_in(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The directory of the part, where no link leads to it; -1. */
static int open_directory(const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS,
	};
	struct buf directory = BUF_INIT;
	int fd;

	buf__add(&directory, path, (size_t)(name_in(path) - path));
	fd = directory.error ? -1 :
			       (int)syscall(SYS_openat2, AT_FDCWD,
					    directory.len ? buf__str(&directory) : ".", &how,
					    sizeof(how));
	buf__free(&directory);
	return fd;
}

static bool is_ours(int dir, const char *part, int fd)
{
	struct stat a, b;

	return fstatat(dir, part, &a, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Where only root may write: as root, in the very directory that the part was made in. */
static int settle_as_root(const struct draft *draft, const char *name)
{
	const char *part = buf__str(&draft->part);
	const int dir = open_directory(part);
	int err = -EACCES;

	if (dir >= 0 && is_ours(dir, name_in(part), draft->fd))
		err = settle_at(dir, name_in(part), name ? name_in(name) : NULL);
	if (dir >= 0)
		close(dir);
	return err;
}

static int settle(const struct draft *draft, const char *name)
{
	struct rights rights;
	uid_t uid;
	gid_t gid;
	int err;

	files__owner(&uid, &gid);
	if (uid == geteuid())
		return settle_at(AT_FDCWD, buf__str(&draft->part), name);
	err = rights__become(&rights, uid, gid);
	if (err)
		return err;
	err = settle_at(AT_FDCWD, buf__str(&draft->part), name);
	rights__give_back(&rights);
	return err == -EACCES ? settle_as_root(draft, name) : err;
}

int draft__close(struct draft *draft, int err)
{
	int also = 0;

	if (draft->fd < 0)
		return err;
	if (!err && draft->part.len)
		also = settle(draft, draft->path);
	if (also)
		err = error_errno(also, "cannot give %s its name", escape(draft->path));
	if (err && draft->part.len && settle(draft, NULL))
		warning("%s is left: it cannot be removed", escape(buf__str(&draft->part)));
	if (close(draft->fd) && !err)
		err = error_errno(errno, "cannot write to %s", escape(draft->path));
	draft->fd = -1;
	buf__free(&draft->part);
	return err;
}
