/* SPDX-License-Identifier: BSD-2-Clause */
#include "jvm_sizes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/vec.h"
#include "jvm_flags.h"
#include "jvm_layout.h"
#include "jvm_memory.h"
#include "jvm_structs.h"
#include "process.h"
#include "remote.h"

#define MOST_LOADERS (1u << 20)
#define MOST_CLASSES (1u << 22)
#define NO_GAP_FEATURE 23 /* since then elements begin right behind the length */
#define MOST_ALIGNMENT 256u
#define MOST_INSTANCE (1u << 26)
#define WORD 8u
#define SLOW_PATH 1u /* in the helper of a class whose instances are not made inline */

struct sized_class {
	size_t name, length; /* in texts */
	uint64_t bytes;	     /* 0: several classes of this name differ */
};

struct jvm_sizes {
	struct remote remote;
	struct jvm_memory *memory;
	struct jvm_structs *structs;
	struct jvm_layout layout;
	struct jvm_object_layout objects;
	uint64_t loaders; /* address of the first one's */
	uint64_t loader_next, loader_klasses, klass_next;
	bool has_read;
	struct buf texts;
	VEC(struct sized_class) classes; /* sorted by name */
};

/* ---------------------------------------------------------------- opening */

static bool flag(struct jvm_sizes *sizes, const char *name)
{
	return jvm_flags__is_set(sizes->memory, &sizes->layout, name, false);
}

static int find_layout(struct jvm_sizes *sizes, unsigned int feature)
{
	struct jvm_object_layout *objects = &sizes->objects;
	uint64_t alignment;

	if (!jvm_flags__number(sizes->memory, &sizes->layout, "ObjectAlignmentInBytes", 2,
			       &alignment))
		return -ENOTSUP;
	if (alignment < WORD || alignment > MOST_ALIGNMENT || alignment & (alignment - 1))
		return -EINVAL;
	objects->alignment = (uint32_t)alignment;
	objects->reference = flag(sizes, "UseCompressedOops") ? 4 : 8;
	if (flag(sizes, "UseCompactObjectHeaders"))
		objects->head = 8;
	else /* a release without the switch has no other way */
		objects->head = jvm_flags__is_set(sizes->memory, &sizes->layout,
						  "UseCompressedClassPointers", true) ? 12 : 16;
	objects->array = objects->head + 4;
	if (objects->head == 16 && feature < NO_GAP_FEATURE)
		objects->array = 24;
	return 0;
}

static int open_sizes(struct jvm_sizes *sizes, const struct process *process,
		      const struct maps *maps, unsigned int feature, struct buf *why)
{
	uint64_t exports[JVM_EXPORTS];
	int err;

	remote__init(&sizes->remote, process->pid);
	sizes->memory = jvm_memory__new(&sizes->remote);
	if (!sizes->memory)
		return -ENOMEM;
	err = jvm_structs__find_exports(process, maps, exports, why);
	if (!err)
		err = jvm_structs__read(sizes->memory, exports, &sizes->structs, why);
	if (!err)
		err = jvm_layout__find(sizes->structs, &sizes->layout, why);
	if (!err)
		err = find_layout(sizes, feature);
	if (err)
		return err;
	if (!jvm_structs__address(sizes->structs, "ClassLoaderDataGraph::_head",
				  &sizes->loaders) ||
	    !jvm_structs__offset(sizes->structs, "ClassLoaderData::_next", &sizes->loader_next) ||
	    !jvm_structs__offset(sizes->structs, "ClassLoaderData::_klasses",
				 &sizes->loader_klasses) ||
	    !jvm_structs__offset(sizes->structs, "Klass::_next_link", &sizes->klass_next) ||
	    sizes->layout.klass_helper == JVM_NONE)
		sizes->loaders = 0;
	return 0;
}

struct jvm_sizes *jvm_sizes__open(const struct process *process, const struct maps *maps,
				  unsigned int feature, struct buf *why)
{
	struct jvm_sizes *sizes = calloc(1, sizeof(*sizes));
	int err = sizes ? open_sizes(sizes, process, maps, feature, why) : -ENOMEM;

	if (!err)
		return sizes;
	if (!why->len)
		buf__add_str(why, strerror(-err));
	jvm_sizes__close(sizes);
	return NULL;
}

void jvm_sizes__close(struct jvm_sizes *sizes)
{
	if (!sizes)
		return;
	jvm_structs__free(sizes->structs);
	jvm_memory__free(sizes->memory);
	remote__free(&sizes->remote);
	buf__free(&sizes->texts);
	vec__free(&sizes->classes);
	free(sizes);
}

