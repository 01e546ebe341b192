/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "hprof_reader.h"

/* Not a field: HotSpot writes what its class's constants refer to as if it were a static. */
static const char resolved_references[] = "<resolved_references>";

/* ---------------------------------------------------------------- roots */

static int take_root(struct hprof_reader *reader, uint8_t tag)
{
	struct hprof_input *input = &reader->input;
	const uint32_t fixed = hprof_entry__fixed(tag, input->id_bytes);
	const uint8_t *more = input->data + input->at + input->id_bytes;
	struct hprof_root root = {
		.to = hprof__number(input->data + input->at, input->id_bytes),
		.id = EVENT_UNKNOWN, .frame = UINT32_MAX, .tag = tag,
	};
	uint32_t trace = 0;

	input->at += fixed;
	if (tag == HPROF_ROOT_JNI_GLOBAL)
		root.id = hprof__number(more, input->id_bytes);
	else if (fixed > input->id_bytes)
		root.thread = (uint32_t)hprof__number(more, 4);
	if (tag == HPROF_ROOT_THREAD_OBJECT)
		trace = (uint32_t)hprof__number(more + 4, 4);
	else if (tag == HPROF_ROOT_JNI_LOCAL || tag == HPROF_ROOT_JAVA_FRAME)
		root.frame = (uint32_t)hprof__number(more + 4, 4);
	if (tag == HPROF_HEAP_DUMP_INFO || tag == HPROF_UNREACHABLE || reader->options->heads)
		return 0;
	if (root.thread && hprof_stacks__thread(&reader->stacks, root.thread, trace, 0))
		return -ENOMEM;
	return hprof_stacks__add_root(&reader->stacks, &root);
}

/* ---------------------------------------------------------------- classes */

/* So many bytes of a class, which must be in its record. False: answer says why. */
static bool need(struct hprof_reader *reader, uint64_t bytes, int *answer)
{
	*answer = 0;
	if (bytes > reader->left) {
		*answer = -EBADMSG;
		return false;
	}
	if (!hprof_input__need(&reader->input, bytes)) {
		*answer = -EPIPE;
		return false;
	}
	if (reader->left != UINT64_MAX)
		reader->left -= bytes;
	return true;
}

/* A type and a value of it behind `before` bytes that are taken already. */
static bool need_value(struct hprof_reader *reader, uint8_t *type, uint32_t *bytes, int *answer)
{
	if (!need(reader, 1, answer))
		return false;
	*type = hprof_input__u1(&reader->input);
	*bytes = hprof_type__bytes(*type, reader->input.id_bytes);
	if (!*bytes)
		*answer = -EBADMSG;
	return *bytes && need(reader, *bytes, answer);
}

static bool skip_constants(struct hprof_reader *reader, int *answer)
{
	uint64_t count;
	uint32_t bytes;
	uint8_t type;

	if (!need(reader, 2, answer))
		return false;
	count = hprof_input__number(&reader->input, 2);
	for (; count; count--) {
		if (!need(reader, 2, answer))
			return false;
		reader->input.at += 2;
		if (!need_value(reader, &type, &bytes, answer))
			return false;
		reader->input.at += bytes;
	}
	return true;
}

static int add_static(struct hprof_reader *reader, struct hprof_class *class_, uint64_t name,
		      uint64_t to)
{
	struct hprof_static of = { .name = name, .to = to };

	class_->static_references += !text__equal(hprof_names__get(&reader->names, name),
						  text__of(resolved_references));
	if (!to)
		return 0;
	of.place = HPROF_AT_STATICS + (uint32_t)class_->statics_count++;
	return vec__push(&reader->classes.statics, of);
}

static bool take_statics(struct hprof_reader *reader, struct hprof_class *class_, int *answer)
{
	struct hprof_input *input = &reader->input;
	uint64_t count, name;
	uint32_t bytes;
	uint8_t type;

	if (!need(reader, 2, answer))
		return false;
	class_->statics = reader->classes.statics.count;
	for (count = hprof_input__number(input, 2); count; count--) {
		if (!need(reader, input->id_bytes, answer))
			return false;
		name = hprof_input__id(input);
		if (!need_value(reader, &type, &bytes, answer))
			return false;
		if (type != HPROF_OBJECT) {
			class_->static_bytes += bytes;
			input->at += bytes;
			continue;
		}
		*answer = add_static(reader, class_, name, hprof_input__id(input));
		if (*answer)
			return false;
	}
	return true;
}

