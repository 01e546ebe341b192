/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any heap as a file for another tool, in every format: written without a fault, in bytes that a
 * reader of text can take where it is text, and with all bytes of the heap where those are summed.
 */
#include "base/escape.h"
#include "heap_bytes.h"
#include "model/heap.h"
#include "view/export.h"
#include "view/heap_view.h"

/* Valid UTF-8 without control characters but tabs and ends of lines. */
static void check_text(const char *text, size_t len)
{
	uint32_t code_point;

	for (size_t at = 0, bytes; at < len; at += bytes) {
		bytes = utf8__decode(text + at, len - at, &code_point);
		CHECK(bytes > 0);
		CHECK(code_point >= ' ' || code_point == '\t' || code_point == '\n');
		CHECK(code_point != 0x7f && !utf8__is_unsafe(code_point));
	}
}

/* Lines of a stack and its bytes. */
static void check_folded(const struct heap *heap, const char *text)
{
	uint64_t bytes = 0;

	for (const char *line = text, *stop; *line; line = stop + 1) {
		const char *blank;

		stop = strchr(line, '\n');
		CHECK(stop && *line != '#' && *line != ';');
		blank = memrchr(line, ' ', (size_t)(stop - line));
		CHECK(blank && blank > line);
		bytes += strtoull(blank + 1, NULL, 10);
	}
	CHECK(bytes == heap__facts(heap)->bytes);
}

/* Every string ends on its line, and the lines that are not a head are nodes and arrows. */
static void check_dot(const char *text)
{
	bool inside = false;

	for (const char *at = text; *at; at++) {
		if (*at == '\\' && inside)
			CHECK(*++at);
		else if (*at == '"')
			inside = !inside;
		else
			CHECK(*at != '\n' || !inside);
	}
	CHECK(!inside);
}

struct room {
	size_t left;
	bool refused;
};

/* So much, then nothing any more: sizes that lie are gigabytes of zeros in an hprof file. */
static ssize_t swallow(void *cookie, const char *bytes, size_t count)
{
	struct room *room = cookie;

	(void)bytes;
	room->refused |= count > room->left;
	if (room->refused)
		return 0;
	room->left -= count;
	return (ssize_t)count;
}

static void write_one(struct heap *heap, const struct exporter *exporter, uint32_t place)
{
	const struct heap_heading heading = {
		.facts = heap__facts(heap), .pid = 1, .name = { "a\n\xff", 3 }, .file = "f@1",
		.subject = "f@1",
	};
	const struct export_options options = { .id_place = place, .depth = 3, .most = 2 };
	const cookie_io_functions_t limited = { .write = swallow };
	char *text = NULL;
	struct room room = { .left = 4 << 20 };
	size_t len = 0;
	FILE *out = exporter->is_binary ? fopencookie(&room, "w", limited) :
					  open_memstream(&text, &len);
	int err;

	CHECK(out);
	err = exporter->write(heap, &heading, &options, out);
	CHECK(fclose(out) == 0 || room.refused);
	/* -EOVERFLOW: an object that the format has no room for. */
	CHECK(err == 0 || err == -EDQUOT || err == -ENOMEM || err == -EOVERFLOW ||
	      (err == -EIO && room.refused));
	if (!err && !exporter->is_binary)
		check_text(text, len);
	if (!err && strcmp(exporter->name, "folded") == 0)
		check_folded(heap, text);
	if (!err && strcmp(exporter->name, "dot") == 0)
		check_dot(text);
	free(text);
}

static void use_heap(struct heap *heap)
{
	const bool has_objects = heap__facts(heap)->objects;

	for (size_t i = 0; exporters[i]; i++)
		if (has_objects || !exporters[i]->of_one_object)
			write_one(heap, exporters[i], has_objects ? heap__first(heap) : HEAP_NONE);
}
