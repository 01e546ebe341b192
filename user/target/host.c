/* SPDX-License-Identifier: BSD-2-Clause */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../base/files.h"
#include "procfs.h"

#define UPROBE "/sys/bus/event_source/devices/uprobe"
#define BTF "/sys/kernel/btf/vmlinux"
#define SECURITY "/sys/kernel/security"

/* Inode numbers of the first namespaces, fixed in the kernel (PROC_PID_INIT_INO etc.). */
#define FIRST_USER_NS 0xEFFFFFFDU
#define FIRST_PID_NS 0xEFFFFFFCU

static const struct {
	int number;
	const char *name;
} capability_names[] = {
	{ CAP_BPF, "CAP_BPF" },
	{ CAP_PERFMON, "CAP_PERFMON" },
	{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
	{ CAP_SYS_PTRACE, "CAP_SYS_PTRACE" },
	{ CAP_SYS_RESOURCE, "CAP_SYS_RESOURCE" },
	{ CAP_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE" },
	{ CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH" },
	{ CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE" },
	{ CAP_KILL, "CAP_KILL" },
	{ CAP_SETUID, "CAP_SETUID" },
	{ CAP_SETGID, "CAP_SETGID" },
	{ CAP_SETPCAP, "CAP_SETPCAP" },
};

const char *host__capability_name(int capability)
{
	for (size_t i = 0; i < sizeof(capability_names) / sizeof(capability_names[0]); i++)
		if (capability_names[i].number == capability)
			return capability_names[i].name;
	return "a capability";
}

uint64_t host__capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (syscall(SYS_capget, &header, data))
		return 0;
	return data[0].effective | (uint64_t)data[1].effective << 32;
}

static bool in_set(uint64_t set, int capability)
{
	return set & UINT64_C(1) << capability;
}

bool host__has_capability(int capability)
{
	return in_set(host__capabilities(), capability);
}

bool host__add_missing(struct buf *buf, uint64_t capabilities)
{
	static const int needed[] = { CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE };
	const char *missing[sizeof(needed) / sizeof(needed[0])];
	size_t count = 0;

	if (in_set(capabilities, CAP_SYS_ADMIN))
		capabilities |= UINT64_C(1) << CAP_BPF | UINT64_C(1) << CAP_PERFMON;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!in_set(capabilities, needed[i]))
			missing[count++] = host__capability_name(needed[i]);
	for (size_t i = 0; i < count; i++)
		buf__printf(buf, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", missing[i]);
	if (count)
		buf__add_str(buf, count == 1 ? " is missing" : " are missing");
	return count > 0;
}

static uint32_t parse_version(const char *release)
{
	const char *at = release, *end = release + strlen(release);
	uint64_t major, minor;

	if (!procfs__number(&at, end, 10, &major) || !procfs__skip(&at, end, '.') ||
	    !procfs__number(&at, end, 10, &minor) || major > 0xffff)
		return 0;
	return (uint32_t)(major << 16) + (uint32_t)((minor > 255 ? 255 : minor) << 8);
}

uint32_t host__kernel_version(void)
{
	struct utsname name;

	return uname(&name) ? 0 : parse_version(name.release);
}

/* A file with one number in it, or HOST_UNKNOWN. */
static int read_setting(const char *path)
{
	struct buf text = BUF_INIT;
	int value = HOST_UNKNOWN, number;

	if (files__read(path, &text) == 0 && sscanf(buf__str(&text), "%d", &number) == 1)
		value = number;
	buf__free(&text);
	return value;
}

static bool is_namespace(const char *path, ino_t first)
{
	struct stat st;

	/* Where /proc does not tell, there are no such namespaces. */
	return stat(path, &st) || st.st_ino == first;
}

static int readable(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static enum host_lockdown lockdown_of(const char *text)
{
	if (strstr(text, "[confidentiality]") || strstr(text, "lockdown=confidentiality"))
		return HOST_LOCKDOWN_CONFIDENTIALITY;
	if (strstr(text, "[integrity]") || strstr(text, "lockdown=integrity"))
		return HOST_LOCKDOWN_INTEGRITY;
	return HOST_LOCKDOWN_NONE;
}

/*
 * Where securityfs is not mounted: /proc/kcore is one of the things that confidentiality
 * closes, and opening it has no effect. Hidden (containers), or not to be opened for other
 * reasons, it tells nothing; then the kernel's command line may.
 */
static enum host_lockdown guess_lockdown(void)
{
	struct buf text = BUF_INIT;
	enum host_lockdown lockdown = HOST_LOCKDOWN_NONE;
	int err = readable("/proc/kcore");
	struct stat kcore, proc;
	bool genuine = stat("/proc/kcore", &kcore) == 0 && stat("/proc", &proc) == 0 &&
		       kcore.st_dev == proc.st_dev;

	if (genuine && err == 0)
		return HOST_LOCKDOWN_NONE;
	if (genuine && err == EPERM && host__has_capability(CAP_SYS_RAWIO))
		return HOST_LOCKDOWN_CONFIDENTIALITY;
	if (files__read("/proc/cmdline", &text) == 0)
		lockdown = lockdown_of(buf__str(&text));
	buf__free(&text);
	/* Secure Boot may have brought it about too. */
	return lockdown == HOST_LOCKDOWN_NONE ? HOST_LOCKDOWN_UNKNOWN : lockdown;
}

/* No directory of security modules: no such modules, no lockdown. */
static enum host_lockdown look_at_lockdown(void)
{
	enum host_lockdown lockdown = HOST_LOCKDOWN_NONE;
	struct buf text = BUF_INIT;

	if (files__read(SECURITY "/lockdown", &text) == 0)
		lockdown = lockdown_of(buf__str(&text));
	else if (access(SECURITY, F_OK) == 0 && access(SECURITY "/lsm", F_OK) != 0)
		lockdown = guess_lockdown();
	buf__free(&text);
	return lockdown;
}

static int own_seccomp(void)
{
	struct buf text = BUF_INIT;
	const char *at;
	uint64_t mode;
	size_t len;
	int seccomp = HOST_UNKNOWN;

	if (files__read("/proc/self/status", &text) == 0 &&
	    procfs__field(&text, "Seccomp", &at, &len) &&
	    procfs__number(&at, at + len, 10, &mode))
		seccomp = (int)mode;
	buf__free(&text);
	return seccomp;
}

/*
 * Calls that cannot succeed: what they fail with tells whether they get as far as the
 * kernel's own checks. bpf(): no such command. perf_event_open(): no attributes.
 */
static void try_calls(struct host_facts *facts)
{
	facts->bpf_error = syscall(SYS_bpf, -1, NULL, 0) ? errno : 0;
	facts->perf_error = syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) ? errno : 0;
}

/*
 * A record of /dev/kmsg: "6,339,5140900,-;text". The text in question, from 6.12 on:
 * "uprobe: comm:pid failed to unregister, leaking uprobe".
 */
static void take_log_record(struct host_facts *facts, const char *record, bool first)
{
	static const char before[] = "uprobe: ", after[] = " failed to unregister, leaking uprobe";
	const char *text = strchr(record, ';'), *end;

	if (!text)
		return;
	if (first && sscanf(record, "%*u,%*u,%" SCNu64, &facts->log_from_us) != 1)
		facts->log_from_us = 0;
	if (strncmp(text + 1, before, strlen(before)) != 0)
		return;
	text += strlen(before) + 1;
	end = strstr(text, after);
	if (!end)
		return;
	facts->leaked_uprobes++;
	snprintf(facts->leaked_by, sizeof(facts->leaked_by), "%.*s", (int)(end - text), text);
}

void host__read_log(struct host_facts *facts, int fd)
{
	char record[8192]; /* the kernel's largest, and the byte that ends it here */
	bool first = true;

	for (;;) {
		ssize_t len = read(fd, record, sizeof(record) - 1);

		if (len < 0 && (errno == EPIPE || errno == EINTR))
			continue; /* EPIPE: overwritten before it was read */
		if (len < 0 && errno != EAGAIN)
			facts->log_error = errno;
		if (len <= 0)
			return;
		record[len] = '\0';
		take_log_record(facts, record, first);
		first = false;
	}
}

static void look_at_log(struct host_facts *facts)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		facts->log_error = errno;
		return;
	}
	host__read_log(facts, fd);
	close(fd);
}

void host__look(struct host_facts *facts)
{
	struct utsname name;
	struct rlimit limit;

	*facts = (struct host_facts){ 0 };
	if (uname(&name) == 0)
		snprintf(facts->release, sizeof(facts->release), "%s", name.release);
	facts->version = parse_version(facts->release);
	facts->btf_error = readable(BTF);
	facts->capabilities = host__capabilities();
	facts->proc_mounted = access("/proc/self/stat", F_OK) == 0;
	facts->sys_mounted = access("/sys/kernel", F_OK) == 0;
	facts->init_user_ns = is_namespace("/proc/self/ns/user", FIRST_USER_NS);
	facts->init_pid_ns = is_namespace("/proc/self/ns/pid", FIRST_PID_NS);
	facts->uprobes = access(UPROBE "/type", F_OK) == 0;
	facts->semaphores = access(UPROBE "/format/ref_ctr_offset", F_OK) == 0;
	facts->lockdown = look_at_lockdown();
	facts->perf_event_paranoid = read_setting("/proc/sys/kernel/perf_event_paranoid");
	facts->unprivileged_bpf_disabled =
		read_setting("/proc/sys/kernel/unprivileged_bpf_disabled");
	facts->ptrace_scope = read_setting("/proc/sys/kernel/yama/ptrace_scope");
	facts->seccomp = own_seccomp();
	try_calls(facts);
	facts->memlock = getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY ?
				 UINT64_MAX : limit.rlim_cur;
	look_at_log(facts);
}
