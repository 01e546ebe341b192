/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of CoreCLR's methods, by the runtime's own descriptions of them (clr_contract.h):
 *
 *	MethodDesc -> chunk of them -> MethodTable -> Module -> its image -> metadata
 *
 * A MethodDesc has the number of its row in the metadata's table, a MethodTable that of its type.
 */
#ifndef GCTRACE_TARGET_CLR_METHODS_H
#define GCTRACE_TARGET_CLR_METHODS_H

#include <stdint.h>

struct clr_contract;
struct clr_methods;
struct remote;

/* -ENOTSUP: the contract does not tell of methods; -ENOMEM. */
int clr_methods__new(const struct clr_contract *contract, struct remote *memory,
		     struct clr_methods **out);
void clr_methods__free(struct clr_methods *methods);

/*
 * The number of the name of a method. 0 and the number; -ENOENT: it has none that can be found;
 * -ENOMEM; -ESRCH.
 */
int clr_methods__find(struct clr_methods *methods, uint64_t method, uint64_t *number);

/* "Namespace.Type.Method", unescaped; NULL: there is no such number. */
const char *clr_methods__name(const struct clr_methods *methods, uint64_t number);

#endif
