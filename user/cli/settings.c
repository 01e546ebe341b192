/* SPDX-License-Identifier: BSD-2-Clause */
#include "settings.h"

#include <stddef.h>

#include "../base/escape.h"
#include "../base/report.h"

#define TARGET(field) offsetof(struct target_settings, field)
#define OUTPUT(field) offsetof(struct output_settings, field)
#define TRACE(field) offsetof(struct trace_settings, field)
#define VIEW(field) offsetof(struct view_settings, field)

static const struct option target_options[] = {
	{ .name = "pid", .letter = 'p', .kind = OPTION_WORDS, .metavar = "PID|NAME[,...]",
	  .offset = TARGET(processes), .completes = "process",
	  .help = "The process to trace, by its id or its name; several parted by commas, or by"
		  " giving the option again" },
	{ .name = NULL },
};

const struct option_group target_group = { "Target", target_options };

static const struct option agent_options[] = {
	{ .name = "load-agent", .kind = OPTION_FLAG,
	  .help = "Load gctrace's agent into a runtime that has no probes of its own (.NET 8 and"
		  " later; HotSpot, for heap dumps and sampled allocations), unless it is there"
		  " already: what is done is said. Without this nothing in a process is changed" },
	{ .name = NULL },
};

const struct option_group agent_group = { "Agent", agent_options };

static const struct option probing_options[] = {
	{ .name = "fault-in", .kind = OPTION_FLAG,
	  .help = "Have the probes' BPF programs wait for memory of the process that is not present"
		  " (swapped out, never touched), where it would be counted as lost. Dangerous with"
		  " a process that you do not trust: it decides how long that takes, and while it"
		  " lasts no tracer on this host can detach. Needs Linux 6.0" },
	{ .name = NULL },
};

const struct option_group probing_group = { "Probing", probing_options };

static const char *const forms[] = { "text", "json", NULL };
static const char *const colours[] = { "auto", "always", "never", NULL };

static const struct option output_options[] = {
	{ .name = "format", .letter = 'o', .kind = OPTION_CHOICE, .choices = forms,
	  .offset = OUTPUT(form), .default_text = "text",
	  .help = "The form of the output: lines for people, or NDJSON (one JSON object a line)" },
	{ .name = "verbose", .letter = 'v', .kind = OPTION_LEVEL, .offset = OUTPUT(verbosity),
	  .help = "Show more (a line for each pool and phase); twice: also what gctrace itself"
		  " does, for bug reports" },
	{ .name = "color", .kind = OPTION_CHOICE, .choices = colours, .offset = OUTPUT(colour),
	  .default_text = "auto",
	  .help = "Colour the text; auto is on a terminal, unless NO_COLOR is set" },
	{ .name = NULL },
};

const struct option_group output_group = { "Output", output_options };

static const struct option trace_options[] = {
	{ .name = "duration", .letter = 'd', .kind = OPTION_DURATION, .metavar = "TIME",
	  .offset = TRACE(duration_ns), .min = 1,
	  .help = "Stop after this time, such as 500ms, 30s or 2m; otherwise when the process ends,"
		  " or by Ctrl-C" },
	{ .name = "count", .letter = 'n', .kind = OPTION_COUNT, .metavar = "COUNT",
	  .offset = TRACE(count), .min = 1,
	  .help = "Stop after this many collections" },
	{ .name = "moves", .kind = OPTION_FLAG, .offset = TRACE(moves),
	  .help = "Take in what moved and what survived, object range by object range, where the"
		  " runtime tells; without it the trace is as light as the runtime allows" },
	{ .name = "exact-moves", .kind = OPTION_FLAG, .offset = TRACE(exact_moves),
	  .help = "A diagnostic for HotSpot 17 to 25 with G1, Parallel or Serial and gctrace's"
		  " agent in it: each move of young collections, exact, as --moves takes them in."
		  " It makes each pause longer by about 15 ns for every object of the young"
		  " generation, the dead included: what else it does not tell is said" },
	{ .name = "allow-loss", .kind = OPTION_FLAG, .offset = TRACE(allow_loss),
	  .help = "Exit with 0 instead of 3 when data was lost (it is still told)" },
	{ .name = NULL },
};

const struct option_group trace_group = { "Tracing", trace_options };

static const struct option view_options[] = {
	{ .name = "min-pause", .kind = OPTION_DURATION, .metavar = "TIME",
	  .offset = VIEW(min_pause_ns),
	  .help = "Show only collections with a pause of at least this; all are counted" },
	{ .name = "top-pauses", .kind = OPTION_COUNT, .metavar = "COUNT",
	  .offset = VIEW(top_pauses), .default_text = "5", .max = 1000000,
	  .help = "How many of the longest pauses the summary lists" },
	{ .name = "timestamps", .kind = OPTION_FLAG, .offset = VIEW(timestamps),
	  .help = "Show wall clock time (RFC 3339) instead of the time since the start" },
	{ .name = NULL },
};

const struct option_group view_group = { "Collections", view_options };

void output_settings__apply(const struct output_settings *output)
{
	report__verbose(output->verbosity >= 2);
}

bool target_settings__process(const struct target_settings *target, const struct words *operands)
{
	if (target->processes.count == 0)
		error("which process? give -p PID or -p NAME");
	else if (operands->count)
		error("\"%s\" is neither option nor value; processes are given by -p",
		      escape(operands->items[0]));
	else
		return true;
	return false;
}

bool target_settings__process_or_file(const struct target_settings *target,
				      const struct words *operands)
{
	if (target->load_agent && operands->count)
		error("--load-agent is for running processes, and %s is the file of a recording",
		      escape(operands->items[0]));
	else if (target->processes.count && operands->count)
		error("-p and the recording %s exclude each other", escape(operands->items[0]));
	else if (operands->count > 1)
		error("one recording at a time; found %s and %s", escape(operands->items[0]),
		      escape(operands->items[1]));
	else if (target->processes.count == 0 && operands->count == 0)
		error("which process? give -p PID, -p NAME, or the file of a recording");
	else
		return true;
	return false;
}
