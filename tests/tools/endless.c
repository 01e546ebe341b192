/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * endless WHAT: a process that never stops to report, as fast as it can. WHAT is
 *
 *	generations  parts of generations, each of another one than all before
 *	moves        moved ranges, of one collection that does not end
 *	collections  collections
 *	dump         a heap dump, once one was requested, whether it still is or not
 *
 * It ends with the process that started it.
 */
#define GCTRACE_PROBES_IMPLEMENTATION
#include <gctrace/probes.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define CLASS 7

static struct gctrace_emitter emitter;
static _Alignas(8) unsigned char buffer[GCTRACE_BATCH_BYTES];
static struct gctrace_writer writer;

static void begin(uint64_t gc)
{
	gctrace_writer_context(&writer, gc, gc);
	gctrace_write_pause_begin(&writer, gc, GCTRACE_WHY_COLLECTION);
	gctrace_write_gc_start(&writer, gc, 1, GCTRACE_REASON_ALLOCATION, GCTRACE_HOW_COPYING);
}

static void finish(uint64_t gc)
{
	gctrace_write_gc_finish(&writer, gc);
	gctrace_write_pause_end(&writer, gc, ~(uint64_t)0);
}

static void tell_generation(uint64_t number)
{
	gctrace_write_generation(&writer, GCTRACE_BEFORE, 1, number, number * 4096, 4096,
				 4096);
}

static void tell_move(uint64_t number)
{
	gctrace_write_move(&writer, 1, 0, 0, 0x7f0000000000 + number * 128,
			   0x7f8000000000 + number * 64, 64);
}

static void tell_collection(uint64_t number)
{
	begin(number + 1);
	finish(number + 1);
	gctrace_flush(&writer);
}

static void tell_object(uint64_t number)
{
	const uint64_t next = 0x1000 + (number + 1) * 32;
	const struct gctrace_object object = {
		.id = next - 32, .class_ = CLASS, .size = 32, .count = 1, .refs = &next,
	};

	if (!number) {
		gctrace_write_container(&writer, GCTRACE_C_BEGIN, 1, 1);
		gctrace_write_class(&writer, CLASS, "Endless", 7, 0, 0, "next", 4, 32);
		gctrace_write_container(&writer, GCTRACE_C_HEAP, 0, 0);
	}
	gctrace_write_object(&writer, &object);
}

static _Noreturn void tell_for_ever(void (*tell)(uint64_t number))
{
	for (uint64_t i = 0;; i++)
		tell(i);
}

static void await_tracer(void)
{
	while (!gctrace_wants_batch())
		usleep(1000);
	usleep(200000); /* it has attached all that it wants by then */
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	gctrace_emitter_init(&emitter);
	gctrace_writer_init(&writer, &emitter, buffer);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	await_tracer();
	gctrace_write_producer(&writer, "", "0", "endless", "none");
	if (!strcmp(what, "collections"))
		tell_for_ever(tell_collection);
	if (!strcmp(what, "dump")) {
		while (!gctrace_requests_dump())
			usleep(1000);
		tell_for_ever(tell_object);
	}
	begin(1);
	if (!strcmp(what, "generations"))
		tell_for_ever(tell_generation);
	if (!strcmp(what, "moves"))
		tell_for_ever(tell_move);
	fprintf(stderr, "usage: endless generations|moves|collections|dump\n");
	return 2;
}
