/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The smallest runtime that gctrace can look into: a nursery of cells, half of which survive each
 * collection by being copied to the other half. Everything about gctrace is in collect().
 *
 *     cc -I include docs/example/runtime.c docs/example/probes.c -o tiny && ./tiny
 *     sudo gctrace -p "$(pgrep -n tiny)"
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <gctrace/probes.h>

enum { CELL = 64, CELLS = 4096 };

static _Alignas(64) unsigned char halves[2][CELL * CELLS];

static struct gctrace_emitter emitter;
static _Alignas(8) unsigned char buffer[GCTRACE_BATCH_BYTES];
static struct gctrace_writer writer;

/* Copies every second cell; tells each block that moved, if anybody wants to know. */
static size_t evacuate(unsigned char *from, unsigned char *to, uint64_t gc)
{
	size_t live = 0;

	for (size_t i = 0; i < CELLS; i += 2, live++) {
		memcpy(to + live * CELL, from + i * CELL, CELL);
		if (gctrace_wants_moved__references())
			gctrace_write_move(&writer, gc, 0, 0, (uintptr_t)(from + i * CELL),
					   (uintptr_t)(to + live * CELL), CELL);
	}
	return live;
}

static void collect(uint64_t gc)
{
	unsigned char *from = halves[gc & 1], *to = halves[(gc + 1) & 1];
	size_t live;

	if (!gctrace_wants_batch()) { /* nobody listens: only the work itself */
		evacuate(from, to, gc);
		return;
	}
	gctrace_writer_context(&writer, gc, gc);
	gctrace_write_producer(&writer, "", "1.0", "tiny", "copying");
	gctrace_write_define(&writer, GCTRACE_SPACE_GENERATION, 0, 0, 0, "nursery", 7);
	gctrace_write_pause_begin(&writer, gc, GCTRACE_WHY_COLLECTION);
	gctrace_write_gc_start(&writer, gc, 1, GCTRACE_REASON_ALLOCATION, GCTRACE_HOW_COPYING);
	gctrace_write_generation(&writer, GCTRACE_BEFORE, gc, 0, (uintptr_t)from,
				 sizeof(halves[0]), sizeof(halves[0]));
	live = evacuate(from, to, gc);
	gctrace_write_pool(&writer, gc, "nursery", sizeof(halves[0]), live * CELL,
			   sizeof(halves[0]), sizeof(halves[0]));
	gctrace_write_generation(&writer, GCTRACE_AFTER, gc, 0, (uintptr_t)to, live * CELL,
				 sizeof(halves[0]));
	gctrace_write_gc_finish(&writer, gc);
	gctrace_write_pause_end(&writer, gc, ~(uint64_t)0); /* tells the batch */
}

int main(void)
{
	const struct timespec rest = { .tv_nsec = 20 * 1000 * 1000 };

	gctrace_emitter_init(&emitter);
	gctrace_writer_init(&writer, &emitter, buffer);
	for (uint64_t gc = 1;; gc++) {
		nanosleep(&rest, NULL); /* the program's own work would be here */
		collect(gc);
	}
}
