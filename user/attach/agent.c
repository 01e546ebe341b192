/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/agent.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "agents/dotnet/contract.h"
#include "agents/hotspot/contract.h"
#include "attach/agent_dotnet.h"
#include "attach/agent_file.h"
#include "attach/agent_hotspot.h"
#include "attach/agent_library.h"
#include "attach/clr_knobs.h"
#include "attach/patience.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/report.h"
#include "base/units.h"
#include "target/environment.h"
#include "target/note_cache.h"
#include "target/process.h"
#include "target/runtime.h"
#include "target/sight.h"

#define LOCK_NS (20 * NS_PER_S)
#define PAUSE_MS 20 /* between two tries */

/* ---------------------------------------------------------------- looking */

/* What gctrace has for a runtime. */
struct agent {
	enum runtime_kind kind;
	const char *library; /* its name */
	bool (*is_refused)(const struct process *process, const struct maps *maps,
			   const struct runtime *runtime, struct buf *why);
	int (*load)(const struct process *process, const struct runtime *runtime,
		    const char *library, const char *options, struct patience *patience,
		    struct buf *why);
	const char *brings;
};

static int load_dotnet(const struct process *process, const struct runtime *runtime,
		       const char *library, const char *options, struct patience *patience,
		       struct buf *why)
{
	(void)runtime; /* asks for its version itself */
	(void)options; /* has none */
	return agent_dotnet__load(process, library, patience, why);
}

static const struct agent agents[] = {
	{ RUNTIME_DOTNET, GCTRACE_DOTNET_LIBRARY, agent_dotnet__is_refused, load_dotnet,
	  "collections, moves, survivals, heap dumps and roots" },
	{ RUNTIME_HOTSPOT, GCTRACE_HOTSPOT_LIBRARY, agent_hotspot__is_refused,
	  agent_hotspot__load, "heap dumps and roots, and what lives by allocation site" },
	/* It has none, and that is said in its own words. */
	{ RUNTIME_OPENJ9, GCTRACE_HOTSPOT_LIBRARY, agent_hotspot__is_refused,
	  agent_hotspot__load, "" },
};

static const struct agent *agent_for(const struct runtime *runtime)
{
	for (size_t i = 0; i < sizeof(agents) / sizeof(agents[0]); i++)
		if (agents[i].kind == runtime->kind)
			return &agents[i];
	return NULL;
}

static int find_library(const char *name, struct buf *library, struct buf *why)
{
	int err = agent_library__find(name, library);

	if (err)
		buf__printf(why, "its library is not there, neither %s; build or install gctrace as"
			    " a whole", escape(buf__str(library)));
	return err;
}

static bool lacks_library(const char *name, struct buf *why)
{
	struct buf library = BUF_INIT;
	const bool lacks = find_library(name, &library, why) != 0;

	buf__free(&library);
	return lacks;
}

enum agent_state agent__look(const struct process *process, const struct maps *maps,
			     const struct runtime *runtime, struct buf *text)
{
	const struct agent *agent = agent_for(runtime);

	if (runtime->has_agent) {
		buf__add_str(text, "it is loaded");
		return AGENT_LOADED;
	}
	if (!agent) {
		buf__printf(text, "gctrace has none for %s",
			    runtime->kind == RUNTIME_UNKNOWN ? "what it runs" : runtime->name);
		return AGENT_NONE;
	}
	if (agent->is_refused(process, maps, runtime, text) ||
	    lacks_library(agent->library, text))
		return AGENT_REFUSED;
	buf__printf(text, "it can be loaded (--load-agent), and brings %s", agent->brings);
	return AGENT_LOADABLE;
}

/* ---------------------------------------------------------------- waiting */

/* A process that is starting has not mapped its runtime yet. */
static int look_when_started(struct patience *patience, struct note_cache *cache,
			     struct sight *sight)
{
	int err = sight__look(sight, patience->process, cache);

	while (!err && sight->runtime->kind == RUNTIME_UNKNOWN && patience__wait(patience)) {
		sight__close(sight);
		err = sight__look(sight, patience->process, cache);
	}
	return err;
}

/*
 * Two copies of a library are two libraries to a process. So whoever loads one locks the process's
 * directory in /proc, which all who trace it by that /proc have open, and looks with the lock held.
 * Anybody may lock it, so nobody is waited for without end.
 */
