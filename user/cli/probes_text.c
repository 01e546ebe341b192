/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/capability.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../target/host.h"
#include "../target/offer.h"
#include "../target/process.h"
#include "../target/runtime.h"
#include "../view/output.h"
#include "probes_form.h"

const struct column probes_columns[PROBES_COLUMNS] = {
	{ "pid", 8, ALIGN_RIGHT },
	{ "name", 15, ALIGN_LEFT },
	{ "runtime", 14, ALIGN_LEFT },
	{ "version", 24, ALIGN_LEFT },
	{ "collector", 10, ALIGN_LEFT },
	{ "program", 30, ALIGN_LEFT },
};

static int write_text(struct probes_view *view)
{
	int err = view->text.error ? error_errno(view->text.error, "probes") :
				     output__write(view->output, view->text.data, view->text.len);

	buf__reset(&view->text);
	return err;
}

#define LABEL 13 /* columns */

static void add_label(struct probes_view *view, const char *label)
{
	buf__printf(&view->text, "  %s%-*s%s", terminal__on(&view->terminal, STYLE_DIM), LABEL,
		    label, terminal__off(&view->terminal, STYLE_DIM));
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

	add_label(view, "probes in");
	escape__add(&view->text, module->name, strlen(module->name));
	buf__add_str(&view->text, module->deleted ? ", deleted" : "");
	for (unsigned int i = 0; i < PROVIDER_COUNT; i++) {
		const char *name = provider__name((enum provider)i);

		if (!(module->providers & 1U << i))
			continue;
		buf__printf(&view->text, "%s%s: %zu", separator, name,
			    count_probes(module->notes, name));
		separator = ", ";
	}
	buf__add_str(&view->text, ")\n");
	if (module->notes->malformed)
		buf__printf(&view->text, "  %-*s%zu probes make no sense and are left out\n",
			    LABEL, "", module->notes->malformed);
}

static void add_offer(struct probes_view *view, const struct offer *offer)
{
	enum style style = offer->available ? STYLE_GOOD : STYLE_DIM;

	add_label(view, offer->name);
	buf__printf(&view->text, "%s%-4s%s%s\n", terminal__on(&view->terminal, style),
		    offer->available ? "yes" : "no", terminal__off(&view->terminal, style),
		    offer->text);
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

static void add_listener(struct probes_view *view, const struct probed *probed,
		      const struct module *module,
			 const struct note_probe *probe, bool listened)
{
	(void)probed;
	(void)module;
	if (!listened)
		return;
	buf__add_char(&view->text, ' ');
	escape__add(&view->text, probe->name, strlen(probe->name));
}

/* Semaphores that are up now: another tracer is at it. */
static void add_listeners(struct probes_view *view, const struct probed *probed)
{
	size_t before = view->text.len, none;

	add_label(view, "in use");
	buf__add_str(&view->text, "somebody is attached to:");
	none = view->text.len;
	probed__each_probe(probed, add_listener, view);
	if (view->text.len == none)
		buf__truncate(&view->text, before);
	else
		buf__add_char(&view->text, '\n');
}

int probes_text__process(struct probes_view *view, const struct probed *probed)
{
	struct offer offers[OFFER_COUNT];
	const char *program = probed__program(probed);

	if (view->shown)
		buf__add_char(&view->text, '\n');
	buf__add_str(&view->text, terminal__on(&view->terminal, STYLE_HEAD));
	process__describe(probed->process, &view->text);
	buf__printf(&view->text, "%s%s%s\n", terminal__off(&view->terminal, STYLE_HEAD),
		    *program ? " " : "", escape(program));
	add_runtime(view, probed->runtime);
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
	return write_text(view);
}

int probes_text__listed(struct probes_view *view, const struct probed *probed)
{
	const struct process *process = probed->process;
	const struct runtime *runtime = probed->runtime;

	if (!view->shown)
		table__titles(&view->table, &view->text);
	table__cell_printf(&view->table, STYLE_PLAIN, "%d", process->pid);
	table__cell(&view->table, STYLE_PLAIN, process->comm);
	table__cell(&view->table, STYLE_PLAIN, runtime->name);
	table__cell(&view->table, STYLE_PLAIN, runtime->version);
	table__cell(&view->table, STYLE_PLAIN, runtime->collector);
	table__cell(&view->table, STYLE_PLAIN, probed__program(probed));
	table__end_row(&view->table, &view->text);
	return write_text(view);
}

int probes_text__end(struct probes_view *view)
{
	if (!view->listing)
		return 0;
	if (!view->shown)
		note("no process here has probes that gctrace knows");
	if (view->forbidden)
		note("processes that the kernel forbids to look at: %zu%s", view->forbidden,
		     host__has_capability(CAP_SYS_PTRACE) ? "" :
		     "; run gctrace as root, or give it CAP_SYS_PTRACE");
	return 0;
}
