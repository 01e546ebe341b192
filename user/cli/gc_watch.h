/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The moments at which a process collects, as its probes tell them: for who wants to look at it
 * right then.
 *
 *	gc_watch__new(&target_settings, &watch);
 *	while (gc_watch__wait(watch, timeout_ns, &begun) >= 0)
 *		if (begun.is_under_way) {
 *			... look ...
 *			gc_watch__has_ended(watch, &begun, now) ?
 *		}
 *	gc_watch__free(watch);
 *
 * Records come a few milliseconds after the fact: a collection that is over by then is missed, and
 * counted.
 */
#ifndef GCTRACE_CLI_GC_WATCH_H
#define GCTRACE_CLI_GC_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "settings.h"

struct gc_watch;

struct gc_begun {
	bool is_under_way; /* and was not told before */
	bool in_pause;	   /* the program stands still for it */
	uint64_t gc;	   /* the runtime's number, else counted from 1 */
	uint64_t start_ns;
};

/*
 * Attaches, and gives up what privileges attaching alone needed. 0 or negative errno after an error
 * message (-ENOENT also when the process has no probes that tell collections).
 */
int gc_watch__new(const struct target_settings *target, struct gc_watch **out);
void gc_watch__free(struct gc_watch *watch);

/* Up to timeout_ns. 0; -ESRCH: the process has ended; or negative errno after an error message. */
int gc_watch__wait(struct gc_watch *watch, uint64_t timeout_ns, struct gc_begun *begun);

/* Was it over before this moment? Takes in what was told until now. */
bool gc_watch__has_ended(struct gc_watch *watch, const struct gc_begun *begun, uint64_t now_ns);

/* Collections that were over when they were told, or lost in between. */
uint64_t gc_watch__missed(const struct gc_watch *watch);

#endif
