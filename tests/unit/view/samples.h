/* SPDX-License-Identifier: BSD-2-Clause */
/* Headings, collections and results for tests of views, and a place where views write to. */
#ifndef TESTS_VIEW_SAMPLES_H
#define TESTS_VIEW_SAMPLES_H

#include "view/output.h"
#include "view/terminal.h"
#include "view/view.h"

/* A file of memory as output. */
struct sheet {
	struct output output;
	struct terminal terminal; /* none, without a limit and colours */
	char *text;
};

void sheet__begin(struct sheet *sheet);
/* All that was written so far, from the last call on; valid until the next one. */
const char *sheet__text(struct sheet *sheet);
void sheet__end(struct sheet *sheet);

struct heading sample__heading(void);
/* Everything known: young, 2.5 s after the start at 1,000 s, pause 1.5 ms, two pools. */
struct collection sample__young(void);
/* Nothing known but that it was. */
struct collection sample__bare(void);

#endif
