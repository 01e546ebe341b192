/* SPDX-License-Identifier: BSD-2-Clause */
#include "../target/offer.h"
#include "../target/process.h"
#include "../target/runtime.h"
#include "../view/json_fields.h"
#include "../view/output.h"
#include "probes_form.h"
#include "version.h"

static void json_agent(struct json *json, const struct probed *probed)
{
	static const char *const states[] = {
		[AGENT_REFUSED] = "refused",
		[AGENT_LOADABLE] = "loadable",
		[AGENT_LOADED] = "loaded",
	};

	if (probed->agent == AGENT_NONE)
		return;
	json__string(json, "agent", states[probed->agent]);
	json__string(json, "agent_text", buf__str(&probed->agent_text));
}

static void json_process(struct json *json, const struct probed *probed)
{
	const struct process *process = probed->process;
	const struct runtime *runtime = probed->runtime;

	json__event(json, "process", (uint64_t)process->pid);
	json__u64(json, "inner_pid", (uint64_t)process__inner_pid(process));
	json__string(json, "name", process->comm);
	json__string(json, "program", probed__program(probed));
	json__string(json, "executable", process->exe);
	json__u64(json, "uid", process->uid);
	if (runtime->kind != RUNTIME_UNKNOWN)
		json__string(json, "runtime", runtime->name);
	if (runtime->version)
		json__string(json, "runtime_version", runtime->version);
	if (runtime->collector)
		json__string(json, "collector", runtime->collector);
	json__bool(json, "attachable", runtime->has_probes);
	if (runtime->advice)
		json__string(json, "advice", runtime->advice);
	json_agent(json, probed);
	json__array(json, "namespaces");
	if (process->other_mount_ns)
		json__string(json, NULL, "mount");
	if (process->other_pid_ns)
		json__string(json, NULL, "pid");
	if (process->other_user_ns)
		json__string(json, NULL, "user");
	json__end(json);
	if (process->seccomp != PROCESS_SECCOMP_UNKNOWN)
		json__bool(json, "seccomp", process->seccomp != PROCESS_SECCOMP_NONE);
}

static void json_module(struct json *json, const struct probed *probed,
			const struct module *module)
{
	json__event(json, "module", (uint64_t)probed->process->pid);
	json__string(json, "path", module->name);
	json__bool(json, "deleted", module->deleted);
	json__address(json, "address", module->start);
	json__address(json, "bias", module->bias);
	json__array(json, "providers");
	for (unsigned int i = 0; i < PROVIDER_COUNT; i++)
		if (module->providers & 1U << i)
			json__string(json, NULL, provider__name((enum provider)i));
	json__end(json);
	json__u64(json, "malformed", module->notes->malformed);
}

static void json_level(struct json *json, const struct probed *probed,
		       const struct offer *offer)
{
	json__event(json, "level", (uint64_t)probed->process->pid);
	json__string(json, "name", offer->name);
	json__bool(json, "available", offer->available);
	json__string(json, "text", offer->text);
}

/* One line; view->json.error is what each_probe() cannot return. */
static void json_probe(struct probes_view *view, const struct probed *probed,
		      const struct module *module,
		       const struct note_probe *probe, bool listened)
{
	struct json *json = &view->json;

	if (view->output->error)
		return;
	json__event(json, "probe", (uint64_t)probed->process->pid);
	json__string(json, "path", module->name);
	json__string(json, "provider", probe->provider);
	json__string(json, "name", probe->name);
	json__array(json, "sites");
	for (size_t i = 0; i < probe->site_count; i++) {
		json__object(json, NULL);
		json__address(json, "address", probe->sites[i].address + module->bias);
		json__address(json, "offset", probe->sites[i].offset);
		if (probe->sites[i].semaphore)
			json__address(json, "semaphore", probe->sites[i].semaphore + module->bias);
		json__string(json, "arguments", probe->sites[i].arguments);
		json__end(json);
	}
	json__end(json);
	if (probe->sites[0].semaphore)
		json__bool(json, "in_use", listened);
	(void)json__write(json, view->output);
}

int probes_json__process(struct probes_view *view, const struct probed *probed)
{
	struct offer offers[OFFER_COUNT];
	struct json *json = &view->json;
	int err;

	json_process(json, probed);
	err = json__write(json, view->output);
	for (const struct module *m = probed->modules.first; m && !err; m = m->next) {
		json_module(json, probed, m);
		err = json__write(json, view->output);
	}
	offers__find(probed->runtime, &probed->modules, offers);
	for (int i = 0; i < OFFER_COUNT && !err; i++) {
		json_level(json, probed, &offers[i]);
		err = json__write(json, view->output);
	}
	if (!err)
		probed__each_probe(probed, json_probe, view);
	return err ? err : view->output->error;
}

int probes_json__listed(struct probes_view *view, const struct probed *probed)
{
	json_process(&view->json, probed);
	return json__write(&view->json, view->output);
}

int probes_json__begin(struct probes_view *view)
{
	json__event(&view->json, "header", 0);
	json__string(&view->json, "gctrace", version__string());
	return json__write(&view->json, view->output);
}

int probes_json__end(struct probes_view *view)
{
	json__event(&view->json, "summary", 0);
	json__bool(&view->json, "complete", !view->forbidden && !view->unseen);
	json__u64(&view->json, "processes", view->shown);
	json__u64(&view->json, "forbidden", view->forbidden);
	return json__write(&view->json, view->output);
}
