/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/jvm_handshake.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/agent_file.h"
#include "attach/jvm_socket.h"
#include "attach/patience.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/keeper.h"
#include "base/rights.h"
#include "target/process.h"
#include "target/procfs.h"

#define LISTENS_NS (JVM_HANDSHAKE_SECONDS * NS_PER_S)
#define LOOKS_NS (60 * NS_PER_S) /* after that, one that was asked will not look any more */
#define PAUSE_MS 10
#define LISTENER "Attach Listener"

struct handshake {
	const struct process *process;
	int directory;
	char name[64];	  /* of the file */
	bool is_anothers; /* the file: so somebody else is asking, or has died over it */
	struct keeper keeper;
};

/* What the keeper is told. One who is told nothing more is alone. */
enum word { WORD_ASKED = 'a', WORD_DONE = 'd' };

/* ---------------------------------------------------------------- looking */

bool jvm_handshake__is_due(int answer)
{
	return answer == -ENOENT || answer == -ECONNREFUSED;
}

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

static bool is_listener(int tasks, const char *tid)
{
	char name[64], comm[32] = "";
	int fd;

	snprintf(name, sizeof(name), "%.32s/comm", tid);
	fd = openat(tasks, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, comm, sizeof(comm) - 1) < 0)
		comm[0] = 0;
	close(fd);
	return strcmp(comm, LISTENER "\n") == 0;
}

bool jvm_handshake__has_listener(const struct process *process)
{
	int tasks = process__open_tasks(process);
	DIR *dir = tasks < 0 ? NULL : fdopendir(tasks);
	struct dirent *entry;
	bool has = false;

	if (!dir) {
		files__close(&tasks);
		return false;
	}
	while (!has && (entry = readdir(dir)) != NULL)
		has = entry->d_name[0] != '.' && is_listener(tasks, entry->d_name);
	closedir(dir);
	return has;
}

/* ---------------------------------------------------------------- the file */

/*
 * Whoever asks at the same time makes it as the JVM's user or as root. Of one of anybody else the
 * JVM takes no notice: it prints all its stacks. -ENOENT: there is none.
 */
static int check_file(const struct handshake *handshake, int directory, const char *name)
{
	struct stat st;

	if (fstatat(directory, name, &st, 0))
		return -errno;
	return !st.st_uid || st.st_uid == handshake->process->euid ? -EEXIST : -EBUSY;
}

/* The JVM looks there first, and jcmd makes its file there. */
static int check_current_directory(const struct handshake *handshake)
{
	char name[sizeof(handshake->name) + 8];

	snprintf(name, sizeof(name), "cwd/%s", handshake->name);
	return check_file(handshake, handshake->process->procfd, name);
}

