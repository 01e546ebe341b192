/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Directories and sockets are opened below the target's root and known by descriptors from then on,
 * as clr_socket.c does.
 */
#include "attach/jvm_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/jvm_handshake.h"
#include "attach/jvm_options.h"
#include "attach/patience.h"
#include "attach/peer.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/keeper.h"
#include "target/process.h"
#include "target/runtime.h"

#define OLDEST 11 /* version of Java */
#define ANSWER_NS (10 * NS_PER_S)
#define CONNECT_NS (1 * NS_PER_S)
#define ANSWER_MOST ((size_t)1 << 24) /* bytes: what says more is no JVM's answer */
#define DIRECTORY "/tmp" /* jvm_socket.h says why */

/* ---------------------------------------------------------------- what can be known before */

int jvm_socket__major(const struct runtime *runtime)
{
	const char *version = runtime->version;
	int major = version ? atoi(version) : 0;

	if (major == 1 && version[1] == '.')
		major = atoi(version + 2);
	return major;
}

static int open_socket(int directory, const struct process *process)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), ".java_pid%d", process__inner_pid(process));
	fd = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * Asked by SIGQUIT, a JVM that listens looks whether its socket is there, and makes another if not:
 * since 14 (JDK-8225690, JDK-8235211) and 11.0.13. Older ones print all their stacks instead.
 */
static bool makes_new_socket(const struct runtime *runtime)
{
	const int major = jvm_socket__major(runtime);
	int update = 0;

	if (major == 11 && sscanf(runtime->version, "11.0.%d", &update) == 1)
		return update >= 13;
	return !major || major >= 14;
}

static bool has_lost_socket(const struct process *process, const struct runtime *runtime)
{
	int directory, fd;
	bool has_lost;

	if (makes_new_socket(runtime) || !jvm_handshake__has_listener(process))
		return false;
	directory = process__open_file(process, DIRECTORY, O_PATH | O_DIRECTORY);
	fd = directory < 0 ? directory : open_socket(directory, process);
	has_lost = fd == -ENOENT;
	files__close(&directory);
	files__close(&fd);
	return has_lost;
}

bool jvm_socket__is_refused(const struct process *process, const struct runtime *runtime,
			    const struct buf *options, struct buf *why)
{
	const int major = jvm_socket__major(runtime);

	if (runtime->kind == RUNTIME_OPENJ9)
		buf__add_str(why, "it runs OpenJ9, whose ways gctrace does not know: use a JVM with"
				  " HotSpot, or OpenJ9's own dumps (jcmd Dump.heap)");
	else if (runtime->kind == RUNTIME_UNKNOWN)
		buf__add_str(why, "it runs no JVM that gctrace knows");
	else if (runtime->kind != RUNTIME_HOTSPOT)
		buf__printf(why, "it runs %s and no HotSpot JVM", runtime->name);
	else if (major && major < OLDEST)
		buf__printf(why, "it runs Java %s, and this takes Java %d or later; gctrace heap"
				 " reads the file that jmap -dump:live,format=b,file=FILE %d makes",
			    escape(runtime->version), OLDEST, process->pid);
	else if (jvm_options__flag(options, "DisableAttachMechanism", false))
		buf__add_str(why, "it was started with -XX:+DisableAttachMechanism, so that nobody"
				  " can ask it anything: start it without that");
	else if (has_lost_socket(process, runtime))
		buf__printf(why, "its attach socket (" DIRECTORY "/.java_pid%d of its own view) was"
				 " removed, as by a job that tidies " DIRECTORY ", and Java %s"
				 " makes no new one (Java 11.0.13, 14 and later do): start it anew",
			    process__inner_pid(process), escape(runtime->version));
	else if (process__is_stopped(process))
		buf__printf(why, "it is stopped, by a signal or a debugger, and can answer nothing:"
				 " let it go on (kill -CONT %d)", process->pid);
	else
		return false;
	return true;
}

/* ---------------------------------------------------------------- as its user */

static bool is_other_user(const struct process *process)
{
	return process->euid != geteuid() || process->egid != getegid();
}

/*
 * In a child that has become the target's user for good: the socket remembers who connected, by
 * real ids, and not those that rights.h changes. That user can stop the child: it is not waited for
 * without end.
 */
static int connect_as_user(int fd, const struct sockaddr_un *address,
			   const struct process *process)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		if (setgroups(0, NULL) || setresgid(process->egid, process->egid, process->egid) ||
		    setresuid(process->euid, process->euid, process->euid) ||
		    connect(fd, (const struct sockaddr *)address, sizeof(*address)))
			_exit(errno);
		_exit(0);
	}
	status = keeper__await(pid, CONNECT_NS);
	if (status < 0)
		return status;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

static int connect_to(int socket_fd, const struct process *process)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err = 0;

	if (fd < 0)
		return -errno;
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d", socket_fd);
	if (geteuid() == 0 && is_other_user(process))
		err = connect_as_user(fd, &address, process);
	else if (connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		err = -errno;
	if (!err && !peer__is(fd, process))
		err = -EXDEV;
	if (err)
		close(fd);
	return err ? err : fd;
}

int jvm_socket__try(int directory, const struct process *process)
{
	struct stat st;
	int fd = open_socket(directory, process), answer;

	if (fd < 0)
		return fd;
	answer = fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode) ? connect_to(fd, process) : -EXDEV;
	close(fd);
	return answer;
}

/* ---------------------------------------------------------------- connecting */

