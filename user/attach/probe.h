/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which probes of which provider are attached for which level, and by which program: one table.
 */
#ifndef ATTACH_PROBE_H
#define ATTACH_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "attach/target.h"

struct probe_row {
	enum provider provider;
	const char *name;    /* of the probe */
	const char *program; /* function in the provider's .bpf.c */
	unsigned int levels; /* attached when one of them is wanted; 0: by request.h only */
	bool required;	     /* without it, these levels have nothing to show */
};

extern const struct probe_row probe_rows[];
extern const size_t probe_row_count;

/* Does it tell the beginning of something whose end is another probe's? By its name. */
bool probe__begins(const struct probe_row *row);

/* "collections", "pools", ... for one level; static. */
const char *level__name(enum level level);

/* Levels that the modules found so far could give: those of all rows whose probe is there. */
unsigned int probes__levels(const struct modules *modules);

#endif
