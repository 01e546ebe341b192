/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/jvm_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/jvm_options.h"
#include "attach/jvm_relay.h"
#include "attach/jvm_socket.h"
#include "attach/patience.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/rights.h"
#include "base/units.h"
#include "target/process.h"
#include "target/runtime.h"

#define DIRECTORY "/tmp"
#define OLDEST 17   /* version of Java whose dumps may go to what is there already */
#define PARTED 22 /* from which on objects come by a file of their own: jvm_relay.h */
#define ANSWER_NS (10 * NS_PER_S) /* after the dump's end */
#define BEGIN_NS (300 * NS_PER_S) /* for its beginning: a full collection comes before it */

#define FIFO "heap.hprof"
#define PART FIFO JVM_RELAY_PART

/* ---------------------------------------------------------------- the FIFO */

/*
 * A JVM that was asked opens the path when it comes to it, which may be after this process's end;
 * where nothing is there, it makes a file and writes all its heap into it. So the FIFO is the only
 * thing in a directory of its own: with that gone, the JVM can make nothing there.
 */
static int make_fifo(struct jvm_dump *dump)
{
	struct rights rights;
	const bool became = agent_file__become_user(dump->process, &rights);
	int err = mkdirat(dump->directory, dump->name, 0700) ? -errno : 0;

	if (!err) {
		dump->inside = openat(dump->directory, dump->name,
				      O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		err = dump->inside < 0 || mknodat(dump->inside, FIFO, S_IFIFO | 0600, 0) ||
				      (dump->is_parted &&
				       mknodat(dump->inside, PART, S_IFIFO | 0600, 0)) ?
			      -errno : 0;
	}
	if (became)
		rights__give_back(&rights);
	return err;
}

/* Whoever waits in open() for the other end to be opened waits no longer, and finds nobody. */
static void let_go(const struct jvm_dump *dump, const char *name)
{
	int fd = openat(dump->inside, name, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);

	unlinkat(dump->inside, name, 0);
	files__close(&fd);
}

/* The directory goes first, by another name that nobody has: from then on nobody comes in. */
static void remove_fifo(const struct jvm_dump *dump)
{
	char gone[sizeof(dump->name) + 8];
	struct rights rights;
	const bool became = agent_file__become_user(dump->process, &rights);

	snprintf(gone, sizeof(gone), "%s.gone", dump->name);
	renameat(dump->directory, dump->name, dump->directory, gone);
	if (dump->inside >= 0) {
		let_go(dump, FIFO);
		let_go(dump, PART);
	}
	unlinkat(dump->directory, gone, AT_REMOVEDIR);
	if (became)
		rights__give_back(&rights);
}

static int open_fifo(const struct jvm_dump *dump, const char *name)
{
	int fd = openat(dump->inside, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* ---------------------------------------------------------------- the keeper */

/* Both streams into one, until this process has had enough. */
static int relay_parts(const struct jvm_dump *dump, int whole, int part, int socket)
{
	const struct jvm_relay relay = {
		.whole = whole, .part = part, .directory = dump->inside, .part_name = PART,
		.spool = dump->spool, .out = dump->out, .stop = socket,
	};
	const int err = jvm_relay__run(&relay);

	return err == -EPIPE || err == -ECANCELED ? 0 : err;
}

/* A keeper's life. */
static int keep(void *context, int socket)
{
	struct jvm_dump *dump = context;
	int err = make_fifo(dump), whole = -1, part = -1;
	char word;

	files__close(&dump->fd); /* of the pipe: the reader's */
	if (!err && dump->is_parted) {
		whole = open_fifo(dump, FIFO);
		part = open_fifo(dump, PART);
		err = whole < 0 ? whole : part < 0 ? part : 0;
	}
	if (keeper__say(socket, &err, sizeof(err)) > 0 && !err) {
		err = dump->is_parted ? relay_parts(dump, whole, part, socket) : 0;
		files__close(&dump->out);
		keeper__hear(socket, &word, 1);
	}
	remove_fifo(dump);
	files__close(&whole);
	files__close(&part);
	keeper__say(socket, &err, sizeof(err));
	return err != 0;
}

/* How it went with the parts: 0 or negative errno. */
static int take_away(struct jvm_dump *dump)
{
	int err = 0;

	if (!dump->is_kept)
		return 0;
	shutdown(dump->keeper.socket, SHUT_WR);
	if (keeper__hear_for(dump->keeper.socket, &err, sizeof(err), KEEPER_ANSWER_NS) !=
	    (ssize_t)sizeof(err))
		err = -ECHILD;
	keeper__end(&dump->keeper);
	dump->is_kept = false;
	return err;
}

/* Why objects are not kept. The spool is open still, so what it has and what is left are known. */
static void say_not_kept(const struct jvm_dump *dump, int err, struct buf *why)
{
	const char *directory = escape(jvm_relay__spool_directory());
	const uint64_t most = process__own_memory(dump->process);
	char room[UNITS_TEXT], bytes[UNITS_TEXT];
	uint64_t reserve = 0;
	struct stat spool;
	int64_t left = -1;

	if (err == -ENOSPC && dump->spool >= 0 && fstat(dump->spool, &spool) == 0)
		left = jvm_relay__room(dump->spool, &reserve);
	if (left < 0) {
		buf__printf(why, "gctrace cannot keep its objects in %s until all of their names"
				 " are there: %s (TMPDIR says where that is)",
			    directory, strerror(-err));
		return;
	}
	buf__printf(why, "its objects need more room in %s, until all of their names are there,"
			 " than it has: %s", directory,
		    units__bytes(room, (uint64_t)spool.st_size + (uint64_t)left));
	buf__printf(why, ", and %s that stay free for others; set TMPDIR to a directory with room"
			 " for all that its heap holds", units__bytes(room, reserve));
	if (most)
		buf__printf(why, ", at most %s", units__bytes(bytes, most));
}

/* What the keeper will write to, and keep objects in meanwhile. */
static int make_pipe(struct jvm_dump *dump)
{
	int ends[2], err;

	dump->spool = jvm_relay__open_spool();
	if (dump->spool < 0)
		return dump->spool;
	err = jvm_relay__check_room(dump->spool);
	if (err)
		return err;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	dump->fd = ends[0];
	dump->out = ends[1];
	return 0;
}

static int open_own(struct jvm_dump *dump)
{
	dump->inside = openat(dump->directory, dump->name,
			      O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dump->inside < 0)
		return -errno;
	dump->fd = open_fifo(dump, FIFO);
	return dump->fd < 0 ? dump->fd : 0;
}

static int start_keeper(struct jvm_dump *dump)
{
	int err = keeper__start(&dump->keeper, keep, dump);

	files__close(&dump->out);
	if (err)
		return err;
	dump->is_kept = true;
	if (keeper__hear_for(dump->keeper.socket, &err, sizeof(err), KEEPER_ANSWER_NS) !=
	    (ssize_t)sizeof(err))
		err = -ECHILD;
	return err;
}

static int place_fifo(struct jvm_dump *dump, struct buf *why)
{
	int err = agent_file__make_name("gctrace.hprof", dump->name);

	if (!err && dump->is_parted)
		err = make_pipe(dump);
	if (err) {
		say_not_kept(dump, err, why);
		return err;
	}
	dump->directory = process__open_file(dump->process, DIRECTORY, O_PATH | O_DIRECTORY);
	err = dump->directory < 0 ? dump->directory : start_keeper(dump);
	if (!err && !dump->is_parted)
		err = open_own(dump);
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
	const uint64_t until_ns = clock__monotonic_ns() + BEGIN_NS;
	int err = -EAGAIN;

	while (err == -EAGAIN) {
		if (clock__monotonic_ns() >= until_ns) {
			buf__printf(why, "its dump has not begun within %d s",
				    (int)(BEGIN_NS / NS_PER_S));
			return -ETIMEDOUT;
		}
		if (poll(ready, 3, 1000) <= 0)
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
	int err = jvm_options__read(process, &options, why);

	if (!err && jvm_socket__is_refused(process, runtime, &options, why))
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

static int ask(struct jvm_dump *dump, struct buf *why)
{
	struct patience patience = patience__for(dump->process, dump->stop_fd);
	struct buf command = BUF_INIT;
	struct jvm_question question = { .command = "jcmd" };
	int err;

	buf__printf(&command, "GC.heap_dump -overwrite %s%s/%s/" FIFO,
		    dump->is_parted ? "-parallel=1 " : "", DIRECTORY,
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

bool jvm_dump__is_spooled(const struct runtime *runtime)
{
	return jvm_socket__major(runtime) >= PARTED;
}

int jvm_dump__begin(const struct process *process, const struct runtime *runtime, int stop_fd,
		    struct jvm_dump *dump, struct buf *why)
{
	int err;

	*dump = (struct jvm_dump){ .fd = -1, .out = -1, .spool = -1, .socket = -1,
				   .directory = -1, .inside = -1, .stop_fd = stop_fd,
				   .is_parted = jvm_dump__is_spooled(runtime),
				   .process = process };
	err = place_fifo(dump, why);
	if (!err)
		err = ask(dump, why);
	if (!err)
		err = wait_for_dump(dump, why);
	if (err || !dump->is_parted)
		take_away(dump);
	return err;
}

int jvm_dump__end(struct jvm_dump *dump, struct buf *why)
{
	const uint64_t until_ns = clock__monotonic_ns() + ANSWER_NS;
	struct pollfd ready[] = {
		{ .fd = dump->stop_fd, .events = POLLIN },
		{ .fd = dump->socket, .events = POLLIN },
	};
	int err = dump->socket < 0 ? 0 : -EAGAIN, kept;

	files__close(&dump->fd);
	kept = take_away(dump);
	/* Stopped: what the JVM thinks of it is nobody's concern any more. */
	while (err == -EAGAIN && clock__monotonic_ns() < until_ns && !ready[0].revents) {
		poll(ready, 2, 100);
		err = take_answer(dump, why);
	}
	if (kept) {
		buf__reset(why);
		say_not_kept(dump, kept, why);
		dump->is_cut = true;
		err = kept;
	}
	files__close(&dump->spool);
	files__close(&dump->socket);
	files__close(&dump->inside);
	files__close(&dump->directory);
	buf__free(&dump->said);
	return err == -EAGAIN ? -ETIMEDOUT : err;
}
