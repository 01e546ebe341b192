/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/jvm_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/jvm_options.h"
#include "attach/jvm_socket.h"
#include "attach/patience.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/rights.h"
#include "target/process.h"
#include "target/runtime.h"

#define DIRECTORY "/tmp"
#define OLDEST 17   /* version of Java whose dumps may go to what is there already */
#define PARALLEL 22 /* from which on a dump is written in parts, to files beside it */
#define OPENS_MS 10000	/* a JVM that was asked opens the FIFO in that time */
#define ANSWER_NS (10 * NS_PER_S) /* after the dump's end */

/* What the keeper is told: has the JVM been asked and not written yet? */
enum word { WORD_DONE = 'd', WORD_ASKED = 'a' };

/* ---------------------------------------------------------------- the FIFO */

static int make_fifo(const struct jvm_dump *dump)
{
	struct rights rights;
	const bool became = agent_file__become_user(dump->process, &rights);
	int err = mknodat(dump->directory, dump->name, S_IFIFO | 0600, 0) ? -errno : 0;

	if (became)
		rights__give_back(&rights);
	return err;
}

static void remove_fifo(const struct jvm_dump *dump)
{
	struct rights rights;
	const bool became = agent_file__become_user(dump->process, &rights);

	unlinkat(dump->directory, dump->name, 0);
	if (became)
		rights__give_back(&rights);
}

