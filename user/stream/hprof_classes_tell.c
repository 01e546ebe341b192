/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of classes in the end, when their names and sizes are known. */
#include <errno.h>
#include <string.h>

#include "gctrace/wire.h"
#include "hprof_classes.h"
#include "source.h"

#define FIELDS_MOST ((size_t)1 << 24) /* bytes of names: a class file has far less */

/* Of hidden classes, behind the other places of each instance. */
static const char class_field[] = "<class>";

static const char *const class_places[HPROF_AT_STATICS] = {
	[HPROF_AT_SUPER] = "<super>",
	[HPROF_AT_LOADER] = "<loader>",
	[HPROF_AT_SIGNERS] = "<signers>",
	[HPROF_AT_DOMAIN] = "<protection domain>",
};

struct teller {
	struct hprof_classes *classes;
	const struct hprof_sizes *sizes;
	const struct event_sink *sink;
	struct buf name, fields;
};

static int tell_class(struct teller *teller, uint64_t number, uint64_t super, uint64_t size,
		      uint32_t flags)
{
	const struct event event = {
		.kind = EVENT_CLASS,
		.class_ = { .class_ = number, .super = super, .size = size, .flags = flags,
			    .name = { buf__str(&teller->name), teller->name.len },
			    .fields = { buf__str(&teller->fields), teller->fields.len } },
	};

	if (teller->name.error || teller->fields.error)
		return -ENOMEM;
	return teller->sink->event(teller->sink->ctx, &event);
}

/* ---------------------------------------------------------------- names of fields */

/* References of one class itself, each closed by a 0. */
static void add_own_fields(struct teller *teller, const struct hprof_class *class_)
{
	for (size_t i = 0; i < class_->fields_count && teller->fields.len <= FIELDS_MOST; i++) {
		const struct hprof_field *field =
			&teller->classes->fields.items[class_->fields + i];
		const struct text name = hprof_names__get(teller->classes->names, field->name);

		if (field->type != HPROF_OBJECT)
			continue;
		buf__add(&teller->fields, name.at, name.bytes);
		buf__add_char(&teller->fields, 0);
	}
}

/* Those of the uppermost class first: of each that has any. */
static int add_fields(struct teller *teller, const struct hprof_class *class_)
{
	const struct hprof_class *of = teller->classes->of.items;
	VEC(const struct hprof_class *) chain = VEC_INIT;
	const struct hprof_class *at = class_;
	int err = vec__push(&chain, class_);

	while (!err && at->above != HPROF_NO_NUMBER) {
		at = &of[at->above];
		err = vec__push(&chain, at);
	}
	for (size_t i = chain.count; i-- > 0 && teller->fields.len <= FIELDS_MOST;)
		add_own_fields(teller, chain.items[i]);
	if (class_->is_hidden)
		buf__add(&teller->fields, class_field, sizeof(class_field));
	vec__free(&chain);
	if (teller->fields.len > FIELDS_MOST) {
		teller->classes->unnamed++;
		buf__reset(&teller->fields);
	}
	return err;
}

/* ---------------------------------------------------------------- classes */

static bool is_array(struct text name)
{
	return (name.bytes && name.at[0] == '[') ||
	       (name.bytes > 2 && memcmp(name.at + name.bytes - 2, "[]", 2) == 0);
}

static int tell_one(struct teller *teller, const struct hprof_class *class_)
{
	const struct text name = hprof_names__get(teller->classes->names, class_->name);
	const uint64_t size = hprof_classes__size(teller->classes, teller->sizes, class_);
	const uint32_t guess = teller->sizes->certain ? 0 : EVENT_CLASS_ESTIMATED;
	uint32_t flags = class_->referent != UINT64_MAX ? GCTRACE_CLASS_WEAK : 0;
	int err = 0;

	if (hprof_names__is_primitive_array(name))
		return 0;
	buf__reset(&teller->name);
	buf__reset(&teller->fields);
	hprof_names__add_class(&teller->name, name);
	if (is_array(name))
		return tell_class(teller, class_->id, class_->super, 0,
				  GCTRACE_CLASS_ARRAY | GCTRACE_CLASS_VARIABLE | guess);
	if (hprof_classes__is_estimate(teller->classes, teller->sizes, class_))
		flags |= EVENT_CLASS_ESTIMATED;
	if (class_->is_filled)
		err = add_fields(teller, class_);
	if (text__equal((struct text){ buf__str(&teller->name), teller->name.len },
			text__of("java.lang.Class")))
		flags |= GCTRACE_CLASS_OF_CLASSES;
	return err ? err : tell_class(teller, class_->id, class_->super, size, flags);
}

