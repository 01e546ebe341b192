/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as what CoreCLR publishes of itself: nothing is read outside of it. */
#include <stdint.h>

#include "check.h"
#include "corpus.h"
#include "target/clr_contract.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char seed[] = "{\"types\":{\"A\":{\"b\":1,\"c\":[2,\"x\"]},\"T\":{\"F\":3}},"
				   "\"globals\":{\"G\":[[1],\"pointer\"],\"H\":\"0x4\"}}";
	const int dir = corpus__open(*argc, *argv);

	if (dir >= 0) {
		corpus__add(dir, 0, seed, sizeof(seed) - 1);
		close(dir);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t words[] = { 10, 20 };
	struct clr_contract *contract;
	uint32_t offset;
	uint64_t value;

	if (clr_contract__parse((const char *)data, size, words, 2, &contract))
		return 0;
	if (clr_contract__field(contract, "T", "F", &offset) == 0)
		CHECK(offset < 65536);
	(void)clr_contract__global(contract, "G", &value);
	(void)clr_contract__global(contract, "H", &value);
	clr_contract__free(contract);
	return 0;
}
