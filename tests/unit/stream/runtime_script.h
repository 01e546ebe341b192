/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runtimes' own probes, played to a translator: what it makes of them is written down, a line for
 * an event, and compared as a whole.
 *
 *	100 pause+ young		time, event, what, then what is known: cause, pools ...
 */
#ifndef RUNTIME_SCRIPT_H
#define RUNTIME_SCRIPT_H

#include "base/buf.h"
#include "stream/translator.h"

struct runtime_script {
	const struct translator *translator;
	void *state;
	uint64_t now;
	uint32_t tid;
	struct buf log;
	int answer; /* of the sink */
	uint64_t stamp; /* of the last event */
	bool says_told; /* of the end of a collection whether its ranges were */
};

void runtime_script__begin(struct runtime_script *s, const struct translator *translator);
void runtime_script__end(struct runtime_script *s);

/* Play a record at s->now in thread s->tid, then let 1 ns go by. The answer is the translator's. */
int play_call(struct runtime_script *s, uint16_t kind, uint64_t arg);
int play_text(struct runtime_script *s, uint16_t kind, const char *text);
int play_pool(struct runtime_script *s, uint16_t kind, const char *manager, const char *pool,
	      uint64_t used);
int play_record(struct runtime_script *s, const struct record *record);

/* What an agent adds: BESIDE with these flags; one range. */
int play_beside(struct runtime_script *s, unsigned int flags);
int play_move(struct runtime_script *s);

/* What was logged since the last time. */
void expect_log(struct runtime_script *s, const char *log);

#endif
