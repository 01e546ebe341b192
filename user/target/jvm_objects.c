/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an object looks like depends on switches of the JVM's, which do not change while it runs:
 *
 *	references       8 bytes, or 4 (UseCompressedOops): (value << shift) + base
 *	an object        a first word, its class, then its fields; the class is 8 bytes, or
 *			 4 (UseCompressedClassPointers), or in the first word
 *			 (UseCompactObjectHeaders)
 *	an array         its length behind the class, its items where the class's helper says
 *
 * References of a generational ZGC have colours in their last 16 bits, of which the four upper ones
 * have one bit set, and the address above that. Those of the older ZGC have colours on top, but
 * memory is mapped once for each colour.
 */
#include "jvm_objects.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "../base/utf16.h"
#include "jvm_fields.h"
#include "jvm_flags.h"
#include "jvm_layout.h"
#include "jvm_memory.h"
#include "jvm_symbols.h"
#include "remote.h"

#define WORD 8
#define SUPERS_MOST 64
#define HELPER_SHIFT 16
#define HELPER_MASK 0xff
#define Z_COLOURS UINT64_C(0xf000)

struct jvm_objects {
	struct jvm_memory *memory;
	const struct jvm_layout *layout;
	bool is_known; /* all that follows */
	bool narrow_oops, narrow_klasses, klass_in_mark, z_shifts;
	uint64_t oops_base, klasses_base;
	uint32_t oops_shift, klasses_shift;
	uint32_t name_at;		/* in a Thread; 0: not found yet */
	uint32_t value_at, coder_at;	/* in a String */
};

struct jvm_objects *jvm_objects__new(struct jvm_memory *memory, const struct jvm_layout *layout)
{
	struct jvm_objects *objects = calloc(1, sizeof(*objects));

	if (!objects)
		return NULL;
	objects->memory = memory;
	objects->layout = layout;
	return objects;
}

void jvm_objects__free(struct jvm_objects *objects)
{
	free(objects);
}

/* ---------------------------------------------------------------- how this JVM does it */

static void learn_switches(struct jvm_objects *objects)
{
	const struct jvm_layout *layout = objects->layout;
	struct jvm_memory *memory = objects->memory;

	objects->narrow_oops = jvm_flags__is_set(memory, layout, "UseCompressedOops", false);
	objects->klass_in_mark =
		layout->mark_klass_shift < 64 &&
		jvm_flags__is_set(memory, layout, "UseCompactObjectHeaders", false);
	objects->narrow_klasses =
		objects->klass_in_mark ||
		jvm_flags__is_set(memory, layout, "UseCompressedClassPointers", true);
	objects->z_shifts = layout->z_shift != JVM_NONE &&
			    jvm_flags__is_set(memory, layout, "UseZGC", false) &&
			    jvm_flags__is_set(memory, layout, "ZGenerational", true);
}

/* Asked for when there is a thread: then the JVM has settled it. */
static bool learn(struct jvm_objects *objects)
{
	const struct jvm_layout *layout = objects->layout;
	struct jvm_memory *memory = objects->memory;

	if (!jvm_layout__has_objects(layout))
		return false;
	learn_switches(objects);
	/* What is not used has no sensible value. */
	objects->is_known =
		jvm_memory__u64(memory, layout->oops_base, &objects->oops_base) &&
		jvm_memory__u32(memory, layout->oops_shift, &objects->oops_shift) &&
		jvm_memory__u64(memory, layout->klasses_base, &objects->klasses_base) &&
		jvm_memory__u32(memory, layout->klasses_shift, &objects->klasses_shift) &&
		(!objects->narrow_oops || objects->oops_shift < 32) &&
		(!objects->narrow_klasses || objects->klasses_shift < 32);
	return objects->is_known;
}

/* ---------------------------------------------------------------- objects */

/* As it is now: the JVM moves objects. -ENOENT: there is nothing. */
static int read_now(const struct jvm_objects *objects, uint64_t address, void *to, size_t size)
{
	int err = remote__read(jvm_memory__remote(objects->memory), address, to, size);

	return err == -EFAULT ? -ENOENT : err;
}

static uint64_t uncoloured(const struct jvm_objects *objects, uint64_t reference)
{
	const uint64_t colour = reference & Z_COLOURS;

	if (!objects->z_shifts)
		return reference;
	return colour ? reference >> (__builtin_ctzll(colour) + 1) : 0;
}

/* The object that a reference leads to; -ENOENT also for null. */
static int read_reference(const struct jvm_objects *objects, uint64_t at, bool is_narrow,
			  uint64_t *object)
{
	uint64_t value = 0;
	int err = read_now(objects, at, &value, is_narrow ? sizeof(uint32_t) : sizeof(value));

	if (err || !value)
		return err ? err : -ENOENT;
	*object = is_narrow ? (value << objects->oops_shift) + objects->oops_base :
			      uncoloured(objects, value);
	return *object && *object % WORD == 0 ? 0 : -ENOENT;
}

