/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/host.h"

#define BIT(capability) (UINT64_C(1) << (capability))
#define VERSION(major, minor) (((major) << 16) + ((minor) << 8))

/* A host where all is well. */
static struct host_facts good(void)
{
	return (struct host_facts){
		.release = "6.12.0-13-amd64",
		.version = VERSION(6, 12),
		.capabilities = BIT(CAP_BPF) | BIT(CAP_PERFMON) | BIT(CAP_SYS_PTRACE) |
				BIT(CAP_CHECKPOINT_RESTORE),
		.init_user_ns = true,
		.init_pid_ns = true,
		.proc_mounted = true,
		.sys_mounted = true,
		.uprobes = true,
		.semaphores = true,
		.lockdown = HOST_LOCKDOWN_NONE,
		.perf_event_paranoid = 2,
		.unprivileged_bpf_disabled = 2,
		.ptrace_scope = 1,
		.seccomp = 0,
		.bpf_error = EINVAL,
		.perf_error = EFAULT,
		.memlock = 8 << 20,
	};
}

static void assert_verdict(const struct host_facts *facts, enum host_verdict worst)
{
	struct host_checks checks = HOST_CHECKS_INIT;

	assert_int_equal(host__judge(facts, &checks), 0);
	assert_int_equal(host_checks__worst(&checks), worst);
	assert_true(checks.count >= 10);
	/* Whoever is told of something is told what to do about it, and only then. */
	for (size_t i = 0; i < checks.count; i++) {
		assert_true(strlen(checks.checks[i].found) > 0);
		assert_true((checks.checks[i].remedy != NULL) ==
			    (checks.checks[i].verdict != HOST_OK));
	}
	host_checks__free(&checks);
	host_checks__free(&checks);
}

/* The check with this name comes to this verdict, for a reason with this word in it. */
static void assert_check(const struct host_facts *facts, const char *name,
			 enum host_verdict verdict, const char *word)
{
	struct host_checks checks = HOST_CHECKS_INIT;
	bool seen = false;

	assert_int_equal(host__judge(facts, &checks), 0);
	for (size_t i = 0; i < checks.count; i++) {
		const struct host_check *check = &checks.checks[i];

		if (strcmp(check->name, name) != 0)
			continue;
		seen = true;
		assert_int_equal(check->verdict, verdict);
		if (!strstr(check->found, word) && !(check->remedy && strstr(check->remedy, word)))
			fail_msg("%s: not in: %s; %s", word, check->found, check->remedy);
	}
	assert_true(seen);
	host_checks__free(&checks);
}

static void a_good_host_is_ready(void **state)
{
	struct host_facts facts = good();

	(void)state;
	assert_verdict(&facts, HOST_OK);
	facts.capabilities = BIT(CAP_SYS_ADMIN) | BIT(CAP_SYS_PTRACE);
	assert_verdict(&facts, HOST_OK);
	facts.lockdown = HOST_LOCKDOWN_INTEGRITY;
	assert_verdict(&facts, HOST_OK);
}

#define CHECK(change, name, verdict, word)               \
	do {                                             \
		struct host_facts facts = good();        \
		facts.change;                            \
		assert_verdict(&facts, verdict);         \
		assert_check(&facts, name, verdict, word); \
	} while (0)

static void each_fault_has_its_line(void **state)
{
	(void)state;
	CHECK(version = VERSION(5, 10), "kernel", HOST_MISSING, "5.15");
	CHECK(version = VERSION(5, 15), "kernel", HOST_WARNING, "6.0");
	CHECK(version = 0, "kernel", HOST_WARNING, "5.15");
	CHECK(btf_error = ENOENT, "btf", HOST_MISSING, "CONFIG_DEBUG_INFO_BTF");
	CHECK(lockdown = HOST_LOCKDOWN_CONFIDENTIALITY, "lockdown", HOST_MISSING,
	      "confidentiality");
	CHECK(lockdown = HOST_LOCKDOWN_UNKNOWN, "lockdown", HOST_WARNING, "securityfs");
	CHECK(init_user_ns = false, "capabilities", HOST_MISSING, "user namespace");
	CHECK(init_pid_ns = false, "proc", HOST_WARNING, "--pid=host");
	CHECK(proc_mounted = false, "proc", HOST_MISSING, "mount -t proc");
	CHECK(uprobes = false, "uprobes", HOST_MISSING, "CONFIG_UPROBE_EVENTS");
	CHECK(semaphores = false, "uprobes", HOST_MISSING, "ref_ctr_offset");
	CHECK(bpf_error = ENOSYS, "bpf", HOST_MISSING, "does not exist");
	CHECK(bpf_error = EPERM, "bpf", HOST_MISSING, "seccomp");
	CHECK(perf_error = EPERM, "perf", HOST_MISSING, "seccomp");
	CHECK(perf_error = EACCES, "perf", HOST_MISSING, "seccomp");
	CHECK(seccomp = 2, "seccomp", HOST_WARNING, "filter");
	CHECK(ptrace_scope = 3, "ptrace", HOST_WARNING, "ptrace_scope");
	CHECK(perf_event_paranoid = HOST_UNKNOWN, "perf_event_paranoid", HOST_WARNING, "/proc");
	CHECK(leaked_uprobes = 3, "leaked_uprobes", HOST_WARNING, "3 since boot");
	CHECK(log_error = EPERM, "leaked_uprobes", HOST_OK, "not known: /dev/kmsg");
	CHECK(version = VERSION(6, 11), "leaked_uprobes", HOST_OK, "before 6.12");
}

