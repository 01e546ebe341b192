/* SPDX-License-Identifier: BSD-2-Clause */
#include "units.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 u128;

struct unit {
	char name[4];
	uint64_t size;
};

#define KIB UINT64_C(1024)

/* For output: ascending, closed by size 0. */
static const struct unit bytes_out[] = {
	{ "B", 1 },
	{ "KiB", KIB },
	{ "MiB", KIB * KIB },
	{ "GiB", KIB * KIB * KIB },
	{ "TiB", KIB * KIB * KIB * KIB },
	{ "PiB", KIB * KIB * KIB * KIB * KIB },
	{ "EiB", KIB * KIB * KIB * KIB * KIB * KIB },
	{ "", 0 },
};

static const struct unit ns_out[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "min", 60 * UINT64_C(1000000000) },
	{ "h", 3600 * UINT64_C(1000000000) },
	{ "d", 86400 * UINT64_C(1000000000) },
	{ "", 0 },
};

static const struct unit count_out[] = {
	{ "", 1 },
	{ "k", 1000 },
	{ "M", 1000000 },
	{ "G", 1000000000 },
	{ "T", UINT64_C(1000000000000) },
	{ "P", UINT64_C(1000000000000000) },
	{ "E", UINT64_C(1000000000000000000) },
	{ "", 0 },
};

/* For input: any order, "" is the unit of a bare number. */
static const struct unit duration_in[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", 60 * UINT64_C(1000000000) },
	{ "min", 60 * UINT64_C(1000000000) },
	{ "h", 3600 * UINT64_C(1000000000) },
	{ "d", 86400 * UINT64_C(1000000000) },
	{ "", 0 },
};

static const struct unit bytes_in[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "K", KIB },
	{ "M", KIB * KIB },
	{ "G", KIB * KIB * KIB },
	{ "T", KIB * KIB * KIB * KIB },
	{ "KiB", KIB },
	{ "MiB", KIB * KIB },
	{ "GiB", KIB * KIB * KIB },
	{ "TiB", KIB * KIB * KIB * KIB },
	{ "kB", 1000 },
	{ "MB", 1000000 },
	{ "GB", 1000000000 },
	{ "TB", UINT64_C(1000000000000) },
	{ "", 0 },
};

static const struct unit count_in[] = {
	{ "", 1 },
	{ "k", 1000 },
	{ "M", 1000000 },
	{ "G", 1000000000 },
	{ "", 0 },
};

/* value in this unit, times 10^decimals, rounded to the nearest. */
static uint64_t scale(uint64_t value, const struct unit *unit, int decimals)
{
	static const unsigned int powers[] = { 1, 10, 100 };

	return (uint64_t)(((u128)value * powers[decimals] + unit->size / 2) / unit->size);
}

/*
 * Choose unit and decimals: the first unit in which the rounded figure is less than one
 * of the next unit, then as many decimals as three digits leave room for.
 */
static const struct unit *choose(uint64_t value, const struct unit *unit, int *decimals)
{
	while (unit[1].size && scale(value, unit, 0) >= unit[1].size / unit[0].size)
		unit++;
	*decimals = 0;
	if (unit->size > 1)
		for (*decimals = 2; *decimals > 0; --*decimals)
			if (scale(value, unit, *decimals) < 1000)
				break;
	return unit;
}

static void figure(char *text, size_t size, uint64_t value, const struct unit *unit, int decimals)
{
	unsigned int scaled = (unsigned int)scale(value, unit, decimals);

	if (decimals == 0)
		snprintf(text, size, "%u", scaled);
	else if (decimals == 1)
		snprintf(text, size, "%u.%u", scaled / 10, scaled % 10);
	else
		snprintf(text, size, "%u.%02u", scaled / 100, scaled % 100);
}

static char *format(char *text, uint64_t value, const struct unit *units, bool columns)
{
	char number[UNITS_TEXT - 4];
	int decimals;
	const struct unit *unit = choose(value, units, &decimals);

	figure(number, sizeof(number), value, unit, decimals);
	if (columns)
		snprintf(text, UNITS_TEXT, "%4s %-3s", number, unit->name);
	else
		snprintf(text, UNITS_TEXT, "%s%s%s", number, *unit->name ? " " : "", unit->name);
	return text;
}

char *units__bytes(char *text, uint64_t bytes)
{
	return format(text, bytes, bytes_out, false);
}

char *units__ns(char *text, uint64_t ns)
{
	return format(text, ns, ns_out, false);
}

char *units__count(char *text, uint64_t count)
{
	return format(text, count, count_out, false);
}

char *units__exact(char *text, uint64_t value)
{
	snprintf(text, UNITS_TEXT, "%llu", (unsigned long long)value);
	return text;
}

char *units__bytes_column(char *text, uint64_t bytes)
{
	return format(text, bytes, bytes_out, true);
}

char *units__ns_column(char *text, uint64_t ns)
{
	return format(text, ns, ns_out, true);
}

char *units__count_column(char *text, uint64_t count)
{
	return format(text, count, count_out, true);
}

/* Digits with at most one point between them: *number / *divisor. *text is moved behind. */
static int parse_number(const char **text, u128 *number, u128 *divisor)
{
	bool fraction = false, any = false;
	const char *p;

	*number = 0;
	*divisor = 1;
	for (p = *text; isdigit((unsigned char)*p) || (*p == '.' && !fraction); p++) {
		if (*p == '.') {
			fraction = true;
			continue;
		}
		any = true;
		*number = *number * 10 + (unsigned int)(*p - '0');
		if (fraction)
			*divisor *= 10;
		if (*number > (u128)UINT64_MAX * 1000000 || *divisor > 1000000000000)
			return -ERANGE;
	}
	if (!any || p[-1] == '.')
		return -EINVAL;
	*text = p;
	return 0;
}

static int parse(const char *text, const struct unit *unit, uint64_t *value)
{
	u128 number, divisor, product;
	int err = parse_number(&text, &number, &divisor);

	if (err)
		return err;
	while (unit->size && strcmp(unit->name, text) != 0)
		unit++;
	if (!unit->size && (*text || number != 0)) /* a bare 0 needs no unit */
		return -EINVAL;
	if (number == 0) {
		*value = 0;
		return 0;
	}
	if (number > ~(u128)0 / unit->size)
		return -ERANGE;
	product = number * unit->size;
	if (product % divisor != 0)
		return -EINVAL;
	if (product / divisor > UINT64_MAX)
		return -ERANGE;
	*value = (uint64_t)(product / divisor);
	return 0;
}

int units__parse_duration(const char *text, uint64_t *ns)
{
	return parse(text, duration_in, ns);
}

int units__parse_bytes(const char *text, uint64_t *bytes)
{
	return parse(text, bytes_in, bytes);
}

int units__parse_count(const char *text, uint64_t *count)
{
	return parse(text, count_in, count);
}
