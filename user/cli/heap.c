/* SPDX-License-Identifier: BSD-2-Clause */
/* gctrace heap: what is on the heap, and what keeps it alive; of a live process or a recording. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <unistd.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../stream/dump_list.h"
#include "../view/heap_view.h"
#include "../view/json_fields.h"
#include "../view/output.h"
#include "../view/terminal.h"
#include "command.h"
#include "gctrace/wire.h"
#include "heap_select.h"
#include "heap_settings.h"
#include "heap_source.h"
#include "settings.h"
#include "signals.h"

#define ROOTS_SHOWN 3 /* of each kind, and ... */
#define ROOTS_DEPTH 3 /* levels, unless --roots asks for more */

struct heap_settings {
	const char *type;
	int sort; /* enum heap_sort */
	uint64_t top;
	bool roots, objects, list;
	uint64_t tree; /* depth; 0: not asked for */
	struct target_settings target;
	struct graph_settings graph;
	struct output_settings output;
};

static const struct heap_settings defaults = { .top = 20 };

static const struct option heap_options[] = {
	{ .name = "type", .kind = OPTION_STRING, .metavar = "GLOB",
	  .offset = offsetof(struct heap_settings, type),
	  .help = "Show only types whose names match this pattern, such as 'shop.*'" },
	{ .name = "sort", .kind = OPTION_CHOICE, .choices = heap_sorts, .default_text = "retained",
	  .offset = offsetof(struct heap_settings, sort),
	  .help = "Order types and objects by what they keep alive, by their own bytes, by how"
		  " many there are, or by name" },
	{ .name = "top", .kind = OPTION_COUNT, .metavar = "COUNT", .default_text = "20",
	  .offset = offsetof(struct heap_settings, top),
	  .help = "How many types, objects or branches of a tree to show; 0: all" },
	{ .name = "roots", .kind = OPTION_FLAG, .offset = offsetof(struct heap_settings, roots),
	  .help = "Show the roots alone, --top of each kind: threads with their frames, statics,"
		  " handles, and what each alone keeps alive" },
	{ .name = "objects", .kind = OPTION_FLAG,
	  .offset = offsetof(struct heap_settings, objects),
	  .help = "Show the objects of --type one by one, with what they refer to" },
	{ .name = "tree", .kind = OPTION_COUNT, .metavar = "DEPTH", .min = 1, .bare = "4",
	  .offset = offsetof(struct heap_settings, tree),
	  .help = "Show the dominator tree, so many objects deep (4): what would go with what" },
	{ .name = "list", .kind = OPTION_FLAG, .offset = offsetof(struct heap_settings, list),
	  .help = "List the heap dumps in the recording FILE, and do nothing else" },
	{ .name = NULL },
};

static const struct option_group heap_group = { "Heap", heap_options };

static const struct option_use options[] = {
	{ &heap_group, 0 },
	{ &target_group, offsetof(struct heap_settings, target) },
	{ &graph_group, offsetof(struct heap_settings, graph) },
	{ &output_group, offsetof(struct heap_settings, output) },
	{ &general_group, 0 },
	{ NULL, 0 },
};

/* ---------------------------------------------------------------- what is shown */

static int no_memory(int err)
{
	return err == -ENOMEM ? error_errno(err, "cannot show the heap") : err;
}

static int show_findings(struct heap_view *view, const struct heap *heap)
{
	struct findings findings = VEC_INIT;
	int err = no_memory(findings__find(heap, &findings));

	if (!err)
		err = view->form->findings(view, &findings);
	vec__free(&findings);
	return err;
}

static int show_types(struct heap_view *view, const struct heap *heap,
		      const struct heap_settings *settings)
{
	struct heap_lines lines = VEC_INIT;
	struct heap_type_list list;
	int err = no_memory(heap_select__types(heap, settings->type,
					       (enum heap_sort)settings->sort, settings->top,
					       &lines, &list));

	if (!err)
		err = view->form->types(view, &list);
	vec__free(&lines);
	return err;
}

