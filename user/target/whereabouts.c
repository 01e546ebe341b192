/* SPDX-License-Identifier: BSD-2-Clause */
#include "whereabouts.h"

#include <stddef.h>
#include <string.h>

#include "jvm_native.h"
#include "symbols.h"
#include "walker.h"

/* Names as the kernel has them: 15 bytes of the runtime's own. */
static const struct {
	enum runtime_kind runtime;
	const char *begins;
	enum place place;
	bool in_pause; /* only then; at other times it does other work of the runtime's */
} names[] = {
	{ RUNTIME_HOTSPOT, "GC Thread#", PLACE_GC, false },
	{ RUNTIME_HOTSPOT, "ParGC Thread#", PLACE_GC, false },
	{ RUNTIME_HOTSPOT, "G1 ", PLACE_GC, false },
	{ RUNTIME_HOTSPOT, "ZWorker", PLACE_GC, false },
	{ RUNTIME_HOTSPOT, "ZDirector", PLACE_GC, false },
	{ RUNTIME_HOTSPOT, "ZDriver", PLACE_GC, false },
	{ RUNTIME_HOTSPOT, "XWorker", PLACE_GC, false },
	{ RUNTIME_HOTSPOT, "XDriver", PLACE_GC, false },
	{ RUNTIME_HOTSPOT, "Shenandoah", PLACE_GC, false },
	{ RUNTIME_HOTSPOT, "VM Thread", PLACE_GC, true },
	{ RUNTIME_HOTSPOT, "C1 CompilerThre", PLACE_COMPILER, false },
	{ RUNTIME_HOTSPOT, "C2 CompilerThre", PLACE_COMPILER, false },
	{ RUNTIME_HOTSPOT, "JVMCI Compiler", PLACE_COMPILER, false },
	{ RUNTIME_HOTSPOT, "JDWP ", PLACE_DEBUGGER, false },
	{ RUNTIME_HOTSPOT, "JFR ", PLACE_PROFILER, false },
	{ RUNTIME_DOTNET, ".NET Server GC", PLACE_GC, false },
	{ RUNTIME_DOTNET, ".NET BGC", PLACE_GC, false },
	{ RUNTIME_DOTNET, ".NET Tiered Com", PLACE_COMPILER, false },
	{ RUNTIME_DOTNET, ".NET Debugger", PLACE_DEBUGGER, false },
	{ RUNTIME_DOTNET, ".NET DebugPipe", PLACE_DEBUGGER, false },
	{ RUNTIME_DOTNET, ".NET EventPipe", PLACE_PROFILER, false },
	{ RUNTIME_MONO, "SGen worker", PLACE_GC, false },
};

/* The files that a runtime's own code is in. */
static const struct {
	enum runtime_kind runtime;
	const char *begins;
} libraries[] = {
	{ RUNTIME_HOTSPOT, "libjvm.so" },    { RUNTIME_DOTNET, "libcoreclr.so" },
	{ RUNTIME_DOTNET, "libclrgc" },	     { RUNTIME_DOTNET, "libclrjit" },
	{ RUNTIME_DOTNET, "libmscordbi" },   { RUNTIME_MONO, "libmono" },
	{ RUNTIME_MONO, "mono" },	     { RUNTIME_RUBY, "libruby" },
	{ RUNTIME_RUBY, "ruby" },	     { RUNTIME_CPYTHON, "libpython" },
	{ RUNTIME_CPYTHON, "python" },
};

/*
 * Without a walker: what a runtime does in its own code, by the functions that it exports. The last
 * one of a runtime is what it does else: one that interprets runs the program there.
 */
static const struct {
	enum runtime_kind runtime;
	const char *begins;
	enum place place;
} functions[] = {
	{ RUNTIME_MONO, "sgen_", PLACE_GC },
	{ RUNTIME_MONO, "mono_gc_", PLACE_GC },
	{ RUNTIME_MONO, "mini_", PLACE_COMPILER },
	{ RUNTIME_MONO, "mono_compile", PLACE_COMPILER },
	{ RUNTIME_MONO, "mono_class_", PLACE_LOADER },
	{ RUNTIME_MONO, "", PLACE_NATIVE },
	{ RUNTIME_RUBY, "gc_", PLACE_GC },
	{ RUNTIME_RUBY, "rb_gc", PLACE_GC },
	{ RUNTIME_RUBY, "rb_objspace", PLACE_GC },
	{ RUNTIME_RUBY, "", PLACE_JIT },
	{ RUNTIME_CPYTHON, "gc_", PLACE_GC },
	{ RUNTIME_CPYTHON, "PyGC", PLACE_GC },
	{ RUNTIME_CPYTHON, "", PLACE_JIT },
};

struct whereabouts whereabouts__by_name(enum runtime_kind runtime, const char *comm,
					enum paused paused)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].runtime != runtime ||
		    strncmp(comm, names[i].begins, strlen(names[i].begins)) != 0)
			continue;
		if (!names[i].in_pause || paused == PAUSED_SURELY)
			return (struct whereabouts){ names[i].place, ACCURACY_EXACT };
		/* A pause is prepared and told of outside of what the runtime calls one. */
		return (struct whereabouts){
			paused == PAUSED_NOT ? PLACE_NATIVE : names[i].place, ACCURACY_POOR
		};
	}
	return (struct whereabouts){ PLACE_UNKNOWN, ACCURACY_NONE };
}

static bool is_of_runtime(enum runtime_kind runtime, const char *file)
{
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (libraries[i].runtime == runtime &&
		    strncmp(file, libraries[i].begins, strlen(libraries[i].begins)) == 0)
			return true;
	return false;
}

