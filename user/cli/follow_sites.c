/* SPDX-License-Identifier: BSD-2-Clause */
#include "follow_sites.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "../attach/session.h"
#include "../attach/target.h"
#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/files.h"
#include "../base/report.h"
#include "../target/offer.h"
#include "../target/process.h"
#include "../target/runtime.h"
#include "live.h"
#include "option_forms.h"
#include "settings.h"
#include "signals.h"
#include "trace.h"

#define EVERY_NS (10 * NS_PER_S)
#define MOST_BYTES (UINT64_C(1) << 30)

#define SITES(field) offsetof(struct sites_settings, field)

static const char *const by[] = { "site", "type", "object", NULL };
static const char *const formats[] = { "pprof", "folded", "folded-allocated", "folded-old", NULL };

static const struct option sites_options[] = {
	{ .name = "by", .kind = OPTION_CHOICE, .choices = by, .offset = SITES(by),
	  .help = "Show what lives of sampled allocations: by the stack that allocated it, by type,"
		  " or one by one. HotSpot needs gctrace's agent for it (--load-agent)" },
	{ .name = "age-at-least", .kind = OPTION_COUNT, .metavar = "COUNT", .offset = SITES(age),
	  .default_text = "0",
	  .help = "With --by: count as alive only what survived so many collections" },
	{ .name = "depth", .kind = OPTION_COUNT, .metavar = "FRAMES", .offset = SITES(depth),
	  .max = UINT32_MAX, .default_text = "0",
	  .help = "With --by site: put sites together whose innermost frames, so many, are the"
		  " same; 1: the lines that allocate, whoever called them; 0: whole stacks" },
	{ .name = "sample-every", .kind = OPTION_BYTES, .metavar = "SIZE",
	  .offset = SITES(sample_bytes), .max = MOST_BYTES, .default_text = "512KiB",
	  .help = "With --by and --load-agent: take one allocation for each SIZE bytes, in the"
		  " mean. Less is more exact and costs the program more; 0: every allocation" },
	{ .name = "as", .kind = OPTION_CHOICE, .choices = formats, .offset = SITES(as),
	  .help = "With --by and --output: write what there is at the end for other tools. pprof"
		  " has what was allocated, what lives and what lives in the old generation; folded"
		  " is what lives, for a flame graph" },
	{ .name = "output", .kind = OPTION_STRING, .metavar = "FILE", .completes = "file",
	  .offset = SITES(output), .help = "With --by and --as: the file to write" },
	{ .name = NULL },
};

const struct option_group sites_group = { "Sites", sites_options };

/* ---------------------------------------------------------------- settings */

bool sites_settings__are_sound(const struct sites_settings *settings, const char *file,
			       const struct target_settings *target, const struct given *given)
{
	const struct option *stray = option_forms__beyond(given, sites_options, "");

	if (settings->by == SITES_BY_NOTHING && stray)
		error("--%s is for --by: give --by site, --by type or --by object", stray->name);
	else if (option_forms__is_given(given, "depth") && settings->by != SITES_BY_SITE)
		error("--depth is for --by site");
	else if ((settings->as == SITE_EXPORT_NONE) != !settings->output)
		error("--as and --output belong together: %s",
		      settings->output ? "in which format?" : "into which file?");
	else if (settings->output && file && files__are_one(settings->output, file))
		error("%s cannot be both the recording and what is exported",
		      escape(settings->output));
	else if (option_forms__is_given(given, "sample-every") && !target->load_agent)
		error("--sample-every is what gctrace's agent is told: give it with --load-agent");
	else
		return true;
	return false;
}

/* ---------------------------------------------------------------- live */

static int turn(void *context)
{
	return site_follower__turn(context);
}

static int look_at_offers(const struct session *session)
{
	int err = -ENOENT;

	for (uint32_t i = 0; i < session__target_count(session); i++) {
		const struct target *target = session__target(session, i);
		struct offer offers[OFFER_COUNT];

		if (!target->runtime)
			continue;
		offers__find(target->runtime, &target->modules, offers);
		if (offers[OFFER_ALLOCATIONS].available)
			err = 0;
		else
			error("%s in pid %d tells no sampled allocations: %s",
			      target->runtime->name ? target->runtime->name : "the runtime",
			      target->process->pid, offers[OFFER_ALLOCATIONS].text);
	}
	return err;
}

static int begin(struct trace *trace, const struct follow_sites_options *options)
{
	const struct live_options live_options = {
		.levels = LEVEL_ALLOCATIONS,
		.fault_in = options->target->fault_in,
	};
	struct target_settings target = *options->target;
	char sample[32];
	int err = trace__open_live(trace, &live_options);

	snprintf(sample, sizeof(sample), "sample=%" PRIu64, options->sites->sample_bytes);
	target.agent_options = sample;
	if (!err)
		err = live__add_named(trace->live, &target);
	if (!err)
		err = look_at_offers(live__session(trace->live));
	return err ? err : trace__begin(trace);
}

/* ---------------------------------------------------------------- both */

static void say_none(const struct follow_sites_options *options)
{
	if (options->file)
		warning("%s tells no samples that are followed: record with gctrace record"
			" --samples", escape(options->file));
	else
		warning("no sample was told that is followed: the program allocated too little to"
			" be sampled, or its runtime tells samples without what becomes of them");
}

static enum status trace_it(struct trace *trace, struct site_follower *follower,
			    const struct follow_sites_options *options)
{
	const struct trace_hooks hooks = { .context = follower, .turn = turn };
	int err;

	site_follower__join(follower, trace);
	if (options->file ? trace__open_file(trace, options->file) : begin(trace, options))
		return STATUS_FAILED;
	err = options->file ? trace__read(trace) : trace__follow(trace, &hooks);
	return trace__finish(trace, err);
}

enum status follow_sites__run(const struct follow_sites_options *options)
{
	const struct sites_settings *sites = options->sites;
	const struct site_follower_options follower_options = {
		.by = (enum sites_by)sites->by,
		.depth = (uint32_t)sites->depth,
		.age = sites->age,
		.top = options->top,
		.type = options->type,
		.every_ns = options->every_ns || options->file ? options->every_ns : EVERY_NS,
		.as = (enum site_export)sites->as,
		.output = sites->output,
		.verbose = options->output->verbosity > 0,
		.live = !options->file,
	};
	struct site_follower *follower;
	enum status status = STATUS_FAILED;
	struct trace trace;

	if (signals__install() || site_follower__new(&follower_options, &follower))
		return STATUS_FAILED;
	trace__init(&trace, options->trace, options->view, options->output);
	if (site_follower__begin(follower) == 0)
		status = trace_it(&trace, follower, options);
	if (status == STATUS_FINE && site_follower__is_contradicted(follower) &&
	    !options->trace->allow_loss)
		status = STATUS_DATA_LOST;
	if (status != STATUS_FAILED && !site_follower__knew(follower))
		say_none(options);
	if (site_follower__end(follower, status == STATUS_FAILED ? -ECANCELED : 0))
		status = STATUS_FAILED;
	trace__close(&trace);
	site_follower__free(follower);
	return status;
}
