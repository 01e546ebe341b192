/* SPDX-License-Identifier: BSD-2-Clause */
#include "jvm_methods.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/vec.h"
#include "jvm_layout.h"
#include "jvm_memory.h"
#include "jvm_symbols.h"

#define ACCESS_NATIVE 0x0100
#define WORD 8
#define FIRST_BUCKETS 1024

/* All that a method's name is made of, by address: while these are the same, it is the same. */
struct identity {
	uint64_t const_method, pool, holder;
	uint64_t class_name, name, signature;
};

struct known {
	uint64_t address; /* 0: an empty bucket */
	uint64_t sweep;	  /* when its identity was last checked */
	struct identity identity;
	struct jvm_method method;
	bool is_method; /* in that sweep */
};

struct jvm_methods {
	struct jvm_memory *memory;
	const struct jvm_layout *layout;
	uint64_t sweep;
	struct known *buckets;
	size_t bucket_count, used; /* a power of two; at most half are used */
	VEC(char *) names;	   /* of number i + 1 */
	VEC(uint64_t) stubs;	   /* numbers that are no method's */
};

struct jvm_methods *jvm_methods__new(struct jvm_memory *memory, const struct jvm_layout *layout)
{
	struct jvm_methods *methods = calloc(1, sizeof(*methods));

	if (!methods)
		return NULL;
	methods->memory = memory;
	methods->layout = layout;
	methods->sweep = 1;
	methods->bucket_count = FIRST_BUCKETS;
	methods->buckets = calloc(methods->bucket_count, sizeof(struct known));
	if (methods->buckets)
		return methods;
	free(methods);
	return NULL;
}

void jvm_methods__free(struct jvm_methods *methods)
{
	if (!methods)
		return;
	for (size_t i = 0; i < methods->names.count; i++)
		free(methods->names.items[i]);
	vec__free(&methods->names);
	vec__free(&methods->stubs);
	free(methods->buckets);
	free(methods);
}

void jvm_methods__forget(struct jvm_methods *methods)
{
	methods->sweep++;
}

/* ------------------------------------------------------------------------------------------ */

static bool is_aligned(uint64_t address)
{
	return address && address % WORD == 0;
}

/* A text of the constant pool, whose index is at an address. */
static bool read_symbol(const struct jvm_methods *methods, uint64_t pool, uint64_t at,
			uint64_t *symbol)
{
	uint16_t index;

	return jvm_memory__u16(methods->memory, at, &index) &&
	       jvm_symbols__in_pool(methods->memory, methods->layout, pool, index, symbol);
}

static bool read_identity(const struct jvm_methods *methods, uint64_t address,
			  struct identity *identity)
{
	const struct jvm_layout *layout = methods->layout;
	struct jvm_memory *memory = methods->memory;

	*identity = (struct identity){ 0 };
	return is_aligned(address) &&
	       jvm_memory__u64(memory, address + layout->method_const, &identity->const_method) &&
	       is_aligned(identity->const_method) &&
	       jvm_memory__u64(memory, identity->const_method + layout->const_constants,
			       &identity->pool) && is_aligned(identity->pool) &&
	       jvm_memory__u64(memory, identity->pool + layout->pool_holder, &identity->holder) &&
	       is_aligned(identity->holder) &&
	       jvm_memory__u64(memory, identity->holder + layout->klass_name,
			       &identity->class_name) && is_aligned(identity->class_name) &&
	       read_symbol(methods, identity->pool, identity->const_method + layout->const_name,
			   &identity->name) &&
	       read_symbol(methods, identity->pool,
			   identity->const_method + layout->const_signature, &identity->signature);
}

/* The text of a symbol, appended. */
static bool add_symbol(const struct jvm_methods *methods, uint64_t symbol, struct buf *text)
{
	uint16_t length;

	if (!jvm_memory__u16(methods->memory, symbol + methods->layout->symbol_length, &length) ||
	    !length || buf__reserve(text, length) ||
	    !jvm_memory__read(methods->memory, symbol + methods->layout->symbol_body,
			      text->data + text->len, length) ||
	    memchr(text->data + text->len, 0, length))
		return false;
	text->len += length;
	text->data[text->len] = 0;
	return true;
}

/*
 * "java/util/HashMap" as people write it; of classes without a name of their own the JVM has
 * "Main$$Lambda+0x00007f", and writes the last + as a slash.
 */
static bool add_class(const struct jvm_methods *methods, uint64_t symbol, struct buf *text)
{
	const size_t from = text->len;
	char *plus;

	if (!add_symbol(methods, symbol, text))
		return false;
	for (char *c = text->data + from; *c; c++)
		if (*c == '/')
			*c = '.';
	plus = strrchr(text->data + from, '+');
	if (plus && strncmp(plus, "+0x", 3) == 0)
		*plus = '/';
	return true;
}

/* -ENOENT where it is not made of such texts as a method's name is. */
static int read_name(const struct jvm_methods *methods, const struct identity *identity,
		     struct buf *text)
{
	size_t signature;

