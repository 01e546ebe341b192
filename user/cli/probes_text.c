/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/capability.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../base/wrap.h"
#include "../target/host.h"
#include "../target/offer.h"
#include "../target/process.h"
#include "../target/runtime.h"
#include "../view/output.h"
#include "probes_form.h"

int probes_text__write(struct probes_view *view)
{
	return output__flush(view->output, &view->text);
}

#define PROGRAM_SHORTEST 16
#define LABEL 13		/* columns */
#define TEXT_AT (2 + LABEL) /* what a label says goes on here */

static void add_label(struct probes_view *view, const char *label)
{
	buf__printf(&view->text, "  %s%-*s%s", terminal__on(&view->terminal, STYLE_DIM), LABEL,
		    label, terminal__off(&view->terminal, STYLE_DIM));
}

/* A sentence behind a label, from `at` on; what goes on below stands there, too. */
static void add_text(struct probes_view *view, size_t at, const char *text)
{
	const struct wrap wrap = { .columns = terminal__text_columns(&view->terminal),
				   .indent = at };

	wrap__add(&view->text, &wrap, at, text);
	buf__add_char(&view->text, '\n');
}

static void add_runtime(struct probes_view *view, const struct runtime *runtime)
{
	add_label(view, "runtime");
	buf__add_str(&view->text, runtime->name);
	if (runtime->version)
		buf__printf(&view->text, " %s", escape(runtime->version));
	if (runtime->collector)
		buf__printf(&view->text, ", collector %s", escape(runtime->collector));
	buf__add_char(&view->text, '\n');
}

/* Where gctrace has one for the runtime. */
static void add_agent(struct probes_view *view, const struct probed *probed)
{
	if (probed->agent == AGENT_NONE)
		return;
	add_label(view, "agent");
	buf__printf(&view->text, "%-4s", probed->agent == AGENT_LOADED ? "yes" : "no");
	add_text(view, TEXT_AT + 4, buf__str(&probed->agent_text));
}

static void add_surroundings(struct probes_view *view, const struct process *process)
{
	if (process->other_mount_ns || process->other_pid_ns || process->other_user_ns) {
		add_label(view, "namespaces");
		buf__printf(&view->text, "its own:%s%s%s; it is pid %d there\n",
			    process->other_mount_ns ? " mount" : "",
			    process->other_pid_ns ? " pid" : "",
			    process->other_user_ns ? " user" : "", process__inner_pid(process));
	}
	if (process->seccomp == PROCESS_SECCOMP_FILTER ||
	    process->seccomp == PROCESS_SECCOMP_STRICT) {
		add_label(view, "seccomp");
		buf__add_str(&view->text, "it has a filter: return probes are not used on it\n");
	}
}

static size_t count_probes(const struct notes *notes, const char *provider)
{
	size_t count = 0;

	for (size_t i = 0; i < notes->probe_count; i++)
		count += strcmp(notes->probes[i].provider, provider) == 0;
	return count;
}

static void add_module(struct probes_view *view, const struct module *module)
{
	const char *separator = " (";
	struct buf text = BUF_INIT;

	add_label(view, "probes in");
	escape__add(&text, module->name, strlen(module->name));
	buf__add_str(&text, module->deleted ? ", deleted" : "");
	for (unsigned int i = 0; i < PROVIDER_COUNT; i++) {
		const char *name = provider__name((enum provider)i);

		if (!(module->providers & 1U << i))
			continue;
		buf__printf(&text, "%s%s: %zu", separator, name,
			    count_probes(module->notes, name));
		separator = ", ";
	}
	buf__add_str(&text, ")");
	add_text(view, TEXT_AT, buf__str(&text));
	buf__free(&text);
	if (module->notes->malformed)
		buf__printf(&view->text, "  %-*s%zu probe%s\n", LABEL, "",
			    module->notes->malformed,
			    module->notes->malformed == 1 ? " makes no sense and is left out" :
			    "s make no sense and are left out");
}

