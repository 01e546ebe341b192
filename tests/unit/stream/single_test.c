/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of single probes become the same events as batches do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gctrace/wire.h"
#include "stream/feed.h"
#include "transcript.h"

struct bench {
	struct feed *feed;
	struct transcript got;
	uint32_t tid;
	uint64_t stamp; /* 0: 1000 */
};

static int set_up(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct event_sink sink = transcript__sink(&bench->got);

	assert_int_equal(feed__new(NULL, &sink, &bench->feed), 0);
	*state = bench;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *bench = *state;

	feed__free(bench->feed);
	transcript__free(&bench->got);
	free(bench);
	return 0;
}

static void expect(struct bench *bench, const char *text)
{
	assert_string_equal(buf__str(&bench->got.text), text);
	buf__reset(&bench->got.text);
}

/* A record in memory of exactly its size. */
static void hit(struct bench *bench, unsigned int kind, const uint64_t args[6],
		struct record_part part, const void *arrays, size_t bytes)
{
	struct record_call *call = malloc(sizeof(*call) + bytes);

	*call = (struct record_call){
		.head = { .stamp = bench->stamp ? bench->stamp : 1000,
			  .bytes = (uint32_t)(sizeof(*call) + bytes),
			  .kind = (uint16_t)kind,
			  .tid = bench->tid },
		.part = part,
	};
	memcpy(call->args, args, sizeof(call->args));
	if (bytes)
		memcpy(call + 1, arrays, bytes);
	assert_int_equal(feed__record(bench->feed, &call->head), 0);
	free(call);
}
#define ARGS(...) ((const uint64_t[6]){ __VA_ARGS__ })
#define WHOLE(entries) ((struct record_part){ 0, entries, 0, entries })
#define CALL(bench, kind, ...) hit(bench, kind, ARGS(__VA_ARGS__), WHOLE(0), NULL, 0)

static void plain_calls(void **state)
{
	struct bench *bench = *state;

	bench->got.times = true;
	CALL(bench, RECORD_GC_START, 7, 3, GCTRACE_REASON_EXPLICIT, GCTRACE_HOW_COPYING);
	CALL(bench, RECORD_PAUSE_BEGIN, 2, GCTRACE_WHY_COLLECTION);
	CALL(bench, RECORD_CONTAINER, 3, 4, 5);
	CALL(bench, RECORD_OBJECT_ALLOC, 0x1000, 16, 5, 6, 512);
	CALL(bench, RECORD_GC_FINISH, 7);
	CALL(bench, RECORD_PAUSE_END, 2, 300);
	expect(bench,
	       "gc_start gc=7 generations=3 reason=2 how=1 what=\"\" cause=\"\" at 1000\n"
	       "pause_begin pause=2 why=1 at 1000\n"
	       "container type=3 id1=4 id2=5 at 1000\n"
	       "alloc id=1000 size=16 class=5 stack=6 weight=512 at 1000\n"
	       "gc_finish gc=7 collected=-1 at 1000\n"
	       "pause_end pause=2 suspend_ns=300 at 1000\n");
	assert_true(losses__none(feed__losses(bench->feed)));
}

static void ranges_with_both_widths(void **state)
{
	struct bench *bench = *state;
	const struct {
		uint64_t old[3], new_[3];
		uint32_t length[3];
	} narrow = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 0xffffffff } };
	const uint64_t wide[] = { 1, 2, UINT64_MAX };
	const uint64_t stay[] = { 8, 9, 16, 17 };

	hit(bench, RECORD_MOVED, ARGS(4, 1, 2, 3), WHOLE(3), &narrow, 3 * 20);
	hit(bench, RECORD_MOVED, ARGS(8, 1, 2, 3), WHOLE(1), wide, sizeof(wide));
	hit(bench, RECORD_SURVIVING, ARGS(8, 1, 2), WHOLE(2), stay, sizeof(stay));
	expect(bench, "moved target=0 gc=1 generation=2 phase=3 width=4 1 -> 4 + 7\n"
		      "moved target=0 gc=1 generation=2 phase=3 width=4 2 -> 5 + 8\n"
		      "moved target=0 gc=1 generation=2 phase=3 width=4 3 -> 6 + 4294967295\n"
		      "moved target=0 gc=1 generation=2 phase=3 width=8 1 -> 2 + "
		      "18446744073709551615\n"
		      "surviving target=0 gc=1 generation=2 phase=0 width=8 8 -> 8 + 16\n"
		      "surviving target=0 gc=1 generation=2 phase=0 width=8 9 -> 9 + 17\n");
	assert_true(losses__none(feed__losses(bench->feed)));
}

