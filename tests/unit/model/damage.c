/* SPDX-License-Identifier: BSD-2-Clause */
#include "damage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files.h"
#include "model/assembler.h"
#include "stream/feed.h"
#include "stream/loss.h"
#include "stream/recording.h"

#define U EVENT_UNKNOWN
#define POOLS 16

struct told_pool {
	char name[64];
	uint64_t before, after;
};

struct told {
	struct collection is; /* its texts and lists are not valid */
	char what[64], cause[64];
	struct told_pool pools[POOLS];
};

struct reading {
	VEC(struct told) collections;
	VEC(struct pause) pauses;
	struct assembler *assembler;
	struct feed *feed;
};

/* ---------------------------------------------------------------- reels */

void reel__free(struct reel *reel)
{
	for (size_t i = 0; i < reel->records.count; i++)
		free(reel->records.items[i]);
	vec__free(&reel->records);
}

void reel__put(struct reel *reel, const struct record *record)
{
	struct record *copy = malloc(record->bytes);

	assert_non_null(copy);
	memcpy(copy, record, record->bytes);
	assert_int_equal(vec__push(&reel->records, copy), 0);
}

static void fill(struct reel *reel, struct record *record, uint16_t kind, size_t bytes)
{
	record->stamp = reel->now;
	record->bytes = (uint32_t)bytes;
	record->kind = kind;
	record->tid = reel->tid;
	reel__put(reel, record);
	reel->now += 10;
}

void reel__call(struct reel *reel, uint16_t kind, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	struct record_call call = { .args = { a, b, c, d } };

	fill(reel, &call.head, kind, sizeof(call));
}

void reel__text(struct reel *reel, uint16_t kind, const char *text)
{
	struct {
		struct record_text text;
		char bytes[RECORD_TEXT_BYTES];
	} record = { .text.bytes = (uint32_t)strlen(text), .text.whole = (uint32_t)strlen(text) };

	memcpy(record.bytes, text, strlen(text));
	fill(reel, &record.text.head, kind, sizeof(record.text) + strlen(text));
}

void reel__pool(struct reel *reel, uint16_t kind, const char *manager, const char *pool,
		uint64_t used)
{
	struct {
		struct record_pool pool;
		char manager[RECORD_TEXT_BYTES], name[RECORD_TEXT_BYTES];
	} record = {
		.pool = { .used = used, .committed = 1000000, .max = U,
			  .manager_bytes = (uint32_t)strlen(manager),
			  .pool_bytes = (uint32_t)strlen(pool) },
	};

	memcpy(record.manager, manager, strlen(manager));
	memcpy(record.name, pool, strlen(pool));
	fill(reel, &record.pool.head, kind,
	     sizeof(record.pool) + RECORD_TEXT_BYTES + strlen(pool));
}

static int take_record(void *ctx, const struct record *record, unsigned int ring)
{
	(void)ring;
	reel__put(ctx, record);
	return 0;
}

void reel__read(struct reel *reel, const char *path)
{
	struct record_sink sink = { take_record, reel };
	struct recording *recording;

	assert_int_equal(recording__open(path, &recording), 0);
	while (recording__pull(recording, &sink) == SOURCE_MORE)
		;
	recording__close(recording);
}

void reel__write(const struct reel *reel, const char *path, size_t records_a_block)
{
	struct recording_writer *writer;
	struct facts *facts = facts__new();
	int fd;

	fd = files__create(path);
	assert_true(fd >= 0);
	assert_int_equal(recording_writer__new(fd, path, facts, &writer), 0);
	for (size_t i = 0; i < reel->records.count; i++) {
		assert_int_equal(recording_writer__record(writer, reel->records.items[i], 0), 0);
		if (i % records_a_block == records_a_block - 1)
			assert_int_equal(recording_writer__flush(writer), 0);
	}
	assert_int_equal(recording_writer__close(writer), 0);
	facts__free(facts);
}

/* ---------------------------------------------------------------- readings */

static void copy_text(char *to, size_t room, struct text text)
{
	snprintf(to, room, "%.*s", (int)text.bytes, text.bytes ? text.at : "");
}

static int take_collection(void *context, const struct collection *collection)
{
	struct told told = { .is = *collection };
	struct reading *reading = context;

	copy_text(told.what, sizeof(told.what), collection->what);
	copy_text(told.cause, sizeof(told.cause), collection->cause);
	assert_in_range(collection->pool_count, 0, POOLS);
	for (size_t i = 0; i < collection->pool_count; i++) {
		const struct collection_pool *pool = &collection->pools[i];

		copy_text(told.pools[i].name, sizeof(told.pools[i].name), pool->name);
		told.pools[i].before = pool->before;
		told.pools[i].after = pool->after;
	}
	return vec__push(&reading->collections, told);
}

