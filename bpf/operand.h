/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Where a probe's arguments are when a site is hit: what user/attach/operand.c reads out of the
 * site's note ("8@%rdi -4@$3 8@-16(%rbp)") and bpf/probe.bpf.h fetches.
 *
 * Sites with the same text share one struct site, so its number says nothing of a process; the
 * attach cookie holds both: the slot of the target in its high half, the number of the struct site
 * in its low half.
 */
#ifndef GCTRACE_OPERAND_H
#define GCTRACE_OPERAND_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define OPERANDS_MAX 12

enum operand_kind {
	OPERAND_CONSTANT = 0, /* the number */
	OPERAND_REGISTER = 1,
	OPERAND_MEMORY = 2 /* at base + (index << shift) + number */
};

#define OPERAND_NO_REGISTER 255

struct operand {
	__s64 number;
	__u8 kind;  /* enum operand_kind */
	__u8 base;  /* which 8 bytes of struct pt_regs, from 0 */
	__u8 index; /* the same, or OPERAND_NO_REGISTER */
	__u8 shift;
	__u8 bytes; /* 1, 2, 4 or 8 */
	__u8 is_signed;
	__u8 from_bit; /* of the register: 8 for %ah and its like */
	__u8 reserved;
};

struct site {
	struct operand operands[OPERANDS_MAX];
	__u64 count;
};

#define TARGET_SLOTS 1024 /* targets attached at the same time */

/* What user space says of a target to the programs; by slot. */
struct target_switch {
	__u32 index;   /* what its records call it */
	__u32 dumping; /* its records go to the dump's ring */
	__u64 cause; /* HotSpot: where in it the text of sun.gc.cause lies; 0: not known */
};

/*
 * The array of rings: the first ones are shards, chosen by CPU; the last place is the dump's
 * ring, empty while there is none.
 */
#define RING_SHARDS_MAX 16
#define RING_DUMP RING_SHARDS_MAX
#define RINGS_MAX (RING_SHARDS_MAX + 1)

#endif
