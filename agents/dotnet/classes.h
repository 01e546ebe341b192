/* SPDX-License-Identifier: BSD-2-Clause */
/* The class of a type that is not generic, looked up by one of its methods: nothing is loaded. */
#ifndef GCTRACE_DOTNET_CLASSES_H
#define GCTRACE_DOTNET_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "modules.h"

/*
 * 0: it is not loaded, or has no methods. One without may be had by its name all the same, where
 * may_load, which is for the thread that forced the collection alone (dump.c says why).
 */
uintptr_t classes__find(const struct module *module, uint32_t type, bool may_load);

/* The same, legal in the pause: nothing is allocated. Looks at all methods of the module. */
uintptr_t classes__find_in_pause(const struct module *module, uint32_t type);

#endif
