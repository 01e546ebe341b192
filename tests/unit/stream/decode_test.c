/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder on bytes made by hand: right ones, wrong ones, cut ones, those of later versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gctrace/wire.h"
#include "stream/decode.h"
#include "stream/feed.h"
#include "stream/join.h"
#include "stream/sequence.h"
#include "transcript.h"

struct bench {
	struct feed *feed;
	struct transcript got;
	struct buf batch; /* being built */
	uint32_t target, tid;
	uint64_t stamp, producer, sequence;
	uint8_t major;
};

static int set_up(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct event_sink sink = transcript__sink(&bench->got);

	assert_int_equal(feed__new(NULL, &sink, &bench->feed), 0);
	bench->tid = 5;
	bench->major = GCTRACE_MAJOR;
	*state = bench;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *bench = *state;

	feed__free(bench->feed);
	transcript__free(&bench->got);
	buf__free(&bench->batch);
	free(bench);
	return 0;
}

/* In memory of its own and of exactly its size, so that ASan sees one byte too far. */
static int feed_record(struct bench *bench, unsigned int kind, const void *body, size_t bytes)
{
	struct record *record = malloc(sizeof(*record) + bytes);
	int answer;

	*record = (struct record){
		.stamp = ++bench->stamp,
		.bytes = (uint32_t)(sizeof(*record) + bytes),
		.kind = (uint16_t)kind,
		.target = bench->target,
		.tid = bench->tid,
	};
	if (bytes)
		memcpy(record + 1, body, bytes);
	answer = feed__record(bench->feed, record);
	free(record);
	return answer;
}

static struct gctrace_batch *header(struct bench *bench)
{
	return (struct gctrace_batch *)(void *)bench->batch.data;
}

static void begin(struct bench *bench)
{
	struct gctrace_batch batch = {
		.magic = GCTRACE_MAGIC,
		.major = bench->major,
		.header_bytes = sizeof(batch),
		.producer = bench->producer,
		.sequence = bench->sequence++,
	};

	buf__reset(&bench->batch);
	buf__add(&bench->batch, &batch, sizeof(batch));
}

/* A struct of wire.h with its head, then what follows it. */
static void add(struct bench *bench, unsigned int kind, unsigned int flags, const void *fixed,
		size_t bytes, const void *rest, size_t rest_bytes)
{
	struct gctrace_record head = {
		.kind = (uint16_t)kind,
		.flags = (uint16_t)flags,
		.bytes = (uint32_t)(bytes + rest_bytes),
	};

	buf__add(&bench->batch, &head, sizeof(head));
	buf__add(&bench->batch, (const char *)fixed + sizeof(head), bytes - sizeof(head));
	buf__add(&bench->batch, rest, rest_bytes);
	buf__add_repeated(&bench->batch, '\0', -bench->batch.len & 7);
	header(bench)->records++;
}
#define ADD(bench, kind, flags, fixed, rest) \
	add(bench, kind, flags, &(fixed), sizeof(fixed), rest, sizeof(rest))
#define ADD_PLAIN(bench, kind, fixed) add(bench, kind, 0, &(fixed), sizeof(fixed), NULL, 0)

static int fire(struct bench *bench)
{
	header(bench)->bytes = (uint32_t)bench->batch.len;
	return feed_record(bench, RECORD_BATCH, bench->batch.data, bench->batch.len);
}

static void expect(struct bench *bench, const char *text)
{
	assert_string_equal(buf__str(&bench->got.text), text);
	buf__reset(&bench->got.text);
}

static uint64_t lost(struct bench *bench, unsigned int kind)
{
	return losses__sum(feed__losses(bench->feed), kind);
}

static void add_mark(struct bench *bench, uint64_t number)
{
	struct gctrace_container mark = { .type = number };

	ADD_PLAIN(bench, GCTRACE_CONTAINER, mark);
}
#define MARK(number) "container type=" #number " id1=0 id2=0\n"

/* ---------------------------------------------------------------------------------------------
 * What wire.h says
 */

