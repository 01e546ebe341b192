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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/agent_file.h"
#include "attach/jvm_options.h"
#include "attach/patience.h"
#include "attach/peer.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/keeper.h"
#include "base/rights.h"
#include "target/proc_stat.h"
#include "target/process.h"
#include "target/procfs.h"
#include "target/runtime.h"

#define OLDEST 11 /* version of Java */
#define ANSWER_NS (10 * NS_PER_S)
#define LISTENS_NS (5 * NS_PER_S) /* it has that long to make its socket */
#define ANSWER_MOST ((size_t)1 << 24) /* bytes: what says more is no JVM's answer */
#define PAUSE_MS 10
#define DIRECTORY "/tmp" /* of HotSpot: a constant */

/* ---------------------------------------------------------------- what can be known before */

int jvm_socket__major(const struct runtime *runtime)
{
	const char *version = runtime->version;
	int major = version ? atoi(version) : 0;

	if (major == 1 && version[1] == '.')
		major = atoi(version + 2);
	return major;
}

/* Who does not catch SIGQUIT dies of it. */
static bool catches_quit(const struct process *process)
{
	struct buf status = BUF_INIT;
	const char *at;
	uint64_t mask = 0;
	size_t len;

	if (process__read(process, "status", &status) == 0 &&
	    procfs__field(&status, "SigCgt", &at, &len))
		procfs__number(&at, at + len, 16, &mask);
	buf__free(&status);
	return mask >> (SIGQUIT - 1) & 1;
}

static bool is_stopped(const struct process *process)
{
	struct proc_stat stat;

	return proc_stat__read(process, &stat) == 0 && (stat.state == 'T' || stat.state == 't');
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
		buf__printf(why, "it runs Java %s, and this takes Java %d or later",
			    escape(runtime->version), OLDEST);
	else if (jvm_options__flag(options, "DisableAttachMechanism", false))
		buf__add_str(why, "it was started with -XX:+DisableAttachMechanism, so that nobody"
				  " can ask it anything: start it without that");
	else if (is_stopped(process))
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
 * real ids, and not those that rights.h changes.
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
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
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

static int try_socket(int directory, const struct process *process)
{
	char name[64];
	struct stat st;
	int fd, answer;

	snprintf(name, sizeof(name), ".java_pid%d", process__inner_pid(process));
	fd = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	answer = fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode) ? connect_to(fd, process) : -EXDEV;
	close(fd);
	return answer;
}

/* ---------------------------------------------------------------- the handshake */

struct handshake {
	const struct process *process;
	int directory;
	char name[64];
	bool is_anothers; /* the file: so somebody else is asking, or has died over it */
	struct keeper keeper;
};

/*
 * Whoever asks at the same time makes it as the JVM's user or as root. Of one of anybody else the
 * JVM takes no notice: it prints all its stacks.
 */
static int check_file(const struct handshake *handshake)
{
	struct stat st;

	if (fstatat(handshake->directory, handshake->name, &st, AT_SYMLINK_NOFOLLOW))
		return -EAGAIN;
	return S_ISREG(st.st_mode) && (!st.st_uid || st.st_uid == handshake->process->euid) ?
		       -EEXIST : -EBUSY;
}