static void add_offer(struct probes_view *view, const struct offer *offer)
{
	enum style style = offer->available ? STYLE_GOOD : STYLE_DIM;

	add_label(view, offer->name);
	buf__printf(&view->text, "%s%-4s%s", terminal__on(&view->terminal, style),
		    offer->available ? "yes" : "no", terminal__off(&view->terminal, style));
	add_text(view, TEXT_AT + 4, offer->text);
}

static void add_probe(struct probes_view *view, const struct probed *probed,
		      const struct module *module, const struct note_probe *probe, bool listened)
{
	(void)probed;
	(void)module;
	buf__add_str(&view->text, "    ");
	escape__add(&view->text, probe->provider, strlen(probe->provider));
	buf__add_char(&view->text, ':');
	escape__add(&view->text, probe->name, strlen(probe->name));
	if (probe->site_count > 1)
		buf__printf(&view->text, ", %zu sites", probe->site_count);
	if (probe->sites[0].semaphore)
		buf__add_str(&view->text, listened ? ", semaphore up" : ", semaphore down");
	buf__add_char(&view->text, '\n');
}

/* Adds to view->listeners. */
static void add_listener(struct probes_view *view, const struct probed *probed,
			 const struct module *module, const struct note_probe *probe,
			 bool listened)
{
	(void)probed;
	(void)module;
	if (!listened)
		return;
	buf__add_char(&view->listeners, ' ');
	escape__add(&view->listeners, probe->name, strlen(probe->name));
}

/* Semaphores that are up now: another tracer is at it. */
static void add_listeners(struct probes_view *view, const struct probed *probed)
{
	size_t none;

	buf__add_str(&view->listeners, "somebody is attached to:");
	none = view->listeners.len;
	probed__each_probe(probed, add_listener, view);
	if (view->listeners.len > none) {
		add_label(view, "in use");
		add_text(view, TEXT_AT, buf__str(&view->listeners));
	}
	buf__reset(&view->listeners);
}

int probes_text__process(struct probes_view *view, const struct probed *probed)
{
	struct offer offers[OFFER_COUNT];
	const char *program = probed__program(probed);
	size_t at, room;

	if (view->shown)
		buf__add_char(&view->text, '\n');
	buf__add_str(&view->text, terminal__on(&view->terminal, STYLE_HEAD));
	at = view->text.len;
	process__describe(probed->process, &view->text);
	at = view->text.len - at;
	buf__printf(&view->text, "%s%s", terminal__off(&view->terminal, STYLE_HEAD),
		    *program ? " " : "");
	room = at + 1 + PROGRAM_SHORTEST < WRAP_COLUMNS ? WRAP_COLUMNS - at - 1 : PROGRAM_SHORTEST;
	probes__add_short(&view->text, escape(program), room);
	buf__add_char(&view->text, '\n');
	add_runtime(view, probed->runtime);
	add_agent(view, probed);
	add_surroundings(view, probed->process);
	for (const struct module *m = probed->modules.first; m; m = m->next)
		add_module(view, m);
	if (probed->runtime->has_probes) {
		offers__find(probed->runtime, &probed->modules, offers);
		for (int i = 0; i < OFFER_COUNT; i++)
			add_offer(view, &offers[i]);
		add_listeners(view, probed);
	}
	if (view->settings->verbosity > 0)
		probed__each_probe(probed, add_probe, view);
	return probes_text__write(view);
}

/* Without the right to look one remedy is for all of them; with it each is a case of its own. */
static void tell_forbidden(const struct probes_view *view)
{
	const char *line = buf__str(&view->refusals), *stop;

	if (view->forbidden && !host__has_capability(CAP_SYS_PTRACE)) {
		note("processes that the kernel forbids to look at: %zu; run gctrace as root, or"
		     " give it CAP_SYS_PTRACE",
		     view->forbidden);
		return;
	}
	for (; (stop = strchr(line, '\n')); line = stop + 1)
		note("%.*s", (int)(stop - line), line);
}

int probes_text__end(struct probes_view *view)
{
	if (!view->listing)
		return 0;
	if (!view->shown)
		note("no process here has probes that gctrace knows");
	if (view->loadable.len)
		note("gctrace's agent can be loaded (--load-agent) into pid %s",
		     buf__str(&view->loadable));
	tell_forbidden(view);
	return 0;
}