static void ranges_of_both_forms(void **state)
{
	struct bench *bench = *state;
	const uint32_t narrow[] = { 1, 2, 3, 0xffffffff, 0, 0xffffffff };
	const uint64_t wide[] = { 0x123456789abcdef1, 7, 1u << 31 };
	const uint32_t narrow_stay[] = { 4, 1 };
	const uint64_t wide_stay[] = { 9, 0x500000000 };
	struct gctrace_moved moved = { .gc = 7,
				       .old_base = 0x1000,
				       .new_base = 0x2000,
				       .generation = 1,
				       .phase = 2,
				       .count = 2,
				       .width = 8 };
	struct gctrace_surviving stay = { .gc = 7, .base = 0x4000, .count = 1, .width = 4 };

	begin(bench);
	ADD(bench, GCTRACE_MOVED, 0, moved, narrow);
	moved.form = GCTRACE_RANGES_WIDE;
	moved.count = 1;
	moved.old_base = moved.new_base = 0;
	ADD(bench, GCTRACE_MOVED, 0, moved, wide);
	ADD(bench, GCTRACE_SURVIVING, 0, stay, narrow_stay);
	stay.form = GCTRACE_RANGES_WIDE;
	stay.base = 0;
	ADD(bench, GCTRACE_SURVIVING, 0, stay, wide_stay);
	assert_int_equal(fire(bench), 0);
	expect(bench,
	       "moved target=0 gc=7 generation=1 phase=2 width=8 1008 -> 2010 + 24\n"
	       "moved target=0 gc=7 generation=1 phase=2 width=8 800000ff8 -> 2000 + 34359738360\n"
	       "moved target=0 gc=7 generation=1 phase=2 width=8 123456789abcdef1 -> 7 + "
	       "2147483648\n"
	       "surviving target=0 gc=7 generation=0 phase=0 width=4 4020 -> 4020 + 8\n"
	       "surviving target=0 gc=7 generation=0 phase=0 width=4 9 -> 9 + 21474836480\n");
	assert_true(losses__none(feed__losses(bench->feed)));
}

/* All ones would say that its class tells: a producer that lies is to be seen to. */
static void a_size_that_was_told_is_never_that_of_the_class(void **state)
{
	struct bench *bench = *state;
	const uint8_t packed[] = { GCTRACE_PLACE_UNKNOWN | GCTRACE_OBJECT_PLAIN, 0, 1,
				   0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0 };
	struct gctrace_objects objects = { .base = 0x10000, .count = 1 };

	begin(bench);
	ADD(bench, GCTRACE_OBJECTS, 0, objects, packed);
	assert_int_equal(fire(bench), 0);
	expect(bench, "object 10000 class=1 size=18446744073709551614 flags=0 places=2\n"
		      "  end of 10000\n");
}

static void objects_byte_by_byte(void **state)
{
	struct bench *bench = *state;
	const uint8_t packed[] = {
		/* by position, at base + 8 * 2; class 5, size 24; refs: null, itself, + 64 */
		GCTRACE_PLACE_POSITION, 4, 5, 3, 3, 0, 1, 1 + 16,
		/* by offset with flags of references, 8 before; flags 2; refs: - 8 (weak) at 16 */
		GCTRACE_PLACE_OFFSET | GCTRACE_OBJECT_FLAGS | GCTRACE_OBJECT_REF_FLAGS, 1, 0x80, 1,
		2, 2, 1, 1 + 1, 0x80, 2, 16,
		/* unknown places, plain: 3 bytes on, size 7; ref + 1 */
		GCTRACE_PLACE_UNKNOWN | GCTRACE_OBJECT_PLAIN, 6, 1, 7, 1, 1 + 2,
		/* a part from index 300 on, more to come */
		GCTRACE_PLACE_INDEX | GCTRACE_OBJECT_PART | GCTRACE_OBJECT_FLAGS, 0, 9, 1, 0x80,
		0x80, 4, 7, 1, 0, 0xac, 2,
		/* its end */
		GCTRACE_PLACE_POSITION | GCTRACE_OBJECT_PART, 0, 9, 1, 8, 1, 0};
	struct gctrace_objects objects = { .base = 0x10000, .count = 5 };

	begin(bench);
	ADD(bench, GCTRACE_OBJECTS, 0, objects, packed);
	assert_int_equal(fire(bench), 0);
	expect(bench, "object 10010 class=5 size=24 flags=0 places=0\n"
		      "  0 place=0 flags=0\n"
		      "  10010 place=1 flags=0\n"
		      "  10050 place=2 flags=0\n"
		      "  end of 10010\n"
		      "object 10008 class=80 size=16 flags=2 places=1\n"
		      "  10000 place=16 flags=100\n"
		      "  end of 10008\n"
		      "object 1000b class=1 size=7 flags=0 places=2\n"
		      "  1000c place=18446744073709551615 flags=0\n"
		      "  end of 1000b\n"
		      "object 10008 class=9 size=8 flags=0 places=3\n"
		      "  0 place=300 flags=0\n"
		      "  0 place=8 flags=0\n"
		      "  end of 10008\n");
	assert_true(losses__none(feed__losses(bench->feed)));
}

