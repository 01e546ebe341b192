/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/clr_contract.h"
#include "target/remote.h"

static const char text[] =
	"{\"version\":0,\"baseline\":\"empty\",\"types\":{"
	"\"Empty\":{},"
	"\"Odd\\\"Name\":{\"OSId\":1},"
	"\"Thread\":{\"Id\":16,\"OSId\":296,\"LinkNext\":[112,\"pointer\"],\"!\":600},"
	"\"Wild\" : { \"Far\" : 65536, \"Word\":\"none\", \"Last\": 7 }},"
	"\"globals\":{\"Flag\":[\"0x4\",\"uint32\"],\"Bare\":5,\"Decimal\":[\"17\",\"uint8\"],"
	"\"ThreadStore\":[[1],\"pointer\"],\"Alone\":[2],\"Beyond\":[[3],\"pointer\"],"
	"\"Arch\":[\"x64\",\"string\"]},"
	"\"contracts\":{\"Thread\":1}}";
static const uint64_t words[] = { 0x1000, 0x2000, 0x3000 };

static void look(const struct clr_contract *contract)
{
	uint32_t offset;
	uint64_t value;

	assert_int_equal(clr_contract__field(contract, "Thread", "OSId", &offset), 0);
	assert_int_equal(offset, 296);
	assert_int_equal(clr_contract__field(contract, "Thread", "LinkNext", &offset), 0);
	assert_int_equal(offset, 112);
	assert_int_equal(clr_contract__field(contract, "Thread", "!", &offset), 0);
	assert_int_equal(offset, 600);
	assert_int_equal(clr_contract__field(contract, "Wild", "Last", &offset), 0);
	assert_int_equal(offset, 7);
	assert_int_equal(clr_contract__field(contract, "Wild", "Far", &offset), -ENOENT);
	assert_int_equal(clr_contract__field(contract, "Wild", "Word", &offset), -ENOENT);
	assert_int_equal(clr_contract__field(contract, "Empty", "OSId", &offset), -ENOENT);
	assert_int_equal(clr_contract__field(contract, "Thread", "OSI", &offset), -ENOENT);
	assert_int_equal(clr_contract__field(contract, "Threads", "OSId", &offset), -ENOENT);
	assert_int_equal(clr_contract__global(contract, "Flag", &value), 0);
	assert_int_equal(value, 4);
	assert_int_equal(clr_contract__global(contract, "Bare", &value), 0);
	assert_int_equal(value, 5);
	assert_int_equal(clr_contract__global(contract, "Decimal", &value), 0);
	assert_int_equal(value, 17);
	assert_int_equal(clr_contract__global(contract, "ThreadStore", &value), 0);
	assert_int_equal(value, 0x2000);
	assert_int_equal(clr_contract__global(contract, "Alone", &value), 0);
	assert_int_equal(value, 0x3000);
	assert_int_equal(clr_contract__global(contract, "Beyond", &value), -ENOENT);
	assert_int_equal(clr_contract__global(contract, "Arch", &value), -ENOENT);
	assert_int_equal(clr_contract__global(contract, "Thread", &value), -ENOENT);
}

static void fields_and_globals_are_found(void **state)
{
	struct clr_contract *contract;

	(void)state;
	assert_int_equal(clr_contract__parse(text, strlen(text), words, 3, &contract), 0);
	look(contract);
	clr_contract__free(contract);
	clr_contract__free(NULL);
}

static void it_is_read_from_memory(void **state)
{
	struct {
		uint64_t magic;
		uint32_t flags, bytes;
		uint64_t text;
		uint32_t count, padding;
		uint64_t words;
	} descriptor = { UINT64_C(0x0043414443434e44), 1, sizeof(text) - 1, (uintptr_t)text, 3, 0,
			 (uintptr_t)words };
	struct clr_contract *contract;
	struct remote memory;

	(void)state;
	remote__init(&memory, getpid());
	assert_int_equal(clr_contract__read(&memory, (uintptr_t)&descriptor, &contract), 0);
	look(contract);
	clr_contract__free(contract);
	descriptor.flags = 3;
	assert_int_equal(clr_contract__read(&memory, (uintptr_t)&descriptor, &contract), -EPROTO);
	descriptor.flags = 1;
	descriptor.bytes = UINT32_MAX;
	assert_int_equal(clr_contract__read(&memory, (uintptr_t)&descriptor, &contract), -EPROTO);
	descriptor.bytes = sizeof(text) - 1;
	descriptor.words = 8;
	assert_int_equal(clr_contract__read(&memory, (uintptr_t)&descriptor, &contract), -EFAULT);
	descriptor.magic++;
	assert_int_equal(clr_contract__read(&memory, (uintptr_t)&descriptor, &contract), -EPROTO);
	assert_null(contract);
}

/* Cut off anywhere it is refused or finds nothing that is not there. */
static void a_part_of_it_is_harmless(void **state)
{
	struct clr_contract *contract;
	uint32_t offset;
	uint64_t value;

	(void)state;
	for (size_t len = 0; len < strlen(text); len++) {
		if (clr_contract__parse(text, len, words, 3, &contract))
			continue;
		if (clr_contract__field(contract, "Thread", "OSId", &offset) == 0)
			assert_true(offset == 296 || offset == 29 || offset == 2);
		if (clr_contract__global(contract, "ThreadStore", &value) == 0)
			assert_int_equal(value, 0x2000);
		clr_contract__free(contract);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_and_globals_are_found),
		cmocka_unit_test(it_is_read_from_memory),
		cmocka_unit_test(a_part_of_it_is_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