/* It must be its user's. One that is there already (-EEXIST) does as well, and is left there. */
static int make_file(const struct handshake *handshake)
{
	struct rights rights;
	const bool became = agent_file__become_user(handshake->process, &rights);
	int err = 0, fd;

	fd = openat(handshake->directory, handshake->name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		err = -errno;
	files__close(&fd);
	if (became)
		rights__give_back(&rights);
	return err == -EEXIST ? check_file(handshake) : err;
}

/* A keeper's life: the file would have the JVM listen at somebody's later SIGQUIT. */
static int keep(void *context, int socket)
{
	const struct handshake *handshake = context;
	int err = make_file(handshake);
	char word;

	if (keeper__say(socket, &err, sizeof(err)) > 0)
		keeper__hear(socket, &word, 1);
	if (!err)
		unlinkat(handshake->directory, handshake->name, 0);
	return 0;
}

static int start_keeper(struct handshake *handshake)
{
	int err;

	snprintf(handshake->name, sizeof(handshake->name), ".attach_pid%d",
		 process__inner_pid(handshake->process));
	err = keeper__start(&handshake->keeper, keep, handshake);
	if (err)
		return err;
	if (keeper__hear(handshake->keeper.socket, &err, sizeof(err)) != (ssize_t)sizeof(err))
		err = -ECHILD;
	handshake->is_anothers = err == -EEXIST;
	if (!err || handshake->is_anothers)
		return 0;
	keeper__end(&handshake->keeper);
	return err;
}

static int send_quit(const struct process *process)
{
	if (!process__alive(process))
		return -ESRCH;
	if (process->pidfd < 0)
		return kill(process->pid, SIGQUIT) ? -errno : 0;
	return syscall(SYS_pidfd_send_signal, process->pidfd, SIGQUIT, NULL, 0) ? -errno : 0;
}

static bool listens_not_yet(int answer)
{
	return answer == -ENOENT || answer == -ECONNREFUSED;
}

static int wait_for_socket(const struct handshake *handshake, const struct patience *patience,
			   uint64_t ns)
{
	const uint64_t until_ns = clock__monotonic_ns() + ns;
	struct pollfd stop = { .fd = patience->stop_fd, .events = POLLIN };

	for (;;) {
		int fd = try_socket(handshake->directory, handshake->process);

		if (!listens_not_yet(fd) || clock__monotonic_ns() >= until_ns ||
		    !process__alive(handshake->process))
			return fd;
		if (poll(&stop, 1, PAUSE_MS) > 0)
			return -ECANCELED;
	}
}

/* A JVM that listens already would take SIGQUIT for a wish to see its stacks. */
static int have_it_listen(const struct handshake *handshake, const struct patience *patience)
{
	int answer = wait_for_socket(handshake, patience, 0);

	if (!listens_not_yet(answer))
		return answer;
	answer = send_quit(handshake->process);
	return answer ? answer : wait_for_socket(handshake, patience, LISTENS_NS);
}

/* Somebody else asks first. Where nothing comes of that, his file is there yet, or not. */
static int shake_hands(int directory, const struct process *process,
		       const struct patience *patience)
{
	struct handshake handshake = { .process = process, .directory = directory };
	int answer = start_keeper(&handshake);

	if (!answer && handshake.is_anothers) {
		answer = wait_for_socket(&handshake, patience, LISTENS_NS);
		keeper__end(&handshake.keeper);
		if (!listens_not_yet(answer))
			return answer;
		answer = start_keeper(&handshake);
	}
	if (answer)
		return answer;
	answer = have_it_listen(&handshake, patience);
	keeper__end(&handshake.keeper);
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
			    process__inner_pid(process), (int)(LISTENS_NS / NS_PER_S));
		break;
	case -ECONNREFUSED:
	case -EXDEV:
		buf__printf(why, "nobody listens on its attach socket, or somebody else does:"
				 " remove " DIRECTORY "/.java_pid%d of its own view, and try again",
			    process__inner_pid(process));
		break;
	case -EBUSY:
		buf__printf(why,
			    "another user has made " DIRECTORY "/.attach_pid%d of its own view,"
			    " by which a JVM is asked to listen: remove it",
			    process__inner_pid(process));
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
	answer = try_socket(directory, process);
	if (listens_not_yet(answer)) {
		while (!catches_quit(process) && patience__wait(patience))
			;
		if (catches_quit(process)) {
			answer = shake_hands(directory, process, patience);
		} else {
			close(directory);
			buf__add_str(why, "it does not take SIGQUIT, by which a JVM is asked to"
					  " listen (-Xrs, or it is still starting): start it"
					  " without -Xrs");
			return -EOPNOTSUPP;
		}
	}
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
