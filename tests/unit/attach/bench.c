/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/process.h"

static pid_t first_pid; /* the process that runs the tests */

bool bench__has_root(void)
{
	if (!first_pid)
		first_pid = getpid();
	if (geteuid() == 0)
		return true;
	print_message("skip: attaching needs root\n");
	return false;
}

bool bench__status(pid_t pid, const char *key, char *value, size_t size)
{
	char path[64], line[256];
	FILE *file;

	*value = '\0';
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0)
			snprintf(value, size, "%s",
				 line + strlen(key) + strspn(line + strlen(key), "\t "));
	fclose(file);
	return true;
}

/* An assertion that fails jumps back into cmocka, which must not go on in a child. */
static void be_so(bool condition, const char *what)
{
	if (condition)
		return;
	print_error("not so: %s\n", what);
	if (getpid() != first_pid)
		_exit(1);
	fail();
}

#define BE_SO(condition) be_so(condition, #condition)

void bench__start(struct bench *bench, const struct session_options *options,
		  unsigned int levels)
{
	static const struct session_options defaults;
	struct process *process;

	*bench = (struct bench){ 0 };
	victim__start(&bench->victim);
	BE_SO(session__new(options ? options : &defaults, &bench->session) == 0);
	BE_SO(process__open(bench->victim.pid, &process, NULL) == 0);
	BE_SO(session__add(bench->session, process, levels, &bench->target) == 0);
	BE_SO(bench->target->failed == 0);
}

void bench__end(struct bench *bench)
{
	session__free(bench->session);
	victim__end(&bench->victim);
	tape__free(&bench->tape);
}

uint64_t bench__do(struct bench *bench, enum victim_command command, uint64_t a, uint64_t b)
{
	uint64_t answer;

	tape__free(&bench->tape);
	answer = victim__do(&bench->victim, command, a, b);
	tape__drain(&bench->tape, bench->session);
	return answer;
}

struct loss_counts bench__losses(const struct bench *bench)
{
	struct loss_counts losses;

	assert_int_equal(session__losses(bench->session, bench->target, &losses), 0);
	return losses;
}
