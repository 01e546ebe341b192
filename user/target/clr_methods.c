/* SPDX-License-Identifier: BSD-2-Clause */
#include "clr_methods.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buf.h"
#include "../base/vec.h"
#include "clr_contract.h"
#include "clr_metadata.h"
#include "name_table.h"
#include "remote.h"

#define KEPT 8192	  /* methods, a power of two */
#define MODULES_MOST 65536
#define TOKEN_BITS 0xfff  /* of FlagsAndTokenRange that are of the token */
#define KIND_BITS 7	  /* of MethodDesc::Flags */
#define KIND_DYNAMIC 7
#define LAYOUT_IS_MAPPED 1 /* PEImageLayout::Flags */
#define NAME_MOST 4096

enum field {
	METHOD_REST, METHOD_INDEX, METHOD_FLAGS, METHOD_NAME,
	CHUNK_TYPE, CHUNK_RANGE, CHUNK_BYTES,
	TYPE_FLAGS, TYPE_MODULE,
	MODULE_FILE, FILE_IMAGE, IMAGE_LAYOUT, LAYOUT_BASE, LAYOUT_FLAGS,
	FIELDS,
};

static const struct {
	const char *type, *field;
} names[FIELDS] = {
	[METHOD_REST] = { "MethodDesc", "Flags3AndTokenRemainder" },
	[METHOD_INDEX] = { "MethodDesc", "ChunkIndex" },
	[METHOD_FLAGS] = { "MethodDesc", "Flags" },
	[METHOD_NAME] = { "DynamicMethodDesc", "MethodName" },
	[CHUNK_TYPE] = { "MethodDescChunk", "MethodTable" },
	[CHUNK_RANGE] = { "MethodDescChunk", "FlagsAndTokenRange" },
	[CHUNK_BYTES] = { "MethodDescChunk", "!" },
	[TYPE_FLAGS] = { "MethodTable", "MTFlags2" },
	[TYPE_MODULE] = { "MethodTable", "Module" },
	[MODULE_FILE] = { "Module", "PEAssembly" },
	[FILE_IMAGE] = { "PEAssembly", "PEImage" },
	[IMAGE_LAYOUT] = { "PEImage", "LoadedImageLayout" },
	[LAYOUT_BASE] = { "PEImageLayout", "Base" },
	[LAYOUT_FLAGS] = { "PEImageLayout", "Flags" },
};

struct module {
	uint64_t address;
	struct clr_metadata *metadata; /* NULL: it has no image, or one that makes no sense */
};

/* As it was when its name was found: what has changed is looked up again. */
struct kept {
	uint64_t method, words, number;
};

struct clr_methods {
	struct remote *memory;
	uint32_t at[FIELDS];
	uint64_t alignment, remainder_bits;
	struct name_table *table;
	struct buf text;
	VEC(struct module) modules;
	struct kept kept[KEPT];
};

int clr_methods__new(const struct clr_contract *contract, struct remote *memory,
		     struct clr_methods **out)
{
	struct clr_methods *methods = calloc(1, sizeof(*methods));
	int err = 0;

	*out = NULL;
	if (!methods)
		return -ENOMEM;
	methods->memory = memory;
	for (size_t i = 0; i < FIELDS && !err; i++)
		err = clr_contract__field(contract, names[i].type, names[i].field,
					  &methods->at[i]);
	if (!err)
		err = clr_contract__global(contract, "MethodDescAlignment", &methods->alignment);
	if (!err)
		err = clr_contract__global(contract, "MethodDescTokenRemainderBitCount",
					   &methods->remainder_bits);
	/* The number is 24 bits wide, and all flags lie in the first 8 bytes. */
	if (err || methods->remainder_bits > 16 || methods->at[METHOD_REST] > 6 ||
	    methods->at[METHOD_INDEX] > 7 || methods->at[METHOD_FLAGS] > 6) {
		clr_methods__free(methods);
		return -ENOTSUP;
	}
	methods->table = name_table__new();
	if (!methods->table) {
		clr_methods__free(methods);
		return -ENOMEM;
	}
	*out = methods;
	return 0;
}

void clr_methods__free(struct clr_methods *methods)
{
	if (!methods)
		return;
	for (size_t i = 0; i < methods->modules.count; i++)
		clr_metadata__free(methods->modules.items[i].metadata);
	vec__free(&methods->modules);
	name_table__free(methods->table);
	buf__free(&methods->text);
	free(methods);
}

const char *clr_methods__name(const struct clr_methods *methods, uint64_t number)
{
	return name_table__text(methods->table, number);
}

/* ---------------------------------------------------------------- reading */

static int read_at(struct clr_methods *methods, uint64_t object, enum field field, void *to,
		   size_t size)
{
	return remote__read(methods->memory, object + methods->at[field], to, size);
}

static int read_word(struct clr_methods *methods, uint64_t object, enum field field,
		     uint64_t *value)
{
	return read_at(methods, object, field, value, sizeof(*value));
}

