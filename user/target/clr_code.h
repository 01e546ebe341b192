/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which method of CoreCLR code belongs to, by the runtime's own tables, as its contract publishes
 * them (clr_contract.h; ExecutionManager in docs/design/datacontracts of dotnet/runtime):
 *
 *	address -> range section, by a tree of five levels for bits 17 to 56 of the address
 *	  compiled code:     section -> heap of code -> its nibble map -> where the method starts
 *			     -> its header -> the method
 *	  precompiled code:  section -> module -> table of functions -> where the method starts
 *			     -> a hash table of what has been run -> the method
 *
 * The nibble map has a nibble for every 32 bytes of the heap: 0, or where in there a method starts,
 * in units of 4 bytes and from 1 on, eight of them in a word with the first one on top. A word
 * whose last nibble is above 8 lies within one method, and tells where that starts.
 */
#ifndef GCTRACE_TARGET_CLR_CODE_H
#define GCTRACE_TARGET_CLR_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct clr_code;
struct clr_contract;
struct remote;

struct clr_code_found {
	bool is_stub;
	uint64_t method; /* the address of its MethodDesc; 0: a stub */
};

/* -ENOTSUP: the contract does not tell of code, or of another form of it; -ENOMEM. */
int clr_code__new(const struct clr_contract *contract, struct remote *memory,
		  struct clr_code **out);
void clr_code__free(struct clr_code *code);

/* What was found is kept until here: code may have been thrown away meanwhile. */
void clr_code__forget(struct clr_code *code);

/* 1: found; 0: no code of the runtime's, or its tables make no sense there; -ESRCH. */
int clr_code__find(struct clr_code *code, uint64_t ip, struct clr_code_found *found);

#endif
