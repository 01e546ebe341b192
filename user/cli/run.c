/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gctrace run PROGRAM: a program and all that it starts, from their first collection on.
 *
 * launch.h holds a thread still whenever its process is new, has executed another image, or has
 * mapped code. Here it is looked at whether there are probes in it now. Only a process that has
 * some becomes a target, so that the hundreds of short-lived ones that a build or a shell script
 * starts cost a look at their mappings each, and nothing else. Once it is a target, the session
 * itself follows what it maps and executes; session__poll() while the thread is held still has
 * that done before the thread goes on.
 *
 * A thread is held still for the time of that look, never for longer: while nobody reads our
 * output, processes run on unseen, and are looked at when somebody does. Whoever turns out to have
 * probes then may have told something before, which counts as missed.
 *
 * A child made by vfork() is not looked at: it runs in its parent's memory until it executes.
 *
 * The trace ends with the program and its family. When it ends earlier (by -d or -n), they are let
 * go, and the program's end is waited for, since its status is what we end with.
 */
#include <errno.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../attach/agent.h"
#include "../attach/launch.h"
#include "../attach/session.h"
#include "../attach/target.h"
#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/files.h"
#include "../base/report.h"
#include "../base/vec.h"
#include "../target/maps.h"
#include "../target/module.h"
#include "../target/note_cache.h"
#include "../target/process.h"
#include "../target/runtime.h"
#include "command.h"
#include "live.h"
#include "settings.h"
#include "signals.h"
#include "trace.h"

struct run_settings {
	struct output_settings output;
	struct trace_settings trace;
	struct view_settings view;
	const char *file; /* NULL: stdout */
	bool load_agent, fault_in;
};

static const struct run_settings defaults = {
	.trace = TRACE_SETTINGS_DEFAULTS,
	.view = VIEW_SETTINGS_DEFAULTS,
};

static const struct option run_options[] = {
	{ .name = "output", .kind = OPTION_STRING, .metavar = "FILE", .completes = "file",
	  .help = "Write the trace to this file, and leave standard output to the program" },
	{ .name = NULL },
};

static const struct option_group run_group = { "Run", run_options };

static const struct option_use uses[] = {
	{ &run_group, offsetof(struct run_settings, file) },
	{ &agent_group, offsetof(struct run_settings, load_agent) },
	{ &probing_group, offsetof(struct run_settings, fault_in) },
	{ &output_group, offsetof(struct run_settings, output) },
	{ &trace_group, offsetof(struct run_settings, trace) },
	{ &view_group, offsetof(struct run_settings, view) },
	{ &general_group, 0 },
	{ NULL, 0 },
};

struct run {
	struct trace trace;
	struct launch *launch;
	struct note_cache *notes;
	bool unread;		/* our output blocks: nothing may be looked at now */
	VEC(pid_t) unseen;	/* looked at when it blocks no more */
	uint64_t missed;	/* of those, who had ended by then; what they told nobody knows */
	bool seen;		/* there was a process with probes */
	bool fault_in;
	enum runtime_kind kind; /* of what had none: the last that is more than unknown */
	char *advice;		/* on that; NULL: nothing was looked at */
	uint64_t looks, looked_ns;
	char *name; /* of the file that is written, escaped */
	int error;
};

/* ---------------------------------------------------------------- new processes, new code */

static void keep_error(struct run *run, int err)
{
	if (err && !run->error)
		run->error = err;
}

/* What has no probes is remembered, to be told if nothing else is found. */
static void keep_advice(struct run *run, const struct process *process, const struct maps *maps,
			const struct modules *modules)
{
	struct runtime *runtime;

	if (run->seen)
		return;
	runtime = runtime__identify(process, maps, modules);
	if (!runtime)
		return;
	if (!run->advice || runtime->kind != RUNTIME_UNKNOWN || run->kind == RUNTIME_UNKNOWN) {
		free(run->advice);
		run->advice = runtime->advice;
		run->kind = runtime->kind;
		runtime->advice = NULL;
	}
	runtime__free(runtime);
}

/* Has the process probes? Takes it. */
static void look_into(struct run *run, struct process *process)
{
	struct modules modules = MODULES_INIT;
	struct maps maps = MAPS_INIT;
	int err = maps__read(&maps, process);

	if (err == 0)
		err = modules__scan_maps(&modules, process, &maps, run->notes, NULL);
	if (err == 0 && modules.count) {
		run->seen = true;
		err = live__add(run->trace.live, process);
		process = NULL;
		/* It may be killed while it stands still, and be no target for other reasons. */
		keep_error(run, err == -ENOMEM ? err : 0);
	} else if (err == 0) {
		keep_advice(run, process, &maps, &modules);
	}
	modules__free(&modules);
	maps__free(&maps);
	process__free(process);
}

