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
#include "ram.h"
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

/* ---------------------------------------------------------------- its name */

/* Give the part its name, or (name NULL) take it away. */
static int settle_at(int dir, const char *part, const char *name)
{
	const int err = name ? renameat(dir, part, dir, name) : unlinkat(dir, part, 0);

	return err ? -errno : 0;
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

	buf__add(&directory, path, (size_t)(files__base_name(path) - path));
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
	const char *path = buf__str(&draft->part), *part = files__base_name(path);
	const int dir = open_directory(path);
	int err = -EACCES;

	if (dir >= 0 && is_ours(dir, part, draft->fd))
		err = settle_at(dir, part, name ? files__base_name(name) : NULL);
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

/* ---------------------------------------------------------------- the keeper */

/* One byte: 1 if it is whole. None: who would have sent it is dead. */
static int keep(void *context, int socket)
{
	const struct draft *draft = context;
	char whole = 0;
	const bool told = keeper__hear(socket, &whole, 1) == 1 && whole;
	int err = settle(draft, told ? draft->path : NULL);

	if (err && told)
		settle(draft, NULL);
	return keeper__say(socket, &err, sizeof(err)) == (ssize_t)sizeof(err) ? 0 : 1;
}

/* Its answer: 0, or why the file has not got its name. */
static int tell_keeper(struct draft *draft, bool whole)
{
	const char word = whole;
	int answer = -ECHILD;

	if (keeper__say(draft->keeper.socket, &word, 1) == 1 &&
	    keeper__hear(draft->keeper.socket, &answer, sizeof(answer)) != (ssize_t)sizeof(answer))
		answer = -ECHILD;
	keeper__end(&draft->keeper);
	return answer;
}

/* ---------------------------------------------------------------- life */

static int open_part(struct draft *draft)
{
	int err;

	if (draft->part.error)
		return error_errno(draft->part.error, "cannot write %s", escape(draft->path));
	draft->fd = files__create(buf__str(&draft->part));
	if (draft->fd < 0)
		return draft->fd;
	err = keeper__start(&draft->keeper, keep, draft);
	if (err) {
		settle(draft, NULL);
		close(draft->fd);
		draft->fd = -1;
		return error_errno(err, "cannot write %s", escape(draft->path));
	}
	return 0;
}

int draft__open(struct draft *draft, const char *path)
{
	struct stat there;
	const bool is_there = lstat(path, &there) == 0;
	int err = 0;

	*draft = (struct draft){ .fd = -1, .path = path };
	if (is_there && !S_ISREG(there.st_mode)) {
		draft->fd = files__create(path);
		return draft->fd < 0 ? draft->fd : 0;
	}
	if (is_there)
		err = may_replace(path, &there);
	if (!err) {
		buf__printf(&draft->part, "%s.%d.part", path, (int)getpid());
		err = open_part(draft);
	}
	if (err)
		buf__free(&draft->part);
	return err;
}

/* The descriptor stays open for the draft. */
int draft__write(struct draft *draft, draft_fn *write, void *context)
{
	const int fd = fcntl(draft->fd, F_DUPFD_CLOEXEC, 0);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int err;

	if (!out) {
		err = error_errno(errno, "cannot write %s", escape(draft->path));
		if (fd >= 0)
			close(fd);
		return err;
	}
	err = write(context, out);
	if (fflush(out) && !err)
		err = -errno;
	if (fclose(out) && !err)
		err = -errno;
	return err ? error_errno(err, "cannot write %s", escape(draft->path)) : 0;
}

int draft__close(struct draft *draft, int err)
{
	int also = 0;

	if (draft->fd < 0)
		return err;
	if (!err && ram__ran_out())
		err = -ENOMEM; /* main() says it */
	if (close(draft->fd) && !err)
		err = error_errno(errno, "cannot write to %s", escape(draft->path));
	if (draft->part.len)
		also = tell_keeper(draft, !err);
	if (also && err)
		warning("%s is left: it cannot be removed", escape(buf__str(&draft->part)));
	else if (also)
		err = error_errno(also, "cannot give %s its name", escape(draft->path));
	draft->fd = -1;
	buf__free(&draft->part);
	return err;
}
