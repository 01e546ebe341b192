/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_facts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "../attach/target.h"
#include "../base/buf.h"
#include "../base/clock.h"
#include "../base/files.h"
#include "../stream/facts.h"
#include "../target/module.h"
#include "../target/offer.h"
#include "../target/process.h"
#include "../target/runtime.h"
#include "../view/view.h"

static void keep_first(int *result, int err)
{
	if (!*result)
		*result = err;
}

int live_facts__host(struct facts *facts)
{
	struct buf boot_id = BUF_INIT;
	struct utsname host;
	int result = 0;

	keep_first(&result, facts__set_str(facts, "gctrace", GCTRACE_VERSION));
	if (uname(&host) == 0) {
		keep_first(&result, facts__set_str(facts, "kernel", host.release));
		keep_first(&result, facts__set_str(facts, "machine", host.machine));
		keep_first(&result, facts__set_str(facts, "host", host.nodename));
	}
	if (files__read("/proc/sys/kernel/random/boot_id", &boot_id) == 0) {
		size_t len = strcspn(buf__str(&boot_id), "\n");

		keep_first(&result, facts__set(facts, "boot_id", buf__str(&boot_id), len));
	}
	buf__free(&boot_id);
	keep_first(&result, facts__set_i64(facts, "clock_offset_ns", clock__wall_offset_ns()));
	keep_first(&result, facts__set_u64(facts, "started_ns", clock__monotonic_ns()));
	return result;
}

struct writer {
	struct facts *facts;
	uint32_t target;
	int result;
};

/* What is not known is no fact. */
static void set(struct writer *writer, const char *name, const char *value)
{
	if (value && *value)
		keep_first(&writer->result,
			   facts__set_target(writer->facts, writer->target, name, value));
}

static void set_u64(struct writer *writer, const char *name, uint64_t value)
{
	struct buf text = BUF_INIT;

	buf__printf(&text, "%" PRIu64, value);
	keep_first(&writer->result, text.error);
	set(writer, name, buf__str(&text));
	buf__free(&text);
}

static void set_providers(struct writer *writer, unsigned int providers)
{
	struct buf text = BUF_INIT;

	for (int i = 0; i < PROVIDER_COUNT; i++)
		if (providers & 1u << i)
			buf__printf(&text, "%s%s", text.len ? "," : "",
				    provider__name((enum provider)i));
	keep_first(&writer->result, text.error);
	set(writer, "provider", buf__str(&text));
	buf__free(&text);
}

/*
 * The others have no word for it; a JVM has one that can be read, or cannot (attach/cause.h). By a
 * return probe there is one when the JVM puts it in words, which it need not do.
 */
static unsigned int causes_of(const struct target *target)
{
	const unsigned int providers = modules__providers(&target->modules);

	if (providers & 1u << PROVIDER_GCTRACE || target->cause)
		return KNOWN_CAUSES;
	for (size_t i = 0; i < target->links.count; i++)
		if (target->links.items[i].site.at_return && !target->links.items[i].error)
			return KNOWN_SOME_CAUSES;
	return 0;
}

/* A JVM that is starting has not chosen its collector. */
static bool is_settled(const struct runtime *runtime)
{
	return runtime->kind != RUNTIME_HOTSPOT || runtime->collector;
}

/* Built with our header, or with an agent of ours in it: it says what it is, and its collector. */
static bool says_itself(const struct runtime *runtime)
{
	return runtime->kind == RUNTIME_PROBES || runtime->kind == RUNTIME_UNKNOWN ||
	       runtime->kind == RUNTIME_DOTNET;
}

/* Collectors that stop the program for each collection: pools tell of all that became of it. */
static bool pools_tell_fates(const struct runtime *runtime)
{
	return runtime->kind == RUNTIME_HOTSPOT && runtime->collector &&
	       (strcmp(runtime->collector, "Serial") == 0 ||
		strcmp(runtime->collector, "Parallel") == 0 ||
		strcmp(runtime->collector, "G1") == 0);
}

static void set_known(struct writer *writer, const struct target *target)
{
	struct offer offers[OFFER_COUNT];
	unsigned int offered = 0, wanted = 0;

	offers__find(target->runtime, &target->modules, offers);
	offered |= offers[OFFER_COLLECTIONS].available ? KNOWN_COLLECTIONS : 0;
	offered |= offers[OFFER_POOLS].available ? KNOWN_POOLS : 0;
	offered |= offers[OFFER_MOVES].available || offers[OFFER_SURVIVALS].available ? KNOWN_MOVES
										     : 0;
	/* CPython counts what each collection takes away. */
	if (target->runtime->kind == RUNTIME_CPYTHON && offered & KNOWN_COLLECTIONS)
		offered |= KNOWN_DEATHS;
	if (offered & KNOWN_POOLS && pools_tell_fates(target->runtime))
		offered |= KNOWN_FATES;
	if (offers[OFFER_ALLOCATIONS].available && offers__samples_tell_fates(target->runtime))
		offered |= KNOWN_SAMPLES;
	else if (offers[OFFER_ALLOCATIONS].available && target->wanted & LEVEL_ALLOCATIONS &&
		 target->runtime->kind == RUNTIME_HOTSPOT && target->runtime->collector)
		offered |= KNOWN_ALLOCATIONS;
	if (offered & KNOWN_COLLECTIONS)
		offered |= causes_of(target);
	if (target->wanted & LEVEL_COLLECTIONS)
		wanted |= KNOWN_COLLECTIONS | KNOWN_CAUSES | KNOWN_SOME_CAUSES | KNOWN_DEATHS;
	/* .NET says more of a cause than "explicit" only in a session's events. */
	if (target->runtime->kind == RUNTIME_DOTNET && !target__wants_moves(target))
		wanted &= ~(unsigned int)KNOWN_CAUSES;
	wanted |= target->wanted & LEVEL_POOLS ? KNOWN_POOLS | KNOWN_FATES : 0;
	wanted |= target->wanted & LEVEL_ALLOCATIONS ? KNOWN_SAMPLES | KNOWN_ALLOCATIONS : 0;
	wanted |= target__wants_moves(target) ? KNOWN_MOVES : 0;
	set_u64(writer, "known", offered & wanted);
	set_u64(writer, "on_request", offered & ~wanted);
}

int live_facts__target(struct facts *facts, const struct target *target)
{
	struct writer writer = { facts, target->index, 0 };
	const struct process *process = target->process;

	set_u64(&writer, "pid", (uint64_t)process->pid);
	set_u64(&writer, "start_ticks", process->start_ticks);
	set(&writer, "comm", process->comm);
	set(&writer, "exe", process->exe);
	/* One that has just joined has not been looked into yet. */
	if (!target->runtime && target->attached_ns)
		set_u64(&writer, "attached_ns", target->attached_ns);
	if (!target->runtime)
		return writer.result;
	if (!says_itself(target->runtime))
		set(&writer, "runtime", target->runtime->name);
	set(&writer, "version", target->runtime->version);
	set(&writer, "collector", target->runtime->collector);
	set_u64(&writer, "settled", is_settled(target->runtime));
	set_providers(&writer, modules__providers(&target->modules));
	set_u64(&writer, "attached_ns",
		target->attached_ns ? target->attached_ns : clock__monotonic_ns());
	if (target->stop_what) {
		set(&writer, "stopped_for", target->stop_what);
		if (target->stop_since_ns)
			set_u64(&writer, "stopped_since_ns", target->stop_since_ns);
	}
	if (target->stop_not_visible)
		set_u64(&writer, "stopped_not_visible", 1);
	set_known(&writer, target);
	return writer.result;
}
