/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A generic type stands in front of its arguments, which may be generic themselves. So it waits
 * until they are known; whose arguments all are becomes an argument of what waited before it.
 *
 *	KeyValuePair < !0 , Box < Int32 > >         read from left to right
 *	waiting: KeyValuePair (2 to come), Box (1 to come)    known: Node, Int32
 *	waiting: KeyValuePair (1 to come)                     known: Node, Box<Int32>
 *	                                                      known: KeyValuePair<Node, Box<Int32>>
 */
#include "signature.h"
#include "agents/common/table.h"
#include "clr.h"
#include "modules.h"

#include <uchar.h>

#define MOST_ARGUMENTS 64
#define MOST_WAITING 32
#define MOST_LEVELS 16 /* of nesting */
#define MOST_NAMES (1u << 18)

#define ELEMENT_FIRST_NUMBER 0x02 /* BOOLEAN, CHAR, I1 ... R8, STRING */
#define ELEMENT_LAST_NUMBER 0x0e
#define ELEMENT_VALUE_TYPE 0x11
#define ELEMENT_CLASS 0x12
#define ELEMENT_VAR 0x13
#define ELEMENT_GENERIC 0x15
#define ELEMENT_I 0x18
#define ELEMENT_U 0x19
#define ELEMENT_OBJECT 0x1c

#define TOKEN_KIND 0xff000000u
#define TOKEN_TYPE_REF 0x01000000u
#define TOKEN_TYPE_DEF 0x02000000u

/* A type as its module defines it. */
struct definition {
	uintptr_t module; /* 0: it is not known */
	uint32_t type;
};

/* What a module means by a name of another's type. */
struct meaning {
	struct table_entry entry; /* key: of both below; rarely of others */
	uintptr_t module;
	uint32_t reference;
	struct definition definition;
};

struct waiting {
	struct definition definition;
	uint32_t to_come, first; /* arguments, and where they begin */
};

static struct table meanings;

/* The type that is being read. */
static struct {
	struct payload signature;
	uintptr_t module, of;
	struct waiting waiting[MOST_WAITING];
	uintptr_t known[MOST_ARGUMENTS];
	uint32_t waiting_count, known_count;
} r;

bool signature__init(void)
{
	return table__reserve(&meanings, sizeof(struct meaning), MOST_NAMES);
}

void signature__empty(void)
{
	table__empty(&meanings);
}

uint32_t signature__number(struct payload *signature)
{
	const uint8_t first = payload__u8(signature);
	uint32_t number = first & 0x7f;

	if (!(first & 0x80))
		return number;
	if (!(first & 0x40))
		return (first & 0x3fu) << 8 | payload__u8(signature);
	number = first & 0x1f;
	for (int i = 0; i < 3; i++)
		number = number << 8 | payload__u8(signature);
	return number;
}

/* ---- Types of other modules ---- */

/* The only module that defines it. */
static struct definition find_by_name(const uint16_t *name)
{
	struct definition found = { 0, 0 };

	for (uint32_t i = 0; i < modules__count(); i++) {
		const struct module *module = modules__at(i);
		uint32_t type;

		if (!module->import || module->may_unload ||
		    METADATA_CALL(module->import, find_type_def_by_name, name, 0, &type) != S_OK)
			continue;
		if (found.module)
			return (struct definition){ 0, 0 };
		found = (struct definition){ module->entry.key, type };
	}
	return found;
}

/* A nested type is had by its name in the one around it, that one by the name in its own. */
static struct definition find_reference(struct metadata *import, uint32_t reference)
{
	static uint16_t names[MOST_LEVELS][MODULE_NAME_UNITS];
	struct definition found;
	uint32_t levels = 0, units;

	for (; (reference & TOKEN_KIND) == TOKEN_TYPE_REF; levels++)
		if (levels == MOST_LEVELS ||
		    METADATA_CALL(import, get_type_ref_props, reference, &reference, names[levels],
				  MODULE_NAME_UNITS, &units) != S_OK)
			return (struct definition){ 0, 0 };
	found = find_by_name(names[--levels]);
	while (found.module && levels-- > 0) {
		if (METADATA_CALL(modules__import(found.module), find_type_def_by_name,
				  names[levels], found.type, &found.type) != S_OK)
			found.module = 0;
	}
	return found;
}

static struct definition look_up(uint32_t reference)
{
	const uint64_t key = (uint64_t)r.module ^ (uint64_t)reference << 40;
	struct meaning *meaning = table__find(&meanings, key);
	struct metadata *import = modules__import(r.module);

