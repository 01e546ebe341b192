/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A class's name contains those of other classes, which contain others: what is yet to be written
 * waits on a stack, the next piece on top.
 *
 *	Dictionary<String, Node>+Entry[]      class
 *	[] | class                            the array's element goes on top
 *	[] | +Entry | > | class | , | class | <  | Dictionary
 */
#include "names.h"
#include "modules.h"
#include "payload.h"

#include <stdbool.h>
#include <string.h>

#define MOST_ARGUMENTS 64 /* of one class */
#define MOST_LEVELS 32	  /* of nesting */
#define MOST_PIECES 1024
#define NAME_ROOM 65536
#define NESTED_MASK 7u /* of a type's flags; from 2 on it is nested */
#define NESTED_FROM 2u

/* A piece: a class, or a text without one. */
struct piece {
	uintptr_t class_;
	const char *text;
	size_t bytes;
};

static struct {
	struct piece pieces[MOST_PIECES];
	size_t depth;
	char name[NAME_ROOM];
	size_t bytes;
	char texts[NAME_ROOM]; /* of the pieces */
	size_t texts_bytes;
	bool failed;
} n;

static void begin(void)
{
	n.depth = n.bytes = n.texts_bytes = 0;
	n.failed = false;
}

static struct name result(void)
{
	return (struct name){ n.name, n.failed ? 0 : n.bytes };
}

static void add(const char *text, size_t bytes)
{
	if (bytes > sizeof(n.name) - n.bytes) {
		n.failed = true;
		return;
	}
	memcpy(n.name + n.bytes, text, bytes);
	n.bytes += bytes;
}

static void push(struct piece piece)
{
	if (n.depth == MOST_PIECES)
		n.failed = true;
	else
		n.pieces[n.depth++] = piece;
}

static void push_text(const char *text, size_t bytes)
{
	push((struct piece){ 0, text, bytes });
}

/* A text that is to stay until the name is done. */
static struct name keep(const uint16_t *units)
{
	const struct utf16 text = utf16__of(units);
	char *to = n.texts + n.texts_bytes;

	if (3 * text.units > sizeof(n.texts) - n.texts_bytes) {
		n.failed = true;
		return (struct name){ to, 0 };
	}

	const size_t bytes = utf16__to_utf8(text, to, 3 * text.units);

	n.texts_bytes += bytes;
	return (struct name){ to, bytes };
}

/* ---- A class ---- */

/* "List`1" becomes "List" and 1. */
static uint32_t cut_arity(struct name *level)
{
	const char *mark = memrchr(level->at, '`', level->bytes);
	uint32_t arity = 0;

	if (!mark)
		return 0;
	for (const char *at = mark + 1; at < level->at + level->bytes; at++) {
		if (*at < '0' || *at > '9' || arity > MOST_ARGUMENTS)
			return 0;
		arity = 10 * arity + (uint32_t)(*at - '0');
	}
	level->bytes = (size_t)(mark - level->at);
	return arity;
}

/* The type's name and those of the ones around it, the innermost first; how many. */
static uint32_t get_levels(struct metadata *import, uint32_t type, struct name *levels)
{
	uint16_t units[MODULE_NAME_UNITS];
	uint32_t flags, extends, length, count = 0;

	for (; count < MOST_LEVELS; count++) {
		if (METADATA_CALL(import, get_type_def_props, type, units, MODULE_NAME_UNITS,
				  &length, &flags, &extends) != S_OK)
			return 0;
		levels[count] = keep(units);
		if ((flags & NESTED_MASK) < NESTED_FROM)
			return count + 1;
		if (METADATA_CALL(import, get_nested_class_props, type, &type) != S_OK)
			return 0;
	}
	return 0;
}

/* The pieces of "<A, B>", the last one first. */
static void push_arguments(const uintptr_t *arguments, uint32_t count)
{
	push_text(">", 1);
	while (count-- > 0) {
		push((struct piece){ .class_ = arguments[count] });
		if (count)
			push_text(", ", 2);
	}
	push_text("<", 1);
}

