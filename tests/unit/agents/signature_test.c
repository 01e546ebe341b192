/* SPDX-License-Identifier: BSD-2-Clause */
/* Types in signatures become the classes of an invented runtime, or it is not known which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "agents/dotnet/signature.c"

#include <stdlib.h>
#include <string.h>

struct clr clr;

/* A class's number is the index of its name, "MODULE.TYPE<ARGUMENTS>", + 1. */
static char classes[64][128];
static unsigned class_count;

enum { CORE = 1, LIBRARY, PLUGIN, MODULES = 3 };

static uintptr_t class_named(const char *name)
{
	for (unsigned i = 0; i < class_count; i++)
		if (!strcmp(classes[i], name))
			return i + 1;
	snprintf(classes[class_count++], sizeof(classes[0]), "%s", name);
	return class_count;
}

static HRESULT get_class_from_token(void *self, uintptr_t module, uint32_t token, uintptr_t *class_)
{
	char name[128];

	(void)self;
	snprintf(name, sizeof(name), "%u.%u", (unsigned)module, token & 0xffffff);
	*class_ = class_named(name);
	return S_OK;
}

static HRESULT get_class_from_token_and_type_args(void *self, uintptr_t module, uint32_t token,
						  uint32_t count, const uintptr_t *arguments,
						  uintptr_t *class_)
{
	char name[128];
	size_t used;

	(void)self;
	used = (size_t)snprintf(name, sizeof(name), "%u.%u", (unsigned)module, token & 0xffffff);
	for (uint32_t i = 0; i < count; i++)
		used += (size_t)snprintf(name + used, sizeof(name) - used, "%c%s", i ? ',' : '<',
					 classes[arguments[i] - 1]);
	snprintf(name + used, sizeof(name) - used, ">");
	*class_ = class_named(name);
	return S_OK;
}

/* Every class has two arguments: Node and Key of the library. */
static HRESULT get_class_id_info2(void *self, uintptr_t class_, uintptr_t *module, uint32_t *token,
				  uintptr_t *parent, uint32_t room, uint32_t *count,
				  uintptr_t *arguments)
{
	(void)self;
	(void)class_;
	(void)module;
	(void)token;
	(void)parent;
	assert_true(room >= 2);
	*count = 2;
	arguments[0] = class_named("Node");
	arguments[1] = class_named("Key");
	return S_OK;
}

/* ---- Metadata: types by name, and what modules call those of others ---- */

static const struct {
	unsigned module;
	const char *name;
	uint32_t enclosing, type;
} types[] = {
	{ CORE, "System.Int32", 0, 0x02000007 },   { CORE, "System.Object", 0, 0x02000001 },
	{ CORE, "System.Pair`2", 0, 0x02000020 },  { CORE, "Inner", 0x02000020, 0x02000021 },
	{ CORE, "System.Nullable`1", 0, 0x02000030 }, { CORE, "Twice", 0, 0x02000040 },
	{ LIBRARY, "Twice", 0, 0x02000041 },	   { PLUGIN, "Going", 0, 0x02000050 },
};

static const struct {
	const char *name;
	uint32_t scope;
} references[] = {
	{ NULL, 0 },
	{ "System.Pair`2", 0x23000001 },
	{ "Inner", 0x01000001 },
	{ "System.Nullable`1", 0x23000001 },
	{ "Twice", 0x23000001 },
	{ "Going", 0x23000002 },
	{ "Nobody", 0x23000002 },
};

static unsigned searches;

struct metadata_of {
	const struct metadata_table *table;
	unsigned module;
};

static bool is_name(const uint16_t *name, const char *text)
{
	while (*text && *name == (uint16_t)*text)
		name++, text++;
	return *name == (uint16_t)*text;
}

static HRESULT find_type_def_by_name(void *self, const uint16_t *name, uint32_t enclosing,
				     uint32_t *type)
{
	const struct metadata_of *of = self;

	searches++;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].module != of->module || types[i].enclosing != enclosing ||
		    !is_name(name, types[i].name))
			continue;
		*type = types[i].type;
		return S_OK;
	}
	return E_FAIL;
}

static HRESULT get_type_ref_props(void *self, uint32_t reference, uint32_t *scope, uint16_t *name,
				  uint32_t room, uint32_t *units)
{
	const char *text;

	(void)self;
	(void)room;
	reference &= 0xffffff;
	if (reference >= sizeof(references) / sizeof(references[0]) || !reference)
		return E_FAIL;
	text = references[reference].name;
	*scope = references[reference].scope;
	*units = (uint32_t)strlen(text) + 1;
	for (uint32_t i = 0; i < *units; i++)
		name[i] = (uint16_t)text[i];
	return S_OK;
}

static const struct metadata_table metadata_table = {
	.find_type_def_by_name = find_type_def_by_name,
	.get_type_ref_props = get_type_ref_props,
};

static struct metadata_of metadata[] = {
	{ &metadata_table, CORE }, { &metadata_table, LIBRARY }, { &metadata_table, PLUGIN }
};

static struct module modules[MODULES];

uint32_t modules__count(void)
{
	return MODULES;
}

const struct module *modules__at(uint32_t index)
{
	return &modules[index];
}

struct metadata *modules__import(uintptr_t module)
{
	return modules[module - 1].import;
}

