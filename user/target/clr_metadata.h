/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of types and methods by their numbers, from the metadata of an assembly of .NET as it lies
 * in the target's memory (ECMA-335, partition II, 22 and 24). Only its head is read beforehand, a
 * name when it is asked for. All of it is the target's: every index is checked against the sizes
 * that the head tells, and these against what an assembly can have.
 */
#ifndef GCTRACE_TARGET_CLR_METADATA_H
#define GCTRACE_TARGET_CLR_METADATA_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/buf.h"

struct clr_metadata;
struct remote;

/*
 * Of an image at an address: is_mapped: its sections are where they belong, otherwise as they are
 * in the file. 0; -EPROTO: it is no such image, or its head makes no sense; -ENOMEM; or what
 * reading gave.
 */
int clr_metadata__open(struct remote *memory, uint64_t image, bool is_mapped,
		       struct clr_metadata **out);
void clr_metadata__free(struct clr_metadata *metadata);

/*
 * Append "Namespace.Outer+Inner" of a row of TypeDef, "Method" of one of MethodDef (from 1 on). 0;
 * -ENOENT: there is no such row, or it leads nowhere; or another negative errno. Unescaped.
 */
int clr_metadata__add_type(struct clr_metadata *metadata, uint32_t row, struct buf *name);
int clr_metadata__add_method(struct clr_metadata *metadata, uint32_t row, struct buf *name);

#endif
