/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of roots become containers and roots of the kinds that gctrace knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "agents/dotnet/roots.c"

static struct gctrace_writer writer;
static char told[2048];

static void say(const char *format, ...)
{
	const size_t used = strlen(told);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(told + used, sizeof(told) - used, format, arguments);
	va_end(arguments);
}

void gctrace_write_container(struct gctrace_writer *w, uint64_t type, uint64_t id1, uint64_t id2)
{
	(void)w;
	say("%d(%x,%x): ", (int)type, (unsigned)id1, (unsigned)id2);
}

void gctrace_write_root(struct gctrace_writer *w, uint64_t reference, uint32_t flags, uint64_t kind,
			uint64_t id)
{
	(void)w;
	say("%x/%x/%d/%d ", (unsigned)reference, flags, (int)kind, (int)id);
}

void gctrace_write_define(struct gctrace_writer *w, uint32_t space, uint64_t id, uint64_t a,
			  uint64_t b, const char *name, size_t bytes)
{
	(void)w;
	(void)a;
	(void)b;
	if (space == GCTRACE_SPACE_METHOD)
		say("method %x %.*s ", (unsigned)id, (int)bytes, name);
}

struct name names__method(uintptr_t function)
{
	return (struct name){ "App.Main", function == 0x77 ? 8 : 0 };
}

static uint64_t unnamed;

void unnamed__add(uint64_t names)
{
	unnamed += names;
}

/* u32 number, u32 count, u16, count x { u64 object, u8 kind, u32 flags, u64 id } */
static size_t put_root(uint8_t *to, uint64_t object, uint8_t kind, uint32_t flags, uint64_t id)
{
	memcpy(to, &object, 8);
	to[8] = kind;
	memcpy(to + 9, &flags, 4);
	memcpy(to + 13, &id, 8);
	return 21;
}

static size_t put_head(uint8_t *to, uint32_t count)
{
	memset(to, 0, 10);
	memcpy(to + 4, &count, 4);
	return 10;
}

/* How many roots were told. */
static uint64_t tell_roots(const uint8_t *bytes, size_t used)
{
	struct payload payload = payload__of(bytes, used);
	struct totals totals = { 0 };

	told[0] = 0;
	roots__event(&writer, &payload, &totals);
	return totals.roots;
}

static int begin(void **state)
{
	(void)state;
	told[0] = 0;
	unnamed = 0;
	roots__empty();
	return 0;
}

static void each_kind_has_its_container(void **state)
{
	uint8_t bytes[512];
	size_t used = put_head(bytes, 9);

	(void)state;
	used += put_root(bytes + used, 0x100, 0, 0, 0x77);
	used += put_root(bytes + used, 0x200, 0, FLAG_INTERIOR, 0x77);
	used += put_root(bytes + used, 0x300, 0, 0, 0);
	used += put_root(bytes + used, 0x400, 1, 0, 0);
	used += put_root(bytes + used, 0x500, 2, 0, 5);
	used += put_root(bytes + used, 0x600, 2, FLAG_PINNED, 6);
	used += put_root(bytes + used, 0x700, 2, FLAG_REFCOUNTED, 7);
	used += put_root(bytes + used, 0x800, 2, FLAG_WEAK, 8);
	used += put_root(bytes + used, 0x900, 3, 0, 0);
	assert_int_equal(tell_roots(bytes, used), 9);
	assert_string_equal(told, "method 77 App.Main 3(0,77): 100/0/1/-1 200/0/1/-1 "
				  "256(0,0): 300/0/0/-1 "
				  "10(0,0): 400/0/6/-1 "
				  "14(0,0): 500/0/3/5 600/0/4/6 700/0/256/7 "
				  "18(0,0): 800/100/5/8 "
				  "11(0,0): 900/0/7/-1 ");
}

static void nulls_are_no_roots(void **state)
{
	uint8_t bytes[64];
	size_t used = put_head(bytes, 2);

	(void)state;
	used += put_root(bytes + used, 0, 2, FLAG_WEAK, 8);
	used += put_root(bytes + used, 0x100, 3, 0, 0);
	assert_int_equal(tell_roots(bytes, used), 1);
	assert_string_equal(told, "11(0,0): 100/0/7/-1 ");
}

/* Each is told as a root all the same. */
static void a_method_without_room_is_counted(void **state)
{
	const size_t room = methods.entries.room;
	uint8_t bytes[128];
	size_t used = put_head(bytes, 4);

	(void)state;
	used += put_root(bytes + used, 0x100, 0, 0, 0x77);
	used += put_root(bytes + used, 0x200, 0, 0, 0x78);
	used += put_root(bytes + used, 0x300, 0, 0, 0x78);
	used += put_root(bytes + used, 0x400, 0, 0, 0x77);
	methods.entries.room = methods.entry_bytes;
	assert_int_equal(tell_roots(bytes, used), 4);
	methods.entries.room = room;
	assert_int_equal(unnamed, 1);
}

static void a_method_is_named_once_a_dump(void **state)
{
	uint8_t bytes[64];
	const size_t used = put_head(bytes, 1) + put_root(bytes + 10, 0x100, 0, 0, 0x77);

	(void)state;
	for (int i = 0; i < 3; i++) {
		if (i == 2)
			roots__empty();
		assert_int_equal(tell_roots(bytes, used), 1);
		assert_string_equal(told, i == 1 ? "3(0,77): 100/0/1/-1 " :
						   "method 77 App.Main 3(0,77): 100/0/1/-1 ");
	}
}

static void dependent_handles_tell_key_and_value(void **state)
{
	const uint64_t entries[][3] = { { 0x100, 0x200, 9 }, { 0, 0x300, 9 }, { 0x400, 0, 9 } };
	uint8_t bytes[128];
	const size_t used = put_head(bytes, 3);
	struct totals totals = { 0 };
	struct payload payload;

	(void)state;
	memcpy(bytes + used, entries, sizeof(entries));
	payload = payload__of(bytes, used + sizeof(entries));
	roots__dependent_event(&writer, &payload, &totals);
	assert_string_equal(told, "17(100,0): 200/800/3/9 ");
	assert_int_equal(totals.roots, 1);
}

static void a_cut_event_tells_what_is_whole(void **state)
{
	uint8_t bytes[64];
	const size_t used = put_head(bytes, 1000) + put_root(bytes + 10, 0x100, 3, 0, 0);

	(void)state;
	for (size_t i = 0; i <= used; i++)
		assert_int_equal(tell_roots(bytes, i), i == used);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_kind_has_its_container, begin),
		cmocka_unit_test_setup(nulls_are_no_roots, begin),
		cmocka_unit_test_setup(a_method_without_room_is_counted, begin),
		cmocka_unit_test_setup(a_method_is_named_once_a_dump, begin),
		cmocka_unit_test_setup(dependent_handles_tell_key_and_value, begin),
		cmocka_unit_test_setup(a_cut_event_tells_what_is_whole, begin),
	};

	roots__init();
	return cmocka_run_group_tests_name("agents/roots", tests, NULL, NULL);
}
