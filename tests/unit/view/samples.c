/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "samples.h"

#define TEXT(word) { word, sizeof(word) - 1 }
#define START (1000 * NS_PER_S)

void sheet__begin(struct sheet *sheet)
{
	int fd = memfd_create("sheet", MFD_CLOEXEC);

	assert_true(fd >= 0);
	*sheet = (struct sheet){ .text = NULL };
	output__init(&sheet->output, fd, -1, "the sheet");
	sheet->terminal = (struct terminal){ .fd = fd };
}

const char *sheet__text(struct sheet *sheet)
{
	off_t length = lseek(sheet->output.fd, 0, SEEK_END);

	free(sheet->text);
	sheet->text = calloc(1, (size_t)length + 1);
	assert_non_null(sheet->text);
	assert_int_equal(pread(sheet->output.fd, sheet->text, (size_t)length, 0), length);
	assert_int_equal(ftruncate(sheet->output.fd, 0), 0);
	lseek(sheet->output.fd, 0, SEEK_SET);
	return sheet->text;
}

void sheet__end(struct sheet *sheet)
{
	close(sheet->output.fd);
	free(sheet->text);
}

struct heading sample__heading(void)
{
	return (struct heading){
		.target = 0,
		.pid = 4711,
		.name = TEXT("shop"),
		.runtime = TEXT("minivm"),
		.version = TEXT("1.2"),
		.collector = TEXT("copying nursery"),
		.provider = TEXT("gctrace"),
		.known = KNOWN_COLLECTIONS | KNOWN_CAUSES | KNOWN_POOLS | KNOWN_MOVES,
		.start_ns = START,
		.clock_offset_ns = 5,
	};
}

static const struct collection_pool pools[] = {
	{ TEXT("nursery"), 4 << 20, 1 << 20, 8 << 20, 8 << 20, false, false, false },
	{ TEXT("code"), EVENT_UNKNOWN, 3 << 20, EVENT_UNKNOWN, EVENT_UNKNOWN, true, false, false },
};

static const struct pause pauses[] = {
	{
		.number = 9,
		.start_ns = START + 2500 * NS_PER_MS,
		.end_ns = START + 2501500 * NS_PER_US,
		.suspend_ns = 12345,
		.what = TEXT("collection"),
		.share_ns = 1500 * NS_PER_US,
	},
};

static struct portion bytes(uint64_t value)
{
	return (struct portion){ .bytes = amount__exact(value) };
}

struct collection sample__young(void)
{
	return (struct collection){
		.number = 41,
		.generations = 1,
		.oldest = 0,
		.what = TEXT("young"),
		.cause = TEXT("allocation"),
		.start_ns = START + 2500 * NS_PER_MS,
		.end_ns = START + 2501 * NS_PER_MS,
		.pause_count = 1,
		.pause_ns = 1500 * NS_PER_US,
		.pause_max_ns = 1500 * NS_PER_US,
		.suspend_ns = 12345,
		.pauses = pauses,
		.pauses_kept = 1,
		.before_bytes = 20 << 20,
		.after_bytes = 16 << 20,
		.committed_bytes = 32 << 20,
		.pools = pools,
		.pool_count = 2,
		.condemned = bytes(5 << 20),
		.moved = bytes(900 << 10),
		.stayed = bytes(124 << 10),
		.survived = bytes(1 << 20),
		.promoted = { .bytes = amount__between(10 << 10, 20 << 10, 30 << 10) },
		.dead = { .bytes = amount__exact(4 << 20), .objects = amount__exact(12345) },
	};
}

struct collection sample__bare(void)
{
	return (struct collection){
		.number = 1,
		.counted_here = true,
		.generations = EVENT_UNKNOWN,
		.oldest = EVENT_UNKNOWN,
		.what = TEXT("gc"),
		.start_ns = EVENT_UNKNOWN,
		.end_ns = START + 7 * NS_PER_S,
		.pause_ns = EVENT_UNKNOWN,
		.suspend_ns = EVENT_UNKNOWN,
		.before_bytes = EVENT_UNKNOWN,
		.after_bytes = EVENT_UNKNOWN,
		.committed_bytes = EVENT_UNKNOWN,
		.partial = true,
	};
}
