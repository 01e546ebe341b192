/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "listener.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../stream/transcript.h"
#include "agents/common/emitter.h"
#include "stream/feed.h"

static struct feed *feed;
static struct transcript transcript;
static struct buf told, producer;
static int batches = -1; /* a file that the emitter writes to */
static uint64_t stamp;
static uint64_t first_gc, first_pause; /* 0: none was told yet */

static void take_batch(const void *batch, size_t bytes)
{
	struct record *record = calloc(1, sizeof(*record) + bytes);

	record->stamp = (uint64_t)1 << 62 | ++stamp;
	record->bytes = (uint32_t)(sizeof(*record) + bytes);
	record->kind = RECORD_BATCH;
	memcpy(record + 1, batch, bytes);
	assert_int_equal(feed__record(feed, record), 0);
	free(record);
}

static void take_batches(void)
{
	const off_t end = lseek(batches, 0, SEEK_END);
	char *all = malloc((size_t)end + 1);

	assert_int_equal(pread(batches, all, (size_t)end, 0), end);
	for (off_t at = 0; at < end;) {
		struct gctrace_batch head;

		memcpy(&head, all + at, sizeof(head));
		take_batch(all + at, head.bytes);
		at += head.bytes;
	}
	free(all);
	assert_int_equal(ftruncate(batches, 0), 0);
}

/* " gc=17" becomes " gc=1" where 17 was the first. Returns what is behind it. */
static const char *add_number(const char *at, const char *key, uint64_t *first)
{
	char *behind;
	const uint64_t number = strtoull(at + strlen(key), &behind, 10);

	if (!*first)
		*first = number;
	buf__printf(&told, "%s%" PRIu64, key, number - *first + 1);
	return behind;
}

static void add_line(const char *at, const char *end)
{
	while (at < end) {
		if (!strncmp(at, " gc=", 4)) {
			at = add_number(at, " gc=", &first_gc);
		} else if (!strncmp(at, " pause=", 7)) {
			at = add_number(at, " pause=", &first_pause);
		} else if (!strncmp(at, " suspend_ns=", 12)) {
			at += 12 + strspn(at + 12, "-0123456789");
		} else {
			buf__add_char(&told, *at++);
		}
	}
}

static bool begins_with(const char *line, const char *word)
{
	return !strncmp(line, word, strlen(word));
}

/* Of definitions those alone that say more than a name. */
#define COMPILED "define space=14 "

static void take_line(const char *line, const char *end)
{
	if (begins_with(line, "producer")) {
		buf__reset(&producer);
		buf__add(&producer, line, (size_t)(end - line));
	} else if (!begins_with(line, "define") || begins_with(line, COMPILED)) {
		add_line(line, end);
	}
}

const char *listener__told(void)
{
	emitter__flush_all();
	buf__reset(&transcript.text);
	buf__reset(&told);
	take_batches();
	for (const char *line = buf__str(&transcript.text); *line;) {
		const char *next = strchr(line, '\n') + 1;

		take_line(line, next);
		line = next;
	}
	return buf__str(&told);
}

const char *listener__producer(void)
{
	return buf__str(&producer);
}

void listener__begin(void)
{
	const struct event_sink sink = transcript__sink(&transcript);

	if (batches < 0) {
		/* Without O_APPEND threads that write at once would write to one place of it. */
		batches = memfd_create("batches", 0);
		assert_int_equal(fcntl(batches, F_SETFL, O_APPEND), 0);
		assert_int_equal(feed__new(NULL, &sink, &feed), 0);
	}
	emitter__to_descriptor(batches);
	listener__told();
	first_gc = first_pause = 0;
}
