/* SPDX-License-Identifier: BSD-2-Clause */
#include "fixture.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "unit/directory.h"

int fixture__enter(void **state)
{
	signal(SIGPIPE, SIG_IGN);
	return directory__enter(state);
}

int fixture__leave(void **state)
{
	return directory__leave(state);
}

void fixture__write(const char *name, const char *text)
{
	directory__write(name, text);
}

void fixture__compile(const char *format, ...)
{
	const char *cc = getenv("CC");
	struct buf command = BUF_INIT;
	va_list args;

	buf__printf(&command, "%s -O1 -g0 -std=gnu11 ", cc && *cc ? cc : "cc");
	va_start(args, format);
	buf__vprintf(&command, format, args);
	va_end(args);
	if (system(buf__str(&command)) != 0)
		fail_msg("failed: %s", buf__str(&command));
	buf__free(&command);
}

/* In the child: its pipes in place, its namespaces made, the program run. */
static void become(const char *program, const char *const *arguments, bool (*enter)(void),
		   const int pipes[4])
{
	const char *argv[16] = { program };
	size_t count = 1;

	for (; arguments && *arguments && count < 15; arguments++)
		argv[count++] = *arguments;
	if (dup2(pipes[0], 0) < 0 || dup2(pipes[3], 1) < 0)
		_exit(100);
	for (int i = 0; i < 4; i++)
		close(pipes[i]);
	if (enter && !enter()) {
		dprintf(1, "not permitted\n");
		_exit(101);
	}
	execv(program, (char *const *)argv);
	dprintf(1, "exec: %s\n", strerror(errno));
	_exit(102);
}

struct child fixture__start(const char *program, const char *const *arguments,
			    bool (*enter)(void))
{
	struct child child = { .pid = 0 };
	int pipes[4];

	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(pipe(pipes + 2), 0);
	child.pid = fork();
	assert_true(child.pid >= 0);
	if (child.pid == 0)
		become(program, arguments, enter, pipes);
	close(pipes[0]);
	close(pipes[3]);
	child.to = fdopen(pipes[1], "w");
	child.from = fdopen(pipes[2], "r");
	assert_non_null(child.to);
	assert_non_null(child.from);
	return child;
}

/* At the end of its input it ends; whoever it is the first process of goes with it. */
void fixture__stop(struct child *child)
{
	fclose(child->to);
	fclose(child->from);
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
}

void fixture__say(struct child *child, const char *line)
{
	fprintf(child->to, "%s\n", line);
	assert_int_equal(fflush(child->to), 0);
}

const char *fixture__hear(struct child *child)
{
	static char line[512];

	if (!fgets(line, sizeof(line), child->from))
		fail_msg("the child said nothing more");
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static FILE *said;
static int not_listened_to;

void fixture__listen(void)
{
	said = tmpfile();
	assert_non_null(said);
	not_listened_to = dup(STDERR_FILENO);
	assert_true(not_listened_to >= 0);
	assert_true(dup2(fileno(said), STDERR_FILENO) >= 0);
}

const char *fixture__said(void)
{
	static const char next[] = "\ngctrace:   ";
	static char text[4096];
	size_t len;

	assert_true(dup2(not_listened_to, STDERR_FILENO) >= 0);
	close(not_listened_to);
	rewind(said);
	len = fread(text, 1, sizeof(text) - 1, said);
	fclose(said);
	text[len] = '\0';
	for (char *at = strstr(text, next); at; at = strstr(at, next)) {
		const char *rest = at + strlen(next);

		*at++ = ' ';
		memmove(at, rest, strlen(rest) + 1);
	}
	return text;
}

bool fixture__is_root(void)
{
	if (geteuid() == 0)
		return true;
	print_message("skip: needs root\n");
	return false;
}
