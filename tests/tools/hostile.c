/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostile WHAT: a process with probes that does what it can to whoever looks at it. WHAT is
 *
 *	stack      a thread's stack that userfaultfd does not answer for
 *	semaphore  the page of the probes' semaphores, the same
 *	cmdline    its command line, the same
 *	zeros      a command line and an environment of 64 GiB of zero pages
 *	files      thousands of mappings of files with long paths; in the current directory
 *
 * It says "ready PID" when that is done. Memory is answered for when a line comes on standard
 * input, or 5 seconds after it was first waited for, whatever happens: then it says "gave up".
 */
/* The semaphores have pages of their own. */
__attribute__((section(".probes"), aligned(4096), used)) static volatile char before[4096] = { 1 };

#define GCTRACE_PROBES_IMPLEMENTATION
#include <gctrace/probes.h>

__attribute__((section(".probes"), used)) static volatile char behind[8192] = { 1 };

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define PAGE ((size_t)4096)
#define STACK_BYTES ((size_t)1 << 20)
#define HELD_MS 5000
#define FILES 20000

static int faults = -1;

static void must(int is, const char *what)
{
	if (is)
		return;
	perror(what);
	exit(2);
}

/* Nothing of it is there from now on, nor comes. */
static void hold_back(void *at, size_t bytes)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { (uintptr_t)at, bytes },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	must(faults >= 0 && ioctl(faults, UFFDIO_API, &api) == 0, "userfaultfd");
	must(madvise(at, bytes, MADV_DONTNEED) == 0, "madvise");
	must(ioctl(faults, UFFDIO_REGISTER, &range) == 0, "UFFDIO_REGISTER");
}

static void *sleep_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void hold_stack(void)
{
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	must(stack != MAP_FAILED, "mmap");
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, STACK_BYTES);
	must(!pthread_create(&thread, &attributes, sleep_for_ever, NULL), "pthread_create");
	usleep(200000); /* it sleeps, and touches nothing any more */
	hold_back(stack, STACK_BYTES);
}

static void hold_semaphore(void)
{
	char *page = (char *)((uintptr_t)&gctrace_batch_semaphore & ~(PAGE - 1));
	void *at = mmap(page, PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	must(at == page, "mmap");
	hold_back(at, PAGE);
}

/* Fields of /proc/self/stat, from 1. */
static uint64_t field(unsigned int number)
{
	static char text[4096];
	FILE *file = fopen("/proc/self/stat", "r");
	char *at;

	must(file && fgets(text, sizeof(text), file), "/proc/self/stat");
	fclose(file);
	at = strrchr(text, ')');
	for (unsigned int i = 2; at && i < number; i++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

/* Any user's process may: PR_SET_MM_MAP takes no capability. */
static void set_texts(const char *arguments, size_t argument_bytes, const char *environment,
		      size_t environment_bytes)
{
	struct prctl_mm_map map = {
		.start_code = field(26), .end_code = field(27), .start_stack = field(28),
		.start_data = field(45), .end_data = field(46), .start_brk = field(47),
		.brk = (uintptr_t)sbrk(0),
		.arg_start = (uintptr_t)arguments,
		.arg_end = (uintptr_t)arguments + argument_bytes,
		.env_start = (uintptr_t)environment,
		.env_end = (uintptr_t)environment + environment_bytes,
		.exe_fd = (uint32_t)-1,
	};

	must(prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0) == 0, "PR_SET_MM_MAP");
}

static char *map(size_t bytes)
{
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	must(at != MAP_FAILED, "mmap");
	return at;
}

static void hold_cmdline(void)
{
	char *text = map(PAGE);

	hold_back(text, PAGE);
	set_texts(text, PAGE, text, PAGE);
}

static void fill_with_zeros(void)
{
	const size_t bytes = (size_t)64 << 30;

	set_texts(map(bytes), bytes, map(bytes), bytes);
}

static void map_files(void)
{
	static char name[200];
	int fd;

	/* Deeper than any path that open() takes: seven levels of 200 bytes, sixty times. */
	memset(name, 'x', sizeof(name) - 1);
	for (int level = 0; level < 200; level++)
		if (mkdir(name, 0700) || chdir(name))
			must(0, "mkdir");
	fd = open("file", O_RDWR | O_CREAT, 0600);
	must(fd >= 0 && ftruncate(fd, (off_t)(2 * PAGE)) == 0, "file");
	for (int i = 0; i < FILES; i++)
		must(mmap(NULL, PAGE, PROT_READ | (i % 2 ? PROT_EXEC : 0), MAP_PRIVATE, fd,
			  (off_t)(i / 2 % 2 * (int)PAGE)) != MAP_FAILED, "mmap");
}

/* Until somebody says so, or has waited for long enough. */
static void serve(void)
{
	struct pollfd events[] = { { .fd = STDIN_FILENO, .events = POLLIN },
				   { .fd = faults, .events = POLLIN } };
	const int ready = poll(events, 2, -1);

	if (ready > 0 && !events[0].revents && poll(events, 1, HELD_MS) == 0) {
		printf("gave up\n");
		fflush(stdout);
	}
	if (faults >= 0)
		close(faults);
}

int main(int argc, char *argv[])
{
	const char *what = argc == 2 ? argv[1] : "";

	if (strcmp(what, "stack") == 0)
		hold_stack();
	else if (strcmp(what, "semaphore") == 0)
		hold_semaphore();
	else if (strcmp(what, "cmdline") == 0)
		hold_cmdline();
	else if (strcmp(what, "zeros") == 0)
		fill_with_zeros();
	else if (strcmp(what, "files") == 0)
		map_files();
	else
		return 2;
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	serve();
	return 0;
}
