/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The groups of options that several commands share, and the settings they fill.
 */
#ifndef GCTRACE_CLI_SETTINGS_H
#define GCTRACE_CLI_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "../view/terminal.h"
#include "options.h"

/* Which processes. */
struct target_settings {
	struct words processes; /* pids and names, as written */
	bool load_agent;	/* into those that need one */
	bool fault_in;		/* probes may wait for the target's memory */
	const char *agent_options; /* what it is told (attach/agent.h); no option's own */
};

extern const struct option_group target_group;

/* Its setting is a bool of its own: target_settings.load_agent, where -p is taken as well. */
extern const struct option_group agent_group;

/* The same: target_settings.fault_in. */
extern const struct option_group probing_group;

/*
 * Did the command line say what to look at: processes by -p, or else (where a recording will
 * do) exactly one FILE? False after an error message: return command__usage().
 */
bool target_settings__process(const struct target_settings *target, const struct words *operands);
bool target_settings__process_or_file(const struct target_settings *target,
				      const struct words *operands);

/* What the output is: for every command that has one. */
enum output_form { OUTPUT_TEXT, OUTPUT_JSON };

struct output_settings {
	int form;                  /* enum output_form */
	int colour;                /* enum colour_when */
	unsigned int verbosity;    /* -v: more lines; -vv: also what gctrace itself does */
};

extern const struct option_group output_group;

/* Take them into use: -vv turns debug() on. */
void output_settings__apply(const struct output_settings *output);

/* How a process is traced, and how long. Begins as TRACE_SETTINGS_DEFAULTS. */
struct trace_settings {
	uint64_t duration_ns;      /* 0: until it ends or is stopped */
	uint64_t count;            /* collections; 0: no limit */
	bool allow_loss;           /* lost data does not change the exit status */
	bool moves;                /* subscribe to moved and surviving ranges */
	bool exact_moves;          /* the same, where that makes pauses longer, too */
};

#define TRACE_SETTINGS_DEFAULTS { .moves = false }

extern const struct option_group trace_group;

/* Which collections are shown, and how. Begins as VIEW_SETTINGS_DEFAULTS. */
struct view_settings {
	uint64_t min_pause_ns;     /* shorter ones are counted, not shown */
	uint64_t top_pauses;       /* longest pauses in the summary */
	bool timestamps;           /* wall clock instead of time since the start */
};

#define VIEW_SETTINGS_DEFAULTS { .top_pauses = 5 }

extern const struct option_group view_group;

#endif
