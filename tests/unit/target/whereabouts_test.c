/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "target/symbols.h"
#include "target/walker.h"
#include "target/whereabouts.h"

/* A thread in the midst of a function of libjvm's, off the CPU or met by a tick. */
struct scene {
	struct caught_thread thread;
	struct symbol_found code;
	struct walk walk;
	struct whereabouts_of of;
};

static void set(struct scene *scene, enum runtime_kind runtime, const char *comm)
{
	*scene = (struct scene){
		.thread = { .how = CAUGHT_TICK, .syscall = -1 },
		.code = { .file = "libjvm.so", .function = "f", .inside = true, .is_code = true },
	};
	scene->of = (struct whereabouts_of){
		.runtime = runtime,
		.comm = comm,
		.thread = &scene->thread,
		.code = &scene->code,
		.is_sharp = true,
	};
}

static void is(const struct scene *scene, enum place place, enum accuracy accuracy)
{
	const struct whereabouts where = whereabouts__judge(&scene->of);

	assert_string_equal(place__name(where.place), place__name(place));
	assert_int_equal(where.accuracy, accuracy);
}

static void who_sleeps_is_blocked_whoever_it_is(void **state)
{
	struct scene scene;

	(void)state;
	set(&scene, RUNTIME_HOTSPOT, "GC Thread#0");
	scene.thread.how = CAUGHT_OFF_CPU;
	is(&scene, PLACE_GC, ACCURACY_EXACT);
	scene.thread.waits = true;
	is(&scene, PLACE_BLOCKING, ACCURACY_EXACT);
}

