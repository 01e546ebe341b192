/* SPDX-License-Identifier: BSD-2-Clause */
/* The reports of heap dumps; see report.h. */
#include "mutator.h"
#include "report.h"

static struct gctrace_writer *writer(void)
{
	return &reporters[0].writer;
}

/* What this producer calls what it has numbered itself. */
void report__define_own(struct gctrace_writer *w)
{
	static const char *const generations[GENERATIONS] = { "nursery", "old", "large" };

	for (unsigned i = 0; i < GENERATIONS; i++)
		gctrace_write_define(w, GCTRACE_SPACE_GENERATION, i, 0, 0, generations[i],
				     __builtin_strlen(generations[i]));
	gctrace_write_define(w, GCTRACE_SPACE_REASON, REASON_TIMER, 0, 0, "timer", 5);
	gctrace_write_define(w, GCTRACE_SPACE_WHY, WHY_SWEPT, 0, 0, "swept", 5);
}

static void define_class(unsigned number)
{
	const struct class *c = &classes[number];

	if (report_wants.batch)
		gctrace_write_class(writer(), number, c->name.text, c->name.bytes, c->super,
				    c->flags, c->joined.text, c->joined.bytes, c->bytes);
	else
		gctrace_fire_class_define(number, c->name.text, c->name.bytes, c->super, c->flags,
					  c->joined.text, c->joined.bytes, c->bytes);
}

static void define(uint32_t space, uint64_t id, uint64_t a, const struct name *name)
{
	gctrace_write_define(writer(), space, id, a, 0, name->text, name->bytes);
}

/* Names that only batches can say. */
static void define_all(void)
{
	report__define_own(writer());
	gctrace_write_define(writer(), GCTRACE_SPACE_CONTAINER, GCTRACE_C_OWN, 0, 0,
			     "string table", 12);
	gctrace_write_define(writer(), GCTRACE_SPACE_ROOT_KIND, GCTRACE_ROOT_OWN, 0, 0,
			     "interned strings", 16);
	for (unsigned i = CLASS_OBJECT; i < CLASSES; i++) {
		define(GCTRACE_SPACE_LOADER, i, 0, &classes[i].loader);
		if (classes[i].module.bytes)
			define(GCTRACE_SPACE_MODULE, i, 0, &classes[i].module);
	}
	for (unsigned i = 0; i < METHODS; i++)
		define(GCTRACE_SPACE_METHOD, i, methods[i].class_, &methods[i].name);
	for (unsigned i = 0; i < mutators_count; i++)
		define(GCTRACE_SPACE_THREAD, mutators[i].id, mutators[i].tid, &mutators[i].name);
	for (unsigned i = 0; i < STATICS; i++)
		define(GCTRACE_SPACE_STATIC, static_fields[i].class_, static_fields[i].position,
		       &static_fields[i].name);
}

void report__dump_begin(uint64_t dump, uint64_t gc)
{
	report__container(GCTRACE_C_BEGIN, dump, gc);
	if (report_wants.classes) {
		for (unsigned i = CLASS_OBJECT; i < CLASSES; i++)
			define_class(i);
	}
	if (report_wants.batch && report_wants.container)
		define_all();
}

void report__container(uint64_t type, uint64_t id1, uint64_t id2)
{
	if (!report_wants.container)
		return;
	if (report_wants.batch)
		gctrace_write_container(writer(), type, id1, id2);
	else
		gctrace_fire_container_begin(type, id1, id2);
}

void report__roots(size_t count, const uint64_t *refs, const uint32_t *flags,
		   const uint64_t *kinds, const uint64_t *ids)
{
	if (!report_wants.roots)
		return;
	if (!report_wants.batch) {
		gctrace_fire_root_references(count, refs, flags, kinds, ids);
		return;
	}
	for (size_t i = 0; i < count; i++)
		gctrace_write_root(writer(), refs[i], flags[i], kinds[i], ids[i]);
}

void report__object(const struct object *o, uint32_t flags, uint64_t first, size_t count,
		    const uint64_t *refs, const uint32_t *ref_flags)
{
	struct gctrace_object object = {
		.id = (uint64_t)(uintptr_t)o,
		.class_ = object__class(o),
		.size = object__size(o),
		.flags = flags,
		.place = GCTRACE_PLACE_POSITION,
		.count = count,
		.refs = refs,
		.ref_flags = ref_flags,
		.first = first,
	};

	if (!report_wants.objects)
		return;
	if (report_wants.batch)
		gctrace_write_object(writer(), &object);
	else
		gctrace_fire_object_references(object.id, flags, count, refs, ref_flags,
					       object.class_, object.size);
}

void report__dump_end(uint64_t dump, enum gctrace_dump_status status,
		      const struct dump_totals *totals)
{
	report__container(GCTRACE_C_END, status, 0);
	if (report_wants.batch && report_wants.container)
		gctrace_write_dump_end(writer(), dump, status, totals->objects, totals->references,
				       totals->roots, totals->bytes);
	gctrace_flush(writer());
}

bool report__batch_has_gone(void)
{
	static uint64_t seen;
	const uint64_t now = __atomic_load_n(&report_emitter.sequence, __ATOMIC_RELAXED);
	const bool gone = now != seen;

	seen = now;
	return gone || !report_wants.batch;
}