static uint32_t bits_of(uint64_t words, uint32_t at, unsigned int bits)
{
	return (uint32_t)(words >> 8 * at & ((1u << bits) - 1));
}

/* ---------------------------------------------------------------- modules */

static int open_metadata(struct clr_methods *methods, uint64_t module,
			 struct clr_metadata **metadata)
{
	uint64_t at, base;
	uint32_t flags;
	int err = read_word(methods, module, MODULE_FILE, &at);

	if (!err)
		err = read_word(methods, at, FILE_IMAGE, &at);
	if (!err)
		err = read_word(methods, at, IMAGE_LAYOUT, &at);
	if (!err)
		err = read_word(methods, at, LAYOUT_BASE, &base);
	if (!err)
		err = read_at(methods, at, LAYOUT_FLAGS, &flags, sizeof(flags));
	if (!err)
		err = clr_metadata__open(methods->memory, base, (flags & LAYOUT_IS_MAPPED) != 0,
					 metadata);
	return err;
}

/* There are some hundred modules, and each is asked for once a new method. */
static int find_module(struct clr_methods *methods, uint64_t address,
		       struct clr_metadata **metadata)
{
	struct module module = { .address = address };
	int err;

	for (size_t i = 0; i < methods->modules.count; i++)
		if (methods->modules.items[i].address == address) {
			*metadata = methods->modules.items[i].metadata;
			return *metadata ? 0 : -ENOENT;
		}
	if (methods->modules.count >= MODULES_MOST)
		return -ENOENT;
	err = open_metadata(methods, address, &module.metadata);
	if (err == -ENOMEM || err == -ESRCH)
		return err;
	if (vec__push(&methods->modules, module)) {
		clr_metadata__free(module.metadata);
		return -ENOMEM;
	}
	*metadata = module.metadata;
	return *metadata ? 0 : -ENOENT;
}

/* ---------------------------------------------------------------- names */

/* Code that is made for a call or by the program itself has its name beside it. */
static int add_dynamic(struct clr_methods *methods, uint64_t method)
{
	char name[NAME_MOST];
	uint64_t address;
	ssize_t len;
	int err = read_word(methods, method, METHOD_NAME, &address);

	if (err || !address)
		return err ? err : -ENOENT;
	len = remote__read_text(methods->memory, address, name, sizeof(name));
	if (len <= 0)
		return len < 0 ? (int)len : -ENOENT;
	buf__add_str(&methods->text, "(dynamic) ");
	buf__add(&methods->text, name, (size_t)len);
	return methods->text.error;
}

static int add_name(struct clr_methods *methods, uint64_t method, uint64_t words)
{
	const uint64_t chunk = method - methods->at[CHUNK_BYTES] -
			       bits_of(words, methods->at[METHOD_INDEX], 8) * methods->alignment;
	const uint32_t rest = bits_of(words, methods->at[METHOD_REST],
				      (unsigned int)methods->remainder_bits);
	struct clr_metadata *metadata;
	uint64_t type, module;
	uint16_t range;
	uint32_t flags;
	int err = read_word(methods, chunk, CHUNK_TYPE, &type);

	if (!err)
		err = read_at(methods, chunk, CHUNK_RANGE, &range, sizeof(range));
	if (!err)
		err = read_word(methods, type, TYPE_MODULE, &module);
	if (!err)
		err = read_at(methods, type, TYPE_FLAGS, &flags, sizeof(flags));
	if (!err)
		err = find_module(methods, module, &metadata);
	if (!err)
		err = clr_metadata__add_type(metadata, flags >> 8, &methods->text);
	buf__add_char(&methods->text, '.');
	if (!err)
		err = clr_metadata__add_method(metadata,
					       (uint32_t)(range & TOKEN_BITS)
							       << methods->remainder_bits | rest,
					       &methods->text);
	return err;
}

static int find_name(struct clr_methods *methods, uint64_t method, uint64_t words,
		     uint64_t *number)
{
	const uint32_t kind = bits_of(words, methods->at[METHOD_FLAGS], 16) & KIND_BITS;
	int err;

	buf__reset(&methods->text);
	err = kind == KIND_DYNAMIC ? add_dynamic(methods, method)
				   : add_name(methods, method, words);
	if (methods->text.error)
		return methods->text.error;
	if (err)
		return err == -ESRCH || err == -ENOMEM ? err : -ENOENT;
	*number = name_table__number(methods->table, methods->text.data, methods->text.len);
	return *number ? 0 : -ENOMEM;
}

int clr_methods__find(struct clr_methods *methods, uint64_t method, uint64_t *number)
{
	struct kept *kept = &methods->kept[(method >> 3 ^ method >> 16) & (KEPT - 1)];
	uint64_t words;
	int err = remote__read(methods->memory, method, &words, sizeof(words));

	if (err)
		return err == -ESRCH ? err : -ENOENT;
	if (kept->method == method && kept->words == words) {
		*number = kept->number;
		return 0;
	}
	err = find_name(methods, method, words, number);
	if (!err)
		*kept = (struct kept){ method, words, *number };
	return err;
}
