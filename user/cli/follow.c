/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gctrace follow: objects through collections, live from a first heap dump on, or from a recording
 * that has dumps and moves in it.
 */
#include <errno.h>
#include <stddef.h>

#include "../attach/session.h"
#include "../attach/target.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../target/offer.h"
#include "../target/process.h"
#include "../target/runtime.h"
#include "command.h"
#include "dumper.h"
#include "follow_sites.h"
#include "follower.h"
#include "live.h"
#include "option_forms.h"
#include "settings.h"
#include "signals.h"
#include "trace.h"

#define NO_GC UINT64_MAX

struct follow_settings {
	const char *type;
	uint64_t id;
	uint64_t address; /* 0: none */
	uint64_t at;
	uint64_t every_ns;
	uint64_t top;
	struct sites_settings sites;
	struct target_settings target;
	struct trace_settings trace;
	struct output_settings output;
};

static const struct follow_settings defaults = {
	.at = NO_GC,
	.top = 20,
	.sites = SITES_SETTINGS_DEFAULTS,
	.trace = TRACE_SETTINGS_DEFAULTS,
};

static const struct view_settings view = VIEW_SETTINGS_DEFAULTS;

static const struct option follow_options[] = {
	{ .name = "type", .kind = OPTION_STRING, .metavar = "GLOB",
	  .offset = offsetof(struct follow_settings, type),
	  .help = "Show only types whose names match this pattern, such as 'shop.*'" },
	{ .name = "top", .kind = OPTION_COUNT, .metavar = "COUNT", .default_text = "20",
	  .offset = offsetof(struct follow_settings, top),
	  .help = "How many types or sites to show, those with the most bytes alive; 0: all" },
	{ .name = "id", .kind = OPTION_COUNT, .metavar = "ID", .min = 1,
	  .offset = offsetof(struct follow_settings, id),
	  .help = "Show the history of this object, a line for each collection. Ids are given in"
		  " the order in which objects are seen; those of a recording stay the same" },
	{ .name = "address", .kind = OPTION_ADDRESS, .metavar = "ADDRESS",
	  .offset = offsetof(struct follow_settings, address),
	  .help = "The same of the object that begins at this address (hexadecimal) after the"
		  " collection of --at" },
	{ .name = "at", .kind = OPTION_COUNT, .metavar = "GC", .max = NO_GC - 1,
	  .offset = offsetof(struct follow_settings, at),
	  .help = "The number of the collection for --address" },
	{ .name = "every", .kind = OPTION_DURATION, .metavar = "TIME", .min = 1,
	  .offset = offsetof(struct follow_settings, every_ns),
	  .help = "Have another heap dump made each time that this has passed, such as 30s: it"
		  " shows how right the model is, and from the third one on what only grows. The"
		  " process stands still while a dump is made. With --by no dump is made: show"
		  " what lives so often (default: 10s; not of a recording)" },
	{ .name = NULL },
};

static const struct option_group follow_group = { "Follow", follow_options };

static const struct option_use options[] = {
	{ &follow_group, 0 },
	{ &sites_group, offsetof(struct follow_settings, sites) },
	{ &target_group, offsetof(struct follow_settings, target) },
	{ &agent_group, offsetof(struct follow_settings, target.load_agent) },
	{ &probing_group, offsetof(struct follow_settings, target.fault_in) },
	{ &output_group, offsetof(struct follow_settings, output) },
	{ &trace_group, offsetof(struct follow_settings, trace) },
	{ &general_group, 0 },
	{ NULL, 0 },
};

struct following {
	struct trace trace;
	struct dumper dumper;
	struct follower *follower;
	bool is_dumping;
};

/* ---------------------------------------------------------------- what a process offers */

static void say_lack(const struct target *target, const char *what, const char *then,
		     const struct offer *offer)
{
	const char *runtime = target->runtime->name ? target->runtime->name : "its runtime";

	warning("%s in pid %d tells no %s (%s); %s", runtime, target->process->pid, what,
		offer->text, then);
}