/* A log with these records, which is read as the kernel's is: one each read, then no more. */
static void read_log(struct host_facts *facts, const char *const *records, size_t count)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(write(ends[1], records[i], strlen(records[i])),
				 strlen(records[i]));
	host__read_log(facts, ends[0]);
	close(ends[0]);
	close(ends[1]);
}

static void the_log_says_which_probes_stayed(void **state)
{
	static const char *const records[] = {
		"6,120,45000000,-;EXT4-fs (vda): mounted\n SUBSYSTEM=block\n",
		"4,121,46000000,-;uprobe: gctrace-closer:17901 failed to unregister,"
		" leaking uprobe\n",
		"4,122,46000001,-;uprobe: java:3 failed to write opcode\n",
		"12,123,46000002,-;a user's: uprobe: x:1 failed to unregister, leaking uprobe\n",
		"4,124,46000003,-;uprobe: bpftrace:7 failed to unregister, leaking uprobe\n",
		"no record",
	};
	static const char *const begins_at_boot[] = { "6,0,0,-;Linux version 6.18\n" };
	struct host_facts facts = good();

	(void)state;
	read_log(&facts, records, sizeof(records) / sizeof(records[0]));
	assert_int_equal(facts.log_error, 0);
	assert_int_equal(facts.leaked_uprobes, 2);
	assert_string_equal(facts.leaked_by, "bpftrace:7");
	assert_check(&facts, "leaked_uprobes", HOST_WARNING,
		     "2 since boot, the last by bpftrace:7");
	facts = good();
	read_log(&facts, records, 1);
	assert_int_equal(facts.log_from_us, 45000000);
	assert_check(&facts, "leaked_uprobes", HOST_OK, "since 45.0 s after boot");
	facts = good();
	read_log(&facts, begins_at_boot, 1);
	assert_check(&facts, "leaked_uprobes", HOST_OK, "none since boot");
}

static void names_the_missing_capability(void **state)
{
	static const struct {
		int capability;
		const char *name;
	} needed[] = {
		{ CAP_BPF, "CAP_BPF is missing" },
		{ CAP_PERFMON, "CAP_PERFMON is missing" },
		{ CAP_SYS_PTRACE, "CAP_SYS_PTRACE is missing" },
	};
	struct host_facts facts = good();

	(void)state;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		facts = good();
		facts.capabilities &= ~BIT(needed[i].capability);
		assert_check(&facts, "capabilities", HOST_MISSING, needed[i].name);
	}
	facts = good();
	facts.capabilities &= ~BIT(CAP_CHECKPOINT_RESTORE);
	assert_check(&facts, "capabilities", HOST_WARNING, "deleted");
	facts.capabilities = 0;
	assert_check(&facts, "capabilities", HOST_MISSING,
		     "CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE are missing");
	facts.capabilities = BIT(CAP_BPF);
	assert_check(&facts, "capabilities", HOST_MISSING,
		     "CAP_PERFMON and CAP_SYS_PTRACE are missing");
	facts.capabilities = BIT(CAP_SYS_ADMIN);
	assert_check(&facts, "capabilities", HOST_MISSING, "CAP_SYS_PTRACE is missing");
}

static void an_ordinary_user_is_told_to_be_root(void **state)
{
	struct host_facts facts = good();

	(void)state;
	facts.capabilities = 0;
	facts.bpf_error = facts.perf_error = EPERM;
	assert_check(&facts, "bpf", HOST_MISSING, "sudo");
	assert_check(&facts, "perf", HOST_MISSING, "sudo");
	assert_check(&facts, "perf_event_paranoid", HOST_MISSING, "CAP_PERFMON");
	facts.perf_event_paranoid = -1;
	assert_check(&facts, "perf_event_paranoid", HOST_OK, "-1");
}

static void looks_at_this_host(void **state)
{
	struct host_facts facts;
	struct host_checks checks = HOST_CHECKS_INIT;

	(void)state;
	host__look(&facts);
	assert_true(facts.version >= VERSION(3, 0));
	assert_int_equal(facts.version, host__kernel_version());
	assert_true(facts.proc_mounted);
	assert_int_equal(host__has_capability(CAP_SYS_ADMIN),
			 !!(facts.capabilities & BIT(CAP_SYS_ADMIN)));
	/* Both calls were refused for what they asked, or for who asked; none did anything. */
	assert_int_not_equal(facts.bpf_error, 0);
	assert_int_not_equal(facts.perf_error, 0);
	assert_int_equal(host__judge(&facts, &checks), 0);
	host_checks__free(&checks);
	assert_string_equal(host__capability_name(CAP_BPF), "CAP_BPF");
	assert_string_equal(host__capability_name(63), "a capability");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_host_is_ready),
		cmocka_unit_test(each_fault_has_its_line),
		cmocka_unit_test(the_log_says_which_probes_stayed),
		cmocka_unit_test(names_the_missing_capability),
		cmocka_unit_test(an_ordinary_user_is_told_to_be_root),
		cmocka_unit_test(looks_at_this_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