static int open_fifo(const struct jvm_dump *dump)
{
	int fd = openat(dump->directory, dump->name,
			O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/*
 * A keeper's life. A JVM that was asked opens the FIFO, whatever has become of us: were it gone by
 * then, the JVM would make a file of that name; had it no reader, the JVM would wait for one.
 */
static int keep(void *context, int socket)
{
	const struct jvm_dump *dump = context;
	int err = make_fifo(dump);
	struct pollfd ready = { .fd = err ? -1 : open_fifo(dump), .events = POLLIN };
	char word = WORD_ASKED;

	if (keeper__say(socket, &err, sizeof(err)) > 0 && !err)
		keeper__hear(socket, &word, 1);
	if (!err && word == WORD_ASKED)
		poll(&ready, 1, OPENS_MS);
	if (!err)
		remove_fifo(dump);
	keeper__say(socket, &err, sizeof(err));
	return err != 0;
}

static void take_away(struct jvm_dump *dump)
{
	int err;

	if (!dump->is_kept)
		return;
	if (keeper__say(dump->keeper.socket, &dump->word, 1) == 1)
		keeper__hear(dump->keeper.socket, &err, sizeof(err));
	keeper__end(&dump->keeper);
	dump->is_kept = false;
}

static int place_fifo(struct jvm_dump *dump, struct buf *why)
{
	int err = agent_file__make_name("gctrace.hprof", dump->name);

	dump->directory = process__open_file(dump->process, DIRECTORY, O_PATH | O_DIRECTORY);
	if (!err && dump->directory < 0)
		err = dump->directory;
	if (!err)
		err = keeper__start(&dump->keeper, keep, dump);
	if (!err) {
		dump->is_kept = true;
		if (keeper__hear(dump->keeper.socket, &err, sizeof(err)) != (ssize_t)sizeof(err))
			err = -ECHILD;
	}
	if (!err) {
		dump->fd = open_fifo(dump);
		err = dump->fd < 0 ? dump->fd : 0;
	}
	if (err)
		buf__printf(why, "no FIFO for its dump can be made in " DIRECTORY
				 " of its own view: %s", strerror(-err));
	return err;
}

/* ---------------------------------------------------------------- the answer */

/* What the JVM says, when it has nothing more to say. -EAGAIN: it has. */
static int take_answer(struct jvm_dump *dump, struct buf *why)
{
	struct buf answer = BUF_INIT;
	int err = jvm_socket__receive(dump->socket, &dump->said);

	if (err >= 0)
		err = jvm_socket__parse(&dump->said, err > 0, &answer);
	if (err > 0) {
		buf__printf(why, "the JVM makes no dump: %s",
			    answer.len ? escape_bytes(answer.data, answer.len) : "it says no more");
		err = -EIO;
	} else if (err < 0 && err != -EAGAIN) {
		buf__printf(why, "the JVM has not answered: %s", strerror(-err));
	}
	buf__free(&answer);
	return err;
}

/* Until it writes, which may be a full collection from now; or says why not. */
static int wait_for_dump(struct jvm_dump *dump, struct buf *why)
{
	struct pollfd ready[] = {
		{ .fd = dump->stop_fd, .events = POLLIN },
		{ .fd = dump->fd, .events = POLLIN },
		{ .fd = dump->socket, .events = POLLIN },
	};
	int err = -EAGAIN;

	while (err == -EAGAIN) {
		if (poll(ready, 3, -1) < 0)
			continue;
		if (ready[1].revents & ~POLLIN)
			ready[1].fd = -1; /* it was opened and closed: no more will come there */
		if (ready[1].revents & POLLIN) {
			err = 0;
		} else if (ready[0].revents) {
			buf__add_str(why, "stopped before its dump began");
			err = -ECANCELED;
		} else if (ready[2].revents) {
			err = take_answer(dump, why);
			if (!err) {
				buf__add_str(why, "the JVM says that it has made a dump, and"
						  " none has come");
				err = -EIO;
			}
		}
	}
	return err;
}

/* ---------------------------------------------------------------- asking */

int jvm_dump__check(const struct process *process, const struct runtime *runtime, struct buf *why)
{
	struct buf options = BUF_INIT;
	const int major = jvm_socket__major(runtime);
	int err = jvm_options__read(process, &options);

	if (err)
		buf__printf(why, "it is user %u's, whose options this one may not read (%s): run"
				 " gctrace as root, or as that user",
			    (unsigned int)process->euid, strerror(-err));
	else if (jvm_socket__is_refused(process, runtime, &options, why))
		err = -EOPNOTSUPP;
	buf__free(&options);
	if (!err && major && major < OLDEST) {
		buf__printf(why, "it runs Java %s, which writes dumps to new files only: Java %d or"
				 " later takes a FIFO; jmap -dump:format=b,file=FILE %d makes a"
				 " file, which gctrace heap reads",
			    escape(runtime->version), OLDEST, process->pid);
		err = -EOPNOTSUPP;
	}
	return err;
}

static int ask(struct jvm_dump *dump, const struct runtime *runtime, struct buf *why)
{
	struct patience patience = patience__for(dump->process, dump->stop_fd);
	struct buf command = BUF_INIT;
	struct jvm_question question = { .command = "jcmd" };
	int err;

	buf__printf(&command, "GC.heap_dump -overwrite %s%s/%s",
		    jvm_socket__major(runtime) >= PARALLEL ? "-parallel=1 " : "", DIRECTORY,
		    dump->name);
	question.arguments[0] = buf__str(&command);
	dump->socket = jvm_socket__connect(dump->process, &patience, why);
	if (dump->socket < 0)
		err = dump->socket;
	else
		err = jvm_socket__send(dump->socket, &question);
	if (err && !why->len)
		buf__printf(why, "it cannot be asked: %s", strerror(-err));
	buf__free(&command);
	return err;
}

int jvm_dump__begin(const struct process *process, const struct runtime *runtime, int stop_fd,
		    struct jvm_dump *dump, struct buf *why)
{
	int err;

	*dump = (struct jvm_dump){ .fd = -1, .socket = -1, .directory = -1, .stop_fd = stop_fd,
				   .process = process, .word = WORD_DONE };
	err = place_fifo(dump, why);
	if (!err)
		err = ask(dump, runtime, why);
	if (!err)
		err = wait_for_dump(dump, why);
	dump->word = err == -ECANCELED ? WORD_ASKED : WORD_DONE;
	take_away(dump);
	return err;
}

int jvm_dump__end(struct jvm_dump *dump, struct buf *why)
{
	const uint64_t until_ns = clock__monotonic_ns() + ANSWER_NS;
	struct pollfd ready = { .fd = dump->socket, .events = POLLIN };
	int err = dump->socket < 0 ? 0 : -EAGAIN;

	files__close(&dump->fd);
	while (err == -EAGAIN && clock__monotonic_ns() < until_ns) {
		poll(&ready, 1, 100);
		err = take_answer(dump, why);
	}
	take_away(dump);
	files__close(&dump->socket);
	files__close(&dump->directory);
	buf__free(&dump->said);
	return err == -EAGAIN ? -ETIMEDOUT : err;
}