static int take_pause(void *context, const struct pause *pause, unsigned int collections)
{
	struct reading *reading = context;

	(void)collections;
	return vec__push(&reading->pauses, *pause);
}

static int take_event(void *ctx, const struct event *event)
{
	return assembler__event(((struct reading *)ctx)->assembler, event);
}

static struct reading *begin(void)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	struct assembler_sink sink = { reading, take_collection, take_pause, NULL };
	struct event_sink events = { take_event, reading };

	assert_non_null(reading);
	reading->assembler = assembler__new(&sink, NULL);
	assert_non_null(reading->assembler);
	assert_int_equal(feed__new(NULL, &events, &reading->feed), 0);
	return reading;
}

static struct reading *end(struct reading *reading)
{
	assert_int_equal(feed__end(reading->feed), 0);
	assert_int_equal(assembler__end_all(reading->assembler), 0);
	feed__free(reading->feed);
	assembler__free(reading->assembler);
	return reading;
}

static void lose(struct reading *reading, const struct damage *damage, uint64_t from,
		 uint64_t until)
{
	struct record_call loss = {
		.head = { .stamp = from, .bytes = sizeof(loss), .kind = RECORD_LOSS,
			  .target = LOSS_ANY_TARGET },
		.args = { damage->kind, damage->count, until },
	};

	assert_int_equal(feed__record(reading->feed, &loss.head), 0);
}

struct reading *reading__damaged(const struct reel *reel, const struct damage *damage)
{
	size_t told = damage->first > damage->before ? damage->first - damage->before : 0;
	size_t end_of = damage->first + damage->count;
	size_t after = end_of + damage->after;
	struct record **records = reel->records.items;
	struct reading *reading = begin();

	for (size_t i = 0; i < reel->records.count; i++) {
		if (i == told && damage->count)
			lose(reading, damage, i ? records[i - 1]->stamp : 0,
			     after < reel->records.count ? records[after]->stamp : U);
		if (i < damage->first || i >= end_of)
			assert_int_equal(feed__record(reading->feed, records[i]), 0);
	}
	return end(reading);
}

struct reading *reading__whole(const struct reel *reel)
{
	return reading__damaged(reel, &(struct damage){ 0 });
}

struct reading *reading__of_file(const char *path)
{
	struct reading *reading = begin();
	struct recording *recording;
	struct source source;

	assert_int_equal(recording__open(path, &recording), 0);
	source = recording__source(recording);
	while (feed__pull(reading->feed, &source, 0) == SOURCE_MORE)
		;
	recording__close(recording);
	return end(reading);
}

void reading__free(struct reading *reading)
{
	if (!reading)
		return;
	vec__free(&reading->collections);
	vec__free(&reading->pauses);
	free(reading);
}

size_t reading__collections(const struct reading *reading)
{
	return reading->collections.count;
}

/* ---------------------------------------------------------------- the rule */

/* What is not numbered by its runtime is known by when it started, or ended. */
static const struct told *find(const struct reading *whole, const struct told *of)
{
	for (size_t i = 0; i < whole->collections.count; i++) {
		const struct told *at = &whole->collections.items[i];

		if (at->is.counted_here != of->is.counted_here)
			continue;
		if (of->is.counted_here
			    ? (of->is.start_ns != U && at->is.start_ns == of->is.start_ns) ||
				      (of->is.end_ns != U && at->is.end_ns == of->is.end_ns)
			    : at->is.number == of->is.number)
			return at;
	}
	return NULL;
}

static bool same_or_unknown(uint64_t value, uint64_t truth)
{
	return value == U || value == truth;
}

/* Known exactly: the same; estimated: the truth lies between; a sum of parts: no more. */
static bool amount_holds(const struct amount *amount, const struct amount *truth, bool marked)
{
	if (!amount->known || (amount->estimated && truth->estimated))
		return true;
	if (!truth->known)
		return marked;
	if (amount->estimated)
		return amount->low <= truth->high && amount->high >= truth->low;
	return marked ? amount->value <= truth->high : amount->value == truth->value;
}

static const char *breach_of_pools(const struct told *of, const struct told *truth, bool marked)
{
	if (!same_or_unknown(of->is.before_bytes, truth->is.before_bytes) ||
	    !same_or_unknown(of->is.after_bytes, truth->is.after_bytes))
		return "heap before or after";
	if (!marked && (of->is.before_bytes != truth->is.before_bytes ||
			of->is.after_bytes != truth->is.after_bytes ||
			of->is.pool_count != truth->is.pool_count))
		return "heap before or after is not known";
	for (size_t i = 0; i < of->is.pool_count; i++) {
		const struct told_pool *pool = &of->pools[i], *same = NULL;

		for (size_t j = 0; j < truth->is.pool_count; j++)
			if (!strcmp(pool->name, truth->pools[j].name))
				same = &truth->pools[j];
		if (!same)
			return "a pool that is not its";
		if (!same_or_unknown(pool->before, same->before) ||
		    !same_or_unknown(pool->after, same->after))
			return "a pool";
	}
	return NULL;
}

