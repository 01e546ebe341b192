/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Giving up what was needed to start and is not needed to go on.
 *
 * What stays, for everything that session.h and request.h do later:
 *
 *	CAP_BPF			load programs of a provider that appears later; maps
 *	CAP_PERFMON		attach them; uprobes
 *	CAP_SYS_PTRACE		/proc/PID/maps and mem of other users' processes
 *	CAP_CHECKPOINT_RESTORE	/proc/PID/map_files: the very file that is mapped, deleted or not
 *	CAP_DAC_READ_SEARCH	that file's contents, where not everybody may read it
 *	CAP_KILL		only for who asked for it: pass signals on to the program (launch.h)
 *
 * tests/unit/attach/privileges_test.c fails for lack of any of the first five.
 *
 * Root without capabilities still owns root's files, so the user changes as well: to an id that no
 * process and no entry of /etc/passwd has. `nobody` has processes, and so has the user who called
 * sudo: those could stop or kill us, or debug us. Nothing that is run from then on can gain
 * privileges, and no memory of ours can be looked at. Where the user cannot change (a namespace
 * without that id), it stays, with a warning.
 */
#ifndef GCTRACE_BASE_PRIVILEGES_H
#define GCTRACE_BASE_PRIVILEGES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * To be called while the process has one thread (or others that renounce theirs afterwards), and
 * when output files are open. 0, or negative errno after an error message: nothing, or only a
 * part, was given up then.
 */
int privileges__drop(bool keep_kill);

/* The same for any set of capabilities (bits), without a message. */
int privileges__keep(uint64_t set);

/*
 * This thread gives up all capabilities: for one that was there when privileges were dropped, which
 * a thread does for itself (but the user changes for all, which takes that they still have them).
 * 0 or negative errno.
 */
int privileges__renounce(void);

/* The id to become, the same each time; 0: none is free. To be asked before a helper is forked. */
uid_t privileges__id(void);

/*
 * This process reads files and traces nothing: before it takes the first one apart, which may have
 * been made to harm its reader, all privileges go. files__open_input() calls the second one.
 */
void privileges__only_files(void);
void privileges__before_parsing(void);

#endif