static void roots_belong_to_the_container_begun_last(void **state)
{
	struct bench *bench = *state;
	const uint64_t refs[] = { 8, 0 };
	const struct {
		uint64_t refs[2];
		uint32_t flags[2];
		uint64_t kinds[2], ids[2];
	} all = { { 8, 16 }, { 1, 2 }, { 3, 4 }, { 5, 6 } };

	CALL(bench, RECORD_CONTAINER, GCTRACE_C_STATIC, 12);
	hit(bench, RECORD_ROOTS, ARGS(0), WHOLE(2), refs, sizeof(refs));
	hit(bench, RECORD_ROOTS, ARGS(RECORD_HAS_FLAGS | RECORD_HAS_KINDS | RECORD_HAS_IDS),
	    WHOLE(2), &all, sizeof(all));
	hit(bench, RECORD_ROOTS, ARGS(RECORD_HAS_IDS), WHOLE(1), &all, 16);
	expect(bench, "container type=9 id1=c id2=0\n"
		      "root of 9 c 0: 8 flags=0 kind=0 id=ffffffffffffffff\n"
		      "root of 9 c 0: 0 flags=0 kind=0 id=ffffffffffffffff\n"
		      "root of 9 c 0: 8 flags=1 kind=3 id=5\n"
		      "root of 9 c 0: 10 flags=2 kind=4 id=6\n"
		      "root of 9 c 0: 8 flags=0 kind=0 id=10\n");
	assert_true(losses__none(feed__losses(bench->feed)));
}

/* Records are missing from `from` to `until`. */
static void lose(struct bench *bench, uint64_t from, uint64_t until)
{
	bench->stamp = from;
	CALL(bench, RECORD_LOSS, LOSS_RING_FULL, 1, until);
}

/* A container may have begun in between: roots are nobody's until the next one begins. */
static void after_a_loss_no_container_is_known(void **state)
{
	struct bench *bench = *state;
	const uint64_t refs[] = { 8 };

	CALL(bench, RECORD_CONTAINER, GCTRACE_C_STATIC, 12);
	lose(bench, 1001, 1005);
	bench->stamp = 1003; /* another one may be missing behind this one */
	CALL(bench, RECORD_CONTAINER, GCTRACE_C_GLOBALS, 13);
	hit(bench, RECORD_ROOTS, ARGS(0), WHOLE(1), refs, sizeof(refs));
	bench->stamp = 1006;
	hit(bench, RECORD_ROOTS, ARGS(0), WHOLE(1), refs, sizeof(refs));
	CALL(bench, RECORD_CONTAINER, GCTRACE_C_HANDLES, 14);
	hit(bench, RECORD_ROOTS, ARGS(0), WHOLE(1), refs, sizeof(refs));
	expect(bench, "container type=9 id1=c id2=0\n"
		      "loss target=0 ring_full 1\n"
		      "container type=15 id1=d id2=0\n"
		      "root of 0 0 0: 8 flags=0 kind=0 id=ffffffffffffffff\n"
		      "root of 0 0 0: 8 flags=0 kind=0 id=ffffffffffffffff\n"
		      "container type=14 id1=e id2=0\n"
		      "root of 14 e 0: 8 flags=0 kind=0 id=ffffffffffffffff\n");
}

/* One hit with one reference; what was told of it. */
static void expect_place(struct bench *bench, uint64_t object, bool more, bool known)
{
	const uint64_t refs[] = { 8 };

	bench->got.in_object = false;
	hit(bench, RECORD_OBJECT, ARGS(object, more ? GCTRACE_MORE_REFERENCES : 0, 5, 64),
	    WHOLE(1), refs, sizeof(refs));
	assert_int_equal(!strstr(buf__str(&bench->got.text), "place=18446744073709551615"), known);
	buf__reset(&bench->got.text);
}

/* A hit in the middle may be missing, or the first ones of an object that is new. */
static void after_a_loss_no_position_is_known(void **state)
{
	struct bench *bench = *state;

	bench->tid = 1;
	expect_place(bench, 0x100, true, true);
	lose(bench, 1001, 1005);
	bench->stamp = 1003;
	expect_place(bench, 0x100, false, false);
	expect_place(bench, 0x200, false, false);
	bench->stamp = 1006;
	expect_place(bench, 0x300, true, false); /* where it began nobody knows */
	expect_place(bench, 0x300, false, false);
	expect_place(bench, 0x400, true, true);
	expect_place(bench, 0x400, false, true);
	bench->tid = 2; /* each thread on its own */
	expect_place(bench, 0x500, false, false);
	expect_place(bench, 0x600, false, true);
	lose(bench, 1007, 1007);
	bench->stamp = 1008;
	CALL(bench, RECORD_CONTAINER, GCTRACE_C_BEGIN, 1);
	expect_place(bench, 0x700, false, true);
}

