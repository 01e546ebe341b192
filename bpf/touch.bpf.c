/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Write to each page of a ring once, before a probe does.
 *
 * A ring's pages are there from the start, but where a hypervisor shadows page tables the first
 * write to each takes 10 to 16 us (measured: 30 KiB in 100 us, from the second time on in 12). Each
 * of those would make a stop of the traced program longer (user/attach/rings.c runs this).
 */
#include "vmlinux.h"

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define PAGE 4096
#define PAGES 32 /* at a time: half of the smallest ring */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} ring SEC(".maps");

/* The next pages of a ring that nobody else writes to yet, a discarded record each. */
SEC("syscall")
int touch(void *ctx)
{
	for (int i = 0; i < PAGES; i++) {
		void *record = bpf_ringbuf_reserve(&ring, PAGE - BPF_RINGBUF_HDR_SZ, 0);

		if (!record)
			return 1;
		bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
	}
	return 0;
}
