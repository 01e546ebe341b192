/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What CoreCLR publishes of itself for those who read it from outside: a descriptor that libcoreclr
 * exports (DotNetRuntimeContractDescriptor, .NET 9 on; docs/design/datacontracts in
 * dotnet/runtime), with a text in JSON that says where the fields of its types are, for this very
 * build:
 *
 *	{"types":{"Thread":{"OSId":296,"LinkNext":[112,"pointer"],"!":600}},
 *	 "globals":{"ThreadStore":[[3],"pointer"],"GCInfoVersion":["0x4","uint32"]}}
 *
 * A field is its offset, alone or with its type; "!" is the size of the type. A global is a number,
 * alone or with its type, or [N]: the Nth word of a table beside the text, which is an address.
 *
 * Text and table lie in the target's memory and are its to choose: bounded, and read once.
 */
#ifndef GCTRACE_TARGET_CLR_CONTRACT_H
#define GCTRACE_TARGET_CLR_CONTRACT_H

#include <stddef.h>
#include <stdint.h>

struct clr_contract;
struct remote;

#define CLR_CONTRACT_MOST ((size_t)1 << 20) /* bytes of text; .NET 10 has 12 KiB */

/*
 * From the address of the descriptor. 0; -EPROTO: it is none, or of a form that is not known;
 * -ENOMEM; or what reading gave. Free by clr_contract__free().
 */
int clr_contract__read(struct remote *memory, uint64_t address, struct clr_contract **out);

/* From a text and table in memory (tests, fuzzing); copied. The same. */
int clr_contract__parse(const char *text, size_t len, const uint64_t *words, size_t count,
			struct clr_contract **out);
void clr_contract__free(struct clr_contract *contract);

/* Where a field is in its type, less than 64 KiB. 0 or -ENOENT. */
int clr_contract__field(const struct clr_contract *contract, const char *type, const char *field,
			uint32_t *offset);

/* The value of a global, for [N] the Nth word. 0 or -ENOENT. */
int clr_contract__global(const struct clr_contract *contract, const char *name, uint64_t *value);

#endif