/* The same where nothing had come before the loss. */
static void a_loss_before_the_first_hit_counts(void **state)
{
	struct bench *bench = *state;

	lose(bench, 1001, 1005);
	bench->stamp = 1006;
	expect_place(bench, 0x100, false, false);
	expect_place(bench, 0x200, false, true);
}

static void a_size_that_was_told_is_never_that_of_the_class(void **state)
{
	struct bench *bench = *state;

	hit(bench, RECORD_OBJECT, ARGS(0x100, 0, 5, UINT64_MAX), WHOLE(0), NULL, 0);
	assert_non_null(strstr(buf__str(&bench->got.text), "size=18446744073709551614"));
}

/* Parts of one hit, hits of one object, of two threads: every reference knows its place. */
static void objects_in_parts_know_places(void **state)
{
	struct bench *bench = *state;
	const uint64_t refs[] = { 8, 16, 24 };
	const uint32_t more = GCTRACE_MORE_REFERENCES;

	bench->tid = 1;
	hit(bench, RECORD_OBJECT, ARGS(0x100, more, 5, 64), (struct record_part){ 0, 2, 0, 3 },
	    refs, 16);
	hit(bench, RECORD_OBJECT, ARGS(0x100, more, 5, 64), (struct record_part){ 2, 1, 0, 3 },
	    refs, 8);
	expect(bench, "object 100 class=5 size=64 flags=0 places=0\n"
		      "  8 place=0 flags=0\n  10 place=1 flags=0\n  8 place=2 flags=0\n");
	bench->tid = 2;
	bench->got.in_object = false; /* another thread's */
	hit(bench, RECORD_OBJECT, ARGS(0x200, 0, 5, 64), WHOLE(1), refs, 8);
	expect(bench, "object 200 class=5 size=64 flags=0 places=0\n"
		      "  8 place=0 flags=0\n  end of 200\n");
	bench->tid = 1;
	bench->got.in_object = true;
	hit(bench, RECORD_OBJECT, ARGS(0x100, more, 5, 64), WHOLE(2), refs, 16);
	hit(bench, RECORD_OBJECT, ARGS(0x100, 0, 5, 64), WHOLE(1), refs, 8);
	expect(bench, "  8 place=3 flags=0\n  10 place=4 flags=0\n  8 place=5 flags=0\n"
		      "  end of 100\n");
	hit(bench, RECORD_OBJECT, ARGS(0x100, 0, 5, 64), WHOLE(0), NULL, 0);
	expect(bench, "object 100 class=5 size=64 flags=0 places=0\n  end of 100\n");
	hit(bench, RECORD_OBJECT, ARGS(0x100, 0, 5, 64), WHOLE(1), refs, 8);
	expect(bench, "object 100 class=5 size=64 flags=0 places=0\n  8 place=0 flags=0\n"
		      "  end of 100\n");
	assert_true(losses__none(feed__losses(bench->feed)));
}

static void long_arrays_come_in_chunks(void **state)
{
	struct bench *bench = *state;
	uint64_t refs[GCTRACE_PART_ENTRIES];
	const char *text;
	size_t count = 0;

	for (size_t i = 0; i < GCTRACE_PART_ENTRIES; i++)
		refs[i] = i * 8;
	hit(bench, RECORD_OBJECT, ARGS(0x100, 0, 5, 64), WHOLE(GCTRACE_PART_ENTRIES), refs,
	    sizeof(refs));
	for (text = buf__str(&bench->got.text); (text = strstr(text, " place=")); text++) {
		assert_int_equal(strtoull(text + 7, NULL, 10), count);
		count++;
	}
	assert_int_equal(count, GCTRACE_PART_ENTRIES);
	assert_null(strstr(strchr(buf__str(&bench->got.text), '\n'), "object"));
}

static void class_part(struct bench *bench, const char *both, uint64_t first, uint32_t count,
		       uint64_t name_bytes)
{
	uint64_t total = strlen(both);

	hit(bench, RECORD_CLASS, ARGS(5, 4, 1, name_bytes, total - name_bytes, 24),
	    (struct record_part){ first, count, 0, total }, both + first, count);
}

