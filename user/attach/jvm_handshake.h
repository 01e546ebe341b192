/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Having a HotSpot JVM listen on its attach socket: it does when it gets SIGQUIT while there is a
 * file .attach_pidPID, its user's or root's, in its current directory or in /tmp. Without such a
 * file, or where it takes itself to be listening already, it prints the stacks of all its threads
 * on its standard output; a process that does not catch SIGQUIT dies of it. So:
 *
 *	- only who catches it (SigCgt in /proc/PID/status, looked at just before) is sent it;
 *	- who asks at the same time is not disturbed: his file is there, and he is waited for;
 *	- a JVM that listens where its socket is another's is not asked;
 *	- the file stays until the JVM has looked. A keeper (base/keeper.h) has it, which goes on
 *	  for as long as a JVM may take that was asked (a full collection comes before its answer),
 *	  also when this process has given up or was killed.
 *
 * Source: AttachListener::is_init_trigger() and check_socket_file() of attachListener_linux.cpp,
 * signal_thread_entry() of os.cpp, OpenJDK 11 to 25.
 */
#ifndef GCTRACE_ATTACH_JVM_HANDSHAKE_H
#define GCTRACE_ATTACH_JVM_HANDSHAKE_H

#include <stdbool.h>

struct patience;
struct process;

#define JVM_HANDSHAKE_SECONDS 5 /* it has that long to make its socket */

/* Is that of jvm_socket__try() the answer of a JVM that does not listen, or not yet? */
bool jvm_handshake__is_due(int answer);

/* Has it a thread that listens, or that is about to? */
bool jvm_handshake__has_listener(const struct process *process);

/*
 * Have it listen, and connect. directory: its /tmp. As jvm_socket__try(), or -EOPNOTSUPP: it does
 * not take SIGQUIT; -EBUSY: the file is another user's; -ENOENT: it does not listen in time;
 * -ECANCELED; -ESRCH.
 */
int jvm_handshake(int directory, const struct process *process, struct patience *patience);

#endif