/* It maps several files at its start, one after the other. */
static void remember_unseen(struct run *run, pid_t pid)
{
	if (run->unseen.count && run->unseen.items[run->unseen.count - 1] == pid)
		return;
	keep_error(run, vec__push(&run->unseen, pid));
}

static void look(void *context, pid_t pid)
{
	struct run *run = context;
	struct session *session = live__session(run->trace.live);
	uint64_t start = clock__monotonic_ns();
	struct process *process;

	if (run->unread) {
		remember_unseen(run, pid);
		return;
	}
	keep_error(run, session__poll(session, 0));
	if (!session__has(session, pid) && process__open(pid, &process, NULL) == 0)
		look_into(run, process);
	run->looks++;
	run->looked_ns += clock__monotonic_ns() - start;
}

/* Files with probes in the process's living targets. */
static size_t files_with_probes(struct session *session, pid_t pid, struct target **living)
{
	size_t files = 0;

	for (uint32_t i = 0; i < session__target_count(session); i++) {
		struct target *target = session__target(session, i);

		if (target->process->pid != pid || target->state != TARGET_LIVE)
			continue;
		*living = target;
		files += target->modules.count;
	}
	return files;
}

/* What it mapped has run for some time. */
static void look_late(struct run *run, pid_t pid)
{
	struct session *session = live__session(run->trace.live);
	struct target *target = NULL;
	size_t before = files_with_probes(session, pid, &target);

	look(run, pid);
	if (files_with_probes(session, pid, &target) <= before)
		return;
	target->missed++;
	warning("process %d ran on unseen while %s was not being read: its first collections may be"
		" missing", pid, run->trace.name);
}

static void look_at_unseen(struct run *run)
{
	for (size_t i = 0; i < run->unseen.count && !run->error; i++)
		look_late(run, run->unseen.items[i]);
	vec__reset(&run->unseen);
	if (!run->missed || run->error)
		return;
	warning("%llu process%s ran unseen while %s was not being read",
		(unsigned long long)run->missed, run->missed == 1 ? "" : "es",
		run->trace.name);
	keep_error(run, live__miss(run->trace.live, run->missed));
	run->missed = 0;
}

static bool shares_memory(pid_t pid)
{
	struct process *process;
	bool shares = false;

	if (process__open(pid, &process, NULL))
		return false;
	shares = syscall(SYS_kcmp, process->parent, pid, KCMP_VM, 0, 0) == 0;
	process__free(process);
	return shares;
}

static void started(void *context, pid_t pid)
{
	if (!shares_memory(pid))
		look(context, pid);
}

/* Its number may soon be somebody else's. */
static void forget_unseen(struct run *run, pid_t pid)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->unseen.count; i++)
		if (run->unseen.items[i] != pid)
			run->unseen.items[kept++] = run->unseen.items[i];
	run->missed += kept < run->unseen.count;
	run->unseen.count = kept;
}

static void ended(void *context, pid_t pid, int status)
{
	struct run *run = context;

	(void)status;
	forget_unseen(run, pid);
	if (!run->unread)
		keep_error(run, session__poll(live__session(run->trace.live), 0));
}

/* ---------------------------------------------------------------- the loop */

static struct sigaction quit_before;

/* In the child. */
static void restore_signals(void)
{
	signals__restore();
	sigaction(SIGQUIT, &quit_before, NULL);
}

static void pass_on(pid_t program)
{
	int number;

	while ((number = signals__take_sent()) != 0)
		if (kill(program, number) && errno != ESRCH)
			error_errno(errno, "cannot pass a signal on to process %d", program);
}

/* Nobody reads. */
static void let_run_on(void *context)
{
	struct run *run = context;

	run->unread = true;
	keep_error(run, launch__handle(run->launch));
	run->unread = false;
}

static int turn(void *context)
{
	struct run *run = context;
	int err;

	look_at_unseen(run);
	err = launch__handle(run->launch);
	if (err)
		error_errno(err, "cannot follow the program");
	return err ? err : run->error;
}

static bool over(void *context)
{
	struct run *run = context;

	return launch__alive(run->launch) == 0;
}

static void interrupted(void *context)
{
	struct run *run = context;
	int status;

	if (!launch__ended(run->launch, &status))
		pass_on(launch__pid(run->launch));
}

/* What is known of new processes are their ids in the host's own pid namespace. */
static int check_namespace(void)
{
	const char *host = "pid:[4026531836]"; /* PROC_PID_INIT_INO */
	char ours[64] = "";

	if (readlink("/proc/self/ns/pid", ours, sizeof(ours) - 1) <= 0 || strcmp(ours, host) == 0)
		return 0;
	error("gctrace run works in the host's pid namespace (%s) only, and this is %s: run it on "
	      "the host, or start the program and attach to it by gctrace -p", host, ours);
	return -EOPNOTSUPP;
}

