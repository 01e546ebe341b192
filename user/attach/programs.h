/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The BPF programs of all providers. They are loaded when they are asked for, and with the first
 * of a provider those that the levels wanted will ask for: checking them is what takes the kernel
 * most of the time until the first event.
 */
#ifndef ATTACH_PROGRAMS_H
#define ATTACH_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/module.h"

struct kernel;
struct programs;
struct tables;

/*
 * shards: at most RING_SHARDS_MAX. The tables must outlive it. 0, or negative errno after an error
 * message.
 */
int programs__new(const struct kernel *kernel, const struct tables *tables, unsigned int shards,
		  struct programs **out);
void programs__free(struct programs *programs);

/*
 * The descriptor of a program, by provider and function name, for links of many sites or for
 * single ones; the programs' own. Negative errno after an error message.
 */
int programs__find(struct programs *programs, enum provider provider, const char *name,
		   bool multi);

/* Levels that somebody is going to ask for. */
void programs__want(struct programs *programs, unsigned int levels);

/* How long loading took, ns. */
uint64_t programs__load_ns(const struct programs *programs);

#endif