static int show_roots(struct heap_view *view, const struct heap *heap, uint64_t depth,
		      uint64_t most)
{
	struct outline outline = VEC_INIT;
	int err = no_memory(outline__roots(heap, depth, most, &outline));

	if (!err)
		err = view->form->roots(view, &outline);
	vec__free(&outline);
	return err;
}

static int show_tree(struct heap_view *view, const struct heap *heap,
		     const struct heap_settings *settings)
{
	struct outline outline = VEC_INIT;
	int err = no_memory(outline__objects(heap, settings->tree, settings->top, &outline));

	if (!err)
		err = view->form->tree(view, &outline);
	vec__free(&outline);
	return err;
}

static int show_objects(struct heap_view *view, const struct heap *heap,
			const struct heap_settings *settings)
{
	struct heap_places places = VEC_INIT;
	int err = no_memory(heap_select__objects(heap, settings->type,
						 (enum heap_sort)settings->sort, &places));

	if (!err)
		err = view->form->objects(view, &(struct heap_object_list){
							places.items, places.count,
							heap_select__most(places.count,
									  settings->top) });
	vec__free(&places);
	return err;
}

static int show(struct heap_view *view, const struct heap *heap,
		const struct heap_settings *settings)
{
	int err = view->form->heading(view);

	if (!err && settings->objects)
		err = show_objects(view, heap, settings);
	if (!err && settings->tree)
		err = show_tree(view, heap, settings);
	if (!err && settings->roots)
		err = show_roots(view, heap, UINT64_MAX, settings->top);
	if (!err && !settings->objects && !settings->tree && !settings->roots) {
		err = show_findings(view, heap);
		if (!err)
			err = show_types(view, heap, settings);
		if (!err && !settings->type)
			err = show_roots(view, heap, ROOTS_DEPTH, settings->top ? ROOTS_SHOWN : 0);
	}
	return err ? err : view->form->summary(view);
}

/* ---------------------------------------------------------------- the list of a recording */

static void add_text_entry(struct buf *out, size_t number, const struct dump_entry *entry)
{
	char objects[UNITS_TEXT] = "-", bytes[UNITS_TEXT] = "-", gc[UNITS_TEXT] = "-";
	char took[UNITS_TEXT] = "-";
	const char *state = entry->ended_ns == EVENT_UNKNOWN ? "has no end here" :
			    entry->status != GCTRACE_DUMP_COMPLETE ? "was stopped" :
			    entry->lost				    ? "lacks what was lost" :
								      "complete";

	if (entry->objects != EVENT_UNKNOWN)
		units__count_column(objects, entry->objects);
	if (entry->bytes != EVENT_UNKNOWN)
		units__bytes_column(bytes, entry->bytes);
	if (entry->gc != EVENT_UNKNOWN)
		units__exact(gc, entry->gc);
	if (entry->ended_ns != EVENT_UNKNOWN)
		units__ns_column(took, entry->ended_ns - entry->begun_ns);
	buf__printf(out, "%6zu %8s %*s %*s %*s  %s\n", number, gc, UNITS_COUNT_COLUMNS, objects,
		    UNITS_BYTES_COLUMNS, bytes, UNITS_NS_COLUMNS, took, state);
}

static int write_json_entry(struct json *json, struct output *output, size_t number,
			    const struct dump_entry *entry)
{
	json__event(json, "dump", 0);
	json__u64(json, "in_file", number);
	json__known(json, "dump", entry->number);
	json__known(json, "gc", entry->gc);
	json__known(json, "start_ns", entry->begun_ns);
	json__known(json, "end_ns", entry->ended_ns);
	json__known(json, "objects", entry->objects);
	json__known(json, "references", entry->references);
	json__known(json, "roots", entry->roots);
	json__known(json, "bytes", entry->bytes);
	json__bool(json, "complete", entry->ended_ns != EVENT_UNKNOWN &&
					     entry->status == GCTRACE_DUMP_COMPLETE && !entry->lost);
	return json__write(json, output);
}