static void roots_byte_by_byte(void **state)
{
	struct bench *bench = *state;
	const uint8_t eighths[] = { 2, 0, 1, 7, 1, 1, 0x80, 2, 0 };
	const uint8_t plain[] = { 2, 0, 0, 0 };
	struct gctrace_roots roots = { .type = 3, .id1 = 1, .id2 = 2, .base = 0x1000, .count = 2 };

	begin(bench);
	ADD(bench, GCTRACE_ROOTS, 0, roots, eighths);
	roots.count = 1;
	ADD(bench, GCTRACE_ROOTS, GCTRACE_ROOTS_PLAIN, roots, plain);
	assert_int_equal(fire(bench), 0);
	expect(bench, "root of 3 1 2: 1008 flags=0 kind=1 id=7\n"
		      "root of 3 1 2: ff8 flags=1 kind=256 id=0\n"
		      "root of 3 1 2: 1001 flags=0 kind=0 id=0\n");
}

/* Numbers are 10 bytes at most and fit in a u64; flags fit in a u32. */
static void compact_numbers_have_their_limits(void **state)
{
	struct bench *bench = *state;
	const uint8_t largest[] = { 0,	  0,	0,    0xff, 0xff, 0xff, 0xff,
				    0xff, 0xff, 0xff, 0xff, 0xff, 1 };
	const uint8_t too_large[] = { 0,    0,	  0,	0xff, 0xff, 0xff, 0xff,
				      0xff, 0xff, 0xff, 0xff, 0xff, 2 };
	const uint8_t too_long[] = { 0,	   0,	 0,    0x80, 0x80, 0x80, 0x80,
				     0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0 };
	const uint8_t flags[] = { 0, 0x80, 0x80, 0x80, 0x80, 0x10, 0, 0 };
	const uint8_t cut[] = { 0, 0, 0, 0x80 };
	struct gctrace_roots roots = { .count = 1 };

	begin(bench);
	ADD(bench, GCTRACE_ROOTS, 0, roots, largest);
	ADD(bench, GCTRACE_ROOTS, 0, roots, too_large);
	ADD(bench, GCTRACE_ROOTS, 0, roots, too_long);
	ADD(bench, GCTRACE_ROOTS, 0, roots, flags);
	ADD(bench, GCTRACE_ROOTS, 0, roots, cut);
	add_mark(bench, 1);
	assert_int_equal(fire(bench), 0);
	expect(bench, "root of 0 0 0: 0 flags=0 kind=0 id=ffffffffffffffff\n"
		      "loss target=0 malformed 1\nloss target=0 malformed 1\n"
		      "loss target=0 malformed 1\nloss target=0 malformed 1\n" MARK(1));
}

/* ---------------------------------------------------------------------------------------------
 * Later versions
 */

static void count_unknown(void *ctx, unsigned int kind, bool in_batch, uint64_t count)
{
	uint64_t *sum = ctx;

	assert_true(in_batch);
	assert_int_equal(kind, 4711);
	*sum += count;
}

static void growth_is_read_over(void **state)
{
	struct bench *bench = *state;
	struct gctrace_record unknown = { 0 };
	struct gctrace_container longer = { .type = 1 };
	const uint32_t ranges[] = { 1, 1, 1, 0xdead, 0xbeef };
	struct gctrace_moved moved = { .count = 1, .width = 8 };
	uint64_t unknowns = 0;

	begin(bench);
	buf__add_repeated(&bench->batch, 'x', 16); /* a longer header */
	header(bench)->header_bytes += 16;
	header(bench)->minor = 9;
	ADD(bench, 4711, 3, unknown, "whatever it is");
	ADD(bench, GCTRACE_CONTAINER, 0, longer, "and a new field");
	ADD(bench, GCTRACE_MOVED, 0, moved, ranges);
	ADD_PLAIN(bench, 4711, unknown);
	assert_int_equal(fire(bench), 0);
	expect(bench, MARK(1) "moved target=0 gc=0 generation=0 phase=0 width=8 8 -> 8 + 8\n");
	assert_true(losses__none(feed__losses(bench->feed)));
	feed__unknown(bench->feed, count_unknown, &unknowns);
	assert_int_equal(unknowns, 2);
}

static void a_later_major_version_is_refused(void **state)
{
	struct bench *bench = *state;

	bench->major = GCTRACE_MAJOR + 1;
	begin(bench);
	add_mark(bench, 1);
	assert_int_equal(fire(bench), -EPROTONOSUPPORT);
	expect(bench, "loss target=0 version 1\n");
	assert_int_equal(feed__refused(bench->feed), 1);

	bench->target = 1; /* another process, which we know, came before or comes after */
	bench->major = GCTRACE_MAJOR;
	begin(bench);
	add_mark(bench, 2);
	assert_int_equal(fire(bench), 0);
	bench->target = 0;
	bench->major = GCTRACE_MAJOR + 1;
	begin(bench);
	assert_int_equal(fire(bench), 0);
	assert_int_equal(feed__refused(bench->feed), 1);
	assert_int_equal(lost(bench, LOSS_VERSION), 2);
}

