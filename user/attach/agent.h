/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Agents: libraries of gctrace's own that fire its probes inside runtimes which have none. They are
 * loaded at the operator's word (--load-agent) and never otherwise. Each is loaded once: the first
 * gctrace brings it, a later one, or one at the same time, finds it mapped and uses it.
 */
#ifndef GCTRACE_ATTACH_AGENT_H
#define GCTRACE_ATTACH_AGENT_H

#include "base/buf.h"

struct maps;
struct process;
struct runtime;

enum agent_state {
	AGENT_NONE,	/* there is none for what the process runs */
	AGENT_REFUSED,	/* it cannot be loaded into this process */
	AGENT_LOADABLE,
	AGENT_LOADED,
};

/*
 * How is it with this process? Nothing is done to find out. A clause is appended to text: why it
 * cannot be loaded, and what to do; or how it is. Escaped.
 */
enum agent_state agent__look(const struct process *process, const struct maps *maps,
			     const struct runtime *runtime, struct buf *text);

/*
 * Load the agent for what the process runs, unless it is there or the runtime's own probes are all
 * that gctrace knows to use; notes say what is done and what came of it. 0, or negative errno after
 * an error message: then the process is as it was (but -ETIMEDOUT: it may still do what it was
 * asked). options: what HotSpot's agent is told of samples (agents/hotspot/contract.h), also one
 * that is there already; NULL: nothing. Another runtime's agent takes none, and is not loaded for
 * who asks for some. stop_fd: readable when it is to be given up; -1: none.
 */
int agent__load(const struct process *process, const char *options, int stop_fd);

/*
 * For a program that is about to be started: put into our own environment, which it inherits, what
 * makes its runtime load the agent; what is there already stays in force. A note says so. 0, or
 * negative errno after an error message.
 */
int agent__load_at_start(void);

#endif
