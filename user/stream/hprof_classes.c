/* SPDX-License-Identifier: BSD-2-Clause */
#include "hprof_classes.h"

#include <errno.h>
#include <string.h>

#include "gctrace/wire.h"

#define HIDDEN_MOST 1024u /* bytes of an instance that its fields do not explain: padding, mostly */

void hprof_classes__free(struct hprof_classes *classes)
{
	vec__free(&classes->of);
	vec__free(&classes->fields);
	vec__free(&classes->statics);
	vec__free(&classes->offsets);
	vec__free(&classes->chain);
	vec__free(&classes->planned);
	hprof_ids__free(&classes->loaders);
	hprof_ids__free(&classes->ids);
	hprof_ids__free(&classes->serials);
}

uint32_t hprof_classes__find(const struct hprof_classes *classes, uint64_t id)
{
	return hprof_ids__get(&classes->ids, id);
}

uint32_t hprof_classes__make(struct hprof_classes *classes, uint64_t id)
{
	struct hprof_class class_ = { .id = id, .referent = UINT64_MAX, .nearest = UINT64_MAX,
				      .above = HPROF_NO_NUMBER, .witness = HPROF_NO_NUMBER };
	uint32_t number = hprof_classes__find(classes, id);

	if (number != HPROF_NO_NUMBER || classes->of.count >= HPROF_NO_NUMBER - 1)
		return number;
	number = class_.top = (uint32_t)classes->of.count;
	if (vec__push(&classes->of, class_) || hprof_ids__put(&classes->ids, id, number))
		return HPROF_NO_NUMBER;
	return number;
}

/* Slashes or dots: HotSpot writes the former, others the latter. */
static bool is_called(const struct hprof_classes *classes, const struct hprof_class *class_,
		      const char *name)
{
	const struct text text = hprof_names__get(classes->names, class_->name);

	if (text.bytes != strlen(name))
		return false;
	for (size_t i = 0; i < text.bytes; i++)
		if (text.at[i] != name[i] && !(text.at[i] == '.' && name[i] == '/'))
			return false;
	return true;
}

uint64_t hprof_classes__named(const struct hprof_classes *classes, const char *name)
{
	for (size_t i = 0; i < classes->of.count; i++)
		if (is_called(classes, &classes->of.items[i], name))
			return classes->of.items[i].id;
	return 0;
}

/* ---------------------------------------------------------------- plans */

/* The number of the class above; HPROF_NO_NUMBER: there is none, or it is not known. */
static uint32_t super_of(const struct hprof_classes *classes, const struct hprof_class *class_)
{
	return class_->super ? hprof_classes__find(classes, class_->super) : HPROF_NO_NUMBER;
}

/* The class to which its tops lead; the way is halved for those who come after. */
static uint32_t top_of(struct hprof_classes *classes, uint32_t number)
{
	struct hprof_class *of = classes->of.items;

	while (of[number].top != number) {
		of[number].top = of[of[number].top].top;
		number = of[number].top;
	}
	return number;
}

/*
 * Are all classes above it known, and go in no circle? Each class is passed once: whoever comes
 * later, for itself or for one below, goes on where this one stopped.
 */
static bool is_known_to_the_top(struct hprof_classes *classes, uint32_t number)
{
	struct hprof_class *of = classes->of.items;
	uint32_t top = top_of(classes, number), super;

	for (;;) {
		if (!of[top].is_dumped)
			return false;
		if (!of[top].super || of[top].is_planned)
			return true;
		super = super_of(classes, &of[top]);
		if (super == HPROF_NO_NUMBER || top_of(classes, super) == top)
			return false;
		of[top].top = super;
		top = top_of(classes, super);
	}
}

/* From the class upwards, those that have no plan yet. 0 or -ENOMEM. */
static int find_chain(struct hprof_classes *classes, uint32_t number)
{
	int err = 0;

	vec__reset(&classes->chain);
	while (!err && number != HPROF_NO_NUMBER && !classes->of.items[number].is_planned) {
		err = vec__push(&classes->chain, number);
		number = super_of(classes, &classes->of.items[number]);
	}
	return err;
}