static void names_that_had_no_room_are_lost(void **state)
{
	struct bench *bench = *state;
	struct gctrace_unnamed unnamed = { .count = 7 };

	begin(bench);
	ADD_PLAIN(bench, GCTRACE_UNNAMED, unnamed);
	add_mark(bench, 1);
	assert_int_equal(fire(bench), 0);
	expect(bench, "loss target=0 unnamed 7\n" MARK(1));
	assert_int_equal(lost(bench, LOSS_UNNAMED), 7);
}

/* ---------------------------------------------------------------------------------------------
 * What contradicts the format
 */

/* A record of each kind, of which every byte is needed. */
static void add_one_of_each(struct bench *bench)
{
	const uint64_t arrays[8] = { 0 };
	const uint32_t moves[15] = { 0 };
	const uint8_t packed[65] = { 0 };
	struct gctrace_producer producer = { .name_bytes = 7, .collector_bytes = 9 };
	struct gctrace_gc_start gc_start = { .gc = 1 };
	struct gctrace_gc_finish gc_finish = { .gc = 1 };
	struct gctrace_pause_begin pause_begin = { .pause = 1 };
	struct gctrace_pause_end pause_end = { .pause = 1 };
	struct gctrace_moved moved = { .count = 5, .width = 8 };
	struct gctrace_surviving surviving = { .count = 8, .width = 8 };
	struct gctrace_container container = { .type = 1 };
	struct gctrace_roots roots = { .count = 16 };
	struct gctrace_objects objects = { .count = 13 };
	struct gctrace_class class_ = { .name_bytes = 30, .fields_bytes = 34 };
	struct gctrace_define define = { .space = 1, .name_bytes = 64 };
	struct gctrace_generation generation = { .gc = 1 };
	struct gctrace_pool pool = { .name_bytes = 64 };
	struct gctrace_object_alloc alloc = { .id = 1 };
	struct gctrace_dump_end dump_end = { .dump = 1 };
	struct gctrace_figure figure = { .gc = 1 };
	struct gctrace_reuse reuse = { .length = 1 };
	struct gctrace_unnamed unnamed = { .count = 0 };
	struct gctrace_samples samples = { .gc = 1, .first = 5, .count = 5 };
	struct gctrace_notice notice = { .text_bytes = 64 };
	const uint8_t sampled[10] = { 0, 0, 1, 0, 1, 0, 1, 0, 1, 0 };

	ADD(bench, GCTRACE_PRODUCER, 0, producer, "minivmcollector");
	ADD_PLAIN(bench, GCTRACE_GC_START, gc_start);
	ADD_PLAIN(bench, GCTRACE_GC_FINISH, gc_finish);
	ADD_PLAIN(bench, GCTRACE_PAUSE_BEGIN, pause_begin);
	ADD_PLAIN(bench, GCTRACE_PAUSE_END, pause_end);
	ADD(bench, GCTRACE_MOVED, 0, moved, moves);
	ADD(bench, GCTRACE_SURVIVING, 0, surviving, arrays);
	ADD_PLAIN(bench, GCTRACE_CONTAINER, container);
	ADD(bench, GCTRACE_ROOTS, 0, roots, arrays);
	ADD(bench, GCTRACE_OBJECTS, 0, objects, packed);
	ADD(bench, GCTRACE_CLASS, 0, class_, arrays);
	ADD(bench, GCTRACE_DEFINE, 0, define, arrays);
	ADD_PLAIN(bench, GCTRACE_GENERATION, generation);
	ADD(bench, GCTRACE_POOL, 0, pool, arrays);
	ADD_PLAIN(bench, GCTRACE_OBJECT_ALLOC, alloc);
	ADD_PLAIN(bench, GCTRACE_DUMP_END, dump_end);
	ADD_PLAIN(bench, GCTRACE_FIGURE, figure);
	ADD_PLAIN(bench, GCTRACE_REUSE, reuse);
	ADD_PLAIN(bench, GCTRACE_UNNAMED, unnamed);
	ADD(bench, GCTRACE_SAMPLES, 0, samples, sampled);
	ADD(bench, GCTRACE_NOTICE, 0, notice, arrays);
}

/* As producers of version 1.0, or 1.3, wrote it. */
static bool is_an_old_form(const struct gctrace_record *head, uint32_t bytes)
{
	return (head->kind == GCTRACE_GC_FINISH &&
		bytes == offsetof(struct gctrace_gc_finish, how)) ||
	       (head->kind == GCTRACE_OBJECT_ALLOC &&
		bytes == offsetof(struct gctrace_object_alloc, sample));
}

