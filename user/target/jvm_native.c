/* SPDX-License-Identifier: BSD-2-Clause */
#include "jvm_native.h"

#include <string.h>

#include "maps.h"
#include "stack_view.h"
#include "symbols.h"
#include "walker.h"

#define WORDS_MOST 4096 /* of stack that are looked through */

bool jvm_native__loads(const char *function)
{
	static const char *const parts[] = {
		"ClassLoader",	"SystemDictionary", "ClassFileParser", "ClassFileStream",
		"KlassFactory", "Rewriter",	    "ClassVerifier",   "StackMapTable",
		"link_class",	"Dictionary",
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(function, parts[i]))
			return true;
	return false;
}

static bool is_same_file(const struct map *a, const struct map *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor;
}

void jvm_native__use(struct jvm_native *native, const struct maps *maps)
{
	const struct map *library = maps__named(maps, "libjvm.so");

	native->start = native->end = 0;
	for (size_t i = 0; library && i < maps->count; i++) {
		const struct map *map = &maps->entries[i];

		if (!map->execute || !is_same_file(map, library))
			continue;
		if (!native->end)
			native->start = map->start;
		native->end = map->end;
	}
}

enum calls { CALLS_NONE, CALLS_JVM, CALLS_LOADER };

static enum calls call_at(const struct jvm_native *native, uint64_t address)
{
	struct symbol_found found;

	if (address < native->start || address >= native->end)
		return CALLS_NONE;
	symbols__find(native->symbols, address, &found);
	return found.function && found.inside && jvm_native__loads(found.function) ?
		       CALLS_LOADER : CALLS_JVM;
}

/* The most that there is from sp to where Java code was left; what cannot be read may be any. */
static enum calls calls_on_stack(const struct jvm_native *native,
				 const struct caught_thread *thread, uint64_t left)
{
	enum calls most = call_at(native, thread->ip), call;
	uint64_t word, at = thread->sp & ~(uint64_t)7;
	struct stack_view view;
	bool lasting;

	/* Who has left no Java code is the JVM's, or it has gone back there since. */
	if (left < at)
		return most == CALLS_NONE ? CALLS_JVM : most;
	stack_view__init(&view, thread, native->memory);
	for (size_t words = 0; at < left && most != CALLS_LOADER; at += sizeof(word), words++) {
		if (words == WORDS_MOST || stack_view__word(&view, at, &word, &lasting))
			return CALLS_JVM;
		call = call_at(native, word - 1); /* a return address is behind the call */
		if (call > most)
			most = call;
	}
	return most;
}

void jvm_native__place(const struct jvm_native *native, const struct caught_thread *thread,
		       struct walk *walk)
{
	const uint64_t left = walk->frames.count ? walk->frames.items[0].sp : 0;
	const enum calls calls = calls_on_stack(native, thread, left);

	if (!walk->place_guessed)
		walk->place_lasting = calls == CALLS_NONE;
	else if (calls == CALLS_LOADER)
		walk->place = PLACE_LOADER;
}
