/* SPDX-License-Identifier: BSD-2-Clause */
/* gctrace path: who keeps an object alive, or all objects of a type. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../model/heap_paths.h"
#include "../model/heap_referrers.h"
#include "../view/heap_view.h"
#include "command.h"
#include "heap_select.h"
#include "heap_settings.h"
#include "heap_source.h"
#include "settings.h"

#define STEPS_MOST UINT64_C(10000000) /* looked at for further paths to one object */

struct path_settings {
	const char *type;
	uint64_t address; /* 0: none */
	uint64_t id;	  /* 0: none */
	uint64_t top;
	bool merge, largest, retained;
	struct target_settings target;
	struct graph_settings graph;
	struct output_settings output;
};

static const struct path_settings defaults = { .top = 5 };

static const struct option path_options[] = {
	{ .name = "type", .kind = OPTION_STRING, .metavar = "GLOB",
	  .offset = offsetof(struct path_settings, type),
	  .help = "The objects whose type's name matches this pattern: the shortest path to each,"
		  " the shortest of them first" },
	{ .name = "address", .kind = OPTION_ADDRESS, .metavar = "ADDRESS",
	  .offset = offsetof(struct path_settings, address),
	  .help = "The object that begins at this address (hexadecimal): all paths to it, the"
		  " shortest first. Objects move, so this is mostly of use with a FILE" },
	{ .name = "id", .kind = OPTION_COUNT, .metavar = "ID", .min = 1,
	  .offset = offsetof(struct path_settings, id),
	  .help = "The same of the object with this id, as gctrace follow and heap --objects give"
		  " it: of a FILE, since ids live in one trace" },
	{ .name = "top", .kind = OPTION_COUNT, .metavar = "COUNT", .default_text = "5",
	  .offset = offsetof(struct path_settings, top),
	  .help = "How many paths to show, with --merge branches of a branch; 0: all" },
	{ .name = "merge", .kind = OPTION_FLAG, .offset = offsetof(struct path_settings, merge),
	  .help = "Show the shortest paths to all objects of --type as one tree, with how many"
		  " objects each branch leads to" },
	{ .name = "largest", .kind = OPTION_FLAG,
	  .offset = offsetof(struct path_settings, largest),
	  .help = "Begin with those objects of --type that keep the most bytes alive, instead of"
		  " those with the shortest paths" },
	{ .name = "retained", .kind = OPTION_FLAG,
	  .offset = offsetof(struct path_settings, retained),
	  .help = "Also show what would be freed with each object, by type" },
	{ .name = NULL },
};

static const struct option_group path_group = { "Paths", path_options };

static const struct option_use options[] = {
	{ &path_group, 0 },
	{ &target_group, offsetof(struct path_settings, target) },
	{ &agent_group, offsetof(struct path_settings, target.load_agent) },
	{ &probing_group, offsetof(struct path_settings, target.fault_in) },
	{ &way_group, offsetof(struct path_settings, graph) },
	{ &graph_group, offsetof(struct path_settings, graph) },
	{ &output_group, offsetof(struct path_settings, output) },
	{ &general_group, 0 },
	{ NULL, 0 },
};

/* What one run works with. */
struct finding_paths {
	const struct path_settings *settings;
	struct heap *heap;
	const struct heap_lives *lives; /* NULL: not followed */
	struct heap_view *view;
	struct heap_paths *paths;
};

/* ---------------------------------------------------------------- errors */

static int say(const struct finding_paths *of, int err)
{
	if (err == -EDQUOT)
		return heap_source__over_limit("paths need", heap__memory_limit(of->heap));
	if (err == -ENOMEM)
		error("the system has no memory for paths");
	return err;
}

/* ---------------------------------------------------------------- what is shown */

static int show_freed(const struct finding_paths *of, uint32_t place)
{
	struct heap_lines lines = VEC_INIT;
	struct heap_type_list list;
	int err;

	if (!of->settings->retained)
		return 0;
	err = say(of, heap_select__freed(of->heap, place, 10, &lines, &list));
	if (!err)
		err = of->view->form->freed(of->view, place, &list);
	vec__free(&lines);
	return err;
}

