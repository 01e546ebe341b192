/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes_view.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/shorten.h"
#include "../target/process.h"
#include "../target/runtime.h"
#include "../target/semaphore.h"
#include "../view/output.h"
#include "probes_form.h"

void probes_view__init(struct probes_view *view, const struct output_settings *settings,
		       struct output *output, bool listing)
{
	*view = (struct probes_view){
		.settings = settings,
		.output = output,
		.listing = listing,
		.json = JSON_INIT,
		.text = BUF_INIT,
	};
	terminal__init(&view->terminal, output->fd, (enum colour_when)settings->colour);
}

void probes_view__free(struct probes_view *view)
{
	json__free(&view->json);
	buf__free(&view->text);
	buf__free(&view->listeners);
	buf__free(&view->refusals);
	buf__free(&view->loadable);
}

static bool as_json(const struct probes_view *view)
{
	return view->settings->form == OUTPUT_JSON;
}

/* Do words on this runtime's command line name a program (a script, a class)? */
static bool runs_programs(const struct runtime *runtime)
{
	return runtime->kind != RUNTIME_UNKNOWN && runtime->kind != RUNTIME_PROBES &&
	       runtime->kind != RUNTIME_GO;
}

const char *probed__program(const struct probed *probed)
{
	static const char *const with_value[] = {
		"-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules",
	};
	const struct process *process = probed->process;
	const char *at = process->cmdline, *end = at + process->cmdline_len;

	if (!runs_programs(probed->runtime))
		return "";
	for (at += strlen(at) + 1; at < end; at += strlen(at) + 1) {
		if (*at != '-')
			return at;
		for (size_t i = 0; i < sizeof(with_value) / sizeof(with_value[0]); i++)
			if (strcmp(at, with_value[i]) == 0 && at + strlen(at) + 1 < end) {
				at += strlen(at) + 1;
				break;
			}
	}
	return "";
}

void probes__add_short(struct buf *out, const char *text, size_t columns)
{
	(*text == '/' ? shorten__add_end : shorten__add)(out, text, strlen(text), columns);
}

/* Is somebody attached to this probe? False too where nothing tells. */
static bool is_listened_to(pid_t pid, int memory, const struct module *module,
			   const struct note_probe *probe)
{
	uint16_t value;

	return memory >= 0 && semaphore__read(pid, memory, module, probe, &value) == 0 &&
	       value > 0;
}

void probed__each_probe(const struct probed *probed, probed_act act, struct probes_view *view)
{
	int memory = semaphore__open_memory(probed->process);

	for (const struct module *m = probed->modules.first; m; m = m->next)
		for (size_t i = 0; i < m->notes->probe_count; i++) {
			const struct note_probe *probe = &m->notes->probes[i];

			if (provider__find(probe->provider) != PROVIDER_COUNT)
				act(view, probed, m, probe,
				    is_listened_to(probed->process->pid, memory, m, probe));
		}
	if (memory >= 0)
		close(memory);
}

int probes_view__begin(struct probes_view *view)
{
	return as_json(view) ? probes_json__begin(view) : 0;
}

int probes_view__process(struct probes_view *view, const struct probed *probed)
{
	int err = as_json(view) ? probes_json__process(view, probed) :
				  probes_text__process(view, probed);

	view->shown++;
	return err;
}

int probes_view__listed(struct probes_view *view, const struct probed *probed)
{
	int err = as_json(view) ? probes_json__listed(view, probed) :
				  probes_list__add(view, probed);

	view->shown++;
	return err;
}

int probes_view__end(struct probes_view *view)
{
	return as_json(view) ? probes_json__end(view) : probes_text__end(view);
}
