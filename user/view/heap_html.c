/* SPDX-License-Identifier: BSD-2-Clause */
/* A heap graph as a page: its pieces, put together (heap_html.h). */
#include "heap_html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "../base/report.h"
#include "json.h"
#include "output.h"

/* The files of page/ as they were when this was built: at, and behind the last byte. */
#define PAGE_FILE(name, file)                                                                  \
	__asm__(".pushsection .rodata\n"                                                       \
		".globl page_" #name ", page_" #name "_end\n"                                  \
		"page_" #name ":\n"                                                            \
		".incbin \"user/view/page/" file "\"\n"                                        \
		"page_" #name "_end:\n"                                                        \
		".byte 0\n"                                                                    \
		".popsection\n");                                                              \
	extern const char page_##name[], page_##name##_end[];

PAGE_FILE(html, "page.html")
PAGE_FILE(css, "page.css")
PAGE_FILE(units_js, "units.js")
PAGE_FILE(elements_js, "elements.js")
PAGE_FILE(heap_js, "heap.js")
PAGE_FILE(heading_js, "heading.js")
PAGE_FILE(findings_js, "findings.js")
PAGE_FILE(icicle_js, "icicle.js")
PAGE_FILE(details_js, "details.js")
PAGE_FILE(types_js, "types.js")
PAGE_FILE(roots_js, "roots.js")
PAGE_FILE(main_js, "main.js")

struct span {
	const char *at, *end;
};

#define SPAN(name) { page_##name, page_##name##_end }

static const struct span scripts[] = {
	SPAN(units_js),	  SPAN(elements_js), SPAN(heap_js),  SPAN(heading_js), SPAN(findings_js),
	SPAN(icicle_js),  SPAN(details_js),  SPAN(types_js), SPAN(roots_js),   SPAN(main_js),
};

#define NONCE_BYTES 16

struct assembly {
	const struct heap_html *page;
	struct output *output;
	char nonce[2 * NONCE_BYTES + 1];
};

static int add(const struct assembly *to, const char *at, const char *end)
{
	return output__write(to->output, at, (size_t)(end - at));
}

static int add_nonce(const struct assembly *to)
{
	return add(to, to->nonce, to->nonce + strlen(to->nonce));
}

static int add_style(const struct assembly *to)
{
	return add(to, page_css, page_css_end);
}

static int add_scripts(const struct assembly *to)
{
	int err = 0;

	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts) && !err; i++)
		err = add(to, scripts[i].at, scripts[i].end);
	return err;
}

/* In JSON a < is always inside of a string. */
static int add_json(const struct assembly *to, const char *at, const char *end)
{
	static const char less[] = "\\u003c";
	int err = 0;

	while (at < end && !err) {
		const char *stop = memchr(at, '<', (size_t)(end - at));

		err = add(to, at, stop ? stop : end);
		if (!err && stop)
			err = add(to, less, less + sizeof(less) - 1);
		at = stop ? stop + 1 : end;
	}
	return err;
}

static int add_data(const struct assembly *to)
{
	struct json json = JSON_INIT;
	const char *line = NULL;
	size_t len = 0;
	int err = heap_html__data(to->page, &json);

	if (!err)
		line = json__close(&json, &len);
	if (line)
		err = add_json(to, line, line + len);
	else
		err = error_errno(ENOMEM, "cannot make the page");
	json__free(&json);
	return err;
}

static const struct {
	const char *mark;
	int (*add)(const struct assembly *to);
} marks[] = {
	{ "{{nonce}}", add_nonce },
	{ "{{style}}", add_style },
	{ "{{data}}", add_data },
	{ "{{script}}", add_scripts },
};

/* What stands at this mark; *at is moved behind it. */
static int add_marked(const struct assembly *to, const char **at)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		const size_t len = strlen(marks[i].mark);

		if (strncmp(*at, marks[i].mark, len) == 0) {
			*at += len;
			return marks[i].add(to);
		}
	}
	*at += 2;
	return add(to, *at - 2, *at); /* nothing of ours */
}

/* Who made the data could not know it. */
static int make_nonce(struct assembly *to)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[NONCE_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return error_errno(EIO, "the system gives no random numbers");
	for (size_t i = 0; i < NONCE_BYTES; i++) {
		to->nonce[2 * i] = digits[bytes[i] >> 4];
		to->nonce[2 * i + 1] = digits[bytes[i] & 15];
	}
	return 0;
}

int heap_html__write(const struct heap_html *page, struct output *output)
{
	struct assembly to = { .page = page, .output = output };
	const char *at = page_html;
	int err = make_nonce(&to);

	while (!err && at < page_html_end) {
		const char *stop = strstr(at, "{{");

		if (!stop)
			return add(&to, at, page_html_end);
		err = add(&to, at, stop);
		at = stop;
		if (!err)
			err = add_marked(&to, &at);
	}
	return err;
}