static int show_shortest(const struct finding_paths *of, uint32_t place)
{
	struct path_way way = VEC_INIT;
	int err = say(of, path_way__take(&way, of->paths, place));

	if (!err && way.count)
		err = of->view->form->path(of->view, &(struct heap_way){ way.items, way.count });
	if (!err && way.count)
		err = show_freed(of, place);
	vec__free(&way);
	return err;
}

/* One more than is wanted is looked for: it is not shown, but told. */
static int show_found(const struct finding_paths *of, struct heap_path_search *search)
{
	const uint64_t top = of->settings->top;
	struct heap_way way = { NULL, 0 };
	uint64_t found = 0;
	int err;

	while ((err = heap_path_search__next(search, &way.places, &way.count)) > 0) {
		if (top && found++ == top) {
			note("there are more paths; --top 0 shows all of them");
			return 0;
		}
		err = of->view->form->path(of->view, &way);
		if (err)
			return err;
	}
	if (!err && heap_path_search__is_cut(search))
		note("there may be more paths: gctrace stopped looking after %" PRIu64 " steps",
		     STEPS_MOST);
	return say(of, err);
}

/* All ways to one object, as many as are wanted. */
static int show_all(const struct finding_paths *of, uint32_t place)
{
	struct heap_referrers *referrers = NULL;
	struct heap_path_search *search = NULL;
	int err = heap_referrers__new(of->heap, &referrers);

	if (!err)
		err = heap_path_search__new(of->paths, referrers, place, STEPS_MOST, &search);
	err = err ? say(of, err) : show_found(of, search);
	heap_path_search__free(search);
	heap_referrers__free(referrers);
	return err ? err : show_freed(of, place);
}

struct near {
	uint32_t length, place;
	uint64_t retained;
};

