/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Quirks of kernels, in one place, each with the change that made or ended it.
 *
 *   sleepable uprobes            6.0, 8c7dcb84e3b7 "bpf: implement sleepable uprobes by chaining
 *                                gps"; found by loading a program of two instructions. Used only
 *                                when the operator says --fault-in: such a program waits within
 *                                RCU tasks trace for memory that the target may hold back (FUSE,
 *                                userfaultfd), and every removal of a probe on the host waits for
 *                                it, until the kernel gives up and leaks the uprobe
 *   inner maps and programs      until 6.8, 876673364161 "bpf: Defer the free of inner map when
 *   that may sleep               necessary": a map taken out of an array of maps was freed after
 *                                an RCU grace period, which such a program does not hold up. So
 *                                there a ring's descriptor is kept until nothing is attached
 *   links of many sites          6.6, 89ae89f53d20 "bpf: Add multi uprobe link"; until 6.10,
 *                                46ba0e49b642 "bpf: fix multi-uprobe PID filtering logic", they
 *                                took a process's pid for a thread's: told by whether pid -1 is
 *                                refused at once. Where there are none, detaching takes 80 ms a
 *                                site, since perf frees one event after the other (event_mutex)
 *   CAP_SYS_ADMIN for uprobes    perf_event_open() wants it instead of CAP_PERFMON at levels of
 *                                perf_event_paranoid that Debian's and Ubuntu's kernels have, and
 *                                at any level from 6.16 and stable kernels of its time on ("perf:
 *                                Revert to requiring CAP_SYS_ADMIN for uprobes"): a helper opens
 *                                them after the drop (opener.h)
 *   lockdown=confidentiality     loading fails with EINVAL and a text about a helper, from which
 *                                nobody would guess the reason: looked at before anything else
 *   walks along threads          6.7, c68a78ffe2cb "bpf: Introduce task open coded iterator
 *                                kfuncs"; found by loading a program (census.h). One does not
 *                                find its end if the last thread is released meanwhile, or until
 *                                6.8 if the first one is replaced by an exec: bpf/sample.bpf.c
 *   iterator for one thread      6.1; until 6.12, 9495a5b731fc "bpf: Fix iter/task tid filtering",
 *                                it found the first threads of processes only, and before 6.1
 *                                there are all threads in it: told by what it finds
 *   ref_ctr_offset               4.20; its place in perf_event_attr.config is told by sysfs
 *   RLIMIT_MEMLOCK               counted BPF memory until 5.11, d5299b67dd59; our floor is 5.15:
 *                                nothing is raised
 */
#include "attach/kernel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/report.h"
#include "target/host.h"

#define UPROBE_DIR "/sys/bus/event_source/devices/uprobe/"
#define LOCKDOWN "/sys/kernel/security/lockdown"
#define FLOOR ((5u << 16) + (15u << 8))

#define MULTI_RETURN 1 /* BPF_F_UPROBE_MULTI_RETURN */

/* Of union bpf_attr for BPF_LINK_CREATE. */
struct link_create {
	uint32_t program, target, attach_type, flags;
	uint64_t path, offsets, semaphore_offsets, cookies;
	uint32_t count, multi_flags, pid, reserved;
};

int kernel__link_sites(int program, const struct kernel_sites *sites)
{
	struct link_create create = {
		.program = program,
		.attach_type = KERNEL_ATTACH_MULTI,
		.path = (uintptr_t)sites->path,
		.offsets = (uintptr_t)sites->offsets,
		.semaphore_offsets = (uintptr_t)sites->semaphore_offsets,
		.cookies = (uintptr_t)sites->cookies,
		.count = sites->count,
		.multi_flags = sites->at_return ? MULTI_RETURN : 0,
		.pid = sites->pid,
	};
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &create, sizeof(create));

	return fd < 0 ? -errno : (int)fd;
}

/* A program that does nothing, to see what is taken. */
static int load_nothing(uint32_t flags, uint32_t attach_type)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = flags,
		    .expected_attach_type = (enum bpf_attach_type)attach_type);
	struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "gctrace_nothing", "GPL", code, 2, &opts);
}

