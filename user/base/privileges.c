/* SPDX-License-Identifier: BSD-2-Clause */
#include "privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "report.h"

/*
 * Ids that systemd gives to services without an entry in any file (systemd.exec(5), DynamicUser=):
 * no person's, and of no program that was not given one.
 */
#define FIRST_ID 61184u
#define LAST_ID 65519u

static const int kept[] = {
	CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE, CAP_CHECKPOINT_RESTORE, CAP_DAC_READ_SEARCH,
};

static uint64_t get_permitted(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return 0;
	return (uint64_t)data[1].permitted << 32 | data[0].permitted;
}

static int set_capabilities(uint64_t set)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	data[0].permitted = data[0].effective = (uint32_t)set;
	data[1].permitted = data[1].effective = set >> 32;
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

/* What could be gained back by an exec, which nobody here does; until the first unknown one. */
static int empty_bounding_set(void)
{
	for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
		if (prctl(PR_CAPBSET_DROP, capability) && errno != EPERM)
			return -errno;
	return 0;
}

/* In a container root may have few of them, and not the right to become somebody else. */
static bool can_change_user(void)
{
	const uint64_t needed = UINT64_C(1) << CAP_SETUID | UINT64_C(1) << CAP_SETGID;

	return geteuid() == 0 && (get_permitted() & needed) == needed;
}

static bool has_entry(uid_t id)
{
	FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *entry;
	bool has = false;

	while (file && !has && (entry = fgetpwent(file)))
		has = entry->pw_uid == id || entry->pw_gid == id;
	if (file)
		fclose(file);
	return has;
}

/* The kernel looks for processes of this user. */
static bool has_process(uid_t id)
{
	errno = 0;
	return getpriority(PRIO_USER, id) != -1 || errno != ESRCH;
}

/*
 * Once, so that our helpers have the same: signals pass between processes of one user. Another
 * gctrace begins its search elsewhere.
 */
uid_t privileges__id(void)
{
	static uid_t chosen;
	const unsigned int count = LAST_ID - FIRST_ID + 1;
	const unsigned int first = (unsigned int)getpid() * 2654435761u % count;

	for (unsigned int i = 0; i < count && !chosen; i++) {
		const uid_t id = FIRST_ID + (first + i) % count;

		if (!has_process(id) && !has_entry(id))
			chosen = id;
	}
	return chosen;
}

/*
 * Permitted capabilities survive the change of user; the effective ones have to be set again. A
 * user namespace may lack the id.
 */
static int change_user(uint64_t set)
{
	const uid_t id = privileges__id();

	if (!id || prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) || setresgid(id, id, id) ||
	    setresuid(id, id, id))
		warning("gctrace cannot become a user of its own here (%s): it goes on as user"
			" %u, without the capabilities that it does not need",
			id ? strerror(errno) : "none is free", (unsigned int)geteuid());
	return set_capabilities(set);
}

int privileges__keep(uint64_t set)
{
	int err = 0;

	set &= get_permitted();
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
		err = -errno;
	if (err == 0)
		err = empty_bounding_set();
	if (err == 0)
		err = can_change_user() ? change_user(set) : set_capabilities(set);
	if (err == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	/* No debugger of the same user's, and no core file. */
	if (err == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		err = -errno;
	return err;
}

int privileges__drop(bool keep_kill)
{
	uint64_t set = keep_kill ? UINT64_C(1) << CAP_KILL : 0;
	int err;

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		set |= UINT64_C(1) << kept[i];
	err = privileges__keep(set);
	return err ? error_errno(err, "privileges could not be given up") : 0;
}

int privileges__renounce(void)
{
	return set_capabilities(0);
}

static bool only_reads_files;

void privileges__only_files(void)
{
	only_reads_files = get_permitted() != 0;
}

void privileges__before_parsing(void)
{
	int err = 0;

	if (only_reads_files)
		err = privileges__keep(0);
	only_reads_files = false;
	if (err)
		warning("privileges could not be given up: %s", strerror(-err));
}
