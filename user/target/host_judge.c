/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts: facts in, lines for a person out. */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../base/units.h"
#include "../base/vec.h"
#include "host.h"

#define VERSION(major, minor) (((major) << 16) + ((minor) << 8))
#define OLDEST VERSION(5, 15)
#define SLEEPABLE VERSION(6, 0)
#define LEAKS_ARE_LOGGED VERSION(6, 12)

#define BOOT_US 10000000 /* a log that begins later has lost its first messages */

struct judge {
	VEC(struct host_check) checks;
	int err;
};

static char *text(struct judge *judge, const char *format, va_list args)
{
	struct buf buf = BUF_INIT;
	char *result;

	buf__vprintf(&buf, format, args);
	result = buf__detach(&buf, NULL);
	if (!result)
		judge->err = -ENOMEM;
	buf__free(&buf);
	return result;
}

/* The next check: what was found. */
static void found(struct judge *judge, const char *name, enum host_verdict verdict,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));

static void found(struct judge *judge, const char *name, enum host_verdict verdict,
		  const char *format, ...)
{
	struct host_check check = { .name = name, .verdict = verdict };
	va_list args;

	if (judge->err)
		return;
	va_start(args, format);
	check.found = text(judge, format, args);
	va_end(args);
	if (!judge->err)
		judge->err = vec__push(&judge->checks, check);
	if (judge->err)
		free(check.found);
}