static int begin(struct run *run, char *const arguments[])
{
	const struct launch_watcher watcher = { started, look, look, ended, run };
	const struct live_options options = { .keep_kill = true, .fault_in = run->fault_in };
	int err = check_namespace();

	if (!err)
		err = trace__open_live(&run->trace, &options);
	if (err)
		return err;
	run->trace.start_ns = clock__monotonic_ns();
	err = launch__new(&run->launch, arguments, restore_signals, &watcher);
	if (!err)
		err = trace__begin(&run->trace);
	if (!err && live__wake_by(run->trace.live, launch__fd(run->launch)))
		err = error_errno(-EIO, "cannot wait for the program");
	return err;
}

static void tell_why_not(const struct run *run)
{
	if (!run->advice)
		warning("nothing could be seen: the program ended too early");
	else if (run->kind != RUNTIME_UNKNOWN)
		warning("nothing could be seen: %s", run->advice);
	else /* it is over: nothing is loaded later */
		warning("nothing could be seen: what the program had mapped has no probes of"
			" gctrace, HotSpot, CPython or Ruby; a runtime of your own gets some by the"
			" header gctrace/probes.h");
}

static enum status follow(struct run *run)
{
	const struct output_aside aside = { launch__fd(run->launch), let_run_on, run };
	const struct trace_hooks hooks = {
		.context = run,
		.aside = &aside,
		.turn = turn,
		.over = over,
		.interrupted = interrupted,
	};
	enum status status = trace__finish(&run->trace, trace__follow(&run->trace, &hooks));

	debug("%llu looks at processes took %llu us",
	      (unsigned long long)run->looks,
	      (unsigned long long)(run->looked_ns / NS_PER_US));
	if (!run->seen)
		tell_why_not(run);
	if (launch__unwatched(run->launch))
		warning("%zu %s not watched from the start, for want of room",
			launch__unwatched(run->launch),
			launch__unwatched(run->launch) == 1 ? "process was" : "processes were");
	return status;
}

/* ---------------------------------------------------------------- the end */

/* Lets go of all. What to exit with. */
static enum status leave(struct run *run, enum status own)
{
	int status, code;

	if (!launch__ended(run->launch, &status) &&
	    !run->trace.output.error) /* else it has been said, or nobody cares */
		note("the program goes on, untraced; its end is waited for (Ctrl-C is passed on"
		     " to it)");
	launch__release(run->launch);
	status = launch__wait(run->launch, interrupted);
	launch__free(run->launch);
	code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return code ? (enum status)code : own;
}

static int open_output(struct run *run, const char *path)
{
	if (!path)
		return 0;
	run->name = strdup(escape(path));
	run->trace.name = run->name ? run->name : "the file";
	run->trace.fd = files__create(path);
	return run->trace.fd < 0 ? run->trace.fd : 0;
}

static enum status run_program(struct run *run, char *const arguments[])
{
	enum status status = STATUS_FAILED;

	if (begin(run, arguments) == 0)
		status = follow(run);
	trace__close(&run->trace);
	return run->launch ? leave(run, status) : status;
}

static enum status cmd_run(const struct invocation *invocation)
{
	const struct run_settings *settings = invocation->settings;
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct words arguments = VEC_INIT;
	struct run run = { .fault_in = settings->fault_in };
	enum status status = STATUS_FAILED;
	int err = 0;

	output_settings__apply(&settings->output);
	/* Ctrl-\ is for the program: a JVM prints its threads. */
	sigaction(SIGQUIT, &ignore, &quit_before);
	signals__outlive();
	if (signals__install())
		return STATUS_FAILED;
	trace__init(&run.trace, &settings->trace, &settings->view, &settings->output);
	run.notes = note_cache__new();
	for (size_t i = 0; i < invocation->operands.count && !err; i++)
		err = vec__push(&arguments, invocation->operands.items[i]);
	if (err || !run.notes || vec__push(&arguments, NULL))
		error("out of memory");
	else if ((!settings->load_agent || agent__load_at_start() == 0) &&
		 open_output(&run, settings->file) == 0)
		status = run_program(&run, arguments.items);
	vec__free(&arguments);
	note_cache__free(run.notes);
	vec__free(&run.unseen);
	free(run.advice);
	free(run.name);
	return status;
}

const struct command run_command = {
	.name = "run",
	.summary = "Start a program and trace it from its first collection on",
	.operands = "[--] PROGRAM [ARGUMENT ...]",
	.about = "Starts a program, and traces it and the programs that it starts from their first"
		 " collection on. Ends with the status of the program.\n"
		 "Where -n or -d ends the trace earlier, the program goes on untraced, and its end"
		 " is waited for.\n"
		 "  gctrace run -- java -jar app.jar\n"
		 "  gctrace run --load-agent -- dotnet app.dll\n",
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.runs_program = true,
	.options = uses,
	.defaults = &defaults,
	.settings_size = sizeof(struct run_settings),
	.run = cmd_run,
};
