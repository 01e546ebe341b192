/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The BPF maps that all programs share (bpf/ring.bpf.h declares them): rings, operands of sites,
 * and for each target that is attached a slot with its switches and its loss counters.
 *
 * A slot is what an attach cookie names. It belongs to one target at a time, and says its index,
 * so that a session can have any number of targets one after the other.
 */
#ifndef ATTACH_TABLES_H
#define ATTACH_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../bpf/operand.h"
#include "../../bpf/record.h"

#define TABLES_SITES 1024 /* different texts of arguments */
#define NO_SLOT UINT32_MAX

struct tables;

/* 0, or negative errno after an error message. */
int tables__new(struct tables **out);
void tables__free(struct tables *tables);

/* The maps by the names that the programs know them by; NULL at the end. */
const char *tables__name(size_t n);
int tables__fd(const struct tables *tables, size_t n);

/* The number of a site's operands for the cookie. Negative errno after an error message. */
int tables__site(struct tables *tables, const struct site *site, uint32_t *number);

uint64_t tables__cookie(uint32_t slot, uint32_t site);

/*
 * A slot for a target of this index, with all switches off. One that was given back is only taken
 * when there is no fresh one, after `wait` has returned: whoever had it must be detached for good.
 * 0, or negative errno after an error message.
 */
int tables__take_slot(struct tables *tables, uint32_t index, void (*wait)(void *context),
		      void *context, uint32_t *slot);
void tables__give_slot(struct tables *tables, uint32_t slot);

/* The slot's next target: its image after an exec. */
int tables__pass_slot(struct tables *tables, uint32_t slot, uint32_t index);

/* Where its records go. */
int tables__set_dumping(struct tables *tables, uint32_t slot, bool dumping);

/* HotSpot: where in the target the text of the running collection's cause lies. */
int tables__set_cause(struct tables *tables, uint32_t slot, uint64_t address);

/* Counters of a slot since it is there, summed over CPUs. */
int tables__losses(const struct tables *tables, uint32_t slot, struct loss_counts *sum);

/* Put rings (maps' descriptors) in the array's places from `place` on. */
int tables__set_rings(struct tables *tables, uint32_t place, const int *map_fds, uint32_t count);
int tables__take_ring(struct tables *tables, uint32_t place);

#endif
