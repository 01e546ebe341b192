/* SPDX-License-Identifier: BSD-2-Clause */
#include "truth.h"

#include <time.h>

#include "minivm/truth_reader.h"

#define LOOKS 600
#define LOOK_NS 100000000

static void forget(struct truth *truth)
{
	vec__reset(&truth->objects);
	vec__reset(&truth->refs);
	vec__reset(&truth->roots);
}

static int add_objects(struct truth *truth, const struct truth_part *part)
{
	const struct truth_object *object = (const void *)(part + 1);

	for (uint64_t i = 0; i < part->count; i++)
		if (vec__push(&truth->objects, (struct true_object){ .object = object[i] }))
			return -ENOMEM;
	return 0;
}

/* Of the objects that came last. */
static int add_references(struct truth *truth, const struct truth_part *part)
{
	struct true_object *object =
		truth->objects.items + truth->objects.count - part->count;
	const uint64_t *word = (const void *)(part + 1);

	for (uint64_t i = 0; i < part->count; i++, object++) {
		object->count = *word++;
		object->first = truth->refs.count;
		for (uint64_t n = 0; n < object->count; n++)
			if (vec__push(&truth->refs, *word++))
				return -ENOMEM;
	}
	return 0;
}

static int add_roots(struct truth *truth, const struct truth_part *part)
{
	const struct truth_root *root = (const void *)(part + 1);

	for (uint64_t i = 0; i < part->count; i++)
		if (vec__push(&truth->roots, root[i]))
			return -ENOMEM;
	return 0;
}

static int add_class(struct truth *truth, const struct truth_class *class_, uint64_t bytes)
{
	struct true_class own = { .class_ = *class_ };
	const char *texts = (const char *)(class_ + 1), *end = texts + class_->name_bytes;

	for (uint32_t i = 0; i < class_->fields; i++)
		end += strlen(end) + 1;
	own.bytes = (size_t)(end - texts);
	own.texts = malloc(bytes);
	if (!own.texts)
		return -ENOMEM;
	memcpy(own.texts, texts, own.bytes);
	return vec__push(&truth->classes, own);
}

static int take(struct truth *truth, const struct truth_reader *reader)
{
	switch (reader->kind) {
	case TRUTH_CLASS:
		return add_class(truth, reader->payload, reader->bytes);
	case TRUTH_OBJECTS:
		return add_objects(truth, reader->payload);
	case TRUTH_REFERENCES:
		return add_references(truth, reader->payload);
	case TRUTH_ROOTS:
		return add_roots(truth, reader->payload);
	case TRUTH_GC_START:
	case TRUTH_GC_FINISH:
		forget(truth);
		return 0;
	case TRUTH_DUMP:
		truth->dump = *(const struct truth_dump *)reader->payload;
		return 0;
	default:
		return 0;
	}
}

/* 1: it is there; 0: not yet; negative errno. */
static int look(struct truth *truth, const char *path, uint64_t dump)
{
	struct truth_reader reader;
	int err = truth__open_reader(&reader, path);

	while (!err && truth__next(&reader) > 0) {
		err = take(truth, &reader);
		if (!err && reader.kind == TRUTH_DUMP) {
			err = truth->dump.dump == dump;
			if (!err)
				forget(truth);
		}
	}
	truth__close_reader(&reader);
	return err;
}

int truth__load(struct truth *truth, const char *path, uint64_t dump)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };

	for (int i = 0; i < LOOKS; i++) {
		int found = look(truth, path, dump);

		if (found)
			return found > 0 ? 0 : found;
		truth__free(truth);
		nanosleep(&pause, NULL);
	}
	return -ENOENT;
}

void truth__free(struct truth *truth)
{
	for (size_t i = 0; i < truth->classes.count; i++)
		free(truth->classes.items[i].texts);
	vec__free(&truth->objects);
	vec__free(&truth->refs);
	vec__free(&truth->roots);
	vec__free(&truth->classes);
}
