/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where samples of threads go for other tools: --as FORMAT --output FILE of gctrace sample.
 *
 *	sample_export__begin(&export, &settings)	before rights are given up, see draft.h
 *	...
 *	sample_export__end(&export, ...)		the file is there, or not at all
 */
#ifndef GCTRACE_CLI_SAMPLE_EXPORT_H
#define GCTRACE_CLI_SAMPLE_EXPORT_H

#include <stdbool.h>

#include "../base/draft.h"
#include "options.h"

struct call_stacks;
struct sample_heading;
struct sampling;

struct sample_export_settings {
	int as; /* an index of its own; negative: nothing is exported */
	const char *output;
};

#define SAMPLE_EXPORT_DEFAULTS { .as = -1 }

/* Lies at a struct sample_export_settings. */
extern const struct option_group sample_export_group;

/*
 * Of a recording that is written or read meanwhile (NULL: of none) the exported file must be
 * another one. False after an error message: return command__usage().
 */
bool sample_export_settings__are_sound(const struct sample_export_settings *settings,
				       const char *recording);

struct sample_export {
	const struct sample_export_settings *settings;
	struct draft draft;
	bool is_open;
};

/* All zero before. 0, also where nothing is exported; or negative errno after an error message. */
int sample_export__begin(struct sample_export *export,
			 const struct sample_export_settings *settings);

/* err: how it went so far; negative: there is no file. The same, or an error of its own, said. */
int sample_export__end(struct sample_export *export, const struct sample_heading *heading,
		       const struct sampling *sampling, const struct call_stacks *stacks, int err);

#endif