/* Can anything of it be followed? What is missing is said. */
static bool is_followable(const struct target *target, const struct offer *offers, bool *has_dump)
{
	bool moves, dump;

	moves = target__wants_moves(target) &&
		(offers[OFFER_MOVES].available || offers[OFFER_SURVIVALS].available);
	dump = offers[OFFER_DUMP].available;
	*has_dump |= dump;
	if (!moves && !dump) {
		const char *name = target->runtime->name;

		error("%s in pid %d cannot be followed: no moves (%s), and no heap dump (%s);"
		      " gctrace -p %d shows its collections",
		      name ? name : "the runtime", target->process->pid,
		      offers[OFFER_MOVES].text, offers[OFFER_DUMP].text, target->process->pid);
	} else if (!dump && !offers[OFFER_ALLOCATIONS].available) {
		say_lack(target, "objects", "what moves and dies is known by its bytes only",
			 &offers[OFFER_DUMP]);
	} else if (!dump) {
		say_lack(target, "heap dump", "only objects whose allocation it samples are known",
			 &offers[OFFER_DUMP]);
	} else if (!moves) {
		say_lack(target, "moves",
			 "its objects are known from a dump to the next collection only",
			 &offers[OFFER_MOVES]);
	}
	return moves || dump;
}

static int look_at_offers(struct following *following)
{
	struct session *session = live__session(following->trace.live);
	bool followable = false;
	int err = 0;

	for (uint32_t i = 0; i < session__target_count(session) && !err; i++) {
		struct target *target = session__target(session, i);
		struct offer offers[OFFER_COUNT];

		if (!target->runtime)
			continue;
		offers__find(target->runtime, &target->modules, offers);
		followable |= is_followable(target, offers, &following->is_dumping);
		if (offers__tell_births(target->runtime, offers))
			err = session__want(session, target, LEVEL_ALLOCATIONS);
	}
	return err ? err : followable ? 0 : -ENOENT;
}

/* ---------------------------------------------------------------- live */

static int turn(void *context)
{
	struct following *following = context;

	if (following->is_dumping)
		dumper__turn(&following->dumper);
	return follower__turn(following->follower);
}

/* Enough was seen, or a stop was asked for: what is under way is not waited for. */
static bool may_stop(void *context, bool hurry)
{
	struct following *following = context;

	(void)hurry;
	return !following->is_dumping || dumper__may_stop(&following->dumper, true);
}

static int begin(struct following *following, const struct target_settings *target)
{
	const struct live_options live_options = {
		.levels = LEVEL_MOVES | LEVEL_DUMP,
		.fault_in = target->fault_in,
	};
	int err = trace__open_live(&following->trace, &live_options);

	if (!err)
		err = live__add_named(following->trace.live, target);
	if (!err)
		err = look_at_offers(following);
	if (!err)
		follower__join(following->follower, &following->trace,
			       following->is_dumping ? &following->dumper : NULL);
	if (!err)
		err = trace__begin(&following->trace);
	if (!err && following->is_dumping)
		dumper__begin(&following->dumper, following->trace.live);
	return err;
}

static enum status follow_processes(struct following *following,
				    const struct target_settings *target)
{
	const struct trace_hooks hooks = {
		.context = following,
		.turn = turn,
		.may_stop = may_stop,
		.wait_ns = DUMPER_TURN_NS,
	};
	enum status status = STATUS_FAILED;
	int err;

	if (begin(following, target) == 0) {
		err = trace__follow(&following->trace, &hooks);
		if (err == -EPIPE)
			dumper__drop(&following->dumper);
		status = trace__finish(&following->trace, err);
	}
	dumper__end(&following->dumper);
	return status == STATUS_FINE && following->dumper.failed ? STATUS_FAILED : status;
}

/* ---------------------------------------------------------------- a recording */

static void say_what_lacks(const struct following *following, const char *path)
{
	if (follower__anchors(following->follower)) {
		if (follower__lacked_moves(following->follower))
			warning("%s: no moves were recorded: its objects are known from a dump to"
				" the next collection only; record with gctrace record --moves"
				" --dump (HotSpot: --exact-moves --dump)",
				escape(path));
		return;
	}
	if (following->trace.tracing->count || following->trace.tracing->duration_ns)
		warning("%s: no whole heap dump in the part that -n and -d let be read",
			escape(path));
	else if (follower__knew_objects(following->follower))
		warning("%s has no heap dump in it: only objects whose allocation was sampled are"
			" known; record with gctrace record --moves --dump",
			escape(path));
	else
		warning("%s tells no objects: there is no heap dump in it; what moved and died is"
			" known by its bytes, if at all; record with gctrace record --moves --dump",
			escape(path));
}

static enum status read_file(struct following *following, const char *path)
{
	enum status status;

