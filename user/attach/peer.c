/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/peer.h"

#include <sys/socket.h>

#include "target/process.h"

bool peer__is(int connection, const struct process *process)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
	       peer.pid == process->pid;
}