static bool can_sleep(void)
{
	int fd = load_nothing(BPF_F_SLEEPABLE, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/*
 * A directory is no file to probe (EBADF), which is found late; that no process has pid -1, early.
 * A kernel without such links loads the program nevertheless, and finds both invalid.
 */
static bool can_link_many(void)
{
	uint64_t zero = 0;
	struct kernel_sites sites = { .path = "/", .offsets = &zero, .count = 1 };
	int program = load_nothing(0, KERNEL_ATTACH_MULTI), anybody, nobody;

	if (program < 0)
		return false;
	anybody = kernel__link_sites(program, &sites);
	sites.pid = -1;
	nobody = kernel__link_sites(program, &sites);
	close(program);
	return anybody == -EBADF && nobody == -EINVAL;
}

/* The number in a file like "8" or "config:32-63"; prefix is what stands before it. */
static int read_number(const char *path, const char *prefix, unsigned int *number)
{
	struct buf text = BUF_INIT;
	int err = files__read(path, &text);
	size_t len = strlen(prefix);

	if (err == 0) {
		err = -EINVAL;
		if (strncmp(buf__str(&text), prefix, len) == 0) {
			*number = strtoul(buf__str(&text) + len, NULL, 10);
			err = 0;
		}
	}
	buf__free(&text);
	return err;
}

static int look_at_uprobes(struct kernel *kernel)
{
	unsigned int type;
	int err = read_number(UPROBE_DIR "type", "", &type);

	if (err) {
		error_errno(err, "this kernel has no uprobes: %s cannot be read; a kernel with "
				 "CONFIG_UPROBE_EVENTS and a mounted /sys are needed",
			    UPROBE_DIR "type");
		return err;
	}
	kernel->uprobe = type;
	err = read_number(UPROBE_DIR "format/ref_ctr_offset", "config:", &kernel->ref_ctr_shift);
	if (err == 0)
		err = read_number(UPROBE_DIR "format/retprobe", "config:", &kernel->retprobe_bit);
	if (err)
		error_errno(err, "this kernel's uprobes raise no semaphores: %s cannot be read",
			    UPROBE_DIR "format/");
	return err;
}

/* Is the kernel locked down so far that BPF may not read memory? */
static bool locked_down(void)
{
	struct buf text = BUF_INIT;
	bool locked = files__read(LOCKDOWN, &text) == 0 &&
		      strstr(buf__str(&text), "[confidentiality]");

	buf__free(&text);
	return locked;
}

int kernel__explain(int err, const char *what)
{
	struct buf missing = BUF_INIT;
	bool lacks = host__add_missing(&missing, host__capabilities());

	if (err > 0)
		err = -err;
	if (locked_down())
		error("%s failed: the kernel is locked down (%s says confidentiality), which "
		      "forbids to read memory; boot with lockdown=integrity or without",
		      what, LOCKDOWN);
	else if (lacks && (err == -EPERM || err == -EACCES))
		error("%s is not permitted: %s; run gctrace as root (sudo)", what,
		      buf__str(&missing));
	else if (err == -EPERM || err == -EACCES)
		error_errno(err, "%s is not permitted although all capabilities are there; in a "
				 "container it may be forbidden by its seccomp or LSM profile: run "
				 "gctrace on the host", what);
	else if (err == -ENOSYS)
		error("%s failed: this kernel has no bpf() (CONFIG_BPF_SYSCALL)", what);
	else
		error_errno(err, "%s failed", what);
	buf__free(&missing);
	return err;
}

int kernel__look(struct kernel *kernel, bool fault_in)
{
	uint32_t version = host__kernel_version();
	struct buf missing = BUF_INIT;
	int err;

	memset(kernel, 0, sizeof(*kernel));
	if (host__add_missing(&missing, host__capabilities())) {
		error("%s; gctrace needs that to attach: run it as root (sudo)",
		      buf__str(&missing));
		buf__free(&missing);
		return -EPERM;
	}
	if (locked_down())
		return kernel__explain(-EPERM, "tracing");
	if (version && version < FLOOR) {
		error("this kernel is %u.%u; gctrace needs 5.15 or newer (attach cookies)",
		      version >> 16, version >> 8 & 255);
		return -ENOTSUP;
	}
	if (access("/sys/kernel/btf/vmlinux", R_OK) != 0) {
		err = -errno;
		return error_errno(err, "this kernel has no BTF: /sys/kernel/btf/vmlinux cannot be "
					"read; a kernel with CONFIG_DEBUG_INFO_BTF is needed");
	}
	err = look_at_uprobes(kernel);
	if (err)
		return err;
	kernel->sleepable = fault_in && can_sleep();
	if (fault_in && !kernel->sleepable) {
		error("--fault-in needs BPF programs that may sleep, which came with Linux 6.0");
		return -ENOTSUP;
	}
	kernel->multi = can_link_many();
	kernel->keep_inner_maps = kernel->sleepable && version < (6u << 16) + (8u << 8);
	return 0;
}

void kernel__forget(struct kernel *kernel)
{
	kernel->sleepable = kernel->multi = kernel->keep_inner_maps = false;
}

/* libbpf's own words: only for those who want to debug. */
static int print(enum libbpf_print_level level, const char *format, va_list args)
{
	char line[512];
	size_t len;

	if (level == LIBBPF_DEBUG || !report__is_verbose())
		return 0;
	vsnprintf(line, sizeof(line), format, args);
	len = strlen(line);
	if (len && line[len - 1] == '\n')
		line[len - 1] = 0;
	debug("%s", line);
	return 0;
}

void kernel__take_log(void)
{
	libbpf_set_print(print);
}