static int tell_primitive_arrays(struct teller *teller)
{
	int answer = 0;

	buf__reset(&teller->fields);
	for (uint8_t type = 0; type < HPROF_TYPES && !answer; type++) {
		if (!hprof_type__name(type))
			continue;
		buf__reset(&teller->name);
		buf__printf(&teller->name, "%s[]", hprof_type__name(type));
		answer = tell_class(teller, HPROF_PRIMITIVE_CLASS(type), 0, 0,
				    GCTRACE_CLASS_BYTES | GCTRACE_CLASS_VARIABLE |
				    (teller->sizes->certain ? 0 : EVENT_CLASS_ESTIMATED));
	}
	return answer;
}

static int tell_class_of_classes(struct teller *teller)
{
	if (teller->classes->meta != HPROF_CLASS_OF_CLASSES)
		return 0;
	buf__reset(&teller->name);
	buf__reset(&teller->fields);
	buf__add_str(&teller->name, "java.lang.Class");
	return tell_class(teller, HPROF_CLASS_OF_CLASSES, 0, 0, GCTRACE_CLASS_OF_CLASSES);
}

/* ---------------------------------------------------------------- statics */

static int define_place(struct teller *teller, uint64_t id, uint64_t place, struct text name)
{
	const struct event event = {
		.kind = EVENT_DEFINE,
		.define = { .space = GCTRACE_SPACE_STATIC, .id = id, .a = place, .b = EVENT_UNKNOWN,
			    .name = name },
	};

	return teller->sink->event(teller->sink->ctx, &event);
}

/* A root is "cache", where its class is known; what a class object refers to is "Shop.cache". */
static int define_static(struct teller *teller, const struct hprof_class *class_,
			 const struct hprof_static *of)
{
	const struct text name = hprof_names__get(teller->classes->names, of->name);

	buf__reset(&teller->name);
	if (!hprof_classes__is_lasting(teller->classes, class_)) {
		hprof_names__add_class(&teller->name,
				       hprof_names__get(teller->classes->names, class_->name));
		buf__add_char(&teller->name, '.');
	}
	buf__add(&teller->name, name.at, name.bytes);
	if (teller->name.error)
		return -ENOMEM;
	return define_place(teller, class_->id, of->place,
			    (struct text){ buf__str(&teller->name), teller->name.len });
}

static int define_places(struct teller *teller, const struct hprof_class *class_)
{
	int answer = 0;

	for (uint32_t i = 0; i < HPROF_AT_STATICS && !answer; i++)
		if (class_->to[i])
			answer = define_place(teller, class_->id, i, text__of(class_places[i]));
	for (size_t i = 0; i < class_->statics_count && !answer; i++)
		answer = define_static(teller, class_,
				       &teller->classes->statics.items[class_->statics + i]);
	return answer;
}

static int tell_roots_of(const struct hprof_classes *classes, const struct hprof_class *class_,
			 const struct event_sink *sink)
{
	struct event event = { .kind = EVENT_ROOTS,
			       .roots = { .type = GCTRACE_C_STATIC, .id1 = class_->id } };
	int answer = 0;

	for (size_t i = 0; i < class_->statics_count && !answer; i++) {
		const struct hprof_static *of = &classes->statics.items[class_->statics + i];
		const struct root root = { .to = of->to, .kind = GCTRACE_ROOT_STATIC,
					   .id = of->place };

		event.roots.roots = &root;
		event.roots.count = 1;
		answer = sink->event(sink->ctx, &event);
	}
	return answer;
}