/* GCTRACE_REF_WEAK for java.lang.ref.Reference itself; 0: what the class above says. */
static uint32_t strength_of(const struct hprof_classes *classes, const struct hprof_class *class_)
{
	static const struct {
		const char *name;
		uint32_t flag;
	} all[] = {
		{ "java/lang/ref/Reference", GCTRACE_REF_WEAK },
		{ "java/lang/ref/SoftReference", GCTRACE_REF_SOFT },
		{ "java/lang/ref/PhantomReference", GCTRACE_REF_PHANTOM },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (is_called(classes, class_, all[i].name))
			return all[i].flag;
	return 0;
}

static bool is_own_loader(const struct hprof_classes *classes, const struct hprof_class *class_)
{
	static const char *const names[] = {
		"jdk/internal/loader/ClassLoaders$AppClassLoader",
		"jdk/internal/loader/ClassLoaders$PlatformClassLoader",
		"sun/misc/Launcher$AppClassLoader",
		"sun/misc/Launcher$ExtClassLoader",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (is_called(classes, class_, names[i]))
			return true;
	return false;
}

bool hprof_classes__is_lasting(const struct hprof_classes *classes,
			       const struct hprof_class *class_)
{
	const uint64_t loader = class_->to[HPROF_AT_LOADER];

	if (class_->is_hidden)
		return false;
	return !loader || hprof_ids__get(&classes->loaders, loader) != HPROF_NO_NUMBER;
}

static size_t count_references(const struct hprof_classes *classes, const struct hprof_class *of)
{
	size_t count = 0;

	for (size_t i = 0; i < of->fields_count; i++)
		count += classes->fields.items[of->fields + i].type == HPROF_OBJECT;
	return count;
}

static bool is_referent(const struct hprof_classes *classes, const struct hprof_class *of,
			const struct hprof_field *field)
{
	return text__equal(hprof_names__get(classes->names, field->name), text__of("referent")) &&
	       is_called(classes, of, "java/lang/ref/Reference");
}

/* Its own fields: the first reference among them has this place. There is room for the offsets. */
static void plan_fields(struct hprof_classes *classes, struct hprof_class *class_, uint64_t place)
{
	for (size_t i = 0; i < class_->fields_count; i++) {
		const struct hprof_field *field = &classes->fields.items[class_->fields + i];

		if (field->type == HPROF_OBJECT) {
			if (is_referent(classes, class_, field))
				class_->referent = place;
			classes->offsets.items[classes->offsets.count++] =
				(uint32_t)class_->own_bytes;
			place++;
		}
		class_->own_bytes += hprof_type__bytes(field->type, classes->id_bytes);
	}
}

/* What it has of the class above. */
static void inherit(struct hprof_class *class_, const struct hprof_class *super, uint32_t number)
{
	class_->bytes += super->bytes;
	class_->references += super->references;
	class_->above = super->own ? number : super->above;
	class_->above_bytes = class_->own_bytes + (super->own ? 0 : super->above_bytes);
	if (class_->referent == UINT64_MAX)
		class_->referent = super->referent;
	if (!class_->strength)
		class_->strength = super->strength;
}

/* The class above has its plan, where there is one. */
static int plan_one(struct hprof_classes *classes, uint32_t number)
{
	struct hprof_class *class_ = &classes->of.items[number];
	const uint32_t above = super_of(classes, class_);
	const struct hprof_class *super =
		above != HPROF_NO_NUMBER ? &classes->of.items[above] : NULL;

	class_->own = count_references(classes, class_);
	class_->offsets = classes->offsets.count;
	if (vec__reserve(&classes->offsets, class_->own) || vec__push(&classes->planned, number))
		return -ENOMEM;
	plan_fields(classes, class_, super ? super->references : 0);
	class_->bytes = class_->own_bytes;
	class_->references = class_->own;
	class_->strength = strength_of(classes, class_);
	if (super)
		inherit(class_, super, above);
	class_->is_loader = is_own_loader(classes, class_);
	class_->is_planned = true;
	return 0;
}

int hprof_classes__plan(struct hprof_classes *classes, uint32_t number)
{
	int err;

	if (classes->of.items[number].is_planned)
		return 1;
	if (!is_known_to_the_top(classes, number))
		return 0;
	err = find_chain(classes, number);
	for (size_t k = classes->chain.count; k-- > 0 && !err;)
		err = plan_one(classes, classes->chain.items[k]);
	return err ? err : 1;
}

/* ---------------------------------------------------------------- sizes */

/* What its fields need at least. */
static uint64_t sum_of(const struct hprof_classes *classes, const struct hprof_sizes *sizes,
		       const struct hprof_class *class_)
{
	const uint64_t as_ids = class_->references * classes->id_bytes;
	const uint64_t as_references = class_->references * sizes->layout.reference;

	return hprof__align(sizes->layout.head + class_->bytes - as_ids + as_references,
			    sizes->alignment);
}

static uint64_t smallest(const struct hprof_sizes *sizes)
{
	return hprof__align(sizes->layout.head, sizes->alignment);
}

/* Several instances of it lie as far apart as they do for what is hidden in them. */
static bool is_witness(const struct hprof_classes *classes, const struct hprof_sizes *sizes,
		       const struct hprof_class *class_)
{
	return class_->nearest_count > 1 && class_->nearest > sum_of(classes, sizes, class_);
}

static void find_witnesses(struct hprof_classes *classes, const struct hprof_sizes *sizes)
{
	struct hprof_class *of = classes->of.items;

	for (size_t i = 0; i < classes->planned.count; i++) {
		struct hprof_class *class_ = &of[classes->planned.items[i]];
		const uint32_t super = super_of(classes, class_);

		if (super != HPROF_NO_NUMBER)
			class_->witness = is_witness(classes, sizes, &of[super]) ?
						  super : of[super].witness;
	}
}

int hprof_classes__settle(struct hprof_classes *classes, const struct hprof_sizes *sizes)
{
	int known = 0;

	for (uint32_t i = 0; i < classes->of.count && known >= 0; i++)
		known = hprof_classes__plan(classes, i);
	if (known < 0)
		return known;
	find_witnesses(classes, sizes);
	classes->meta = hprof_classes__named(classes, "java/lang/Class");
	if (!classes->meta)
		classes->meta = HPROF_CLASS_OF_CLASSES;
	return 0;
}

/* What is hidden in a class above, of which there are several instances, is in this one, too. */
static bool is_as_above(const struct hprof_classes *classes, const struct hprof_sizes *sizes,
			const struct hprof_class *class_)
{
	const uint64_t hidden = class_->nearest - sum_of(classes, sizes, class_);
	const struct hprof_class *above;
	uint64_t more;

	if (class_->witness == HPROF_NO_NUMBER)
		return false;
	above = &classes->of.items[class_->witness];
	more = above->nearest - sum_of(classes, sizes, above);
	return hidden + sizes->alignment >= more && hidden <= more + sizes->alignment;
}

static uint64_t known_size(const struct hprof_classes *classes, const struct hprof_sizes *sizes,
			   const struct hprof_class *class_)
{
	const struct text name = hprof_names__get(classes->names, class_->name);

	return sizes->known ? sizes->known->size_of(sizes->known->context, name.at, name.bytes) : 0;
}

bool hprof_classes__is_estimate(const struct hprof_classes *classes,
				const struct hprof_sizes *sizes, const struct hprof_class *class_)
{
	const uint64_t sum = sum_of(classes, sizes, class_);

	if (sizes->stated || known_size(classes, sizes, class_))
		return false;
	/* Nothing has room between: it ends where the next object begins. */
	return !sizes->certain || class_->nearest < sum ||
	       class_->nearest % sizes->alignment || class_->nearest - sum >= smallest(sizes);
}

uint64_t hprof_classes__size(const struct hprof_classes *classes, const struct hprof_sizes *sizes,
			     const struct hprof_class *class_)
{
	const uint64_t sum = sum_of(classes, sizes, class_);
	const uint64_t known = known_size(classes, sizes, class_);

	if (sizes->stated)
		return class_->stated;
	if (known)
		return known;
	if (class_->nearest < sum || class_->nearest % sizes->alignment ||
	    class_->nearest - sum > HIDDEN_MOST)
		return sum;
	if (sizes->certain && class_->nearest - sum < smallest(sizes))
		return class_->nearest;
	/* One alone may have a gap behind it, but none smaller than an object. */
	return sizes->measured &&
			       (class_->nearest_count > 1 ||
				class_->nearest - sum < smallest(sizes) ||
				is_as_above(classes, sizes, class_)) ? class_->nearest : sum;
}
