/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modules that are loaded, each with the reader of its metadata.
 *
 * Getting a reader takes locks and memory of the runtime's, so all are got before a dump's pause;
 * only one of a module that was loaded since is got in it. (Those locks do not change a thread's
 * mode, says the runtime's source, so nobody can hold one and stand still.) Reading by one takes
 * neither.
 */
#ifndef GCTRACE_DOTNET_MODULES_H
#define GCTRACE_DOTNET_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "agents/common/table.h"
#include "clr.h"

#define MODULE_NAME_UNITS 1024 /* of a name in metadata, which has at most 1023 bytes */

/* IMetaDataImport. Rooms and lengths of names count UTF-16 units, with the zero. */
struct metadata_table {
	struct unknown_table unknown;
	void (*close_enum)(void *self, void *state);
	CLR_PAD(4, 5);
	HRESULT (*enum_type_defs)(void *self, void **state, uint32_t *types, uint32_t room,
				  uint32_t *count);
	CLR_PAD(7, 8);
	/* enclosing: 0 where it is not nested. */
	HRESULT (*find_type_def_by_name)(void *self, const uint16_t *name, uint32_t enclosing,
					 uint32_t *type);
	HRESULT (*get_scope_props)(void *self, uint16_t *name, uint32_t room, uint32_t *units,
				   struct guid *version);
	CLR_PAD(11, 11);
	HRESULT (*get_type_def_props)(void *self, uint32_t type, uint16_t *name, uint32_t room,
				      uint32_t *units, uint32_t *flags, uint32_t *extends);
	CLR_PAD(13, 13);
	HRESULT (*get_type_ref_props)(void *self, uint32_t reference, uint32_t *scope,
				      uint16_t *name, uint32_t room, uint32_t *units);
	CLR_PAD(15, 17);
	HRESULT (*enum_methods)(void *self, void **state, uint32_t type, uint32_t *methods,
				uint32_t room, uint32_t *count);
	CLR_PAD(19, 19);
	HRESULT (*enum_fields)(void *self, void **state, uint32_t type, uint32_t *fields,
			       uint32_t room, uint32_t *count);
	CLR_PAD(21, 29);
	HRESULT (*get_method_props)(void *self, uint32_t method, uint32_t *class_, uint16_t *name,
				    uint32_t room, uint32_t *units, uint32_t *attributes,
				    const uint8_t **signature, uint32_t *signature_bytes,
				    uint32_t *rva, uint32_t *flags);
	CLR_PAD(31, 56);
	HRESULT (*get_field_props)(void *self, uint32_t field, uint32_t *class_, uint16_t *name,
				   uint32_t room, uint32_t *units, uint32_t *attributes,
				   const uint8_t **signature, uint32_t *signature_bytes,
				   uint32_t *type, const void **value, uint32_t *value_units);
	CLR_PAD(58, 59);
	/* S_FALSE: it has none of that name. */
	HRESULT (*get_custom_attribute_by_name)(void *self, uint32_t of, const uint16_t *name,
						const void **value, uint32_t *bytes);
	CLR_PAD(61, 61);
	HRESULT (*get_nested_class_props)(void *self, uint32_t nested, uint32_t *enclosing);
};
_Static_assert(offsetof(struct metadata_table, get_type_def_props) == 12 * sizeof(void *), "12");
_Static_assert(offsetof(struct metadata_table, get_method_props) == 30 * sizeof(void *), "30");
_Static_assert(offsetof(struct metadata_table, get_field_props) == 57 * sizeof(void *), "57");
_Static_assert(offsetof(struct metadata_table, get_nested_class_props) == 62 * sizeof(void *),
	       "62");

struct metadata {
	const struct metadata_table *table;
};

/* METADATA_CALL(import, get_nested_class_props, token, &enclosing) */
#define METADATA_CALL(import, method, ...) (import)->table->method(import, ##__VA_ARGS__)

struct module {
	struct table_entry entry; /* key: the runtime's number of it */
	struct metadata *import;  /* NULL: there is none */
	bool may_unload;
};

/* Once, outside of a pause. False: no address space. */
bool modules__init(void);

/* Gets all readers; on a thread that is none of the runtime's. */
void modules__open(void);
/* Gives them back. */
void modules__close(void);

/* NULL: the reader cannot be had. */
struct metadata *modules__import(uintptr_t module);

/* Is it one of those, and never unloaded? Then what is known of it is true after the pause too. */
bool modules__stays(uintptr_t module);

/* Those that modules__open() found, by number from 0. */
uint32_t modules__count(void);
const struct module *modules__at(uint32_t index);

#endif
