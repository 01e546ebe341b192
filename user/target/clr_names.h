/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names that the program gave its threads (Thread.Name), out of their managed Thread objects:
 *
 *	Thread -> its handle -> System.Threading.Thread -> the one String in it
 *
 * The contract does not tell the managed fields. But that object knows its Thread in turn, and by
 * that it is known to be the one. A collection may move it while it is read: what does not hang
 * together as before when that is over is no name.
 */
#ifndef GCTRACE_TARGET_CLR_NAMES_H
#define GCTRACE_TARGET_CLR_NAMES_H

#include <stdint.h>

#include "../base/buf.h"

struct clr_contract;
struct clr_names;
struct remote;

/* The longest name that is read, in characters. */
#define CLR_NAME_MOST ((uint32_t)32768)

/* -ENOTSUP: the contract does not tell of managed threads; -ENOMEM. */
int clr_names__new(const struct clr_contract *contract, struct remote *memory,
		   struct clr_names **out);
void clr_names__free(struct clr_names *names);

/*
 * Append the name of the thread that the runtime has a Thread for at this address: valid UTF-8,
 * unescaped. 0; -ENOENT: it has none, or it could not be had; -ENOMEM; -ESRCH.
 */
int clr_names__thread(struct clr_names *names, uint64_t thread, struct buf *name);

#endif
