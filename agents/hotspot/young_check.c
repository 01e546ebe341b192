/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of handles is changed by one thread of the agent, at any time but in a pause: it is in
 * native code while it does, and a pause does not wait for it. So an entry is cleared before its
 * handles are given back, which the JVM itself does not let happen in a pause; what a pause finds
 * in the table is valid until that pause is over.
 */
#include "young_check.h"
#include "addresses.h"

#include <stdatomic.h>
#include <stddef.h>

#define AT_ONCE 64 /* new ones */
#define NOBODY UINT64_MAX
#define TEXT_BYTES 200 /* of the longest one: so that not all have one size */

/* Not what any object's address could be. */
#define UNSEEN 1

struct handle {
	_Atomic(jweak) weak;
	jobject strong; /* NULL: it dies when it may */
};

/* Of a handle, in a pause. */
struct noted {
	uint64_t was;	/* address at the start */
	uint64_t found; /* by the walk */
	jweak handle;
};

static struct handle handles[YOUNG_CHECK_OBJECTS];
static unsigned next; /* to be replaced */

static struct noted noted[YOUNG_CHECK_OBJECTS];
static unsigned count, at;

/* ---- Outside of pauses ---- */

static void give_back(struct visit *visit, struct handle *handle)
{
	jweak weak = atomic_exchange(&handle->weak, NULL);

	if (weak)
		VM_CALL(visit->jni, DeleteWeakGlobalRef, weak);
	if (handle->strong)
		VM_CALL(visit->jni, DeleteGlobalRef, handle->strong);
	handle->strong = NULL;
}

/* Instances, arrays of numbers and arrays of references, of some sizes; none runs code of Java. */
static jobject make_object(struct visit *visit, unsigned i)
{
	const jsize length = (jsize)(i * 7 % TEXT_BYTES);
	jobject string;
	jclass class_;

	if (i % 4 == 0)
		return VM_CALL(visit->jni, NewByteArray, length);
	string = VM_CALL(visit->jni, NewStringUTF, "gctrace");
	if (i % 4 != 1 || !string)
		return string;
	class_ = VM_CALL(visit->jni, GetObjectClass, string);
	return VM_CALL(visit->jni, NewObjectArray, length, class_, string);
}

static bool replace(struct visit *visit, struct handle *handle, unsigned i)
{
	jobject object = make_object(visit, i);
	jweak weak = object ? VM_CALL(visit->jni, NewWeakGlobalRef, object) : NULL;

	give_back(visit, handle);
	if (!weak)
		return false;
	handle->strong = i % 2 ? VM_CALL(visit->jni, NewGlobalRef, object) : NULL;
	atomic_store(&handle->weak, weak);
	return true;
}

bool young_check__make(struct visit *visit)
{
	bool are_made = true;

	if (VM_CALL(visit->jni, PushLocalFrame, 4 * AT_ONCE)) {
		VM_CALL(visit->jni, ExceptionClear);
		return false;
	}
	for (unsigned i = 0; i < AT_ONCE && are_made; i++) {
		are_made = replace(visit, &handles[next], i);
		next = (next + 1) % YOUNG_CHECK_OBJECTS;
	}
	VM_CALL(visit->jni, ExceptionClear);
	VM_CALL(visit->jni, PopLocalFrame, NULL);
	return are_made;
}

void young_check__let_go(struct visit *visit)
{
	for (unsigned i = 0; i < YOUNG_CHECK_OBJECTS; i++)
		give_back(visit, &handles[i]);
}

/* ---- In a stopped world ---- */

static void sink_down(unsigned from, unsigned end)
{
	const struct noted item = noted[from];

	for (unsigned child; (child = 2 * from + 1) < end; from = child) {
		if (child + 1 < end && noted[child + 1].was > noted[child].was)
			child++;
		if (noted[child].was <= item.was)
			break;
		noted[from] = noted[child];
	}
	noted[from] = item;
}

static void sort(void)
{
	for (unsigned i = count / 2; i-- > 0;)
		sink_down(i, count);
	for (unsigned end = count; end-- > 1;) {
		const struct noted last = noted[end];

		noted[end] = noted[0];
		noted[0] = last;
		sink_down(0, end);
	}
}

void young_check__note(void)
{
	count = at = 0;
	for (unsigned i = 0; i < YOUNG_CHECK_OBJECTS; i++) {
		jweak handle = atomic_load(&handles[i].weak);
		const uint64_t address = handle ? addresses__of(handle) : 0;

		if (address)
			noted[count++] = (struct noted){ address, UNSEEN, handle };
	}
	sort();
}

static uint64_t upcoming(void)
{
	return at < count ? noted[at].was : NOBODY;
}

uint64_t young_check__from(uint64_t address)
{
	for (at = 0; at < count && noted[at].was < address;)
		at++;
	return upcoming();
}

uint64_t young_check__found(uint64_t to)
{
	noted[at++].found = to;
	return upcoming();
}

struct young_check young_check__judge(bool (*walked)(uint64_t address))
{
	struct young_check check = { .objects = count };

	for (unsigned i = 0; i < count; i++) {
		const uint64_t now = addresses__of(noted[i].handle);
		const bool was_walked = walked(noted[i].was);

		check.wrong += now != (was_walked ? noted[i].found : noted[i].was);
	}
	return check;
}
