/* SPDX-License-Identifier: BSD-2-Clause */
#include "privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "files.h"
#include "report.h"

#define NOBODY 65534

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

/* Permitted capabilities survive the change of user; the effective ones have to be set again. */
static int change_user(uint64_t set)
{
	uid_t uid;
	gid_t gid;

	files__owner(&uid, &gid);
	if (uid == 0) {
		uid = NOBODY;
		gid = NOBODY;
	}
	if (prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) || setresgid(gid, gid, gid) ||
	    setresuid(uid, uid, uid))
		return -errno;
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
