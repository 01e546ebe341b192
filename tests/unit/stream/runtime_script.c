/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void log_text(struct buf *log, const char *label, struct text text)
{
	if (text.bytes == 0)
		return;
	buf__printf(log, " %s", label);
	buf__add(log, text.at, text.bytes);
}

static void log_u64(struct buf *log, const char *label, uint64_t value)
{
	if (value != EVENT_UNKNOWN)
		buf__printf(log, " %s%llu", label, (unsigned long long)value);
}

static int log_event(void *ctx, const struct event *event)
{
	struct runtime_script *s = ctx;
	struct buf *log = &s->log;

	assert_int_equal(event->target, 3);
	s->stamp = event->stamp;
	buf__printf(log, "%llu t%u ", (unsigned long long)event->time, event->tid);
	switch (event->kind) {
	case EVENT_PAUSE_BEGIN:
		buf__add_str(log, "pause+");
		log_text(log, "", event->pause.what);
		break;
	case EVENT_PAUSE_END:
		buf__add_str(log, "pause-");
		log_u64(log, "suspend=", event->pause.suspend_ns);
		break;
	case EVENT_GC_START:
		buf__add_str(log, "gc+");
		log_text(log, "", event->gc_start.what);
		log_text(log, "cause=", event->gc_start.cause);
		log_u64(log, "generations=", event->gc_start.generations);
		assert_true(event->gc_start.gc == EVENT_UNKNOWN);
		break;
	case EVENT_GC_FINISH:
		buf__add_str(log, "gc-");
		log_text(log, "", event->gc_finish.what);
		log_u64(log, "collected=", event->gc_finish.collected);
		if (s->says_told)
			buf__add_str(log, event->gc_finish.untold ? " untold" : " told");
		break;
	case EVENT_MOVED:
		buf__printf(log, "moved %zu", event->ranges.count);
		assert_true(event->ranges.gc == EVENT_UNKNOWN);
		break;
	case EVENT_REUSE:
		buf__add_str(log, "withdrawn");
		assert_true(event->reuse.generations == UINT64_MAX);
		assert_true(event->reuse.start == 0 && event->reuse.length == UINT64_MAX);
		break;
	case EVENT_POOL:
		buf__add_str(log, event->pool.outside ? "outside" : "pool");
		if (event->pool.old)
			buf__add_str(log, " old");
		log_text(log, "", event->pool.name);
		log_u64(log, "before=", event->pool.before);
		log_u64(log, "after=", event->pool.used);
		break;
	default:
		buf__printf(log, "event %d", (int)event->kind);
	}
	if (event->overdue)
		buf__add_str(log, " overdue");
	buf__add_char(log, '\n');
	return s->answer;
}

void runtime_script__begin(struct runtime_script *s, const struct translator *translator)
{
	memset(s, 0, sizeof(*s));
	s->translator = translator;
	s->state = translator->new(3);
	s->now = 100;
	s->tid = 1;
	assert_non_null(s->state);
}

void runtime_script__end(struct runtime_script *s)
{
	s->translator->free(s->state);
	s->translator->free(NULL);
	buf__free(&s->log);
}

int play_record(struct runtime_script *s, const struct record *record)
{
	struct event_sink sink = { log_event, s };
	/* Of exactly its size, so that a sanitizer sees a look beyond it. */
	void *copy = malloc(record->bytes);
	int answer;

	assert_non_null(copy);
	memcpy(copy, record, record->bytes);
	answer = s->translator->record(s->state, copy, &sink);
	free(copy);
	s->now++;
	return answer;
}

static int play_event(struct runtime_script *s, struct event *event)
{
	const struct event_sink sink = { log_event, s };
	int answer;

	event->target = 3;
	event->tid = s->tid;
	event->time = event->stamp = s->now;
	answer = s->translator->beside(s->state, event, &sink);
	s->now++;
	return answer;
}

int play_beside(struct runtime_script *s, unsigned int flags)
{
	struct event event = { .kind = EVENT_BESIDE, .beside = { .flags = flags } };

	return play_event(s, &event);
}

int play_move(struct runtime_script *s)
{
	const struct range range = { 0x1000, 0x2000, 16 };
	struct event event = {
		.kind = EVENT_MOVED,
		.ranges = { .gc = EVENT_UNKNOWN, .width = 8, .ranges = &range, .count = 1 },
	};

	return play_event(s, &event);
}

static void fill(const struct runtime_script *s, struct record *record, uint16_t kind, size_t bytes)
{
	record->stamp = s->now;
	record->bytes = bytes;
	record->kind = kind;
	record->target = 3;
	record->tid = s->tid;
}

int play_call(struct runtime_script *s, uint16_t kind, uint64_t arg)
{
	struct record_call call = { .args = { arg } };

	fill(s, &call.head, kind, sizeof(call));
	return play_record(s, &call.head);
}

int play_text(struct runtime_script *s, uint16_t kind, const char *text)
{
	struct {
		struct record_text text;
		char bytes[RECORD_TEXT_BYTES];
	} record = { .text.bytes = strlen(text), .text.whole = strlen(text) };

	memcpy(record.bytes, text, strlen(text));
	fill(s, &record.text.head, kind, sizeof(record.text) + strlen(text));
	return play_record(s, &record.text.head);
}

int play_pool(struct runtime_script *s, uint16_t kind, const char *manager, const char *pool,
	      uint64_t used)
{
	struct {
		struct record_pool pool;
		char manager[RECORD_TEXT_BYTES], name[RECORD_TEXT_BYTES];
	} record = {
		.pool = { .used = used, .committed = used, .max = EVENT_UNKNOWN,
			  .manager_bytes = strlen(manager), .pool_bytes = strlen(pool) },
	};

	memcpy(record.manager, manager, strlen(manager));
	memcpy(record.name, pool, strlen(pool));
	fill(s, &record.pool.head, kind, sizeof(record.pool) + RECORD_TEXT_BYTES + strlen(pool));
	return play_record(s, &record.pool.head);
}

void expect_log(struct runtime_script *s, const char *log)
{
	assert_string_equal(buf__str(&s->log), log);
	buf__reset(&s->log);
}