static void a_sample_of_version_1_3_is_read(void **state)
{
	struct bench *bench = *state;
	struct gctrace_object_alloc alloc = { .id = 64, .size = 16, .sample = 3, .gc = 9 };

	begin(bench);
	add(bench, GCTRACE_OBJECT_ALLOC, 0, &alloc, offsetof(struct gctrace_object_alloc, sample),
	    NULL, 0);
	ADD(bench, GCTRACE_OBJECT_ALLOC, 0, alloc, "of a later version");
	assert_int_equal(fire(bench), 0);
	expect(bench, "alloc id=40 size=16 class=0 stack=0 weight=0\n"
		      "alloc id=40 size=16 class=0 stack=0 weight=0 sample=3 gc=9\n");
	assert_true(losses__none(feed__losses(bench->feed)));
}

static void samples_are_read(void **state)
{
	/* 1000: dead; 1001: moved to 0x800000, old; 1300: lies 16 bytes before, unmoved */
	const uint8_t entries[] = { 0, 1, 1, 2 | 4, 0x80, 0x80, 0x80, 1, 1, 0xab, 2, 8, 3 };
	struct gctrace_samples samples = {
		.gc = 7, .interval = 512, .first = 1000, .count = 3, .lost = 2
	};
	struct bench *bench = *state;

	begin(bench);
	ADD(bench, GCTRACE_SAMPLES, 0, samples, entries);
	samples = (struct gctrace_samples){ .gc = 8 };
	ADD_PLAIN(bench, GCTRACE_SAMPLES, samples);
	ADD_PLAIN(bench, GCTRACE_SAMPLES, samples);
	assert_int_equal(fire(bench), 0);
	expect(bench, "loss target=0 samples 2\n"
		      "samples gc=7 interval=512\n"
		      "  1000 bits=1\n"
		      "  1001 bits=6 address=800000 generation=1\n"
		      "  1300 bits=8 address=7ffff0\n"
		      "  end of samples\n"
		      "samples gc=8 interval=0\n  end of samples\n"
		      "samples gc=8 interval=0\n  end of samples\n");
	assert_int_equal(lost(bench, LOSS_SAMPLES), 2);
}

static void a_list_of_all_samples_goes_on(void **state)
{
	struct gctrace_samples samples = { .gc = 7, .first = 2, .count = 1 };
	const uint8_t entry[] = { 0, 8, 2 };
	struct bench *bench = *state;

	begin(bench);
	ADD(bench, GCTRACE_SAMPLES, GCTRACE_SAMPLES_ALL | GCTRACE_MORE, samples, entry);
	samples.first = 4;
	ADD(bench, GCTRACE_SAMPLES, GCTRACE_SAMPLES_ALL, samples, entry);
	assert_int_equal(fire(bench), 0);
	expect(bench, "all gc=7 interval=0\n"
		      "  2 bits=8 address=8\n"
		      "  4 bits=8 address=8\n"
		      "  end of all\n");
	assert_true(losses__none(feed__losses(bench->feed)));
}

/* The same twice, or beyond the largest. */
static void numbers_of_samples_grow(void **state)
{
	const uint8_t twice[] = { 0, 0, 0, 0 }, beyond[] = { 1, 0, 1, 0 };
	struct gctrace_samples samples = { .gc = 7, .first = UINT64_MAX - 1, .count = 2 };
	struct bench *bench = *state;

	begin(bench);
	ADD(bench, GCTRACE_SAMPLES, 0, samples, twice);
	ADD(bench, GCTRACE_SAMPLES, 0, samples, beyond);
	assert_int_equal(fire(bench), 0);
	assert_int_equal(lost(bench, LOSS_MALFORMED), 2);
}

static void a_notice_is_read(void **state)
{
	struct gctrace_notice notice = { .what = GCTRACE_NOTICE_UNSAMPLED, .text_bytes = 6 };
	struct bench *bench = *state;

	begin(bench);
	ADD(bench, GCTRACE_NOTICE, 0, notice, "taken");
	assert_int_equal(fire(bench), 0);
	expect(bench, "notice 1 text=\"taken\\x00\"\n");
}

static void an_end_of_version_1_0_is_read(void **state)
{
	struct bench *bench = *state;
	struct gctrace_gc_finish end = { .gc = 7 };

	begin(bench);
	add(bench, GCTRACE_GC_FINISH, 0, &end, offsetof(struct gctrace_gc_finish, how), NULL, 0);
	end.how = GCTRACE_HOW_COMPACTING;
	ADD(bench, GCTRACE_GC_FINISH, GCTRACE_FINISH_UNTOLD, end, "of a later version");
	assert_int_equal(fire(bench), 0);
	expect(bench, "gc_finish gc=7 collected=-1\ngc_finish gc=7 collected=-1 how=4 untold\n");
	assert_true(losses__none(feed__losses(bench->feed)));
}

