/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that appears under its name when all of it is there, or not at all: it is written beside
 * it, as NAME.PID.part, and renamed in the end. Who may write where, and whom it belongs to, is as
 * for files__create() (files.h). What is no plain file (/dev/null, a FIFO) is written to as it is.
 *
 * Whoever traces gives up root's rights before there is anything to write (base/privileges.h),
 * and renaming takes the rights of the beginning. So a child, the keeper, waits with them from
 * draft__open() on for the one word that it takes: is it whole, or not? It takes the part away,
 * too, when this process is killed. To be opened while the process has one thread and is small.
 *
 *	err = draft__open(&draft, path);
 *	if (!err)
 *		err = draft__write(&draft, write_all, context);	or to draft.fd
 *	err = draft__close(&draft, err);
 */
#ifndef GCTRACE_BASE_DRAFT_H
#define GCTRACE_BASE_DRAFT_H

#include <stdbool.h>
#include <stdio.h>

#include "buf.h"
#include "keeper.h"

struct draft {
	int fd; /* -1: it is closed */
	struct keeper keeper;
	const char *path; /* the caller's */
	struct buf part;  /* empty: it is written to in place */
};

/* 0, or negative errno after an error message; then draft__close() is not needed, but legal. */
int draft__open(struct draft *draft, const char *path);

/* Answers 0 or negative errno, of which nothing has been said yet. */
typedef int draft_fn(void *context, FILE *out);

/* Have all of it written by a stream. 0, or negative errno after an error message. */
int draft__write(struct draft *draft, draft_fn *write, void *context);

/*
 * err: how writing went. 0: it is there under its name now. Else whatever had that name is still
 * there, and the part is gone. err, or a negative errno after an error message.
 */
int draft__close(struct draft *draft, int err);

#endif
