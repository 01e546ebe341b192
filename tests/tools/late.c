/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * late MILLISECONDS COLLECTIONS LIBRARY... : after so long, loads each library (tests/e2e/late),
 * one after the other, and has each make that many collections, 10 ms apart.
 *
 * With "fork" in front of a library's name a child goes on from there, with the next one; with
 * "block" all signals are blocked from there on. The exit status is the number of libraries.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void rest(long ms)
{
	const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static void run_library(const char *name, long collections)
{
	void *library = dlopen(name, RTLD_NOW);
	void (*collect)(void) = library ? (void (*)(void))dlsym(library, "collect") : NULL;

	if (!collect) {
		fprintf(stderr, "late: %s\n", dlerror());
		exit(125);
	}
	for (long i = 0; i < collections; i++) {
		collect();
		rest(10);
	}
}

/* What remains is done in a child. */
static void go_on_in_child(void)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		return;
	if (child < 0 || waitpid(child, &status, 0) != child)
		exit(125);
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 125);
}

int main(int argc, char **argv)
{
	long collections = argc > 3 ? atol(argv[2]) : 0;
	sigset_t all;
	int count = 0;

	if (collections <= 0) {
		fprintf(stderr, "usage: late MILLISECONDS COLLECTIONS [fork|block|LIBRARY]...\n");
		return 126;
	}
	rest(atol(argv[1]));
	for (int i = 3; i < argc; i++) {
		if (strcmp(argv[i], "fork") == 0) {
			go_on_in_child();
		} else if (strcmp(argv[i], "block") == 0) {
			sigfillset(&all);
			sigprocmask(SIG_BLOCK, &all, NULL);
		} else {
			run_library(argv[i], collections);
			count++;
		}
	}
	return count;
}
