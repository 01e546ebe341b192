/* SPDX-License-Identifier: BSD-2-Clause */
#include "hprof_classes.h"

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
	vec__free(&classes->loaders);
	hprof_ids__free(&classes->ids);
	hprof_ids__free(&classes->serials);
}

uint32_t hprof_classes__find(const struct hprof_classes *classes, uint64_t id)
{
	return hprof_ids__get(&classes->ids, id);
}

uint32_t hprof_classes__make(struct hprof_classes *classes, uint64_t id)
{
	const struct hprof_class class_ = { .id = id, .referent = UINT32_MAX,
					    .nearest = UINT64_MAX };
	uint32_t number = hprof_classes__find(classes, id);

	if (number != HPROF_NO_NUMBER || classes->of.count >= HPROF_NO_NUMBER - 1)
		return number;
	number = (uint32_t)classes->of.count;
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

/* From the class upwards. 1; 0: one of them is not known, or they go in a circle; -ENOMEM. */
static int find_chain(struct hprof_classes *classes, uint32_t number)
{
	vec__reset(&classes->chain);
	while (number != HPROF_NO_NUMBER) {
		const struct hprof_class *class_ = &classes->of.items[number];

		if (!class_->is_dumped || classes->chain.count > classes->of.count)
			return 0;
		if (vec__push(&classes->chain, number))
			return -ENOMEM;
		if (!class_->super)
			return 1;
		number = hprof_classes__find(classes, class_->super);
	}
	return 0;
}

static uint32_t strength_of(const struct hprof_classes *classes)
{
	static const struct {
		const char *name;
		uint32_t flag;
	} all[] = {
		{ "java/lang/ref/SoftReference", GCTRACE_REF_SOFT },
		{ "java/lang/ref/PhantomReference", GCTRACE_REF_PHANTOM },
	};

	for (size_t k = 0; k < classes->chain.count; k++)
		for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
			if (is_called(classes, &classes->of.items[classes->chain.items[k]],
				      all[i].name))
				return all[i].flag;
	return GCTRACE_REF_WEAK;
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

	for (size_t i = 0; i < classes->loaders.count; i++)
		if (classes->loaders.items[i] == loader)
			return !class_->is_hidden;
	return !loader && !class_->is_hidden;
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

/* The fields of one class of the chain: its first reference has this place. */
static void plan_fields(struct hprof_classes *classes, struct hprof_class *class_,
			const struct hprof_class *of, size_t place)
{
	for (size_t i = 0; i < of->fields_count; i++) {
		const struct hprof_field *field = &classes->fields.items[of->fields + i];

		if (field->type == HPROF_OBJECT) {
			if (is_referent(classes, of, field))
				class_->referent = (uint32_t)place;
			classes->offsets.items[class_->offsets + place++] = class_->bytes;
		}
		class_->bytes += hprof_type__bytes(field->type, classes->id_bytes);
	}
}

int hprof_classes__plan(struct hprof_classes *classes, uint32_t number)
{
	struct hprof_class *class_ = &classes->of.items[number];
	int known = class_->is_planned ? 1 : find_chain(classes, number);
	size_t place = 0;

	if (known <= 0 || class_->is_planned)
		return known;
	for (size_t k = 0; k < classes->chain.count; k++)
		place += count_references(classes,
					  &classes->of.items[classes->chain.items[k]]);
	if (vec__reserve(&classes->offsets, place))
		return -ENOMEM;
	class_->offsets = classes->offsets.count;
	class_->references = place;
	classes->offsets.count += place;
	for (size_t k = 0; k < classes->chain.count; k++) {
		const struct hprof_class *of = &classes->of.items[classes->chain.items[k]];

		place -= count_references(classes, of);
		plan_fields(classes, class_, of, place);
	}
	class_->strength = class_->referent != UINT32_MAX ? strength_of(classes) : 0;
	class_->is_loader = is_own_loader(classes, class_);
	class_->is_planned = true;
	return 1;
}

/* ---------------------------------------------------------------- sizes */

/* What its fields need at least. */
static uint64_t sum_of(const struct hprof_classes *classes, const struct hprof_sizes *sizes,
		       const struct hprof_class *class_)
{
	const uint64_t as_ids = (uint64_t)class_->references * classes->id_bytes;
	const uint64_t as_references = (uint64_t)class_->references * sizes->layout.reference;

	return hprof__align(sizes->layout.head + class_->bytes - as_ids + as_references,
			    sizes->alignment);
}

static uint64_t smallest(const struct hprof_sizes *sizes)
{
	return hprof__align(sizes->layout.head, sizes->alignment);
}

/* What is hidden in a class above, of which there are several instances, is in this one, too. */
static bool is_as_above(const struct hprof_classes *classes, const struct hprof_sizes *sizes,
			const struct hprof_class *class_)
{
	const uint64_t hidden = class_->nearest - sum_of(classes, sizes, class_);
	uint32_t number = hprof_classes__find(classes, class_->super);

	for (size_t i = 0; number != HPROF_NO_NUMBER && i < classes->of.count; i++) {
		const struct hprof_class *above = &classes->of.items[number];
		const uint64_t sum = sum_of(classes, sizes, above);

		if (above->nearest_count > 1 && above->nearest > sum)
			return hidden + sizes->alignment >= above->nearest - sum &&
			       hidden <= above->nearest - sum + sizes->alignment;
		number = hprof_classes__find(classes, above->super);
	}
	return false;
}

uint64_t hprof_classes__size(const struct hprof_classes *classes, const struct hprof_sizes *sizes,
			     const struct hprof_class *class_)
{
	const uint64_t sum = sum_of(classes, sizes, class_);

	if (sizes->stated)
		return class_->stated;
	if (!sizes->measured || class_->nearest < sum || class_->nearest % sizes->alignment ||
	    class_->nearest - sum > HIDDEN_MOST)
		return sum;
	/* One alone may have a gap behind it, but none smaller than an object. */
	return class_->nearest_count > 1 || class_->nearest - sum < smallest(sizes) ||
			       is_as_above(classes, sizes, class_) ? class_->nearest : sum;
}