/* What to do about the last one. */
static void remedy(struct judge *judge, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void remedy(struct judge *judge, const char *format, ...)
{
	va_list args;

	if (judge->err)
		return;
	va_start(args, format);
	judge->checks.items[judge->checks.count - 1].remedy = text(judge, format, args);
	va_end(args);
}

static void judge_kernel(struct judge *judge, const struct host_facts *facts)
{
	const char *release = facts->release;

	if (!facts->version) {
		found(judge, "kernel", HOST_WARNING, "%s: not understood as a version", release);
		remedy(judge, "Linux 5.15 or later is needed");
	} else if (facts->version < OLDEST) {
		found(judge, "kernel", HOST_MISSING, "%s", release);
		remedy(judge, "gctrace needs Linux 5.15 or later (cookies of BPF programs)");
	} else if (facts->version < SLEEPABLE) {
		found(judge, "kernel", HOST_WARNING, "%s: its uprobe programs cannot wait for"
		      " memory that is paged out; such data is lost, and counted", release);
		remedy(judge, "Linux 6.0 or later has no such losses");
	} else {
		found(judge, "kernel", HOST_OK, "%s", release);
	}
}

static void judge_btf(struct judge *judge, const struct host_facts *facts)
{
	if (!facts->btf_error) {
		found(judge, "btf", HOST_OK, "/sys/kernel/btf/vmlinux can be read");
		return;
	}
	found(judge, "btf", HOST_MISSING, "/sys/kernel/btf/vmlinux: %s",
	      strerror(facts->btf_error));
	if (!facts->sys_mounted)
		remedy(judge, "mount /sys: mount -t sysfs sysfs /sys");
	else
		remedy(judge, "use a kernel built with CONFIG_DEBUG_INFO_BTF=y, as those of the"
		       " distributions are");
}

static void judge_capabilities(struct judge *judge, const struct host_facts *facts)
{
	struct buf missing = BUF_INIT;

	if (!facts->init_user_ns) {
		found(judge, "capabilities", HOST_MISSING, "this is a user namespace: root here is"
		      " not root for the kernel");
		remedy(judge, "run gctrace outside of it, as root of the host (for a rootless"
		       " container: on the host)");
	} else if (host__add_missing(&missing, facts->capabilities)) {
		found(judge, "capabilities", HOST_MISSING, "%s", buf__str(&missing));
		remedy(judge, "run as root (sudo), or give gctrace CAP_BPF, CAP_PERFMON,"
		       " CAP_SYS_PTRACE and CAP_CHECKPOINT_RESTORE");
	} else if (!(facts->capabilities & UINT64_C(1) << CAP_CHECKPOINT_RESTORE) &&
		   !(facts->capabilities & UINT64_C(1) << CAP_SYS_ADMIN)) {
		found(judge, "capabilities", HOST_WARNING, "CAP_CHECKPOINT_RESTORE is missing:"
		      " libraries that were deleted or replaced cannot be attached to");
		remedy(judge, "run as root (sudo), or give gctrace this one too");
	} else {
		found(judge, "capabilities", HOST_OK, "all that attaching needs");
	}
	buf__free(&missing);
}

static void judge_lockdown(struct judge *judge, const struct host_facts *facts)
{
	switch (facts->lockdown) {
	case HOST_LOCKDOWN_NONE:
		found(judge, "lockdown", HOST_OK, "none that hinders gctrace");
		break;
	case HOST_LOCKDOWN_INTEGRITY:
		found(judge, "lockdown", HOST_OK, "integrity, which forbids nothing that gctrace"
		      " does");
		break;
	case HOST_LOCKDOWN_CONFIDENTIALITY:
		found(judge, "lockdown", HOST_MISSING, "confidentiality: BPF programs may not read"
		      " memory");
		remedy(judge, "boot without lockdown=confidentiality (lockdown=integrity is"
		       " fine); it cannot be lifted while the kernel runs");
		break;
	default:
		found(judge, "lockdown", HOST_WARNING, "cannot be told: securityfs is not mounted");
		remedy(judge, "mount -t securityfs securityfs /sys/kernel/security, and look"
		       " again");
	}
}

static void judge_uprobes(struct judge *judge, const struct host_facts *facts)
{
	if (facts->uprobes && facts->semaphores) {
		found(judge, "uprobes", HOST_OK, "there, with semaphores");
	} else if (facts->uprobes) {
		found(judge, "uprobes", HOST_MISSING, "there, but without semaphores (no"
		      " ref_ctr_offset)");
		remedy(judge, "gctrace needs Linux 5.15 or later");
	} else {
		found(judge, "uprobes", HOST_MISSING, "/sys/bus/event_source/devices/uprobe is not"
		      " there");
		if (!facts->sys_mounted)
			remedy(judge, "mount /sys: mount -t sysfs sysfs /sys");
		else
			remedy(judge, "use a kernel built with CONFIG_UPROBE_EVENTS=y");
	}
}

/*
 * Is a call refused before it gets to the kernel's own checks? ENOSYS: not in this kernel, or
 * filtered. EPERM and EACCES from a process that has the capabilities: filtered, or an LSM.
 */
static void judge_call(struct judge *judge, const char *name, const char *call, int err,
		       bool privileged)
{
	if (err == ENOSYS) {
		found(judge, name, HOST_MISSING, "%s does not exist here (not in this kernel, or"
		      " hidden by a seccomp filter)", call);
		remedy(judge, "in a container: run gctrace on the host, or the container with"
		       " --privileged");
	} else if ((err == EPERM || err == EACCES) && privileged) {
		found(judge, name, HOST_MISSING, "%s is refused although we have the capabilities"
		      " (a seccomp filter or a security module)", call);
		remedy(judge, "in a container: run gctrace on the host, or the container with"
		       " --security-opt seccomp=unconfined");
	} else if (err == EPERM || err == EACCES) {
		found(judge, name, HOST_MISSING, "%s is refused", call);
		remedy(judge, "run as root (sudo)");
	} else {
		found(judge, name, HOST_OK, "%s answers", call);
	}
}

static void judge_perf(struct judge *judge, const struct host_facts *facts)
{
	bool privileged = facts->capabilities &
			  (UINT64_C(1) << CAP_PERFMON | UINT64_C(1) << CAP_SYS_ADMIN);
	int level = facts->perf_event_paranoid;

	judge_call(judge, "perf", "perf_event_open()", facts->perf_error, privileged);
	if (level == HOST_UNKNOWN) {
		found(judge, "perf_event_paranoid", HOST_WARNING, "cannot be read");
		remedy(judge, "mount /proc, with CONFIG_PERF_EVENTS in the kernel");
	} else if (privileged) {
		found(judge, "perf_event_paranoid", HOST_OK, "%d, which CAP_PERFMON goes above",
		      level);
	} else if (level > -1) {
		found(judge, "perf_event_paranoid", HOST_MISSING, "%d forbids uprobes without"
		      " CAP_PERFMON", level);
		remedy(judge, "run as root (sudo), or give gctrace CAP_PERFMON");
	} else {
		found(judge, "perf_event_paranoid", HOST_OK, "%d", level);
	}
}

static void judge_bpf(struct judge *judge, const struct host_facts *facts)
{
	bool privileged = facts->capabilities &
			  (UINT64_C(1) << CAP_BPF | UINT64_C(1) << CAP_SYS_ADMIN);
	int disabled = facts->unprivileged_bpf_disabled;

	judge_call(judge, "bpf", "bpf()", facts->bpf_error, privileged);
	if (disabled == HOST_UNKNOWN)
		found(judge, "unprivileged_bpf", HOST_OK, "the kernel has no such setting");
	else if (disabled == 0)
		found(judge, "unprivileged_bpf", HOST_OK, "allowed; gctrace needs CAP_BPF all the"
		      " same");
	else
		found(judge, "unprivileged_bpf", HOST_OK, "disabled (%d); gctrace uses CAP_BPF",
		      disabled);
}

static void judge_limits(struct judge *judge, const struct host_facts *facts)
{
	char size[UNITS_TEXT];

	if (facts->memlock == UINT64_MAX)
		found(judge, "memlock", HOST_OK, "no limit");
	else
		found(judge, "memlock", HOST_OK,
		      "%s; kernels from 5.11 on do not count BPF maps here",
		      units__bytes(size, facts->memlock));
}

static void judge_seccomp(struct judge *judge, const struct host_facts *facts)
{
	if (facts->seccomp == 2) {
		found(judge, "seccomp", HOST_WARNING, "gctrace itself runs under a seccomp filter:"
		      " calls may be refused");
		remedy(judge, "in a container: run gctrace on the host, or the container with"
		       " --security-opt seccomp=unconfined");
	} else {
		found(judge, "seccomp", HOST_OK, facts->seccomp == HOST_UNKNOWN ?
		      "the kernel does not tell" : "no filter on gctrace");
	}
}

static void judge_ptrace(struct judge *judge, const struct host_facts *facts)
{
	if (facts->ptrace_scope == 3) {
		found(judge, "ptrace", HOST_WARNING, "kernel.yama.ptrace_scope is 3: semaphores"
		      " cannot be read, gctrace run does not work");
		remedy(judge, "it can only be lowered by a reboot: kernel.yama.ptrace_scope=2 in"
		       " /etc/sysctl.d");
	} else if (facts->ptrace_scope == HOST_UNKNOWN) {
		found(judge, "ptrace", HOST_OK, "not restricted (no Yama)");
	} else {
		found(judge, "ptrace", HOST_OK, "kernel.yama.ptrace_scope is %d, which"
		      " CAP_SYS_PTRACE goes above", facts->ptrace_scope);
	}
}

static void judge_container(struct judge *judge, const struct host_facts *facts)
{
	if (!facts->proc_mounted) {
		found(judge, "proc", HOST_MISSING, "/proc is not mounted");
		remedy(judge, "mount -t proc proc /proc");
	} else if (!facts->init_pid_ns) {
		found(judge, "proc", HOST_WARNING, "this is a container: only its own processes"
		      " can be seen from here");
		remedy(judge, "run gctrace on the host, or the container with --pid=host");
	} else {
		found(judge, "proc", HOST_OK, "all processes of the host can be seen from here");
	}
}

/*
 * A process that is killed while the kernel removes its probes cannot remove the rest: the
 * breakpoints stay in the traced process, and so do raised semaphores. A stalled RCU grace period
 * makes that moment long.
 */
static void judge_leaks(struct judge *judge, const struct host_facts *facts)
{
	char from[UNITS_TEXT];

	if (facts->leaked_uprobes) {
		found(judge, "leaked_uprobes", HOST_WARNING, "%" PRIu64 " since boot, the last by"
		      " %s: a tracer was killed (SIGKILL) while the kernel removed its probes",
		      facts->leaked_uprobes, facts->leaked_by);
		remedy(judge, "a process that it traced keeps breakpoints, and may go on to fire"
		       " them, until it exits; or trace it with gctrace once more, and end that"
		       " with Ctrl-C: gctrace removes what was left");
	} else if (facts->log_error) {
		found(judge, "leaked_uprobes", HOST_OK, "not known: /dev/kmsg: %s",
		      strerror(facts->log_error));
	} else if (facts->version < LEAKS_ARE_LOGGED) {
		found(judge, "leaked_uprobes", HOST_OK, "not known: kernels before 6.12 do not"
		      " log them");
	} else if (facts->log_from_us > BOOT_US) {
		found(judge, "leaked_uprobes", HOST_OK, "none; the kernel's log has been kept since"
		      " %s after boot", units__ns(from, facts->log_from_us * 1000));
	} else {
		found(judge, "leaked_uprobes", HOST_OK, "none since boot");
	}
}

int host__judge(const struct host_facts *facts, struct host_checks *checks)
{
	struct judge judge = { .err = 0 };

	judge_kernel(&judge, facts);
	judge_btf(&judge, facts);
	judge_lockdown(&judge, facts);
	judge_capabilities(&judge, facts);
	judge_bpf(&judge, facts);
	judge_perf(&judge, facts);
	judge_uprobes(&judge, facts);
	judge_leaks(&judge, facts);
	judge_limits(&judge, facts);
	judge_seccomp(&judge, facts);
	judge_ptrace(&judge, facts);
	judge_container(&judge, facts);
	checks->checks = judge.checks.items;
	checks->count = judge.checks.count;
	return judge.err;
}

void host_checks__free(struct host_checks *checks)
{
	for (size_t i = 0; i < checks->count; i++) {
		free(checks->checks[i].found);
		free(checks->checks[i].remedy);
	}
	free(checks->checks);
	*checks = (struct host_checks)HOST_CHECKS_INIT;
}

enum host_verdict host_checks__worst(const struct host_checks *checks)
{
	enum host_verdict worst = HOST_OK;

	for (size_t i = 0; i < checks->count; i++)
		if (checks->checks[i].verdict > worst)
			worst = checks->checks[i].verdict;
	return worst;
}
