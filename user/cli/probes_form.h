/* SPDX-License-Identifier: BSD-2-Clause */
/* The two forms of probes_view.h, and what both ask of a process. */
#ifndef GCTRACE_CLI_PROBES_FORM_H
#define GCTRACE_CLI_PROBES_FORM_H

#include <stdbool.h>

#include "probes_view.h"

/*
 * What a process runs, as its user would call it: the first argument that is no option, so
 * that one java can be told from the other. Class paths are values of options.
 */
const char *probed__program(const struct probed *probed);

/*
 * As much of an escaped text as there are columns for, "..." standing for the rest: of a path the
 * end says most, of anything else its beginning. columns: at least 4.
 */
void probes__add_short(struct buf *out, const char *text, size_t columns);

/* The probes of providers that gctrace knows; calls back for each. */
typedef void (*probed_act)(struct probes_view *view, const struct probed *probed,
			   const struct module *module, const struct note_probe *probe,
			   bool listened);
void probed__each_probe(const struct probed *probed, probed_act act, struct probes_view *view);

int probes_text__process(struct probes_view *view, const struct probed *probed);
int probes_text__end(struct probes_view *view);
int probes_text__write(struct probes_view *view); /* what view->text holds */

/* A line of the list, as text; the first one comes with the titles. */
int probes_list__add(struct probes_view *view, const struct probed *probed);

int probes_json__begin(struct probes_view *view);
int probes_json__process(struct probes_view *view, const struct probed *probed);
int probes_json__listed(struct probes_view *view, const struct probed *probed);
int probes_json__end(struct probes_view *view);

#endif
