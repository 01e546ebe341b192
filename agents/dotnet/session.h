/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EventPipe sessions inside the process: the runtime calls us on the very thread that writes an
 * event, with its payload in place. Nothing is buffered, nothing is lost, and what the callback
 * does is time of the pause.
 *
 * WHAT IS OPEN. None on the runtime's main provider is, but on request: as long as one is open, in
 * whatever tool, the runtime does not tell a type's name again that it has told once, so that a
 * steady session spoils the heap snapshots of others. SESSION_BACKGROUND is on another provider,
 * which has no types, so it may be open as long as a tracer listens. It costs 0.1 ms to open, and
 * about ten events for each background collection. A delivered event does not say
 * which session it is of, and comes once for each session that has its keyword; so the sessions'
 * keywords are disjoint, and what two of them need (a collection's start and end) is a session of
 * its own, open as long as one of the two is.
 *
 * ON WHICH THREAD. Opening makes the calling thread a thread of the runtime's, to which calls that
 * want a foreign one (EnumModules, EnumThreads, names) are refused ever after. So there are:
 *
 *   the watcher's thread, or a worker    opens and closes sessions, and may call ForceGC
 *   another worker                       never does; asks for names (dump only)
 *
 * None of the functions but session__deliver() may be called from one of the runtime's callbacks.
 */
#ifndef GCTRACE_DOTNET_SESSION_H
#define GCTRACE_DOTNET_SESSION_H

#include "clr.h"

#include <stdbool.h>

enum session {
	SESSION_COLLECTIONS, /* 0x1: opened by the two below, not by callers */
	SESSION_MOVEMENT,    /* 0x400000: moved and surviving ranges */
	SESSION_DUMP,	     /* 0x1180000: types, and the whole heap in a forced collection */
	SESSION_BACKGROUND,  /* 0x1 of the private provider: where background collections are */
	SESSIONS
};

/* GCStart_V2's Type. */
enum gc_type {
	GC_TYPE_BACKGROUND = 1,
	GC_TYPE_DURING_BACKGROUND = 2,
};

/*
 * S_OK, also when it is open already, or the runtime's error. The first in a process takes 20 to
 * 350 ms, later ones 0.2 ms where the program is idle. Events may come before it returns.
 */
HRESULT session__open(enum session session);
/*
 * Nothing where it is not open. SESSION_DUMP is closed at once; of the others first those
 * collections end that are told by it, for two seconds at most.
 */
void session__close(enum session session);
/*
 * Closes what is open on the main provider and opens it again, so that the runtime tells types anew
 * to everybody. What collections do in between is not told, which their ends say. Where the runtime
 * refuses to open one again, session__is_lost() says so.
 */
void session__renew(void);

/* Was one closed that is still wanted? Until session__open() has opened it. Any thread. */
bool session__is_lost(void);

/*
 * Does what starts now come in this session, from its start on? From the moment in which it is
 * open, to some time before it is closed. Any thread.
 */
bool session__tells(enum session session);

/* How often the session was opened: between two times not everything was told. */
unsigned session__openings(enum session session);

/* An event: goes to collections__event(), movement__event() and dump__deliver() by its number. */
void session__deliver(uintptr_t provider, uint32_t id, uint32_t version, const uint8_t *payload,
		      uint32_t bytes);

/* Numbers of the events of Microsoft-Windows-DotNETRuntime (ClrEtwAll.man). */
enum event {
	EVENT_GC_START = 1,
	EVENT_GC_END = 2,
	EVENT_HEAP_STATS = 4,
	EVENT_BULK_TYPE = 15,
	EVENT_BULK_ROOT_EDGE = 16,
	EVENT_BULK_DEPENDENT = 17,
	EVENT_BULK_NODE = 18,
	EVENT_BULK_EDGE = 19,
	EVENT_SURVIVING_RANGES = 21,
	EVENT_MOVED_RANGES = 22,
	EVENT_BULK_STATIC = 38,
	EVENT_HEAP_HISTORY = 204,
	EVENT_GLOBAL_HISTORY = 205
};

/* The same of Microsoft-Windows-DotNETRuntimePrivate. */
enum private_event {
	EVENT_BGC_BEGIN = 11 /* in the first pause of a background collection */
};

#endif
