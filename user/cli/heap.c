/* SPDX-License-Identifier: BSD-2-Clause */
/* gctrace heap: what is on the heap, and what keeps it alive; of a live process or a recording. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>

#include "../base/buf.h"
#include "../base/draft.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../model/heap_lives.h"
#include "../view/heap_view.h"
#include "command.h"
#include "heap_dry_run.h"
#include "heap_list.h"
#include "heap_none.h"
#include "heap_page.h"
#include "heap_select.h"
#include "heap_settings.h"
#include "heap_source.h"
#include "option_forms.h"
#include "settings.h"
#include "signals.h"

#define ROOTS_SHOWN 3 /* of each kind, and ... */
#define ROOTS_DEPTH 3 /* levels, unless --roots asks for more */

struct heap_settings {
	const char *type;
	int sort; /* enum heap_sort */
	int by;	  /* enum heap_grouping */
	uint64_t top;
	uint64_t age_least; /* 0: all */
	bool histogram, roots, objects, list, dry_run;
	const char *html;
	uint64_t tree; /* depth; 0: not asked for */
	struct target_settings target;
	struct graph_settings graph;
	struct output_settings output;
};

static const struct heap_settings defaults = { .top = 20 };

static const char *const groupings[] = { "type", "package", "loader", "module", NULL };

static const struct option heap_options[] = {
	{ .name = "type", .kind = OPTION_STRING, .metavar = "GLOB",
	  .offset = offsetof(struct heap_settings, type),
	  .help = "Show only types whose names match this pattern, such as 'shop.*'" },
	{ .name = "sort", .kind = OPTION_CHOICE, .choices = heap_sorts, .default_text = "retained",
	  .offset = offsetof(struct heap_settings, sort),
	  .help = "Order types and objects by what they keep alive, by their own bytes, by how"
		  " many there are, or by name" },
	{ .name = "by", .kind = OPTION_CHOICE, .choices = groupings, .default_text = "type",
	  .offset = offsetof(struct heap_settings, by),
	  .help = "Put types together: by the package in their names (what stands before the last"
		  " '.', '/' or '::'), or by the loader or module that the runtime tells" },
	{ .name = "top", .kind = OPTION_COUNT, .metavar = "COUNT", .default_text = "20",
	  .offset = offsetof(struct heap_settings, top),
	  .help = "How many types, objects or branches of a tree to show; 0: all" },
	{ .name = "histogram", .kind = OPTION_FLAG,
	  .offset = offsetof(struct heap_settings, histogram),
	  .help = "Count the objects and bytes of each type and nothing else: several times as"
		  " fast, in a fraction of the memory; what roots reach or keep alive is not"
		  " looked at" },
	{ .name = "age-at-least", .kind = OPTION_COUNT, .metavar = "COUNT", .min = 1,
	  .offset = offsetof(struct heap_settings, age_least),
	  .help = "Only types of, or only, objects that are known to have survived so many"
		  " collections: of a FILE that was recorded with --moves" },
	{ .name = "roots", .kind = OPTION_FLAG, .offset = offsetof(struct heap_settings, roots),
	  .help = "Show the roots alone, --top of each kind: threads with their frames, statics,"
		  " handles, and what each alone keeps alive" },
	{ .name = "objects", .kind = OPTION_FLAG,
	  .offset = offsetof(struct heap_settings, objects),
	  .help = "Show the objects of --type one by one, with what they refer to" },
	{ .name = "tree", .kind = OPTION_COUNT, .metavar = "DEPTH", .min = 1, .bare = "4",
	  .offset = offsetof(struct heap_settings, tree),
	  .help = "Show the dominator tree, so many objects deep (4): what would go with what" },
	{ .name = "html", .kind = OPTION_STRING, .metavar = "FILE", .completes = "file",
	  .offset = offsetof(struct heap_settings, html),
	  .help = "Write it all as one page for a browser instead, which needs no network:"
		  " findings, the dominator tree to zoom into, types, roots, paths" },
	{ .name = "dry-run", .kind = OPTION_FLAG, .offset = offsetof(struct heap_settings, dry_run),
	  .help = "Estimate how many objects there are and how long a dump would stop the process,"
		  " and make none; a FILE with dumps of the same program makes that sharper" },
	{ .name = "list", .kind = OPTION_FLAG, .offset = offsetof(struct heap_settings, list),
	  .help = "List the heap dumps in the recording FILE, and do nothing else" },
	{ .name = NULL },
};

static const struct option_group heap_group = { "Heap", heap_options };

