/* SPDX-License-Identifier: BSD-2-Clause */
#include "layout.h"
#include "agents/common/unnamed.h"
#include "modules.h"
#include "payload.h"

#define MOST_FIELDS 4096 /* of one class, without those above it */
#define MOST_CLASSES 64	 /* above one another */

#define SIGNATURE_FIELD 0x06
#define ELEMENT_FIRST_NUMBER 0x02 /* BOOLEAN, CHAR, I1 ... R8 */
#define ELEMENT_LAST_NUMBER 0x0d
#define ELEMENT_PTR 0x0f
#define ELEMENT_BYREF 0x10
#define ELEMENT_I 0x18
#define ELEMENT_U 0x19
#define ELEMENT_FNPTR 0x1b
#define ELEMENT_CMOD_REQD 0x1f
#define ELEMENT_CMOD_OPT 0x20

/* A compressed token: one, two or four bytes. */
static void skip_token(struct payload *signature)
{
	const uint8_t first = payload__u8(signature);

	if (first & 0x80)
		payload__take(signature, first & 0x40 ? 3 : 1);
}

struct payload layout__type(const uint8_t *signature, uint32_t bytes)
{
	struct payload payload = payload__of(signature, bytes);

	payload.bad = payload__u8(&payload) != SIGNATURE_FIELD;
	while (payload__left(&payload) &&
	       (*payload.at == ELEMENT_CMOD_REQD || *payload.at == ELEMENT_CMOD_OPT)) {
		payload__u8(&payload);
		skip_token(&payload);
	}
	return payload;
}

bool layout__may_refer(const uint8_t *signature, uint32_t bytes)
{
	struct payload payload = layout__type(signature, bytes);
	const uint8_t type = payload__u8(&payload);

	if (payload.bad)
		return true;
	return !(type >= ELEMENT_FIRST_NUMBER && type <= ELEMENT_LAST_NUMBER) &&
	       type != ELEMENT_PTR && type != ELEMENT_BYREF && type != ELEMENT_I &&
	       type != ELEMENT_U && type != ELEMENT_FNPTR;
}

uintptr_t layout__parent(uintptr_t class_)
{
	uintptr_t module, parent = 0, argument;
	uint32_t token, arguments;

	if (CLR_CALL(get_class_id_info2, class_, &module, &token, &parent, 0, &arguments,
		     &argument) < 0)
		return 0;
	return parent;
}

uint32_t layout__bytes(uintptr_t class_)
{
	uint32_t count = 0, bytes = 0;

	if (CLR_CALL(get_class_layout, class_, NULL, 0, &count, &bytes) < 0)
		return 0;
	return bytes;
}

static void visit_field(struct metadata *import, uint32_t token, struct layout_field *field,
			layout_visitor *visitor, void *context)
{
	uint16_t units[MODULE_NAME_UNITS];
	char text[3 * MODULE_NAME_UNITS];
	const void *value;
	uint32_t class_, length, attributes, type, value_units;

	if (METADATA_CALL(import, get_field_props, token, &class_, units, MODULE_NAME_UNITS,
			  &length, &attributes, &field->signature, &field->signature_bytes, &type,
			  &value, &value_units) != S_OK ||
	    !layout__may_refer(field->signature, field->signature_bytes))
		return;
	field->name = text;
	field->bytes = utf16__to_utf8(utf16__of(units), text, sizeof(text));
	visitor(context, field);
}

/* Its own fields. */
static bool visit_class(uintptr_t class_, layout_visitor *visitor, void *context)
{
	static struct field_offset fields[MOST_FIELDS];
	uintptr_t module, parent, argument;
	uint32_t token, arguments, count = 0, bytes;
	struct metadata *import;

	if (CLR_CALL(get_class_id_info2, class_, &module, &token, &parent, 0, &arguments,
		     &argument) < 0 ||
	    CLR_CALL(get_class_layout, class_, fields, MOST_FIELDS, &count, &bytes) != S_OK)
		return false;
	if (count > MOST_FIELDS) {
		unnamed__add(1); /* at least: it may be asked for again */
		return false;
	}
	import = modules__import(module);
	for (uint32_t i = 0; import && i < count; i++) {
		struct layout_field field = {
			.offset = fields[i].offset,
			.class_ = class_,
			.module = module,
		};

		visit_field(import, fields[i].token, &field, visitor, context);
	}
	return import != NULL;
}

bool layout__visit(uintptr_t class_, layout_visitor *visitor, void *context)
{
	uintptr_t above[MOST_CLASSES];
	uint32_t count = 0;

	for (; class_; class_ = layout__parent(class_)) {
		if (count == MOST_CLASSES)
			return false;
		above[count++] = class_;
	}
	while (count-- > 0) {
		if (!visit_class(above[count], visitor, context))
			return false;
	}
	return true;
}
