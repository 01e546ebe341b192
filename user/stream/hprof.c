/* SPDX-License-Identifier: BSD-2-Clause */
#include "hprof.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/ram.h"
#include "gctrace/wire.h"
#include "hprof_reader.h"
#include "loss.h"

#define HPROF_TEXT_BYTES (sizeof(HPROF_TEXT) - 1)
#define LOOK_MOST 4096u /* bytes in which a gzip file says what it holds; no more than any pipe */
#define PAUSE_MS 1
#define HEAD_MOST 32u /* of the text in a file's head */
#define NAME_MOST 65535u /* bytes of a name in a class file: its length has two */
#define TURNS 65536u /* entries and records from one turn to the next */

/* ---------------------------------------------------------------- looking */

enum look { LOOK_IS, LOOK_IS_NOT, LOOK_MORE };

/* `more`: further bytes may come. */
static enum look look_at(const char *bytes, size_t count, bool more)
{
	char inside[HPROF_TEXT_BYTES];
	size_t given;

	if (hprof_gzip__begins(bytes, count)) {
		given = hprof_gzip__peek(bytes, count, inside, sizeof(inside));
		bytes = inside;
		more &= count < LOOK_MOST;
		count = given;
	} else if (count < 3 && count && bytes[0] == 0x1f && more) {
		return LOOK_MORE;
	}
	if (count < HPROF_TEXT_BYTES && more && memcmp(bytes, HPROF_TEXT, count) == 0)
		return LOOK_MORE;
	return count >= HPROF_TEXT_BYTES && memcmp(bytes, HPROF_TEXT, HPROF_TEXT_BYTES) == 0 ?
		       LOOK_IS : LOOK_IS_NOT;
}

/* A copy of what stands first in a pipe, which stays there. Waits for the first of it. */
static ssize_t peek_pipe(int fd, void *bytes, size_t count)
{
	int copy[2];
	ssize_t n;

	if (pipe2(copy, O_CLOEXEC))
		return -1;
	n = tee(fd, copy[1], count, 0);
	if (n > 0)
		n = read(copy[0], bytes, (size_t)n);
	close(copy[0]);
	close(copy[1]);
	return n;
}

/* Whoever writes may do so a byte at a time: what is there tells nobody when there is more. */
static bool look_into_pipe(int fd)
{
	struct pollfd ended = { .fd = fd };
	enum look look = LOOK_MORE;
	char bytes[LOOK_MOST];

	while (look == LOOK_MORE) {
		const bool more = poll(&ended, 1, PAUSE_MS) <= 0;
		const ssize_t n = peek_pipe(fd, bytes, sizeof(bytes));

		look = n > 0 ? look_at(bytes, (size_t)n, more) : LOOK_IS_NOT;
	}
	return look == LOOK_IS;
}

bool hprof__begins(int fd)
{
	const off_t at = lseek(fd, 0, SEEK_CUR);
	char bytes[LOOK_MOST];
	ssize_t n;

	if (at < 0)
		return look_into_pipe(fd);
	n = pread(fd, bytes, sizeof(bytes), at);
	return n > 0 && look_at(bytes, (size_t)n, false) == LOOK_IS;
}

