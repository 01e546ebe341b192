/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One sample: where a thread was, in the terms of SampleThreadLocation (S5), each field with its
 * accuracy. What is not known is 0 and ACCURACY_NONE.
 */
#ifndef MODEL_SIGHTING_H
#define MODEL_SIGHTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/text.h"
#include "target/place.h"

enum sighting_field {
	SIGHTING_PLACE,
	SIGHTING_METHOD,
	SIGHTING_PC, /* pc_offset */
	SIGHTING_STACK,
	SIGHTING_REGISTERS, /* ip and sp */
	SIGHTING_FIELDS
};

/* What it does there, in words: static text. */
struct sighting_doing {
	const char *state;   /* "running", "ready", "waiting", "stopped"; */
	const char *syscall; /* "futex"; NULL: in none */
	const char *wait;    /* for what it waits: "lock", "input", …; NULL: it does not */
};

struct sighting {
	uint32_t pid, tid;
	struct text name;      /* of the thread; the observer's */
	uint64_t sweep;	       /* number */
	uint64_t time_ns;      /* CLOCK_MONOTONIC */
	enum place place;
	uint32_t flags;	       /* enum sample_flag: fields that are valid */
	enum accuracy accuracy; /* of all that is valid and was asked for: that of the worst */
	enum accuracy of[SIGHTING_FIELDS];
	uint64_t ip, sp;
	uint32_t method;       /* index in call_stacks; 0: none */
	uint32_t function;     /* native code that ip is in, where method is another; the same */
	uint32_t stack;	       /* the same, of stacks */
	uint32_t pc_offset;
	struct sighting_doing doing;
};

#define SAMPLE_NO_GC UINT64_MAX

/* What was seen at once: a row for each thread. */
struct sample_sweep {
	uint64_t number, start_ns, end_ns;
	uint64_t lost;	 /* ticks that found no room */
	uint64_t missed; /* sweeps that were due and not made, up to this one */
	uint64_t gc;	 /* the collection that it was made for; SAMPLE_NO_GC: for none */
	uint64_t gc_ns;	 /* when that began */
	const struct sighting *sightings;
	size_t count;
};

/* On a CPU: neither waiting for one nor for anything else. */
bool sighting_doing__runs(const struct sighting_doing *doing);

/* "location", "method", "pc_offset", "stack", "ip". */
const char *sighting__field_name(enum sighting_field field);

#endif
