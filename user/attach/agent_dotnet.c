/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The runtime answers every failure to load a library with one number (CANNOT_LOAD), so what could
 * be the reason is looked at before; and where it says that all the same, the next way of bringing
 * the library into its view is tried. A library that was not loaded has changed nothing.
 */
#include "attach/agent_dotnet.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agents/dotnet/contract.h"
#include "attach/agent_file.h"
#include "attach/agent_fit.h"
#include "attach/clr_ipc.h"
#include "attach/clr_knobs.h"
#include "attach/clr_socket.h"
#include "attach/patience.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/report.h"
#include "base/rights.h"
#include "target/environment.h"
#include "target/maps.h"
#include "target/process.h"
#include "target/runtime.h"

#define OLDEST 8 /* version of .NET */
#define ANSWER_NS (10 * NS_PER_S)
#define ANSWER_MS 10000
#define PAUSE_NS (20 * NS_PER_MS) /* between two looks */

/* HRESULTs. */
#define NO_SUCH_CLASS 0x80040111u       /* CLASS_E_CLASSNOTAVAILABLE */
#define CANNOT_LOAD 0x8007007eu         /* ERROR_MOD_NOT_FOUND */
#define NOT_YET_AVAILABLE 0x8013135bu   /* CORPROF_E_NOT_YET_AVAILABLE */
#define ALREADY_ACTIVE 0x8013136au      /* CORPROF_E_PROFILER_ALREADY_ACTIVE */
#define INCOMPATIBLE 0x8013136bu        /* CORPROF_E_PROFILEE_INCOMPATIBLE_WITH_TRIGGER */
#define UNINITIALIZED 0x80131371u       /* CORPROF_E_RUNTIME_UNINITIALIZED */
#define NOT_YET_INITIALIZED 0x80131373u /* CORPROF_E_PROFILER_NOT_YET_INITIALIZED */
#define DECLINED 0x80131375u            /* CORPROF_E_PROFILER_CANCEL_ACTIVATION */
#define UNKNOWN_COMMAND 0x80131385u     /* CORDIAGIPC_E_UNKNOWN_COMMAND */

/* ---------------------------------------------------------------- what can be known before */

static const char *get_variable(const void *environment, const char *name)
{
	return environment__get(environment, name);
}

static bool is_forbidden(const struct buf *environment, struct buf *why)
{
	struct buf setting = BUF_INIT;
	const bool forbidden =
		clr_knobs__forbid(get_variable, environment, CLR_BY_SOCKET, &setting);

	if (forbidden)
		buf__printf(why, "it was started with %s, which keeps every agent out: start it"
			    " without that", buf__str(&setting));
	buf__free(&setting);
	return forbidden;
}

static bool lacks_directory(const struct process *process, const struct buf *environment,
			    struct buf *why)
{
	const char *directory = environment__temporary(environment);
	int fd = process__open_file(process, directory, O_PATH | O_DIRECTORY);

	if (fd >= 0)
		close(fd);
	if (fd != -ENOENT && fd != -ENOTDIR && fd != -EINVAL)
		return false;
	buf__printf(why, "its %s %s is no directory in its view, so its runtime could make no"
		    " socket there: start it with one that exists",
		    environment__get(environment, "TMPDIR") ? "TMPDIR" : "default TMPDIR",
		    escape(directory));
	return true;
}

static bool is_stopped(const struct process *process, struct buf *why)
{
	if (!process__is_stopped(process))
		return false;
	buf__printf(why, "it is stopped, by a signal or a debugger, and can load nothing: let it go"
			 " on (kill -CONT %d)", process->pid);
	return true;
}

static bool is_too_old(const char *version, struct buf *why)
{
	if (!version || *version < '0' || *version > '9' || atoi(version) >= OLDEST)
		return false;
	buf__printf(why, "it runs .NET %s, and gctrace's agent needs .NET %d or later",
		    escape(version), OLDEST);
	return true;
}

bool agent_dotnet__is_refused(const struct process *process, const struct maps *maps,
			      const struct runtime *runtime, struct buf *why)
{
	struct buf environment = BUF_INIT;
	const int err = environment__read(process, &environment);
	const bool refused = agent_fit__is_refused(process, maps, err, why) ||
			     is_stopped(process, why) || is_too_old(runtime->version, why) ||
			     is_forbidden(&environment, why) ||
			     lacks_directory(process, &environment, why);

	buf__free(&environment);
	return refused;
}

/* ---------------------------------------------------------------- questions and answers */

struct loading {
	const struct process *process;
	const char *library;
	struct patience *patience;
	struct buf environment;
	struct buf *why;
};

static bool is_gone(const struct loading *loading)
{
	if (process__alive(loading->process))
		return false;
	buf__reset(loading->why);
	buf__add_str(loading->why, "it has ended meanwhile");
	return true;
}

