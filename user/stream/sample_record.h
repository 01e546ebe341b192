/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of threads as records of a recording. All numbers are little-endian; each record begins
 * with struct record, whose target is the process and whose stamp is its sweep's start.
 *
 *	RECORD_SAMPLE_NAME    a text that rows and stacks name by a number: before the first of them
 *	RECORD_SAMPLE_STACK   its methods, innermost first: before the first row that has it
 *	RECORD_SAMPLE_ROWS    rows of one sweep, a thread each; there may be several such records
 *	RECORD_SAMPLE_SWEEP   the sweep, behind its rows: it is over
 *
 * Numbers of methods, words and stacks go up from 1; 0 is none. Threads are named by their id,
 * anew when that name changes.
 */
#ifndef STREAM_SAMPLE_RECORD_H
#define STREAM_SAMPLE_RECORD_H

#include <stdint.h>

#include "bpf/record.h"

#define SAMPLE_ROWS_AT_ONCE 1024 /* that a writer puts into one record */
#define SAMPLE_WORD_BYTES 32	 /* of [a-z0-9_], at most */

enum sample_name_kind {
	SAMPLE_NAME_METHOD = 1, /* any bytes */
	SAMPLE_NAME_THREAD = 2, /* any bytes; number: its id */
	SAMPLE_NAME_WORD = 3,	/* a state, a system call, what is waited for */
};

struct sample_name_record {
	struct record head;
	uint32_t kind;
	uint32_t number;
	uint32_t bytes; /* of the text, behind this */
	uint32_t reserved;
};

struct sample_stack_record {
	struct record head;
	uint32_t number;
	uint32_t count; /* uint32_t methods, behind this */
};

/* As struct sighting (model/sighting.h). */
struct sample_row {
	uint64_t time_ns, ip, sp;
	uint32_t tid;
	uint32_t method, function, stack, pc_offset;
	uint16_t state, syscall, wait; /* words */
	uint8_t place;
	uint8_t flags;	     /* enum sample_flag */
	uint8_t accuracy;    /* enum accuracy, as those of the fields */
	uint8_t of_place, of_method, of_pc, of_stack, of_registers;
	uint8_t reserved[6];
};
_Static_assert(sizeof(struct sample_row) == 64, "sample row");

struct sample_rows_record {
	struct record head;
	uint64_t sweep; /* its number */
	uint32_t count; /* struct sample_row, behind this */
	uint32_t reserved;
};

struct sample_sweep_record {
	struct record head;
	uint64_t number, start_ns, end_ns;
	uint64_t lost;	 /* ticks that found no room */
	uint64_t missed; /* sweeps that were due and not made, up to this one */
	uint64_t gc;	 /* that it was made for; ~0: for none */
	uint64_t gc_ns;
	uint64_t rows; /* that it has, in the records before */
};

#endif