const struct jvm_object_layout *jvm_sizes__layout(const struct jvm_sizes *sizes)
{
	return &sizes->objects;
}

/* ---------------------------------------------------------------- classes */

static bool add_name(struct jvm_sizes *sizes, uint64_t klass, struct sized_class *class_)
{
	const struct jvm_layout *layout = &sizes->layout;
	char body[UINT16_MAX];
	uint64_t symbol;
	uint16_t length;

	if (!jvm_memory__u64(sizes->memory, klass + layout->klass_name, &symbol) ||
	    !jvm_memory__u16(sizes->memory, symbol + layout->symbol_length, &length) ||
	    !jvm_memory__read(sizes->memory, symbol + layout->symbol_body, body, length))
		return false;
	class_->name = sizes->texts.len;
	class_->length = length;
	buf__add(&sizes->texts, body, length);
	return true;
}

/* Arrays have a negative helper, and interfaces none. False: it makes no sense, or no memory. */
static bool add_class(struct jvm_sizes *sizes, uint64_t klass)
{
	struct sized_class class_;
	uint32_t helper;

	if (!jvm_memory__u32(sizes->memory, klass + sizes->layout.klass_helper, &helper))
		return false;
	class_.bytes = helper & ~(uint64_t)SLOW_PATH;
	if ((int32_t)helper <= 0)
		return true;
	if (class_.bytes % WORD || class_.bytes > MOST_INSTANCE)
		return false;
	/* The JVM counts in words; what an instance takes is aligned. */
	class_.bytes = (class_.bytes + sizes->objects.alignment - 1) &
		       ~(uint64_t)(sizes->objects.alignment - 1);
	return add_name(sizes, klass, &class_) && !vec__push(&sizes->classes, class_);
}

static bool read_classes(struct jvm_sizes *sizes)
{
	uint64_t loader, klass, loaders = 0, count = 0;

	if (!sizes->loaders || !jvm_memory__u64(sizes->memory, sizes->loaders, &loader))
		return false;
	for (; loader; loaders++) {
		if (loaders >= MOST_LOADERS ||
		    !jvm_memory__u64(sizes->memory, loader + sizes->loader_klasses, &klass))
			return false;
		for (; klass; count++)
			if (count >= MOST_CLASSES || !add_class(sizes, klass) ||
			    !jvm_memory__u64(sizes->memory, klass + sizes->klass_next, &klass))
				return false;
		if (!jvm_memory__u64(sizes->memory, loader + sizes->loader_next, &loader))
			return false;
	}
	return !sizes->texts.error;
}

static int compare_names(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
	const int order = memcmp(a, b, a_bytes < b_bytes ? a_bytes : b_bytes);

	return order ? order : a_bytes < b_bytes ? -1 : a_bytes > b_bytes;
}

static int compare_classes(const void *a, const void *b, void *texts)
{
	const struct sized_class *left = a, *right = b;
	const char *at = texts;

	return compare_names(at + left->name, left->length, at + right->name, right->length);
}

/* One of each name. */
static void sort(struct jvm_sizes *sizes)
{
	char *texts = sizes->texts.data;
	struct sized_class *of = sizes->classes.items;
	size_t kept = 0;

	if (!sizes->classes.count)
		return;
	qsort_r(of, sizes->classes.count, sizeof(*of), compare_classes, texts);
	for (size_t i = 1; i < sizes->classes.count; i++) {
		if (compare_classes(&of[kept], &of[i], texts))
			of[++kept] = of[i];
		else if (of[kept].bytes != of[i].bytes)
			of[kept].bytes = 0;
	}
	sizes->classes.count = kept + 1;
}

uint64_t jvm_sizes__of(struct jvm_sizes *sizes, const char *name, size_t bytes)
{
	size_t from = 0, to;

	if (!sizes->has_read) {
		sizes->has_read = true;
		jvm_memory__forget(sizes->memory);
		/* What was read of a list that broke off may lack the second of a name. */
		if (!read_classes(sizes))
			vec__reset(&sizes->classes);
		sort(sizes);
	}
	to = sizes->classes.count;
	while (from < to) {
		const size_t at = from + (to - from) / 2;
		const struct sized_class *class_ = &sizes->classes.items[at];
		const int order = compare_names(sizes->texts.data + class_->name, class_->length,
						name, bytes);

		if (!order)
			return class_->bytes;
		if (order < 0)
			from = at + 1;
		else
			to = at;
	}
	return 0;
}