/* As its user: where that is not to be found out, it may. */
static bool may_write(const struct process *process, const char *directory)
{
	int fd = process__open_file(process, directory, O_PATH | O_DIRECTORY), err = 0;
	struct rights rights;

	if (fd >= 0 && rights__become(&rights, process->euid, process->egid) == 0) {
		err = (int)syscall(SYS_faccessat2, fd, "", W_OK | X_OK,
				   AT_EACCESS | AT_EMPTY_PATH);
		rights__give_back(&rights);
	}
	if (fd >= 0)
		close(fd);
	return err == 0;
}

static int no_socket(const struct loading *loading, int err)
{
	const struct process *process = loading->process;
	const char *own = environment__temporary(&loading->environment);
	const char *directory = escape(own);
	struct buf *why = loading->why;

	if (is_gone(loading))
		return -ESRCH;
	buf__reset(why);
	if (err == -EACCES || err == -EPERM)
		buf__printf(why, "its diagnostics socket in %s belongs to user %u: run gctrace as"
			    " root, or as that user", directory, (unsigned int)process->euid);
	else if (err == -ENOENT && !may_write(process, own))
		buf__printf(why, "its user %u may not write to %s, so its runtime could make no"
			    " socket there: start it with a TMPDIR where it can",
			    (unsigned int)process->euid, directory);
	else if (err == -ENOENT)
		buf__printf(why, "its runtime has no diagnostics socket in %s"
			    " (dotnet-diagnostic-%d-%" PRIu64 "-socket): its configuration turns"
			    " diagnostics off, or somebody has deleted the file; start it anew, or"
			    " by gctrace run --load-agent",
			    directory, process__inner_pid(process), process->start_ticks);
	else if (err == -ECONNREFUSED || err == -EXDEV)
		buf__printf(why, "on the diagnostics socket that is there for it in %s it does not"
			    " listen itself: the file is a dead process's or somebody else's;"
			    " start it anew, or by gctrace run --load-agent", directory);
	else
		buf__printf(why, "its diagnostics socket in %s cannot be connected to: %s",
			    directory, strerror(-err));
	return err;
}

/* A process that is starting makes its socket some ms after its runtime is there. */
static int connect_to(struct loading *loading)
{
	const char *directory = environment__temporary(&loading->environment);
	int fd;

	do {
		fd = clr_socket__connect(loading->process, directory);
	} while ((fd == -ENOENT || fd == -EAGAIN || fd == -ECONNREFUSED) &&
		 patience__wait(loading->patience));
	return fd < 0 ? no_socket(loading, fd) : fd;
}

/* A process that is ending closes its sockets some moments before it has ended. */
static bool is_ending(const struct loading *loading)
{
	const uint64_t until_ns = clock__monotonic_ns() + NS_PER_S;

	while (process__alive(loading->process) && clock__monotonic_ns() < until_ns)
		nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	return is_gone(loading);
}

static int no_answer(const struct loading *loading, int err)
{
	if (err == -ECONNRESET ? is_ending(loading) : is_gone(loading))
		return -ESRCH;
	buf__reset(loading->why);
	if (err == -ECANCELED)
		buf__add_str(loading->why, "stopped before its runtime has answered");
	else if (err == -ETIMEDOUT)
		buf__printf(loading->why, "its runtime has not answered within %d s: it is"
			    " suspended, waits for a start (DOTNET_DefaultDiagnosticPortSuspend),"
			    " or has no processor to run on; should it do it later, the next"
			    " gctrace finds the agent", ANSWER_MS / 1000);
	else if (err == -EPROTO)
		buf__add_str(loading->why, "what it answered is not of the diagnostics protocol:"
			     " something else listens on its socket");
	else
		buf__printf(loading->why, "its runtime has not answered: %s", strerror(-err));
	return err;
}

/* One connection for each question. */
static int ask(struct loading *loading, const struct buf *request, struct buf *bytes,
	       struct clr_reply *reply)
{
	const struct clr_wait wait = { ANSWER_NS, loading->patience->stop_fd };
	int fd = connect_to(loading), err;

	if (fd < 0)
		return fd;
	err = clr_ipc__ask(fd, request, &wait, bytes, reply);
	close(fd);
	return err ? no_answer(loading, err) : 0;
}

/* Its version, where its files did not tell: what is in one file has none. */
static int check_version(struct loading *loading)
{
	struct clr_process_info info = CLR_PROCESS_INFO_INIT;
	struct buf request = BUF_INIT, bytes = BUF_INIT;
	struct clr_reply reply;
	int err;

	clr_ipc__add_process_info(&request);
	err = ask(loading, &request, &bytes, &reply);
	/* Who doesn't know the question is as old as .NET 5. */
	if (!err && !reply.ok)
		err = is_too_old("5", loading->why) ? -ENOTSUP : 0;
	else if (!err && clr_ipc__parse_process_info(&reply, &info))
		err = no_answer(loading, -EPROTO);
	if (!err && is_too_old(buf__str(&info.version), loading->why))
		err = -ENOTSUP;
	clr_process_info__free(&info);
	buf__free(&request);
	buf__free(&bytes);
	return err;
}