static int explain(const struct process *process, int err, struct buf *why)
{
	if (!process__alive(process)) {
		buf__add_str(why, "it has ended meanwhile");
		return -ESRCH;
	}
	switch (err) {
	case -EACCES:
	case -EPERM:
		buf__printf(why, "it is user %u's: run gctrace as root, or as that user",
			    (unsigned int)process->euid);
		break;
	case -EROFS:
	case -ENOTDIR:
		buf__add_str(why, "it cannot make its attach socket: " DIRECTORY " of its own view"
				  " is not to be written to");
		break;
	case -ENOENT:
		buf__printf(why, "it has not made its attach socket (" DIRECTORY "/.java_pid%d) in"
				 " %d s: it is too busy, or does not listen",
			    process__inner_pid(process), JVM_HANDSHAKE_SECONDS);
		break;
	case -ECONNREFUSED:
	case -EXDEV:
		buf__printf(why, "nobody listens on its attach socket, or somebody else does:"
				 " remove " DIRECTORY "/.java_pid%d of its own view, and try again",
			    process__inner_pid(process));
		break;
	case -EBUSY:
		buf__printf(why,
			    "another user has made .attach_pid%d, by which a JVM is asked to"
			    " listen, in " DIRECTORY " of its own view or in its current"
			    " directory: remove it", process__inner_pid(process));
		break;
	case -EOPNOTSUPP:
		buf__add_str(why, "it does not take SIGQUIT, by which a JVM is asked to listen"
				  " (-Xrs, or it is still starting): start it without -Xrs");
		break;
	case -ECANCELED:
		buf__add_str(why, "stopped before it has answered");
		break;
	default:
		buf__printf(why, "its attach socket cannot be connected to: %s", strerror(-err));
	}
	return err;
}

int jvm_socket__connect(const struct process *process, struct patience *patience,
			struct buf *why)
{
	int directory = process__open_file(process, DIRECTORY, O_PATH | O_DIRECTORY), answer;

	if (directory < 0)
		return explain(process, directory == -ENOENT ? -ENOTDIR : directory, why);
	answer = jvm_socket__try(directory, process);
	if (jvm_handshake__is_due(answer))
		answer = jvm_handshake(directory, process, patience);
	close(directory);
	return answer < 0 ? explain(process, answer, why) : answer;
}

/* ---------------------------------------------------------------- questions and answers */

int jvm_socket__send(int socket, const struct jvm_question *question)
{
	struct buf bytes = BUF_INIT;
	ssize_t n;
	int err;

	buf__add(&bytes, "1", 2); /* of the protocol */
	buf__add(&bytes, question->command, strlen(question->command) + 1);
	for (size_t i = 0; i < 3; i++)
		buf__add(&bytes, question->arguments[i] ? question->arguments[i] : "",
			 question->arguments[i] ? strlen(question->arguments[i]) + 1 : 1);
	err = bytes.error;
	n = err ? 0 : send(socket, bytes.data, bytes.len, MSG_NOSIGNAL);
	if (!err && n != (ssize_t)bytes.len)
		err = n < 0 ? -errno : -EMSGSIZE;
	buf__free(&bytes);
	return err;
}

int jvm_socket__receive(int socket, struct buf *bytes)
{
	char room[4096];

	while (!bytes->error && bytes->len <= ANSWER_MOST) {
		ssize_t n = recv(socket, room, sizeof(room), MSG_DONTWAIT);

		if (n > 0)
			buf__add(bytes, room, (size_t)n);
		else if (n == 0)
			return 1;
		else if (errno != EINTR)
			return errno == EAGAIN ? 0 : -errno;
	}
	return bytes->error ? bytes->error : -EPROTO;
}

int jvm_socket__parse(const struct buf *bytes, bool is_whole, struct buf *answer)
{
	const char *text = buf__str(bytes), *line = memchr(text, '\n', bytes->len);

	if (!is_whole)
		return -EAGAIN;
	if (!line)
		return -EPROTO;
	buf__add(answer, line + 1, bytes->len - (size_t)(line + 1 - text));
	while (answer->len && strchr(" \n", answer->data[answer->len - 1]))
		buf__truncate(answer, answer->len - 1);
	return strncmp(text, "0\n", 2) == 0 ? 0 : 1;
}

/* Until it closes its end: that is the end of an answer. */
static int receive_all(int socket, const struct patience *patience, struct buf *bytes)
{
	const uint64_t until_ns = clock__monotonic_ns() + ANSWER_NS;
	struct pollfd ready[] = {
		{ .fd = patience->stop_fd, .events = POLLIN },
		{ .fd = socket, .events = POLLIN },
	};
	int answer = 0;

	while (!answer) {
		const uint64_t now = clock__monotonic_ns();

		if (now >= until_ns)
			return -ETIMEDOUT;
		if (poll(ready, 2, (int)((until_ns - now) / NS_PER_MS) + 1) > 0 &&
		    ready[0].revents)
			return -ECANCELED;
		answer = jvm_socket__receive(socket, bytes);
	}
	return answer < 0 ? answer : 0;
}

int jvm_socket__ask(const struct process *process, const struct jvm_question *question,
		    struct patience *patience, struct buf *answer, struct buf *why)
{
	int fd = jvm_socket__connect(process, patience, why), err;
	struct buf bytes = BUF_INIT;

	if (fd < 0)
		return fd;
	err = jvm_socket__send(fd, question);
	if (!err)
		err = receive_all(fd, patience, &bytes);
	if (!err)
		err = jvm_socket__parse(&bytes, true, answer);
	close(fd);
	buf__free(&bytes);
	if (err == -ETIMEDOUT)
		buf__printf(why, "it has not answered within %d s: should it do it later, the next"
				 " gctrace finds what it did", (int)(ANSWER_NS / NS_PER_S));
	else if (err == -EPROTO)
		buf__add_str(why, "what it answered is not of the attach protocol");
	else if (err < 0)
		explain(process, err, why);
	return err;
}