/* Every record cut to every length: malformed or (arrays aside) as before; its neighbours stay. */
static void a_short_record_spoils_nothing_else(void **state)
{
	struct bench *bench = *state;
	struct buf each = BUF_INIT;
	size_t offset = 0;

	begin(bench);
	add_one_of_each(bench);
	assert_int_equal(fire(bench), 0);
	assert_true(losses__none(feed__losses(bench->feed)));
	buf__add(&each, bench->batch.data + sizeof(struct gctrace_batch),
		 bench->batch.len - sizeof(struct gctrace_batch));
	while (offset < each.len) {
		struct gctrace_record head;

		memcpy(&head, each.data + offset, sizeof(head));
		for (uint32_t bytes = sizeof(head); bytes < head.bytes; bytes++) {
			uint64_t before = lost(bench, LOSS_MALFORMED);

			if (is_an_old_form(&head, bytes))
				continue;
			begin(bench);
			add_mark(bench, 1);
			add(bench, head.kind, head.flags, each.data + offset, bytes, NULL, 0);
			add_mark(bench, 2);
			buf__reset(&bench->got.text);
			assert_int_equal(fire(bench), 0);
			assert_int_equal(lost(bench, LOSS_MALFORMED), before + 1);
			assert_int_equal(strncmp(buf__str(&bench->got.text), MARK(1),
						 strlen(MARK(1))),
					 0);
			assert_non_null(strstr(buf__str(&bench->got.text),
					       "loss target=0 malformed 1\n" MARK(2)));
		}
		offset += (head.bytes + 7) & ~7u;
	}
	buf__free(&each);
}

/* The whole batch cut to every length, as the copy of a dishonest size would be. */
static void a_short_batch_is_malformed(void **state)
{
	struct bench *bench = *state;
	struct buf whole = BUF_INIT;

	begin(bench);
	add_one_of_each(bench);
	header(bench)->bytes = (uint32_t)bench->batch.len;
	buf__add(&whole, bench->batch.data, bench->batch.len);
	for (size_t bytes = 0; bytes < whole.len; bytes++) {
		uint64_t before = lost(bench, LOSS_MALFORMED);
		struct gctrace_batch *batch = (struct gctrace_batch *)(void *)whole.data;

		batch->sequence++;
		batch->bytes = (uint32_t)whole.len; /* it says too much */
		assert_int_equal(feed_record(bench, RECORD_BATCH, whole.data, bytes), 0);
		assert_int_equal(lost(bench, LOSS_MALFORMED), before + 1);
		if (bytes < sizeof(*batch))
			continue;
		batch->sequence++;
		batch->bytes = (uint32_t)bytes; /* it is cut off */
		assert_int_equal(feed_record(bench, RECORD_BATCH, whole.data, bytes), 0);
		assert_true(lost(bench, LOSS_MALFORMED) > before + 1);
	}
	buf__free(&whole);
}

static void headers_that_cannot_be(void **state)
{
	struct bench *bench = *state;
	const struct {
		size_t offset, bytes;
		uint64_t value;
	} wrong[] = {
		{ offsetof(struct gctrace_batch, magic), 4, 0x12345678 },
		{ offsetof(struct gctrace_batch, major), 1, 0 },
		{ offsetof(struct gctrace_batch, header_bytes), 2, 0 },
		{ offsetof(struct gctrace_batch, header_bytes), 2, 40 },
		{ offsetof(struct gctrace_batch, header_bytes), 2, 52 },
		{ offsetof(struct gctrace_batch, header_bytes), 2, 0xfff8 },
		{ offsetof(struct gctrace_batch, bytes), 4, 0 },
		{ offsetof(struct gctrace_batch, bytes), 4, 0xffffffff },
		{ offsetof(struct gctrace_batch, records), 4, 0 },
		{ offsetof(struct gctrace_batch, records), 4, 2 },
		{ sizeof(struct gctrace_batch) + 4, 4, 0 },	     /* the record's length */
		{ sizeof(struct gctrace_batch) + 4, 4, 7 },
		{ sizeof(struct gctrace_batch) + 4, 4, 0xffffffff },
		{ sizeof(struct gctrace_batch), 2, 0 },		     /* its kind */
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		begin(bench);
		add_mark(bench, 1);
		header(bench)->bytes = (uint32_t)bench->batch.len;
		memcpy(bench->batch.data + wrong[i].offset, &wrong[i].value, wrong[i].bytes);
		assert_int_equal(feed_record(bench, RECORD_BATCH, bench->batch.data,
					     bench->batch.len),
				 0);
		assert_int_equal(lost(bench, LOSS_MALFORMED), i + 1);
	}
	begin(bench); /* a batch of nothing is fine */
	assert_int_equal(fire(bench), 0);
	assert_int_equal(lost(bench, LOSS_MALFORMED), sizeof(wrong) / sizeof(*wrong));
}

