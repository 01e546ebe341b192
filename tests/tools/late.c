/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * late MILLISECONDS COLLECTIONS LIBRARY... : after so long, loads each library (tests/e2e/late),
 * one after the other, and has each make that many collections, 10 ms apart.
 *
 * With "fork" in front of a library's name a child goes on from there, with the next one; with
 * "block" all signals are blocked from there on; with "leave" another thread goes on and the first
 * one exits; with "exec" this program is executed anew with the words that follow; with "await
 * FILE" it goes on when there is such a file. The exit status is the number of libraries.
 */
#include <dlfcn.h>
#include <pthread.h>
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

static void *go_on(void *words);

static void go_on_in_thread(char **words)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, go_on, words))
		exit(125);
	pthread_exit(NULL);
}

static int count; /* of libraries */
static long collections;

static void *go_on(void *words)
{
	sigset_t all;

	for (char **at = words; *at; at++) {
		if (strcmp(*at, "fork") == 0) {
			go_on_in_child();
		} else if (strcmp(*at, "leave") == 0) {
			go_on_in_thread(at + 1);
		} else if (strcmp(*at, "await") == 0 && at[1]) {
			at++;
			while (access(*at, F_OK))
				rest(10);
		} else if (strcmp(*at, "exec") == 0) {
			*at = "late";
			execv("/proc/self/exe", at);
			exit(125);
		} else if (strcmp(*at, "block") == 0) {
			sigfillset(&all);
			sigprocmask(SIG_BLOCK, &all, NULL);
		} else {
			run_library(*at, collections);
			count++;
		}
	}
	exit(count);
}

int main(int argc, char **argv)
{
	collections = argc > 3 ? atol(argv[2]) : 0;
	if (collections <= 0) {
		fprintf(stderr, "usage: late MILLISECONDS COLLECTIONS "
			"[fork|block|leave|exec|await FILE|LIBRARY]...\n");
		return 126;
	}
	rest(atol(argv[1]));
	go_on(argv + 3);
}
