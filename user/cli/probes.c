/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gctrace probes: what a process offers, level by level; without a process: which processes
 * of this host offer anything.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../attach/agent_build.h"
#include "../base/report.h"
#include "../target/maps.h"
#include "../target/module.h"
#include "../target/note_cache.h"
#include "../target/process.h"
#include "../target/runtime.h"
#include "../view/output.h"
#include "command.h"
#include "probes_view.h"
#include "processes.h"
#include "settings.h"

struct probes_settings {
	struct target_settings target;
	struct output_settings output;
};

static void look_at_agent(struct probed *probed, const struct process *process,
			  const struct maps *maps)
{
	probed->agent = agent__look(process, maps, probed->runtime, &probed->agent_text);
	if (probed->agent != AGENT_LOADED)
		return;
	buf__add_str(&probed->agent_text, "; ");
	if (!agent_build__differs(&probed->modules, &probed->agent_text))
		buf__truncate(&probed->agent_text, probed->agent_text.len - 2);
}

/* Look at an open process. 0, or negative errno after an error message. Frees nothing. */
static int look(struct process *process, struct note_cache *cache, struct probed *probed)
{
	struct buf why = BUF_INIT;
	struct maps maps = MAPS_INIT;
	int err = maps__read(&maps, process);

	*probed = (struct probed){ .process = process, .modules = MODULES_INIT };
	if (err)
		buf__printf(&why, "cannot read the mappings of process %d: %s", process->pid,
			    strerror(-err));
	else
		err = modules__scan_maps(&probed->modules, process, &maps, cache, &why);
	if (!err) {
		probed->runtime = runtime__identify(process, &maps, &probed->modules);
		if (!probed->runtime) {
			err = -ENOMEM;
			buf__add_str(&why, "out of memory");
		}
	}
	if (!err)
		look_at_agent(probed, process, &maps);
	if (err)
		error("%s", buf__str(&why));
	maps__free(&maps);
	buf__free(&why);
	return err;
}

static void forget(struct probed *probed)
{
	runtime__free(probed->runtime);
	modules__free(&probed->modules);
	buf__free(&probed->agent_text);
}

/* What could not be looked into may be what the operator misses: one warning for each file. */
static void warn_of_skipped(const struct modules *modules)
{
	const char *line = buf__str(&modules->skipped), *stop;

	for (; (stop = strchr(line, '\n')); line = stop + 1)
		warning("%.*s", (int)(stop - line), line);
}

/* 0; 1 when it has no probes, as was told; or a negative errno, told as well. */
static int show_process(struct process *process, struct note_cache *cache,
			struct probes_view *view)
{
	struct probed probed;
	int err = look(process, cache, &probed);

	if (err)
		return err;
	warn_of_skipped(&probed.modules);
	err = probes_view__process(view, &probed);
	if (!err && !probed.runtime->has_probes) {
		error("%s", probed.runtime->advice);
		err = 1;
	}
	forget(&probed);
	return err;
}

/* A process that was asked for and is not shown is told in the closing line, too. */
static bool is_seen(struct probes_view *view, int err)
{
	view->forbidden += err == -EACCES || err == -EPERM;
	view->unseen += err < 0;
	return err >= 0;
}

static bool show_named(const struct target_settings *target, struct note_cache *cache,
		       struct probes_view *view)
{
	struct processes processes = VEC_INIT;
	bool fine = true;

	for (size_t i = 0; i < target->processes.count; i++) {
		struct words one = { .items = &target->processes.items[i], .count = 1 };

		if (!is_seen(view, processes__open(&one, &processes)))
			fine = false;
	}
	for (size_t i = 0; i < processes.count; i++) {
		int err = show_process(processes.items[i], cache, view);

		if (!is_seen(view, err) || err)
			fine = false;
	}
	processes__free(&processes);
	return fine;
}

static bool is_loadable(const struct probed *probed, const struct maps *maps)
{
	struct buf text = BUF_INIT;
	const enum agent_state state =
		agent__look(probed->process, maps, probed->runtime, &text);

	buf__free(&text);
	return state == AGENT_LOADABLE;
}

/*
 * One of all processes of the host, in the list if it has probes. Those that have ended since
 * they were listed, and those that are not ours to look into, are no errors here.
 */
static int list_process(pid_t pid, struct note_cache *cache, struct probes_view *view)
{
	struct process *process;
	struct probed probed = { .modules = MODULES_INIT };
	struct maps maps = MAPS_INIT;
	struct buf why = BUF_INIT;
	int err = process__open(pid, &process, &why);

	if (err == -EACCES) {
		view->forbidden++;
		buf__printf(&view->refusals, "%s\n", buf__str(&why));
	}
	buf__free(&why);
	if (err)
		return 0;
	probed.process = process;
	if (maps__read(&maps, process) == 0 &&
	    modules__scan_maps(&probed.modules, process, &maps, cache, NULL) == 0)
		probed.runtime = runtime__identify(process, &maps, &probed.modules);
	if (probed.runtime && probed.runtime->has_probes)
		err = probes_view__listed(view, &probed);
	else if (probed.runtime && is_loadable(&probed, &maps))
		buf__printf(&view->loadable, "%s%d", view->loadable.len ? ", " : "", pid);
	maps__free(&maps);
	forget(&probed);
	process__free(process);
	return err;
}

static bool list_all(struct note_cache *cache, struct probes_view *view)
{
	pid_t *pids;
	size_t count;
	int err = process__find(NULL, &pids, &count);

	if (err)
		error_errno(err, "cannot list the processes in /proc");
	for (size_t i = 0; i < count && !err; i++)
		err = list_process(pids[i], cache, view);
	free(pids);
	return err == 0;
}

static enum status cmd_probes(const struct invocation *invocation)
{
	const struct probes_settings *settings = invocation->settings;
	bool named = settings->target.processes.count > 0;
	struct note_cache *cache = note_cache__new();
	struct probes_view view;
	struct output output;
	bool fine = false;
	int err;

	output_settings__apply(&settings->output);
	output__init(&output, STDOUT_FILENO, -1, "standard output");
	probes_view__init(&view, &settings->output, &output, !named);
	err = cache ? probes_view__begin(&view) : error_errno(ENOMEM, "probes");
	if (!err)
		fine = named ? show_named(&settings->target, cache, &view) :
			       list_all(cache, &view);
	if (!err)
		err = probes_view__end(&view);
	probes_view__free(&view);
	note_cache__free(cache);
	/* A reader that has seen enough is no failure. */
	if (output.error == -EPIPE)
		return STATUS_FINE;
	return fine && !err ? STATUS_FINE : STATUS_FAILED;
}

static const struct option_use uses[] = {
	{ &target_group, offsetof(struct probes_settings, target) },
	{ &output_group, offsetof(struct probes_settings, output) },
	{ &general_group, 0 },
	{ NULL, 0 },
};

const struct command probes_command = {
	.name = "probes",
	.summary = "Show what a process offers to be seen, or which processes offer anything",
	.operands = "[-p PID|NAME]",
	.about = "With -p: which runtime the process runs, where its probes are, and what they"
		 " tell, level by level (collections, pools, moves, survivals, heap dumps,"
		 " allocations); what is missing, and what can be done for it, such as loading an"
		 " agent. With -v, every probe. The exit status is 1 when the process has no"
		 " probes.\n"
		 "Without -p: the processes of this host that gctrace could attach to now.\n"
		 "Nothing is attached for that.\n",
	.options = uses,
	.settings_size = sizeof(struct probes_settings),
	.run = cmd_probes,
};