static int begin(void **state)
{
	(void)state;
	for (unsigned i = 0; i < MODULES; i++)
		modules[i] = (struct module){
			.entry.key = i + 1,
			.import = (struct metadata *)&metadata[i],
			.may_unload = i + 1 == PLUGIN,
		};
	signature__empty();
	searches = 0;
	return 0;
}

/* ---- */

static void expect(const char *signature, size_t bytes, const char *name)
{
	uint8_t *exact = malloc(bytes ? bytes : 1);
	uintptr_t class_;

	memcpy(exact, signature, bytes);
	class_ = signature__class(payload__of(exact, bytes), LIBRARY, 99);
	free(exact);
	if (!name)
		assert_int_equal(class_, 0);
	else
		assert_string_equal(class_ ? classes[class_ - 1] : "not known", name);
}

static void types_of_the_same_module_are_had_by_token(void **state)
{
	(void)state;
	expect("\x11\x10", 2, "2.4");
	expect("\x12\x81\x00", 3, "2.64");
}

static void parameters_are_those_of_the_class(void **state)
{
	(void)state;
	expect("\x13\x00", 2, "Node");
	expect("\x13\x01", 2, "Key");
	expect("\x13\x02", 2, NULL);
}

static void types_of_other_modules_are_had_by_name(void **state)
{
	(void)state;
	expect("\x11\x05", 2, "1.32");
	expect("\x11\x09", 2, "1.33"); /* nested */
	expect("\x08", 1, "1.7");
	expect("\x1c", 1, "1.1");
}

static void a_name_is_looked_for_once(void **state)
{
	(void)state;
	expect("\x11\x05", 2, "1.32");
	assert_true(searches);
	searches = 0;
	expect("\x11\x05", 2, "1.32");
	assert_int_equal(searches, 0);
}

static void what_two_modules_define_or_none_that_stays_is_not_known(void **state)
{
	(void)state;
	expect("\x11\x11", 2, NULL);
	expect("\x11\x15", 2, NULL);
	expect("\x11\x19", 2, NULL);
	expect("\x0d", 1, NULL); /* no such number in this runtime */
}

static void generic_ones_have_their_arguments(void **state)
{
	(void)state;
	expect("\x15\x11\x05\x02\x13\x00\x08", 7, "1.32<Node,1.7>");
	expect("\x15\x11\x05\x02\x15\x11\x0d\x01\x08\x15\x11\x0d\x01\x13\x01", 15,
	       "1.32<1.48<1.7>,1.48<Key>>");
	expect("\x15\x11\x0d\x01\x15\x11\x0d\x01\x15\x12\x0c\x01\x1c", 13,
	       "1.48<1.48<2.3<1.1>>>");
}

static void what_is_cut_off_or_cannot_be_had_is_not_known(void **state)
{
	static const char whole[] = "\x15\x11\x05\x02\x13\x00\x15\x11\x0d\x01\x08";

	(void)state;
	for (size_t bytes = 0; bytes < sizeof(whole) - 1; bytes++)
		expect(whole, bytes, NULL);
	expect(whole, sizeof(whole) - 1, "1.32<Node,1.48<1.7>>");
	expect("\x1d\x08", 2, NULL);			 /* int[] */
	expect("\x15\x11\x05\x02\x08\x1d\x08", 7, NULL); /* Pair<int, int[]> */
	expect("\x15\x11\x05\x00", 4, NULL);
	expect("\x11\x00", 2, NULL);
	expect("\x11\xc8\x00\x00\x01", 5, NULL); /* rows that no table has */
	expect("\x11\xc4\x00\x00\x05", 5, NULL);
	expect("\x11\xc4\x00\x00\x04", 5, NULL);
}

static void what_never_ends_ends(void **state)
{
	char deep[4 * 100];

	(void)state;
	for (size_t i = 0; i < sizeof(deep); i += 4)
		memcpy(deep + i, "\x15\x11\x0d\x01", 4);
	expect(deep, sizeof(deep), NULL);
	memset(deep, 0x08, sizeof(deep));
	memcpy(deep, "\x15\x11\x05\xc0\x00\xff\xff", 7); /* 65,535 arguments */
	expect(deep, sizeof(deep), NULL);
}

int main(void)
{
	static const struct info_table table = {
		.get_class_from_token = get_class_from_token,
		.get_class_from_token_and_type_args = get_class_from_token_and_type_args,
		.get_class_id_info2 = get_class_id_info2,
	};
	static struct info info = { &table };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(types_of_the_same_module_are_had_by_token, begin),
		cmocka_unit_test_setup(parameters_are_those_of_the_class, begin),
		cmocka_unit_test_setup(types_of_other_modules_are_had_by_name, begin),
		cmocka_unit_test_setup(a_name_is_looked_for_once, begin),
		cmocka_unit_test_setup(what_two_modules_define_or_none_that_stays_is_not_known,
				       begin),
		cmocka_unit_test_setup(generic_ones_have_their_arguments, begin),
		cmocka_unit_test_setup(what_is_cut_off_or_cannot_be_had_is_not_known, begin),
		cmocka_unit_test_setup(what_never_ends_ends, begin),
	};

	clr.info = &info;
	if (!signature__init())
		return 1;
	return cmocka_run_group_tests_name("agents/signature", tests, NULL, NULL);
}
