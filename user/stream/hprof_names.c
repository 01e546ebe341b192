/* SPDX-License-Identifier: BSD-2-Clause */
#include "hprof_names.h"

#include <string.h>

#include "hprof_format.h"

int hprof_names__add(struct hprof_names *names, uint64_t id, const void *text, size_t bytes)
{
	const struct hprof_name name = { names->texts.len, bytes };

	buf__add(&names->texts, text, bytes);
	if (names->texts.error || names->of.count >= HPROF_NO_NUMBER - 1 ||
	    vec__push(&names->of, name))
		return -ENOMEM;
	return hprof_ids__put(&names->ids, id, (uint32_t)names->of.count - 1);
}

struct text hprof_names__get(const struct hprof_names *names, uint64_t id)
{
	const uint32_t number = hprof_ids__get(&names->ids, id);

	if (number == HPROF_NO_NUMBER)
		return (struct text){ "", 0 };
	return (struct text){ buf__str(&names->texts) + names->of.items[number].at,
			      names->of.items[number].bytes };
}

static const char *primitive_of(char letter)
{
	for (uint8_t type = 0; type < HPROF_TYPES; type++)
		if (hprof_type__name(type) && hprof_type__letter(type) == letter)
			return hprof_type__name(type);
	return NULL;
}

bool hprof_names__is_primitive_array(struct text name)
{
	return name.bytes == 2 && name.at[0] == '[' && primitive_of(name.at[1]);
}

bool hprof_names__is_hidden_at(struct text name, size_t i)
{
	return i && i + 3 < name.bytes && (name.at[i] == '+' || name.at[i] == '/') &&
	       name.at[i + 1] == '0' && name.at[i + 2] == 'x';
}

static void add_dotted(struct buf *out, struct text name)
{
	for (size_t i = 0; i < name.bytes; i++) {
		const char c = name.at[i];

		if (hprof_names__is_hidden_at(name, i))
			buf__add_char(out, '/');
		else
			buf__add_char(out, c == '/' ? '.' : c);
	}
}

void hprof_names__add_class(struct buf *out, struct text name)
{
	size_t depth = 0, left;
	const char *primitive;

	while (depth < name.bytes && name.at[depth] == '[')
		depth++;
	left = name.bytes - depth;
	primitive = depth && left == 1 ? primitive_of(name.at[depth]) : NULL;
	if (primitive)
		buf__add_str(out, primitive);
	else if (depth && left > 2 && name.at[depth] == 'L' && name.at[name.bytes - 1] == ';')
		add_dotted(out, (struct text){ name.at + depth + 1, left - 2 });
	else
		depth = 0, add_dotted(out, name);
	for (size_t i = 0; i < depth; i++)
		buf__add_str(out, "[]");
}

void hprof_names__free(struct hprof_names *names)
{
	buf__free(&names->texts);
	vec__free(&names->of);
	hprof_ids__free(&names->ids);
}
