/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runtimes are told by the probes they have, else by the names of what they map, else by
 * what their program exports. First come those with probes, in the order of enum provider,
 * then those without.
 */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/files.h"
#include "hsperf.h"
#include "maps.h"
#include "module.h"
#include "process.h"
#include "runtime_version.h"

static const char *const names[] = {
	[RUNTIME_UNKNOWN] = "unknown",
	[RUNTIME_PROBES] = "gctrace probes",
	[RUNTIME_HOTSPOT] = "HotSpot",
	[RUNTIME_OPENJ9] = "OpenJ9",
	[RUNTIME_DOTNET] = ".NET",
	[RUNTIME_DOTNET_MONO] = ".NET on Mono",
	[RUNTIME_DOTNET_NATIVE] = ".NET NativeAOT",
	[RUNTIME_MONO] = "Mono",
	[RUNTIME_CPYTHON] = "CPython",
	[RUNTIME_RUBY] = "Ruby",
	[RUNTIME_GO] = "Go",
	[RUNTIME_NODE] = "Node.js",
};

/* What is said where there are no probes: what this version can't, and who can meanwhile. */
static const char *const advices[] = {
	[RUNTIME_UNKNOWN] = "No file that it has mapped has probes of gctrace, HotSpot, CPython or"
			    " Ruby. A runtime that is loaded later is found when it is; one of"
			    " your own gets probes by the header gctrace/probes.h.",
	[RUNTIME_HOTSPOT] = "This build of it has no probes. Run the program with a JDK that was"
			    " built with --enable-dtrace, as those of Debian, Fedora and Temurin"
			    " are.",
	[RUNTIME_OPENJ9] = "It has no probes, and this version of gctrace has no other way to look"
			   " into it. Its own -verbose:gc tells its collections.",
	[RUNTIME_DOTNET] = "It has no probes. With --load-agent gctrace loads its agent into it, by"
			   " the runtime's own diagnostics socket and without a restart, and shows"
			   " collections, moves, survivals, heap dumps and roots:",
	[RUNTIME_DOTNET_MONO] = "It has no probes, and gctrace's agent is for CoreCLR, the other"
				" runtime of .NET: publish the program for that one.",
	[RUNTIME_DOTNET_NATIVE] = "It has no probes, and a program that was compiled ahead of time"
				  " takes no agent: publish it without PublishAot to see its"
				  " collections.",
	[RUNTIME_MONO] = "It has no probes, and the agent that looks into it instead comes with a"
			 " later version of gctrace: this one cannot, neither by -p nor by gctrace"
			 " run. Its own --profile=log records its collections.",
	[RUNTIME_CPYTHON] = "This build of it has no probes. Run the program with a Python that was"
			    " built with --with-dtrace, as Debian's and Fedora's python3 are.",
	[RUNTIME_RUBY] = "This build of it has no probes. Run the program with a Ruby that was"
			 " built with --enable-dtrace, as Debian's and Fedora's are.",
	[RUNTIME_GO] = "It has no probes, and this version of gctrace has no other way to look into"
		       " it. Started with GODEBUG=gctrace=1 it tells its collections itself.",
	[RUNTIME_NODE] = "It has no probes, and this version of gctrace has no other way to look"
			 " into it. Started with --trace-gc it tells its collections itself.",
};

#define AGENT_PREFIX "libgctrace-"

struct view {
	const struct process *process;
	const struct maps *maps;
	const struct modules *modules;
	const struct map *file;  /* what the runtime's code is in, NULL: unknown */
};

static const struct map *mapping_of(const struct maps *maps, const struct module *module)
{
	for (size_t i = 0; i < maps->count; i++) {
		const struct map *map = &maps->entries[i];

		if (map->inode == module->map_inode && map->major == module->map_major &&
		    map->minor == module->map_minor)
			return map;
	}
	return NULL;
}

static bool is_agent(const struct module *module)
{
	return module->providers & 1U << PROVIDER_GCTRACE &&
	       strncmp(files__base_name(module->name), AGENT_PREFIX, strlen(AGENT_PREFIX)) == 0;
}

static bool has_agent(const struct view *view)
{
	for (const struct module *m = view->modules->first; m; m = m->next)
		if (is_agent(m))
			return true;
	return false;
}

