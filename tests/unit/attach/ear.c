/* SPDX-License-Identifier: BSD-2-Clause */
#include "ear.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void ear__open(struct ear *ear)
{
	fflush(stderr);
	ear->file = tmpfile();
	ear->before = dup(STDERR_FILENO);
	assert_true(ear->file && ear->before >= 0);
	assert_true(dup2(fileno(ear->file), STDERR_FILENO) >= 0);
}

/* Messages are wrapped, at a place that hangs on the length of paths. */
static void unwrap(char *text)
{
	static const char wrap[] = "\ngctrace:   ";
	char *at = text;

	while ((at = strstr(at, wrap))) {
		*at++ = ' ';
		memmove(at, at + strlen(wrap) - 1, strlen(at + strlen(wrap) - 1) + 1);
	}
}

size_t ear__close(struct ear *ear, const char *words)
{
	static char text[65536];
	size_t count = 0;

	fflush(stderr);
	dup2(ear->before, STDERR_FILENO);
	close(ear->before);
	rewind(ear->file);
	text[fread(text, 1, sizeof(text) - 1, ear->file)] = '\0';
	fclose(ear->file);
	unwrap(text);
	for (const char *at = text; (at = strstr(at, words)); at += strlen(words))
		count++;
	return count;
}