static void fields_that_cannot_be(void **state)
{
	struct bench *bench = *state;
	const uint64_t arrays[8] = { 0 };
	struct gctrace_moved form = { .form = 2, .width = 8 }, width = { .width = 5 },
			     count = { .width = 8, .count = 0xffffffff };
	struct gctrace_define space = { .space = 0 };
	struct gctrace_class texts = { .name_bytes = 0xffffffff, .fields_bytes = 2 };
	struct gctrace_objects objects = { .count = 0xffffffff };

	begin(bench);
	ADD(bench, GCTRACE_MOVED, 0, form, arrays);
	ADD(bench, GCTRACE_MOVED, 0, width, arrays);
	ADD(bench, GCTRACE_MOVED, 0, count, arrays);
	ADD(bench, GCTRACE_DEFINE, 0, space, arrays);
	ADD(bench, GCTRACE_CLASS, 0, texts, arrays);
	assert_int_equal(fire(bench), 0);
	assert_int_equal(lost(bench, LOSS_MALFORMED), 5);
	buf__reset(&bench->got.text);
	begin(bench);
	ADD(bench, GCTRACE_OBJECTS, 0, objects, arrays); /* those that are there are told */
	assert_int_equal(fire(bench), 0);
	assert_int_equal(lost(bench, LOSS_MALFORMED), 6);
	assert_non_null(
		strstr(buf__str(&bench->got.text), "  end of 0\nloss target=0 malformed 1\n"));
}

/* ---------------------------------------------------------------------------------------------
 * Batches among each other
 */

static void the_same_batch_twice_counts_once(void **state)
{
	struct bench *bench = *state;

	begin(bench);
	add_mark(bench, 1);
	fire(bench);
	fire(bench);
	expect(bench, MARK(1) "loss target=0 duplicate 1\n");
}

static void producers_are_numbered_apart(void **state)
{
	struct bench *bench = *state;
	struct gctrace_gc_finish end = { .gc = 1 };

	for (uint64_t producer = 1; producer <= 3; producer++) {
		bench->producer = producer;
		bench->sequence = producer * 1000;
		begin(bench);
		fire(bench);
	}
	bench->producer = 2;
	bench->sequence = 2005;
	end.batches = 2005;
	begin(bench);
	add_mark(bench, 1);
	ADD_PLAIN(bench, GCTRACE_GC_FINISH, end);
	fire(bench);
	expect(bench, MARK(1) "loss target=0 sequence_gap 4\ngc_finish gc=1 collected=-1\n");
}

static void too_many_producers_are_told(void **state)
{
	struct bench *bench = *state;

	for (bench->producer = 1; bench->producer <= DECODE_PRODUCERS + 1; bench->producer++) {
		begin(bench);
		fire(bench);
	}
	expect(bench, "loss target=0 limit 1\n");
}

static void a_lost_tail_shows_at_a_single_probe(void **state)
{
	struct bench *bench = *state;
	struct record_call call = { .args = { 9, 4 } };

	begin(bench);
	fire(bench); /* 0; 1 to 3 never come */
	feed_record(bench, RECORD_GC_FINISH, &call.part, sizeof(call) - sizeof(call.head));
	expect(bench, "loss target=0 sequence_gap 3\ngc_finish gc=9 collected=-1\n");
}

static void a_hole_that_stays_open_is_told(void **state)
{
	struct bench *bench = *state;

	begin(bench);
	fire(bench);
	bench->sequence += 2;
	begin(bench);
	fire(bench);
	expect(bench, "");
	bench->stamp += SEQUENCE_PATIENCE_NS;
	begin(bench);
	add_mark(bench, 1);
	fire(bench);
	expect(bench, "loss target=0 sequence_gap 2\n" MARK(1));
}

/* Those that had been open for long: young ones may be of threads whose probe we took away. */
static void holes_are_told_at_the_end(void **state)
{
	struct bench *bench = *state;
	struct record_call call = { .args = { 9, 0 } };

	begin(bench);
	fire(bench);
	bench->sequence += 2;
	begin(bench);
	fire(bench);
	expect(bench, "");
	bench->stamp += SEQUENCE_PATIENCE_NS;
	feed_record(bench, RECORD_GC_FINISH, &call.part, sizeof(call) - sizeof(call.head));
	assert_int_equal(feed__end(bench->feed), 0);
	expect(bench, "gc_finish gc=9 collected=-1\nloss target=0 sequence_gap 2\n");
}

/* ---------------------------------------------------------------------------------------------
 * Definitions in parts
 */

static void fire_class(struct bench *bench, uint64_t id, const char *name, const char *fields,
		       bool more)
{
	struct gctrace_class class_ = {
		.class_ = id,
		.name_bytes = (uint32_t)strlen(name),
		.fields_bytes = (uint32_t)strlen(fields),
	};
	char texts[100];
	int bytes = snprintf(texts, sizeof(texts), "%s%s", name, fields);

	begin(bench);
	add(bench, GCTRACE_CLASS, more ? GCTRACE_MORE : 0, &class_, sizeof(class_), texts,
	    (size_t)bytes);
	fire(bench);
}