static void names_tell_the_runtimes_own_threads(void **state)
{
	static const struct {
		enum runtime_kind runtime;
		const char *comm;
		enum place place;
	} rows[] = {
		{ RUNTIME_HOTSPOT, "GC Thread#12", PLACE_GC },
		{ RUNTIME_HOTSPOT, "G1 Conc#0", PLACE_GC },
		{ RUNTIME_HOTSPOT, "ZWorker#1", PLACE_GC },
		{ RUNTIME_HOTSPOT, "Shenandoah GC T", PLACE_GC },
		{ RUNTIME_HOTSPOT, "C2 CompilerThre", PLACE_COMPILER },
		{ RUNTIME_HOTSPOT, ".NET BGC", PLACE_UNKNOWN },
		{ RUNTIME_DOTNET, ".NET Server GC", PLACE_GC },
		{ RUNTIME_DOTNET, ".NET Tiered Com", PLACE_COMPILER },
		{ RUNTIME_DOTNET, ".NET EventPipe", PLACE_PROFILER },
		{ RUNTIME_DOTNET, ".NET DebugPipe", PLACE_DEBUGGER },
		{ RUNTIME_DOTNET, "GC Thread#0", PLACE_UNKNOWN },
		{ RUNTIME_UNKNOWN, "GC Thread#0", PLACE_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(whereabouts__by_name(rows[i].runtime, rows[i].comm,
						      PAUSED_PERHAPS).place,
				 rows[i].place);
}

static void the_vm_thread_collects_in_a_pause_only(void **state)
{
	struct scene scene;

	(void)state;
	set(&scene, RUNTIME_HOTSPOT, "VM Thread");
	scene.of.paused = PAUSED_SURELY;
	is(&scene, PLACE_GC, ACCURACY_EXACT);
	scene.of.paused = PAUSED_PERHAPS;
	is(&scene, PLACE_GC, ACCURACY_POOR);
	/* It may be about to collect, or just have done. */
	scene.of.paused = PAUSED_NOT;
	is(&scene, PLACE_NATIVE, ACCURACY_POOR);
	scene.thread.waits = true;
	is(&scene, PLACE_BLOCKING, ACCURACY_EXACT);
}

static void a_programs_own_thread_may_have_such_a_name(void **state)
{
	struct scene scene;

	(void)state;
	set(&scene, RUNTIME_HOTSPOT, "GC Thread#0");
	scene.code.file = "libapp.so";
	is(&scene, PLACE_GC, ACCURACY_POOR);
	/* One that may run managed code, and does. */
	scene.of.walk = &scene.walk;
	scene.walk.is_managed = true;
	is(&scene, PLACE_GC, ACCURACY_POOR);
	scene.walk.place = PLACE_JIT;
	scene.walk.place_lasting = true;
	is(&scene, PLACE_JIT, ACCURACY_EXACT);
	scene.walk.place_guessed = true;
	is(&scene, PLACE_GC, ACCURACY_POOR);
}

/* One of Java's in the JVM, which is there for anything: it is no collector's, and has frames. */
static void nor_is_a_name_enough_in_the_runtimes_own_code(void **state)
{
	struct scene scene;

	(void)state;
	set(&scene, RUNTIME_HOTSPOT, "G1 pool");
	scene.of.walk = &scene.walk;
	scene.of.is_still = true;
	is(&scene, PLACE_GC, ACCURACY_EXACT);
	scene.walk.is_managed = true;
	is(&scene, PLACE_GC, ACCURACY_POOR);
	scene.of.comm = "C2 CompilerThre";
	is(&scene, PLACE_COMPILER, ACCURACY_EXACT);
	scene.walk.frames.count = 1;
	is(&scene, PLACE_COMPILER, ACCURACY_POOR);
}

static void what_the_walker_says_is_as_good_as_its_ground(void **state)
{
	struct scene scene;

	(void)state;
	set(&scene, RUNTIME_HOTSPOT, "main");
	scene.of.walk = &scene.walk;
	scene.walk.place = PLACE_JIT;
	is(&scene, PLACE_JIT, ACCURACY_POOR);
	scene.of.is_still = true;
	is(&scene, PLACE_JIT, ACCURACY_EXACT);
	scene.walk.place_guessed = true;
	is(&scene, PLACE_JIT, ACCURACY_POOR);
	scene.of.is_sharp = false;
	scene.walk.place_guessed = false;
	is(&scene, PLACE_JIT, ACCURACY_POOR);
}

static void native_code_is_as_certain_as_the_walker_says(void **state)
{
	struct scene scene;

	(void)state;
	set(&scene, RUNTIME_HOTSPOT, "main");
	scene.of.walk = &scene.walk;
	scene.code.file = "libz.so";
	scene.walk.is_managed = true;
	scene.walk.place = PLACE_NATIVE;
	is(&scene, PLACE_NATIVE, ACCURACY_POOR);
	scene.walk.place_lasting = true;
	is(&scene, PLACE_NATIVE, ACCURACY_EXACT);
	scene.walk.place_lasting = false;
	scene.of.is_still = true;
	is(&scene, PLACE_NATIVE, ACCURACY_EXACT);
	scene.walk.place_guessed = true;
	is(&scene, PLACE_NATIVE, ACCURACY_POOR);
}

static void the_debuggers_code_debugs_on_any_thread(void **state)
{
	struct scene scene;

	(void)state;
	set(&scene, RUNTIME_HOTSPOT, "main");
	scene.of.walk = &scene.walk;
	scene.walk.is_managed = true;
	scene.walk.place = PLACE_NATIVE;
	scene.code.file = "libjdwp.so";
	is(&scene, PLACE_DEBUGGER, ACCURACY_EXACT);
	scene.of.is_sharp = false;
	is(&scene, PLACE_DEBUGGER, ACCURACY_POOR);
}

static void blocked_is_who_stood_still_meanwhile(void **state)
{
	struct scene scene;

	(void)state;
	set(&scene, RUNTIME_HOTSPOT, "main");
	scene.of.walk = &scene.walk;
	scene.walk.is_managed = true;
	scene.walk.place = PLACE_BLOCKING;
	is(&scene, PLACE_NATIVE, ACCURACY_POOR);
	scene.of.is_still = true;
	is(&scene, PLACE_BLOCKING, ACCURACY_EXACT);
}

static void who_was_in_a_library_did_not_load_then(void **state)
{
	struct scene scene;

	(void)state;
	set(&scene, RUNTIME_HOTSPOT, "main");
	scene.of.walk = &scene.walk;
	scene.walk.is_managed = true;
	scene.walk.place = PLACE_LOADER;
	is(&scene, PLACE_LOADER, ACCURACY_POOR);
	scene.code.file = "libc.so.6";
	is(&scene, PLACE_LOADER, ACCURACY_POOR);
	scene.code.file = "libz.so";
	is(&scene, PLACE_NATIVE, ACCURACY_POOR);
	scene.of.is_still = true;
	is(&scene, PLACE_LOADER, ACCURACY_EXACT);
}

static void code_by_its_file(void **state)
{
	struct scene scene;

	(void)state;
	set(&scene, RUNTIME_UNKNOWN, "main");
	is(&scene, PLACE_NATIVE, ACCURACY_EXACT);
	scene.code.file = "";
	is(&scene, PLACE_JIT, ACCURACY_POOR);
	scene.code.is_code = false;
	is(&scene, PLACE_UNKNOWN, ACCURACY_NONE);
}

/* What a runtime that nobody walks does in its own code is guessed by the function. */
static void without_a_walker_the_runtimes_code_is_a_guess(void **state)
{
	static const struct {
		enum runtime_kind runtime;
		const char *file, *function;
		enum place place;
	} scenes[] = {
		{ RUNTIME_RUBY, "libruby-3.1.so.3.1.2", "rb_vm_exec", PLACE_JIT },
		{ RUNTIME_RUBY, "ruby", "rb_gc_mark", PLACE_GC },
		{ RUNTIME_RUBY, "libc.so.6", "memset", PLACE_NATIVE },
		{ RUNTIME_MONO, "mono-sgen", "sgen_gray_object_enqueue", PLACE_GC },
		{ RUNTIME_MONO, "libmonosgen-2.0.so.1", "mini_method_compile", PLACE_COMPILER },
		{ RUNTIME_MONO, "mono-sgen", "mono_thread_attach", PLACE_NATIVE },
		{ RUNTIME_CPYTHON, "python3.9", "_PyEval_EvalFrameDefault", PLACE_JIT },
		{ RUNTIME_HOTSPOT, "libjvm.so", "f", PLACE_NATIVE },
	};
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		set(&scene, scenes[i].runtime, "main");
		scene.code.file = scenes[i].file;
		scene.code.function = scenes[i].function;
		is(&scene, scenes[i].place, ACCURACY_POOR);
	}
	/* The nearest function that is exported is not the one that it is in. */
	set(&scene, RUNTIME_RUBY, "main");
	scene.code = (struct symbol_found){ .file = "libruby-3.1.so.3.1.2", .is_code = true,
					    .function = "rb_gc_enable" };
	is(&scene, PLACE_JIT, ACCURACY_POOR);
	scene.code.file = "libz.so.1";
	is(&scene, PLACE_NATIVE, ACCURACY_EXACT);
}

static void loading_is_a_guess_by_the_function(void **state)
{
	struct scene scene;

	(void)state;
	set(&scene, RUNTIME_HOTSPOT, "main");
	scene.code.function = "_ZN16SystemDictionary15resolve_or_nullEP6Symbol6Handle";
	is(&scene, PLACE_LOADER, ACCURACY_POOR);
	/* The nearest function below is not that function. */
	scene.code.inside = false;
	is(&scene, PLACE_NATIVE, ACCURACY_POOR);
}

static void old_registers_prove_nothing(void **state)
{
	struct scene scene;

	(void)state;
	set(&scene, RUNTIME_UNKNOWN, "main");
	scene.thread.how = CAUGHT_STALE;
	scene.of.is_sharp = false;
	is(&scene, PLACE_NATIVE, ACCURACY_POOR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_sleeps_is_blocked_whoever_it_is),
		cmocka_unit_test(names_tell_the_runtimes_own_threads),
		cmocka_unit_test(the_vm_thread_collects_in_a_pause_only),
		cmocka_unit_test(a_programs_own_thread_may_have_such_a_name),
		cmocka_unit_test(nor_is_a_name_enough_in_the_runtimes_own_code),
		cmocka_unit_test(what_the_walker_says_is_as_good_as_its_ground),
		cmocka_unit_test(native_code_is_as_certain_as_the_walker_says),
		cmocka_unit_test(the_debuggers_code_debugs_on_any_thread),
		cmocka_unit_test(blocked_is_who_stood_still_meanwhile),
		cmocka_unit_test(who_was_in_a_library_did_not_load_then),
		cmocka_unit_test(code_by_its_file),
		cmocka_unit_test(without_a_walker_the_runtimes_code_is_a_guess),
		cmocka_unit_test(loading_is_a_guess_by_the_function),
		cmocka_unit_test(old_registers_prove_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
