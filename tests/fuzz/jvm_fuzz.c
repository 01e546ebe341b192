/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pretend JVM (jvm_image.h) that is changed at some places before and between looks at it: it is
 * refused, or its thread is walked; either ends, and reads nothing but by the kernel.
 *
 * An input is a byte of choices and then changes: two bytes say where in the image, modulo its
 * size in words, one how, eight the value.
 */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "check.h"
#include "target/jvm.h"
#include "target/remote.h"
#include "target/walker.h"
#include "tests/unit/target/jvm_image.h"

#define CHANGE 11

static struct image image;

static void change(const uint8_t *bytes)
{
	const size_t words = sizeof(image) / sizeof(uint64_t);
	const size_t at = (bytes[0] | (size_t)bytes[1] << 8) % words;
	uint64_t *word = (uint64_t *)(void *)&image + at, value;

	memcpy(&value, bytes + 3, sizeof(value));
	switch (bytes[2] % 4) {
	case 0:
		*word = value;
		break;
	case 1:
		*word += value;
		break;
	case 2:
		*word ^= (uint64_t)1 << value % 64;
		break;
	default: /* a pointer to somewhere else in the image */
		*word = image__address(&image) + value % sizeof(image);
	}
}

static void check(struct jvm *jvm, const struct walk *walk)
{
	struct buf name = BUF_INIT;

	CHECK(walk->frames.count <= WALK_FRAMES);
	for (size_t i = 0; i < walk->frames.count; i++) {
		const struct frame *frame = &walk->frames.items[i];

		CHECK(frame->fields & FRAME_IP);
		CHECK(!(frame->fields & FRAME_METHOD) == !frame->method);
		CHECK((frame->guessed & ~frame->fields) == 0);
		CHECK((frame->lasting & ~frame->fields) == 0);
		if (frame->method)
			CHECK(jvm__name(jvm, frame->method, &name) == 0);
	}
	buf__free(&name);
}

static void check_name(struct jvm *jvm)
{
	struct buf name = BUF_INIT;
	uint32_t code_point;
	int err = jvm__thread_name(jvm, IMAGE_TID, &name);

	CHECK(!err || (err == -ENOENT && !name.len));
	for (size_t at = 0, len; at < name.len; at += len) {
		len = utf8__decode(name.data + at, name.len - at, &code_point);
		CHECK(len > 0);
	}
	buf__free(&name);
}

static void look(struct jvm *jvm, uint8_t choices)
{
	struct caught_thread caught = { .inner_tid = IMAGE_TID, .how = choices % 4 };
	struct walk walk = { .wanted = choices & 64 ? 1 : 0 };
	struct walk_pause pause;

	if (choices & 4) {
		const int segment = choices & 8 ? IMAGE_AT_INTERPRETER : IMAGE_AT_COMPILED;

		caught.ip = image__pc(&image, segment, choices & 16 ? 8 : 0x44);
		caught.sp = image__address(&image.stack[IMAGE_COMPILED_SP]);
		caught.fp = image__address(&image.stack[IMAGE_FP]);
		caught.bcp = image__address(image.consts[IMAGE_INTERPRETED].code) + 5;
	}
	(void)jvm__refresh(jvm);
	(void)jvm__pause(jvm, &pause);
	CHECK(jvm__walk(jvm, &caught, &walk) == 0);
	check(jvm, &walk);
	check_name(jvm);
	vec__free(&walk.frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t exports[JVM_EXPORTS];
	struct remote remote;
	struct jvm *jvm;
	size_t at = 1;

	if (!size)
		return 0;
	image__make(&image, data[0] & 32);
	image__exports(&image, exports);
	remote__init(&remote, getpid());
	/* With the highest bit the tables are sound, and what they lead to is changed. */
	if (!(data[0] & 128))
		for (; at + CHANGE <= size && at < 1 + 4 * CHANGE; at += CHANGE)
			change(data + at);
	if (jvm__open(&remote, exports, &jvm, NULL))
		return 0;
	look(jvm, data[0]);
	for (; at + CHANGE <= size; at += CHANGE) {
		change(data + at);
		look(jvm, data[0]);
	}
	jvm__close(jvm);
	return 0;
}
