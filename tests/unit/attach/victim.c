/* SPDX-License-Identifier: BSD-2-Clause */
#define GCTRACE_PROBES_IMPLEMENTATION
#include <gctrace/probes.h>

#include "victim.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bpf/record.h"

#define ENTRIES 131072
#define COMMANDS_FD 200
#define ANSWERS_FD 201

struct command {
	uint64_t what, a, b;
};

/* Entry i of array n is i * 8 + n. */
static uint64_t numbers[4][ENTRIES];
static uint32_t narrow[2][ENTRIES];
static unsigned char bytes[1 << 20];

static void fill(void)
{
	for (uint64_t i = 0; i < ENTRIES; i++) {
		for (unsigned int n = 0; n < 4; n++)
			numbers[n][i] = i * 8 + n;
		narrow[0][i] = (uint32_t)i * 8 + 2;
		narrow[1][i] = (uint32_t)i * 8 + 1;
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = 'a' + i % 23;
}

static uint64_t semaphores(void)
{
	return (gctrace_wants_gc__start() ? VICTIM_SEES_GC_START : 0) |
	       (gctrace_wants_moved__references() ? VICTIM_SEES_MOVED : 0) |
	       (gctrace_wants_object__references() ? VICTIM_SEES_OBJECTS : 0) |
	       (gctrace_wants_batch() ? VICTIM_SEES_BATCH : 0) |
	       (gctrace_requests_dump() ? VICTIM_SEES_DUMP : 0) |
	       (gctrace_requests_pause() ? VICTIM_SEES_PAUSE : 0);
}

/* Not by the writers of probes.h, which split what is long, as a foreign producer would not. */
static __attribute__((noinline)) void moved(uint64_t count, const void *old, const void *new_,
					    const void *length, uint64_t width)
{
	uint64_t gc = 7, generation = 1, phase = 3;

	STAP_PROBE8(gctrace, moved__references, count, old, new_, length, width, gc, generation,
		    phase);
}

static __attribute__((noinline)) void surviving(uint64_t count, uint64_t width)
{
	const void *length = width == 4 ? (const void *)narrow[1] : (const void *)numbers[1];
	uint64_t gc = 7, generation = 1;
	const uint64_t *start = numbers[0];

	STAP_PROBE6(gctrace, surviving__references, count, start, length, width, gc, generation);
}

static __attribute__((noinline)) void roots(uint64_t count, uint64_t has)
{
	const uint32_t *flags = has & RECORD_HAS_FLAGS ? narrow[0] : NULL;
	const uint64_t *kinds = has & RECORD_HAS_KINDS ? numbers[2] : NULL;
	const uint64_t *ids = has & RECORD_HAS_IDS ? numbers[3] : NULL;
	const uint64_t *refs = numbers[0];

	STAP_PROBE5(gctrace, root__references, count, refs, flags, kinds, ids);
}

static __attribute__((noinline)) void object(uint64_t count, uint64_t has)
{
	const uint32_t *ref_flags = has & RECORD_HAS_FLAGS ? narrow[0] : NULL;
	uint64_t id = 0x1000, flags = 0x10000, class_ = 5, size = 96;
	const uint64_t *refs = numbers[0];

	STAP_PROBE7(gctrace, object__references, id, flags, count, refs, ref_flags, class_, size);
}

static __attribute__((noinline)) void batch(uint64_t size, uint64_t said)
{
	struct gctrace_batch *head = (struct gctrace_batch *)(void *)bytes;

	*head = (struct gctrace_batch){ .magic = GCTRACE_MAGIC, .major = GCTRACE_MAJOR,
					.header_bytes = sizeof(*head), .bytes = said,
					.records = 11 };
	STAP_PROBE2(gctrace, batch, bytes, size);
}

/* Pages of a file that are not mapped in; how: enum victim_absence. */
static void absent(uint64_t count, uint64_t how)
{
	FILE *file = tmpfile();
	uint64_t size = count * 8;
	void *pages;

	if (!file || fwrite(numbers[0], 1, size, file) != size || fflush(file))
		_exit(90);
	pages = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fileno(file), 0);
	if (pages == MAP_FAILED)
		_exit(91);
	if (how == VICTIM_TAKEN_OUT) {
		for (uint64_t i = 0; i < size; i += 4096)
			(void)((volatile unsigned char *)pages)[i];
		madvise(pages, size, MADV_DONTNEED);
	}
	if (how == VICTIM_BY_HEADER)
		gctrace_fire_moved_references(count, pages, pages, pages, 8, 7, 1, 3);
	else
		moved(count, pages, pages, pages, 8);
	munmap(pages, size);
	fclose(file);
}

static void bad_pointer(void)
{
	void *nowhere = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	moved(100, numbers[0], nowhere, numbers[2], 8);
	munmap(nowhere, 65536);
}

static void *exec_self(void *unused)
{
	const char *copy = getenv("VICTIM_COPY");

	if (copy)
		execl(copy, "victim", "--victim", copy, (char *)NULL);
	else
		execl("/proc/self/exe", "victim", "--victim", (char *)NULL);
	_exit(92);
	return unused;
}

