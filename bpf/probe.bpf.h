/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The arguments of a USDT probe, fetched as its struct site says (operand.h).
 *
 * Not libbpf's usdt.bpf.h, because gctrace attaches sites itself (user/attach/link.c says why).
 */
#ifndef GCTRACE_PROBE_BPF_H
#define GCTRACE_PROBE_BPF_H

#include "ring.bpf.h"

/*
 * Loads from the context need a constant offset, and compilers like to merge a switch of loads
 * into one with a variable offset: hence the assembler.
 */
#define PROBE_WORD(n)                                                                             \
	case n:                                                                                   \
		asm volatile("%0 = *(u64 *)(%1 + %2)" : "=r"(value) : "r"(ctx), "i"(8 * (n)));    \
		break

/*
 * Word n of struct pt_regs; those that no operand can name give 0. A global function, as are
 * others below: the verifier looks at it once by itself, where it would follow every combination
 * of operands through the rest of a program. (Kernels from 6.16 refuse global functions that may
 * sleep in programs that may not, hence whoever calls one does the touching.)
 */
__noinline __u64 probe__register(bpf_user_pt_regs_t *ctx, __u32 n)
{
	__u64 value = 0;

	switch (n) {
	PROBE_WORD(0);
	PROBE_WORD(1);
	PROBE_WORD(2);
	PROBE_WORD(3);
	PROBE_WORD(4);
	PROBE_WORD(5);
	PROBE_WORD(6);
	PROBE_WORD(7);
	PROBE_WORD(8);
	PROBE_WORD(9);
	PROBE_WORD(10);
	PROBE_WORD(11);
	PROBE_WORD(12);
	PROBE_WORD(13);
	PROBE_WORD(14);
	PROBE_WORD(16); /* x86-64: ip; 15 is orig_ax, which is no register */
	PROBE_WORD(19); /* x86-64: sp */
#if defined(__TARGET_ARCH_arm64)
	PROBE_WORD(15);
	PROBE_WORD(17);
	PROBE_WORD(18);
	PROBE_WORD(20);
	PROBE_WORD(21);
	PROBE_WORD(22);
	PROBE_WORD(23);
	PROBE_WORD(24);
	PROBE_WORD(25);
	PROBE_WORD(26);
	PROBE_WORD(27);
	PROBE_WORD(28);
	PROBE_WORD(29);
	PROBE_WORD(30);
	PROBE_WORD(31); /* sp */
#endif
	}
	return value;
}

/*
 * What the function returned whose return this is. Not PT_REGS_RC(): its relocation would have
 * libbpf read the types of the whole kernel first, which takes longer than all else until the
 * first event.
 */
static __always_inline __u64 probe__result(struct pt_regs *ctx)
{
	__u64 value;

#if defined(__TARGET_ARCH_arm64)
	asm volatile("%0 = *(u64 *)(%1 + 0)" : "=r"(value) : "r"(ctx));
#else
	asm volatile("%0 = *(u64 *)(%1 + 80)" : "=r"(value) : "r"(ctx));
#endif
	return value;
}

static __always_inline long probe__copy(void *to, __u64 bytes, __u64 from)
{
	return bpf_probe_read_user(to, bytes, (const void *)from);
}

/* Make one byte's page present. Only where the program may sleep; holds no reservation. */
static __always_inline void probe__touch(__u64 address)
{
	char byte;

	if (sleepable)
		bpf_copy_from_user(&byte, 1, (const void *)address);
}

static __always_inline __u64 probe__extend(const struct operand *operand, __u64 value)
{
	__u32 shift = (64 - 8 * operand->bytes) & 63;

	value >>= operand->from_bit & 63;
	value <<= shift;
	return operand->is_signed ? (__u64)((__s64)value >> shift) : value >> shift;
}

/* Not 0: what is at the address *value could not be read. */
static __always_inline long probe__operand(bpf_user_pt_regs_t *ctx, const struct operand *operand,
					   __u64 *value)
{
	__u64 at;

	*value = operand->number;
	if (operand->kind == OPERAND_CONSTANT)
		return 0;
	at = probe__register(ctx, operand->base);
	if (operand->kind == OPERAND_MEMORY) {
		at += operand->number;
		if (operand->index != OPERAND_NO_REGISTER)
			at += probe__register(ctx, operand->index) << (operand->shift & 3);
		if (probe__copy(value, sizeof(*value), at)) {
			*value = at;
			return -1;
		}
		at = *value;
	}
	*value = probe__extend(operand, at);
	return 0;
}

/*
 * Arguments 0 .. count - 1 of the probe; those that the site does not have are 0. Not 0 when what
 * is at the address value[0] could not be read.
 */
__noinline int probe__args(bpf_user_pt_regs_t *ctx, __u32 number, struct probe_args *args,
			   __u32 count)
{
	struct site *site = bpf_map_lookup_elem(&sites, &number);

	if (!site || !args)
		return -1;
	for (__u32 i = 0; i < 8; i++) {
		__u64 value = 0;

		if (i >= count)
			break;
		if (i < site->count && probe__operand(ctx, &site->operands[i], &value)) {
			args->value[0] = value;
			return -1;
		}
		args->value[i] = value;
	}
	return 0;
}

/*
 * Start of every program: the stamp, the target and the arguments. Not 0: what this hit was to
 * tell is counted as lost, return at once.
 */
static __always_inline int probe__begin(struct pt_regs *ctx, struct probe *probe,
					struct probe_args *args, __u32 count)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	probe->stamp = bpf_ktime_get_ns();
	probe->slot = cookie >> 32;
	probe->site = (__u32)cookie;
	probe->flags = 0;
	probe->place = 0;
	if (count == 0 || probe__args((void *)ctx, probe->site, args, count) == 0)
		return 0;
	if (sleepable) {
		probe__touch(args->value[0]);
		if (probe__args((void *)ctx, probe->site, args, count) == 0)
			return 0;
	}
	probe__lose(probe, BPF_LOSS_COPY, 0);
	return -1;
}

#endif
