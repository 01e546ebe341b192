/* SPDX-License-Identifier: BSD-2-Clause */
#include "suggest.h"

#include <stdint.h>
#include <string.h>

#define LONGEST 64

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* Optimal string alignment: three rows of the usual table, the third for swaps. */
size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][LONGEST], *before = rows[0], *last = rows[1], *row = rows[2];
	size_t i, j;

	if (a_len >= LONGEST || b_len >= LONGEST)
		return a_len > b_len ? a_len : b_len;
	for (j = 0; j <= b_len; j++)
		last[j] = j;
	for (i = 1; i <= a_len; i++) {
		size_t *oldest = before;

		row[0] = i;
		for (j = 1; j <= b_len; j++) {
			row[j] = min3(last[j] + 1, row[j - 1] + 1,
				      last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		before = last;
		last = row;
		row = oldest;
	}
	return last[b_len];
}

void suggestion__start(struct suggestion *suggestion, const char *written, size_t len)
{
	*suggestion = (struct suggestion){ written, len, NULL, SIZE_MAX };
}

void suggestion__offer(struct suggestion *s, const char *word)
{
	size_t len = strlen(word), distance;

	/* The beginning of a word is nearer to it than a misspelling of another. */
	if (s->len >= 2 && len > s->len && memcmp(word, s->written, s->len) == 0)
		distance = 0;
	else
		distance = edit_distance(s->written, s->len, word, len);
	if (distance < s->distance) {
		s->distance = distance;
		s->nearest = word;
	}
}

const char *suggestion__nearest(const struct suggestion *s)
{
	size_t tolerance = s->len <= 2 ? 1 : (s->len + 2) / 3;

	return s->nearest && s->distance <= tolerance ? s->nearest : NULL;
}
