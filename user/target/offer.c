/* SPDX-License-Identifier: BSD-2-Clause */
#include "offer.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "runtime.h"

static const char *const level_names[OFFER_COUNT] = {
	[OFFER_COLLECTIONS] = "collections",
	[OFFER_POOLS] = "pools",
	[OFFER_MOVES] = "moves",
	[OFFER_SURVIVALS] = "survivals",
	[OFFER_DUMP] = "dump",
	[OFFER_ALLOCATIONS] = "allocations",
};

/* What one kind of runtime tells of a level. */
struct row {
	const char *provider, *probe; /* that is needed for it; NULL: no probe would do */
	const char *text;             /* with the probe: what it tells; else why there is none */
	const char *lacking; /* why the probe is not there; NULL: the runtime's build lacks it */
};

#define NO_AGENT "needs an agent in the runtime, which this version of gctrace does not have"

static const struct row hotspot[OFFER_COUNT] = {
	[OFFER_COLLECTIONS] = { "hotspot", "gc__begin",
				.text = "start, end and operation of every pause, and its cause"
					" where the JVM tells it" },
	[OFFER_POOLS] = { "hotspot", "mem__pool__gc__end",
			  .text = "used, committed and maximum of every pool, before and after" },
	[OFFER_MOVES] = { "gctrace", "request__moves",
			  .text = "of young collections of G1, Parallel and Serial, with"
				  " --exact-moves",
			  .lacking = "needs gctrace's agent in the JVM (--load-agent), and"
				     " --exact-moves" },
	[OFFER_SURVIVALS] = { .text = "told as moves" },
	[OFFER_DUMP] = { "gctrace", "request__dump",
			 .text = "objects, references with their fields, roots and classes",
			 .lacking = "needs gctrace's agent in the JVM (--load-agent); gctrace heap"
				    " --via jvm has the JVM make its own" },
	[OFFER_ALLOCATIONS] = { "gctrace", "object__alloc",
				.text = "samples of new objects, and what becomes of them (gctrace"
					" follow --by site)",
				.lacking = "needs gctrace's agent in the JVM (--load-agent)" },
};

static const struct row python[OFFER_COUNT] = {
	[OFFER_COLLECTIONS] = { "python", "gc__done",
				.text = "start, end, generation and number of objects collected" },
	[OFFER_POOLS] = { .text = "CPython's probes tell no sizes" },
	[OFFER_MOVES] = { .text = "CPython never moves an object" },
	[OFFER_SURVIVALS] = { .text = "CPython's probes do not tell them" },
	[OFFER_DUMP] = { .text = "CPython's probes do not tell objects" },
	[OFFER_ALLOCATIONS] = { .text = "CPython's probes do not tell them" },
};

static const struct row ruby[OFFER_COUNT] = {
	[OFFER_COLLECTIONS] = { "ruby", "gc__mark__begin",
				.text = "start and end of marking and sweeping" },
	[OFFER_POOLS] = { .text = "Ruby's probes tell no sizes" },
	[OFFER_MOVES] = { .text = "Ruby's probes do not tell them" },
	[OFFER_SURVIVALS] = { .text = "Ruby's probes do not tell them" },
	[OFFER_DUMP] = { .text = "Ruby's probes do not tell references;"
				 " ObjectSpace.dump_all writes a dump" },
	[OFFER_ALLOCATIONS] = { .text = "not used by this version of gctrace" },
};

static const struct row probes[OFFER_COUNT] = {
	[OFFER_COLLECTIONS] = { "gctrace", "gc__start",
				.text = "start, end, generations and cause of every collection, and"
					" its pauses" },
	[OFFER_POOLS] = { "gctrace", "batch",
			  .text = "sizes of pools and generations, as far as the runtime reports"
				  " them" },
	[OFFER_MOVES] = { "gctrace", "moved__references",
			  .text = "from where to where, with --moves" },
	[OFFER_SURVIVALS] = { "gctrace", "surviving__references",
			      .text = "what stayed where it is, with --moves" },
	[OFFER_DUMP] = { "gctrace", "request__dump",
			 .text = "objects, references, roots and classes, where the runtime serves"
				 " requests" },
	[OFFER_ALLOCATIONS] = { "gctrace", "object__alloc",
				.text = "samples of new objects, as far as the runtime reports"
					" them" },
};

/* The probe is there, as all of probes.h are, but nobody fires it. */
static const struct row dotnet_allocations = { .text = "gctrace's agent in .NET does not sample"
						       " them" };

static const struct row *rows_of(const struct runtime *runtime)
{
	switch (runtime->kind) {
	case RUNTIME_PROBES:
	case RUNTIME_DOTNET: /* by the agent, which is as any runtime with probes.h, but for one */
		return probes;
	case RUNTIME_HOTSPOT:
		return hotspot;
	case RUNTIME_CPYTHON:
		return python;
	case RUNTIME_RUBY:
		return ruby;
	default:
		return NULL;
	}
}

/* NULL: nothing of the runtime can be used as it is. */
static const struct row *row_of(const struct runtime *runtime, enum offer_level level)
{
	const struct row *rows = runtime->has_probes ? rows_of(runtime) : NULL;

	if (runtime->kind == RUNTIME_DOTNET && level == OFFER_ALLOCATIONS)
		return &dotnet_allocations;
	return rows ? &rows[level] : NULL;
}

static const char *why_none(const struct runtime *runtime)
{
	return runtime->kind == RUNTIME_DOTNET ? "needs gctrace's agent: add --load-agent" :
						 "it has no probes";
}

void offers__find(const struct runtime *runtime, const struct modules *modules,
		  struct offer offers[OFFER_COUNT])
{
	for (int i = 0; i < OFFER_COUNT; i++) {
		const struct row *row = row_of(runtime, (enum offer_level)i);
		struct offer *offer = &offers[i];

		*offer = (struct offer){ .name = level_names[i], .text = why_none(runtime) };
		if (!row)
			continue;
		offer->text = row->text;
		if (!row->probe)
			continue;
		offer->probe = row->probe;
		offer->available = modules__find(modules, row->provider, row->probe, NULL) != NULL;
		if (!offer->available)
			offer->text = row->lacking ? row->lacking :
						     "this build of the runtime lacks the probe for"
						     " it";
	}
}

bool offers__tell_births(const struct runtime *runtime, const struct offer offers[OFFER_COUNT])
{
	return runtime->kind != RUNTIME_HOTSPOT && offers[OFFER_ALLOCATIONS].available &&
	       (offers[OFFER_MOVES].available || offers[OFFER_SURVIVALS].available);
}

/*
 * ZGC has generations since Java 21, if it is told to, and always has since 24: then only rare
 * collections find dead samples (model/sampled.c).
 */
static bool may_have_generations(const struct runtime *runtime)
{
	const long version = runtime->version ? strtol(runtime->version, NULL, 10) : 0;

	return version <= 0 || version >= 21;
}

bool offers__samples_tell_fates(const struct runtime *runtime)
{
	return runtime->kind == RUNTIME_HOTSPOT && runtime->collector &&
	       (strcmp(runtime->collector, "ZGC") != 0 || !may_have_generations(runtime));
}