static void lock(const struct process *process, int stop_fd)
{
	const uint64_t until_ns = clock__monotonic_ns() + LOCK_NS;
	struct pollfd stop = { .fd = stop_fd, .events = POLLIN };

	while (flock(process->procfd, LOCK_EX | LOCK_NB)) {
		if ((errno != EWOULDBLOCK && errno != EINTR) ||
		    clock__monotonic_ns() >= until_ns) {
			note("another process has locked pid %d for long, which loads an agent or"
			     " does not: gctrace goes on", process->pid);
			return;
		}
		if (poll(&stop, 1, PAUSE_MS) > 0)
			return;
	}
}

/* ---------------------------------------------------------------- loading */

static int fail(const struct process *process, int err, const char *why)
{
	struct buf text = BUF_INIT;

	process__describe(process, &text);
	error("gctrace's agent cannot be loaded into %s: %s", buf__str(&text), why);
	buf__free(&text);
	return err;
}

/* Is it mapped, as the runtime said? */
static int check(const struct process *process, struct note_cache *cache)
{
	struct sight sight;
	int err = sight__look(&sight, process, cache);

	if (err)
		return err;
	err = sight.runtime->has_agent ? 0 : -EIO;
	sight__close(&sight);
	return err;
}

static void say_it_is_there(const struct process *process, uint64_t took_ns)
{
	char time[UNITS_TEXT];
	struct buf text = BUF_INIT;

	process__describe(process, &text);
	if (took_ns)
		note("%s has loaded gctrace's agent, in %s", buf__str(&text),
		     units__ns(time, took_ns));
	else
		note("%s has gctrace's agent already: it is used", buf__str(&text));
	buf__free(&text);
}

static int load(const struct process *process, const struct sight *sight, const char *options,
		struct note_cache *cache, struct patience *patience)
{
	const struct agent *agent = agent_for(sight->runtime);
	const uint64_t start = clock__monotonic_ns();
	struct buf library = BUF_INIT, why = BUF_INIT;
	int err = find_library(agent->library, &library, &why);

	if (!err)
		err = agent->load(process, sight->runtime, buf__str(&library), options, patience,
				  &why);
	if (err && err != -EEXIST)
		fail(process, err, buf__str(&why));
	else if (check(process, cache))
		err = fail(process, -EIO, "its runtime says that it is, but nothing of it is"
					  " mapped");
	else
		say_it_is_there(process, err ? 0 : clock__monotonic_ns() - start);
	buf__free(&library);
	buf__free(&why);
	return err == -EEXIST ? 0 : err;
}

/* What there is to do, by what is seen. 1: the agent is to be loaded. */
static int judge(const struct process *process, const struct sight *sight, const char *options)
{
	const struct runtime *runtime = sight->runtime;
	struct buf text = BUF_INIT;
	int answer = 0;

	switch (agent__look(process, &sight->maps, runtime, &text)) {
	case AGENT_LOADED:
		say_it_is_there(process, 0);
		break;
	case AGENT_LOADABLE:
		answer = 1;
		if (options && runtime->kind != RUNTIME_HOTSPOT)
			answer = fail(process, -EOPNOTSUPP, "it samples no allocations there, as"
							    " it does in HotSpot");
		break;
	case AGENT_REFUSED:
		answer = fail(process, -EOPNOTSUPP, buf__str(&text));
		break;
	case AGENT_NONE:
		if (runtime->has_probes) {
			note("%s; the probes that pid %d has are used", buf__str(&text),
			     process->pid);
		} else {
			error("%s", runtime->advice);
			answer = -EOPNOTSUPP;
		}
		break;
	}
	buf__free(&text);
	return answer;
}

/* One that is there is given its options; where that cannot be, it goes on with those it has. */
static void tell(const struct process *process, const struct sight *sight, const char *options,
		 struct patience *patience)
{
	struct buf library = BUF_INIT, why = BUF_INIT;
	int err = find_library(GCTRACE_HOTSPOT_LIBRARY, &library, &why);

	if (!err)
		err = agent_hotspot__tell(process, &sight->maps, buf__str(&library), options,
					  patience, &why);
	if (err && err != -EEXIST)
		warning("gctrace's agent in pid %d keeps the options that it has, and is not told"
			" %s: %s", process->pid, options,
			err == -EXDEV ? "it was loaded from a file that is not there any more" :
					buf__str(&why));
	buf__free(&library);
	buf__free(&why);
}

/* Copies of the library that tracers have left which were killed with all their helpers. */
static void clean_up(const struct process *process)
{
	struct buf environment = BUF_INIT;
	unsigned int removed = 0;

	if (environment__read(process, &environment) == 0)
		removed = agent_file__clean(process, environment__get(&environment, "TMPDIR"));
	if (removed)
		note("removed from the temporary directories of pid %d: %u cop%s of gctrace's"
		     " agent, left by a tracer that was killed", process->pid, removed,
		     removed == 1 ? "y" : "ies");
	buf__free(&environment);
}

