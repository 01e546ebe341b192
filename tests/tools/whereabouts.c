/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * whereabouts THREADS SECONDS TRUTH: threads that know where they are. Each goes through phases,
 * chosen at random; a phase is one call of one function of this program: it spins in it, or sleeps
 * in it in one certain system call. At the end the file TRUTH has a line for each phase:
 *
 *	tid  function  syscall or -  from_ns  until_ns  asleep_from_ns  asleep_until_ns
 *
 * CLOCK_MONOTONIC. Between `from` and `until` the thread was in the function, whose first and last
 * instructions read the CPU's own clock; between the two others it was asleep as well (0 0: never),
 * since a sleep does not end before its time, and is entered within EDGE_NS unless another thread
 * takes the CPU just then.
 *
 * With SECONDS 0 nothing is told and it goes on until it is killed: something to look at.
 *
 * System calls are made by instructions of the functions themselves, so that the thread is in
 * them, and not in the C library.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define EDGE_NS 2000000u
#define CLOCKS_NS 5000u /* that the two clocks may differ by */
#define COMPARED_NS 100000000u /* how often they are compared */
#define PHASES_MOST 65536u

enum { SPIN_ADDING, SPIN_MIXING, WAIT_FUTEX, WAIT_READ, WAIT_POLL, WAIT_SLEEP, MODES };

static const struct {
	const char *function, *syscall;
} modes[MODES] = {
	{ "spin_adding", "-" },	    { "spin_mixing", "-" },  { "wait_in_futex", "futex" },
	{ "wait_in_read", "read" }, { "wait_in_poll", "ppoll" }, { "wait_in_sleep", "nanosleep" },
};

struct phase {
	uint64_t entered, left; /* by the CPU's clock */
	uint64_t ns;		/* that it sleeps at least */
	unsigned int mode;
};

/* Two clocks at one moment. */
struct moment {
	uint64_t stamp, ns;
};

/* The first is before all phases, the last behind them. */
struct moments {
	struct moment *items;
	size_t count;
};

struct member {
	pthread_t thread;
	pid_t tid;
	uint64_t random;
	int timer;
	struct phase *phases;
	size_t count;
};

static atomic_bool is_over;
static bool is_told;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Where the thread is while it sleeps: right behind this instruction. */
static inline __attribute__((always_inline)) long call(long number, long a, long b, long c, long d,
						       long e)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	long result = number;

	__asm__ volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return result;
#else
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
			 : "memory");
	return x0;
#endif
}

static inline __attribute__((always_inline)) uint64_t stamp(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
#else
	uint64_t value;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value) : : "memory");
	return value;
#endif
}

static volatile uint64_t result;

__attribute__((noinline)) static void spin_adding(struct phase *phase, uint64_t turns)
{
	uint64_t sum = 0;

	phase->entered = stamp();
	for (uint64_t i = 0; i < turns; i++) {
		sum += i ^ sum >> 3;
		__asm__ volatile("" : "+r"(sum));
	}
	result = sum;
	phase->left = stamp();
}

__attribute__((noinline)) static void spin_mixing(struct phase *phase, uint64_t turns)
{
	uint64_t mix = turns;

	phase->entered = stamp();
	for (uint64_t i = 0; i < turns; i++) {
		mix = (mix ^ i) * UINT64_C(0x9e3779b97f4a7c15);
		__asm__ volatile("" : "+r"(mix));
	}
	result = mix;
	phase->left = stamp();
}

__attribute__((noinline)) static void wait_in_futex(struct phase *phase,
						    const struct timespec *time)
{
	uint32_t word = 0;

	phase->entered = stamp();
	call(SYS_futex, (long)&word, FUTEX_WAIT_PRIVATE, 0, (long)time, 0);
	phase->left = stamp();
}

__attribute__((noinline)) static void wait_in_read(struct phase *phase, int timer)
{
	uint64_t expired;

	phase->entered = stamp();
	call(SYS_read, timer, (long)&expired, sizeof(expired), 0, 0);
	phase->left = stamp();
}

__attribute__((noinline)) static void wait_in_poll(struct phase *phase,
						   const struct timespec *time)
{
	struct timespec left = *time; /* the kernel writes to it */

	phase->entered = stamp();
	call(SYS_ppoll, 0, 0, (long)&left, 0, 0);
	phase->left = stamp();
}

__attribute__((noinline)) static void wait_in_sleep(struct phase *phase,
						    const struct timespec *time)
{
	phase->entered = stamp();
	call(SYS_nanosleep, (long)time, 0, 0, 0, 0);
	phase->left = stamp();
}

static uint64_t random_below(struct member *member, uint64_t most)
{
	member->random ^= member->random << 13;
	member->random ^= member->random >> 7;
	member->random ^= member->random << 17;
	return member->random % most;
}