int hprof_classes__tell_roots(const struct hprof_classes *classes, const struct event_sink *sink)
{
	int answer = 0;

	for (size_t i = 0; i < classes->of.count && !answer; i++)
		if (hprof_classes__is_lasting(classes, &classes->of.items[i]))
			answer = tell_roots_of(classes, &classes->of.items[i], sink);
	return answer;
}

static void teller__free(struct teller *teller)
{
	buf__free(&teller->name);
	buf__free(&teller->fields);
}

int hprof_classes__tell(struct hprof_classes *classes, const struct hprof_sizes *sizes,
			const struct event_sink *sink)
{
	struct teller teller = { .classes = classes, .sizes = sizes, .sink = sink };
	int answer = tell_primitive_arrays(&teller);

	if (!answer)
		answer = tell_class_of_classes(&teller);
	for (size_t i = 0; i < classes->of.count && !answer; i++)
		answer = tell_one(&teller, &classes->of.items[i]);
	for (size_t i = 0; i < classes->of.count && !answer; i++)
		answer = define_places(&teller, &classes->of.items[i]);
	teller__free(&teller);
	return answer;
}

/* ---------------------------------------------------------------- as objects */

/* As large as all of their class, and the statics behind that. */
static uint64_t object_size(const struct hprof_classes *classes, const struct hprof_sizes *sizes,
			    const struct hprof_class *class_)
{
	const uint32_t meta = hprof_classes__find(classes, classes->meta);
	uint64_t size = 0;

	if (meta != HPROF_NO_NUMBER)
		size = hprof_classes__size(classes, sizes, &classes->of.items[meta]);
	if (sizes->stated)
		return size;
	return hprof__align(size + class_->static_bytes +
				    class_->static_references * sizes->layout.reference,
			    sizes->alignment);
}

static int add_reference(struct hprof_references *references, uint64_t to, uint64_t place)
{
	const struct reference reference = { .to = to, .place = place };

	return to ? vec__push(references, reference) : 0;
}

static int tell_object(struct hprof_classes *classes, const struct hprof_class *class_,
		       const struct object_head *head, struct hprof_references *references,
		       const struct event_sink *sink)
{
	const size_t statics = hprof_classes__is_lasting(classes, class_) ?
				       0 : class_->statics_count;
	struct event event = { .kind = EVENT_OBJECT };
	int err = 0;

	vec__reset(references);
	for (uint32_t i = 0; i < HPROF_AT_STATICS && !err; i++)
		err = add_reference(references, class_->to[i], i);
	for (size_t i = 0; i < statics && !err; i++) {
		const struct hprof_static *of = &classes->statics.items[class_->statics + i];

		err = add_reference(references, of->to, of->place);
	}
	if (err)
		return err;
	event.object.id = head->id;
	event.object.class_ = head->class_;
	event.object.size = head->size;
	event.object.places = GCTRACE_PLACE_INDEX;
	event.object.references = references->items;
	event.object.count = references->count;
	return sink->event(sink->ctx, &event);
}

static int tell_head(const struct object_head *head, const struct event_sink *sink)
{
	const struct event event = { .kind = EVENT_HEADS, .heads = { head, 1 } };

	return sink->event(sink->ctx, &event);
}

int hprof_classes__tell_objects(struct hprof_classes *classes, const struct hprof_sizes *sizes,
				bool heads, const struct event_sink *sink)
{
	const uint64_t class_ = classes->meta;
	struct hprof_references references = VEC_INIT;
	int answer = 0;

	for (size_t i = 0; i < classes->of.count && !answer; i++) {
		const struct hprof_class *of = &classes->of.items[i];
		const struct object_head head = { of->id, class_,
						  object_size(classes, sizes, of) };

		if (!of->is_dumped)
			continue;
		answer = heads ? tell_head(&head, sink) :
				 tell_object(classes, of, &head, &references, sink);
	}
	vec__free(&references);
	return answer;
}
