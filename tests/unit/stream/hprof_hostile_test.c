/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of hprof that were made to be too much for their reader, or are of a kind that nobody
 * writes. None of these tests looks at a clock: what takes time in proportion to a square here
 * does not end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gctrace/wire.h"
#include "hprof_bytes.h"
#include "stream/hprof.h"
#include "unit/random.h"

#define MANY 100000u
#define FIRST_CLASS 0x10000u
#define NONE UINT64_MAX

enum { NAME_FIELD = 1, NAME_LONG, NAME_OTHER };

/* ---------------------------------------------------------------- what comes */

/* The object that is looked for, and how many there are. */
static struct seen {
	uint64_t wanted;
	bool found;
	uint64_t objects, references, roots, ends;
	struct reference of[64];
	size_t count;
	size_t fields; /* bytes of names, of all classes */
} seen;

static int take(void *unused, const struct event *event)
{
	(void)unused;
	switch (event->kind) {
	case EVENT_OBJECT:
		seen.objects++;
		seen.references += event->object.count;
		if (event->object.id != seen.wanted)
			break;
		seen.found = true;
		seen.count = event->object.count < 64 ? event->object.count : 64;
		if (seen.count)
			memcpy(seen.of, event->object.references, seen.count * sizeof(*seen.of));
		break;
	case EVENT_CLASS:
		seen.fields += event->class_.fields.bytes;
		break;
	case EVENT_ROOTS:
		seen.roots += event->roots.count;
		break;
	case EVENT_CONTAINER:
		seen.ends += event->container.type == GCTRACE_C_END;
		break;
	default:
		break;
	}
	return 0;
}

static int read_bytes(struct hprof_bytes *file, uint64_t limit, struct hprof_facts *facts)
{
	const struct hprof_options options = { .stop_fd = -1, .limit = limit };
	const struct event_sink sink = { take, NULL };
	const uint64_t wanted = seen.wanted;
	int fd = memfd_create("hprof", MFD_CLOEXEC), answer;

	seen = (struct seen){ .wanted = wanted };
	assert_int_equal(write(fd, file->out.data, file->out.len), file->out.len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	answer = hprof__read(fd, &options, &sink, facts);
	close(fd);
	buf__free(&file->out);
	return answer;
}

static void add_end(struct hprof_bytes *file)
{
	hprof_bytes__record(file, HPROF_HEAP_DUMP_END);
}

/* ---------------------------------------------------------------- classes */

static const struct hprof_bytes_field one_reference[] = { { NAME_FIELD, HPROF_OBJECT, 0 },
							  { 0, 0, 0 } };

static uint64_t class_id(uint32_t number)
{
	return FIRST_CLASS + 8 * (uint64_t)number;
}

/* Class 0 is the lowest; the uppermost one has no super class. */
static uint64_t super_id(uint32_t number)
{
	return number + 1 < MANY ? class_id(number + 1) : 0;
}

/* Each with a reference of its own, and an instance that has bytes for two of them. */
static void each_class_may_be_above_the_next(void **state)
{
	struct hprof_bytes file = hprof_bytes__begin("1.0.2", 8);
	struct hprof_facts facts;

	(void)state;
	hprof_bytes__string(&file, NAME_FIELD, "next");
	hprof_bytes__record(&file, HPROF_HEAP_DUMP_SEGMENT);
	for (uint32_t i = 0; i < MANY; i++)
		hprof_bytes__class(&file, class_id(i), super_id(i), 0, NULL, one_reference);
	for (uint32_t i = 0; i < MANY; i++) {
		hprof_bytes__instance(&file, 0x10000000 + 64 * (uint64_t)i, class_id(i), 16);
		hprof_bytes__id(&file, class_id(0));
		hprof_bytes__id(&file, class_id(1));
	}
	hprof_bytes__end_record(&file);
	add_end(&file);
	seen.wanted = 0x10000000;
	assert_int_equal(read_bytes(&file, 0, &facts), 0);
	assert_true(facts.is_whole && seen.ends == 1);
	assert_int_equal(facts.misfits, MANY - 2);
	assert_int_equal(seen.objects, 2 * MANY);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.of[0].place, MANY - 2);
	assert_int_equal(seen.of[0].to, class_id(1));
	assert_int_equal(seen.of[1].place, MANY - 1);
	assert_int_equal(seen.of[1].to, class_id(0));
	assert_in_range(seen.fields, 0, 100);
}

