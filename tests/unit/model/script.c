/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "script.h"

static void copy(char *to, size_t size, struct text text)
{
	snprintf(to, size, "%.*s", (int)text.bytes, text.bytes ? text.at : "");
}

static int take_collection(void *context, const struct collection *collection)
{
	struct script *script = context;
	struct script_collection *to;

	/* At powers of two: one by one costs minutes under a sanitizer. */
	if (!(script->count & (script->count - 1))) {
		script->collections = realloc(script->collections, (2 * script->count + 1) *
							sizeof(*script->collections));
		assert_non_null(script->collections);
	}
	to = &script->collections[script->count++];
	memset(to, 0, sizeof(*to));
	to->is = *collection;
	copy(to->what, sizeof(to->what), collection->what);
	copy(to->cause, sizeof(to->cause), collection->cause);
	for (size_t i = 0; i < collection->pauses_kept && i < 8; i++) {
		to->pauses[i] = collection->pauses[i];
		copy(to->pause_what[i], sizeof(to->pause_what[i]), collection->pauses[i].what);
	}
	for (size_t i = 0; i < collection->pool_count && i < 8; i++) {
		to->pools[i] = collection->pools[i];
		copy(to->pool_names[i], sizeof(to->pool_names[i]), collection->pools[i].name);
	}
	return 0;
}

static int take_pause(void *context, const struct pause *pause, unsigned int collections)
{
	struct script *script = context;
	struct script_pause *to = &script->pauses[script->pause_count++ % SCRIPT_MOST];

	to->is = *pause;
	to->collections = collections;
	copy(to->what, sizeof(to->what), pause->what);
	return 0;
}

static int take_end(void *context, uint32_t target, const struct assembler_odd *odd)
{
	struct script *script = context;

	(void)target;
	script->ended++;
	script->odd = *odd;
	return 0;
}

void script__begin(struct script *script)
{
	const struct assembler_sink sink = { script, take_collection, take_pause, take_end };

	memset(script, 0, sizeof(*script));
	script->tid = 1;
	script->assembler = assembler__new(&sink, NULL);
	assert_non_null(script->assembler);
}

void script__end(struct script *script)
{
	assert_int_equal(assembler__end_all(script->assembler), 0);
	assembler__free(script->assembler);
	free(script->collections);
	script->collections = NULL;
}

static struct event event(const struct script *script, enum event_kind kind)
{
	return (struct event){ .kind = kind, .target = script->target, .tid = script->tid,
			       .time = script->now, .stamp = script->now };
}

static void feed(struct script *script, const struct event *event)
{
	assert_int_equal(assembler__event(script->assembler, event), 0);
}

static struct text text(const char *word)
{
	return (struct text){ word, word ? strlen(word) : 0 };
}

void gc_start(struct script *script, uint64_t gc, uint64_t generations, uint64_t reason)
{
	struct event start = event(script, EVENT_GC_START);

	start.gc_start.gc = gc;
	start.gc_start.generations = generations;
	start.gc_start.reason = reason;
	start.gc_start.how = script->how;
	start.gc_start.pools = script->pools_tell;
	feed(script, &start);
}

void gc_words(struct script *script, const char *what, const char *cause)
{
	struct event start = event(script, EVENT_GC_START);

	start.gc_start.gc = start.gc_start.generations = U;
	start.gc_start.how = script->how;
	start.gc_start.pools = script->pools_tell;
	start.gc_start.what = text(what);
	start.gc_start.cause = text(cause);
	feed(script, &start);
}

static void finish(struct script *script, uint64_t gc, uint64_t collected)
{
	struct event finish = event(script, EVENT_GC_FINISH);

	finish.overdue = script->overdue;
	finish.gc_finish.gc = gc;
	finish.gc_finish.collected = collected;
	finish.gc_finish.untold = script->untold;
	finish.gc_finish.how = script->end_how;
	feed(script, &finish);
}

void gc_finish(struct script *script, uint64_t gc)
{
	finish(script, gc, U);
}

void gc_counted(struct script *script, uint64_t collected)
{
	finish(script, U, collected);
}

void pause_begin(struct script *script, uint64_t pause, uint64_t why)
{
	struct event begin = event(script, EVENT_PAUSE_BEGIN);

	begin.pause.pause = pause;
	begin.pause.why = why;
	begin.pause.suspend_ns = U;
	feed(script, &begin);
}

void pause_end(struct script *script, uint64_t pause, uint64_t suspend_ns)
{
	struct event end = event(script, EVENT_PAUSE_END);

	end.overdue = script->overdue;
	end.pause.pause = pause;
	end.pause.suspend_ns = suspend_ns;
	feed(script, &end);
}

static void ranges(struct script *script, enum event_kind kind, uint64_t gc, uint64_t generation,
		   uint32_t phase, uint32_t width, struct range range)
{
	struct event report = event(script, kind);

	report.ranges.gc = gc;
	report.ranges.generation = generation;
	report.ranges.phase = phase;
	report.ranges.width = width;
	report.ranges.ranges = &range;
	report.ranges.count = 1;
	feed(script, &report);
}

void moved(struct script *script, uint64_t gc, uint64_t generation, uint32_t phase, uint32_t width,
	   uint64_t old, uint64_t new_, uint64_t length)
{
	ranges(script, EVENT_MOVED, gc, generation, phase, width,
	       (struct range){ old, new_, length });
}

void surviving(struct script *script, uint64_t gc, uint64_t generation, uint32_t width,
	       uint64_t start, uint64_t length)
{
	ranges(script, EVENT_SURVIVING, gc, generation, 0, width,
	       (struct range){ start, start, length });
}

void generation(struct script *script, uint64_t gc, bool after, uint64_t number, uint64_t start,
		uint64_t used, uint64_t reserved)
{
	struct event told = event(script, EVENT_GENERATION);

	told.generation.gc = gc;
	told.generation.after = after;
	told.generation.generation = number;
	told.generation.start = start;
	told.generation.used = used;
	told.generation.reserved = reserved;
	feed(script, &told);
}

void pool(struct script *script, uint64_t gc, const char *name, uint64_t before, uint64_t used,
	  uint64_t committed)
{
	struct event told = event(script, EVENT_POOL);

	told.pool.gc = gc;
	told.pool.before = before;
	told.pool.used = used;
	told.pool.committed = committed;
	told.pool.max = U;
	told.pool.name = text(name);
	told.pool.outside = script->outside;
	told.pool.old = script->old;
	told.pool.fresh = script->fresh;
	feed(script, &told);
}

void figure(struct script *script, uint64_t gc, uint32_t what, uint64_t generation, uint64_t value)
{
	struct event told = event(script, EVENT_FIGURE);

	told.figure.gc = gc;
	told.figure.what = what;
	told.figure.generation = generation;
	told.figure.value = value;
	feed(script, &told);
}

void define(struct script *script, uint32_t space, uint64_t id, const char *name)
{
	struct event told = event(script, EVENT_DEFINE);

	told.define.space = space;
	told.define.id = id;
	told.define.name = text(name);
	feed(script, &told);
}

void loss(struct script *script)
{
	struct event told = event(script, EVENT_LOSS);

	told.loss.count = 1;
	told.loss.until = script->now;
	feed(script, &told);
}

void leave(struct script *script)
{
	struct event told = event(script, EVENT_EXIT);

	told.process.status = U;
	feed(script, &told);
}

void assert_exactly(struct amount amount, uint64_t value)
{
	assert_true(amount.known);
	assert_false(amount.estimated);
	assert_int_equal(amount.value, value);
	assert_int_equal(amount.low, value);
	assert_int_equal(amount.high, value);
}
