/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objects of a dump and what they refer to.
 *
 * The runtime tells objects in one event and their references in another, without a place and in
 * no order with the objects. So only the former is listened to, and an object's references are
 * enumerated in the same pause, slot by slot, which says where each of them stands.
 */
#ifndef GCTRACE_DOTNET_NODES_H
#define GCTRACE_DOTNET_NODES_H

#include <gctrace/probes.h>

#include "payload.h"
#include "agents/common/totals.h"

/* A dump begins. */
void nodes__begin(void);

/*
 * BULK_NODE. Before the first, statics are told that are to be told in the pause, and that objects
 * are then told without. Ends early when the dump is over (pace__may_go_on).
 */
void nodes__event(struct gctrace_writer *writer, struct payload *payload, struct totals *totals);

#endif
