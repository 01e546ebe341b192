/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command line says. Fixed after options__parse(). */
#ifndef MINIVM_OPTIONS_H
#define MINIVM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum collector { COLLECTOR_SWEEP, COLLECTOR_COMPACT, COLLECTOR_CONCURRENT };
enum reporting { REPORT_BATCH, REPORT_SINGLE, REPORT_MIXED };
enum lengths { LENGTHS_8, LENGTHS_4, LENGTHS_BOTH };
enum nonsense {
	NONSENSE_NONE,
	NONSENSE_EMPTY,
	NONSENSE_WRAPPED,
	NONSENSE_OVERRUN,
	NONSENSE_CONTRADICTION,
	NONSENSE_INTRUDER
};
enum truth_mode { TRUTH_FULL, TRUTH_DELTA };
enum names { NAMES_PLAIN, NAMES_HOSTILE };

struct options {
	uint64_t objects, threads, gc_threads, seed;
	uint64_t nursery, survivor, heap, large, tenure; /* bytes, percent, bytes, bytes, ages */
	int collector, report, lengths, nonsense, truth_mode, names;
	uint64_t rate;			     /* collections a second, 0: as fast as it goes */
	uint64_t duration_ns, collections;   /* 0: until stopped */
	uint64_t pause_ns;		     /* a pause takes at least this long */
	uint64_t dump_pace_ns;		     /* a dump waits so long before each batch */
	uint64_t full_every, collect_every;  /* collections, allocations; 0: when space is short */
	uint64_t leak_rate, sample_bytes, split_references;
	uint64_t postpone_class, postpone_depth; /* 0: none */
	const char *truth;
	const char *print_truth;
	const char *plant; /* a shape of plant.c's */
	uint64_t truth_every;
	uint64_t exec_after;
	bool leak, deterministic, verify, quiet, truth_sites, await_sampler,
	     follow_samples;
};

extern struct options opt;

/* Dies of what it does not understand; prints --help and exits. */
void options__parse(int argc, char **argv);

#endif