static void parts_are_joined_by_thread(void **state)
{
	struct bench *bench = *state;

	bench->tid = 1;
	fire_class(bench, 5, "java/", "", true);
	bench->tid = 2;
	fire_class(bench, 5, "Ano", "", true);
	fire_class(bench, 6, "Whole", "x", false);
	bench->tid = 1;
	fire_class(bench, 5, "Map", "table,", true);
	bench->tid = 2;
	fire_class(bench, 5, "ther", "", false);
	bench->tid = 1;
	fire_class(bench, 5, "", "size", false);
	expect(bench, "class 6 super=0 size=0 flags=0 name=\"Whole\" fields=\"x\"\n"
		      "class 5 super=0 size=0 flags=0 name=\"Another\" fields=\"\"\n"
		      "class 5 super=0 size=0 flags=0 name=\"java/Map\" fields=\"table,size\"\n");
	feed__end(bench->feed);
	assert_true(losses__none(feed__losses(bench->feed)));
}

static void a_definition_that_lost_a_part_is_dropped(void **state)
{
	struct bench *bench = *state;
	struct gctrace_dump_end end = { .dump = 1 };

	fire_class(bench, 5, "Half", "", true);
	bench->sequence++; /* the rest is lost */
	end.batches = bench->sequence;
	begin(bench);
	ADD_PLAIN(bench, GCTRACE_DUMP_END, end);
	fire(bench);
	fire_class(bench, 5, "Whole", "", false);
	expect(bench, "loss target=0 incomplete 1\nloss target=0 sequence_gap 1\n"
		      "dump_end dump=1 status=0 objects=0 references=0 roots=0 bytes=0\n"
		      "class 5 super=0 size=0 flags=0 name=\"Whole\" fields=\"\"\n");
}

static void open_definitions_are_bounded(void **state)
{
	struct bench *bench = *state;

	for (uint64_t id = 0; id < JOIN_PENDING + 10; id++)
		fire_class(bench, id, "part", "", true);
	assert_int_equal(lost(bench, LOSS_INCOMPLETE), 10);
	feed__end(bench->feed);
	assert_int_equal(lost(bench, LOSS_INCOMPLETE), JOIN_PENDING + 10);
}

static void texts_are_bounded(void **state)
{
	struct bench bench = { .major = GCTRACE_MAJOR };
	struct event_sink sink = transcript__sink(&bench.got);
	struct feed_options options = { .join_bytes = 10 };

	(void)state;
	assert_int_equal(feed__new(&options, &sink, &bench.feed), 0);
	fire_class(&bench, 1, "0123456", "", true);
	fire_class(&bench, 2, "012", "", true);
	fire_class(&bench, 2, "3", "", true);
	expect(&bench, "loss target=0 incomplete 1\n");
	fire_class(&bench, 1, "789", "", false);
	fire_class(&bench, 3, "what comes whole is never too long", "", false);
	expect(&bench,
	       "class 1 super=0 size=0 flags=0 name=\"0123456789\" fields=\"\"\n"
	       "class 3 super=0 size=0 flags=0 name=\"what comes whole is never too long\" "
	       "fields=\"\"\n");
	feed__free(bench.feed);
	transcript__free(&bench.got);
	buf__free(&bench.batch);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(ranges_of_both_forms),
		TEST(a_size_that_was_told_is_never_that_of_the_class),
		TEST(objects_byte_by_byte),
		TEST(roots_byte_by_byte),
		TEST(compact_numbers_have_their_limits),
		TEST(growth_is_read_over),
		TEST(a_later_major_version_is_refused),
		TEST(an_end_of_version_1_0_is_read),
		TEST(a_sample_of_version_1_3_is_read),
		TEST(samples_are_read),
		TEST(a_list_of_all_samples_goes_on),
		TEST(numbers_of_samples_grow),
		TEST(a_notice_is_read),
		TEST(names_that_had_no_room_are_lost),
		TEST(a_short_record_spoils_nothing_else),
		TEST(a_short_batch_is_malformed),
		TEST(headers_that_cannot_be),
		TEST(fields_that_cannot_be),
		TEST(the_same_batch_twice_counts_once),
		TEST(producers_are_numbered_apart),
		TEST(too_many_producers_are_told),
		TEST(a_lost_tail_shows_at_a_single_probe),
		TEST(a_hole_that_stays_open_is_told),
		TEST(holes_are_told_at_the_end),
		TEST(parts_are_joined_by_thread),
		TEST(a_definition_that_lost_a_part_is_dropped),
		TEST(open_definitions_are_bounded),
		cmocka_unit_test(texts_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