/* Whoever else had a share in a pause may be lost: then it is the whole pause, and no more. */
static bool paused_too_long(const struct reading *whole, const struct told *of,
			    const struct told *truth)
{
	if (of->is.pause_count == 0 || of->is.pause_ns == U)
		return false;
	if (truth->is.pause_count && of->is.pause_ns <= truth->is.pause_ns)
		return false;
	for (size_t i = 0; of->is.pause_count == 1 && i < whole->pauses.count; i++)
		if (whole->pauses.items[i].share_ns == of->is.pause_ns)
			return of->is.counted_here;
	return true;
}

static const char *breach_of_one(const struct reading *whole, const struct told *of)
{
	bool marked = of->is.partial || of->is.incomplete || of->is.cut_off;
	const struct told none = { .is = { .before_bytes = U, .after_bytes = U } };
	const struct told *truth = find(whole, of);
	const char *pools;

	if (!truth && !marked)
		return "it never was";
	if (!truth)
		truth = &none;
	pools = breach_of_pools(of, truth, marked);
	if (pools)
		return pools;
	if (truth != &none &&
	    (!amount_holds(&of->is.moved.bytes, &truth->is.moved.bytes, marked) ||
	     !amount_holds(&of->is.stayed.bytes, &truth->is.stayed.bytes, marked) ||
	     !amount_holds(&of->is.survived.bytes, &truth->is.survived.bytes, marked) ||
	     !amount_holds(&of->is.promoted.bytes, &truth->is.promoted.bytes, marked) ||
	     !amount_holds(&of->is.dead.bytes, &truth->is.dead.bytes, false)))
		return "moved, survived, promoted or dead";
	if (marked)
		return paused_too_long(whole, of, truth) ? "paused for longer than it was" : NULL;
	if (of->is.start_ns != truth->is.start_ns || of->is.end_ns != truth->is.end_ns)
		return "start or end";
	if (of->is.pause_ns != truth->is.pause_ns || of->is.pause_count != truth->is.pause_count ||
	    of->is.pause_max_ns != truth->is.pause_max_ns)
		return "pauses";
	if (of->is.suspend_ns != truth->is.suspend_ns)
		return "suspension";
	if (strcmp(of->what, truth->what) || strcmp(of->cause, truth->cause))
		return "what, or why";
	if (of->is.concurrent != truth->is.concurrent)
		return "concurrent";
	return NULL;
}

static bool was(const struct reading *whole, const struct pause *pause)
{
	for (size_t i = 0; i < whole->pauses.count; i++) {
		const struct pause *at = &whole->pauses.items[i];

		if (at->start_ns == pause->start_ns && at->end_ns == pause->end_ns &&
		    at->number == pause->number)
			return true;
	}
	return false;
}

void reading__print(const struct reading *reading)
{
	for (size_t i = 0; i < reading->collections.count; i++) {
		const struct told *of = &reading->collections.items[i];

		printf("  %llu %s (%s) %lld-%lld, %llu pauses %lld ns%s%s%s%s\n",
		       (unsigned long long)of->is.number, of->what, of->cause,
		       (long long)of->is.start_ns, (long long)of->is.end_ns,
		       (unsigned long long)of->is.pause_count, (long long)of->is.pause_ns,
		       of->is.partial ? ", partial" : "", of->is.incomplete ? ", incomplete" : "",
		       of->is.cut_off ? ", cut off" : "", of->is.overlapped ? ", overlapped" : "");
	}
}

const char *reading__breach(const struct reading *whole, const struct reading *damaged)
{
	static char breach[256];

	for (size_t i = 0; i < damaged->collections.count; i++) {
		const struct told *of = &damaged->collections.items[i];
		const char *why = breach_of_one(whole, of);

		if (!why)
			continue;
		snprintf(breach, sizeof(breach), "collection %llu (%s, started %llu%s%s%s): %s",
			 (unsigned long long)of->is.number, of->what,
			 (unsigned long long)of->is.start_ns, of->is.partial ? ", partial" : "",
			 of->is.incomplete ? ", incomplete" : "", of->is.cut_off ? ", cut off" : "",
			 why);
		return breach;
	}
	for (size_t i = 0; i < damaged->pauses.count; i++) {
		const struct pause *pause = &damaged->pauses.items[i];

		if (pause->share_ns == U || was(whole, pause))
			continue;
		snprintf(breach, sizeof(breach), "a pause of %llu ns from %llu that never was",
			 (unsigned long long)pause->share_ns, (unsigned long long)pause->start_ns);
		return breach;
	}
	return damaged->collections.count > whole->collections.count ? "more collections than were"
								     : NULL;
}
