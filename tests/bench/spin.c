/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin THREADS WAITING: so many threads that compute, and so many that wait for ever. After each
 * second a line: how many turns all of them have made in it, and the CPU time that they got, in
 * seconds. Until it is killed.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES 65536
#define TURNS 4096

static atomic_ullong turns;

static void *compute(void *context)
{
	uint64_t sum = 1;

	for (;;) {
		for (unsigned int i = 0; i < TURNS; i++) {
			sum = sum * UINT64_C(0x9e3779b97f4a7c15) + i;
			__asm__ volatile("" : "+r"(sum));
		}
		atomic_fetch_add_explicit(&turns, 1, memory_order_relaxed);
	}
	return context;
}

static void *wait_for_ever(void *context)
{
	for (;;)
		pause();
	return context;
}

static void begin(void *(*run)(void *), long count)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (long i = 0; i < count; i++)
		if (pthread_create(&thread, &attributes, run, NULL)) {
			perror("spin");
			exit(1);
		}
	pthread_attr_destroy(&attributes);
}

static double cpu_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: spin THREADS WAITING\n");
		return 2;
	}
	begin(wait_for_ever, atol(argv[2]));
	begin(compute, atol(argv[1]));
	for (;;) {
		const unsigned long long before = atomic_load(&turns);
		const double cpu = cpu_seconds();

		sleep(1);
		printf("%llu %.4f\n", (unsigned long long)atomic_load(&turns) - before,
		       cpu_seconds() - cpu);
		fflush(stdout);
	}
}
