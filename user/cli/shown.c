/* SPDX-License-Identifier: BSD-2-Clause */
#include "shown.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../stream/facts.h"
#include "gctrace/wire.h"

#define AT_ONCE_NS (100 * NS_PER_MS) /* what began so late before the trace is not worth a word */

struct shown *shown__new(uint32_t target, uint64_t top_pauses)
{
	struct shown *shown = calloc(1, sizeof(*shown));

	if (!shown)
		return NULL;
	shown->target = shown->heading.target = target;
	shown->room = (struct waiting_room)WAITING_ROOM_INIT;
	if (summary__init(&shown->summary, top_pauses)) {
		shown__free(shown);
		return NULL;
	}
	return shown;
}

void shown__free(struct shown *shown)
{
	if (!shown)
		return;
	if (shown->unsaid)
		warning("pid %llu: %llu more notices of this process are not shown",
			(unsigned long long)shown->heading.pid,
			(unsigned long long)shown->unsaid);
	buf__free(&shown->name);
	buf__free(&shown->runtime);
	buf__free(&shown->version);
	buf__free(&shown->collector);
	buf__free(&shown->provider);
	buf__free(&shown->stopped_for);
	buf__free(&shown->notice);
	summary__free(&shown->summary);
	waiting_room__free(&shown->room);
	free(shown);
}

/* ---------------------------------------------------------------- by the facts */

static void take_fact(const struct shown *shown, const struct facts *facts, const char *name,
		      struct buf *buf, struct text *text)
{
	size_t bytes;
	const char *value = facts__get_target(facts, shown->target, name, &bytes);

	if (value)
		*text = text__keep(buf, value, bytes);
}

static uint64_t fact_u64(const struct shown *shown, const struct facts *facts, const char *name,
			 uint64_t otherwise)
{
	const char *value = facts__get_target(facts, shown->target, name, NULL);
	char *end;
	uint64_t number;

	if (!value || !*value)
		return otherwise;
	errno = 0;
	number = strtoull(value, &end, 10);
	return *end || errno ? otherwise : number;
}

void shown__read_facts(struct shown *shown, const struct facts *facts, uint64_t start_ns)
{
	struct heading *heading = &shown->heading;

	take_fact(shown, facts, "comm", &shown->name, &heading->name);
	take_fact(shown, facts, "provider", &shown->provider, &heading->provider);
	if (!shown->said) {
		take_fact(shown, facts, "runtime", &shown->runtime, &heading->runtime);
		take_fact(shown, facts, "version", &shown->version, &heading->version);
		take_fact(shown, facts, "collector", &shown->collector, &heading->collector);
	}
	heading->pid = fact_u64(shown, facts, "pid", 0);
	heading->known = (unsigned int)fact_u64(shown, facts, "known", KNOWN_COLLECTIONS);
	heading->on_request = (unsigned int)fact_u64(shown, facts, "on_request", 0);
	heading->start_ns = fact_u64(shown, facts, "attached_ns", start_ns);
	heading->clock_offset_ns = facts__get_i64(facts, "clock_offset_ns", 0);
	shown->summary.start_ns = heading->start_ns;
	take_fact(shown, facts, "stopped_for", &shown->stopped_for, &heading->stopped_for);
	heading->stopped_since_ns = fact_u64(shown, facts, "stopped_since_ns", 0);
	heading->stopped_not_visible = fact_u64(shown, facts, "stopped_not_visible", 0);
	if (heading->stopped_for.bytes)
		summary__begin_stopped(&shown->summary);
}

bool shown__is_settled(const struct shown *shown, const struct facts *facts)
{
	return shown->heading.runtime.bytes && fact_u64(shown, facts, "settled", 1);
}

/* ---------------------------------------------------------------- in its own words */

static struct text keep(struct buf *buf, struct text text)
{
	return text__keep(buf, text.at, text.bytes);
}

void shown__hear_producer(struct shown *shown, const struct event *event)
{
	struct heading *heading = &shown->heading;

	if (shown->headed)
		return;
	shown->said = true;
	heading->runtime = keep(&shown->runtime, event->producer.runtime);
	heading->version = keep(&shown->version, event->producer.version);
	heading->collector = keep(&shown->collector, event->producer.collector);
}

bool shown__hear_stop(struct shown *shown, const struct event *event)
{
	struct heading *heading = &shown->heading;
	const char *what = event->pause.why == GCTRACE_WHY_COLLECTION ? "stop for a collection"
								      : "stop of all threads";

	if (shown->headed || heading->stopped_for.bytes || event->late ||
	    event->time + AT_ONCE_NS > heading->start_ns)
		return false;
	heading->stopped_for = text__keep(&shown->stopped_for, what, strlen(what));
	heading->stopped_since_ns = event->time;
	return true;
}

void shown__say_notice(struct shown *shown, uint32_t what, struct text said)
{
	unsigned int *count = &shown->notices[what < SHOWN_NOTICE_KINDS ? what : 0];

	if (text__equal((struct text){ buf__str(&shown->notice), shown->notice.len }, said))
		return;
	keep(&shown->notice, said);
	if (*count >= SHOWN_NOTICES_MOST) {
		shown->unsaid++;
		return;
	}
	++*count;
	warning("pid %llu: %s", (unsigned long long)shown->heading.pid,
		escape_bytes(said.at, said.bytes));
}