/* It must be its user's. One that is there already (-EEXIST) does as well, and is left there. */
static int make_file(const struct handshake *handshake)
{
	struct rights rights;
	bool became;
	int err = check_current_directory(handshake), fd;

	if (err == -EEXIST || err == -EBUSY)
		return err;
	became = agent_file__become_user(handshake->process, &rights);
	fd = openat(handshake->directory, handshake->name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	err = fd < 0 ? -errno : 0;
	files__close(&fd);
	if (became)
		rights__give_back(&rights);
	if (err == -EEXIST)
		err = check_file(handshake, handshake->directory, handshake->name);
	return err == -ENOENT ? -EAGAIN : err;
}

/* ---------------------------------------------------------------- the keeper */

static bool has_socket(const struct handshake *handshake)
{
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), ".java_pid%d", process__inner_pid(handshake->process));
	return fstatat(handshake->directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Until the JVM has taken notice of the file. Nobody waits for this process's output meanwhile. */
static void wait_for_look(const struct handshake *handshake)
{
	const uint64_t until_ns = clock__monotonic_ns() + LOOKS_NS;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		close(fd);
	while (!has_socket(handshake) && process__alive(handshake->process) &&
	       clock__monotonic_ns() < until_ns)
		poll(NULL, 0, PAUSE_MS);
}

/* A keeper's life. */
static int keep(void *context, int socket)
{
	const struct handshake *handshake = context;
	int err = make_file(handshake);
	char word = WORD_DONE;

	if (keeper__say(socket, &err, sizeof(err)) > 0)
		while (keeper__hear(socket, &word, 1) == 1 && word != WORD_DONE)
			;
	if (!err && word == WORD_ASKED)
		wait_for_look(handshake);
	if (!err)
		unlinkat(handshake->directory, handshake->name, 0);
	return 0;
}

static int start_keeper(struct handshake *handshake)
{
	int err = keeper__start(&handshake->keeper, keep, handshake);

	if (err)
		return err;
	if (keeper__hear_for(handshake->keeper.socket, &err, sizeof(err), KEEPER_ANSWER_NS) !=
	    (ssize_t)sizeof(err))
		err = -ECHILD;
	handshake->is_anothers = err == -EEXIST;
	if (!err || handshake->is_anothers)
		return 0;
	keeper__end(&handshake->keeper);
	return err;
}

/* One that has not looked at the file yet will: the keeper stays with it for that long. */
static void end_keeper(struct handshake *handshake, int answer)
{
	const char word = WORD_DONE;

	if (jvm_handshake__is_due(answer) || answer == -ECANCELED) {
		keeper__leave(&handshake->keeper);
		return;
	}
	keeper__say(handshake->keeper.socket, &word, 1);
	keeper__end(&handshake->keeper);
}

/* ---------------------------------------------------------------- asking */

static int send_quit(struct handshake *handshake)
{
	const struct process *process = handshake->process;
	const char word = WORD_ASKED;

	if (!process__alive(process))
		return -ESRCH;
	if (!catches_quit(process))
		return -EOPNOTSUPP;
	keeper__say(handshake->keeper.socket, &word, 1);
	if (process->pidfd < 0)
		return kill(process->pid, SIGQUIT) ? -errno : 0;
	return syscall(SYS_pidfd_send_signal, process->pidfd, SIGQUIT, NULL, 0) ? -errno : 0;
}

static int wait_for_socket(const struct handshake *handshake, const struct patience *patience,
			   uint64_t ns)
{
	const uint64_t until_ns = clock__monotonic_ns() + ns;
	struct pollfd stop = { .fd = patience->stop_fd, .events = POLLIN };

	for (;;) {
		int answer = jvm_socket__try(handshake->directory, handshake->process);

		if (!jvm_handshake__is_due(answer) || clock__monotonic_ns() >= until_ns ||
		    !process__alive(handshake->process))
			return answer;
		if (poll(&stop, 1, PAUSE_MS) > 0)
			return -ECANCELED;
	}
}

/* A JVM that listens already would take SIGQUIT for a wish to see its stacks. */
static int have_it_listen(struct handshake *handshake, const struct patience *patience)
{
	int answer = wait_for_socket(handshake, patience, 0);

	if (answer == -ECONNREFUSED && jvm_handshake__has_listener(handshake->process))
		return wait_for_socket(handshake, patience, LISTENS_NS);
	if (!jvm_handshake__is_due(answer))
		return answer;
	answer = send_quit(handshake);
	return answer ? answer : wait_for_socket(handshake, patience, LISTENS_NS);
}

int jvm_handshake(int directory, const struct process *process, struct patience *patience)
{
	struct handshake handshake = { .process = process, .directory = directory };
	int answer;

	while (!catches_quit(process))
		if (!patience__wait(patience))
			return -EOPNOTSUPP;
	snprintf(handshake.name, sizeof(handshake.name), ".attach_pid%d",
		 process__inner_pid(process));
	answer = start_keeper(&handshake);
	/* Somebody else asks first. Where nothing comes of that, his file is there yet, or not. */
	if (!answer && handshake.is_anothers) {
		answer = wait_for_socket(&handshake, patience, LISTENS_NS);
		keeper__end(&handshake.keeper);
		if (!jvm_handshake__is_due(answer))
			return answer;
		answer = start_keeper(&handshake);
	}
	if (answer)
		return answer;
	answer = have_it_listen(&handshake, patience);
	end_keeper(&handshake, answer);
	return answer;
}
