/* SPDX-License-Identifier: BSD-2-Clause */
/* Dumps in recordings: which there are, and one of them as a stream of events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "gctrace/wire.h"
#include "stream/dump_finder.h"
#include "stream/dump_list.h"
#include "stream/recording.h"

/* A recording in the making, by single probes; each record is one ns after the one before. */
struct script {
	char path[32];
	struct facts *facts;
	struct recording_writer *writer;
	uint64_t now;
};

static void begin(struct script *script)
{
	int fd;

	*script = (struct script){ .path = "/tmp/dump_list_XXXXXX", .now = 1000 };
	fd = mkstemp(script->path);
	assert_true(fd >= 0);
	script->facts = facts__new();
	assert_non_null(script->facts);
	assert_int_equal(
		recording_writer__new(fd, script->path, script->facts, &script->writer), 0);
}

static void call(struct script *script, unsigned int kind, uint32_t target, uint64_t a, uint64_t b,
		 uint64_t c)
{
	const struct record_call record = {
		.head = { .stamp = ++script->now,
			  .bytes = sizeof(record),
			  .kind = (uint16_t)kind,
			  .target = target },
		.args = { a, b, c },
	};

	assert_int_equal(recording_writer__record(script->writer, &record.head, 0), 0);
}

static void container(struct script *script, uint32_t target, uint64_t type, uint64_t id1)
{
	call(script, RECORD_CONTAINER, target, type, id1, 7);
}

/* DUMP_END comes in batches only. */
static void dump_end(struct script *script, uint32_t target, uint64_t sequence, uint64_t objects)
{
	struct {
		struct record head;
		struct gctrace_batch batch;
		struct gctrace_dump_end end;
	} record = {
		.head = { .stamp = ++script->now,
			  .bytes = sizeof(record),
			  .kind = RECORD_BATCH,
			  .target = target },
		.batch = { .magic = GCTRACE_MAGIC,
			   .major = GCTRACE_MAJOR,
			   .header_bytes = sizeof(struct gctrace_batch),
			   .bytes = sizeof(record.batch) + sizeof(record.end),
			   .records = 1,
			   .sequence = sequence },
		.end = { .head = { GCTRACE_DUMP_END, 0, sizeof(struct gctrace_dump_end) },
			 .objects = objects,
			 .references = 6,
			 .roots = 7,
			 .bytes = 80,
			 .batches = sequence },
	};

	assert_int_equal(recording_writer__record(script->writer, &record.head, 0), 0);
}

static void end(struct script *script)
{
	assert_int_equal(recording_writer__close(script->writer), 0);
	facts__free(script->facts);
}

/* Two processes at once, one that is stopped, one with totals, one that has no end. */
static void record(struct script *script)
{
	begin(script);
	call(script, RECORD_GC_START, 0, 1, 1, 0);
	container(script, 0, GCTRACE_C_END, 0); /* of a dump that began before */
	container(script, 0, GCTRACE_C_BEGIN, 11);
	container(script, 0, GCTRACE_C_STATIC, 0);
	container(script, 1, GCTRACE_C_BEGIN, 21);
	container(script, 0, GCTRACE_C_END, GCTRACE_DUMP_COMPLETE);
	container(script, 1, GCTRACE_C_HEAP, 0);
	dump_end(script, 0, 3, 5);
	container(script, 1, GCTRACE_C_END, GCTRACE_DUMP_ABORTED);
	call(script, RECORD_PAUSE_END, 1, 1, 0, 0);
	container(script, 1, GCTRACE_C_STATIC, 0); /* nonsense between dumps */
	container(script, 0, GCTRACE_C_BEGIN, 12);
	call(script, RECORD_LOSS, 0, LOSS_RING_FULL, 4, script->now + 1);
	container(script, 0, GCTRACE_C_STATIC, 0);
	end(script);
}

static void each_dump_is_listed(void **state)
{
	struct dump_list list = VEC_INIT;
	struct buf damage = BUF_INIT;
	struct script script;

	(void)state;
	record(&script);
	assert_int_equal(dump_list__read(&list, script.path, &damage), 0);
	assert_int_equal(damage.len, 0);
	assert_int_equal(list.count, 3);
	assert_int_equal(list.items[0].target, 0);
	assert_int_equal(list.items[0].number, 11);
	assert_int_equal(list.items[0].gc, 7);
	assert_int_equal(list.items[0].status, GCTRACE_DUMP_COMPLETE);
	assert_int_equal(list.items[0].objects, 5);
	assert_int_equal(list.items[0].bytes, 80);
	assert_int_equal(list.items[0].ended_ns - list.items[0].begun_ns, 3);
	assert_int_equal(list.items[0].lost, 0);
	assert_int_equal(list.items[1].target, 1);
	assert_int_equal(list.items[1].status, GCTRACE_DUMP_ABORTED);
	assert_int_equal(list.items[1].objects, EVENT_UNKNOWN);
	assert_int_equal(list.items[2].status, EVENT_UNKNOWN);
	assert_int_equal(list.items[2].ended_ns, EVENT_UNKNOWN);
	assert_int_equal(list.items[2].lost, 4);
	vec__free(&list);
	unlink(script.path);
}

