/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/agent_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "target/process.h"

/* Of <sys/mount.h>, which <linux/mount.h> does not go with. */
#define MNT_DETACH 2

int agent_mount__make(void)
{
	int context = (int)syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC), mount = -1, err = 0;

	if (context < 0)
		return -errno;
	if (syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, "mode", "0755", 0) == 0 &&
	    syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mount = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC,
				     MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	if (mount < 0)
		err = -errno;
	close(context);
	return err ? err : mount;
}

int agent_mount__enter(const struct process *process)
{
	int root = openat(process->procfd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int space = openat(process->procfd, "ns/mnt", O_RDONLY | O_CLOEXEC);
	int err = 0;

	if (root < 0 || space < 0 || setns(space, CLONE_NEWNS) || fchdir(root) || chroot("."))
		err = -errno;
	if (root >= 0)
		close(root);
	if (space >= 0)
		close(space);
	return err;
}

/* What getdents64() writes. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

/* Nothing in it but itself and its parent. */
static bool is_empty(int directory)
{
	char room[1024] __attribute__((aligned(8)));
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n = fd < 0 ? -1 : syscall(SYS_getdents64, fd, room, sizeof(room));
	bool empty = n >= 0;

	for (long at = 0; at < n && empty;) {
		const struct entry *entry = (const void *)(room + at);

		empty = strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0;
		at += entry->bytes;
	}
	if (fd >= 0)
		close(fd);
	return empty;
}

int agent_mount__open_place(const char *directory)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				      .resolve = RESOLVE_NO_SYMLINKS };
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, directory, &how, sizeof(how));
	struct statfs fs;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && fstatfs(fd, &fs) == 0 &&
	    fs.f_type != AUTOFS_SUPER_MAGIC && is_empty(fd))
		return fd;
	close(fd);
	return -ENOTEMPTY;
}

int agent_mount__put(int mount, int place)
{
	return syscall(SYS_move_mount, mount, "", place, "",
		       MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) ? -errno : 0;
}

int agent_mount__take_away(int mount)
{
	return fchdir(mount) || syscall(SYS_umount2, ".", MNT_DETACH) ? -errno : 0;
}
