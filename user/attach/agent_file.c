/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Directories are the target's: it may swap them for links at any moment. So each is opened once,
 * below its root, and from then on known by its descriptor alone. A mount is filled before anybody
 * can see it.
 */
#include "attach/agent_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "attach/agent_mount.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/rights.h"
#include "base/vec.h"
#include "target/process.h"

#define STALE_S 60		       /* age at least: a younger one may be about to be loaded */
#define STALE_BYTES ((off_t)64 << 20) /* size at most */
#define CLEAN_MS 5000

/* ---------------------------------------------------------------- places */

static int refuse(struct buf *why, const char *place, int err, const char *reason)
{
	buf__printf(why, "%s%s: %s", why->len ? "; " : "", escape(place),
		    reason ? reason : strerror(-err));
	return err;
}

/* Can what lies in there be executed? */
static int check_exec(int fd, const char *place, struct buf *why)
{
	struct statvfs fs;

	if (fstatvfs(fd, &fs))
		return refuse(why, place, -errno, NULL);
	if (fs.f_flag & ST_NOEXEC)
		return refuse(why, place, -EACCES, "mounted noexec");
	return 0;
}

static int check_place(int fd, const char *place, struct buf *why)
{
	struct statvfs fs;

	if (fstatvfs(fd, &fs) == 0 && fs.f_flag & ST_RDONLY)
		return refuse(why, place, -EROFS, "read-only");
	return check_exec(fd, place, why);
}

bool agent_file__become_user(const struct process *process, struct rights *rights)
{
	if (process->euid == geteuid() && process->egid == getegid())
		return false;
	return rights__become(rights, process->euid, process->egid) == 0;
}

static int open_as_user(const struct process *process, const char *path)
{
	struct rights rights;
	const bool became = agent_file__become_user(process, &rights);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const int err = fd < 0 ? -errno : 0;

	if (became)
		rights__give_back(&rights);
	return err ? err : fd;
}

/* ---------------------------------------------------------------- its own path */

static int try_its_path(struct agent_file *file, const struct process *process, const char *library,
			struct buf *why)
{
	int fd, err;

	if (process->other_mount_ns || strcmp(process->root, "/") != 0)
		return refuse(why, library, -EXDEV, "not in its view");
	if (strlen(library) >= sizeof(file->path))
		return refuse(why, library, -ENAMETOOLONG, NULL);
	fd = open_as_user(process, library);
	if (fd < 0)
		return refuse(why, library, fd, fd == -EACCES ? "its user may not read it" : NULL);
	err = check_exec(fd, library, why);
	close(fd);
	if (!err)
		strcpy(file->path, library);
	return err;
}

/* ---------------------------------------------------------------- a file of our own */

int agent_file__make_name(const char *library, char name[AGENT_NAME_ROOM])
{
	const char *base = files__base_name(library), *end = strrchr(base, '.');
	uint64_t any;

	if (getrandom(&any, sizeof(any), 0) != sizeof(any))
		return -EIO;
	if (!end)
		end = base + strlen(base);
	if (snprintf(name, AGENT_NAME_ROOM, "%.*s.%016llx%s", (int)(end - base), base,
		     (unsigned long long)any, end) >= AGENT_NAME_ROOM)
		return -ENAMETOOLONG;
	return 0;
}

static int copy(int from, int to)
{
	off_t at = 0;
	ssize_t n;

	while ((n = sendfile(to, from, &at, 1 << 30)) > 0)
		;
	return n < 0 ? -errno : 0;
}

/* Readable for everybody: whoever loads it may have no rights but those of others. */
static int write_file(int directory, const char *name, int library)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int err, fd = openat(directory, name, flags, 0600);

	if (fd < 0)
		return -errno;
	err = copy(library, fd);
	if (!err && fchmod(fd, 0444))
		err = -errno;
	close(fd);
	if (err)
		unlinkat(directory, name, 0);
	return err;
}

static int tell_path(char path[PATH_MAX], const char *directory, const char *name)
{
	const char *slash = strcmp(directory, "/") == 0 ? "" : "/";

	if (snprintf(path, PATH_MAX, "%s%s%s", directory, slash, name) >= PATH_MAX)
		return -ENAMETOOLONG;
	return 0;
}

/* ---------------------------------------------------------------- the keeper's side */