/* Arguments are those of all levels, the outermost first. */
static void push_levels(struct name *levels, uint32_t count, const uintptr_t *arguments,
			uint32_t left)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t arity = cut_arity(&levels[i]);
		const uint32_t own = arity < left ? arity : left;

		if (own)
			push_arguments(arguments + left - own, own);
		left -= own;
		push_text(levels[i].at, levels[i].bytes);
		if (i + 1 < count)
			push_text("+", 1);
	}
}

static void push_plain(uintptr_t class_)
{
	uintptr_t module, parent, arguments[MOST_ARGUMENTS];
	struct name levels[MOST_LEVELS];
	struct metadata *import;
	uint32_t token, count = 0, depth;

	if (CLR_CALL(get_class_id_info2, class_, &module, &token, &parent, MOST_ARGUMENTS, &count,
		     arguments) != S_OK) {
		n.failed = true;
		return;
	}
	import = modules__import(module);
	depth = import ? get_levels(import, token, levels) : 0;
	if (!depth || count > MOST_ARGUMENTS) {
		n.failed = true;
		return;
	}
	push_levels(levels, depth, arguments, count);
}

static void push_array(uintptr_t element, uint32_t rank)
{
	static const char dimensions[] = "[,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,"; /* 32 at most */

	if (rank < 1 || rank > 32) {
		n.failed = true;
		return;
	}
	push_text("]", 1);
	push_text(dimensions, rank);
	push((struct piece){ .class_ = element });
}

static void push_class(uintptr_t class_)
{
	uintptr_t element = 0;
	uint32_t type, rank = 0;

	if (CLR_CALL(is_array_class, class_, &type, &element, &rank) == S_OK)
		push_array(element, rank);
	else
		push_plain(class_);
}

static void add_class(uintptr_t class_)
{
	push((struct piece){ .class_ = class_ });
	while (n.depth && !n.failed) {
		const struct piece piece = n.pieces[--n.depth];

		if (piece.class_)
			push_class(piece.class_);
		else if (piece.text)
			add(piece.text, piece.bytes);
		else
			n.failed = true; /* a class that the runtime does not name */
	}
}

struct name names__class(uintptr_t class_)
{
	begin();
	add_class(class_);
	return result();
}

struct name names__module(uintptr_t class_)
{
	uint16_t units[MODULE_NAME_UNITS];
	uintptr_t module, parent, argument;
	struct metadata *import;
	uint32_t token, count, length;
	struct guid version;

	begin();
	if (CLR_CALL(get_class_id_info2, class_, &module, &token, &parent, 0, &count,
		     &argument) < 0)
		return (struct name){ "", 0 };
	import = modules__import(module);
	if (!import || METADATA_CALL(import, get_scope_props, units, MODULE_NAME_UNITS, &length,
				     &version) != S_OK)
		return (struct name){ "", 0 };
	return keep(units);
}

/* ---- A method ---- */

/* Of one of a generic class the runtime does not say the class, but metadata its definition. */
static void add_class_of(uintptr_t class_, struct metadata *import, uint32_t type)
{
	struct name levels[MOST_LEVELS];
	uint32_t depth;

	if (class_) {
		add_class(class_);
		return;
	}
	depth = get_levels(import, type, levels);
	while (depth-- > 0) {
		cut_arity(&levels[depth]);
		add(levels[depth].at, levels[depth].bytes);
		if (depth)
			add("+", 1);
	}
}

struct name names__method(uintptr_t function)
{
	uintptr_t class_ = 0, module;
	uint32_t token, type, length, attributes, bytes, rva, flags;
	uint16_t units[MODULE_NAME_UNITS];
	const uint8_t *signature;
	struct metadata *import;
	struct name method;

	begin();
	if (CLR_CALL(get_function_info, function, &class_, &module, &token) != S_OK)
		return (struct name){ "", 0 };
	import = modules__import(module);
	if (!import ||
	    METADATA_CALL(import, get_method_props, token, &type, units, MODULE_NAME_UNITS, &length,
			  &attributes, &signature, &bytes, &rva, &flags) != S_OK)
		return (struct name){ "", 0 };
	method = keep(units);
	add_class_of(class_, import, type);
	add(".", 1);
	add(method.at, method.bytes);
	return result();
}
