/* SPDX-License-Identifier: BSD-2-Clause */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "escape.h"
#include "privileges.h"
#include "report.h"
#include "rights.h"
#include "vec.h"

#define READ_STEP 16384
#define CREATE_MODE 0600

/* O_NONBLOCK: opening a FIFO that was put in the place of a file must not wait. */
static int open_regular(int dirfd, const char *path)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

static int read_all(int fd, size_t limit, struct buf *buf)
{
	size_t start = buf->len;
	ssize_t n;

	for (;;) {
		int err = buf__reserve(buf, READ_STEP);

		if (err)
			return err;
		n = read(fd, buf->data + buf->len, buf->alloc - buf->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		buf->len += (size_t)n;
		buf->data[buf->len] = '\0';
		if (buf->len - start > limit)
			return -EFBIG;
	}
}

int files__read_at(int dirfd, const char *path, size_t limit, struct buf *buf)
{
	int fd = open_regular(dirfd, path);
	size_t start = buf->len;
	int err;

	if (fd < 0)
		return fd;
	err = read_all(fd, limit, buf);
	close(fd);
	if (err)
		buf__truncate(buf, start);
	return err;
}

int files__read(const char *path, struct buf *buf)
{
	return files__read_at(AT_FDCWD, path, SIZE_MAX, buf);
}

/* A variable that holds nothing but a decimal id; false when it is absent or anything else. */
static bool id_from_env(const char *name, unsigned int *id)
{
	const char *text = getenv(name);
	unsigned long value;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || *end || value >= UINT32_MAX)
		return false;
	*id = (unsigned int)value;
	return true;
}

void files__owner(uid_t *uid, gid_t *gid)
{
	*uid = geteuid();
	*gid = getegid();
	if (*uid != 0)
		return;
	if (!id_from_env("SUDO_UID", uid) || !id_from_env("SUDO_GID", gid)) {
		*uid = 0;
		*gid = getegid();
	}
}

static int open_with(const char *path, struct open_how *how)
{
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, how, sizeof(*how));

	return fd < 0 ? -errno : fd;
}

/* The same with the rights of another user. */
static int open_as(const char *path, struct open_how *how, uid_t uid, gid_t gid)
{
	struct rights rights;
	int fd = rights__become(&rights, uid, gid);

	if (fd)
		return fd;
	fd = open_with(path, how);
	rights__give_back(&rights);
	return fd;
}

/*
 * No O_TRUNC: what is there is looked at before it is emptied. O_NONBLOCK: a FIFO that
 * nobody reads is an error (ENXIO), not a wait; it is taken off again below. *as_root
 * tells that the file is new and root's.
 */
static int open_output(const char *path, uid_t uid, gid_t gid, bool *as_root)
{
	struct open_how how = {
		.flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
		.mode = CREATE_MODE,
	};
	int fd;

	*as_root = false;
	if (uid == geteuid())
		return open_with(path, &how);
	fd = open_as(path, &how, uid, gid);
	if (fd != -EACCES && fd != -EPERM)
		return fd;
	how.resolve = RESOLVE_NO_SYMLINKS;
	how.flags |= O_EXCL;
	fd = open_with(path, &how);
	if (fd != -EEXIST) {
		*as_root = true;
		return fd;
	}
	how.flags &= ~(uint64_t)(O_CREAT | O_EXCL);
	how.mode = 0;
	return open_with(path, &how);
}

/* Empty a file that was there, hand over a new one; an error says why it cannot be ours. */
static int adopt(int fd, const char *path, uid_t uid, gid_t gid, bool as_root)
{
	struct stat st;

	if (fstat(fd, &st))
		return error_errno(errno, "cannot look at %s", escape(path));
	if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)) {
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
		return 0;
	}
	if (!S_ISREG(st.st_mode)) {
		error("%s is not a file that can be written to; give another name", escape(path));
		return -EINVAL;
	}
	if (as_root) {
		if (fchown(fd, uid, gid))
			return error_errno(errno, "cannot give %s to uid %u", escape(path), uid);
		return 0;
	}
	if (st.st_nlink != 1 || st.st_uid != uid) {
		error("%s exists and %s; remove it, or give another name", escape(path),
		      st.st_nlink != 1 ? "has hard links" : "belongs to another user");
		return -EEXIST;
	}
	if (ftruncate(fd, 0))
		return error_errno(errno, "cannot empty %s", escape(path));
	return 0;
}

int files__create(const char *path)
{
	bool as_root;
	uid_t uid;
	gid_t gid;
	int fd, err;

	files__owner(&uid, &gid);
	fd = open_output(path, uid, gid, &as_root);
	if (fd == -ELOOP) {
		error("%s is a symbolic link (or lies behind one that root will not follow for"
		      " another user); give the path of the file itself", escape(path));
		return fd;
	}
	if (fd < 0)
		return error_errno(fd, "cannot create %s", escape(path));
	err = adopt(fd, path, uid, gid, as_root);
	if (err)
		close(fd);
	return err ? err : fd;
}

int files__write_all(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

void files__close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

const char *files__base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Of the directory that a path's last part is in. */
static bool look_at_directory(const char *path, struct stat *st)
{
	struct buf directory = BUF_INIT;
	bool found;

	buf__add(&directory, path, (size_t)(files__base_name(path) - path));
	found = stat(directory.len ? buf__str(&directory) : ".", st) == 0;
	buf__free(&directory);
	return found;
}

bool files__are_one(const char *a, const char *b)
{
	const bool has_one_name = strcmp(files__base_name(a), files__base_name(b)) == 0;
	struct stat at, bt;

	if (stat(a, &at) == 0 && stat(b, &bt) == 0)
		return S_ISREG(at.st_mode) && is_same(&at, &bt);
	return has_one_name && look_at_directory(a, &at) && look_at_directory(b, &bt) &&
	       is_same(&at, &bt);
}

/* ---------------------------------------------------------------- inputs */

#define INPUT_COPIES 8 /* a command opens a file some times; each has a position of its own */

struct input {
	char *path;
	int fd;
};

static VEC(struct input) inputs;

void files__expect_input(const char *path)
{
	struct stat st;

	/* What is no plain file is opened once. */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	for (int i = 0; i < INPUT_COPIES; i++) {
		struct input input = { strdup(path),
				       open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) };

		if (input.path && input.fd >= 0 && vec__push(&inputs, input) == 0)
			continue;
		files__close(&input.fd);
		free(input.path);
	}
}

/* One that was opened before; the last stays for further copies. */
static int take_input(const char *path)
{
	size_t last = inputs.count, count = 0;
	int fd;

	for (size_t i = 0; i < inputs.count; i++)
		if (strcmp(inputs.items[i].path, path) == 0) {
			last = i;
			count++;
		}
	if (!count)
		return -ENOENT;
	if (count == 1) {
		fd = fcntl(inputs.items[last].fd, F_DUPFD_CLOEXEC, 0);
		if (fd >= 0)
			lseek(fd, 0, SEEK_SET);
		return fd < 0 ? -errno : fd;
	}
	fd = inputs.items[last].fd;
	free(inputs.items[last].path);
	inputs.items[last] = inputs.items[--inputs.count];
	return fd;
}

int files__open_input(const char *path, int flags)
{
	int fd = take_input(path), err;

	if (fd < 0)
		fd = open(path, flags);
	err = errno;
	privileges__before_parsing();
	errno = err;
	return fd;
}
