/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/jvm_native.h"
#include "target/maps.h"
#include "target/process.h"
#include "target/remote.h"
#include "target/symbols.h"
#include "target/walker.h"

#define LIBRARY 0x7f0000001000u /* code of libjvm.so, to 3000 */

enum { SP = 4, LEFT = 60, WORDS = 64 };

static uint64_t stack[WORDS];

/* A thread whose Java code was left at stack[LEFT], in native code at ip. */
static struct walk place(uint64_t ip, bool guessed)
{
	static const char text[] =
		"7f0000000000-7f0000001000 r--p 00000000 08:01 7 /jvm/libjvm.so\n"
		"7f0000001000-7f0000003000 r-xp 00001000 08:01 7 /jvm/libjvm.so\n"
		"7f0000003000-7f0000004000 rw-p 00003000 08:01 7 /jvm/libjvm.so\n"
		"7f0000008000-7f0000009000 r-xp 00000000 08:01 8 /lib/libz.so\n";
	const struct caught_thread thread = { .how = CAUGHT_TICK, .ip = ip,
					      .sp = (uint64_t)(uintptr_t)&stack[SP] };
	struct walk walk = { .place = PLACE_NATIVE, .place_guessed = guessed, .is_managed = true };
	struct process process = { .pid = getpid() };
	struct maps maps = MAPS_INIT;
	struct jvm_native native = { .symbols = symbols__new(&process) };
	struct remote remote;

	remote__init(&remote, getpid());
	assert_int_equal(maps__parse(&maps, text, strlen(text)), 0);
	assert_non_null(native.symbols);
	native.memory = &remote;
	symbols__use(native.symbols, &maps);
	jvm_native__use(&native, &maps);
	vec__push(&walk.frames, (struct frame){ .sp = (uint64_t)(uintptr_t)&stack[LEFT] });
	jvm_native__place(&native, &thread, &walk);
	symbols__free(native.symbols);
	vec__free(&walk.frames);
	maps__free(&maps);
	return walk;
}

static void no_call_of_the_jvms_is_certain(void **state)
{
	(void)state;
	memset(stack, 0, sizeof(stack));
	/* Where Java code is, and below sp, may be anything. */
	stack[SP - 1] = stack[LEFT] = LIBRARY + 0x100;
	/* Not code. */
	stack[SP + 1] = LIBRARY + 0x2100;
	stack[SP + 2] = LIBRARY - 0x100;
	assert_true(place(0x7f0000008010, false).place_lasting);
	/* Behind the last instruction is behind a call. */
	stack[SP] = LIBRARY + 0x2000;
	assert_false(place(0x7f0000008010, false).place_lasting);
	stack[SP] = LIBRARY;
	assert_true(place(0x7f0000008010, false).place_lasting);
	stack[SP] = 0;
	stack[LEFT - 1] = LIBRARY + 0x100;
	assert_false(place(0x7f0000008010, false).place_lasting);
}

static void who_is_in_the_jvm_is_not_certain(void **state)
{
	struct walk walk;

	(void)state;
	memset(stack, 0, sizeof(stack));
	assert_false(place(LIBRARY + 0x10, false).place_lasting);
	walk = place(0x7f0000008010, true);
	assert_false(walk.place_lasting);
	assert_int_equal(walk.place, PLACE_NATIVE);
}

static void knows_what_loads(void **state)
{
	(void)state;
	assert_true(jvm_native__loads("_ZN15ClassFileParser12parse_fieldsEP15ClassFileStream"));
	assert_true(jvm_native__loads("_ZN13InstanceKlass15link_class_implEP6Thread"));
	assert_false(jvm_native__loads("_ZN17CompilationPolicy6commonEv"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_call_of_the_jvms_is_certain),
		cmocka_unit_test(who_is_in_the_jvm_is_not_certain),
		cmocka_unit_test(knows_what_loads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
