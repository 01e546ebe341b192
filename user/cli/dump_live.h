/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A dump (dump.h) of a target of a live trace (live.h):
 *
 *	options = { .levels = ... | LEVEL_DUMP };
 *	live__new(&options, &live); ... live__begin(live);
 *	dump_live__new(live, &dump_options, false, &of_live);
 *	dump = dump_live__dump(of_live);
 *	feed's sink: hands every event to dump__event(dump, event)
 *	while (!dump__is_over(dump) && feed__pull(feed, &source, 50 ms) == SOURCE_MORE) {
 *		if (signals say so)
 *			dump__abort(dump);
 *		dump__turn(dump);
 *	}
 *	dump__tell(dump);
 *	dump_live__free(of_live);
 *
 * A live trace has one dump at a time; collections go on to be told meanwhile.
 */
#ifndef GCTRACE_CLI_DUMP_LIVE_H
#define GCTRACE_CLI_DUMP_LIVE_H

#include "dump.h"

struct dump_live;
struct live;

/*
 * options.name may be NULL: "pid N". flat: S_POSTPONE_REFERENCES for every object, that is a list
 * without descent. The live trace must outlive it. 0, or negative errno after an error message:
 * -ENOENT when the target cannot be asked for that.
 */
int dump_live__new(struct live *live, const struct dump_options *options, bool flat,
		   struct dump_live **out);

struct dump *dump_live__dump(struct dump_live *of_live);

/* Also stops what is not over, and waits until the target is asked nothing more. NULL is legal. */
void dump_live__free(struct dump_live *of_live);

#endif