bool hprof__is_file(const char *path)
{
	int fd = files__open_input(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	const bool is = fd >= 0 && lseek(fd, 0, SEEK_CUR) == 0 && hprof__begins(fd);

	files__close(&fd);
	return is;
}

/* ---------------------------------------------------------------- what is kept */

#define BYTES_OF(vec) sizeof(*(vec).items)


int hprof_reader__check_limit(const struct hprof_reader *reader)
{
	const struct hprof_classes *classes = &reader->classes;
	const struct hprof_stacks *stacks = &reader->stacks;
	const uint64_t kept =
		reader->names.texts.len + reader->names.of.count * BYTES_OF(reader->names.of) +
		classes->of.count * BYTES_OF(classes->of) +
		classes->fields.count * BYTES_OF(classes->fields) +
		classes->statics.count * BYTES_OF(classes->statics) +
		stacks->roots.count * BYTES_OF(stacks->roots) +
		stacks->frames.count * BYTES_OF(stacks->frames) +
		stacks->ids.count * BYTES_OF(stacks->ids) + reader->waiting_bytes.len +
		reader->waiting.count * BYTES_OF(reader->waiting);

	if (!reader->options->limit || kept <= reader->options->limit)
		return 0;
	ram__over(kept - reader->options->limit);
	return -EDQUOT;
}

/* ---------------------------------------------------------------- what is told */

int hprof_reader__tell(struct hprof_reader *reader, const struct event *event)
{
	return reader->sink->event(reader->sink->ctx, event);
}

int hprof_reader__turn(struct hprof_reader *reader)
{
	if (!reader->options->turn || reader->turns++ % TURNS)
		return 0;
	return reader->options->turn(reader->sink->ctx);
}

static int tell_container(struct hprof_reader *reader, uint64_t type, uint64_t id1)
{
	const struct event event = {
		.kind = EVENT_CONTAINER, .time = 1, .stamp = 1,
		.container = { .type = type, .id1 = id1, .id2 = EVENT_UNKNOWN },
	};

	return hprof_reader__tell(reader, &event);
}

static int tell_damage(struct hprof_reader *reader, uint64_t at)
{
	const struct event event = { .kind = EVENT_LOSS,
				     .loss = { .kind = LOSS_MALFORMED, .count = 1 } };

	if (!reader->facts->damaged++)
		reader->facts->damage_at = at;
	return hprof_reader__tell(reader, &event);
}

/* ---------------------------------------------------------------- records */

/* So many bytes of the record, which has them. */
static bool need(struct hprof_reader *reader, uint64_t bytes)
{
	if (bytes > reader->left || !hprof_input__need(&reader->input, bytes))
		return false;
	reader->left -= bytes;
	return true;
}

static int take_string(struct hprof_reader *reader)
{
	struct hprof_input *input = &reader->input;
	uint64_t id, bytes;
	int err;

	if (!need(reader, input->id_bytes))
		return -EBADMSG;
	id = hprof_input__id(input);
	bytes = reader->left;
	if (bytes > NAME_MOST || !need(reader, bytes))
		return -EBADMSG;
	err = hprof_names__add(&reader->names, id, input->data + input->at, bytes);
	input->at += bytes;
	return err;
}

static int take_load_class(struct hprof_reader *reader)
{
	struct hprof_input *input = &reader->input;
	uint32_t serial, number;

	if (!need(reader, 8 + 2 * (uint64_t)input->id_bytes))
		return -EBADMSG;
	serial = hprof_input__u4(input);
	number = hprof_classes__make(&reader->classes, hprof_input__id(input));
	if (number == HPROF_NO_NUMBER)
		return -ENOMEM;
	hprof_input__u4(input); /* of a stack trace */
	reader->classes.of.items[number].name = hprof_input__id(input);
	reader->classes.of.items[number].serial = serial;
	return hprof_ids__put(&reader->classes.serials, serial, number);
}

static int take_frame(struct hprof_reader *reader)
{
	struct hprof_input *input = &reader->input;
	struct hprof_frame_of frame;

	if (!need(reader, 4 * (uint64_t)input->id_bytes + 8))
		return -EBADMSG;
	frame.id = hprof_input__id(input);
	frame.method = hprof_input__id(input);
	hprof_input__id(input); /* the method's signature */
	frame.source = hprof_input__id(input);
	frame.class_ = hprof_input__u4(input);
	frame.line = (int32_t)hprof_input__u4(input);
	return hprof_stacks__add_frame(&reader->stacks, &frame);
}

static int take_trace(struct hprof_reader *reader)
{
	struct hprof_input *input = &reader->input;
	uint32_t serial, thread, count;
	int err;

	if (!need(reader, 12))
		return -EBADMSG;
	serial = hprof_input__u4(input);
	thread = hprof_input__u4(input);
	count = hprof_input__u4(input);
	for (uint32_t i = 0; i < count; i++) {
		if (!need(reader, input->id_bytes))
			return -EBADMSG;
		if (vec__push(&reader->stacks.ids, hprof_input__id(input)))
			return -ENOMEM;
	}
	err = hprof_stacks__add_trace(&reader->stacks, serial, count);
	return err || !thread ? err : hprof_stacks__thread(&reader->stacks, thread, serial, 0);
}

static int take_thread(struct hprof_reader *reader)
{
	struct hprof_input *input = &reader->input;
	uint32_t thread;

	if (!need(reader, 8 + 4 * (uint64_t)input->id_bytes))
		return -EBADMSG;
	thread = hprof_input__u4(input);
	hprof_input__id(input); /* the thread's object: also a root */
	hprof_input__u4(input); /* where it was started */
	return hprof_stacks__thread(&reader->stacks, thread, 0, hprof_input__id(input));
}

/*
 * Before segments there was one record for all; its length is told modulo 4 GiB by some who write
 * more than that, and as 0 by some who cannot know it.
 */
static void measure_dump(struct hprof_reader *reader)
{
	const struct hprof_input *input = &reader->input;
	const uint64_t behind = input->file_bytes - hprof_input__position(input);

	if (!reader->left)
		reader->left = UINT64_MAX;
	else if (input->is_file && behind > reader->left)
		reader->left += (behind - reader->left) & ~(uint64_t)UINT32_MAX;
	reader->end = reader->left == UINT64_MAX ? UINT64_MAX :
						   hprof_input__position(input) + reader->left;
}

static int take_record(struct hprof_reader *reader, uint8_t tag)
{
	switch (tag) {
	case HPROF_STRING:
		return take_string(reader);
	case HPROF_LOAD_CLASS:
		return take_load_class(reader);
	case HPROF_STACK_FRAME:
		return take_frame(reader);
	case HPROF_STACK_TRACE:
		return take_trace(reader);
	case HPROF_START_THREAD:
		return take_thread(reader);
	case HPROF_HEAP_DUMP:
		measure_dump(reader);
		reader->facts->has_dump = true;
		return hprof_heap__read(reader);
	case HPROF_HEAP_DUMP_SEGMENT:
		reader->facts->has_dump = reader->is_open = true;
		return hprof_heap__read(reader);
	case HPROF_HEAP_DUMP_END:
		reader->is_open = false;
		return 0;
	default:
		return 0; /* of allocations, of CPU samples: nothing of the heap */
	}
}

/* To the end of the record, whatever of it was taken. False: it is cut off. */
static bool pass_rest(struct hprof_reader *reader, int answer)
{
	struct hprof_input *input = &reader->input;

	if (reader->end == UINT64_MAX && answer == 0)
		return true;
	return hprof_input__skip(input, reader->end - hprof_input__position(input)) &&
	       answer != -EPIPE;
}

static int read_record(struct hprof_reader *reader)
{
	struct hprof_input *input = &reader->input;
	const uint64_t began = hprof_input__position(input);
	const uint8_t tag = hprof_input__u1(input);
	int answer;

	hprof_input__u4(input); /* when */
	reader->left = hprof_input__u4(input);
	reader->end = hprof_input__position(input) + reader->left;
	reader->facts->is_whole = false;
	answer = take_record(reader, tag);
	if (answer && answer != -EBADMSG && answer != -EPIPE)
		return answer;
	reader->facts->is_whole = pass_rest(reader, answer);
	return answer == -EBADMSG && reader->facts->is_whole ? tell_damage(reader, began) : 0;
}

static int read_records(struct hprof_reader *reader)
{
	struct hprof_input *input = &reader->input;
	int answer = 0;

	while (!answer && hprof_input__need(input, HPROF_RECORD_HEAD)) {
		answer = read_record(reader);
		if (!answer)
			answer = hprof_reader__check_limit(reader);
		if (!answer)
			answer = hprof_reader__turn(reader);
	}
	/* A JVM that is stopped in its dump stops between two segments, mostly. */
	if (input->end != input->at || reader->is_open ||
	    (input->gzip && !hprof_gzip__is_whole(input->gzip)))
		reader->facts->is_whole = false;
	return answer ? answer : input->err;
}

/* ---------------------------------------------------------------- the whole */

static bool is_known(const char *version)
{
	static const char *const known[] = { "1.0", "1.0.1", "1.0.2", "1.0.3" };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(known[i], version) == 0)
			return true;
	return false;
}

