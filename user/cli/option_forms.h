/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options that choose what a command shows, and those that have an effect on it. An option that
 * would be taken and change nothing is refused: whoever gave it thinks that it did.
 */
#ifndef GCTRACE_CLI_OPTION_FORMS_H
#define GCTRACE_CLI_OPTION_FORMS_H

#include <stdbool.h>

#include "options.h"

struct option_form {
	const char *name;  /* of the option that chooses it; NULL closes a table */
	const char *with;  /* "--top, --sort": what has an effect on it; NULL: it is given alone */
	const char *alone; /* why, behind its name: "has everything on one page" */
};

bool option_forms__is_given(const struct given *given, const char *name);

/*
 * The first of a group's options that was given and is not among `with` (as above); NULL: none.
 */
const struct option *option_forms__beyond(const struct given *given, const struct option *options,
					  const char *with);

/*
 * Has each of a group's options that were given an effect on a form that was chosen? All have
 * where none was. False after an error message: return command__usage().
 */
bool option_forms__agree(const struct option_form *forms, const struct given *given,
			 const struct option *options);

#endif
