/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "gctrace/wire.h"
#include "hprof_reader.h"

#define CHUNK 8192u /* elements of an array that are told at once */
#define INSTANCE_MOST (UINT32_C(1) << 26) /* bytes: the fields of any class have far less */

/* ---------------------------------------------------------------- heads alone */

static int flush_heads(struct hprof_reader *reader)
{
	const struct event event = { .kind = EVENT_HEADS,
				     .heads = { reader->heads, reader->heads_count } };

	reader->heads_count = 0;
	return event.heads.count ? hprof_reader__tell(reader, &event) : 0;
}

static int add_head(struct hprof_reader *reader, uint64_t id, uint64_t class_, uint64_t size)
{
	reader->heads[reader->heads_count++] = (struct object_head){ id, class_, size };
	return reader->heads_count == HPROF_HEADS ? flush_heads(reader) : 0;
}

static int tell(struct hprof_reader *reader, uint64_t id, uint64_t class_, uint64_t size,
		uint32_t places, bool more)
{
	struct event event = { .kind = EVENT_OBJECT };

	event.object.id = id;
	event.object.class_ = class_;
	event.object.size = size;
	event.object.places = places;
	event.object.more = more;
	event.object.references = reader->references.items;
	event.object.count = reader->references.count;
	return hprof_reader__tell(reader, &event);
}

/* The input ends within it. */
static int tell_cut(struct hprof_reader *reader, uint64_t id, uint64_t class_, uint64_t size)
{
	int answer;

	vec__reset(&reader->references);
	answer = tell(reader, id, class_, size, GCTRACE_PLACE_UNKNOWN, true);
	return answer ? answer : -EPIPE;
}

/* ---------------------------------------------------------------- distances */

/* From the object before to this one: where that was an instance, it tells of its class's size. */
static inline void measure(struct hprof_reader *reader, uint64_t id, uint32_t class_)
{
	if (reader->last_class != HPROF_NO_NUMBER && id > reader->last_id) {
		struct hprof_class *last = &reader->classes.of.items[reader->last_class];
		const uint64_t distance = id - reader->last_id;

		if (distance < last->nearest) {
			last->nearest = distance;
			last->nearest_count = 1;
		} else {
			last->nearest_count += distance == last->nearest;
		}
	}
	reader->last_id = id;
	reader->last_class = class_;
}

/* ---------------------------------------------------------------- instances */

static void set_strength(struct hprof_references *to, const struct hprof_class *class_)
{
	if (class_->referent == UINT64_MAX)
		return;
	for (size_t i = 0; i < to->count; i++)
		if (to->items[i].place == class_->referent)
			to->items[i].flags = class_->strength;
}

/*
 * The references of one class of the chain, from the last one back, to before `to`. values: those
 * of this class on. Where the bytes end before its values do, the rest is taken to be null.
 */
static struct reference *take_fields(const struct hprof_reader *reader,
				     const struct hprof_class *of, const uint8_t *values,
				     uint64_t bytes, uint64_t place, struct reference *to)
{
	const uint32_t *offsets = reader->classes.offsets.items + of->offsets;
	const uint32_t id_bytes = reader->input.id_bytes;

	for (size_t i = of->own; i-- > 0;) {
		uint64_t id = 0;

		if ((uint64_t)offsets[i] + id_bytes <= bytes)
			id = hprof__number(values + offsets[i], id_bytes);
		if (id)
			*--to = (struct reference){ .to = id, .place = place + i };
	}
	return to;
}

