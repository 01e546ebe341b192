/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The class that a type in a signature is (ECMA-335 II.23.2.12), generic ones with what stands for
 * their parameters: KeyValuePair<!0, Node>.
 *
 * Types of other modules are told by name. Which module has it is looked for in those that are
 * loaded and stay: one has it, or it is not known which one is meant. So it is with array types,
 * too, for which the runtime has no such question.
 *
 * A class that is asked for may have to be loaded: of a generic struct in a class the runtime has
 * only that with __Canon for classes. So this is for the thread that forced the collection alone,
 * when the program runs again: a thread that is none of the runtime's does not survive it.
 */
#ifndef GCTRACE_DOTNET_SIGNATURE_H
#define GCTRACE_DOTNET_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

#include "payload.h"

/* Once, outside of a pause. False: no address space. */
bool signature__init(void);
void signature__empty(void);

/*
 * signature: from the type on (layout__type()), of `module`; of: the class whose parameters it may
 * name. 0: it cannot be known.
 */
uintptr_t signature__class(struct payload signature, uintptr_t module, uintptr_t of);

/* A number, of one, two or four bytes (II.23.2). */
uint32_t signature__number(struct payload *signature);

#endif
