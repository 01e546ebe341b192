/* SPDX-License-Identifier: BSD-2-Clause */
/* host LIBRARY: waits for SIGUSR1, then loads the library and runs it. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>

int main(int argc, char *argv[])
{
	void *library;
	void (*collect)(void);
	sigset_t set;
	int signal;

	if (argc != 2)
		return 2;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("ready");
	fflush(stdout);
	sigwait(&set, &signal);
	library = dlopen(argv[1], RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	*(void **)&collect = dlsym(library, "collect_for_ever");
	collect();
}
