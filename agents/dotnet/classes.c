/* SPDX-License-Identifier: BSD-2-Clause */
#include "classes.h"
#include "clr.h"

#define MOST_TOKENS 64 /* at a time */
#define FIRST_METHOD 0x06000001u

static uintptr_t class_of_method(uintptr_t module, uint32_t method)
{
	uintptr_t function, class_ = 0, of;
	uint32_t token;

	if (CLR_CALL(get_function_from_token, module, method, &function) != S_OK ||
	    CLR_CALL(get_function_info, function, &class_, &of, &token) != S_OK)
		return 0;
	return class_;
}

uintptr_t classes__find(const struct module *module, uint32_t type, bool may_load)
{
	uint32_t methods[MOST_TOKENS], count = 0;
	bool has_methods = false;
	uintptr_t class_ = 0;
	void *state = NULL;

	while (!class_ && METADATA_CALL(module->import, enum_methods, &state, type, methods,
					MOST_TOKENS, &count) == S_OK && count) {
		has_methods = true;
		for (uint32_t i = 0; i < count && !class_; i++)
			class_ = class_of_method(module->entry.key, methods[i]);
	}
	METADATA_CALL(module->import, close_enum, state);
	if (!has_methods && may_load &&
	    CLR_CALL(get_class_from_token, module->entry.key, type, &class_) != S_OK)
		return 0;
	return class_;
}

/* Whose method it is; false: there are no more. */
static bool get_owner(struct metadata *import, uint32_t method, uint32_t *type)
{
	uint32_t units, attributes, bytes, rva, flags;
	const uint8_t *signature;

	return METADATA_CALL(import, get_method_props, method, type, NULL, 0, &units, &attributes,
			     &signature, &bytes, &rva, &flags) >= 0;
}

uintptr_t classes__find_in_pause(const struct module *module, uint32_t type)
{
	uintptr_t class_ = 0;
	uint32_t owner;

	for (uint32_t method = FIRST_METHOD;
	     !class_ && get_owner(module->import, method, &owner); method++)
		if (owner == type)
			class_ = class_of_method(module->entry.key, method);
	return class_;
}
