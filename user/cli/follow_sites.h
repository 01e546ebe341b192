/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gctrace follow --by: sampled allocations by site, type or object, live or from a recording. Its
 * options are a group of their own.
 */
#ifndef GCTRACE_CLI_FOLLOW_SITES_H
#define GCTRACE_CLI_FOLLOW_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"
#include "site_follower.h"
#include "status.h"

struct output_settings;
struct target_settings;
struct trace_settings;
struct view_settings;

#define SITES_BY_NOTHING (-1)
#define SITES_SAMPLE_BYTES (UINT64_C(512) << 10)

/* Begins as SITES_SETTINGS_DEFAULTS. */
struct sites_settings {
	int by; /* enum sites_by */
	uint64_t age, depth, sample_bytes;
	int as; /* enum site_export */
	const char *output;
};

#define SITES_SETTINGS_DEFAULTS                                              \
	{ .by = SITES_BY_NOTHING, .sample_bytes = SITES_SAMPLE_BYTES,        \
	  .as = SITE_EXPORT_NONE }

extern const struct option_group sites_group;

/*
 * Options without which others have no effect. file: the recording that is read, which is not
 * written over; NULL: none. False after an error message.
 */
bool sites_settings__are_sound(const struct sites_settings *settings, const char *file,
			       const struct target_settings *target, const struct given *given);

struct follow_sites_options {
	const struct sites_settings *sites;
	const char *type;
	uint64_t top, every_ns;
	const struct target_settings *target;
	const struct trace_settings *trace;
	const struct view_settings *view;
	const struct output_settings *output;
	const char *file; /* a recording; NULL: live */
};

enum status follow_sites__run(const struct follow_sites_options *options);

#endif
