/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of options: from a word of the command line to a setting. */
#ifndef GCTRACE_CLI_VALUE_H
#define GCTRACE_CLI_VALUE_H

#include <stdbool.h>

struct option;

/*
 * Read value into setting, as the option's kind says. 0, or negative errno after an error
 * message that names the option, what was expected and what was found.
 */
int value__store(const struct option *option, const char *value, void *setting);

/* Is the word written as a number of the option's kind (time, size, count), in range or not? */
bool value__is_number(const struct option *option, const char *word);

/* What the option expects, in words ("a time such as 500ms, 30s or 2m"). Static. */
const char *value__expected(const struct option *option);

#endif
