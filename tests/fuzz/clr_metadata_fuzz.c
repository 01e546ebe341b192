/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as an assembly of .NET in memory: reading comes to an end, and writes nowhere else. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "clr_image.h"
#include "corpus.h"
#include "target/clr_metadata.h"
#include "target/remote.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const int dir = corpus__open(*argc, *argv);
	unsigned char image[CLR_IMAGE_BYTES];

	for (unsigned int is_mapped = 0; is_mapped < 2 && dir >= 0; is_mapped++) {
		clr_image__make(image, is_mapped);
		corpus__add(dir, is_mapped, image, sizeof(image) / 2);
	}
	if (dir >= 0)
		close(dir);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned char image[CLR_IMAGE_BYTES];
	struct clr_metadata *metadata;
	struct buf name = BUF_INIT;
	struct remote memory;

	memset(image, 0, sizeof(image));
	memcpy(image, data, size < sizeof(image) ? size : sizeof(image));
	remote__init(&memory, getpid());
	for (int is_mapped = 0; is_mapped < 2; is_mapped++) {
		if (clr_metadata__open(&memory, (uintptr_t)image, is_mapped, &metadata))
			continue;
		for (uint32_t row = 0; row < 4; row++) {
			(void)clr_metadata__add_type(metadata, row, &name);
			(void)clr_metadata__add_method(metadata, row, &name);
		}
		clr_metadata__free(metadata);
	}
	buf__free(&name);
	return 0;
}
