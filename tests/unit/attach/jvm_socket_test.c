/* SPDX-License-Identifier: BSD-2-Clause */
/* The handshake with what takes SIGQUIT as HotSpot does, and answers without an end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/jvm_socket.h"
#include "attach/patience.h"
#include "target/process.h"
#include "unit/target/fixture.h"

/* In the memory of both. */
static struct seen {
	int asked, stacks;
	bool listens, has_listener, goes_on;
} *seen;

enum kind {
	WILLING,
	ASKED_BY_ANOTHER,
	IGNORANT,  /* does not catch SIGQUIT */
	LISTENING, /* takes itself to be */
	LATE,	   /* takes no signal for a while, as in a long pause */
};

static struct fake {
	pid_t pid;
	struct process *process;
	char file[64], socket[64];
} fake;

static void name_files(pid_t pid)
{
	snprintf(fake.file, sizeof(fake.file), "/tmp/.attach_pid%d", pid);
	snprintf(fake.socket, sizeof(fake.socket), "/tmp/.java_pid%d", pid);
}

static void listen_now(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(address.sun_path, fake.socket);
	seen->listens = !bind(fd, (void *)&address, sizeof(address)) && !listen(fd, 5);
}

static void on_quit(int signal)
{
	(void)signal;
	seen->asked++;
	if (!seen->listens && access(fake.file, F_OK) == 0)
		listen_now();
	else
		seen->stacks++;
}

/* Signals are taken when the test says so. */
static void hold_signals(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	while (!seen->goes_on)
		poll(NULL, 0, 1);
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

/* What a JVM calls its thread. */
static void *listener(void *unused)
{
	prctl(PR_SET_NAME, "Attach Listener");
	seen->has_listener = true;
	for (;;)
		pause();
	return unused;
}

static void live(int ready, enum kind kind)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	name_files(getpid());
	unlink(fake.socket); /* as a JVM does: of a process that had its number before */
	if (kind != IGNORANT)
		signal(SIGQUIT, on_quit);
	if (kind == LISTENING && !pthread_create(&thread, NULL, listener, NULL))
		while (!seen->has_listener)
			poll(NULL, 0, 1);
	if (write(ready, "", 1) == 1 && kind == ASKED_BY_ANOTHER && poll(NULL, 0, 50) == 0)
		listen_now();
	if (kind == LATE)
		hold_signals();
	for (;;)
		pause();
}

static void begin(enum kind kind)
{
	int ready[2];
	char byte;

	*seen = (struct seen){ 0 };
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	fake.pid = fork();
	assert_int_not_equal(fake.pid, -1);
	if (fake.pid == 0)
		live(ready[1], kind);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	name_files(fake.pid);
	assert_int_equal(process__open(fake.pid, &fake.process, NULL), 0);
}

static void end(void)
{
	process__free(fake.process);
	kill(fake.pid, SIGKILL);
	waitpid(fake.pid, NULL, 0);
	unlink(fake.file);
	unlink(fake.socket);
}