/* They are found from the last place to the first, and so put into the room from its end. */
static int make_references(struct hprof_reader *reader, const struct hprof_class *class_,
			   const uint8_t *values, uint64_t bytes)
{
	const struct hprof_class *of = class_, *all = reader->classes.of.items;
	const uint64_t fitting = bytes / reader->input.id_bytes;
	const size_t room = class_->references < fitting ? class_->references : fitting;
	struct hprof_references *to = &reader->references;
	uint64_t at = 0, above = class_->references;
	struct reference *first, *end;

	vec__reset(to);
	if (vec__reserve(to, room + 1))
		return -ENOMEM;
	end = first = to->items + room;
	while (at < bytes) {
		above -= of->own;
		first = take_fields(reader, of, values + at, bytes - at, above, first);
		at += of->above_bytes;
		if (of->above == HPROF_NO_NUMBER)
			break;
		of = &all[of->above];
	}
	to->count = (size_t)(end - first);
	memmove(to->items, first, to->count * sizeof(*first));
	set_strength(to, class_);
	if (class_->is_hidden)
		to->items[to->count++] = (struct reference){ .to = class_->id,
							     .place = class_->references };
	return 0;
}

static int tell_instance(struct hprof_reader *reader, const struct hprof_object_entry *entry,
			 uint32_t number, const uint8_t *values)
{
	struct hprof_class *class_ = &reader->classes.of.items[number];
	int err;

	reader->facts->misfits += entry->count < class_->bytes;
	class_->is_filled |= entry->count >= class_->bytes;
	if (class_->is_loader && hprof_ids__put(&reader->classes.loaders, entry->id, 0))
		return -ENOMEM;
	err = make_references(reader, class_, values, entry->count);
	return err ? err : tell(reader, entry->id, entry->class_, EVENT_UNKNOWN,
				GCTRACE_PLACE_INDEX, false);
}

static int put_aside(struct hprof_reader *reader, const struct hprof_object_entry *entry,
		     const uint8_t *values)
{
	reader->facts->waited++;
	buf__add(&reader->waiting_bytes, values, entry->bytes);
	if (reader->waiting_bytes.error || vec__push(&reader->waiting, *entry))
		return -ENOMEM;
	return hprof_reader__check_limit(reader);
}

static inline uint32_t class_number(struct hprof_reader *reader, uint64_t id)
{
	if (reader->last_number != id || reader->last_index == HPROF_NO_NUMBER) {
		reader->last_number = id;
		reader->last_index = hprof_classes__find(&reader->classes, id);
	}
	return reader->last_index;
}

static int take_instance(struct hprof_reader *reader, const struct hprof_object_entry *entry)
{
	const uint32_t number = class_number(reader, entry->class_);
	struct hprof_input *input = &reader->input;
	int known = 0;

	if (number != HPROF_NO_NUMBER)
		known = reader->classes.of.items[number].is_planned ?
				1 : hprof_classes__plan(&reader->classes, number);
	if (known < 0)
		return known;
	measure(reader, entry->id, known ? number : HPROF_NO_NUMBER);
	if (reader->options->heads) {
		known = add_head(reader, entry->id, entry->class_, EVENT_UNKNOWN);
		return known || hprof_input__skip(input, entry->bytes) ? known : -EPIPE;
	}
	if (!hprof_input__need(input, entry->bytes))
		return tell_cut(reader, entry->id, entry->class_, EVENT_UNKNOWN);
	known = known ? tell_instance(reader, entry, number, input->data + input->at) :
			put_aside(reader, entry, input->data + input->at);
	input->at += entry->bytes;
	return known;
}

/* ---------------------------------------------------------------- arrays */

static void take_elements(struct hprof_reader *reader, uint64_t from, size_t count)
{
	struct hprof_references *to = &reader->references;

	vec__reset(to);
	for (size_t i = 0; i < count; i++) {
		const uint64_t id = hprof_input__id(&reader->input);

		if (id)
			to->items[to->count++] = (struct reference){ .to = id, .place = from + i };
	}
}

/* In pieces, so that no array needs more memory than its row in the graph. */
static int tell_elements(struct hprof_reader *reader, const struct hprof_object_entry *entry,
			 uint64_t size)
{
	const uint32_t id_bytes = reader->input.id_bytes;
	uint64_t from = 0;
	int answer = vec__reserve(&reader->references, CHUNK);

	do {
		const uint64_t left = entry->count - from;
		const size_t count = left < CHUNK ? (size_t)left : CHUNK;

		if (answer)
			return answer;
		if (!hprof_input__need(&reader->input, count * id_bytes))
			return tell_cut(reader, entry->id, entry->class_, size);
		take_elements(reader, from, count);
		from += count;
		answer = tell(reader, entry->id, entry->class_, size, GCTRACE_PLACE_INDEX,
			      from < entry->count);
	} while (from < entry->count);
	return answer;
}

