/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this kernel can do for gctrace, found by trying, and why it refused.
 */
#ifndef ATTACH_KERNEL_H
#define ATTACH_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

struct closer;
struct opener;

struct kernel {
	bool sleepable;	   /* uprobe programs fault pages in, as the operator wants */
	uint32_t uprobe;   /* perf_event_attr.type of uprobes */
	unsigned int ref_ctr_shift; /* of the semaphore's offset in .config */
	unsigned int retprobe_bit;  /* in .config */
	bool multi;	      /* links of many sites, filtered by process */
	bool keep_inner_maps; /* see kernel.c */
	struct opener *opener; /* opens uprobes for us; NULL: we may */
	struct closer *closer; /* closes links for us; NULL: we do */
};

/*
 * What the headers of the oldest distribution that we build on don't have: a link of one program
 * to many sites in a file (bpf_link_create() of libbpf 1.3). pid 0: every process. Offsets of
 * semaphores are 0 where there is none. The descriptor, or negative errno.
 */
struct kernel_sites {
	const char *path;
	const uint64_t *offsets;
	const uint64_t *semaphore_offsets;
	const uint64_t *cookies;
	uint32_t count;
	int pid;
	bool at_return;
};

#define KERNEL_ATTACH_MULTI 48 /* BPF_TRACE_UPROBE_MULTI */

int kernel__link_sites(int program, const struct kernel_sites *sites);

/*
 * fault_in: programs shall be sleepable. 0, or a negative errno after an error message that says
 * what is missing and what to do.
 */
int kernel__look(struct kernel *kernel, bool fault_in);

/* Do without all that came later than 5.15, as with Debian's and Ubuntu's strictness. */
void kernel__forget(struct kernel *kernel);

/*
 * An error message for a failed bpf() or perf_event_open() call: `what` was being done. Looks for
 * lockdown, missing capabilities and sysctls that explain err. Returns err, negative.
 */
int kernel__explain(int err, const char *what);

/* libbpf's log goes to debug() from here on, instead of to stderr. */
void kernel__take_log(void);

#endif
