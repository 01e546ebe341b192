/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of classes and methods, whole: namespaces, nesting, arguments, dimensions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "agents/dotnet/names.c"

struct clr clr;

#define METHOD_MAIN 0x5000
#define METHOD_ADD 0x5001

/* An invented runtime's classes: a class is 16 times its index; tokens are indices too. */
enum { NONE, STRING, NODE, LIST, DICTIONARY, ENTRY, INNERMOST, STRINGS, MATRIX, JAGGED, DEEP,
       UNKNOWN, ENTRIES, ARITY_LIES, CLASSES };
static const struct {
	const uint16_t *name;
	uint32_t around;	/* the type that it is nested in */
	uint32_t arguments[4];	/* ended by NONE */
	uint32_t element, rank; /* of an array */
} classes[CLASSES] = {
	[STRING] = { .name = u"System.String" },
	[NODE] = { .name = u"My.App.Größe" },
	[LIST] = { .name = u"System.Collections.Generic.List`1", .arguments = { DICTIONARY } },
	[DICTIONARY] = { .name = u"System.Collections.Generic.Dictionary`2",
			 .arguments = { STRING, NODE } },
	[ENTRY] = { .name = u"Entry", .around = DICTIONARY, .arguments = { STRING, STRINGS } },
	[INNERMOST] = { .name = u"Innermost`1", .around = ENTRY,
			.arguments = { STRING, NODE, MATRIX } },
	[STRINGS] = { .element = STRING, .rank = 1 },
	[MATRIX] = { .element = NODE, .rank = 3 },
	[JAGGED] = { .element = MATRIX, .rank = 1 },
	[ENTRIES] = { .element = ENTRY, .rank = 1 },
	[DEEP] = { .element = DEEP, .rank = 1 },
	[ARITY_LIES] = { .name = u"Odd`9", .arguments = { STRING } },
};

static HRESULT is_array_class(void *self, uintptr_t class_, uint32_t *type, uintptr_t *element,
			      uint32_t *rank)
{
	(void)self;
	*type = 0;
	*element = classes[class_ / 16].element * 16;
	*rank = classes[class_ / 16].rank;
	return *rank ? S_OK : 1;
}

static HRESULT get_class_id_info2(void *self, uintptr_t class_, uintptr_t *module, uint32_t *token,
				  uintptr_t *parent, uint32_t room, uint32_t *count,
				  uintptr_t *arguments)
{
	const uint32_t *of = classes[class_ / 16].arguments;

	(void)self;
	if (class_ / 16 == UNKNOWN)
		return E_FAIL;
	*module = 7;
	*token = (uint32_t)class_ / 16;
	*parent = 0;
	for (*count = 0; of[*count]; ++*count)
		if (*count < room)
			arguments[*count] = of[*count] * 16;
	return S_OK;
}

static HRESULT get_function_info(void *self, uintptr_t function, uintptr_t *class_,
				 uintptr_t *module, uint32_t *token)
{
	(void)self;
	*class_ = function == METHOD_MAIN ? NODE * 16 : 0; /* 0: of a generic class */
	*module = 7;
	*token = (uint32_t)function;
	return S_OK;
}

static uint32_t put(const uint16_t *name, uint16_t *to)
{
	uint32_t units = 0;

	do
		to[units] = name[units];
	while (name[units++]);
	return units;
}

static HRESULT get_type_def_props(void *self, uint32_t type, uint16_t *name, uint32_t room,
				  uint32_t *units, uint32_t *flags, uint32_t *extends)
{
	(void)self;
	(void)room;
	(void)extends;
	*units = put(classes[type].name, name);
	*flags = classes[type].around ? 2 : 1;
	return S_OK;
}

static HRESULT get_nested_class_props(void *self, uint32_t nested, uint32_t *enclosing)
{
	(void)self;
	*enclosing = classes[nested].around;
	return S_OK;
}

static HRESULT get_method_props(void *self, uint32_t method, uint32_t *class_, uint16_t *name,
				uint32_t room, uint32_t *units, uint32_t *attributes,
				const uint8_t **signature, uint32_t *bytes, uint32_t *rva,
				uint32_t *flags)
{
	(void)self;
	(void)room;
	(void)attributes;
	(void)signature;
	(void)bytes;
	(void)rva;
	(void)flags;
	*class_ = method == METHOD_MAIN ? NODE : ENTRY;
	*units = put(method == METHOD_MAIN ? u"Main" : u"Add", name);
	return S_OK;
}

struct metadata *modules__import(uintptr_t module)
{
	static const struct metadata_table table = {
		.get_type_def_props = get_type_def_props,
		.get_nested_class_props = get_nested_class_props,
		.get_method_props = get_method_props,
	};
	static struct metadata metadata = { &table };

	return module == 7 ? &metadata : NULL;
}

static void assert_name(struct name name, const char *expected)
{
	char text[512];

	snprintf(text, sizeof(text), "%.*s", (int)name.bytes, name.at);
	assert_string_equal(text, expected);
}

static void classes_have_their_whole_names(void **state)
{
	(void)state;
	assert_name(names__class(STRING * 16), "System.String");
	assert_name(names__class(NODE * 16), "My.App.Größe");
	assert_name(names__class(LIST * 16),
		    "System.Collections.Generic.List<System.Collections.Generic.Dictionary<"
		    "System.String, My.App.Größe>>");
}

static void arguments_stand_where_they_belong(void **state)
{
	(void)state;
	assert_name(names__class(ENTRY * 16),
		    "System.Collections.Generic.Dictionary<System.String, System.String[]>+Entry");
	assert_name(names__class(INNERMOST * 16),
		    "System.Collections.Generic.Dictionary<System.String, My.App.Größe>+Entry+"
		    "Innermost<My.App.Größe[,,]>");
	assert_name(names__class(ARITY_LIES * 16), "Odd<System.String>");
}

static void arrays_have_their_dimensions(void **state)
{
	(void)state;
	assert_name(names__class(STRINGS * 16), "System.String[]");
	assert_name(names__class(JAGGED * 16), "My.App.Größe[,,][]");
	assert_name(names__class(ENTRIES * 16),
		    "System.Collections.Generic.Dictionary<System.String, System.String[]>"
		    "+Entry[]");
}

static void what_is_not_known_has_no_name(void **state)
{
	(void)state;
	assert_int_equal(names__class(UNKNOWN * 16).bytes, 0);
	assert_int_equal(names__class(DEEP * 16).bytes, 0); /* an array of itself */
	assert_name(names__class(STRING * 16), "System.String");
}

static void methods_have_their_class_in_front(void **state)
{
	(void)state;
	assert_name(names__method(METHOD_MAIN), "My.App.Größe.Main");
	assert_name(names__method(METHOD_ADD), "System.Collections.Generic.Dictionary+Entry.Add");
}

int main(void)
{
	static const struct info_table table = {
		.is_array_class = is_array_class,
		.get_class_id_info2 = get_class_id_info2,
		.get_function_info = get_function_info,
	};
	static struct info info = { &table };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_have_their_whole_names),
		cmocka_unit_test(arguments_stand_where_they_belong),
		cmocka_unit_test(arrays_have_their_dimensions),
		cmocka_unit_test(what_is_not_known_has_no_name),
		cmocka_unit_test(methods_have_their_class_in_front),
	};

	clr.info = &info;
	return cmocka_run_group_tests_name("agents/names", tests, NULL, NULL);
}
