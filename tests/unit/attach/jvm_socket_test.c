/* SPDX-License-Identifier: BSD-2-Clause */
/* The handshake with what takes SIGQUIT as HotSpot does, and answers without an end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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
	bool listens;
} *seen;

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

static void live(int ready, bool is_asked_by_another)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	name_files(getpid());
	signal(SIGQUIT, on_quit);
	if (write(ready, "", 1) == 1 && is_asked_by_another && poll(NULL, 0, 50) == 0)
		listen_now();
	for (;;)
		pause();
}

static void begin(bool is_asked_by_another)
{
	int ready[2];
	char byte;

	*seen = (struct seen){ 0 };
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	fake.pid = fork();
	assert_int_not_equal(fake.pid, -1);
	if (fake.pid == 0)
		live(ready[1], is_asked_by_another);
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
	int fd = jvm_socket__connect(fake.process, &patience, &why);

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
	begin(false);
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
	begin(true);
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
	begin(false);
	make_file();
	assert_int_equal(chown(fake.file, 65534, 65534), 0);
	assert_connect(-EBUSY);
	assert_int_equal(seen->asked, 0);
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
		cmocka_unit_test(an_answer_has_an_end),
	};

	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
