/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sandbox COMMAND…: runs it under a seccomp filter that kills whoever makes a system call of a
 * number that no kernel has: what a container's filter does to the trampoline of a return probe.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

/* x86-64 has calls up to 334, and from 424 on; the return probe's own is 335. */
#define FIRST_HOLE 335
#define AFTER_HOLE 424

int main(int argc, char **argv)
{
	struct sock_filter lines[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_HOLE, 0, 2),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, AFTER_HOLE, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(lines) / sizeof(lines[0]), lines };

	if (argc < 2) {
		fprintf(stderr, "usage: sandbox COMMAND…\n");
		return 2;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("sandbox");
		return 126;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