static int load_locked(const struct process *process, const char *options,
		       struct note_cache *cache, int stop_fd)
{
	struct patience patience = patience__for(process, stop_fd);
	struct sight sight;
	int answer, err = look_when_started(&patience, cache, &sight);

	if (err)
		return fail(process, err, process__alive(process) ? strerror(-err) :
								    "it has ended meanwhile");
	answer = judge(process, &sight, options);
	if (answer > 0 || (!answer && sight.runtime->has_agent))
		clean_up(process);
	if (answer > 0)
		answer = load(process, &sight, options, cache, &patience);
	else if (!answer && options && sight.runtime->has_agent &&
		 sight.runtime->kind == RUNTIME_HOTSPOT)
		tell(process, &sight, options, &patience);
	sight__close(&sight);
	return answer;
}

int agent__load(const struct process *process, const char *options, int stop_fd)
{
	struct note_cache *cache = note_cache__new();
	int err;

	if (!cache)
		return error_errno(ENOMEM, "cannot load an agent");
	lock(process, stop_fd);
	err = load_locked(process, options, cache, stop_fd);
	flock(process->procfd, LOCK_UN);
	note_cache__free(cache);
	return err;
}

/* ---------------------------------------------------------------- at the start of a program */

static const char *own_variable(const void *context, const char *name)
{
	(void)context;
	return getenv(name);
}

static int set_profilers(const char *library)
{
	struct buf text = BUF_INIT;
	int err = 0;

	if (clr_knobs__forbid(own_variable, NULL, CLR_AT_START, &text)) {
		err = -EOPNOTSUPP;
		error("gctrace's agent cannot be loaded: %s is set, which keeps every agent out;"
		      " unset it", buf__str(&text));
	}
	buf__reset(&text);
	if (!err) {
		err = clr_knobs__add_profiler(own_variable, NULL, library, &text);
		if (err)
			error("gctrace's agent cannot be loaded: its path %s has a character that"
			      " the list of profilers cannot hold", escape(library));
	}
	if (!err && (setenv("CORECLR_ENABLE_NOTIFICATION_PROFILERS", "1", 1) ||
		     setenv("CORECLR_NOTIFICATION_PROFILERS", buf__str(&text), 1)))
		err = error_errno(errno, "cannot set the environment for an agent");
	if (!err)
		note("programs of .NET that this starts load gctrace's agent"
		     " (CORECLR_NOTIFICATION_PROFILERS=%s)", escape(buf__str(&text)));
	buf__free(&text);
	return err;
}

/*
 * JDK_JAVA_OPTIONS is for the launcher `java` alone; JAVA_TOOL_OPTIONS would be for each tool that
 * is written in Java, too.
 */
static int set_java_options(const char *library)
{
	const char *given = getenv("JDK_JAVA_OPTIONS");
	struct buf text = BUF_INIT;
	int err = 0;

	buf__printf(&text, "%s%s\"-agentpath:%s\"", given ? given : "", given ? " " : "", library);
	if (text.error || strchr(library, '"'))
		err = error_errno(text.error ? -text.error : EINVAL,
				  "cannot name gctrace's agent %s to a JVM", escape(library));
	else if (setenv("JDK_JAVA_OPTIONS", buf__str(&text), 1))
		err = error_errno(errno, "cannot set the environment for an agent");
	else
		note("JVMs that this starts by `java` load gctrace's agent, and say so on their"
		     " standard error (NOTE: Picked up JDK_JAVA_OPTIONS: %s)",
		     escape(buf__str(&text)));
	buf__free(&text);
	return err;
}

/* 0 too where it is not installed and need not be. */
static int prepare(const char *name, bool needed, int (*set)(const char *library))
{
	struct buf library = BUF_INIT, text = BUF_INIT;
	int err = find_library(name, &library, &text);

	if (!err)
		err = set(buf__str(&library));
	else if (needed)
		error("gctrace's agent cannot be loaded: %s", buf__str(&text));
	else
		err = 0;
	buf__free(&library);
	buf__free(&text);
	return err;
}

int agent__load_at_start(void)
{
	int err = prepare(GCTRACE_DOTNET_LIBRARY, true, set_profilers);

	return err ? err : prepare(GCTRACE_HOTSPOT_LIBRARY, false, set_java_options);
}
