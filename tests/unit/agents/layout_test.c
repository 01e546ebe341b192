/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields that may hold references: those of the classes above first, by an invented runtime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "agents/dotnet/layout.c"
#include "agents/dotnet/payload.c"

struct clr clr;

static char seen[256];

static bool may_refer(const char *signature, uint32_t bytes)
{
	return layout__may_refer((const uint8_t *)signature, bytes);
}

static void numbers_and_pointers_hold_no_references(void **state)
{
	(void)state;
	assert_false(may_refer("\x06\x08", 2));	    /* int */
	assert_false(may_refer("\x06\x02", 2));	    /* bool */
	assert_false(may_refer("\x06\x0d", 2));	    /* double */
	assert_false(may_refer("\x06\x18", 2));	    /* nint */
	assert_false(may_refer("\x06\x0f\x01", 3)); /* void* */
	assert_false(may_refer("\x06\x1b\x00", 3)); /* a function's address */
	assert_false(may_refer("\x06\x1f\x49\x08", 4)); /* volatile int */
	assert_false(may_refer("\x06\x1f\x81\x49\x1f\xc0\x01\x02\x03\x08", 10));
}

static void all_others_may(void **state)
{
	(void)state;
	assert_true(may_refer("\x06\x0e", 2));	       /* string */
	assert_true(may_refer("\x06\x12\x10", 3));     /* a class */
	assert_true(may_refer("\x06\x11\x10", 3));     /* a struct */
	assert_true(may_refer("\x06\x13\x00", 3));     /* T */
	assert_true(may_refer("\x06\x1d\x08", 3));     /* int[] */
	assert_true(may_refer("\x06\x1f\x49\x1c", 4)); /* volatile object */
	assert_true(may_refer("\x06\x1f", 2));	       /* cut off: nothing is known */
	assert_true(may_refer("", 0));
}

/* Classes 2 above 1; tokens are class * 16 + field. */

static HRESULT get_class_id_info2(void *self, uintptr_t class_, uintptr_t *module, uint32_t *token,
				  uintptr_t *parent, uint32_t room, uint32_t *count,
				  uintptr_t *arguments)
{
	(void)self;
	(void)room;
	(void)arguments;
	*module = 77;
	*token = 0x02000001;
	*parent = class_ == 1 ? 2 : 0;
	*count = 0;
	return class_ == 3 ? E_FAIL : S_OK;
}

static HRESULT get_class_layout(void *self, uintptr_t class_, struct field_offset *fields,
				uint32_t room, uint32_t *count, uint32_t *bytes)
{
	(void)self;
	*count = 2;
	*bytes = 40;
	for (uint32_t i = 0; i < 2 && i < room; i++)
		fields[i] = (struct field_offset){ (uint32_t)class_ * 16 + i,
						   (uint32_t)(40 - class_ * 16 + i * 8) };
	return S_OK;
}

static HRESULT get_field_props(void *self, uint32_t field, uint32_t *class_, uint16_t *name,
			       uint32_t room, uint32_t *units, uint32_t *attributes,
			       const uint8_t **signature, uint32_t *bytes, uint32_t *type,
			       const void **value, uint32_t *value_units)
{
	(void)self;
	(void)class_;
	(void)room;
	(void)units;
	(void)attributes;
	(void)type;
	(void)value;
	(void)value_units;
	name[0] = (uint16_t)('a' + field % 16);
	name[1] = (uint16_t)('0' + field / 16);
	name[2] = 0;
	*signature = (const uint8_t *)(field == 33 ? "\x06\x08" : "\x06\x1c");
	*bytes = 2;
	return S_OK;
}

static const struct metadata_table metadata_table = { .get_field_props = get_field_props };
static struct metadata metadata = { &metadata_table };

struct metadata *modules__import(uintptr_t module)
{
	return module == 77 ? &metadata : NULL;
}

static void see(void *context, const struct layout_field *field)
{
	const size_t used = strlen(seen);

	(void)context;
	snprintf(seen + used, sizeof(seen) - used, "%.*s+%u ", (int)field->bytes, field->name,
		 field->offset);
}

static void fields_of_the_classes_above_come_first(void **state)
{
	(void)state;
	seen[0] = 0;
	assert_true(layout__visit(1, see, NULL));
	assert_string_equal(seen, "a2+8 a1+24 b1+32 "); /* b2 is a number */
	assert_int_equal(layout__bytes(1), 40);
	assert_int_equal(layout__parent(1), 2);
}

static void what_the_runtime_does_not_say_is_not_known(void **state)
{
	(void)state;
	seen[0] = 0;
	assert_false(layout__visit(3, see, NULL));
	assert_string_equal(seen, "");
}

int main(void)
{
	static const struct info_table table = {
		.get_class_id_info2 = get_class_id_info2,
		.get_class_layout = get_class_layout,
	};
	static struct info info = { &table };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_and_pointers_hold_no_references),
		cmocka_unit_test(all_others_may),
		cmocka_unit_test(fields_of_the_classes_above_come_first),
		cmocka_unit_test(what_the_runtime_does_not_say_is_not_known),
	};

	clr.info = &info;
	return cmocka_run_group_tests_name("agents/layout", tests, NULL, NULL);
}