static int take_array(struct hprof_reader *reader, const struct hprof_object_entry *entry)
{
	const bool of_references = entry->element == HPROF_OBJECT;
	const uint32_t bytes =
		of_references ? reader->facts->sizes.layout.reference :
				hprof_type__bytes(entry->element, reader->input.id_bytes);
	const uint64_t size = hprof_sizes__array(&reader->facts->sizes, entry->count, bytes);
	const uint64_t class_ = of_references ? entry->class_ :
						HPROF_PRIMITIVE_CLASS(entry->element);
	int answer;

	measure(reader, entry->id, HPROF_NO_NUMBER);
	if (of_references && !reader->options->heads)
		return tell_elements(reader, entry, size);
	vec__reset(&reader->references);
	answer = reader->options->heads ?
			 add_head(reader, entry->id, class_, size) :
			 tell(reader, entry->id, class_, size, GCTRACE_PLACE_UNKNOWN, false);
	if (!answer && !hprof_input__skip(&reader->input, entry->bytes))
		answer = -EPIPE;
	return answer;
}

/* ---------------------------------------------------------------- in all */

int hprof_objects__find_sizes(struct hprof_reader *reader)
{
	const uint64_t id = hprof_classes__named(&reader->classes, "java/lang/Object");
	uint32_t stated = 0;

	if (id)
		stated = reader->classes.of.items[hprof_classes__find(&reader->classes, id)].stated;
	reader->has_sizes = true;
	return hprof_sizes__find(&reader->facts->sizes, &reader->input, reader->left, stated,
				 reader->options->known);
}

int hprof_objects__read(struct hprof_reader *reader, uint8_t tag)
{
	struct hprof_input *input = &reader->input;
	const uint32_t fixed = hprof_entry__fixed(tag, input->id_bytes);
	const struct hprof_object_entry entry =
		hprof_entry__object(tag, input->data + input->at, input->id_bytes);
	const bool is_array = tag != HPROF_INSTANCE;

	if (is_array && tag != HPROF_OBJECT_ARRAY && !hprof_type__name(entry.element))
		return -EBADMSG;
	if (entry.bytes > reader->left - fixed || (!is_array && entry.bytes > INSTANCE_MOST))
		return -EBADMSG;
	input->at += fixed;
	if (reader->left != UINT64_MAX)
		reader->left -= fixed + entry.bytes;
	return is_array ? take_array(reader, &entry) : take_instance(reader, &entry);
}

/* Their classes never came: what they are is all that can be told. */
static int tell_unknown(struct hprof_reader *reader, const struct hprof_object_entry *entry)
{
	vec__reset(&reader->references);
	return tell(reader, entry->id, entry->class_, EVENT_UNKNOWN, GCTRACE_PLACE_UNKNOWN, true);
}

int hprof_objects__finish(struct hprof_reader *reader)
{
	const uint8_t *values = (const uint8_t *)buf__str(&reader->waiting_bytes);
	int answer = reader->has_sizes ? 0 : hprof_objects__find_sizes(reader);

	if (answer)
		return answer;
	answer = hprof_classes__settle(&reader->classes, &reader->facts->sizes);
	for (size_t i = 0; i < reader->waiting.count && answer >= 0; i++) {
		const struct hprof_object_entry *entry = &reader->waiting.items[i];
		const uint32_t number = hprof_classes__find(&reader->classes, entry->class_);

		answer = number == HPROF_NO_NUMBER ? 0 :
						     hprof_classes__plan(&reader->classes, number);
		if (answer >= 0)
			answer = answer ? tell_instance(reader, entry, number, values) :
					  tell_unknown(reader, entry);
		values += entry->bytes;
	}
	return answer ? answer : flush_heads(reader);
}
