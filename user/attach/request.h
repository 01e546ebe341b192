/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asking a target for something: request__dump, request__postpone, request__pause of the probe
 * contract. A request is up while a program is attached to its probe, in that process only; the
 * target sees its semaphore. Killed or not, when gctrace is gone the request is down.
 *
 * Semaphores don't count tracers, so before a dump is asked for they are looked at: one that is up
 * is another tracer's.
 *
 * Raising takes 0.2-10 ms, lowering up to 140 ms. request__set() leaves the waiting to a thread of
 * the request's own, for those who have rings to read meanwhile.
 */
#ifndef ATTACH_REQUEST_H
#define ATTACH_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

struct request;
struct session;
struct target;

/*
 * name: "dump", "postpone" or "pause". 0, or negative errno after an error message: -ENOENT when
 * the target has no such probe. The target must outlive the request.
 */
int request__new(struct session *session, struct target *target, const char *name,
		 struct request **out);

/* Lowers it and waits until it is down. NULL is legal. */
void request__free(struct request *request);

/*
 * Is its semaphore up through somebody else? 1, 0 or negative errno (-ESRCH: the target is gone).
 * Only meaningful while we have not raised it.
 */
int request__is_taken(const struct request *request);

/*
 * Wait until nobody else asks, timeout_ns at most; go_on (may be NULL) is called about every 50 ms
 * and ends the wait by false. Says once what it waits for. 0; -EBUSY after the time is up and
 * -EINTR after go_on said so, both without a message; other errors with one.
 */
int request__wait(struct request *request, uint64_t timeout_ns, bool (*go_on)(void *context),
		  void *context);

/*
 * A tracer that was killed together with the helper that detaches for it (closer.h says why there
 * is one) may have left its request up. This has such a one lowered soon. Where another tracer
 * really asks nothing changes; not to be called often, since it may end just then.
 */
void request__lower_leftover(struct request *request);

/* Raise it, and wait until it is up. 0, or negative errno after an error message. */
int request__raise(struct request *request);

/* Have it up or down soon. Whoever asks twice quickly gets what was asked last. */
void request__set(struct request *request, bool up);

bool request__is_up(const struct request *request);

#endif
