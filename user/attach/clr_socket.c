/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nothing here goes by a path that the target could turn into another one: the directory is opened
 * below its root, the socket in there, and connected to by /proc/self/fd/N, which also keeps the
 * name within the 107 bytes that a socket's address has.
 *
 * The start time in the name is that of the process's own time namespace. Where ours shows another
 * one, its other names are tried: who listens decides.
 */
#include "attach/clr_socket.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "attach/peer.h"
#include "base/buf.h"
#include "target/process.h"

#define OTHERS_MOST 64 /* names of that pid to be tried; sockets of the dead are rarely that many */

static int connect_to(int socket_fd, const struct process *process)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int err = 0, fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d", socket_fd);
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		err = -errno;
	else if (!peer__is(fd, process))
		err = -EXDEV;
	if (err)
		close(fd);
	return err ? err : fd;
}

static int try(int directory, const char *name, const struct process *process)
{
	int answer, fd = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		answer = -errno;
	else
		answer = S_ISSOCK(st.st_mode) ? connect_to(fd, process) : -EXDEV;
	close(fd);
	return answer;
}

static bool is_named_so(const char *name, const char *prefix)
{
	const char *end = "-socket";
	size_t len = strlen(name);

	return strncmp(name, prefix, strlen(prefix)) == 0 && len > strlen(prefix) + strlen(end) &&
	       strcmp(name + len - strlen(end), end) == 0;
}

/* By its pid alone. */
static int try_others(int directory, const struct process *process)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), answer = -ENOENT;
	DIR *listing = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	char prefix[64];

	if (!listing) {
		if (fd >= 0)
			close(fd);
		return -ENOENT;
	}
	snprintf(prefix, sizeof(prefix), "dotnet-diagnostic-%d-", process__inner_pid(process));
	for (int tried = 0; answer < 0 && tried < OTHERS_MOST && (entry = readdir(listing));) {
		if (!is_named_so(entry->d_name, prefix))
			continue;
		answer = try(directory, entry->d_name, process);
		tried++;
	}
	closedir(listing);
	return answer;
}

int clr_socket__connect(const struct process *process, const char *directory)
{
	int fd = process__open_file(process, directory, O_PATH | O_DIRECTORY), answer;
	char name[96];

	if (fd < 0)
		return fd == -ENOENT && process__alive(process) ? -ENOTDIR : fd;
	snprintf(name, sizeof(name), "dotnet-diagnostic-%d-%" PRIu64 "-socket",
		 process__inner_pid(process), process->start_ticks);
	answer = try(fd, name, process);
	if (answer == -ENOENT)
		answer = try_others(fd, process);
	close(fd);
	return answer;
}