struct placing {
	const struct process *process;
	const char *library, *temporary;
	enum agent_way way;
	char name[AGENT_NAME_ROOM];
	int fd;	   /* of the library */
	int place; /* the directory that the copy is in, or the mount */
};

/* What the keeper says: an errno, then the path, or why there is none. */
struct placed {
	int err;
	char text[PATH_MAX];
};

static int write_as_user(const struct placing *placing, int directory)
{
	struct rights rights;
	const bool became = agent_file__become_user(placing->process, &rights);
	const int err = write_file(directory, placing->name, placing->fd);

	if (became)
		rights__give_back(&rights);
	return err;
}

/* The next gctrace may have been there before (a keeper that was stopped): then it is gone. */
static int remove_as_user(const struct placing *placing)
{
	struct rights rights;
	const bool became = agent_file__become_user(placing->process, &rights);
	int err = unlinkat(placing->place, placing->name, 0) ? -errno : 0;

	if (became)
		rights__give_back(&rights);
	if (err && became)
		err = unlinkat(placing->place, placing->name, 0) ? -errno : 0;
	return err == -ENOENT ? 0 : err;
}

/* /proc/PID/root is for root to open; files in there are made by the user. */
static int try_copy(struct placing *placing, const char *directory, struct placed *placed,
		    struct buf *why)
{
	int err, fd = process__open_file(placing->process, directory, O_PATH | O_DIRECTORY);

	if (fd < 0)
		return refuse(why, directory, fd, NULL);
	err = check_place(fd, directory, why);
	if (!err) {
		err = tell_path(placed->text, directory, placing->name);
		if (!err)
			err = write_as_user(placing, fd);
		if (err)
			refuse(why, directory, err, NULL);
	}
	if (err)
		close(fd);
	else
		placing->place = fd;
	return err;
}

#define PLACES 4

/* Where a copy may be put, in this order; NULL: nowhere, or a second time. */
static void list_places(const char *temporary, const char *places[PLACES])
{
	const char *const usual[PLACES] = { temporary, "/tmp", "/var/tmp", "/dev/shm" };

	for (size_t i = 0; i < PLACES; i++)
		places[i] = i && temporary && strcmp(usual[i], temporary) == 0 ? NULL : usual[i];
}

static int try_copies(struct placing *placing, struct placed *placed, struct buf *why)
{
	const char *places[PLACES];
	int err = -ENOENT;

	list_places(placing->temporary, places);
	for (size_t i = 0; i < PLACES && err; i++)
		if (places[i])
			err = try_copy(placing, places[i], placed, why);
	return err;
}

/* With the library in it. */
static int make_mount(struct placing *placing)
{
	int err, fd = agent_mount__make();

	if (fd < 0)
		return fd;
	err = write_file(fd, placing->name, placing->fd);
	if (err)
		close(fd);
	else
		placing->place = fd;
	return err;
}

static int try_mount(struct placing *placing, const char *directory, struct placed *placed,
		     struct buf *why)
{
	int fd = agent_mount__open_place(directory), err;

	if (fd < 0)
		return fd;
	err = tell_path(placed->text, directory, placing->name);
	if (!err)
		err = agent_mount__put(placing->place, fd);
	if (err)
		refuse(why, directory, err, NULL);
	close(fd);
	return err;
}

/* Directories that are there to be mounted on, and are empty nearly everywhere. */
static int try_mounts(struct placing *placing, struct placed *placed, struct buf *why)
{
	static const char *const directories[] = {
		"/mnt", "/media", "/srv", "/opt", "/home", "/boot", "/sys",
		"/sys/fs/pstore", "/sys/kernel/debug", "/sys/kernel/tracing",
		"/sys/fs/fuse/connections", "/sys/firmware", "/proc/acpi", "/proc/scsi",
	};
	const size_t before = why->len;
	int err = make_mount(placing);

	if (err)
		return refuse(why, "a file system in memory", err, NULL);
	err = agent_mount__enter(placing->process);
	if (err)
		return refuse(why, "its mount namespace", err,
			      err == -EPERM ? "it takes CAP_SYS_ADMIN and CAP_SYS_CHROOT" : NULL);
	err = -ENOENT;
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]) && err; i++)
		err = try_mount(placing, directories[i], placed, why);
	if (err && why->len == before)
		refuse(why, "its root", err, "no empty directory to mount on");
	return err;
}

