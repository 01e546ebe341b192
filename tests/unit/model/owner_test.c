/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose is what accumulates: chains of owners, each keeping all that is below it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dump.h"
#include "gctrace/wire.h"
#include "model/owner.h"
#include "unit/random.h"

enum { MOST = 16, AT = 0x1000, AT_ENTRIES = 0x10000, ENTRIES = 50, ENTRY_BYTES = 100 };

struct link {
	const char *type;
	uint64_t besides; /* bytes that it keeps and those below it do not */
};

static uint64_t address_of(size_t i)
{
	return AT + i * 0x100;
}

static void tell_link(struct heap_builder *builder, const struct link *link, size_t i)
{
	const size_t bytes = strlen(link->type);
	const bool is_array = bytes > 2 && !strcmp(link->type + bytes - 2, "[]");

	dump__class(builder, i + 1, link->type, "", 0, is_array ? GCTRACE_CLASS_ARRAY : 0);
	dump__refer(builder, address_of(i), i + 1, 8 + link->besides, { address_of(i + 1) });
}

/* A chain from a root down to what has many small pieces below it, its last. */
static struct heap *chain(const struct link *links, size_t count)
{
	struct heap_builder *builder = heap_builder__new(0);
	uint64_t entries[ENTRIES];

	dump__begin(builder);
	dump__root(builder, GCTRACE_C_STATIC, 1, AT, GCTRACE_ROOT_STATIC, 0, 0);
	for (size_t i = 0; i + 1 < count; i++)
		tell_link(builder, &links[i], i);
	for (size_t i = 0; i < ENTRIES; i++)
		entries[i] = AT_ENTRIES + i * 0x100;
	dump__class(builder, count, links[count - 1].type, "", 0, GCTRACE_CLASS_ARRAY);
	dump__object(builder, &(struct told){ address_of(count - 1), count, 8, entries, ENTRIES, 0,
					      0, 0, false });
	for (size_t i = 0; i < ENTRIES; i++)
		dump__leaf(builder, entries[i], MOST + 1, ENTRY_BYTES);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

#define expect_owner(index, ...)                                                              \
	expect_owner_of((const struct link[])__VA_ARGS__,                                      \
			sizeof((const struct link[])__VA_ARGS__) / sizeof(struct link), index)

static void expect_owner_of(const struct link *links, size_t count, size_t index)
{
	struct heap *heap = chain(links, count);

	assert_int_equal(owner__of(heap, place_of(heap, address_of(count - 1))),
			 place_of(heap, address_of(index)));
	heap__free(heap);
}

static void the_nearest_that_the_authors_wrote_is(void **state)
{
	(void)state;
	expect_owner(1, { { "Microsoft.DependencyInjection.ServiceProvider", 0 },
			  { "Shop.Carts.CartCache", 0 },
			  { "System.Collections.Generic.Dictionary<System.Int32, Shop.Cart>", 0 },
			  { "Shop.Entry[]", 0 } });
	expect_owner(2, { { "Shop.Application", 0 }, { "Shop.Session", 0 }, { "Shop.Cache", 0 },
			  { "java.util.HashMap", 0 }, { "java.util.HashMap$Node[]", 0 } });
	expect_owner(0, { { "shop.OrderCache", 0 }, { "HashMap", 0 }, { "HashMap.Entry[]", 0 } });
}

/* A program without namespaces: its types are those that are none of the platform's. */
static void what_has_no_package_is_the_programs_where_the_platforms_have(void **state)
{
	(void)state;
	expect_owner(1, { { "Microsoft.Host", 0 }, { "CartCache", 0 },
			  { "System.Collections.Generic.List<Cart>", 0 }, { "Cart[]", 0 } });
	expect_owner(0, { { "Owner", 0 }, { "Between", 0 }, { "Table[]", 0 } });
}

static void the_platforms_own_cache_is_one_too(void **state)
{
	(void)state;
	expect_owner(1, { { "Microsoft.DependencyInjection.ServiceProvider", 0 },
			  { "Microsoft.Caching.MemoryCache", 0 },
			  { "System.Collections.Concurrent.ConcurrentDictionary<A, B>", 0 },
			  { "System.Collections.Concurrent.Node[]", 0 } });
}

static void who_keeps_much_more_is_not(void **state)
{
	(void)state;
	expect_owner(1, { { "shop.Everything", 2000 }, { "java.lang.Thread", 0 },
			  { "java.util.HashMap", 0 }, { "java.util.HashMap$Node[]", 0 } });
	expect_owner(1, { { "shop.Everything", 2000 }, { "java.util.HashMap", 0 },
			  { "java.util.HashMap$Node[]", 0 } });
}

/* A loader holds its classes, and is not to blame for what their statics hold. */
static void what_a_static_holds_in_a_class_object_is_nobody_elses(void **state)
{
	(void)state;
	expect_owner(3, { { "org.server.WebappClassLoader", 0 }, { "java.util.ArrayList", 0 },
			  { "java.lang.Class", 0 }, { "java.util.HashMap", 0 },
			  { "java.util.HashMap$Node[]", 0 } });
	expect_owner(2, { { "org.server.WebappClassLoader", 0 }, { "java.lang.Class", 0 },
			  { "shop.Cache", 0 }, { "java.util.HashMap", 0 },
			  { "java.util.HashMap$Node[]", 0 } });
	expect_owner(0, { { "shop.Classes", 0 }, { "java.lang.ClassValue", 0 },
			  { "java.util.HashMap$Node[]", 0 } });
}

/* By its definition: what a link is, its number in `types` says, the first two are collections. */
static const char *const types[] = { "X[]", "System.Collections.List<A>", "System.Host", "app.A" };

/* How many links, from the last one up, keep hardly more than it does. */
static size_t reach(const struct link *links, size_t count)
{
	const uint64_t least = 8 + ENTRIES * ENTRY_BYTES;
	uint64_t bytes = least;
	size_t reached = 1;

	for (; reached < count; reached++) {
		bytes += 8 + links[count - 1 - reached].besides;
		if (bytes - least > least / OWNER_PART)
			break;
	}
	return reached;
}

static size_t expected_owner(const struct link *links, size_t count)
{
	const size_t reached = reach(links, count);

	for (size_t type = 3; type >= 2; type--)
		for (size_t i = count; i-- > count - reached;)
			if (links[i].type == types[type])
				return i;
	return count - reached;
}

static void it_is_who_the_definition_says(void **state)
{
	uint64_t seed = 47;

	(void)state;
	for (int round = 0; round < 500; round++) {
		const size_t count = 2 + random__below(&seed, MOST - 2);
		struct link links[MOST];

		for (size_t i = 0; i < count; i++) {
			links[i].type = types[random__below(&seed, 4)];
			links[i].besides = random__chance(&seed, 75) ? 0 :
								       random__below(&seed, 800);
		}
		links[count - 1] = (struct link){ types[0], 0 };
		expect_owner_of(links, count, expected_owner(links, count));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_that_the_authors_wrote_is),
		cmocka_unit_test(what_has_no_package_is_the_programs_where_the_platforms_have),
		cmocka_unit_test(the_platforms_own_cache_is_one_too),
		cmocka_unit_test(who_keeps_much_more_is_not),
		cmocka_unit_test(what_a_static_holds_in_a_class_object_is_nobody_elses),
		cmocka_unit_test(it_is_who_the_definition_says),
	};

	return cmocka_run_group_tests_name("model/owner", tests, NULL, NULL);
}
