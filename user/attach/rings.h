/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rings of a session: shards for streaming, made at its start, and the dump's ring, made for
 * the time of a dump.
 */
#ifndef ATTACH_RINGS_H
#define ATTACH_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../bpf/operand.h"

struct tables;

struct rings {
	int fd[RINGS_MAX]; /* maps; those not there: -1 */
	uint64_t bytes[RINGS_MAX];
	uint32_t generation[RINGS_MAX];
	unsigned int shards;
	int kept; /* a dump's ring of before that must not be closed yet; -1 */
};

/* How many shards for this many bytes and the CPUs of this host. */
unsigned int rings__shards(uint64_t bytes, unsigned int wanted);

/* Before anything else; rings__close() is legal then. Keeps the number of shards. */
void rings__init(struct rings *rings);

/* 0, or negative errno after an error message. */
int rings__open(struct rings *rings, struct tables *tables, uint64_t bytes);
void rings__close(struct rings *rings);

/* -EBUSY while there is one; the size becomes a power of two, at most bytes. */
int rings__open_dump(struct rings *rings, struct tables *tables, uint64_t bytes);

/* keep: see kernel.c on inner maps. */
void rings__close_dump(struct rings *rings, struct tables *tables, bool keep);

#endif
