/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpython_layout.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/refuse.h"

#define FIELD_MOST (4u << 20) /* an interpreter has some hundred KiB */

/* The words of struct _Py_DebugOffsets in 3.13, behind the cookie. */
enum published {
	P_VERSION = 1,
	P_FREE_THREADED = 2,
	P_INTERPRETERS = 5,
	P_INTERPRETER_NEXT = 8,
	P_THREADS = 9,
	P_GC = 10,
	P_LOCK_POINTER = 14,
	P_LOCK = 15,
	P_LOCK_IS_HELD = 17,
	P_LOCK_HOLDER = 18,
	P_THREAD_NEXT = 21,
	P_THREAD_INTERPRETER = 22,
	P_CURRENT_FRAME = 23,
	P_THREAD_ID = 25,
	P_FRAME_PREVIOUS = 29,
	P_FRAME_CODE = 30,
	P_FRAME_AT = 31,
	P_FRAME_OWNER = 33,
	P_CODE_FILE = 35,
	P_CODE_NAME = 37,
	P_CODE_LINE = 39,
	P_CODE_START = 43,
	P_TEXT_STATE = 68,
	P_TEXT_LENGTH = 69,
	P_TEXT_BYTES = 70,
	P_COLLECTING = 72,
	P_WORDS,
};

_Static_assert(P_WORDS * 8 <= CPYTHON_PUBLISHED, "all of it is read");

/* Include/internal/pycore_{runtime,interp,frame,gil}.h, cpython/{pystate,code}.h, with 64 bits. */
static const struct cpython_layout layout_3_11 = {
	.interpreters = 40, .interpreter_next = 0, .threads = 16, .collecting = 848,
	.lock_pointer = CPYTHON_NONE, .lock = 360, .lock_holder = 8, .lock_is_held = 16,
	.thread_next = 8, .thread_interpreter = 16, .thread_id = 160, .c_frame = 56,
	.current_frame = 8, .frame_code = 32, .frame_at = 56, .frame_previous = 48,
	.frame_owner = 69, .code_file = 112, .code_name = 128, .code_line = 72,
	.code_start = 184, .text_length = 16, .text_state = 32,
	.text_ascii = 48, .text_wide = 72,
};

static const struct cpython_layout layout_3_12 = {
	.interpreters = 40, .interpreter_next = 0, .threads = 72, .collecting = 312,
	.lock_pointer = 384, .lock = CPYTHON_NONE, .lock_holder = 8, .lock_is_held = 16,
	.thread_next = 8, .thread_interpreter = 16, .thread_id = 144, .c_frame = 56,
	.current_frame = 0, .frame_code = 0, .frame_at = 56, .frame_previous = 8,
	.frame_owner = 70, .code_file = 112, .code_name = 128, .code_line = 68,
	.code_start = 192, .text_length = 16, .text_state = 32,
	.text_ascii = 40, .text_wide = 56,
};

static int refuse_version(struct buf *why, const char *version, const char *reason)
{
	return refuse(why, -ENOTSUP, "%s of CPython %s", reason, escape(version));
}

static uint64_t word_at(const unsigned char *published, enum published which)
{
	uint64_t value;

	memcpy(&value, published + which * sizeof(value), sizeof(value));
	return value;
}

