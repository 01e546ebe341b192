/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "target/demangle.h"

static void shows(const char *name, const char *want)
{
	struct buf out = BUF_INIT;

	demangle__add(&out, name);
	assert_string_equal(buf__str(&out), want);
	buf__free(&out);
}

static void names_become_readable(void **state)
{
	(void)state;
	shows("_ZN5State3DFAEiPK4Node", "State::DFA");
	shows("_ZNK7nmethod9is_zombieEv", "nmethod::is_zombie");
	shows("_Z4mainv", "main");
	shows("_ZL5localv", "local");
	shows("_ZN5ClassC1Ev", "Class::Class");
	shows("_ZN5ClassD2Ev", "Class::~Class");
	shows("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector::push_back");
	shows("_ZN21OopOopIterateDispatchI14G1CMOopClosureE5Table15oop_oop_iterateI13ObjArrayKlass"
	      "9narrowOopEEvPS0_P7oopDescP5Klass",
	      "OopOopIterateDispatch::Table::oop_oop_iterate");
	shows("_ZN12_GLOBAL__N_15localEv", "(anonymous)::local");
	shows("_ZN1AILi5EE1bEv", "A::b");
}

static void versions_go(void **state)
{
	(void)state;
	shows("clock_nanosleep@GLIBC_2.2.5", "clock_nanosleep");
	shows("pthread_cond_broadcast@@GLIBC_2.3.2", "pthread_cond_broadcast");
	shows("@", "@");
}

static void what_is_not_known_stays(void **state)
{
	static const char *const names[] = {
		"", "_", "_Z", "_ZN", "_ZNE", "_ZN5Sta", "_ZN99999999999999999999A", "_ZN3fooI",
		"_ZNK", "_ZTV5Class", "_ZN1AILi5", "_ZN1AIE", "main", "_ZN3fooIN3barE",
		"_Z0", "_ZL0v", "_ZN0E", "_ZN3foo0E", "_Z0IE", "_ZL0IE", "_ZN0IEE",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		shows(names[i], names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_readable),
		cmocka_unit_test(versions_go),
		cmocka_unit_test(what_is_not_known_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
