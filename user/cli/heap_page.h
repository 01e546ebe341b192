/* SPDX-License-Identifier: BSD-2-Clause */
/* gctrace heap --html: the page for a browser (view/heap_html.h), in a file. */
#ifndef GCTRACE_CLI_HEAP_PAGE_H
#define GCTRACE_CLI_HEAP_PAGE_H

#include "heap_source.h"

struct draft;

/* Into a draft, which it closes. 0, or negative errno after an error message. */
int heap_page__write(const struct heap_source *source, struct draft *draft);

#endif