static enum runtime_kind by_probes(struct view *view)
{
	static const enum runtime_kind kinds[PROVIDER_COUNT] = {
		[PROVIDER_GCTRACE] = RUNTIME_PROBES,
		[PROVIDER_HOTSPOT] = RUNTIME_HOTSPOT,
		[PROVIDER_HS_PRIVATE] = RUNTIME_HOTSPOT,
		[PROVIDER_PYTHON] = RUNTIME_CPYTHON,
		[PROVIDER_RUBY] = RUNTIME_RUBY,
	};

	for (unsigned int i = 0; i < PROVIDER_COUNT; i++)
		for (const struct module *m = view->modules->first; m; m = m->next)
			if (m->providers & 1U << i && !is_agent(m)) {
				view->file = mapping_of(view->maps, m);
				return kinds[i];
			}
	return RUNTIME_UNKNOWN;
}

/* "python3.11", "python3", "node": the name, and behind it nothing but a version. */
static bool is_program(const struct process *process, const char *name)
{
	const char *exe = files__base_name(process->exe);
	size_t len = strlen(name);

	return strncmp(exe, name, len) == 0 && strspn(exe + len, "0123456789.-") ==
					       strlen(exe + len);
}

/* The mapping of the program itself. */
static const struct map *program(const struct view *view)
{
	for (const struct map *map = NULL; (map = maps__next_file(view->maps, map));)
		if (strcmp(map->path, view->process->exe) == 0)
			return map;
	return NULL;
}

static const struct {
	const char *library;     /* a mapped file whose name begins so */
	const char *program;     /* or the program's own name */
	enum runtime_kind kind;
} signs[] = {
	{ "libj9vm", NULL, RUNTIME_OPENJ9 },
	{ "libjvm.so", NULL, RUNTIME_HOTSPOT },
	{ "libcoreclr.so", NULL, RUNTIME_DOTNET },
	{ "libmonosgen-", "mono-sgen", RUNTIME_MONO },
	{ "libmono-", "mono", RUNTIME_MONO },
	{ "libpython", "python", RUNTIME_CPYTHON },
	{ "libruby", "ruby", RUNTIME_RUBY },
	{ "libnode.so", "node", RUNTIME_NODE },
	{ NULL, "nodejs", RUNTIME_NODE },
};

/* Both runtimes of .NET are called libcoreclr.so. */
static enum runtime_kind dotnet_kind(const struct view *view)
{
	if (runtime_version__exports(view->process, view->maps, view->file, "mono_gc_collect"))
		return RUNTIME_DOTNET_MONO;
	return RUNTIME_DOTNET;
}

static enum runtime_kind by_names(struct view *view)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (signs[i].library) {
			view->file = maps__named(view->maps, signs[i].library);
			if (view->file)
				return signs[i].kind == RUNTIME_DOTNET ? dotnet_kind(view) :
									 signs[i].kind;
		}
		if (signs[i].program && is_program(view->process, signs[i].program)) {
			view->file = program(view);
			return signs[i].kind;
		}
	}
	return RUNTIME_UNKNOWN;
}

/* Programs that hold their runtime themselves: Go, and .NET as a single file or compiled. */
static enum runtime_kind by_program(struct view *view, struct buf *version)
{
	static const struct {
		const char *symbol;
		enum runtime_kind kind;
	} dotnet[] = {
		{ "DotNetRuntimeInfo", RUNTIME_DOTNET },
		{ "DotNetRuntimeDebugHeader", RUNTIME_DOTNET_NATIVE },
	};
	const struct map *file = program(view);

	if (!file)
		return RUNTIME_UNKNOWN;
	view->file = file;
	if (runtime_version__go(view->process, view->maps, file, version))
		return RUNTIME_GO;
	for (size_t i = 0; i < sizeof(dotnet) / sizeof(dotnet[0]); i++)
		if (runtime_version__exports(view->process, view->maps, file, dotnet[i].symbol))
			return dotnet[i].kind;
	return RUNTIME_UNKNOWN;
}

static const struct {
	const char *flag, *name;
} collector_flags[] = {
	{ "-XX:+UseG1GC", "G1" },
	{ "-XX:+UseParallelGC", "Parallel" },
	{ "-XX:+UseSerialGC", "Serial" },
	{ "-XX:+UseZGC", "ZGC" },
	{ "-XX:+UseShenandoahGC", "Shenandoah" },
	{ "-XX:+UseEpsilonGC", "Epsilon" },
};

