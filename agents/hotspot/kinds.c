/* SPDX-License-Identifier: BSD-2-Clause */
#include "kinds.h"
#include "agents/common/region.h"
#include "names.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define KINDS_MOST (1u << 20)
#define NAMES_ALL (256u << 20)
#define IDS_FROM (UINT64_C(1) << 40)
#define TOLD_AT_ONCE 1000u

struct kind {
	size_t name;
	uint32_t bytes, flags;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct region kinds, names;
static _Atomic uint32_t count, left_out;
static uint64_t before; /* numbers that were given before the last of them were forgotten */

bool kinds__init(void)
{
	return region__reserve(&kinds, sizeof(struct kind) * KINDS_MOST) &&
	       region__reserve(&names, NAMES_ALL);
}

void kinds__release(void)
{
	region__release(&kinds);
	region__release(&names);
}

void kinds__empty(void)
{
	region__empty(&kinds);
	region__empty(&names);
	before += count;
	count = left_out = 0;
}

uint64_t kinds__id(uint32_t number)
{
	return number ? IDS_FROM + before + number : 0;
}

static uint32_t flags_of(const char *signature)
{
	if (*signature != '[')
		return 0;
	return GCTRACE_CLASS_VARIABLE |
	       (strchr("L[", signature[1]) ? GCTRACE_CLASS_ARRAY : GCTRACE_CLASS_BYTES);
}

static struct kind *add(const char *signature)
{
	static char name[NAMES_ROOM];
	const size_t bytes = names__class(signature, name, sizeof(name));
	char *text = region__get(&names, bytes);
	struct kind *kind = text ? region__get(&kinds, sizeof(*kind)) : NULL;

	if (!kind)
		return NULL;
	memcpy(text, name, bytes);
	*kind = (struct kind){ (size_t)(text - (char *)names.at), (uint32_t)bytes,
			       flags_of(signature) };
	return kind;
}

/* Another thread may have been faster. */
static uint32_t number_new(jvmtiEnv *jvmti, jclass class_, const char *signature)
{
	uint32_t number = 0;
	jlong tag = 0;

	pthread_mutex_lock(&lock);
	VM_CALL(jvmti, GetTag, class_, &tag);
	if (tag)
		number = (uint32_t)tag;
	else if (add(signature))
		number = ++count;
	if (number && !tag)
		VM_CALL(jvmti, SetTag, class_, number);
	pthread_mutex_unlock(&lock);
	return number;
}

static uint32_t number_of(jvmtiEnv *jvmti, jclass class_)
{
	char *signature = NULL;
	uint32_t number;
	jlong tag = 0;

	if (VM_CALL(jvmti, GetTag, class_, &tag))
		return 0;
	if (tag)
		return (uint32_t)tag;
	if (VM_CALL(jvmti, GetClassSignature, class_, &signature, NULL))
		return 0;
	number = number_new(jvmti, class_, signature);
	vm__free(jvmti, signature);
	return number;
}

uint32_t kinds__of(jvmtiEnv *jvmti, jclass class_)
{
	const uint32_t number = number_of(jvmti, class_);

	left_out += !number;
	return number;
}

uint32_t kinds__left_out(void)
{
	return atomic_exchange(&left_out, 0);
}

uint32_t kinds__tell(struct gctrace_writer *writer, uint32_t first)
{
	const struct kind *all = (const void *)kinds.at;
	const uint32_t behind = count + 1;
	const uint32_t end = behind - first < TOLD_AT_ONCE ? behind : first + TOLD_AT_ONCE;

	for (uint32_t number = first; number < end; number++) {
		const struct kind *kind = &all[number - 1];

		gctrace_write_class(writer, kinds__id(number),
				    (const char *)names.at + kind->name, kind->bytes, 0,
				    kind->flags, NULL, 0, 0);
	}
	return end;
}
