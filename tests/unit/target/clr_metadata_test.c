/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fuzz/clr_image.h"
#include "target/clr_metadata.h"
#include "target/remote.h"

static unsigned char image[CLR_IMAGE_BYTES];
static struct remote memory;

static struct clr_metadata *make(bool is_mapped)
{
	struct clr_metadata *metadata;

	remote__init(&memory, getpid());
	clr_image__make(image, is_mapped);
	assert_int_equal(clr_metadata__open(&memory, (uintptr_t)image, is_mapped, &metadata), 0);
	return metadata;
}

static void expect(struct clr_metadata *metadata,
		   int (*add)(struct clr_metadata *, uint32_t, struct buf *), uint32_t row,
		   const char *want)
{
	struct buf name = BUF_INIT;
	const int err = add(metadata, row, &name);

	assert_int_equal(err, want ? 0 : -ENOENT);
	if (want)
		assert_string_equal(buf__str(&name), want);
	buf__free(&name);
}

static void names_are_whole(void **state)
{
	(void)state;
	for (int is_mapped = 0; is_mapped < 2; is_mapped++) {
		struct clr_metadata *metadata = make(is_mapped);

		expect(metadata, clr_metadata__add_type, 1, "A.Outer");
		expect(metadata, clr_metadata__add_type, 2, "A.Outer+Inner");
		expect(metadata, clr_metadata__add_type, 3, "Lone");
		expect(metadata, clr_metadata__add_type, 4, NULL);
		expect(metadata, clr_metadata__add_type, 0, NULL);
		expect(metadata, clr_metadata__add_type, UINT32_MAX, NULL);
		expect(metadata, clr_metadata__add_method, 1, "First");
		expect(metadata, clr_metadata__add_method, 2, "Second");
		expect(metadata, clr_metadata__add_method, 3, NULL);
		expect(metadata, clr_metadata__add_method, 0, NULL);
		clr_metadata__free(metadata);
	}
	clr_metadata__free(NULL);
}

/* Each byte of the heads, changed: it is refused, or leads to some name or none. */
static void what_makes_no_sense_does_no_harm(void **state)
{
	struct clr_metadata *metadata;
	struct buf name = BUF_INIT;

	(void)state;
	remote__init(&memory, getpid());
	for (size_t at = 0; at < CLR_IMAGE_BYTES / 2; at++) {
		clr_image__make(image, true);
		image[at] ^= 0xff;
		if (clr_metadata__open(&memory, (uintptr_t)image, true, &metadata))
			continue;
		for (uint32_t row = 0; row < 5; row++) {
			buf__reset(&name);
			(void)clr_metadata__add_type(metadata, row, &name);
			(void)clr_metadata__add_method(metadata, row, &name);
		}
		clr_metadata__free(metadata);
	}
	buf__free(&name);
}

static void what_is_no_image_is_refused(void **state)
{
	struct clr_metadata *metadata;

	(void)state;
	remote__init(&memory, getpid());
	memset(image, 0, sizeof(image));
	assert_int_equal(clr_metadata__open(&memory, (uintptr_t)image, true, &metadata), -EPROTO);
	assert_null(metadata);
	assert_int_equal(clr_metadata__open(&memory, 8, true, &metadata), -EFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_whole),
		cmocka_unit_test(what_makes_no_sense_does_no_harm),
		cmocka_unit_test(what_is_no_image_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