static int keep(void *context, const struct event *event)
{
	struct buf *text = context;

	buf__printf(text, "%s%u:%s", text->len ? " " : "", event->target,
		    event->kind == EVENT_CONTAINER ? "container" :
		    event->kind == EVENT_DUMP_END  ? "end" :
		    event->kind == EVENT_LOSS	   ? "loss" :
						     "other");
	if (event->kind == EVENT_CONTAINER)
		buf__printf(text, ".%llu", (unsigned long long)event->container.type);
	return 0;
}

static struct dump_finder find(const struct script *script, uint64_t number, struct buf *text)
{
	const struct event_sink sink = { keep, text };
	struct recording *recording;
	struct dump_finder finder;
	struct source source;
	struct feed *feed;
	int answer;

	dump_finder__init(&finder, number, &sink);
	assert_int_equal(recording__open(script->path, &recording), 0);
	assert_int_equal(
		feed__new(NULL, &(struct event_sink){ dump_finder__event, &finder }, &feed), 0);
	source = recording__source(recording);
	do {
		answer = feed__pull(feed, &source, 0);
	} while (answer == SOURCE_MORE);
	assert_in_range(answer, SOURCE_END, SOURCE_STOPPED);
	feed__free(feed);
	recording__close(recording);
	return finder;
}

#define EXPECT(buf, string)                                                                       \
	do {                                                                                      \
		assert_string_equal(buf__str(buf), string);                                       \
		buf__reset(buf);                                                                  \
	} while (0)

static void a_dump_is_found_by_its_number(void **state)
{
	struct dump_finder finder;
	struct buf text = BUF_INIT;
	struct script script;

	(void)state;
	record(&script);
	finder = find(&script, 1, &text);
	EXPECT(&text, "0:container.1 0:container.9 0:container.13 0:end");
	assert_true(finder.begun && finder.ended);
	finder = find(&script, 2, &text);
	EXPECT(&text, "1:container.1 1:container.12 1:container.13");
	assert_true(finder.ended);
	assert_int_equal(finder.status, GCTRACE_DUMP_ABORTED);
	finder = find(&script, 3, &text);
	EXPECT(&text, "0:container.1 0:loss 0:container.9");
	assert_true(finder.begun);
	assert_false(finder.ended);
	assert_int_equal(finder.lost, 4);
	finder = find(&script, 4, &text);
	EXPECT(&text, "");
	assert_false(finder.begun);
	assert_int_equal(finder.seen, 3);
	buf__free(&text);
	unlink(script.path);
}

static void the_next_dump_ends_one_whose_end_is_lost(void **state)
{
	struct dump_finder finder;
	struct buf text = BUF_INIT;
	struct script script;

	(void)state;
	begin(&script);
	container(&script, 0, GCTRACE_C_BEGIN, 1);
	container(&script, 0, GCTRACE_C_BEGIN, 2);
	container(&script, 0, GCTRACE_C_END, 0);
	call(&script, RECORD_EXIT, 0, 0, 0, 0);
	end(&script);
	finder = find(&script, 1, &text);
	EXPECT(&text, "0:container.1");
	assert_true(finder.ended);
	assert_int_equal(finder.status, EVENT_UNKNOWN);
	finder = find(&script, 2, &text);
	EXPECT(&text, "0:container.1 0:container.13");
	assert_true(finder.ended);
	buf__free(&text);
	unlink(script.path);
}

/* The totals of a dump whose beginning is lost are not those of the one before it. */
static void no_totals_of_another_dump(void **state)
{
	struct dump_list list = VEC_INIT;
	struct script script;

	(void)state;
	begin(&script);
	container(&script, 0, GCTRACE_C_BEGIN, 1);
	container(&script, 0, GCTRACE_C_END, GCTRACE_DUMP_COMPLETE);
	dump_end(&script, 0, 1, 5);
	call(&script, RECORD_LOSS, 0, LOSS_RING_FULL, 4, script.now + 1);
	container(&script, 0, GCTRACE_C_END, GCTRACE_DUMP_ABORTED);
	dump_end(&script, 0, 2, 9);
	end(&script);
	assert_int_equal(dump_list__read(&list, script.path, NULL), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].objects, 5);
	assert_int_equal(list.items[0].status, GCTRACE_DUMP_COMPLETE);
	assert_int_equal(list.items[0].lost, 0);
	vec__free(&list);
	unlink(script.path);
}

