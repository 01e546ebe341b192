/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "model/heap_builder.h"
#include "model/heap_groups.h"
#include "model/heap_histogram.h"

static void a_package_is_what_stands_before_the_last_separator(void **state)
{
	static const struct {
		const char *name, *package;
	} of[] = {
		{ "java.util.HashMap", "java.util" },
		{ "java.util.Map$Entry[]", "java.util" },
		{ "java/util/HashMap", "java/util" },
		{ "Net::HTTP::Get", "Net::HTTP" },
		{ "Map.Entry", "Map" },
		{ "System.Collections.List<System.String>", "System.Collections" },
		{ "A.B`2[[C.D, e],[F.G]]", "A" },
		{ "a.b(c.d)", "a" },
		{ "byte[]", "" },
		{ "Object", "" },
		{ "(free.list)", "" },
		{ "[[Lshop/Order;", "shop" },
		{ "[I", "" },
		{ ".hidden", "" },
		{ "trailing.", "trailing" },
		{ "::Top", "" },
		{ "one:two", "" },
		{ ":", "" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		const struct text name = { of[i].name, strlen(of[i].name) };
		const struct text package = heap_groups__package(name);

		assert_int_equal(package.bytes, strlen(of[i].package));
		assert_memory_equal(package.at, of[i].package, package.bytes);
	}
}

/* ---------------------------------------------------------------- of a heap */

static struct heap_builder *builder;

static void add_class(uint64_t number, const char *name, const char *loader)
{
	struct event event = { .kind = EVENT_CLASS };

	event.class_.class_ = number;
	event.class_.name = (struct text){ name, strlen(name) };
	assert_int_equal(heap_builder__event(builder, &event), 0);
	if (!loader)
		return;
	event = (struct event){ .kind = EVENT_DEFINE };
	event.define.space = GCTRACE_SPACE_LOADER;
	event.define.id = number;
	event.define.name = (struct text){ loader, strlen(loader) };
	assert_int_equal(heap_builder__event(builder, &event), 0);
}

static void add_object(uint64_t address, uint64_t class_)
{
	struct event event = { .kind = EVENT_OBJECT };

	event.object.id = address;
	event.object.class_ = class_;
	event.object.size = 16;
	assert_int_equal(heap_builder__event(builder, &event), 0);
}

static struct heap *heap;

static int make_heap(void **state)
{
	(void)state;
	builder = heap_builder__new(0);
	add_class(1, "shop.Order", "app");
	add_class(2, "shop.Line", "app");
	add_class(3, "web.Session", "boot");
	add_class(4, "byte[]", NULL);
	add_class(5, "shop.Unused", "app");
	for (uint64_t i = 0; i < 4; i++)
		add_object(0x1000 + 16 * i, i + 1);
	assert_int_equal(heap_builder__finish(builder, &heap), 0);
	return 0;
}

static int free_heap(void **state)
{
	(void)state;
	heap__free(heap);
	heap_builder__free(builder);
	return 0;
}

static void assert_group(const struct heap_groups *groups, uint64_t class_, const char *name,
			 uint64_t types)
{
	const uint32_t type = heap_types__known(heap__types(heap), class_);
	const struct heap_group *group = &groups->groups.items[groups->of[type]];

	assert_int_equal(group->name.bytes, strlen(name));
	assert_memory_equal(group->name.at, name, group->name.bytes);
	assert_int_equal(group->types, types);
}

static void types_are_put_together(void **state)
{
	struct heap_groups groups;

	(void)state;
	assert_int_equal(heap_groups__make(&groups, heap, HEAP_BY_PACKAGE), 0);
	assert_group(&groups, 1, "shop", 2);
	assert_group(&groups, 2, "shop", 2);
	assert_group(&groups, 3, "web", 1);
	assert_group(&groups, 4, "", 1);
	assert_true(heap_groups__has_names(&groups));
	heap_groups__exclude(&groups, heap, heap_types__known(heap__types(heap), 1));
	assert_group(&groups, 2, "shop", 1);
	heap_groups__free(&groups);
	assert_int_equal(heap_groups__make(&groups, heap, HEAP_BY_LOADER), 0);
	assert_group(&groups, 1, "app", 2);
	assert_group(&groups, 3, "boot", 1);
	assert_group(&groups, 4, "", 1);
	assert_true(heap_groups__has_names(&groups));
	heap_groups__free(&groups);
}

static void what_no_class_tells_has_no_names(void **state)
{
	struct heap_groups groups;

	(void)state;
	assert_int_equal(heap_groups__make(&groups, heap, HEAP_BY_MODULE), 0);
	assert_false(heap_groups__has_names(&groups));
	heap_groups__free(&groups);
}

static void by_type_each_is_its_own(void **state)
{
	struct heap_groups groups;

	(void)state;
	assert_int_equal(heap_groups__make(&groups, heap, HEAP_BY_TYPE), 0);
	assert_int_equal(groups.groups.count, heap__types(heap)->count);
	for (uint32_t i = 0; i < groups.groups.count; i++)
		assert_int_equal(groups.of[i], i);
	heap_groups__free(&groups);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_package_is_what_stands_before_the_last_separator),
		cmocka_unit_test(types_are_put_together),
		cmocka_unit_test(what_no_class_tells_has_no_names),
		cmocka_unit_test(by_type_each_is_its_own),
	};

	return cmocka_run_group_tests(tests, make_heap, free_heap);
}
