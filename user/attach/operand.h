/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arguments of a probe's site, from the text in its note to what BPF fetches (bpf/operand.h).
 *
 *	8@%rdi -4@$3 8@-16(%rbp) 4@(%rax,%rcx,4)            x86-64
 *	8@x0 -4@3 8@[sp, 16] 8@[x1, x2, lsl 3]              arm64
 *
 * The text comes from the target's file and may be anything.
 */
#ifndef ATTACH_OPERAND_H
#define ATTACH_OPERAND_H

#include <stdint.h>

#include "../../bpf/operand.h"
#include "base/buf.h"

/*
 * machine: EM_X86_64 or EM_AARCH64. 0; -E2BIG for more than OPERANDS_MAX arguments; -ENOTSUP for
 * an operand that is well-formed but out of reach (a symbol, a floating-point register); -EINVAL
 * for what is no operand. why says which one, escaped; it may be NULL.
 */
int operands__parse(const char *text, uint16_t machine, struct site *site, struct buf *why);

#endif