	if (!import)
		return (struct definition){ 0, 0 };
	if (meaning && (meaning->module != r.module || meaning->reference != reference))
		return find_reference(import, reference);
	if (meaning)
		return meaning->definition;
	meaning = table__add(&meanings, key);
	if (!meaning)
		return find_reference(import, reference);
	meaning->module = r.module;
	meaning->reference = reference;
	meaning->definition = find_reference(import, reference);
	return meaning->definition;
}

/* TypeDefOrRefOrSpecEncoded (II.23.2.8). */
static struct definition read_definition(void)
{
	const uint32_t token = signature__number(&r.signature), row = token >> 2;

	if (r.signature.bad || !row || row & TOKEN_KIND)
		return (struct definition){ 0, 0 };
	if ((token & 3) == 0)
		return (struct definition){ r.module, TOKEN_TYPE_DEF | row };
	if ((token & 3) == 1)
		return look_up(TOKEN_TYPE_REF | row);
	return (struct definition){ 0, 0 };
}

/* ---- Classes ---- */

static uintptr_t class_of(struct definition definition)
{
	uintptr_t class_;

	if (!definition.module || CLR_CALL(get_class_from_token, definition.module,
					   definition.type, &class_) != S_OK)
		return 0;
	return class_;
}

static uintptr_t class_of_number(uint8_t element)
{
	static const char16_t *const names[] = {
		u"Boolean", u"Char",   u"SByte",  u"Byte",   u"Int16",	u"UInt16", u"Int32",
		u"UInt32",  u"Int64",  u"UInt64", u"Single", u"Double", u"String",
	};
	const char16_t *name = element == ELEMENT_I	 ? u"IntPtr" :
			       element == ELEMENT_U	 ? u"UIntPtr" :
			       element == ELEMENT_OBJECT ? u"Object" :
							   names[element - ELEMENT_FIRST_NUMBER];
	uint16_t full[32] = u"System.";
	size_t units = 7;

	do
		full[units++] = *name;
	while (*name++);
	return class_of(find_by_name(full));
}

static uintptr_t argument(uint32_t n)
{
	uintptr_t arguments[MOST_ARGUMENTS], module, parent;
	uint32_t token, count = 0;

	if (CLR_CALL(get_class_id_info2, r.of, &module, &token, &parent, MOST_ARGUMENTS, &count,
		     arguments) != S_OK ||
	    count > MOST_ARGUMENTS || n >= count)
		return 0;
	return arguments[n];
}

/* False: what is known does not go on. */
static bool add_known(uintptr_t class_)
{
	if (!class_ || r.known_count == MOST_ARGUMENTS)
		return false;
	r.known[r.known_count++] = class_;
	return true;
}

/* Those whose arguments are complete become known themselves. */
static bool settle(void)
{
	while (r.waiting_count) {
		struct waiting *last = &r.waiting[r.waiting_count - 1];
		uintptr_t class_;

		if (--last->to_come)
			return true;
		if (CLR_CALL(get_class_from_token_and_type_args, last->definition.module,
			     last->definition.type, r.known_count - last->first,
			     r.known + last->first, &class_) != S_OK)
			return false;
		r.known_count = last->first;
		r.waiting_count--;
		if (!add_known(class_))
			return false;
	}
	return true;
}

static bool begin_generic(void)
{
	struct waiting *next = &r.waiting[r.waiting_count];

	payload__u8(&r.signature); /* class or struct */
	if (r.waiting_count == MOST_WAITING)
		return false;
	next->definition = read_definition();
	next->to_come = signature__number(&r.signature);
	next->first = r.known_count;
	r.waiting_count++;
	return next->definition.module && next->to_come && !r.signature.bad;
}

static bool read_type(void)
{
	const uint8_t element = payload__u8(&r.signature);

	if (element == ELEMENT_GENERIC)
		return begin_generic();
	if (element == ELEMENT_VAR)
		return add_known(argument(signature__number(&r.signature))) && settle();
	if (element == ELEMENT_VALUE_TYPE || element == ELEMENT_CLASS)
		return add_known(class_of(read_definition())) && settle();
	if ((element >= ELEMENT_FIRST_NUMBER && element <= ELEMENT_LAST_NUMBER) ||
	    element == ELEMENT_I || element == ELEMENT_U || element == ELEMENT_OBJECT)
		return add_known(class_of_number(element)) && settle();
	return false;
}

uintptr_t signature__class(struct payload signature, uintptr_t module, uintptr_t of)
{
	r.signature = signature;
	r.module = module;
	r.of = of;
	r.waiting_count = r.known_count = 0;
	do {
		if (!read_type() || r.signature.bad)
			return 0;
	} while (r.waiting_count);
	return r.known[0];
}