static bool take_fields(struct hprof_reader *reader, struct hprof_class *class_, int *answer)
{
	struct hprof_input *input = &reader->input;
	uint64_t count;

	if (!need(reader, 2, answer))
		return false;
	count = hprof_input__number(input, 2);
	if (!need(reader, count * (input->id_bytes + 1), answer))
		return false;
	class_->fields = reader->classes.fields.count;
	class_->fields_count = (size_t)count;
	for (; count; count--) {
		const uint64_t name = hprof_input__id(input);
		const struct hprof_field field = { name, hprof_input__u1(input) };

		if (!hprof_type__bytes(field.type, input->id_bytes))
			*answer = -EBADMSG;
		else if (vec__push(&reader->classes.fields, field))
			*answer = -ENOMEM;
		if (*answer)
			return false;
	}
	return true;
}

/* No loader has such classes in its list. */
static bool is_hidden(const struct hprof_reader *reader, const struct hprof_class *class_)
{
	const struct text name = hprof_names__get(&reader->names, class_->name);

	for (size_t i = 0; i < name.bytes; i++)
		if (hprof_names__is_hidden_at(name, i))
			return true;
	return false;
}

static void take_head(struct hprof_reader *reader, struct hprof_class *class_)
{
	struct hprof_input *input = &reader->input;

	hprof_input__u4(input); /* of a stack trace */
	class_->super = hprof_input__id(input);
	class_->to[HPROF_AT_SUPER] = class_->super;
	class_->to[HPROF_AT_LOADER] = hprof_input__id(input);
	class_->to[HPROF_AT_SIGNERS] = hprof_input__id(input);
	class_->to[HPROF_AT_DOMAIN] = hprof_input__id(input);
	input->at += 2 * (size_t)input->id_bytes;
	class_->stated = hprof_input__u4(input);
	class_->is_hidden = is_hidden(reader, class_);
}

/* What it says of itself counts when all of it is there. */
static int take_class(struct hprof_reader *reader)
{
	const uint64_t id = hprof_input__id(&reader->input);
	const uint32_t number = hprof_classes__make(&reader->classes, id);
	struct hprof_class class_;
	int answer;

	if (number == HPROF_NO_NUMBER)
		return -ENOMEM;
	reader->last_index = HPROF_NO_NUMBER;
	class_ = reader->classes.of.items[number];
	take_head(reader, &class_);
	if (!skip_constants(reader, &answer) || !take_statics(reader, &class_, &answer) ||
	    !take_fields(reader, &class_, &answer))
		return answer;
	if (class_.is_dumped)
		return 0;
	class_.is_dumped = true;
	reader->classes.of.items[number] = class_;
	return 0;
}

/* ---------------------------------------------------------------- entries */

static int read_entry(struct hprof_reader *reader)
{
	struct hprof_input *input = &reader->input;
	const uint8_t tag = input->data[input->at];
	const uint32_t fixed = hprof_entry__fixed(tag, input->id_bytes);

	if (!fixed || 1 + (uint64_t)fixed > reader->left)
		return -EBADMSG;
	if (hprof_entry__is_object(tag) && !reader->has_sizes &&
	    hprof_objects__find_sizes(reader))
		return -ENOMEM;
	if (!hprof_input__need(input, 1 + (size_t)fixed))
		return -EPIPE;
	input->at++;
	if (reader->left != UINT64_MAX)
		reader->left -= 1;
	if (hprof_entry__is_object(tag))
		return hprof_objects__read(reader, tag);
	if (reader->left != UINT64_MAX)
		reader->left -= fixed;
	return tag == HPROF_CLASS ? take_class(reader) : take_root(reader, tag);
}

int hprof_heap__read(struct hprof_reader *reader)
{
	struct hprof_input *input = &reader->input;
	int answer = 0;

	while (!answer && reader->left && hprof_input__need(input, 1)) {
		/* A dump of no told length ends with another record. */
		if (reader->left == UINT64_MAX && input->data[input->at] == HPROF_HEAP_DUMP_END)
			return 0;
		answer = read_entry(reader);
		if (!answer)
			answer = hprof_reader__turn(reader);
	}
	return answer;
}
