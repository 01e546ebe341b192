/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tracing session: the BPF programs, the rings, the targets and all that is attached.
 *
 *	session__new()          checks the host, makes rings and maps
 *	session__add()          once or more: attaches to a process
 *	session__drop()         gives up all privileges but those that the rest needs
 *	session__poll()         in the loop: exec, exit, new modules, new children
 *	session__ring()         what user/attach/ring.h reads
 *	session__detach()       after it nothing is written to the rings: drain them, read losses
 *	session__free()
 *
 * One thread calls all of these. The session owns everything it hands out; descriptors and
 * targets are valid until session__free(). Functions return 0 or a negative errno, after an error
 * message where the words say so.
 *
 * However the process that holds a session ends (SIGKILL too), the kernel closes its descriptors,
 * and with them goes everything: probes, semaphores, programs, rings.
 */
#ifndef ATTACH_SESSION_H
#define ATTACH_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../bpf/record.h"
#include "target.h"

struct process;
struct session;

/* Called from session__poll(), session__rescan() and session__identify(). Each may be NULL. */
struct session_handlers {
	void *context;
	/* A new target, not by session__add(): after an exec, or a child (follow). */
	void (*joined)(void *context, struct target *target);
	/* A target has a level that it had not before, or was identified. */
	void (*attached)(void *context, struct target *target);
	/* It has ended; state, ended_ns and exit_status say how and when. */
	void (*ended)(void *context, struct target *target);
};

#define SESSION_RING_BYTES (UINT64_C(8) << 20)
#define SESSION_DUMP_BYTES (UINT64_C(64) << 20)

struct session_options {
	uint64_t ring_bytes; /* of all streaming rings together; 0: SESSION_RING_BYTES */
	uint64_t dump_bytes; /* of the dump's ring; 0: SESSION_DUMP_BYTES */
	unsigned int shards; /* 0: by the number of CPUs */
	bool follow;	     /* children of targets become targets too */
	bool fault_in;	     /* programs wait for memory that is not present */
	bool keep_kill;	     /* signals will be sent to others' processes after session__drop() */
	bool as_before_6;    /* use nothing that Linux 6.0 and later brought; for tests */
	struct session_handlers handlers;
};

/* Error messages name the missing capability, BTF, lockdown, ... */
int session__new(const struct session_options *options, struct session **out);
void session__free(struct session *session);

/*
 * Attach to a process; it becomes the session's, also when this fails. Success without anything
 * attached (target->on is 0) is possible: the runtime has no probes, or not yet. With levels that
 * need batches or dumps no probe fires before somebody asks (request.h).
 */
int session__add(struct session *session, struct process *process, unsigned int levels,
		 struct target **out);

/* Attach further levels to a target. */
int session__want(struct session *session, struct target *target, unsigned int levels);

/* How many of them have not ended, and whether this process is one of these. */
size_t session__live_count(const struct session *session);
bool session__has(const struct session *session, pid_t pid);

/* All targets, by index. */
size_t session__target_count(const struct session *session);
struct target *session__target(const struct session *session, uint32_t index);

/*
 * Whose record is this? The target that a record names, or, where that had ended by an exec before
 * the record's stamp, its successor. NULL: no such target.
 */
struct target *session__target_of(const struct session *session, const struct record *record);

/*
 * Rings: map descriptors for mmap(), sizes of their data. The last one may be the dump's: it
 * comes with session__dump_begin() and goes after session__dump_end(); its slot is then -ENOENT.
 * A reader that has slots mapped looks at `generation`: when it changed, the ring is a new one.
 */
struct session_ring {
	int fd;
	uint64_t bytes;
	uint32_t generation;
	bool dump;
};
size_t session__ring_count(const struct session *session); /* slots, the dump's included */
int session__ring(const struct session *session, size_t slot, struct session_ring *ring);

/*
 * From begin on, everything that the target says goes to the dump's ring; from end on no longer,
 * and the ring is taken away once the reader has drained it and calls session__dump_release()
 * (its mappings keep the memory as long as they stand). One dump at a time: -EBUSY.
 */
int session__dump_begin(struct session *session, struct target *target);
void session__dump_end(struct session *session);
void session__dump_release(struct session *session);

/* Losses of a target so far, summed over CPUs. Legal after session__detach(). */
int session__losses(const struct session *session, const struct target *target,
		    struct loss_counts *losses);

/*
 * Handle what happened (mappings, forks, execs, exits); wait up to timeout_ms for something to
 * happen, -1: no end. Also returns early for a forced wake-up of a ring, and on signals. With a
 * timeout of 0 all that has happened until now is handled, attaching included, so whoever holds a
 * process still in the meantime (launch.h) loses nothing of it.
 * Descriptor for a poll of one's own: readable when session__poll(session, 0) has work.
 */
int session__poll(struct session *session, int timeout_ms);
int session__poll_fd(const struct session *session);

/* Look at all targets' mappings anew (SIGHUP). */
int session__rescan(struct session *session);

/* Look anew at what a target is. 0, or negative errno (-ESRCH: it has ended, and says nothing). */
int session__identify(struct session *session, struct target *target);

/* Keep what later attaching and detaching needs, give up the rest (privileges.h). */
int session__drop(struct session *session);

/* Detach from one target, or (NULL) from all: probes and semaphores are gone on return. */
void session__detach(struct session *session, struct target *target);

/* How long things took, for -vv and tests: ns. */
struct session_times {
	uint64_t load_ns, attach_ns, detach_ns;
	size_t sites;
};
void session__times(const struct session *session, struct session_times *times);

#endif
