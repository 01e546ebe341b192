/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is this host ready? First facts about the kernel and about ourselves, then a verdict on
 * each and, where it is not well, a remedy. Nothing is loaded or attached to find out.
 */
#ifndef GCTRACE_TARGET_HOST_H
#define GCTRACE_TARGET_HOST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"

enum host_lockdown {
	HOST_LOCKDOWN_NONE,
	HOST_LOCKDOWN_INTEGRITY,
	HOST_LOCKDOWN_CONFIDENTIALITY,
	HOST_LOCKDOWN_UNKNOWN,       /* may be there, but nothing tells */
};

#define HOST_UNKNOWN INT_MIN         /* of a setting: its file is not there */

struct host_facts {
	char release[65];            /* as uname -r */
	uint32_t version;            /* (major << 16) + (minor << 8); 0: not understood */
	int btf_error;               /* 0, or the errno of reading /sys/kernel/btf/vmlinux */
	uint64_t capabilities;       /* effective, bit 1 << CAP_… */
	bool init_user_ns;           /* elsewhere capabilities are not what they are called */
	bool init_pid_ns;
	bool proc_mounted, sys_mounted;
	bool uprobes;                /* the kernel offers them to perf_event_open() */
	bool semaphores;             /* … with a reference counter */
	enum host_lockdown lockdown;
	int perf_event_paranoid;
	int unprivileged_bpf_disabled;
	int ptrace_scope;            /* of Yama */
	int seccomp;                 /* our own: 0 none, 1 strict, 2 filter */
	int bpf_error;               /* what bpf() and perf_event_open() say to a call that does */
	int perf_error;              /* nothing: an errno; ENOSYS, EPERM: not for us */
	uint64_t memlock;            /* RLIMIT_MEMLOCK, UINT64_MAX: none */
	int log_error;               /* 0, or the errno of reading the kernel's log */
	uint64_t log_from_us;        /* after boot: the oldest message that it still has */
	uint64_t leaked_uprobes;     /* messages in it that a probe could not be removed */
	char leaked_by[32];          /* "comm:pid" of the last of them */
};

enum host_verdict {
	HOST_OK,
	HOST_WARNING,                /* works, with less than could be */
	HOST_MISSING,                /* gctrace cannot attach like this */
};

struct host_check {
	const char *name;            /* "kernel", "btf", "capabilities", …; static */
	enum host_verdict verdict;
	char *found;                 /* what is so; not escaped */
	char *remedy;                /* what to do; NULL where all is well */
};

struct host_checks {
	struct host_check *checks;
	size_t count;
};

#define HOST_CHECKS_INIT { NULL, 0 }

/* Look. Always succeeds: what cannot be told is so marked. */
void host__look(struct host_facts *facts);

/*
 * The part of that which the kernel's log says: reads a descriptor of /dev/kmsg (a record each
 * read) until it has no more.
 */
void host__read_log(struct host_facts *facts, int fd);

/* Judge, in the order to show. 0 or -ENOMEM; host_checks__free() is due in either case. */
int host__judge(const struct host_facts *facts, struct host_checks *checks);
void host_checks__free(struct host_checks *checks);

/* The worst verdict among them. */
enum host_verdict host_checks__worst(const struct host_checks *checks);

/* Kernel version as one number, (major << 16) + (minor << 8), 0 when it cannot be told. */
uint32_t host__kernel_version(void);

/* One capability (CAP_BPF, …) in our effective set. */
bool host__has_capability(int capability);

/* Our effective set, bit 1 << CAP_… */
uint64_t host__capabilities(void);

/*
 * Capabilities that attaching needs: CAP_BPF and CAP_PERFMON (CAP_SYS_ADMIN includes both) and
 * CAP_SYS_PTRACE. False if all are in the set; else adds those that are not, as
 * "CAP_BPF and CAP_PERFMON are missing".
 */
bool host__add_missing(struct buf *buf, uint64_t capabilities);

/* "CAP_BPF" etc. for those that gctrace has to do with, else "a capability". Static. */
const char *host__capability_name(int capability);

#endif