/* Each field with the word that tells it. */
static bool take_fields(const unsigned char *published, struct cpython_layout *layout)
{
	const struct {
		uint32_t *field;
		enum published which;
	} fields[] = {
		{ &layout->interpreters, P_INTERPRETERS },
		{ &layout->interpreter_next, P_INTERPRETER_NEXT },
		{ &layout->threads, P_THREADS },
		{ &layout->lock_pointer, P_LOCK_POINTER },
		{ &layout->thread_next, P_THREAD_NEXT },
		{ &layout->thread_interpreter, P_THREAD_INTERPRETER },
		{ &layout->thread_id, P_THREAD_ID },
		{ &layout->current_frame, P_CURRENT_FRAME },
		{ &layout->frame_code, P_FRAME_CODE },
		{ &layout->frame_at, P_FRAME_AT },
		{ &layout->frame_previous, P_FRAME_PREVIOUS },
		{ &layout->frame_owner, P_FRAME_OWNER },
		{ &layout->code_file, P_CODE_FILE },
		{ &layout->code_name, P_CODE_NAME },
		{ &layout->code_line, P_CODE_LINE },
		{ &layout->code_start, P_CODE_START },
		{ &layout->text_length, P_TEXT_LENGTH },
		{ &layout->text_state, P_TEXT_STATE },
		{ &layout->text_ascii, P_TEXT_BYTES },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const uint64_t value = word_at(published, fields[i].which);

		if (value >= FIELD_MOST)
			return false;
		*fields[i].field = (uint32_t)value;
	}
	return true;
}

static bool is_within(const uint32_t *fields, size_t count, uint32_t bytes)
{
	for (size_t i = 0; i < count; i++)
		if (fields[i] + sizeof(uint64_t) > bytes)
			return false;
	return true;
}

static bool is_sensible(const struct cpython_layout *layout)
{
	const uint32_t of_thread[] = { layout->thread_next, layout->thread_interpreter,
				       layout->thread_id, layout->current_frame };
	const uint32_t of_frame[] = { layout->frame_code, layout->frame_at,
				      layout->frame_previous, layout->frame_owner };
	const uint32_t of_code[] = { layout->code_file, layout->code_name, layout->code_line };

	return is_within(of_thread, 4, CPYTHON_THREAD_BYTES) &&
	       is_within(of_frame, 4, CPYTHON_FRAME_BYTES) &&
	       layout->code_start <= CPYTHON_CODE_BYTES && layout->code_start >= 24 &&
	       is_within(of_code, 3, layout->code_start);
}

static int take_published(const char *version, const unsigned char *published,
			  struct cpython_layout *layout, struct buf *why)
{
	const uint64_t gc = word_at(published, P_GC), in_gc = word_at(published, P_COLLECTING);
	const uint64_t lock = word_at(published, P_LOCK);

	if (memcmp(published, "xdebugpy", 8) != 0 || word_at(published, P_VERSION) >> 16 != 0x030d)
		return refuse_version(why, version,
				      "the interpreter does not publish the debug offsets");
	if (word_at(published, P_FREE_THREADED))
		return refuse_version(why, version,
			      "gctrace does not know the frames of the free-threaded build");
	*layout = (struct cpython_layout){ .lock = CPYTHON_NONE, .c_frame = CPYTHON_NONE };
	if (gc >= FIELD_MOST || in_gc >= FIELD_MOST || !take_fields(published, layout) ||
	    !is_sensible(layout))
		return refuse_version(why, version,
				      "the interpreter publishes senseless debug offsets");
	layout->collecting = (uint32_t)(gc + in_gc);
	/* Told of the lock that lies in the interpreter itself; one may use another's. */
	layout->lock_holder = (uint32_t)(word_at(published, P_LOCK_HOLDER) - lock);
	layout->lock_is_held = (uint32_t)(word_at(published, P_LOCK_IS_HELD) - lock);
	layout->text_wide = layout->text_ascii + 16; /* length and text as UTF-8 */
	return 0;
}

int cpython_layout__find(const char *version, const unsigned char *published,
			 struct cpython_layout *layout, struct buf *why)
{
	char *end;
	const long major = strtol(version, &end, 10), minor = *end == '.' ? atoi(end + 1) : -1;

	if (major == 3 && minor == 11)
		*layout = layout_3_11;
	else if (major == 3 && minor == 12)
		*layout = layout_3_12;
	else if (major == 3 && minor == 13)
		return take_published(version, published, layout, why);
	else
		return refuse_version(why, version, "gctrace does not know the frames");
	return 0;
}
