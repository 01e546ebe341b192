/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What session.c and follow.c share: the session from inside.
 */
#ifndef ATTACH_SESSION_PRIVATE_H
#define ATTACH_SESSION_PRIVATE_H

#include "attach/kernel.h"
#include "attach/programs.h"
#include "attach/reaper.h"
#include "attach/rings.h"
#include "attach/session.h"
#include "attach/tables.h"
#include "attach/target.h"
#include "attach/watch.h"
#include "base/vec.h"
#include "target/note_cache.h"

struct session {
	struct session_options options;
	struct kernel kernel;
	struct tables *tables;
	struct programs *programs;
	struct note_cache *notes;
	struct attacher attacher;
	struct rings rings;
	struct target *dumping; /* the dump's ring is for; NULL */
	struct watch *watch;	/* NULL: it could not be had, a warning said so */
	struct reaper *reaper;
	int epoll; /* the watch, pidfds, rings */
	VEC(struct target *) targets; /* all there were, by index */
	VEC(struct target *) live;    /* of them, in no order */
	uint64_t attach_ns, detach_ns;
	bool news_lost; /* once at least, and said */
};

/* Make a target of a process, without attaching yet. Takes the process. */
int session__enter(struct session *session, struct process *process, unsigned int levels,
		   struct target **out);

/* Attach what is missing; tells the handler. -ESRCH says nothing. */
int session__attach(struct session *session, struct target *target);

/* Begin to watch: the host's processes and our rings. 0, or negative errno after a message. */
int follow__start(struct session *session);
/* One target's exit. */
void follow__process(struct session *session, struct target *target);
/* It is left: no more news of it. */
void follow__leave(struct session *session, struct target *target);

#endif
