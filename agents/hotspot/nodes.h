/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objects of a dump and what they refer to.
 *
 * The JVM tells an object's class and size with each reference to it, and with its own references
 * only who they are of, one after the other. So an instance is told when it is visited, its size
 * being its class's; and of what varies in size (arrays, class objects, strangers) the size is told
 * or kept when it is named first. Of what class an instance is may be known only then (mirrors.h):
 * where it ends is marked meanwhile (seen.h).
 *
 *	class of         named first              visited
 *	fields           -                        the whole, nulls included: the nth is field n
 *	numbers          the whole                -
 *	references       head, more to come       elements, short gaps of nulls included
 *	java.lang.Class  head, more to come       by place (classes.h); statics may be roots
 *	unknown          size is kept             by the JVM's index
 */
#ifndef GCTRACE_HOTSPOT_NODES_H
#define GCTRACE_HOTSPOT_NODES_H

#include <gctrace/probes.h>

#include <stdbool.h>
#include <stdint.h>

#include "agents/common/totals.h"
#include "vm.h"

/* An object as the JVM tells it where something refers to it. */
struct named {
	uint64_t id, class_, size;
	uint64_t number; /* its tag: of a class object, the class */
	bool is_array, is_empty; /* of no elements */
};

/* Once, outside of a pause. False: no address space. */
bool nodes__init(void);
void nodes__empty(void);

/* A dump begins. */
void nodes__begin(struct gctrace_writer *writer, struct totals *totals);

/* It was named: what has been said of it before, enum gctrace_reference_flags. */
uint32_t nodes__name(const struct named *named);

/* References are of this one from now on. number: its tag. False: they were already. */
bool nodes__visit(uint64_t id, uint64_t class_, uint64_t number);

/* A reference of it. */
void nodes__refer(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
		  const struct named *to);

/* All have been told. */
void nodes__end(void);

#endif
