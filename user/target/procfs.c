/* SPDX-License-Identifier: BSD-2-Clause */
#include "procfs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define FIRST_TRY 256

int procfs__read_link(int dirfd, const char *name, struct buf *out)
{
	for (size_t room = FIRST_TRY;; room *= 2) {
		int err = buf__reserve(out, room);
		ssize_t n;

		if (err)
			return err;
		n = readlinkat(dirfd, name, out->data + out->len, room);
		if (n < 0)
			return -errno;
		if ((size_t)n < room) {
			out->len += (size_t)n;
			out->data[out->len] = '\0';
			return 0;
		}
	}
}

static unsigned int digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned int)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned int)(c - 'A') + 10;
	return 99;
}

bool procfs__number(const char **text, const char *end, unsigned int base, uint64_t *value)
{
	const char *at = *text;
	uint64_t sum = 0;

	for (; at < end && digit(*at) < base; at++)
		if (__builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, digit(*at), &sum))
			return false;
	if (at == *text)
		return false;
	*text = at;
	*value = sum;
	return true;
}

bool procfs__skip(const char **text, const char *end, char c)
{
	if (*text >= end || **text != c)
		return false;
	++*text;
	return true;
}

void procfs__skip_blanks(const char **text, const char *end)
{
	while (*text < end && (**text == ' ' || **text == '\t'))
		++*text;
}

bool procfs__field(const struct buf *text, const char *key, const char **value, size_t *len)
{
	size_t key_len = strlen(key);
	const char *line = buf__str(text);
	const char *end = line + text->len;

	while (line < end) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));

		if (!stop)
			stop = end;
		if ((size_t)(stop - line) > key_len && line[key_len] == ':' &&
		    memcmp(line, key, key_len) == 0) {
			line += key_len + 1;
			procfs__skip_blanks(&line, stop);
			*value = line;
			*len = (size_t)(stop - line);
			return true;
		}
		line = stop + 1;
	}
	return false;
}
