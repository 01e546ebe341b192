/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heap dump as gctrace's events told it, whole in memory, to be compared with what really was.
 *
 * While it comes, what can be seen of it alone is checked: parts of an object follow each other,
 * positions count up, roots belong to the container begun last, and the flags that say "named
 * before" and "reported before" are those that the order of the reports makes right.
 */
#ifndef TESTS_PROOF_TOLD_H
#define TESTS_PROOF_TOLD_H

#include "base/vec.h"
#include "stream/event.h"

struct told_object {
	uint64_t address, size, class_;
	uint64_t first, count; /* of refs */
	uint32_t flags;
	bool whole; /* its last part came */
};

struct told_ref {
	uint64_t to;
	uint32_t flags;
};

struct told_root {
	uint64_t type, id1, id2, kind, id, to;
	uint32_t flags;
};

struct told_class {
	uint64_t number, super, size;
	uint32_t flags;
	struct text name, fields; /* owned copies */
};

/* A set of addresses: open addressing, 0 is a free place. */
struct addresses {
	uint64_t *items;
	size_t room, count;
};

struct told {
	VEC(struct told_object) objects;
	VEC(struct told_ref) refs;
	VEC(struct told_root) roots;
	VEC(struct told_class) classes;
	struct addresses named, reported;
	uint64_t number, status;       /* EVENT_UNKNOWN */
	uint64_t type, id1, id2;       /* container begun last */
	uint64_t containers, defines;
	bool has_totals;
	uint64_t objects_told, references_told, roots_told, bytes_told;
	uint64_t lost, wrong;
};

/* Complains on stdout of what is wrong; how often: told->wrong. */
int told__event(void *told, const struct event *event);
void told__free(struct told *told);

/* The first twenty are printed. */
void complain(uint64_t *wrong, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