static int write_list(const struct dump_list *list, struct output *output, bool as_json)
{
	struct json json = JSON_INIT;
	struct buf out = BUF_INIT;
	int err = 0;

	buf__printf(&out, "%6s %8s %8s %8s %8s  %s\n", "dump", "after gc", "objects", "bytes",
		    "took", "state");
	for (size_t i = 0; i < list->count && !err; i++) {
		if (as_json)
			err = write_json_entry(&json, output, i + 1, &list->items[i]);
		else
			add_text_entry(&out, i + 1, &list->items[i]);
	}
	if (!err && out.error)
		err = error_errno(out.error, "cannot list the heap dumps");
	if (!err && !as_json)
		err = output__write(output, buf__str(&out), out.len);
	json__free(&json);
	buf__free(&out);
	return err;
}

static enum status list_dumps(const struct heap_settings *settings, const char *path)
{
	struct dump_list list = VEC_INIT;
	struct output output;
	int err = dump_list__read(&list, path);

	output__init(&output, STDOUT_FILENO, signals__stop_fd(), "standard output");
	if (!err && !list.count) {
		error("%s holds no heap dump; gctrace record --dump puts them in", escape(path));
		err = -ENOENT;
	}
	if (!err)
		err = write_list(&list, &output, settings->output.form == OUTPUT_JSON);
	vec__free(&list);
	return err && err != -EPIPE ? STATUS_FAILED : STATUS_FINE;
}

/* ---------------------------------------------------------------- the command */

static bool are_sound(const struct heap_settings *settings, const struct invocation *invocation)
{
	if (settings->list && !invocation->operands.count)
		error("--list is of a recording: give its FILE");
	else if (settings->objects && !settings->type)
		error("--objects needs --type GLOB: the objects of which types? '*' are all");
	else if (settings->objects && settings->sort == HEAP_SORT_NAME)
		error("--sort: objects have no names; expected retained, shallow or count");
	else
		return target_settings__process_or_file(&settings->target, &invocation->operands);
	return false;
}

static enum status run(const struct invocation *invocation)
{
	const struct heap_settings *settings = invocation->settings;
	struct heap_source source;
	struct graph_view to;
	int err;

	if (!are_sound(settings, invocation))
		return command__usage(invocation->command);
	output_settings__apply(&settings->output);
	if (signals__install())
		return STATUS_FAILED;
	if (settings->list)
		return list_dumps(settings, invocation->operands.items[0]);
	heap_source__init(&source);
	graph_view__init(&to);
	err = graph_settings__take(&settings->graph, &settings->target, &invocation->operands,
				   &source);
	if (!err)
		err = graph_view__open(&to, &source, &settings->output);
	if (!err)
		err = show(to.view, source.heap, settings);
	graph_view__close(&to);
	return graph_settings__status(&settings->graph, &source, err);
}

const struct command heap_command = {
	.name = "heap",
	.summary = "What is on the heap and what keeps it alive: findings, types, roots, objects",
	.operands = "-p PID | FILE[@N]",
	.about = "Has a heap dump made, or takes one of a recording, and shows what stands out, the"
		 " types with what they keep alive, and the roots. Reads types, sizes and"
		 " references, never the contents of objects. The process stands still while its"
		 " dump is made; Ctrl-C ends that at once, and what came is shown.\n"
		 "  gctrace heap -p 4711\n"
		 "  gctrace heap app.gctrace@2 --tree\n"
		 "  gctrace heap -p 4711 --objects --type 'shop.*' --top 10\n",
	.options = options,
	.defaults = &defaults,
	.settings_size = sizeof(struct heap_settings),
	.operands_min = 0,
	.operands_max = 1,
	.run = run,
};
