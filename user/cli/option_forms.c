/* SPDX-License-Identifier: BSD-2-Clause */
#include "option_forms.h"

#include <string.h>

#include "../base/report.h"

bool option_forms__is_given(const struct given *given, const char *name)
{
	for (size_t i = 0; i < given->count; i++)
		if (strcmp(given->items[i]->name, name) == 0)
			return true;
	return false;
}

/* Is it one of "--top, --sort"? */
static bool is_among(const char *list, const char *name)
{
	const size_t len = strlen(name);

	for (const char *at = list; (at = strstr(at, "--")); at += strcspn(at, ","))
		if (strncmp(at + 2, name, len) == 0 && (at[2 + len] == ',' || !at[2 + len]))
			return true;
	return false;
}

const struct option *option_forms__beyond(const struct given *given, const struct option *options,
					  const char *with)
{
	for (const struct option *o = options; o->name; o++)
		if (option_forms__is_given(given, o->name) && !is_among(with, o->name))
			return o;
	return NULL;
}

/* NULL: there is no such form. */
static const struct option_form *find(const struct option_form *forms, const char *name)
{
	for (; forms->name; forms++)
		if (strcmp(forms->name, name) == 0)
			return forms;
	return NULL;
}

static bool is_alone(const struct option_form *form, const struct given *given,
		     const struct option *options)
{
	for (const struct option *o = options; o->name; o++) {
		if (!option_forms__is_given(given, o->name) || strcmp(o->name, form->name) == 0)
			continue;
		error("--%s %s: give it without --%s", form->name, form->alone, o->name);
		return false;
	}
	return true;
}

/* On a form that was chosen. `of` becomes the last of those. */
static bool has_effect(const struct option_form *forms, const struct given *given,
		       const struct option *option, const struct option_form **of)
{
	for (*of = NULL; forms->name; forms++) {
		if (!option_forms__is_given(given, forms->name))
			continue;
		*of = forms;
		if (is_among(forms->with, option->name))
			return true;
	}
	return !*of;
}

bool option_forms__agree(const struct option_form *forms, const struct given *given,
			 const struct option *options)
{
	const struct option_form *of;

	for (of = forms; of->name; of++)
		if (!of->with && option_forms__is_given(given, of->name))
			return is_alone(of, given, options);
	for (const struct option *o = options; o->name; o++) {
		if (!option_forms__is_given(given, o->name) || find(forms, o->name) ||
		    has_effect(forms, given, o, &of))
			continue;
		error("--%s has no effect with --%s, which goes with %s", o->name, of->name,
		      of->with);
		return false;
	}
	return true;
}