/* What is left of it, dump by dump, is whole. */
static void a_file_that_is_cut_off_says_so(void **state)
{
	struct dump_list list = VEC_INIT;
	struct buf damage = BUF_INIT;
	struct script script;
	struct stat st;

	(void)state;
	record(&script);
	assert_int_equal(stat(script.path, &st), 0);
	assert_int_equal(truncate(script.path, st.st_size - 1), 0);
	assert_int_equal(dump_list__read(&list, script.path, &damage), 0);
	assert_non_null(strstr(buf__str(&damage), "it is cut off after"));
	buf__free(&damage);
	vec__free(&list);
	unlink(script.path);
}

static int resolve(const struct script *script, uint64_t wanted, uint64_t *number)
{
	const struct dump_name name = { (char *)script->path, wanted };

	return dump_list__resolve(&name, number);
}

static void names_become_numbers(void **state)
{
	const struct dump_name pipe = { "/dev/null", DUMP_NAME_LAST };
	struct script script;
	uint64_t number;

	(void)state;
	record(&script);
	assert_int_equal(resolve(&script, 2, &number), 0);
	assert_int_equal(number, 2);
	assert_int_equal(resolve(&script, 3, &number), 0);
	assert_int_equal(number, 3);
	assert_int_equal(resolve(&script, 4, &number), -ENOENT);
	assert_int_equal(resolve(&script, DUMP_NAME_NONE, &number), -ENOENT);
	unlink(script.path);

	begin(&script);
	end(&script);
	assert_int_equal(resolve(&script, DUMP_NAME_NONE, &number), -ENOENT);
	assert_int_equal(resolve(&script, DUMP_NAME_LAST, &number), -ENOENT);
	unlink(script.path);

	begin(&script);
	container(&script, 0, GCTRACE_C_BEGIN, 1);
	end(&script);
	assert_int_equal(resolve(&script, DUMP_NAME_NONE, &number), 0);
	assert_int_equal(number, 1);
	unlink(script.path);
	assert_int_equal(dump_list__resolve(&pipe, &number), -ESPIPE);
}

/* A dump as the target of that number makes it. */
static void dump(struct script *script, uint32_t target, uint64_t status)
{
	container(script, target, GCTRACE_C_BEGIN, 1);
	container(script, target, GCTRACE_C_END, status);
}

static void the_last_is_the_last_complete_one(void **state)
{
	struct script script;
	uint64_t number;

	(void)state;
	record(&script); /* complete, stopped, without an end */
	assert_int_equal(resolve(&script, DUMP_NAME_LAST, &number), 0);
	assert_int_equal(number, 1);
	unlink(script.path);

	/* One that lacks what was lost is none; it does not matter whose they are. */
	begin(&script);
	dump(&script, 0, GCTRACE_DUMP_COMPLETE);
	dump(&script, 1, GCTRACE_DUMP_COMPLETE);
	container(&script, 0, GCTRACE_C_BEGIN, 1);
	call(&script, RECORD_LOSS, 0, LOSS_RING_FULL, 4, script.now + 1);
	container(&script, 0, GCTRACE_C_END, GCTRACE_DUMP_COMPLETE);
	end(&script);
	assert_int_equal(resolve(&script, DUMP_NAME_LAST, &number), 0);
	assert_int_equal(number, 2);
	unlink(script.path);

	begin(&script);
	dump(&script, 0, GCTRACE_DUMP_ABORTED);
	dump(&script, 0, GCTRACE_DUMP_COMPLETE);
	end(&script);
	assert_int_equal(resolve(&script, DUMP_NAME_LAST, &number), 0);
	assert_int_equal(number, 2);
	unlink(script.path);

	/* Where none is complete it is what there is. */
	begin(&script);
	dump(&script, 0, GCTRACE_DUMP_ABORTED);
	dump(&script, 0, GCTRACE_DUMP_ABORTED);
	end(&script);
	assert_int_equal(resolve(&script, DUMP_NAME_LAST, &number), 0);
	assert_int_equal(number, 2);
	unlink(script.path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_dump_is_listed),
		cmocka_unit_test(a_dump_is_found_by_its_number),
		cmocka_unit_test(the_next_dump_ends_one_whose_end_is_lost),
		cmocka_unit_test(no_totals_of_another_dump),
		cmocka_unit_test(a_file_that_is_cut_off_says_so),
		cmocka_unit_test(names_become_numbers),
		cmocka_unit_test(the_last_is_the_last_complete_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