static void make_file(void)
{
	int fd = open(fake.file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static void assert_connect(int want)
{
	struct patience patience = patience__for(fake.process, -1);
	struct buf why = BUF_INIT;
	int fd;

	patience.until_ns = 0; /* it has started */
	fd = jvm_socket__connect(fake.process, &patience, &why);
	if (want ? fd != want : fd < 0)
		fail_msg("%d: %s", fd, buf__str(&why));
	assert_int_equal(seen->stacks, 0);
	if (fd >= 0)
		close(fd);
	buf__free(&why);
}

static void who_is_asked_listens(void **state)
{
	(void)state;
	begin(WILLING);
	assert_connect(0);
	assert_int_equal(seen->asked, 1);
	assert_int_not_equal(access(fake.file, F_OK), 0);
	assert_connect(0);
	assert_int_equal(seen->asked, 1);
	end();
}

/* A second SIGQUIT would have it print its stacks. */
static void whom_another_asks_is_not_asked_again(void **state)
{
	(void)state;
	begin(ASKED_BY_ANOTHER);
	make_file();
	assert_connect(0);
	assert_int_equal(seen->asked, 0);
	assert_int_equal(access(fake.file, F_OK), 0);
	end();
}

static void the_file_of_another_user_asks_nobody(void **state)
{
	(void)state;
	if (!fixture__is_root())
		skip();
	begin(WILLING);
	make_file();
	assert_int_equal(chown(fake.file, 65534, 65534), 0);
	assert_connect(-EBUSY);
	assert_int_equal(seen->asked, 0);
	end();
}

static void who_does_not_catch_it_is_not_sent_it(void **state)
{
	(void)state;
	begin(IGNORANT);
	assert_connect(-EOPNOTSUPP);
	assert_int_equal(kill(fake.pid, 0), 0);
	assert_int_equal(waitpid(fake.pid, NULL, WNOHANG), 0);
	end();
}

/* It looks there first, and takes no notice of another user's. */
static void a_file_where_it_stands_is_looked_at(void **state)
{
	char old[4096], directory[] = "/tmp/gctrace-test.XXXXXX";

	(void)state;
	if (!fixture__is_root())
		skip();
	assert_non_null(getcwd(old, sizeof(old)));
	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
	begin(WILLING);
	assert_int_equal(chdir(old), 0);
	snprintf(fake.file, sizeof(fake.file), "%s/.attach_pid%d", directory, fake.pid);
	make_file();
	assert_int_equal(chown(fake.file, 65534, 65534), 0);
	assert_connect(-EBUSY);
	assert_int_equal(seen->asked, 0);
	end();
	rmdir(directory);
}

/* With its socket there, though another's: it would see no reason to make one. */
static void who_takes_itself_to_listen_is_not_asked(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	begin(LISTENING);
	strcpy(address.sun_path, fake.socket);
	assert_int_equal(bind(fd, (void *)&address, sizeof(address)), 0);
	close(fd);
	assert_connect(-ECONNREFUSED);
	assert_int_equal(seen->asked, 0);
	end();
}

/* Was it sent SIGQUIT, which it has not taken yet? */
static bool is_pending(void)
{
	struct buf status = BUF_INIT;
	unsigned long long pending = 0;
	const char *at;

	assert_int_equal(process__read(fake.process, "status", &status), 0);
	at = strstr(buf__str(&status), "\nShdPnd:");
	if (at)
		sscanf(at, "\nShdPnd: %llx", &pending);
	buf__free(&status);
	return pending >> (SIGQUIT - 1) & 1;
}

static void wait_until(bool (*is_so)(void))
{
	while (!is_so())
		poll(NULL, 0, 1);
}

static bool is_tidy(void)
{
	return access(fake.file, F_OK) != 0;
}

/* Whoever has asked it is dead by then. */
static void who_comes_to_look_late_finds_the_file(void **state)
{
	pid_t asking;

	(void)state;
	begin(LATE);
	asking = fork();
	if (asking == 0) {
		struct patience patience = patience__for(fake.process, -1);
		struct buf why = BUF_INIT;

		jvm_socket__connect(fake.process, &patience, &why);
		_exit(0);
	}
	wait_until(is_pending);
	kill(asking, SIGKILL);
	waitpid(asking, NULL, 0);
	seen->goes_on = true;
	wait_until(is_tidy);
	assert_int_equal(seen->asked, 1);
	assert_int_equal(seen->stacks, 0);
	assert_true(seen->listens);
	end();
}

static void an_answer_has_an_end(void **state)
{
	struct buf bytes = BUF_INIT;
	int ends[2], answer = 0;
	char room[65536] = { 0 };
	pid_t pid;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[0]);
		while (send(ends[1], room, sizeof(room), MSG_NOSIGNAL) > 0)
			;
		_exit(0);
	}
	close(ends[1]);
	while (!answer) {
		poll(&(struct pollfd){ .fd = ends[0], .events = POLLIN }, 1, -1);
		answer = jvm_socket__receive(ends[0], &bytes);
		assert_in_range(bytes.len, 0, 1 << 25);
	}
	assert_int_equal(answer, -EPROTO);
	close(ends[0]);
	waitpid(pid, NULL, 0);
	buf__free(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_asked_listens),
		cmocka_unit_test(whom_another_asks_is_not_asked_again),
		cmocka_unit_test(the_file_of_another_user_asks_nobody),
		cmocka_unit_test(who_does_not_catch_it_is_not_sent_it),
		cmocka_unit_test(a_file_where_it_stands_is_looked_at),
		cmocka_unit_test(who_takes_itself_to_listen_is_not_asked),
		cmocka_unit_test(who_comes_to_look_late_finds_the_file),
		cmocka_unit_test(an_answer_has_an_end),
	};

	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
