/* SPDX-License-Identifier: BSD-2-Clause */
/* The roots of a dump, but for statics (statics.h). */
#ifndef GCTRACE_DOTNET_ROOTS_H
#define GCTRACE_DOTNET_ROOTS_H

#include <gctrace/probes.h>

#include <stdbool.h>
#include <stddef.h>

#include "payload.h"
#include "agents/common/totals.h"

/* enum gctrace_root_kind and gctrace_container_type: our own. */
#define ROOT_KIND_REFCOUNTED GCTRACE_ROOT_OWN
#define CONTAINER_OF_THREADS GCTRACE_C_OWN /* thread statics, and frames without a method */

/* Once, outside of a pause. False: no address space. */
bool roots__init(void);

/* A dump begins: the names of our own kinds; methods are told anew. */
void roots__begin(struct gctrace_writer *writer);

/* BULK_ROOT_EDGE: stacks, handles, what waits for its finalizer, and the runtime's own. */
void roots__event(struct gctrace_writer *writer, struct payload *payload, struct totals *totals);

/* BULK_DEPENDENT: of dependent handles, what the key keeps. */
void roots__dependent_event(struct gctrace_writer *writer, struct payload *payload,
			    struct totals *totals);

/* Objects that never go (frozen.h). */
void roots__frozen(struct gctrace_writer *writer, const uint64_t *objects, size_t count,
		   struct totals *totals);

/* Forgets what the last dump told. */
void roots__empty(void);

#endif