static int read_head(struct hprof_reader *reader)
{
	struct hprof_input *input = &reader->input;
	const size_t prefix = HPROF_TEXT_BYTES;
	const char *text;
	size_t length;

	hprof_input__need(input, HEAD_MOST + 12);
	if (hprof_gzip__begins(input->data, input->end)) {
		if (hprof_input__inflate(input))
			return -ENOMEM;
		hprof_input__need(input, HEAD_MOST + 12);
	}
	text = (const char *)input->data;
	if (input->end < prefix || memcmp(text, HPROF_TEXT, prefix) != 0)
		return input->err ? input->err : -EBADMSG;
	length = strnlen(text, input->end < HEAD_MOST ? input->end : HEAD_MOST);
	if (length == input->end || input->end - length < 13)
		return input->err ? input->err : -ENODATA;
	memcpy(reader->facts->version, text + prefix,
	       length - prefix < sizeof(reader->facts->version) ?
		       length - prefix : sizeof(reader->facts->version) - 1);
	input->at = length + 1;
	reader->facts->id_bytes = input->id_bytes = hprof_input__u4(input);
	reader->facts->ms = hprof_input__number(input, 8);
	reader->classes.id_bytes = input->id_bytes;
	if (!is_known(reader->facts->version) || (input->id_bytes != 4 && input->id_bytes != 8))
		return -EPROTONOSUPPORT;
	return 0;
}