/* By the arguments, where the JVM has no counters; NULL where it chose for itself. */
static const char *collector_by_arguments(const struct process *process)
{
	const char *at = process->cmdline, *end = at + process->cmdline_len;
	const char *found = NULL;

	for (; at < end; at += strlen(at) + 1)
		for (size_t i = 0; i < sizeof(collector_flags) / sizeof(collector_flags[0]); i++)
			if (strcmp(at, collector_flags[i].flag) == 0)
				found = collector_flags[i].name;
	return found;
}

static void ask_hotspot(const struct view *view, struct runtime *runtime, struct buf *version)
{
	struct hsperf *hsperf = NULL;
	const char *collector, *text;

	if (hsperf__open_maps(view->process, view->maps, &hsperf, NULL) == 0) {
		text = hsperf__string(hsperf, "java.property.java.vm.version");
		buf__add_str(version, text ? text : "");
		collector = hsperf__collector(hsperf);
	} else {
		collector = collector_by_arguments(view->process);
	}
	if (collector)
		runtime->collector = strdup(collector);
	hsperf__free(hsperf);
}

static void find_version(const struct view *view, struct runtime *runtime, struct buf *version)
{
	if (runtime->kind == RUNTIME_HOTSPOT)
		ask_hotspot(view, runtime, version);
	if (!view->file || version->len)
		return;
	switch (runtime->kind) {
	case RUNTIME_HOTSPOT:
	case RUNTIME_OPENJ9:
		runtime_version__java(view->process, view->file, version);
		break;
	case RUNTIME_DOTNET:
		runtime_version__dotnet(view->file, version);
		break;
	case RUNTIME_CPYTHON:
		runtime_version__python(view->process, view->maps, view->file, version);
		break;
	case RUNTIME_RUBY:
		runtime_version__ruby(view->process, view->maps, view->file, version);
		break;
	default:
		break;
	}
}

/* "pid 123 (dotnet) runs .NET 10.0.12. It has no probes, …" */
static void add_advice(const struct process *process, const struct maps *maps,
		       struct runtime *runtime)
{
	struct buf text = BUF_INIT;

	process__describe(process, &text);
	/* The kernel shows no mappings of a process that is just leaving. */
	if (!maps->count) {
		buf__add_str(&text, " has ended while gctrace looked at it");
		runtime->advice = buf__detach(&text, NULL);
		buf__free(&text);
		return;
	}
	if (runtime->kind == RUNTIME_UNKNOWN)
		buf__add_str(&text, " runs no runtime that gctrace knows.");
	else
		buf__printf(&text, " runs %s%s%s.", runtime->name, runtime->version ? " " : "",
			    runtime->version ? escape(runtime->version) : "");
	buf__printf(&text, " %s", advices[runtime->kind]);
	if (runtime->kind == RUNTIME_DOTNET)
		buf__printf(&text, " gctrace -p %d --load-agent (and gctrace run --load-agent for"
			    " one that is started)", process->pid);
	runtime->advice = buf__detach(&text, NULL);
	buf__free(&text);
}

struct runtime *runtime__identify(const struct process *process, const struct maps *maps,
				  const struct modules *modules)
{
	struct view view = { process, maps, modules, NULL };
	struct runtime *runtime = calloc(1, sizeof(*runtime));
	struct buf version = BUF_INIT;

	if (!runtime)
		return NULL;
	runtime->kind = by_probes(&view);
	runtime->has_agent = has_agent(&view);
	runtime->has_probes = runtime->has_agent || runtime->kind != RUNTIME_UNKNOWN;
	if (runtime->kind == RUNTIME_UNKNOWN)
		runtime->kind = by_names(&view);
	if (runtime->kind == RUNTIME_UNKNOWN)
		runtime->kind = by_program(&view, &version);
	if (runtime->kind == RUNTIME_UNKNOWN && runtime->has_agent)
		runtime->kind = RUNTIME_PROBES;
	runtime->name = names[runtime->kind];
	find_version(&view, runtime, &version);
	if (version.len)
		runtime->version = buf__detach(&version, NULL);
	buf__free(&version);
	if (!runtime->has_probes)
		add_advice(process, maps, runtime);
	if (runtime->has_probes || runtime->advice)
		return runtime;
	runtime__free(runtime);
	return NULL;
}

void runtime__free(struct runtime *runtime)
{
	if (!runtime)
		return;
	free(runtime->version);
	free(runtime->collector);
	free(runtime->advice);
	free(runtime);
}