/* ---------------------------------------------------------------- loading */

static const struct {
	uint32_t result;
	const char *text;
} results[] = {
	{ CANNOT_LOAD, "its runtime could not load the library" },
	{ GCTRACE_DOTNET_TOO_OLD, "its runtime is too old for the agent" },
	{ GCTRACE_DOTNET_NO_MEMORY, "there was no memory for the agent's buffers or thread" },
	{ NO_SUCH_CLASS, "the library is not gctrace's agent" },
	{ ALREADY_ACTIVE, "another profiler is being attached or works there, and its runtime"
			  " takes no second one" },
	{ INCOMPATIBLE, "its runtime says that it takes no such agent" },
	{ NOT_YET_AVAILABLE, "its runtime is still starting: try again when it has" },
	{ UNINITIALIZED, "its runtime has not started yet: try again when it has" },
	{ NOT_YET_INITIALIZED, "its runtime is still starting: try again when it has" },
	{ DECLINED, "the agent has declined" },
	{ UNKNOWN_COMMAND, "its runtime takes no agents: it was built or started without"
			   " profilers" },
};

static int tell_result(struct buf *why, uint32_t result)
{
	const char *text = "its runtime has refused the agent";

	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (results[i].result == result)
			text = results[i].text;
	buf__printf(why, "%s%s (0x%08x)", why->len ? "; " : "", text, result);
	return -ENOEXEC;
}

/* A process that is starting answers so for some ms: its runtime, or the agent to that. */
static bool is_too_early(uint32_t result)
{
	return result == NOT_YET_AVAILABLE || result == UNINITIALIZED ||
	       result == NOT_YET_INITIALIZED;
}

/* 0 and what the runtime says, or negative errno with the reason in why. */
static int attach(struct loading *loading, const char *path, uint32_t *result)
{
	static const struct clr_guid guid = GCTRACE_DOTNET_CLSID_FIELDS;
	struct buf request = BUF_INIT, bytes = BUF_INIT;
	struct clr_reply reply;
	int err;

	clr_ipc__add_attach(&request, &guid, path, ANSWER_MS);
	do {
		err = ask(loading, &request, &bytes, &reply);
	} while (!err && is_too_early(reply.result) && patience__wait(loading->patience));
	/* An error without a number is one, too. */
	*result = err || reply.result || reply.ok ? reply.result : UINT32_MAX;
	buf__free(&request);
	buf__free(&bytes);
	return err;
}

static void say_what_comes(const struct loading *loading, const struct agent_file *file)
{
	struct buf text = BUF_INIT;

	process__describe(loading->process, &text);
	buf__printf(&text, " is asked by its diagnostics socket to load gctrace's agent: %s",
		    escape(loading->library));
	if (file->way != AGENT_BY_ITS_PATH) {
		buf__add_str(&text, ", as ");
		agent_file__describe(file, &text);
	}
	note("%s", buf__str(&text));
	buf__free(&text);
}

/* 1: this way was no way. */
static int try(struct loading *loading, enum agent_way way)
{
	struct agent_file file;
	uint32_t result = 0;
	int err, left;

	if (agent_file__place(&file, loading->process, loading->library, way,
			      environment__temporary(&loading->environment), loading->why))
		return 1;
	say_what_comes(loading, &file);
	err = attach(loading, file.path, &result);
	left = agent_file__remove(&file);
	if (left && process__alive(loading->process))
		warning("%s is left in the view of pid %d: %s", escape(file.path),
			loading->process->pid, strerror(-left));
	if (err || !result)
		return err;
	if (result == GCTRACE_DOTNET_ALREADY_THERE)
		return -EEXIST;
	if (result == CANNOT_LOAD) {
		buf__printf(loading->why, "%s%s: its runtime could not load it",
			    loading->why->len ? "; " : "", escape(file.path));
		return 1;
	}
	buf__reset(loading->why);
	return tell_result(loading->why, result);
}

static int try_each_way(struct loading *loading)
{
	struct buf *why = loading->why, tried = BUF_INIT;
	int err = 1;

	for (int way = AGENT_BY_ITS_PATH; way < AGENT_WAYS && err > 0; way++)
		err = try(loading, (enum agent_way)way);
	if (err <= 0)
		return err;
	buf__add(&tried, why->data, why->len);
	buf__reset(why);
	buf__printf(why, "there is no place from which it could load the library (%s): put a copy"
		    " where its user can read it and it may be executed, or run gctrace as root",
		    buf__str(&tried));
	buf__free(&tried);
	return -ENOEXEC;
}

int agent_dotnet__load(const struct process *process, const char *library,
		       struct patience *patience, struct buf *why)
{
	struct loading loading = {
		.process = process, .library = library, .patience = patience, .why = why,
	};
	int err = environment__read(process, &loading.environment);

	if (err)
		agent_fit__tell_unreadable(process, err, why);
	if (!err)
		err = check_version(&loading);
	if (!err)
		err = try_each_way(&loading);
	buf__free(&loading.environment);
	return err;
}