static const struct option_use options[] = {
	{ &heap_group, 0 },
	{ &target_group, offsetof(struct heap_settings, target) },
	{ &agent_group, offsetof(struct heap_settings, target.load_agent) },
	{ &probing_group, offsetof(struct heap_settings, target.fault_in) },
	{ &way_group, offsetof(struct heap_settings, graph) },
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

static int show_findings(struct heap_view *view, struct heap *heap)
{
	struct findings findings = VEC_INIT;
	int err = no_memory(findings__find(heap, NULL, &findings));

	if (!err)
		err = view->form->findings(view, &findings);
	vec__free(&findings);
	return err;
}

static int show_types(struct heap_view *view, const struct heap *heap,
		      const struct heap_wish *wish)
{
	struct heap_table table = { .ages = NULL };
	struct buf none = BUF_INIT;
	int err = heap_select__types(heap, wish, &table);

	if (!err && !table.list.count)
		err = heap_none__explain(&none, heap, wish);
	err = no_memory(err);
	table.list.none = buf__str(&none);
	if (!err)
		err = view->form->types(view, &table.list);
	buf__free(&none);
	heap_table__free(&table);
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
			const struct heap_wish *wish)
{
	struct heap_places places = VEC_INIT;
	struct buf none = BUF_INIT;
	int err = heap_select__objects(heap, wish, &places);

	if (!err && !places.count)
		err = heap_none__explain(&none, heap, wish);
	err = no_memory(err);
	if (!err)
		err = view->form->objects(view, &(struct heap_object_list){
							places.items, places.count,
							heap_select__most(places.count, wish->top),
							buf__str(&none) });
	buf__free(&none);
	vec__free(&places);
	return err;
}

/* Are there groups? Of loaders and modules only the runtime knows. */
static int look_at_groups(const struct heap *heap, enum heap_grouping by)
{
	struct heap_groups groups;
	int err = no_memory(heap_groups__make(&groups, heap, by));

	if (!err && !heap_groups__has_names(&groups)) {
		error("--by %s: the runtime tells no %ss with its classes; --by package goes by"
		      " their names",
		      groupings[by], groupings[by]);
		err = -ENOENT;
	}
	heap_groups__free(&groups);
	return err;
}

/* Can anything be old? */
static int look_at_ages(const struct heap_heading *heading)
{
	if (heap_lives__collections(heading->lives))
		return 0;
	error("--age-at-least: no collection was followed before %s, so that all ages are 0; record"
	      " with gctrace record --moves --dump=EVERY, and take a later dump",
	      heading->subject);
	return -ENODATA;
}

static int show_overview(struct heap_view *view, struct heap *heap,
			 const struct heap_settings *settings, const struct heap_wish *wish)
{
	int err = show_findings(view, heap);

	if (!err)
		err = show_types(view, heap, wish);
	if (!err && !settings->type && !settings->age_least)
		err = show_roots(view, heap, ROOTS_DEPTH, settings->top ? ROOTS_SHOWN : 0);
	return err;
}

struct showing {
	const struct heap_settings *settings;
	struct draft *draft; /* of the page, if one is wanted */
};

static int show(const void *context, const struct heap_source *source, struct heap_view *view)
{
	const struct showing *showing = context;
	const struct heap_settings *settings = showing->settings;
	struct heap *heap = source->heap;
	const struct heap_wish wish = {
		.type = settings->type,
		.sort = (enum heap_sort)settings->sort,
		.top = settings->top,
		.by = (enum heap_grouping)settings->by,
		.age_least = settings->age_least,
		.lives = source->heading.lives,
	};
	int err;

	if (settings->html)
		return heap_page__write(source, showing->draft);
	err = wish.by >= HEAP_BY_LOADER ? look_at_groups(heap, wish.by) : 0;
	if (!err && wish.age_least)
		err = look_at_ages(&source->heading);
	if (!err)
		err = view->form->heading(view);
	if (!err && settings->objects)
		err = show_objects(view, heap, &wish);
	if (!err && settings->tree)
		err = show_tree(view, heap, settings);
	if (!err && settings->roots)
		err = show_roots(view, heap, UINT64_MAX, settings->top);
	if (!err && settings->histogram)
		err = show_types(view, heap, &wish);
	else if (!err && !settings->objects && !settings->tree && !settings->roots)
		err = show_overview(view, heap, settings, &wish);
	return err ? err : view->form->summary(view);
}

/* ---------------------------------------------------------------- the command */

static const struct option_form forms[] = {
	{ "dry-run", NULL, "makes no dump, so there is nothing else to show" },
	{ "html", NULL, "has everything on one page" },
	{ "list", NULL, "is of the dumps, not of what is in them" },
	{ "histogram", "--type, --sort, --by, --top", NULL },
	{ "objects", "--type, --sort, --top, --age-at-least", NULL },
	{ "tree", "--top", NULL },
	{ "roots", "--top", NULL },
	{ NULL, NULL, NULL },
};

/* Of a live process nothing was followed before its dump: all ages would be 0. */
static void ask_for_recording(const struct heap_settings *settings)
{
	const struct words *processes = &settings->target.processes;

	error("--age-at-least is of a recording, whose objects were followed up to the dump. Make"
	      " one, then ask it:");
	error("  gctrace record -p %s --moves --dump=30s -d 2m --output app.gctrace",
	      processes->count ? escape(processes->items[0]) : "PID");
	error("  gctrace heap app.gctrace@last --age-at-least %" PRIu64, settings->age_least);
}

static bool are_sound(const struct heap_settings *settings, const struct invocation *invocation)
{
	static const struct words none;

	if (!option_forms__agree(forms, &invocation->given, heap_options))
		return false;
	/* A FILE beside the process is what to measure by. */
	if (settings->dry_run)
		return target_settings__process(&settings->target, &none);
	if (settings->list && !invocation->operands.count)
		error("--list is of a recording: give its FILE");
	else if (settings->html && settings->output.form == OUTPUT_JSON)
		error("--html is a form of its own: leave out -o json");
	else if (settings->objects && !settings->type)
		error("--objects needs --type GLOB: the objects of which types? '*' are all");
	else if (settings->age_least && !invocation->operands.count)
		ask_for_recording(settings);
	else if (settings->histogram && (settings->roots || settings->tree || settings->objects))
		error("--histogram has no graph, so that there are no objects, roots or trees to"
		      " show: give it without --objects, --roots and --tree");
	else if (settings->histogram && settings->sort == HEAP_SORT_RETAINED &&
		 option_forms__is_given(&invocation->given, "sort"))
		error("--sort: what types retain is not known with --histogram; expected shallow,"
		      " count or name");
	else if (settings->age_least && (settings->roots || settings->tree))
		error("--age-at-least is of types and objects: without --roots and --tree");
	else if (settings->objects && settings->sort == HEAP_SORT_NAME)
		error("--sort: objects have no names; expected retained, shallow or count");
	else
		return graph_settings__process_or_file(&settings->graph, &settings->target,
						       &invocation->operands);
	return false;
}

static enum status list_dumps(const struct heap_settings *settings, const char *path)
{
	bool is_whole;
	int err;

	output_settings__apply(&settings->output);
	if (signals__install())
		return STATUS_FAILED;
	err = heap_list__show(path, settings->output.form == OUTPUT_JSON, &is_whole);
	if (err && err != -EPIPE)
		return STATUS_FAILED;
	return is_whole || settings->graph.allow_loss ? STATUS_FINE : STATUS_DATA_LOST;
}

/* Before a process stands still for its dump it is known that the page can be written. */
static enum status write_page(const struct graph_request *request,
			      const struct heap_settings *settings)
{
	struct draft draft;
	enum status status;

	if (draft__open(&draft, settings->html))
		return STATUS_FAILED;
	status = graph__show(request, show, &(struct showing){ settings, &draft });
	draft__close(&draft, -ENODATA); /* it is closed, unless no dump came */
	return status;
}

static enum status estimate(const struct heap_settings *settings, const char *earlier)
{
	output_settings__apply(&settings->output);
	if (signals__install())
		return STATUS_FAILED;
	return heap_dry_run(&settings->target, &settings->output, earlier);
}

static enum status run(const struct invocation *invocation)
{
	const struct heap_settings *settings = invocation->settings;
	const struct graph_request request = {
		.graph = &settings->graph,
		.target = &settings->target,
		.output = &settings->output,
		.operands = &invocation->operands,
		.following = settings->histogram ? HEAP_NOT_FOLLOWED :
			     settings->age_least ? HEAP_FOLLOWED :
						   HEAP_FOLLOWED_IF_TOLD,
		.of_a_part = settings->type || settings->age_least,
		.counts_only = settings->histogram,
	};

	if (!are_sound(settings, invocation))
		return command__usage(invocation->command);
	if (settings->dry_run)
		return estimate(settings, invocation->operands.count ?
						  invocation->operands.items[0] :
						  NULL);
	if (settings->list)
		return list_dumps(settings, invocation->operands.items[0]);
	if (settings->html)
		return write_page(&request, settings);
	return graph__show(&request, show, &(struct showing){ settings, NULL });
}

const struct command heap_command = {
	.name = "heap",
	.summary = "What is on the heap and what keeps it alive: findings, types, roots, objects",
	.operands = "-p PID | FILE[@N]",
	.about = "Has a heap dump made, or takes one of a recording or of an hprof file of a JVM,"
		 " and shows what stands out, the types with what they keep alive, and the roots."
		 " Reads types, sizes and references, never the contents of objects. The process"
		 " stands still while its dump is made; Ctrl-C ends that at once, and what came is"
		 " shown.\n"
		 "  gctrace heap -p 4711\n"
		 "  gctrace heap -p 4711 --dry-run\n"
		 "  gctrace heap app.gctrace@2 --tree\n"
		 "  gctrace heap java_pid4711.hprof\n"
		 "  gctrace heap app.gctrace@2 --histogram --sort count\n"
		 "  gctrace heap -p 4711 --html heap.html\n"
		 "  gctrace heap -p 4711 --objects --type 'shop.*' --top 10\n",
	.options = options,
	.defaults = &defaults,
	.settings_size = sizeof(struct heap_settings),
	.operands_min = 0,
	.operands_max = 1,
	.run = run,
};