	follower__join(following->follower, &following->trace, NULL);
	if (trace__open_file(&following->trace, path))
		return STATUS_FAILED;
	status = trace__finish(&following->trace, trace__read(&following->trace));
	if (status != STATUS_FAILED)
		say_what_lacks(following, path);
	return status;
}

/* ---------------------------------------------------------------- the command */

/* What one object's history goes with, and what lives by site. */
static const struct option_form forms[] = {
	{ "id", "--every", NULL },
	{ "address", "--at, --every", NULL },
	{ "by", "--type, --top, --every", NULL },
	{ NULL, NULL, NULL },
};

static bool are_sound(const struct follow_settings *settings, const struct invocation *invocation)
{
	const char *file = invocation->operands.count ? invocation->operands.items[0] : NULL;
	const bool by = settings->sites.by != SITES_BY_NOTHING;

	if (invocation->operands.count && settings->every_ns && !by)
		error("--every is for running processes: a recording has the dumps that it has");
	else if (settings->id && settings->address)
		error("--id and --address exclude each other: one object at a time");
	else if (by && (settings->id || settings->address))
		error("--by shows sampled objects, --id and --address one of a heap dump: give one"
		      " of them");
	else if (!settings->address != (settings->at == NO_GC))
		error("--address and --at belong together: the address after which collection?");
	else
		return target_settings__process_or_file(&settings->target,
							&invocation->operands) &&
		       sites_settings__are_sound(&settings->sites, file, &settings->target,
						 &invocation->given) &&
		       option_forms__agree(forms, &invocation->given, follow_options);
	return false;
}

static enum status follow_by_site(const struct follow_settings *settings,
				  const struct invocation *invocation)
{
	const struct follow_sites_options of = {
		.sites = &settings->sites,
		.type = settings->type,
		.top = settings->top,
		.every_ns = settings->every_ns,
		.target = &settings->target,
		.trace = &settings->trace,
		.view = &view,
		.output = &settings->output,
		.file = invocation->operands.count ? invocation->operands.items[0] : NULL,
	};

	return follow_sites__run(&of);
}

static enum status run(const struct invocation *invocation)
{
	const struct follow_settings *settings = invocation->settings;
	struct following following = {
		.dumper = { .every_ns = settings->every_ns, .is_quiet = true },
	};
	const bool is_file = invocation->operands.count > 0;
	const struct follower_options follower_options = {
		.type = settings->type,
		.top = settings->top,
		.id = settings->id,
		.by_address = settings->address != 0,
		.address = settings->address,
		.at = settings->at,
		.live = !is_file,
	};
	enum status status;

	if (!are_sound(settings, invocation))
		return command__usage(invocation->command);
	output_settings__apply(&settings->output);
	if (settings->sites.by != SITES_BY_NOTHING)
		return follow_by_site(settings, invocation);
	if (signals__install() || follower__new(&follower_options, &following.follower))
		return STATUS_FAILED;
	trace__init(&following.trace, &settings->trace, &view, &settings->output);
	if (is_file)
		status = read_file(&following, invocation->operands.items[0]);
	else
		status = follow_processes(&following, &settings->target);
	if (status != STATUS_FAILED && !follower__found(following.follower))
		status = STATUS_FAILED;
	trace__close(&following.trace);
	follower__free(following.follower);
	return status;
}

const struct command follow_command = {
	.name = "follow",
	.summary = "Follow objects through collections: who moves, ages, is promoted, dies, only"
		   " grows",
	.operands = "-p PID | FILE",
	.about = "Has a heap dump made, and from there on knows each object while the collector"
		 " moves it. Shows a line for each collection, and at the end what became of the"
		 " objects, type by type; on a terminal a table of types that is kept up to date."
		 " The process stands still while a dump is made.\n"
		 "  gctrace follow -p 4711 --every 30s -d 5m\n"
		 "  gctrace record -p 4711 --moves --dump --output app.gctrace\n"
		 "  gctrace follow app.gctrace --id 4242\n"
		 "With --by no dump is made: allocations are sampled, and what lives is shown by"
		 " the stack that allocated it, by type or sample by sample, with its age in"
		 " collections. All of it is estimated and says how surely; sites of which the old"
		 " objects only grow are named.\n"
		 "  gctrace follow -p 4711 --load-agent --by site\n",
	.options = options,
	.defaults = &defaults,
	.settings_size = sizeof(struct follow_settings),
	.operands_min = 0,
	.operands_max = 1,
	.run = run,
};
