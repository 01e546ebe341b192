/* SPDX-License-Identifier: BSD-2-Clause */
#include "names.h"

#include <string.h>

struct name {
	char *to;
	size_t used, room;
};

static void add(struct name *name, const char *text, size_t bytes)
{
	if (bytes > name->room - name->used)
		bytes = name->room - name->used;
	memcpy(name->to + name->used, text, bytes);
	name->used += bytes;
}

static const char *primitive(char letter)
{
	switch (letter) {
	case 'B': return "byte";
	case 'C': return "char";
	case 'D': return "double";
	case 'F': return "float";
	case 'I': return "int";
	case 'J': return "long";
	case 'S': return "short";
	case 'V': return "void";
	case 'Z': return "boolean";
	default: return NULL;
	}
}

/* Slashes become dots; the one dot of a hidden class a slash. */
static void add_class(struct name *name, const char *text, size_t bytes)
{
	const size_t from = name->used;

	add(name, text, bytes);
	for (size_t i = from; i < name->used; i++) {
		if (name->to[i] == '/')
			name->to[i] = '.';
		else if (name->to[i] == '.')
			name->to[i] = '/';
	}
}

size_t names__class(const char *signature, char *to, size_t room)
{
	struct name name = { to, 0, room };
	const size_t dimensions = strspn(signature, "[");
	const char *element = signature + dimensions;
	const size_t bytes = strlen(element);
	const char *word = bytes == 1 ? primitive(*element) : NULL;

	if (word)
		add(&name, word, strlen(word));
	else if (bytes > 2 && element[0] == 'L' && element[bytes - 1] == ';')
		add_class(&name, element + 1, bytes - 2);
	else
		add(&name, element, bytes);
	for (size_t i = 0; i < dimensions; i++)
		add(&name, "[]", 2);
	return name.used;
}

bool names__is_hidden(const char *signature)
{
	return strchr(signature, '.') != NULL;
}
