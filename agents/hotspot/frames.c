/* SPDX-License-Identifier: BSD-2-Clause */
#include "frames.h"
#include "agents/common/table.h"
#include "names.h"
#include "rooms.h"

#include <stdio.h>
#include <string.h>

#define FRAMES_MOST (1u << 20)
#define TEXTS_ROOM (256u << 20)

struct frame {
	struct table_entry entry; /* by a mixture of all three: see find() */
	jmethodID method;
	jlocation at;
	uint32_t edition, bytes;
	char *text; /* NULL: it is forgotten */
	struct frame *next; /* of the forgotten ones */
	bool is_kept;
};

static struct table frames;
static struct frame *forgotten;
static struct rooms texts;
static char line[2 * NAMES_ROOM + 2 * 65536]; /* a class, a method and a file */

bool frames__init(void)
{
	return table__reserve(&frames, sizeof(struct frame), FRAMES_MOST) &&
	       rooms__reserve(&texts, TEXTS_ROOM);
}

void frames__release(void)
{
	table__release(&frames);
	rooms__release(&texts);
}

void frames__empty(void)
{
	table__empty(&frames);
	rooms__empty(&texts);
	forgotten = NULL;
}

/* ---- What the JVM says ---- */

static int line_number(const struct visit *visit, const jvmtiFrameInfo *frame)
{
	jvmtiLineNumberEntry *lines = NULL;
	jint count = 0, number = 0;
	jlocation best = -1;

	if (VM_CALL(visit->jvmti, GetLineNumberTable, frame->method, &count, &lines))
		return 0;
	for (jint i = 0; i < count; i++) {
		const jlocation start = lines[i].start_location;

		if (start <= frame->location && start > best) {
			best = start;
			number = lines[i].line_number;
		}
	}
	vm__free(visit->jvmti, lines);
	return number;
}

static size_t add_place(const struct visit *visit, const jvmtiFrameInfo *frame, jclass class_,
			char *to, size_t room)
{
	const int number = line_number(visit, frame);
	char *file = NULL;
	int bytes;

	if (frame->location < 0)
		return (size_t)snprintf(to, room, "(Native Method)");
	if (VM_CALL(visit->jvmti, GetSourceFileName, class_, &file))
		return (size_t)snprintf(to, room, "(Unknown Source)");
	if (number)
		bytes = snprintf(to, room, "(%s:%d)", file, number);
	else
		bytes = snprintf(to, room, "(%s)", file);
	vm__free(visit->jvmti, file);
	return (size_t)bytes;
}

static size_t add_class(const struct visit *visit, jclass class_, char *to, size_t room)
{
	char *signature = NULL;
	size_t bytes;

	if (VM_CALL(visit->jvmti, GetClassSignature, class_, &signature, NULL))
		return (size_t)snprintf(to, room, "?");
	bytes = names__class(signature, to, room);
	vm__free(visit->jvmti, signature);
	return bytes;
}

static size_t describe(const struct visit *visit, const jvmtiFrameInfo *frame, jclass class_)
{
	size_t used = add_class(visit, class_, line, NAMES_ROOM);
	char *name = NULL;

	if (VM_CALL(visit->jvmti, GetMethodName, frame->method, &name, NULL, NULL))
		name = NULL;
	used += (size_t)snprintf(line + used, 65536 + 2, ".%s", name ? name : "?");
	vm__free(visit->jvmti, name);
	return used + add_place(visit, frame, class_, line + used, sizeof(line) - used - 1);
}

/* While there is a handle of its class, a method stays. */
static size_t write_line(const struct visit *visit, const jvmtiFrameInfo *frame)
{
	jclass class_ = NULL;
	size_t used;

	if (VM_CALL(visit->jvmti, GetMethodDeclaringClass, frame->method, &class_)) {
		used = (size_t)snprintf(line, sizeof(line), "[unloaded method]");
	} else {
		used = describe(visit, frame, class_);
		VM_CALL(visit->jni, DeleteLocalRef, class_);
	}
	for (size_t i = 0; i < used; i++) /* names may have one, and it ends a frame */
		line[i] = line[i] == '\n' ? ' ' : line[i];
	line[used++] = '\n';
	return used;
}

/* ---- What is known ---- */

static bool is(const struct frame *known, const jvmtiFrameInfo *frame, uint32_t edition)
{
	return known->method == frame->method && known->at == frame->location &&
	       known->edition == edition;
}

/* Where it is not known, *key is the one that it gets. */
static struct frame *find(const jvmtiFrameInfo *frame, uint32_t edition, uint64_t *key)
{
	struct frame *known;

	*key = (uintptr_t)frame->method * UINT64_C(0x9E3779B97F4A7C15) +
	       (uint64_t)frame->location + ((uint64_t)edition << 32);
	while ((known = table__find(&frames, *key)) && !is(known, frame, edition))
		++*key;
	return known;
}

static struct frame *get_entry(uint64_t key)
{
	struct frame *entry = forgotten;

	if (!entry)
		return table__add(&frames, key);
	forgotten = entry->next;
	table__put_back(&frames, entry, key);
	return entry;
}

static struct frame *add(const struct visit *visit, const jvmtiFrameInfo *frame, uint32_t edition,
			 uint64_t key)
{
	const size_t bytes = write_line(visit, frame);
	char *text = rooms__get(&texts, bytes);
	struct frame *known = text ? get_entry(key) : NULL;

	if (!known) {
		if (text)
			rooms__give_back(&texts, text, bytes);
		return NULL;
	}
	memcpy(text, line, bytes);
	known->method = frame->method;
	known->at = frame->location;
	known->edition = edition;
	known->bytes = (uint32_t)bytes;
	known->text = text;
	return known;
}

const char *frames__text(const struct visit *visit, const jvmtiFrameInfo *frame, uint32_t edition,
			 size_t *bytes)
{
	uint64_t key;
	struct frame *known = find(frame, edition, &key);

	if (!known)
		known = add(visit, frame, edition, key);
	if (!known)
		return NULL;
	*bytes = known->bytes;
	return known->text;
}

/* ---- Forgetting ---- */

void frames__begin_sweep(void)
{
	for (uint32_t i = 0; i < frames.count; i++)
		((struct frame *)table__at(&frames, i))->is_kept = false;
}

void frames__keep(const jvmtiFrameInfo *frame, uint32_t edition)
{
	uint64_t key;
	struct frame *known = find(frame, edition, &key);

	if (known)
		known->is_kept = true;
}

static void forget(struct frame *frame)
{
	table__take_out(&frames, frame);
	rooms__give_back(&texts, frame->text, frame->bytes);
	frame->text = NULL;
	frame->next = forgotten;
	forgotten = frame;
}

void frames__end_sweep(void)
{
	for (uint32_t i = 0; i < frames.count; i++) {
		struct frame *frame = table__at(&frames, i);

		if (frame->text && !frame->is_kept)
			forget(frame);
	}
}