static int read_klass(const struct jvm_objects *objects, uint64_t object, uint64_t *klass)
{
	uint64_t value[2];
	int err = read_now(objects, object, value, sizeof(value));

	if (err)
		return err;
	*klass = objects->klass_in_mark ? value[0] >> objects->layout->mark_klass_shift :
		 objects->narrow_klasses ? (uint32_t)value[1] : value[1];
	if (objects->narrow_klasses)
		*klass = (*klass << objects->klasses_shift) + objects->klasses_base;
	return *klass && *klass % WORD == 0 ? 0 : -ENOENT;
}

static bool is_named(const struct jvm_objects *objects, uint64_t klass, const char *name)
{
	uint64_t symbol;

	return jvm_memory__u64(objects->memory, klass + objects->layout->klass_name, &symbol) &&
	       jvm_symbols__is(objects->memory, objects->layout, symbol, name);
}

/* The class of this name that a class is, or is derived from. */
static int find_super(const struct jvm_objects *objects, const char *name, uint64_t *klass)
{
	for (unsigned int i = 0; i < SUPERS_MOST && *klass; i++) {
		if (is_named(objects, *klass, name))
			return 0;
		if (!jvm_memory__u64(objects->memory, *klass + objects->layout->klass_super,
				     klass))
			return -ENOENT;
	}
	return -ENOENT;
}

/* ---------------------------------------------------------------- texts */

/* The items of a byte[]. *bytes is the caller's to free. */
static int read_bytes(const struct jvm_objects *objects, uint64_t array, unsigned char **bytes,
		      uint32_t *size)
{
	const uint64_t length_at = objects->klass_in_mark ? WORD :
				   objects->narrow_klasses ? WORD + sizeof(uint32_t) : 2 * WORD;
	uint64_t klass;
	uint32_t helper;
	int err = read_klass(objects, array, &klass);

	if (!err && (!is_named(objects, klass, "[B") ||
		     !jvm_memory__u32(objects->memory, klass + objects->layout->klass_helper,
				      &helper)))
		err = -ENOENT;
	if (!err)
		err = read_now(objects, array + length_at, size, sizeof(*size));
	if (!err && *size > JVM_NAME_MOST)
		err = -ENOENT;
	if (err)
		return err;
	*bytes = malloc(*size + 1);
	if (!*bytes)
		return -ENOMEM;
	err = *size ? read_now(objects, array + (helper >> HELPER_SHIFT & HELPER_MASK), *bytes,
			       *size) : 0;
	if (err)
		free(*bytes);
	return err;
}

static int learn_string(struct jvm_objects *objects, uint64_t klass)
{
	int err;

	if (!is_named(objects, klass, "java/lang/String"))
		return -ENOENT;
	if (objects->value_at)
		return 0;
	err = jvm_fields__find(objects->memory, objects->layout, klass, "coder", "B",
			       &objects->coder_at);
	return err ? err : jvm_fields__find(objects->memory, objects->layout, klass, "value", "[B",
					    &objects->value_at);
}

static int add_string(struct jvm_objects *objects, uint64_t string, struct buf *out)
{
	unsigned char *bytes;
	uint64_t klass, value;
	uint32_t size;
	uint8_t coder;
	int err = read_klass(objects, string, &klass);

	if (!err)
		err = learn_string(objects, klass);
	if (!err)
		err = read_now(objects, string + objects->coder_at, &coder, sizeof(coder));
	if (!err)
		err = read_reference(objects, string + objects->value_at, objects->narrow_oops,
				     &value);
	if (!err)
		err = read_bytes(objects, value, &bytes, &size);
	if (err)
		return err;
	if (coder == 0)
		latin1__add(out, bytes, size);
	else
		utf16__add(out, bytes, size);
	free(bytes);
	return out->error;
}

/* ---------------------------------------------------------------- threads */

static int learn_thread(struct jvm_objects *objects, uint64_t klass)
{
	int err = find_super(objects, "java/lang/Thread", &klass);

	if (err || objects->name_at)
		return err;
	return jvm_fields__find(objects->memory, objects->layout, klass, "name",
				"Ljava/lang/String;", &objects->name_at);
}

/* The String that is the thread's name. */
static int find_name(struct jvm_objects *objects, uint64_t java_thread, uint64_t *string)
{
	uint64_t handle, thread, klass;
	int err = read_now(objects, java_thread + objects->layout->thread_object, &handle,
			   sizeof(handle));

	if (!err)
		err = read_reference(objects, handle, false, &thread);
	if (!err)
		err = read_klass(objects, thread, &klass);
	if (!err)
		err = learn_thread(objects, klass);
	return err ? err : read_reference(objects, thread + objects->name_at,
					  objects->narrow_oops, string);
}

int jvm_objects__thread_name(struct jvm_objects *objects, uint64_t java_thread, struct buf *name)
{
	struct buf text = BUF_INIT;
	uint64_t string, again;
	int err;

	if (!objects->is_known && !learn(objects))
		return -ENOENT;
	err = find_name(objects, java_thread, &string);
	if (!err)
		err = add_string(objects, string, &text);
	if (!err)
		err = find_name(objects, java_thread, &again);
	if (!err && again != string)
		err = -ENOENT; /* it was moved, or the thread was given another */
	if (!err) {
		buf__add(name, buf__str(&text), text.len);
		err = name->error;
	}
	buf__free(&text);
	return err;
}