/* What is known in the end only; also of a file that is cut off. */
static int finish(struct hprof_reader *reader)
{
	const struct hprof_sizes *sizes = &reader->facts->sizes;
	const bool heads = reader->options->heads;
	int answer = hprof_objects__finish(reader);

	if (!answer)
		answer = hprof_classes__tell_objects(&reader->classes, sizes, heads, reader->sink);
	if (!answer)
		answer = hprof_classes__tell(&reader->classes, sizes, reader->sink);
	reader->facts->unnamed = reader->classes.unnamed;
	if (!answer && !heads)
		answer = hprof_classes__tell_roots(&reader->classes, reader->sink);
	if (!answer && !heads)
		answer = hprof_stacks__tell(&reader->stacks, &reader->names, &reader->classes,
					    reader->sink);
	if (!answer && reader->facts->is_whole && reader->facts->has_dump)
		answer = tell_container(reader, GCTRACE_C_END, GCTRACE_DUMP_COMPLETE);
	return answer;
}

static int read_all(struct hprof_reader *reader)
{
	int answer = read_head(reader), err;

	if (!answer)
		answer = tell_container(reader, GCTRACE_C_BEGIN, EVENT_UNKNOWN);
	if (answer)
		return answer;
	answer = read_records(reader);
	reader->facts->position = hprof_input__position(&reader->input);
	if (answer && answer != -ECANCELED)
		return answer;
	if (answer)
		reader->facts->is_whole = false;
	err = finish(reader);
	return err ? err : answer;
}

int hprof__read(int fd, const struct hprof_options *options, const struct event_sink *sink,
		struct hprof_facts *facts)
{
	struct hprof_reader *reader = calloc(1, sizeof(*reader));
	int answer;

	*facts = (struct hprof_facts){ .id_bytes = 0 };
	if (!reader)
		return -ENOMEM;
	reader->options = options;
	reader->sink = sink;
	reader->facts = facts;
	reader->classes.names = &reader->names;
	reader->last_class = reader->last_index = HPROF_NO_NUMBER;
	answer = hprof_input__init(&reader->input, fd, options->stop_fd);
	if (!answer)
		answer = read_all(reader);
	hprof_input__free(&reader->input);
	hprof_names__free(&reader->names);
	hprof_classes__free(&reader->classes);
	hprof_stacks__free(&reader->stacks);
	vec__free(&reader->references);
	vec__free(&reader->waiting);
	buf__free(&reader->waiting_bytes);
	free(reader);
	return answer;
}