static int by_retained(const void *a, const void *b)
{
	const struct near *x = a, *y = b;

	if (x->retained != y->retained)
		return x->retained < y->retained ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static int by_length(const void *a, const void *b)
{
	const struct near *x = a, *y = b;

	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return by_retained(a, b);
}

/* Those that no root reaches are counted, and have no path. */
static int show_each(const struct finding_paths *of, const struct heap_places *places)
{
	VEC(struct near) near = VEC_INIT;
	uint64_t unreached = 0;
	size_t shown;
	int err = 0;

	for (size_t i = 0; i < places->count && !err; i++) {
		const uint32_t place = places->items[i];
		const uint32_t length = heap_paths__length(of->paths, place);

		unreached += length == HEAP_NONE;
		if (length != HEAP_NONE)
			err = vec__push(&near, (struct near){ length, place,
							      heap__retained(of->heap, place) });
	}
	vec__sort(&near, of->settings->largest ? by_retained : by_length);
	shown = heap_select__most(near.count, of->settings->top);
	err = say(of, err);
	for (size_t i = 0; i < shown && !err; i++)
		err = show_shortest(of, near.items[i].place);
	if (!err && shown < near.count)
		note("%zu more object%s; --merge shows the paths to all of them as a tree",
		     near.count - shown, near.count - shown == 1 ? " matches" : "s match");
	if (!err && unreached)
		note("%" PRIu64 " of the objects that match %s not reached by any root", unreached,
		     unreached == 1 ? "is" : "are");
	vec__free(&near);
	return err;
}

static int no_object(const struct finding_paths *of)
{
	error("no object on this heap has a type that matches \"%s\"; gctrace heap shows the types",
	      escape(of->settings->type));
	return -ENOENT;
}

static int show_merged(const struct finding_paths *of)
{
	struct path_merge merge = { .memory = heap__memory_left(of->heap) };
	bool *wanted = heap_select__globs(of->heap, of->settings->type);
	int err = wanted ? path_merge__add(&merge, of->heap, of->paths, wanted) : -ENOMEM;

	free(wanted);
	if (!err)
		err = path_merge__order(&merge, of->settings->top);
	err = say(of, err);
	if (!err && !merge.objects)
		err = no_object(of);
	if (!err)
		err = of->view->form->heading(of->view);
	if (!err)
		err = of->view->form->merged(of->view, &merge);
	path_merge__free(&merge);
	return err;
}

static int show_type(const struct finding_paths *of)
{
	const struct heap_wish wish = { .type = of->settings->type, .sort = HEAP_SORT_RETAINED };
	struct heap_places places = VEC_INIT;
	int err;

	if (of->settings->merge)
		return show_merged(of);
	err = say(of, heap_select__objects(of->heap, &wish, &places));
	if (!err && !places.count)
		err = no_object(of);
	if (!err)
		err = of->view->form->heading(of->view);
	if (!err)
		err = show_each(of, &places);
	vec__free(&places);
	return err;
}

static int show_one(const struct finding_paths *of)
{
	const struct path_settings *settings = of->settings;
	uint32_t place;
	int err = settings->id ?
			  heap_select__find_id(of->heap, of->lives, settings->id, &place) :
			  heap_select__find(of->heap, settings->address, &place);

	if (!err)
		err = of->view->form->heading(of->view);
	if (err)
		return err;
	if (heap_paths__length(of->paths, place) == HEAP_NONE) {
		note("no root reaches the object at 0x%" PRIx64 ": nothing keeps it alive",
		     heap__object(of->heap, place).address);
		return 0;
	}
	return show_all(of, place);
}

static int show(const void *context, const struct heap_source *source, struct heap_view *view)
{
	struct finding_paths of = { .settings = context, .heap = source->heap,
				    .lives = source->heading.lives, .view = view };
	int err = say(&of, heap_paths__new(of.heap, &of.paths));

	if (!err)
		err = of.settings->type ? show_type(&of) : show_one(&of);
	if (!err)
		err = view->form->summary(view);
	heap_paths__free(of.paths);
	return err;
}

/* ---------------------------------------------------------------- the command */

static bool are_sound(const struct path_settings *settings, const struct invocation *invocation)
{
	if (!!settings->type + !!settings->address + !!settings->id != 1)
		error("which objects? give one of --type GLOB, --address ADDRESS and --id ID");
	else if (settings->id && !invocation->operands.count)
		error("--id is of a recording, since ids live in one trace: give its FILE");
	else if (settings->merge && !settings->type)
		error("--merge is of many objects: give --type GLOB");
	else if (settings->largest && (!settings->type || settings->merge))
		error("--largest orders the objects of --type GLOB: give that, and not --merge");
	else if (settings->merge && settings->retained)
		error("--retained is of single objects, --merge of all: give one of them");
	else
		return graph_settings__process_or_file(&settings->graph, &settings->target,
						       &invocation->operands);
	return false;
}

static enum status run(const struct invocation *invocation)
{
	const struct path_settings *settings = invocation->settings;
	const struct graph_request request = {
		.graph = &settings->graph,
		.target = &settings->target,
		.output = &settings->output,
		.operands = &invocation->operands,
		.following = settings->id ? HEAP_FOLLOWED : HEAP_FOLLOWED_IF_TOLD,
	};

	if (!are_sound(settings, invocation))
		return command__usage(invocation->command);
	return graph__show(&request, show, settings);
}

const struct command path_command = {
	.name = "path",
	.summary = "Who keeps an object alive: the paths from a root to it, field by field",
	.operands = "-p PID | FILE[@N]",
	.about = "Takes a heap dump as gctrace heap does, and shows the ways by which roots lead to"
		 " the objects that are asked for.\n"
		 "  gctrace path app.gctrace --type 'shop.Order' --merge\n"
		 "  gctrace path -p 4711 --type 'shop.Cache' --largest --top 1\n"
		 "  gctrace path app.gctrace@2 --address 0x7f1234567890 --retained\n"
		 "  gctrace path app.gctrace@last --id 4711\n",
	.options = options,
	.defaults = &defaults,
	.settings_size = sizeof(struct path_settings),
	.operands_min = 0,
	.operands_max = 1,
	.run = run,
};