/* An instance after each class, while what is above all of them comes last, or never. */
static void nobody_waits_for_classes_again_and_again(void **state)
{
	(void)state;
	for (unsigned int never = 0; never < 2; never++) {
		struct hprof_bytes file = hprof_bytes__begin("1.0.2", 8);
		struct hprof_facts facts;

		hprof_bytes__record(&file, HPROF_HEAP_DUMP_SEGMENT);
		for (uint32_t i = 0; i < MANY - never; i++) {
			hprof_bytes__class(&file, class_id(i), super_id(i), 0, NULL, NULL);
			hprof_bytes__instance(&file, 0x10000000 + 16 * (uint64_t)i, class_id(0), 0);
		}
		hprof_bytes__end_record(&file);
		add_end(&file);
		assert_int_equal(read_bytes(&file, 0, &facts), 0);
		assert_int_equal(seen.objects, 2 * (MANY - never));
		assert_int_equal(facts.waited, MANY - 1);
	}
}

/* Also by way of a class whose id is 0, which means that there is none. */
static void classes_that_are_above_themselves_have_no_plan(void **state)
{
	static const uint64_t supers[][3] = { { 0x108, 0x110, 0x100 }, { 0x100, 0, 0 },
					      { 0x108, 0x108, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(supers) / sizeof(*supers); i++) {
		struct hprof_bytes file = hprof_bytes__begin("1.0.2", 8);
		struct hprof_facts facts;

		hprof_bytes__record(&file, HPROF_HEAP_DUMP_SEGMENT);
		for (unsigned int k = 0; k < 3; k++)
			hprof_bytes__class(&file, 0x100 + 8 * k, supers[i][k], 0, NULL,
					   one_reference);
		hprof_bytes__class(&file, 0, 0x118, 0, NULL, NULL);
		hprof_bytes__class(&file, 0x118, 0, 0, NULL, NULL);
		for (unsigned int k = 0; k < 4; k++) {
			hprof_bytes__instance(&file, 0x1000 + 16 * k, 0x100 + 8 * k, 8);
			hprof_bytes__id(&file, 0x1000);
		}
		hprof_bytes__end_record(&file);
		add_end(&file);
		assert_int_equal(read_bytes(&file, 0, &facts), 0);
		assert_int_equal(seen.objects, 4 + 5);
		assert_true(facts.is_whole);
	}
}

/* ---------------------------------------------------------------- places, by another way */

struct chain {
	uint32_t classes, fields[8];
	uint8_t types[8][8];
};

static uint8_t any_type(uint64_t *seed)
{
	static const uint8_t types[] = { HPROF_OBJECT, HPROF_OBJECT, HPROF_BYTE, HPROF_INT,
					 HPROF_LONG,   HPROF_CHAR };

	return types[random__below(seed, sizeof(types))];
}

static void add_chain(struct hprof_bytes *file, struct chain *chain, uint64_t *seed)
{
	chain->classes = 1 + (uint32_t)random__below(seed, 8);
	for (uint32_t c = 0; c < chain->classes; c++) {
		struct hprof_bytes_field fields[9] = { { 0, 0, 0 } };

		chain->fields[c] = (uint32_t)random__below(seed, 8);
		for (uint32_t f = 0; f < chain->fields[c]; f++) {
			chain->types[c][f] = any_type(seed);
			fields[f] = (struct hprof_bytes_field){ NAME_FIELD, chain->types[c][f], 0 };
		}
		hprof_bytes__class(file, class_id(c), c + 1 < chain->classes ? class_id(c + 1) : 0,
				   0, NULL, fields);
	}
}

/* Of the references of the classes above `c`. */
static uint64_t places_above(const struct chain *chain, uint32_t c)
{
	uint64_t places = 0;

	while (++c < chain->classes)
		for (uint32_t f = 0; f < chain->fields[c]; f++)
			places += chain->types[c][f] == HPROF_OBJECT;
	return places;
}

static size_t expect(const struct chain *chain, const uint8_t *values, size_t bytes,
		     uint32_t id_bytes, uint64_t by_place[64])
{
	size_t at = 0, count = 0;

	for (uint32_t c = 0; c < chain->classes; c++) {
		uint64_t place = places_above(chain, c);

		for (uint32_t f = 0; f < chain->fields[c]; f++) {
			if (chain->types[c][f] == HPROF_OBJECT) {
				by_place[place] = 0;
				for (uint32_t i = 0; i < id_bytes && at + id_bytes <= bytes; i++)
					by_place[place] = by_place[place] << 8 | values[at + i];
				count += by_place[place++] != 0;
			}
			at += hprof_type__bytes(chain->types[c][f], id_bytes);
		}
	}
	return count;
}

/* Also of instances with fewer bytes than their classes have fields, and with more. */
static void references_stand_where_their_fields_do(void **state)
{
	uint64_t seed = 4711;

	(void)state;
	for (unsigned int round = 0; round < 2000; round++) {
		const uint32_t id_bytes = round % 2 ? 4 : 8;
		const uint32_t bytes = (uint32_t)random__below(&seed, 200);
		struct hprof_bytes file = hprof_bytes__begin("1.0.2", id_bytes);
		uint64_t by_place[64] = { 0 };
		struct hprof_facts facts;
		struct chain chain;
		uint8_t values[200];
		size_t count;

		hprof_bytes__record(&file, HPROF_HEAP_DUMP_SEGMENT);
		add_chain(&file, &chain, &seed);
		hprof_bytes__instance(&file, 0x1000, class_id(0), bytes);
		for (uint32_t i = 0; i < bytes; i++)
			values[i] = (uint8_t)(random__chance(&seed, 90) ? 0 : 8);
		buf__add(&file.out, values, bytes);
		hprof_bytes__end_record(&file);
		add_end(&file);
		seen.wanted = 0x1000;
		assert_int_equal(read_bytes(&file, 0, &facts), 0);
		count = expect(&chain, values, bytes, id_bytes, by_place);
		assert_int_equal(seen.count, count);
		for (size_t i = 0; i < count; i++) {
			assert_true(!i || seen.of[i].place > seen.of[i - 1].place);
			assert_int_equal(seen.of[i].to, by_place[seen.of[i].place]);
		}
	}
}

/* ---------------------------------------------------------------- too much */

static void add_small_dump(struct hprof_bytes *file)
{
	hprof_bytes__record(file, HPROF_HEAP_DUMP_SEGMENT);
	hprof_bytes__class(file, 0x100, 0, 0, NULL, NULL);
	hprof_bytes__instance(file, 0x1000, 0x100, 0);
	hprof_bytes__end_record(file);
	add_end(file);
}

static void a_name_is_no_longer_than_names_are(void **state)
{
	(void)state;
	for (size_t more = 0; more < 2; more++) {
		struct hprof_bytes file = hprof_bytes__begin("1.0.2", 8);
		struct hprof_facts facts;

		hprof_bytes__record(&file, HPROF_STRING);
		hprof_bytes__id(&file, NAME_LONG);
		buf__add_repeated(&file.out, 'x', 65535 + more);
		hprof_bytes__end_record(&file);
		add_small_dump(&file);
		seen.wanted = 0x1000;
		assert_int_equal(read_bytes(&file, 0, &facts), 0);
		assert_int_equal(facts.damaged, more);
		assert_true(facts.is_whole && seen.found);
	}
}

static void no_instance_is_of_gigabytes(void **state)
{
	struct hprof_bytes file = hprof_bytes__begin("1.0.2", 8);
	const size_t bytes = (size_t)1 << 27;
	struct hprof_facts facts;

	(void)state;
	hprof_bytes__record(&file, HPROF_HEAP_DUMP_SEGMENT);
	hprof_bytes__instance(&file, 0x2000, 0x100, (uint32_t)bytes);
	buf__add_repeated(&file.out, 0, bytes);
	hprof_bytes__end_record(&file);
	add_small_dump(&file);
	seen.wanted = 0x1000;
	assert_int_equal(read_bytes(&file, 0, &facts), 0);
	assert_int_equal(facts.damaged, 1);
	assert_true(facts.is_whole && seen.found);
}

/* One name for all fields of a class, and for those of the classes below. */
static void names_of_fields_are_no_more_than_can_be_shown(void **state)
{
	struct hprof_bytes file = hprof_bytes__begin("1.0.2", 8);
	struct hprof_bytes_field fields[513] = { { 0, 0, 0 } };
	struct hprof_facts facts;

	(void)state;
	for (unsigned int i = 0; i < 512; i++)
		fields[i] = (struct hprof_bytes_field){ NAME_LONG, HPROF_OBJECT, 0 };
	hprof_bytes__record(&file, HPROF_STRING);
	hprof_bytes__id(&file, NAME_LONG);
	buf__add_repeated(&file.out, 'x', 65535);
	hprof_bytes__end_record(&file);
	hprof_bytes__record(&file, HPROF_HEAP_DUMP_SEGMENT);
	hprof_bytes__class(&file, 0x100, 0, 0, NULL, fields);
	hprof_bytes__instance(&file, 0x1000, 0x100, 512 * 8);
	buf__add_repeated(&file.out, 0, 512 * 8);
	hprof_bytes__end_record(&file);
	add_end(&file);
	assert_int_equal(read_bytes(&file, 0, &facts), 0);
	assert_int_equal(facts.unnamed, 1);
	assert_int_equal(seen.fields, 0);
}

static void what_is_kept_has_a_limit(void **state)
{
	struct hprof_facts facts;

	(void)state;
	for (unsigned int kind = 0; kind < 3; kind++) {
		struct hprof_bytes file = hprof_bytes__begin("1.0.2", 8);

		for (unsigned int i = 0; kind == 0 && i < 100; i++)
			hprof_bytes__string(&file, i + 1, "of which there are too many");
		hprof_bytes__record(&file, HPROF_HEAP_DUMP_SEGMENT);
		for (unsigned int i = 0; kind == 1 && i < 100; i++) {
			hprof_bytes__instance(&file, 0x1000 + 64 * i, 0x100, 32);
			buf__add_repeated(&file.out, 0, 32);
		}
		for (unsigned int i = 0; kind == 2 && i < 100; i++)
			hprof_bytes__root(&file, HPROF_ROOT_JAVA_FRAME, 0x1000, 1, i);
		hprof_bytes__end_record(&file);
		add_end(&file);
		assert_int_equal(read_bytes(&file, 2000, &facts), -EDQUOT);
	}
}

/* ---------------------------------------------------------------- records and entries */

static void records_of_other_things_are_passed_over(void **state)
{
	/* UNLOAD_CLASS, ALLOC_SITES, HEAP_SUMMARY, END_THREAD, CPU_SAMPLES, CONTROL_SETTINGS */
	static const uint8_t tags[] = { 0x03, 0x06, 0x07, 0x0b, 0x0d, 0x0e, 0x55, 0xff };
	struct hprof_bytes file = hprof_bytes__begin("1.0.1", 4);
	struct hprof_facts facts;

	(void)state;
	for (size_t i = 0; i < sizeof(tags); i++) {
		hprof_bytes__record(&file, tags[i]);
		buf__add_repeated(&file.out, 0x21, i * 7);
		hprof_bytes__end_record(&file);
	}
	add_small_dump(&file);
	seen.wanted = 0x1000;
	assert_int_equal(read_bytes(&file, 0, &facts), 0);
	assert_int_equal(facts.damaged, 0);
	assert_true(facts.is_whole && seen.found);
}

/* What belongs to a root behind its id: numbers of 4 bytes, or another id. */
static void roots_of_all_kinds_are_as_long_as_they_are(void **state)
{
	static const struct {
		uint8_t tag;
		unsigned int numbers, ids;
		bool is_told;
	} all[] = {
		{ HPROF_ROOT_UNKNOWN, 0, 0, true },
		{ HPROF_ROOT_JNI_GLOBAL, 0, 1, true },
		{ HPROF_ROOT_JNI_LOCAL, 2, 0, true },
		{ HPROF_ROOT_JAVA_FRAME, 2, 0, true },
		{ HPROF_ROOT_NATIVE_STACK, 1, 0, true },
		{ HPROF_ROOT_STICKY_CLASS, 0, 0, true },
		{ HPROF_ROOT_THREAD_BLOCK, 1, 0, true },
		{ HPROF_ROOT_MONITOR_USED, 0, 0, true },
		{ HPROF_ROOT_THREAD_OBJECT, 2, 0, true },
		{ HPROF_ROOT_INTERNED_STRING, 0, 0, true },
		{ HPROF_ROOT_FINALIZING, 0, 0, true },
		{ HPROF_ROOT_DEBUGGER, 0, 0, true },
		{ HPROF_ROOT_REFERENCE_CLEANUP, 0, 0, true },
		{ HPROF_ROOT_VM_INTERNAL, 0, 0, true },
		{ HPROF_ROOT_JNI_MONITOR, 2, 0, true },
		{ HPROF_UNREACHABLE, 0, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(all) / sizeof(*all); i++) {
		struct hprof_bytes file = hprof_bytes__begin("1.0.3", i % 2 ? 4 : 8);
		struct hprof_facts facts;

		hprof_bytes__record(&file, HPROF_HEAP_DUMP_SEGMENT);
		hprof_bytes__root(&file, all[i / 2].tag, 0x1000,
				  all[i / 2].numbers > 0 ? 1 : NONE,
				  all[i / 2].numbers > 1 ? 2 : NONE);
		if (all[i / 2].ids)
			hprof_bytes__id(&file, 0x7777);
		hprof_bytes__instance(&file, 0x1000, 0x100, 0);
		hprof_bytes__end_record(&file);
		add_end(&file);
		seen.wanted = 0x1000;
		assert_int_equal(read_bytes(&file, 0, &facts), 0);
		assert_int_equal(facts.damaged, 0);
		assert_true(facts.is_whole && seen.found);
		assert_int_equal(seen.roots, all[i / 2].is_told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_class_may_be_above_the_next),
		cmocka_unit_test(nobody_waits_for_classes_again_and_again),
		cmocka_unit_test(classes_that_are_above_themselves_have_no_plan),
		cmocka_unit_test(references_stand_where_their_fields_do),
		cmocka_unit_test(a_name_is_no_longer_than_names_are),
		cmocka_unit_test(no_instance_is_of_gigabytes),
		cmocka_unit_test(names_of_fields_are_no_more_than_can_be_shown),
		cmocka_unit_test(what_is_kept_has_a_limit),
		cmocka_unit_test(records_of_other_things_are_passed_over),
		cmocka_unit_test(roots_of_all_kinds_are_as_long_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
