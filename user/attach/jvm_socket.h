/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The attach socket of a HotSpot JVM: /tmp/.java_pidPID as the process sees /tmp and itself,
 * whatever its java.io.tmpdir is: os::get_temp_directory() of os_linux.cpp is the constant "/tmp",
 * so that tools find it (JDK-7009828; it was the property in some updates of Java 6 only, which is
 * refused). It makes it when it is asked to (jvm_handshake.h).
 *
 * Format: attachListener_linux.cpp, VirtualMachineImpl.java of OpenJDK.
 */
#ifndef GCTRACE_ATTACH_JVM_SOCKET_H
#define GCTRACE_ATTACH_JVM_SOCKET_H

#include <stdbool.h>

#include "base/buf.h"

struct buf;
struct patience;
struct process;
struct runtime;

/*
 * Is there a reason why this process cannot be asked anything? Nothing is done to find out. True:
 * it is in why, a clause about the process and what to do, escaped.
 */
bool jvm_socket__is_refused(const struct process *process, const struct runtime *runtime,
			    const struct buf *options, struct buf *why);

/* The version of Java: 17; of "1.8.0_402" 8. 0: not known. */
int jvm_socket__major(const struct runtime *runtime);

/*
 * Connect to the socket in its /tmp as it is, asking nobody to make one. The descriptor; -ENOENT:
 * there is none; -ECONNREFUSED: nobody listens; -EXDEV: it is another's; or negative errno.
 */
int jvm_socket__try(int directory, const struct process *process);

/*
 * A connection, non-blocking, to be closed. The process must be a HotSpot that is not refused. With
 * the ids of its user, which a JVM in a user namespace looks at. The descriptor, or negative errno
 * with the reason in why; then the process is as it was.
 */
int jvm_socket__connect(const struct process *process, struct patience *patience,
			struct buf *why);

/*
 * Ask, on a connection of its own: a command and up to three arguments (NULL: none), and take the
 * whole answer, without its first line. 0: the JVM did it; 1: it did not, the answer says why; or
 * negative errno with the reason in why. An answer is waited for as long as timeout_ns.
 */
struct jvm_question {
	const char *command, *arguments[3];
};
int jvm_socket__send(int socket, const struct jvm_question *question);
int jvm_socket__ask(const struct process *process, const struct jvm_question *question,
		    struct patience *patience, struct buf *answer, struct buf *why);

/* What has come of an answer: as above; -EAGAIN: it is not whole. */
int jvm_socket__parse(const struct buf *bytes, bool is_whole, struct buf *answer);

/* Take what there is, without waiting. 1: that was all; 0; or negative errno. */
int jvm_socket__receive(int socket, struct buf *bytes);

#endif
