/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures for people: sizes, times and counts with a unit and three significant digits;
 * and the reverse, strictly, for what people give on the command line.
 */
#ifndef GCTRACE_BASE_UNITS_H
#define GCTRACE_BASE_UNITS_H

#include <stdint.h>

/* Room for any result of the functions below, closing 0 included. */
#define UNITS_TEXT 32

/*
 * Each writes into text (UNITS_TEXT bytes, the caller's) and returns text.
 *
 *	bytes     0 B   999 B   1000 B   1.00 KiB   12.3 MiB   1023 GiB
 *	ns        0 ns  850 ns  1.23 us  45.6 ms    7.89 s     12.3 min   4.56 h  7.89 d
 *	count     0     999     1.23 k   12.3 M     456 G
 */
char *units__bytes(char *text, uint64_t bytes);
char *units__ns(char *text, uint64_t ns);
char *units__count(char *text, uint64_t count);

/* All digits: 1234567. */
char *units__exact(char *text, uint64_t value);

/* What a noun behind such a figure ends in: "1 object", "0 objects", "1.23 k objects". */
static inline const char *units__s(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/*
 * The same, padded so that figures and units of one column stand below each other:
 * "12.3 MiB", " 512 B  ", "45.6 ms ". Never cut: a figure beyond the width makes the column wider.
 */
#define UNITS_BYTES_COLUMNS 8
#define UNITS_NS_COLUMNS 8
#define UNITS_COUNT_COLUMNS 8
char *units__bytes_column(char *text, uint64_t bytes);
char *units__ns_column(char *text, uint64_t ns);
char *units__count_column(char *text, uint64_t count);

/*
 * Read a whole text; nothing may stand before or behind the figure. Decimal fractions are
 * fine where the result is a whole number (1.5GiB, 0.1ms). 0, -EINVAL when it is not such
 * a figure, -ERANGE when it does not fit.
 *
 *	duration  ns us ms s m (or min) h d; a unit is needed, except for 0
 *	bytes     none or B; KiB MiB GiB TiB, or K M G T for the same; kB MB GB TB: powers of 1000
 *	count     none; k M G for powers of 1000
 */
int units__parse_duration(const char *text, uint64_t *ns);
int units__parse_bytes(const char *text, uint64_t *bytes);
int units__parse_count(const char *text, uint64_t *count);

#endif