static int take_away(struct placing *placing)
{
	if (placing->way == AGENT_BY_COPY)
		return remove_as_user(placing);
	return agent_mount__take_away(placing->place);
}

/* A keeper's life: place it, say where, wait, take it away. */
static int keep(void *context, int socket)
{
	struct placing *placing = context;
	struct placed placed = { 0 };
	struct buf why = BUF_INIT;
	char word;
	int err, held = -1;

	placed.err = placing->way == AGENT_BY_COPY ? try_copies(placing, &placed, &why) :
						     try_mounts(placing, &placed, &why);
	if (placed.err)
		snprintf(placed.text, sizeof(placed.text), "%s", buf__str(&why));
	buf__free(&why);
	/* Held open: to who cleans up it is in use, however long the process takes to load it. */
	if (!placed.err)
		held = openat(placing->place, placing->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (keeper__say(socket, &placed, sizeof(placed)) > 0)
		keeper__hear(socket, &word, 1);
	if (placed.err)
		return 1;
	files__close(&held);
	err = take_away(placing);
	keeper__say(socket, &err, sizeof(err));
	return 0;
}

/* ---------------------------------------------------------------- life */

static int start(struct agent_file *file, struct placing *placing, struct buf *why)
{
	struct placed placed;
	int err = keeper__start(&file->keeper, keep, placing);

	if (err)
		return refuse(why, "a child of gctrace", err, NULL);
	if (keeper__hear_for(file->keeper.socket, &placed, sizeof(placed), KEEPER_ANSWER_NS) !=
	    (ssize_t)sizeof(placed)) {
		placed.err = -ECHILD;
		snprintf(placed.text, sizeof(placed.text), "gctrace's child was killed");
	}
	if (placed.err) {
		buf__printf(why, "%s%s", why->len ? "; " : "", placed.text);
		keeper__end(&file->keeper);
		return placed.err;
	}
	memcpy(file->path, placed.text, sizeof(file->path));
	return 0;
}

int agent_file__place(struct agent_file *file, const struct process *process, const char *library,
		      enum agent_way way, const char *temporary, struct buf *why)
{
	struct placing placing = {
		.process = process, .library = library, .temporary = temporary, .way = way,
	};
	int err;

	file->way = way;
	if (way == AGENT_BY_ITS_PATH)
		return try_its_path(file, process, library, why);
	err = agent_file__make_name(library, placing.name);
	placing.fd = open(library, O_RDONLY | O_CLOEXEC);
	if (!err && placing.fd < 0)
		err = -errno;
	err = err ? refuse(why, library, err, NULL) : start(file, &placing, why);
	if (placing.fd >= 0)
		close(placing.fd);
	return err;
}

int agent_file__remove(struct agent_file *file)
{
	int err = 0;

	if (file->way == AGENT_BY_ITS_PATH)
		return 0;
	if (keeper__say(file->keeper.socket, "", 1) != 1 ||
	    keeper__hear_for(file->keeper.socket, &err, sizeof(err), KEEPER_ANSWER_NS) !=
		    (ssize_t)sizeof(err))
		err = -ECHILD;
	keeper__end(&file->keeper);
	return err;
}

void agent_file__describe(const struct agent_file *file, struct buf *text)
{
	const size_t length = (size_t)(files__base_name(file->path) - file->path) - 1;

	if (file->way == AGENT_BY_ITS_PATH)
		return;
	buf__add_str(text, file->way == AGENT_BY_COPY ? "a copy of it in " :
							"a file system in memory mounted on ");
	escape__add(text, file->path, length ? length : 1);
	buf__add_str(text, " of its own view, removed as soon as it is loaded");
}

/* ---------------------------------------------------------------- what others have left */

/* What agent_file__make_name() makes of a library of gctrace's, and nothing else. */
static bool is_name_of_copy(const char *name)
{
	static const char prefix[] = "libgctrace-";
	const char *at = name + sizeof(prefix) - 1;
	size_t len;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return false;
	len = strspn(at, "abcdefghijklmnopqrstuvwxyz");
	if (!len || at[len] != '.')
		return false;
	at += len + 1;
	return strspn(at, "0123456789abcdef") == 16 && strcmp(at + 16, ".so") == 0;
}

static bool is_stale(const struct stat *st, uid_t owner)
{
	const time_t now = time(NULL);

	return S_ISREG(st->st_mode) && st->st_uid == owner && st->st_nlink == 1 &&
	       st->st_size <= STALE_BYTES && st->st_mtime <= now - STALE_S;
}

/* In a file of lines, without an end that it trusts in. */
static bool has_word(int fd, const char *word)
{
	const size_t keep = strlen(word) - 1;
	char room[65536];
	size_t have = 0;
	ssize_t n;

	while ((n = read(fd, room + have, sizeof(room) - have)) > 0) {
		have += (size_t)n;
		if (memmem(room, have, word, keep + 1))
			return true;
		if (have > keep) {
			memmove(room, room + have - keep, keep);
			have = keep;
		}
	}
	return false;
}

/*
 * By any process that we can see. A lease (below) knows better, but not on overlayfs, where it is
 * another inode that is mapped.
 */
static bool is_mapped(const char *name)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	bool mapped = !processes;

	while (!mapped && (entry = readdir(processes))) {
		char path[sizeof(entry->d_name) + 16];
		int fd;

		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/maps", entry->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		mapped = has_word(fd, name);
		close(fd);
	}
	if (processes)
		closedir(processes);
	return mapped;
}

