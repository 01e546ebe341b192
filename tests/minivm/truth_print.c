/* SPDX-License-Identifier: BSD-2-Clause */
/* --print-truth: a truth file as lines, one for each object, root and event; what it is first. */
#include "truth_reader.h"
#include "truth_write.h"

#include <inttypes.h>

static void print_text(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		if (text[i] > ' ' && text[i] < 127 && text[i] != '\\')
			putchar(text[i]);
		else
			printf("\\x%02x", (unsigned char)text[i]);
	}
}

static void print_class(const struct truth_class *c)
{
	const char *text = (const char *)(c + 1);

	printf("class %" PRIu64 " super=%" PRIu64 " flags=%#x bytes=%u name=", c->number, c->super,
	       c->flags, c->instance_bytes);
	print_text(text, c->name_bytes);
	text += c->name_bytes;
	for (uint32_t i = 0; i < c->fields; i++) {
		size_t n = strlen(text);

		printf(i ? "," : " fields=");
		print_text(text, n);
		text += n + 1;
	}
	putchar('\n');
}

static void print_objects(const struct truth_part *part)
{
	const struct truth_object *o = (const void *)(part + 1);

	for (uint64_t i = 0; i < part->count; i++, o++)
		printf("object %" PRIu64 " at=%#" PRIx64 " size=%" PRIu64
		       " class=%u generation=%u age=%u%s\n",
		       o->id, o->address, o->size, o->class_, o->generation, o->age,
		       o->flags & 1 ? " pinned" : "");
}

static void print_references(const struct truth_part *part)
{
	const uint64_t *word = (const void *)(part + 1);

	for (uint64_t i = 0; i < part->count; i++) {
		uint64_t n = *word++;

		printf("references %" PRIu64 ":", i);
		while (n--)
			printf(" %" PRIu64, *word++);
		putchar('\n');
	}
}

static void print_gone(const struct truth_part *part)
{
	const uint64_t *id = (const void *)(part + 1);

	for (uint64_t i = 0; i < part->count; i++)
		printf("gone %" PRIu64 "\n", id[i]);
}

static void print_roots(const struct truth_part *part)
{
	const struct truth_root *r = (const void *)(part + 1);

	for (uint64_t i = 0; i < part->count; i++, r++)
		printf("root container=%" PRIu64 ",%#" PRIx64 ",%#" PRIx64 " kind=%" PRIu64
		       ",%" PRIu64 " object=%" PRIu64 "\n",
		       r->container, r->id1, r->id2, r->kind, r->kind_id, r->object);
}

static void print_usage(const char *name, const struct truth_usage *usage)
{
	printf(" %s=%" PRIu64 "/%" PRIu64, name, usage->objects, usage->bytes);
}

static void print_finish(const struct truth_gc_finish *finish)
{
	printf("gc-finish %" PRIu64 " time=%" PRIu64 " pause=%" PRIu64 "\n", finish->gc,
	       finish->time_ns, finish->pause);
	for (unsigned i = 0; i < 3; i++) {
		const struct truth_counts *c = &finish->counts[i];
		const struct truth_pool *p = &finish->pools[i];

		printf("counts %" PRIu64 " generation=%u", finish->gc, i);
		print_usage("condemned", &c->condemned);
		print_usage("moved", &c->moved);
		print_usage("stayed", &c->stayed);
		print_usage("survived", &c->survived);
		print_usage("promoted", &c->promoted);
		print_usage("dead", &c->dead);
		printf("\npool %" PRIu64 " generation=%u before=%" PRIu64 " used=%" PRIu64
		       " committed=%" PRIu64 " max=%" PRIu64 "\n",
		       finish->gc, i, p->before, p->used, p->committed, p->max);
	}
}

static void print_pause(const struct truth_pause *p)
{
	printf("pause %" PRIu64 " why=%" PRIu64 " gc=%" PRIu64 " requested=%" PRIu64
	       " begin=%" PRIu64 " end=%" PRIu64 "\n",
	       p->number, p->why, p->gc, p->requested_ns, p->begin_ns, p->end_ns);
}

static void print_start(const struct truth_gc_start *s)
{
	printf("gc-start %" PRIu64 " time=%" PRIu64 " pause=%" PRIu64 " condemned=%" PRIu64
	       " reason=%u how=%u\n",
	       s->gc, s->time_ns, s->pause, s->condemned, s->reason, s->how);
}

static void print_dump(const struct truth_dump *d)
{
	printf("dump %" PRIu64 " gc=%" PRIu64 " status=%" PRIu64 " objects=%" PRIu64
	       " references=%" PRIu64 " roots=%" PRIu64 " bytes=%" PRIu64 "\n",
	       d->dump, d->gc, d->status, d->objects, d->references, d->roots, d->bytes);
}

static void print_ages(const char *name, const uint64_t *ages)
{
	printf(" %s=", name);
	for (unsigned i = 0; i < TRUTH_SITE_AGES; i++)
		printf("%s%" PRIu64, i ? "," : "", ages[i]);
}

static void print_site(const struct truth_site *s)
{
	printf("site %" PRIu64 " stack=%" PRIu64 " class=%" PRIu64 " allocated=%" PRIu64 "/%" PRIu64
	       " promoted=%" PRIu64 " old=%" PRIu64,
	       s->gc, s->stack, s->class_, s->allocated_objects, s->allocated_bytes,
	       s->promoted_bytes, s->old_bytes);
	print_ages("objects", s->live_objects);
	print_ages("bytes", s->live_bytes);
	putchar('\n');
}

static void print_record(const struct truth_reader *reader)
{
	const void *payload = reader->payload;

	switch (reader->kind) {
	case TRUTH_CLASS:
		print_class(payload);
		break;
	case TRUTH_PAUSE:
		print_pause(payload);
		break;
	case TRUTH_GC_START:
		print_start(payload);
		break;
	case TRUTH_OBJECTS:
		print_objects(payload);
		break;
	case TRUTH_REFERENCES:
		print_references(payload);
		break;
	case TRUTH_GONE:
		print_gone(payload);
		break;
	case TRUTH_ROOTS:
		print_roots(payload);
		break;
	case TRUTH_GC_FINISH:
		print_finish(payload);
		break;
	case TRUTH_DUMP:
		print_dump(payload);
		break;
	case TRUTH_SITE:
		print_site(payload);
		break;
	case TRUTH_END:
		puts("end");
		break;
	default:
		printf("unknown %u\n", reader->kind);
	}
}

int truth__print(const char *path)
{
	struct truth_reader reader;
	int err = truth__open_reader(&reader, path);

	if (err)
		fprintf(stderr, "minivm: cannot read %s: %s\n", path,
			err == -EPROTO ? "this is no truth file" : strerror(-err));
	while (!err && (err = truth__next(&reader)) > 0) {
		print_record(&reader);
		err = 0;
	}
	truth__close_reader(&reader);
	return err || fflush(stdout) ? 1 : 0;
}
