/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals, turned into a descriptor that a poll loop waits on along with everything else.
 *
 *	SIGINT, SIGTERM   stop: end cleanly, with the summary, within 2 s (base/ending.h): after
 *	                  that the process ends from where it is, with a message and status 3. A
 *	                  second one ends it at once (the kernel takes the probes away).
 *	SIGHUP            look for newly mapped files again; but when the terminal that gctrace was
 *	                  started on has gone, stop (unless nohup wanted otherwise)
 *	SIGWINCH          the terminal has another size
 *	SIGALRM           ours: a step of the end has come
 *	SIGPIPE           ignored: writing to a closed pipe gives EPIPE (../view/output.h)
 *	SIGXFSZ           ignored: writing beyond the limit of a file's size gives EFBIG
 *
 * Handlers are installed without SA_RESTART, so a blocked write() returns when one comes.
 */
#ifndef GCTRACE_CLI_SIGNALS_H
#define GCTRACE_CLI_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	SIGNALS_STOP = 1,
	SIGNALS_RESCAN = 2,
	SIGNALS_RESIZE = 4,
};

/*
 * For every command, first thing in main(): SIGPIPE and SIGXFSZ ignored, and descriptors 0 to 2
 * taken where the caller left them closed, so that no file that gctrace opens later becomes its
 * stdout; writing to such a one still fails (EBADF). 0, or negative errno after an error message.
 */
int signals__prepare(void);

/* Install the handlers. 0, or negative errno after an error message. Once. */
int signals__install(void);

/* Readable when a signal has come since the last signals__take(). -1 before installing. */
int signals__fd(void);

/* Which have come (SIGNALS_ bits), cleared with this. SIGNALS_STOP is told once. */
unsigned int signals__take(void);

/* A stop has been asked for, taken or not; stays true. */
bool signals__stopping(void);

/*
 * Readable for good from the moment on that a stop was asked for, or that the planned end has come.
 * -1 before installing.
 */
int signals__stop_fd(void);

/*
 * The end is planned for so long after a moment (-d; 0: it is not): it has 2 s from then on, as
 * by a signal.
 */
void signals__end_after(uint64_t start_ns, uint64_t duration_ns);

/*
 * This process waits for another's end, and signals are for that one: they begin no end, and a
 * planned one does not end the process. Before signals__install().
 */
void signals__outlive(void);

/*
 * A signal to stop that was sent to us by kill(2), and was not taken by this before: its number,
 * or 0. The terminal sends Ctrl-C to all processes in its foreground, so whoever has a child there
 * passes on what comes from elsewhere, and nothing else.
 */
int signals__take_sent(void);

/*
 * In a child before exec: the dispositions that gctrace was started with. Only calls what
 * is safe after fork().
 */
void signals__restore(void);

#endif
