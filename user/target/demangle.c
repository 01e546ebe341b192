/* SPDX-License-Identifier: BSD-2-Clause */
#include "demangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "../base/buf.h"

/* "5State": *at is behind it then, else where it was. A name of no letters ("0") is none. */
static bool take_name(const char **at, const char **name, size_t *len)
{
	const char *letters = *at;
	size_t value = 0;

	while (isdigit((unsigned char)*letters) && value <= 4096)
		value = value * 10 + (size_t)(*letters++ - '0');
	if (!value || value > 4096 || strnlen(letters, value) < value)
		return false;
	*name = letters;
	*len = value;
	*at = letters + value;
	return true;
}

/*
 * Behind a list of template arguments, *at being at its I: names in it are stepped over, the E of
 * each list and name counted.
 */
static bool skip_arguments(const char **at)
{
	unsigned int depth = 0;

	do {
		const char *name;
		size_t len;

		if (isdigit((unsigned char)**at)) {
			if (!take_name(at, &name, &len))
				return false;
			continue;
		}
		/* A literal: its digits are no name's length. */
		if (**at == 'L') {
			*at = strchr(*at, 'E');
			if (!*at)
				return false;
			++*at;
			continue;
		}
		if (**at == 'S' && (*at)[1] && (*at)[1] != '_') {
			*at += 2; /* St, Sa, S0_: its letter is no begin of a list */
			continue;
		}
		if (**at == 'I' || **at == 'N' || **at == 'J' || **at == 'X' || **at == 'F')
			depth++;
		else if (**at == 'E')
			depth--;
		else if (!**at)
			return false;
		++*at;
	} while (depth);
	return true;
}

/* "St" in front of a name is the namespace std. */
static bool take_part(const char **at, struct buf *out, const char **last, size_t *last_len)
{
	const char *name;
	size_t len;

	if (out->len && **at != 'I')
		buf__add_str(out, "::");
	if (take_name(at, &name, &len)) {
		*last = name;
		*last_len = len;
		if (len > 10 && memcmp(name, "_GLOBAL__N", 10) == 0)
			buf__add_str(out, "(anonymous)");
		else
			buf__add(out, name, len);
		return true;
	}
	if (strncmp(*at, "St", 2) == 0) {
		*at += 2;
		buf__add_str(out, "std");
		return true;
	}
	if (((*at)[0] == 'C' || (*at)[0] == 'D') && isdigit((unsigned char)(*at)[1]) && *last) {
		buf__printf(out, "%s%.*s", **at == 'D' ? "~" : "", (int)*last_len, *last);
		*at += 2;
		return true;
	}
	return **at == 'I' && skip_arguments(at);
}

static bool take_nested(const char *at, struct buf *out)
{
	const char *last = NULL;
	size_t last_len = 0;

	while (*at && strchr("rVKRO", *at))
		at++;
	while (*at && *at != 'E')
		if (!take_part(&at, out, &last, &last_len))
			return false;
	return *at == 'E' && out->len;
}

static bool take_all(const char *name, struct buf *out)
{
	const char *last = NULL;
	size_t last_len = 0;

	if (name[0] != '_' || name[1] != 'Z')
		return false;
	name += 2;
	if (*name == 'L')
		name++;
	if (*name == 'N')
		return take_nested(name + 1, out);
	return isdigit((unsigned char)*name) && take_part(&name, out, &last, &last_len);
}

void demangle__add(struct buf *out, const char *name)
{
	const char *version = strchr(name, '@');
	struct buf plain = BUF_INIT;

	if (take_all(name, &plain))
		buf__add(out, buf__str(&plain), plain.len);
	else if (version && version != name)
		buf__add(out, name, (size_t)(version - name));
	else
		buf__add_str(out, name);
	if (plain.error)
		out->error = plain.error;
	buf__free(&plain);
}