	if (!add_class(methods, identity->class_name, text))
		return text->error ? text->error : -ENOENT;
	buf__add_char(text, '.');
	if (!add_symbol(methods, identity->name, text))
		return text->error ? text->error : -ENOENT;
	signature = text->len;
	if (!add_symbol(methods, identity->signature, text))
		return text->error ? text->error : -ENOENT;
	return text->data[signature] == '(' && strchr(text->data + signature, ')') ? 0 : -ENOENT;
}

/* Methods that load classes, and those that their like have in every JDK from 9 on. */
static bool is_loader(const char *name)
{
	static const char *const loaders[] = {
		"java.lang.ClassLoader.loadClass(",
		"java.lang.ClassLoader.defineClass",
		"java.lang.ClassLoader.findBootstrapClass",
		"java.lang.Class.forName",
		"java.lang.invoke.MethodHandles$Lookup$ClassDefiner.defineClass",
		"java.net.URLClassLoader.findClass(",
		"java.security.SecureClassLoader.defineClass(",
		"jdk.internal.loader.BuiltinClassLoader.defineClass(",
		"jdk.internal.loader.BuiltinClassLoader.loadClassOrNull(",
		"jdk.internal.loader.Loader.loadClass(",
	};

	for (size_t i = 0; i < sizeof(loaders) / sizeof(loaders[0]); i++)
		if (strncmp(name, loaders[i], strlen(loaders[i])) == 0)
			return true;
	return false;
}

/* ------------------------------------------------------------------------------------------ */

static uint64_t add_text(struct jvm_methods *methods, const char *text)
{
	char *copy = strdup(text);

	if (!copy || vec__push(&methods->names, copy)) {
		free(copy);
		return 0;
	}
	return methods->names.count;
}

static int take(struct jvm_methods *methods, struct known *known, const struct identity *identity)
{
	const struct jvm_layout *layout = methods->layout;
	struct buf text = BUF_INIT;
	uint16_t access, size;
	int err = read_name(methods, identity, &text);

	if (!err && (!jvm_memory__u16(methods->memory, known->address + layout->method_access,
				      &access) ||
		     !jvm_memory__u16(methods->memory, identity->const_method +
				      layout->const_code_size, &size)))
		err = -ENOENT;
	if (!err) {
		known->method = (struct jvm_method){
			.number = add_text(methods, buf__str(&text)),
			.code = identity->const_method + layout->const_size,
			.code_size = size,
			.is_native = access & ACCESS_NATIVE,
			.is_loader = is_loader(buf__str(&text)),
		};
		known->identity = *identity;
		err = known->method.number ? 0 : -ENOMEM;
	}
	buf__free(&text);
	return err;
}

/* What is at its address in this sweep. */
static int look(struct jvm_methods *methods, struct known *known)
{
	struct identity identity;
	int err = 0;

	known->sweep = methods->sweep;
	known->is_method = false;
	if (!read_identity(methods, known->address, &identity))
		return -ENOENT;
	if (!known->method.number ||
	    memcmp(&identity, &known->identity, sizeof(identity)) != 0)
		err = take(methods, known, &identity);
	known->is_method = err == 0;
	return err;
}

static struct known *bucket_of(struct known *buckets, size_t count, uint64_t address)
{
	size_t i = (size_t)(address * 0x9e3779b97f4a7c15 >> 32) & (count - 1);

	while (buckets[i].address && buckets[i].address != address)
		i = (i + 1) & (count - 1);
	return &buckets[i];
}

/* Addresses that turned out to be no methods are left behind. */
static int widen(struct jvm_methods *methods)
{
	const size_t count = methods->bucket_count * 2;
	struct known *buckets = calloc(count, sizeof(*buckets));

	if (!buckets)
		return -ENOMEM;
	methods->used = 0;
	for (size_t i = 0; i < methods->bucket_count; i++) {
		const struct known *known = &methods->buckets[i];

		if (!known->address || !known->method.number)
			continue;
		*bucket_of(buckets, count, known->address) = *known;
		methods->used++;
	}
	free(methods->buckets);
	methods->buckets = buckets;
	methods->bucket_count = count;
	return 0;
}

int jvm_methods__find(struct jvm_methods *methods, uint64_t address, struct jvm_method *method)
{
	struct known *known;
	int err = 0;

	if (!is_aligned(address))
		return -ENOENT;
	if (methods->used * 2 >= methods->bucket_count && widen(methods))
		return -ENOMEM;
	known = bucket_of(methods->buckets, methods->bucket_count, address);
	if (!known->address) {
		known->address = address;
		methods->used++;
	}
	if (known->sweep != methods->sweep)
		err = look(methods, known);
	else if (!known->is_method)
		err = -ENOENT;
	if (!err)
		*method = known->method;
	return err;
}

uint64_t jvm_methods__number(struct jvm_methods *methods, const char *text)
{
	uint64_t number;

	for (size_t i = 0; i < methods->stubs.count; i++)
		if (strcmp(methods->names.items[methods->stubs.items[i] - 1], text) == 0)
			return methods->stubs.items[i];
	number = add_text(methods, text);
	return number && vec__push(&methods->stubs, number) == 0 ? number : 0;
}

int jvm_methods__name(const struct jvm_methods *methods, uint64_t number, struct buf *name)
{
	if (!number || number > methods->names.count)
		return -ENOENT;
	buf__add_str(name, methods->names.items[number - 1]);
	return name->error;
}
