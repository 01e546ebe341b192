/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread of CoreCLR's and its managed object, in our own memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <uchar.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/clr_contract.h"
#include "target/clr_names.h"
#include "target/remote.h"

static const char text[] =
	"{\"types\":{\"Thread\":{\"GCHandle\":16},\"MethodTable\":{\"BaseSize\":4},"
	"\"String\":{\"m_FirstChar\":12,\"m_StringLength\":8}},"
	"\"globals\":{\"StringMethodTable\":[[0],\"pointer\"]}}";

static struct { uint32_t flags, base_size; } string_class, thread_class;
static void *strings; /* the variable */
static struct {
	void *class;
	uint32_t length;
	char16_t text[10];
} string;
static struct {
	void *class, *context, *other, *name, *start, *thread;
} object;
static void *handle;
static struct { uint64_t unused[2]; void *handle; } thread;

static struct remote memory;
static struct clr_contract *contract;
static struct clr_names *names;

static int set_up(void **state)
{
	const uint64_t words[] = { (uintptr_t)&strings };

	(void)state;
	string_class.base_size = 22;
	thread_class.base_size = sizeof(object) + 8;
	strings = string.class = &string_class;
	string.length = 4;
	memcpy(string.text, u"B\u00f6b!", 8);
	object.class = &thread_class;
	object.other = &object;
	object.name = &string;
	object.thread = &thread;
	handle = &object;
	thread.handle = &handle;
	remote__init(&memory, getpid());
	assert_int_equal(clr_contract__parse(text, strlen(text), words, 1, &contract), 0);
	assert_int_equal(clr_names__new(contract, &memory, &names), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	clr_names__free(names);
	clr_contract__free(contract);
	return 0;
}

static void expect(const char *name)
{
	struct buf told = BUF_INIT;

	assert_int_equal(clr_names__thread(names, (uintptr_t)&thread, &told), name ? 0 : -ENOENT);
	assert_string_equal(buf__str(&told), name ? name : "");
	buf__free(&told);
}

static void the_string_in_its_object_is_the_name(void **state)
{
	(void)state;
	expect("B\u00f6b!");
	string.length = 1;
	expect("B");
}

static void without_a_name_there_is_none(void **state)
{
	(void)state;
	object.name = NULL;
	expect(NULL);
	object.name = &string;
	string.length = 0;
	expect(NULL);
	string.length = CLR_NAME_MOST + 1;
	expect(NULL);
}

static void an_object_that_does_not_know_the_thread_is_not_its(void **state)
{
	(void)state;
	object.thread = &object;
	expect(NULL);
	object.thread = &thread;
	thread_class.base_size = 24; /* too small to have all of that */
	expect(NULL);
	thread_class.base_size = 1 << 20;
	expect(NULL);
}

static void what_leads_nowhere_is_no_name(void **state)
{
	void *const nowhere[] = { NULL, (void *)8, (void *)9, (void *)-8 };

	(void)state;
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		thread.handle = nowhere[i];
		expect(NULL);
		thread.handle = &handle;
		handle = nowhere[i];
		expect(NULL);
		handle = &object;
		object.class = nowhere[i];
		expect(NULL);
		object.class = &thread_class;
		object.name = nowhere[i];
		expect(NULL);
		object.name = &string;
		expect("B\u00f6b!");
	}
}

static void a_contract_that_does_not_tell_is_refused(void **state)
{
	struct clr_contract *other;
	struct clr_names *none;

	(void)state;
	assert_int_equal(clr_contract__parse("{\"types\":{},\"globals\":{}}", 25, NULL, 0, &other),
			 0);
	assert_int_equal(clr_names__new(other, &memory, &none), -ENOTSUP);
	assert_null(none);
	clr_contract__free(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_string_in_its_object_is_the_name),
		TEST(without_a_name_there_is_none),
		TEST(an_object_that_does_not_know_the_thread_is_not_its),
		TEST(what_leads_nowhere_is_no_name),
		TEST(a_contract_that_does_not_tell_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