/* The debugger's agent works on its own threads, and on those that it has stopped. */
static bool debugs(const struct whereabouts_of *of)
{
	return of->runtime == RUNTIME_HOTSPOT && of->code->is_code &&
	       strncmp(of->code->file, "libjdwp.so", strlen("libjdwp.so")) == 0;
}

static bool loads(const struct whereabouts_of *of)
{
	const char *function = of->code->function;

	return of->runtime == RUNTIME_HOTSPOT && function && of->code->inside &&
	       is_of_runtime(of->runtime, of->code->file) && jvm_native__loads(function);
}

static enum accuracy accuracy_of_walk(const struct whereabouts_of *of)
{
	if (of->walk->place_guessed)
		return ACCURACY_POOR;
	return of->walk->place_lasting || of->is_still ? ACCURACY_EXACT : ACCURACY_POOR;
}

/* Is it one that may be met without a walker? */
static bool has_functions(enum runtime_kind runtime)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (functions[i].runtime == runtime)
			return true;
	return false;
}

static bool may_be_for_runtime(const struct whereabouts_of *of)
{
	const char *file = of->code->file;

	/* "[vdso]", too: who asks for the time? */
	return !*file || *file == '[' || is_of_runtime(of->runtime, file) ||
	       strncmp(file, "libc.so", strlen("libc.so")) == 0 ||
	       strncmp(file, "libc-", strlen("libc-")) == 0;
}

/*
 * Does the walker say more than that it is outside of managed code? That it is blocked, or that it
 * loads, is of the moment when it was read. Who does not wait, and may have run since, was not
 * blocked; who was in a library then did what that does, rather, unless the runtime calls it, too.
 */
static bool has_word(const struct whereabouts_of *of)
{
	const struct walk *walk = of->walk;

	if (!walk || walk->place == PLACE_UNKNOWN || walk->place == PLACE_NATIVE)
		return false;
	if (of->is_still || walk->place_lasting)
		return true;
	return walk->place != PLACE_BLOCKING &&
	       (walk->place != PLACE_LOADER || may_be_for_runtime(of));
}

/*
 * Code of a file, and there is no walker that tells what for. In the runtime's own code it may do
 * anything, and may call the C library for anything.
 */
static struct whereabouts judge_unwalked(const struct whereabouts_of *of)
{
	const char *function = of->code->inside && of->code->function ? of->code->function : "";

	if (of->walk || !may_be_for_runtime(of))
		return (struct whereabouts){ PLACE_NATIVE, ACCURACY_EXACT };
	if (!is_of_runtime(of->runtime, of->code->file))
		return (struct whereabouts){ PLACE_NATIVE, has_functions(of->runtime) ?
								   ACCURACY_POOR :
								   ACCURACY_EXACT };
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (functions[i].runtime == of->runtime &&
		    strncmp(function, functions[i].begins, strlen(functions[i].begins)) == 0)
			return (struct whereabouts){ functions[i].place, ACCURACY_POOR };
	return (struct whereabouts){ PLACE_NATIVE, ACCURACY_POOR };
}

/*
 * A program may give its own threads such names. Then they have frames of managed code, which the
 * runtime's own have not while they do what they are named for; and no thread that collects is one
 * of Java's.
 */
static bool may_be_the_programs(const struct whereabouts_of *of, enum place role)
{
	const struct walk *walk = of->walk;

	if (!is_of_runtime(of->runtime, of->code->file) && (!walk || walk->is_managed))
		return true;
	return walk && walk->is_managed &&
	       (walk->frames.count || (of->runtime == RUNTIME_HOTSPOT && role == PLACE_GC));
}

/* As if its registers were those of the moment. */
static struct whereabouts judge_sharp(const struct whereabouts_of *of)
{
	const struct walk *walk = of->walk;
	const struct whereabouts role =
		whereabouts__by_name(of->runtime, of->comm, of->paused);
	struct whereabouts found = { PLACE_UNKNOWN, ACCURACY_NONE };

	if (of->thread->waits)
		return (struct whereabouts){ PLACE_BLOCKING, ACCURACY_EXACT };
	/* Routines that the runtime has generated may be called by its own threads. */
	if (walk && walk->place == PLACE_JIT &&
	    !(walk->place_guessed && role.place != PLACE_UNKNOWN))
		return (struct whereabouts){ PLACE_JIT, accuracy_of_walk(of) };
	if (debugs(of))
		return (struct whereabouts){ PLACE_DEBUGGER, ACCURACY_EXACT };
	if (role.place != PLACE_UNKNOWN) {
		found = role;
		if (may_be_the_programs(of, role.place))
			found.accuracy = ACCURACY_POOR;
	} else if (has_word(of)) {
		found = (struct whereabouts){ walk->place, accuracy_of_walk(of) };
	} else if (loads(of)) {
		found = (struct whereabouts){ PLACE_LOADER, ACCURACY_POOR };
	} else if (of->code->is_code && *of->code->file) {
		found = judge_unwalked(of);
		/* The runtime may be doing something else in there. */
		if (walk && walk->is_managed)
			found.accuracy = walk->place == PLACE_NATIVE ? accuracy_of_walk(of) :
								       ACCURACY_POOR;
	} else if (of->code->is_code) {
		found = (struct whereabouts){ PLACE_JIT, ACCURACY_POOR };
	}
	return found;
}

struct whereabouts whereabouts__judge(const struct whereabouts_of *of)
{
	struct whereabouts found = judge_sharp(of);

	if (!of->is_sharp && found.accuracy == ACCURACY_EXACT)
		found.accuracy = ACCURACY_POOR;
	return found;
}
