/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * foreign WHAT: a runtime that says what this version of gctrace does not know, or what makes no
 * sense, ten collections a second:
 *
 *   version   batches of major version 2
 *   kinds     a record of a kind that does not exist yet, in well-formed batches
 *   growth    records that are longer than this version's, and a longer batch header
 *   magic     a batch that is none
 *   gap       one of three batches is numbered and never told
 *   nonsense  records whose lengths lie
 *   notices   fifty notices with each, all different
 */
#define GCTRACE_PROBES_IMPLEMENTATION
#include <gctrace/probes.h>

#include <stdio.h>

static struct gctrace_emitter emitter;
static _Alignas(8) unsigned char buffer[GCTRACE_BATCH_BYTES], changed[GCTRACE_BATCH_BYTES];
static struct gctrace_writer writer;

static void tell(const void *batch, uint32_t bytes)
{
	uint64_t all = bytes;

	STAP_PROBE2(gctrace, batch, batch, all);
}

static void as_version(void *context, const void *batch, uint32_t bytes)
{
	(void)context;
	memcpy(changed, batch, bytes);
	((struct gctrace_batch *)(void *)changed)->major = 2;
	tell(changed, bytes);
}

/* A batch with one record more, of 24 bytes, in front of the others. */
static void as_kinds(void *context, const void *batch, uint32_t bytes)
{
	struct gctrace_batch *head = (struct gctrace_batch *)(void *)changed;
	struct gctrace_record new_one = { .kind = 999, .bytes = 24 };

	(void)context;
	memcpy(changed, batch, sizeof(*head));
	memset(changed + sizeof(*head), 0, 24);
	memcpy(changed + sizeof(*head), &new_one, sizeof(new_one));
	memcpy(changed + sizeof(*head) + 24, (const char *)batch + sizeof(*head),
	       bytes - sizeof(*head));
	head->bytes = bytes + 24;
	head->records++;
	tell(changed, bytes + 24);
}

/* A batch header that has grown by 8 bytes, as a minor version may do. */
static void as_growth(void *context, const void *batch, uint32_t bytes)
{
	struct gctrace_batch *head = (struct gctrace_batch *)(void *)changed;

	(void)context;
	memcpy(changed, batch, sizeof(*head));
	memset(changed + sizeof(*head), 0xff, 8);
	memcpy(changed + sizeof(*head) + 8, (const char *)batch + sizeof(*head),
	       bytes - sizeof(*head));
	head->minor = 9;
	head->header_bytes += 8;
	head->bytes = bytes + 8;
	tell(changed, bytes + 8);
}

static void as_magic(void *context, const void *batch, uint32_t bytes)
{
	(void)context;
	memcpy(changed, batch, bytes);
	memcpy(changed, "nope", 4);
	tell(changed, bytes);
}

static void as_gap(void *context, const void *batch, uint32_t bytes)
{
	static unsigned count;

	(void)context;
	if (++count % 3)
		tell(batch, bytes);
}

static void as_nonsense(void *context, const void *batch, uint32_t bytes)
{
	struct gctrace_record *first =
		(struct gctrace_record *)(void *)(changed + sizeof(struct gctrace_batch));

	(void)context;
	memcpy(changed, batch, bytes);
	first->bytes = 0x7fffffff;
	tell(changed, bytes);
}

static void as_notices(void *context, const void *batch, uint32_t bytes)
{
	(void)context;
	tell(batch, bytes);
}

static void say_much(void)
{
	static unsigned int count;
	char text[32];

	for (int i = 0; i < 50; i++) {
		snprintf(text, sizeof(text), "notice %u", ++count);
		gctrace_write_notice(&writer, GCTRACE_NOTICE_OTHER, text);
	}
}

static void collect(uint64_t gc)
{
	gctrace_writer_context(&writer, gc, gc);
	gctrace_write_producer(&writer, "", "0", "foreign", "none");
	gctrace_write_pause_begin(&writer, gc, GCTRACE_WHY_COLLECTION);
	gctrace_write_gc_start(&writer, gc, 1, GCTRACE_REASON_EXPLICIT, GCTRACE_HOW_COPYING);
	gctrace_write_gc_finish(&writer, gc);
	if (emitter.sink == as_notices)
		say_much();
	gctrace_write_pause_end(&writer, gc, ~(uint64_t)0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*sink)(void *context, const void *batch, uint32_t bytes);
	} ways[] = {
		{ "version", as_version }, { "kinds", as_kinds }, { "growth", as_growth },
		{ "magic", as_magic },	   { "gap", as_gap },	  { "nonsense", as_nonsense },
		{ "notices", as_notices },
	};
	const struct timespec rest = { .tv_nsec = 20 * 1000 * 1000 };

	gctrace_emitter_init(&emitter);
	gctrace_writer_init(&writer, &emitter, buffer);
	for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(argv[1], ways[i].name))
			emitter.sink = ways[i].sink;
	if (!emitter.sink) {
		fprintf(stderr, "usage: foreign version|kinds|growth|magic|gap|nonsense|notices\n");
		return 2;
	}
	for (uint64_t gc = 1;; gc++) {
		nanosleep(&rest, NULL);
		if (gctrace_wants_batch())
			collect(gc);
	}
}