static void run_phase(struct member *member, struct phase *phase, uint64_t turns)
{
	const struct timespec time = { .tv_nsec = (long)phase->ns };

	switch (phase->mode) {
	case SPIN_ADDING:
		spin_adding(phase, turns);
		break;
	case SPIN_MIXING:
		spin_mixing(phase, turns);
		break;
	case WAIT_FUTEX:
		wait_in_futex(phase, &time);
		break;
	case WAIT_READ:
		wait_in_read(phase, member->timer);
		break;
	case WAIT_POLL:
		wait_in_poll(phase, &time);
		break;
	default:
		wait_in_sleep(phase, &time);
		break;
	}
}

static void one_phase(struct member *member)
{
	const uint64_t turns = 200000 + random_below(member, 4000000);
	struct phase phase = {
		.mode = (unsigned int)random_below(member, MODES),
		.ns = 5000000 + random_below(member, 20000000),
	};
	const struct itimerspec alarm = { .it_value = { .tv_nsec = (long)phase.ns } };

	if (phase.mode == WAIT_READ)
		timerfd_settime(member->timer, 0, &alarm, NULL);
	run_phase(member, &phase, turns);
	if (is_told && member->count < PHASES_MOST)
		member->phases[member->count++] = phase;
}

static void *run_member(void *context)
{
	struct member *member = context;

	member->tid = (pid_t)syscall(SYS_gettid);
	member->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	while (!atomic_load(&is_over))
		one_phase(member);
	return NULL;
}

/* Of some tries the one that took least: in others the thread may have lost its CPU. */
static struct moment moment_now(void)
{
	struct moment best = { 0, 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		const uint64_t before = now_ns(), at = stamp(), took = now_ns() - before;

		if (took < least)
			best = (struct moment){ at, before + took / 2 };
		least = took < least ? took : least;
	}
	return best;
}

/* The CPU's clock is even, and the kernel's nearly so: who corrects it does it slowly. */
static uint64_t ns_of(uint64_t at, const struct moments *moments)
{
	size_t low = 0, high = moments->count - 1;

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		*(moments->items[middle].stamp <= at ? &low : &high) = middle;
	}
	const struct moment *from = &moments->items[low], *to = &moments->items[high];
	const double rate = (double)(to->ns - from->ns) / (double)(to->stamp - from->stamp);

	return from->ns + (uint64_t)((double)(at - from->stamp) * rate);
}

static void tell_phase(FILE *file, pid_t tid, const struct phase *phase,
		       const struct moments *moments)
{
	const uint64_t from = ns_of(phase->entered, moments) + CLOCKS_NS;
	const uint64_t until = ns_of(phase->left, moments) - CLOCKS_NS;
	/* A timer runs from before the function is entered; the others' time begins in it. */
	const uint64_t asleep = from + phase->ns - (phase->mode == WAIT_READ ? EDGE_NS : 0);
	const bool sleeps = phase->mode >= WAIT_FUTEX;

	fprintf(file, "%d %s %s %llu %llu %llu %llu\n", tid, modes[phase->mode].function,
		modes[phase->mode].syscall, (unsigned long long)from, (unsigned long long)until,
		(unsigned long long)(sleeps ? from + EDGE_NS : 0),
		(unsigned long long)(sleeps ? asleep : 0));
}

static int tell(const struct member *members, size_t count, const char *path,
		const struct moments *moments)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return 1;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < members[i].count; j++)
			tell_phase(file, members[i].tid, &members[i].phases[j], moments);
	return fclose(file) ? 1 : 0;
}

static void sleep_and_compare(struct moments *moments, size_t most)
{
	const struct timespec time = { .tv_nsec = COMPARED_NS };

	while (moments->count < most) {
		nanosleep(&time, NULL);
		moments->items[moments->count++] = moment_now();
	}
}

int main(int argc, char **argv)
{
	const size_t count = argc == 4 ? (size_t)atol(argv[1]) : 0;
	const size_t seconds = argc == 4 ? (size_t)atol(argv[2]) : 0;
	const size_t naps = seconds * (1000000000u / COMPARED_NS);
	struct member *members = calloc(count ? count : 1, sizeof(*members));
	struct moments moments = { calloc(naps + 2, sizeof(struct moment)), 1 };

	if (!count || !members || !moments.items) {
		fprintf(stderr, "usage: whereabouts THREADS SECONDS TRUTH\n");
		return 2;
	}
	is_told = seconds > 0;
	moments.items[0] = moment_now();
	for (size_t i = 0; i < count; i++) {
		members[i].random = UINT64_C(88172645463325252) + i * UINT64_C(7919);
		members[i].phases = is_told ? calloc(PHASES_MOST, sizeof(struct phase)) : NULL;
		if (pthread_create(&members[i].thread, NULL, run_member, &members[i])) {
			perror("whereabouts");
			return 1;
		}
	}
	while (!is_told)
		pause();
	sleep_and_compare(&moments, naps + 1);
	atomic_store(&is_over, true);
	for (size_t i = 0; i < count; i++)
		pthread_join(members[i].thread, NULL);
	moments.items[moments.count++] = moment_now();
	return tell(members, count, argv[3], &moments);
}