static void exec_somehow(bool by_other)
{
	pthread_t thread;

	if (!by_other)
		exec_self(NULL);
	if (pthread_create(&thread, NULL, exec_self, NULL) == 0)
		for (;;)
			pause();
}

static void *wait_for_ever(void *tid)
{
	__atomic_store_n((pid_t *)tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	for (;;)
		pause();
	return NULL;
}

static uint64_t start_thread(void)
{
	static pid_t tid;
	pthread_t thread;

	if (pthread_create(&thread, NULL, wait_for_ever, &tid))
		_exit(97);
	while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
		;
	return (uint64_t)tid;
}

static void *serve(void *unused);

static void end_leader(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, serve, NULL))
		_exit(93);
	pthread_exit(NULL);
}

static void forks(bool awaits)
{
	pid_t child = fork();
	struct command go;

	if (child == 0) {
		if (awaits && read(COMMANDS_FD, &go, sizeof(go)) != sizeof(go))
			_exit(96);
		gctrace_fire_gc_start(1, 1, 0, 0);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void starts(uint64_t times)
{
	for (uint64_t gc = 1; gc <= times; gc++)
		gctrace_fire_gc_start(gc, 2, 3, 4);
}

static uint64_t obey(const struct command *command)
{
	switch ((enum victim_command)command->what) {
	case VICTIM_SEMAPHORES:
		return semaphores();
	case VICTIM_GC_START:
		starts(command->a);
		break;
	case VICTIM_MOVED:
		moved(command->a, numbers[0], numbers[1],
		      command->b == 4 ? (const void *)narrow[0] : numbers[2], command->b);
		break;
	case VICTIM_SURVIVING:
		surviving(command->a, command->b);
		break;
	case VICTIM_ROOTS:
		roots(command->a, command->b);
		break;
	case VICTIM_OBJECT:
		object(command->a, command->b);
		break;
	case VICTIM_CLASS:
		gctrace_fire_class_define(9, (char *)bytes, command->a, 8, 1, (char *)bytes + 7,
					  command->b, 40);
		break;
	case VICTIM_BATCH:
		batch(command->a, command->b);
		break;
	case VICTIM_BAD_POINTER:
		bad_pointer();
		break;
	case VICTIM_ABSENT:
		absent(command->a, command->b);
		break;
	case VICTIM_EXEC:
		exec_somehow(command->a);
		break;
	case VICTIM_THREAD:
		return start_thread();
	case VICTIM_FORK:
		forks(command->a);
		break;
	case VICTIM_GO:
		break;
	case VICTIM_END_LEADER:
		end_leader();
		break;
	case VICTIM_EXIT:
		_exit((int)command->a);
	}
	return 0;
}

static void answer(uint64_t value)
{
	if (write(ANSWERS_FD, &value, sizeof(value)) != sizeof(value))
		_exit(94);
}

/* Exec and the end of the first thread answer from where life goes on. */
static void *serve(void *unused)
{
	struct command command;

	answer(semaphores());
	while (read(COMMANDS_FD, &command, sizeof(command)) == sizeof(command)) {
		uint64_t value = obey(&command);

		answer(value);
	}
	_exit(0);
	return unused;
}

void victim__main(int argc, char *argv[])
{
	if (argc >= 2 && strcmp(argv[1], "--victim") == 0) {
		if (argc == 3)
			unlink(argv[2]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fill();
		serve(NULL);
	}
}

void victim__start(struct victim *victim)
{
	int commands[2], answers[2];
	uint64_t ready;

	if (pipe(commands) || pipe(answers))
		abort();
	victim->pid = fork();
	if (victim->pid == 0) {
		dup2(commands[0], COMMANDS_FD);
		dup2(answers[1], ANSWERS_FD);
		for (int fd = 3; fd < COMMANDS_FD; fd++)
			close(fd);
		execl("/proc/self/exe", "victim", "--victim", (char *)NULL);
		_exit(95);
	}
	close(commands[0]);
	close(answers[1]);
	victim->commands = commands[1];
	victim->answers = answers[0];
	if (victim->pid < 0 || read(victim->answers, &ready, sizeof(ready)) != sizeof(ready))
		abort();
}

void victim__end(struct victim *victim)
{
	close(victim->commands);
	close(victim->answers);
	kill(victim->pid, SIGKILL);
	waitpid(victim->pid, NULL, 0);
}

void victim__tell(struct victim *victim, enum victim_command command, uint64_t a, uint64_t b)
{
	struct command all = { command, a, b };

	if (write(victim->commands, &all, sizeof(all)) != sizeof(all))
		abort();
}

uint64_t victim__do(struct victim *victim, enum victim_command command, uint64_t a, uint64_t b)
{
	uint64_t value;

	victim__tell(victim, command, a, b);
	if (command == VICTIM_EXIT)
		return 0;
	if (read(victim->answers, &value, sizeof(value)) != sizeof(value))
		return UINT64_MAX;
	return value;
}
