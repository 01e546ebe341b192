/* SPDX-License-Identifier: BSD-2-Clause */
#include "owner.h"

#include <string.h>

#include "gctrace/wire.h"
#include "heap_groups.h"

/* What may be said of an object as an owner, the better the higher. */
enum standing { STANDING_NONE, STANDING_UNKNOWN, STANDING_PLATFORM, STANDING_APPLICATION };

/* Is it this package, or one in it? */
static bool is_in(struct text package, const char *name)
{
	const size_t bytes = strlen(name);

	return package.bytes >= bytes && !memcmp(package.at, name, bytes) &&
	       (package.bytes == bytes || package.at[bytes] == '.' || package.at[bytes] == '/');
}

static bool is_in_any(struct text package, const char *const *names)
{
	for (; *names; names++)
		if (is_in(package, *names))
			return true;
	return false;
}

static bool is_of_platform(struct text package)
{
	static const char *const platforms[] = { "System",	"Microsoft", "Internal", "java",
						 "javax",	"jdk",	     "sun",	 "com.sun",
						 "com/sun",	"kotlin",    "scala",	 NULL };

	return is_in_any(package, platforms);
}

static bool is_collection(struct text package)
{
	static const char *const collections[] = { "System.Collections", "java.util", "java/util",
						   "scala.collection", "kotlin.collections",
						   NULL };

	return is_in_any(package, collections);
}

static struct heap_type type_of(const struct heap *heap, uint32_t place)
{
	return heap_types__at(heap__types(heap), heap__type(heap, place));
}

bool owner__is_class_object(const struct heap *heap, uint32_t place)
{
	static const char name[] = "java.lang.Class";
	struct text type;

	if (heap__is_node(heap, place))
		return false;
	type = type_of(heap, place).name;
	return type.bytes == sizeof(name) - 1 && !memcmp(type.at, name, type.bytes);
}

bool owner__is_static(const struct heap *heap, uint32_t from, uint32_t to)
{
	struct heap_place place;
	uint64_t at;

	if (!owner__is_class_object(heap, from) || !heap__field(heap, from, to, &at) ||
	    at == EVENT_UNKNOWN || at == PLACE_DEPENDENT)
		return false;
	place = heap__place(heap, from, at);
	return place.field.bytes && memchr(place.field.at, '.', place.field.bytes);
}

bool owner__is_collection(const struct heap *heap, uint32_t place)
{
	const struct heap_type type = type_of(heap, place);

	return !(type.flags & GCTRACE_CLASS_ARRAY) &&
	       is_collection(heap_groups__package(type.name));
}

/* The object above, if it keeps hardly more than `bytes`, and not by a static; HEAP_NONE. */
static uint32_t next_above(const struct heap *heap, uint32_t place, uint64_t bytes)
{
	const uint32_t above = heap__dominator(heap, place);

	if (above == HEAP_NONE || heap__is_node(heap, above) ||
	    owner__is_class_object(heap, above) ||
	    heap__retained(heap, above) - bytes > bytes / OWNER_PART)
		return HEAP_NONE;
	return above;
}

/* Where the platform's types have packages, one without is the program's. */
static bool have_packages(const struct heap *heap, uint32_t place)
{
	const uint64_t bytes = heap__retained(heap, place);

	for (; place != HEAP_NONE; place = next_above(heap, place, bytes))
		if (is_of_platform(heap_groups__package(type_of(heap, place).name)))
			return true;
	return false;
}

static enum standing standing_of(const struct heap *heap, uint32_t place, bool packages)
{
	const struct heap_type type = type_of(heap, place);
	const struct text package = heap_groups__package(type.name);

	if (type.flags & GCTRACE_CLASS_ARRAY || is_collection(package))
		return STANDING_NONE;
	if (!type.name.bytes || (!package.bytes && !packages))
		return STANDING_UNKNOWN;
	return is_of_platform(package) ? STANDING_PLATFORM : STANDING_APPLICATION;
}

/* The nearest of the best standing; of those that nothing is known of, the uppermost. */
uint32_t owner__of(const struct heap *heap, uint32_t place)
{
	const uint64_t bytes = heap__retained(heap, place);
	const bool packages = have_packages(heap, place);
	enum standing best = STANDING_NONE, standing;
	uint32_t owner = place;

	for (; place != HEAP_NONE; place = next_above(heap, place, bytes)) {
		standing = standing_of(heap, place, packages);
		if (standing < best || (standing == best && best > STANDING_UNKNOWN))
			continue;
		best = standing;
		owner = place;
	}
	return owner;
}

uint32_t owner__of_structure(const struct heap *heap, uint32_t place)
{
	const uint64_t bytes = heap__retained(heap, place);
	const uint32_t above = next_above(heap, place, bytes);
	uint32_t owner;

	if (above == HEAP_NONE)
		return owner__of(heap, place);
	owner = owner__of(heap, above);
	return standing_of(heap, owner, have_packages(heap, place)) >=
			       standing_of(heap, place, have_packages(heap, place)) ?
		       owner :
		       place;
}