static void classes_whole_and_in_parts(void **state)
{
	struct bench *bench = *state;

	class_part(bench, "Maptable,size", 0, 13, 3);
	class_part(bench, "Maptable,size", 0, 2, 3);
	class_part(bench, "Maptable,size", 2, 6, 3);
	class_part(bench, "Maptable,size", 8, 5, 3);
	class_part(bench, "", 0, 0, 0);
	expect(bench, "class 5 super=4 size=24 flags=1 name=\"Map\" fields=\"table,size\"\n"
		      "class 5 super=4 size=24 flags=1 name=\"Map\" fields=\"table,size\"\n"
		      "class 5 super=4 size=24 flags=1 name=\"\" fields=\"\"\n");
	assert_true(losses__none(feed__losses(bench->feed)));
}

static void a_missing_part_shows(void **state)
{
	struct bench *bench = *state;

	class_part(bench, "Maptable,size", 0, 2, 3);
	class_part(bench, "Maptable,size", 8, 5, 3); /* where are 2 to 7? */
	class_part(bench, "Maptable,size", 0, 2, 3);
	class_part(bench, "Maptable,size", 0, 13, 3); /* and here the rest? */
	expect(bench, "loss target=0 incomplete 1\nloss target=0 incomplete 1\n"
		      "class 5 super=4 size=24 flags=1 name=\"Map\" fields=\"table,size\"\n");
}

static void what_cannot_be_is_malformed(void **state)
{
	struct bench *bench = *state;
	const uint64_t some[4] = { 0 };
	struct record head = { .bytes = sizeof(head), .kind = RECORD_GC_START };
	const struct {
		unsigned int kind;
		uint64_t args[6];
		struct record_part part;
	} wrong[] = {
		{ RECORD_GC_START, { 1, 1, UINT64_MAX }, { 0 } },
		{ RECORD_GC_START, { 1, 1, 0, UINT64_MAX }, { 0 } },
		{ RECORD_MOVED, { 5 }, { 0, 1, 0, 1 } },
		{ RECORD_MOVED, { 0 }, { 0, 1, 0, 1 } },
		{ RECORD_MOVED, { 8 }, { 0, 2, 0, 2 } },
		{ RECORD_MOVED, { 8 }, { 0, UINT32_MAX, 0, UINT32_MAX } },
		{ RECORD_MOVED, { 8, 0, 0, UINT64_MAX }, { 0, 1, 0, 1 } },
		{ RECORD_SURVIVING, { 8 }, { 0, 3, 0, 3 } },
		{ RECORD_SURVIVING, { UINT64_MAX }, { 0, 1, 0, 1 } },
		{ RECORD_ROOTS, { 7 }, { 0, 2, 0, 2 } },
		{ RECORD_OBJECT, { 0 }, { 0, 5, 0, 5 } },
		{ RECORD_OBJECT, { 0, UINT64_MAX }, { 0, 1, 0, 1 } },
		{ RECORD_OBJECT, { 0, 0, 0, 0, 2 }, { 0, 1, 0, 1 } },
		{ RECORD_CLASS, { 0 }, { 0, 33, 0, 33 } },
		{ RECORD_CLASS, { 0 }, { 0, 4, 0, 3 } },
		{ RECORD_CLASS, { 0 }, { 4, 1, 0, 3 } },
		{ RECORD_CLASS, { 0, 0, 0, 5 }, { 0, 4, 0, 4 } },
		{ RECORD_CLASS, { 0, 0, UINT64_MAX }, { 0, 4, 0, 4 } },
	};

	assert_int_equal(feed__record(bench->feed, &head), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		hit(bench, wrong[i].kind, wrong[i].args, wrong[i].part, some, sizeof(some));
		assert_int_equal(losses__sum(feed__losses(bench->feed), LOSS_MALFORMED), i + 2);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(plain_calls),
		TEST(ranges_with_both_widths),
		TEST(roots_belong_to_the_container_begun_last),
		TEST(objects_in_parts_know_places),
		TEST(a_size_that_was_told_is_never_that_of_the_class),
		TEST(after_a_loss_no_container_is_known),
		TEST(after_a_loss_no_position_is_known),
		TEST(a_loss_before_the_first_hit_counts),
		TEST(long_arrays_come_in_chunks),
		TEST(classes_whole_and_in_parts),
		TEST(a_missing_part_shows),
		TEST(what_cannot_be_is_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
