/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heap graph as one page for a browser, which needs nothing but itself:
 *
 *	page/page.html  the page, with {{marks}} where the rest goes
 *	page/page.css   {{style}}
 *	page/X.js       {{script}}, one noun each
 *	heap_html.c     puts them together, {{nonce}} among them
 *	heap_html_data.c  {{data}}: one JSON object, the only thing that differs between pages
 *
 * SAFETY. Names are the target's bytes, and hostile. In the data they are escaped as in text for
 * people (escape.h), then as JSON, then every < is written as \u003c, so that nothing in it ends
 * the element it stands in. The script puts them on the page as text, never as HTML. And the page
 * forbids itself all but the script and the style that carry its nonce, which is new each time: it
 * fetches nothing, sends nothing, and runs nothing else.
 *
 * SIZE. It has an excerpt of the graph (model/excerpt.h), so many types and so many roots; what is
 * not there by itself is counted where it was folded, and the page says from which size on.
 */
#ifndef GCTRACE_VIEW_HEAP_HTML_H
#define GCTRACE_VIEW_HEAP_HTML_H

#include <stdint.h>

#include "../model/examples.h"
#include "../model/excerpt.h"
#include "heap_view.h"

struct output;
struct json;

struct heap_html {
	const struct heap *heap;
	const struct heap_heading *heading;
	const struct findings *findings;
	const struct heap_type_list *types; /* all, whatever is `shown`; by what they keep alive */
	uint64_t types_most, names_most;    /* types to list, and bytes of their names */
	const struct example *examples;	    /* by type; those of the types listed are in ... */
	const struct excerpt *excerpt;	    /* ... the excerpt, and what findings are of */
	const struct outline *roots;
	uint64_t roots_most; /* that the outline has of each; 0: all */
	int64_t made_ns;     /* when, ns since 1970 */
};

/* How many of the types are listed. */
size_t heap_html__types(const struct heap_html *page);

/* 0, or negative errno that was said. */
int heap_html__write(const struct heap_html *page, struct output *output);

/* heap_html_data.c: the data; 0 or -ENOMEM. */
int heap_html__data(const struct heap_html *page, struct json *json);

#endif