/* The kernel gives a lease to write to whoever has a file open alone: nobody maps it either. */
static bool is_unused(int fd)
{
	return fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
}

/*
 * With the rights of its user: where a name comes to be another file's at the last moment, it is a
 * file that he who did it could have removed himself.
 */
static bool remove_if_stale(int directory, const char *name, uid_t owner)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	struct stat now, st;
	bool removed = false;
	int fd;

	/* A device is not even opened. */
	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) || !is_stale(&st, owner))
		return false;
	fd = openat(directory, name, flags);
	if (fd < 0)
		return false;
	removed = fstat(fd, &now) == 0 && is_stale(&now, owner) && now.st_ino == st.st_ino &&
		  now.st_dev == st.st_dev && is_unused(fd) && !unlinkat(directory, name, 0);
	close(fd);
	return removed;
}

static unsigned int clean_place(const struct process *process, const char *place)
{
	int fd = process__open_file(process, place, O_RDONLY | O_DIRECTORY);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	unsigned int removed = 0;
	struct dirent *entry;
	struct rights rights;
	struct stat st;

	if (!directory) {
		files__close(&fd);
		return 0;
	}
	while ((entry = readdir(directory))) {
		const char *name = entry->d_name;
		bool became;

		if (!is_name_of_copy(name) || fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !is_stale(&st, process->euid) || is_mapped(name))
			continue;
		became = agent_file__become_user(process, &rights);
		if (became || process->euid == geteuid())
			removed += remove_if_stale(fd, name, process->euid);
		if (became)
			rights__give_back(&rights);
	}
	closedir(directory);
	return removed;
}

struct cleaning {
	const struct process *process;
	const char *temporary;
};

static int clean(void *context, int socket)
{
	const struct cleaning *cleaning = context;
	const char *places[PLACES];
	unsigned int removed = 0;

	list_places(cleaning->temporary, places);
	for (size_t i = 0; i < PLACES; i++)
		if (places[i])
			removed += clean_place(cleaning->process, places[i]);
	return keeper__say(socket, &removed, sizeof(removed)) < 0;
}

/* Its directories may be slow, and large without end: a child looks, and has a deadline. */
unsigned int agent_file__clean(const struct process *process, const char *temporary)
{
	struct cleaning cleaning = { process, temporary };
	unsigned int removed = 0;
	struct keeper keeper;
	struct pollfd said;

	if (keeper__start(&keeper, clean, &cleaning))
		return 0;
	said = (struct pollfd){ .fd = keeper.socket, .events = POLLIN };
	if (poll(&said, 1, CLEAN_MS) == 1) {
		if (keeper__hear(keeper.socket, &removed, sizeof(removed)) !=
		    (ssize_t)sizeof(removed))
			removed = 0;
		keeper__end(&keeper);
	} else {
		kill(keeper.pid, SIGKILL);
		keeper__leave(&keeper);
	}
	return removed;
}
