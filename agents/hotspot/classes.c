/* SPDX-License-Identifier: BSD-2-Clause */
#include "classes.h"
#include "fault.h"
#include "held.h"
#include "names.h"

#include <string.h>

#define ACC_STATIC 0x0008

static uint32_t number_of(struct visit *visit, jobject object)
{
	jlong tag = 0;

	if (!object || VM_CALL(visit->jvmti, GetTag, object, &tag) || tag < 0)
		return 0;
	return (uint32_t)tag;
}

static void drop(struct visit *visit, jobject local)
{
	if (local)
		VM_CALL(visit->jni, DeleteLocalRef, local);
}

/* ---- Learning ---- */

static uint32_t keep_text(const char *text, size_t bytes)
{
	char *at = region__get(&types.texts, bytes + 1);

	if (!at) {
		fault__raise("no room for the names of so many classes and fields");
		return 0;
	}
	memcpy(at, text, bytes);
	return (uint32_t)(at - (char *)types.texts.at);
}

static void learn_name(struct type *type, const char *signature)
{
	static char name[NAMES_ROOM];
	const size_t bytes = names__class(signature, name, sizeof(name));

	type->name = keep_text(name, bytes);
	type->name_bytes = type->name ? (uint32_t)bytes : 0;
	type->is_array = *signature == '[';
	type->is_lasting = !names__is_hidden(signature);
	if (type->is_array)
		type->kind = strchr("L[", signature[1]) ? TYPE_ELEMENTS : TYPE_PLAIN;
}

static void learn_field(struct visit *visit, jclass class_, jfieldID id, struct field *field)
{
	char *name = NULL, *signature = NULL;
	jint modifiers = 0;

	if (VM_CALL(visit->jvmti, GetFieldName, class_, id, &name, &signature, NULL))
		return;
	VM_CALL(visit->jvmti, GetFieldModifiers, class_, id, &modifiers);
	field->name = keep_text(name, strlen(name));
	field->is_static = modifiers & ACC_STATIC;
	field->is_reference = *signature == 'L' || *signature == '[';
	vm__free(visit->jvmti, name);
	vm__free(visit->jvmti, signature);
}

/* False: it is not that far, so there are no instances of it. */
static bool learn_fields(struct visit *visit, jclass class_, struct type *type)
{
	jfieldID *ids = NULL;
	struct field *fields;
	jint count = 0;

	if (VM_CALL(visit->jvmti, GetClassFields, class_, &count, &ids))
		return false;
	fields = region__get(&types.fields, (size_t)count * sizeof(*fields));
	if (fields) {
		type->own = (uint32_t)(fields - (struct field *)(void *)types.fields.at);
		type->own_count = (uint32_t)count;
		for (jint i = 0; i < count; i++)
			learn_field(visit, class_, ids[i], &fields[i]);
	}
	vm__free(visit->jvmti, ids);
	if (!fields)
		fault__raise("no room for the fields of so many classes");
	return fields != NULL;
}

static void learn_interfaces(struct visit *visit, jclass class_, struct type *type)
{
	jclass *interfaces = NULL;
	uint32_t *numbers;
	jint count = 0;

	if (VM_CALL(visit->jvmti, GetImplementedInterfaces, class_, &count, &interfaces))
		return;
	numbers = region__get(&types.interfaces, (size_t)count * sizeof(*numbers));
	for (jint i = 0; i < count; i++) {
		if (numbers)
			numbers[i] = number_of(visit, interfaces[i]);
		drop(visit, interfaces[i]);
	}
	vm__free(visit->jvmti, interfaces);
	if (!numbers) {
		fault__raise("no room for the interfaces of so many classes");
		return;
	}
	type->interfaces = (uint32_t)(numbers - (uint32_t *)(void *)types.interfaces.at);
	type->interface_count = (uint32_t)count;
}

static void learn_hierarchy(struct visit *visit, jclass class_, struct type *type)
{
	jclass super = VM_CALL(visit->jni, GetSuperclass, class_);

	type->super = number_of(visit, super);
	drop(visit, super);
	if (!type->is_array)
		learn_interfaces(visit, class_, type);
}

static void learn_loader(struct visit *visit, jclass class_, struct type *type)
{
	jobject loader = NULL;
	jclass of;

	if (VM_CALL(visit->jvmti, GetClassLoader, class_, &loader) || !loader)
		return;
	of = VM_CALL(visit->jni, GetObjectClass, loader);
	type->loader = number_of(visit, of);
	if (!type->loader)
		type->is_lasting = false;
	drop(visit, of);
	drop(visit, loader);
}

static void learn(struct visit *visit, jclass class_, uint32_t number)
{
	struct type *type = types__at(number);
	char *signature = NULL;

	if (VM_CALL(visit->jvmti, GetClassSignature, class_, &signature, NULL))
		return;
	learn_name(type, signature);
	learn_hierarchy(visit, class_, type);
	learn_loader(visit, class_, type);
	if (!strcmp(signature, "Ljava/lang/Class;"))
		types.classes = number;
	vm__free(visit->jvmti, signature);
	if (!type->is_array && learn_fields(visit, class_, type))
		type->kind = number == types.classes ? TYPE_CLASS : TYPE_FIELDS;
}

static bool is_builtin_loader(const struct type *loader)
{
	return types__is_named(loader, "jdk.internal.loader.ClassLoaders$AppClassLoader") ||
	       types__is_named(loader, "jdk.internal.loader.ClassLoaders$PlatformClassLoader");
}

/* What needs the others to be known. */
static void settle(struct type *type)
{
	if (type->loader && !is_builtin_loader(types__at(type->loader)))
		type->is_lasting = false;
	if (!type->is_array)
		types__link(type);
}

/* One that is being loaded has got its number elsewhere (newcomers.h). */
static void number_all(struct visit *visit, const jclass *classes, jint count)
{
	for (jint i = 0; i < count; i++) {
		uint32_t number;

		if (number_of(visit, classes[i]))
			continue;
		number = types__add();
		if (!number || VM_CALL(visit->jvmti, SetTag, classes[i], number))
			fault__raise("no room for so many classes");
	}
	types.known = types.count;
}

static void learn_known(struct visit *visit, jclass class_)
{
	const uint32_t number = number_of(visit, class_);

	if (number && number <= types.known)
		learn(visit, class_, number);
}

static void keep_or_drop(struct visit *visit, jclass class_, struct type *type)
{
	held__take(visit, class_, type);
	if (type == types__at(0)) {
		drop(visit, class_);
		return;
	}
	type->handle = class_;
	if (!type->kept_by)
		type->kept_by = JVMTI_HEAP_REFERENCE_JNI_LOCAL;
}

bool classes__learn(struct visit *visit)
{
	jclass *classes = NULL;
	jint count = 0;

	types__begin();
	if (VM_CALL(visit->jvmti, GetLoadedClasses, &count, &classes))
		return false;
	number_all(visit, classes, count);
	for (jint i = 0; i < count; i++)
		learn_known(visit, classes[i]);
	for (uint32_t number = 1; number <= types.known; number++)
		settle(types__at(number));
	for (jint i = 0; i < count; i++)
		keep_or_drop(visit, classes[i], types__at(number_of(visit, classes[i])));
	vm__free(visit->jvmti, classes);
	return types.classes != 0;
}

/* ---- Telling ---- */

/* Names side by side, each terminated. */
static struct {
	char at[1u << 20];
	size_t used;
	bool is_full; /* one was left out: those behind it would stand at its place */
} list;

static void add_to_list(const char *name)
{
	const size_t bytes = strlen(name) + 1;

	list.is_full |= bytes > sizeof(list.at) - list.used;
	if (list.is_full) {
		fault__raise("a class has more names of fields than there is room for");
		return;
	}
	memcpy(list.at + list.used, name, bytes);
	list.used += bytes;
}

static void list_fields(const struct type *type)
{
	static const struct type *chain[TYPES_CHAIN_MOST];
	const uint32_t count = types__chain(type, chain);

	for (uint32_t c = 0; c < count; c++) {
		for (uint32_t i = 0; i < chain[c]->own_count; i++) {
			const struct field *field = types__field(chain[c], i);

			if (field->is_reference && !field->is_static)
				add_to_list(types__text(field->name));
		}
	}
}

static void list_places_of_classes(void)
{
	static const char *const names[CLASS_PLACES] = {
		[CLASS_PLACE_SUPER] = "<superclass>",
		[CLASS_PLACE_LOADER] = "<loader>",
		[CLASS_PLACE_SIGNERS] = "<signers>",
		[CLASS_PLACE_DOMAIN] = "<protection domain>",
		[CLASS_PLACE_INTERFACE] = "<interface>",
		[CLASS_PLACE_CONSTANT] = "<constant>",
		[CLASS_PLACE_OTHER] = "<other>",
	};

	for (unsigned i = 0; i < CLASS_PLACES; i++)
		add_to_list(names[i]);
}

static void list_all(const struct type *type)
{
	list.used = 0;
	list.is_full = false;
	if (type->is_array)
		return;
	list_fields(type);
	if (type->kind == TYPE_CLASS)
		list_places_of_classes();
	else if (!type->is_lasting)
		add_to_list("<class>");
}

static uint32_t flags_of(const struct type *type)
{
	uint32_t flags = type->is_array || type->kind == TYPE_CLASS ? GCTRACE_CLASS_VARIABLE : 0;

	if (type->is_array)
		flags |= type->kind == TYPE_PLAIN ? GCTRACE_CLASS_BYTES : GCTRACE_CLASS_ARRAY;
	return flags | (type->strength ? GCTRACE_CLASS_WEAK : 0);
}

/* "boot", or the class of what has loaded it: "app" for the usual one. */
static void tell_loader(struct gctrace_writer *writer, uint32_t number, const struct type *type)
{
	static const char own[] = "jdk.internal.loader.ClassLoaders$";
	const struct type *loader = types__at(type->loader);
	const char *name = types__text(loader->name);

	if (!type->loader)
		name = "boot";
	else if (!strncmp(name, own, sizeof(own) - 1))
		name += sizeof(own) - 1;
	gctrace_write_define(writer, GCTRACE_SPACE_LOADER, number, 0, 0, name, strlen(name));
}

static void tell_static(struct gctrace_writer *writer, uint32_t number, const struct type *type,
			uint32_t n)
{
	static char whole[NAMES_ROOM + 65536];
	const char *name = types__text(types__field(type, n)->name);
	const size_t bytes = strlen(name);
	const uint32_t index = type->above + n;

	if (type->is_lasting) {
		gctrace_write_define(writer, GCTRACE_SPACE_STATIC, number, index, 0, name, bytes);
		return;
	}
	memcpy(whole, types__text(type->name), type->name_bytes);
	whole[type->name_bytes] = '.';
	memcpy(whole + type->name_bytes + 1, name, bytes);
	gctrace_write_define(writer, GCTRACE_SPACE_FIELD, types.classes,
			     classes__static_place(number, index), UINT64_MAX, whole,
			     type->name_bytes + 1 + bytes);
}

static void tell_statics(struct gctrace_writer *writer, uint32_t number, const struct type *type)
{
	for (uint32_t i = 0; i < type->own_count; i++) {
		const struct field *field = types__field(type, i);

		if (field->is_reference && field->is_static)
			tell_static(writer, number, type, i);
	}
}

static void tell(struct gctrace_writer *writer, uint32_t number)
{
	const struct type *type = types__at(number);

	if (!type->name_bytes)
		return;
	list_all(type);
	gctrace_write_class(writer, number, types__text(type->name), type->name_bytes, type->super,
			    flags_of(type), list.at, list.used, 0);
	tell_loader(writer, number, type);
	tell_statics(writer, number, type);
}

void classes__tell(struct gctrace_writer *writer)
{
	for (uint32_t number = 1; number <= types.known; number++)
		tell(writer, number);
}

/* ---- Those that came late ---- */

/* What was told of them has the JVM's own indices for places. */
static void tell_indices(struct gctrace_writer *writer, uint32_t number)
{
	static const struct type *chain[TYPES_CHAIN_MOST];
	const struct type *type = types__at(number);
	const uint32_t count = types__chain(type, chain);
	uint32_t index = type->indices;

	for (uint32_t c = count; c-- > 0;) {
		index -= chain[c]->own_count;
		for (uint32_t i = 0; i < chain[c]->own_count; i++) {
			const char *name = types__text(types__field(chain[c], i)->name);

			gctrace_write_define(writer, GCTRACE_SPACE_FIELD, number, index + i,
					     UINT64_MAX, name, strlen(name));
		}
	}
}

static void tell_late(struct gctrace_writer *writer, uint32_t number)
{
	struct type *type = types__at(number);

	if (!type->name_bytes)
		return;
	settle(type);
	type->is_lasting = false; /* so its statics were told */
	gctrace_write_class(writer, number, types__text(type->name), type->name_bytes, type->super,
			    flags_of(type), NULL, 0, 0);
	tell_loader(writer, number, type);
	if (type->is_array)
		return;
	tell_indices(writer, number);
	tell_statics(writer, number, type);
}

/*
 * Of those that came late only what was seen at work is asked about: among the class objects are
 * those of void and int, and of classes that the JVM has mapped with its archive and not loaded,
 * whose loader it does not survive to be asked for (Java 17, 25).
 */
static bool is_late(uint32_t number)
{
	const struct type *type = types__at(number);

	return type->is_at_work && (number > types.known || type->kind == TYPE_STRANGE);
}

/* Those above them and what has loaded them are told by tags that the walk has taken off. */
static void tag_again(struct visit *visit)
{
	for (uint32_t number = 1; number <= types.known; number++) {
		if (types__at(number)->handle)
			VM_CALL(visit->jvmti, SetTag, types__at(number)->handle, number);
	}
}

static bool are_any_late(void)
{
	for (uint32_t number = 1; number <= types.count; number++) {
		if (is_late(number))
			return true;
	}
	return false;
}

/* By hundreds: they are few, unless the program starts. */
void classes__tell_late(struct visit *visit, struct gctrace_writer *writer)
{
	static jlong tags[128];
	uint32_t number = 1;

	if (!are_any_late())
		return;
	tag_again(visit);
	while (number <= types.count) {
		jobject *classes = NULL;
		jlong *of = NULL;
		jint wanted = 0, count = 0;

		for (; number <= types.count && wanted < 128; number++) {
			if (is_late(number))
				tags[wanted++] = number;
		}
		if (!wanted ||
		    VM_CALL(visit->jvmti, GetObjectsWithTags, wanted, tags, &count, &classes, &of))
			continue;
		for (jint i = 0; i < count; i++)
			learn(visit, classes[i], (uint32_t)of[i]);
		for (jint i = 0; i < count; i++) {
			tell_late(writer, (uint32_t)of[i]);
			drop(visit, classes[i]);
		}
		vm__free(visit->jvmti, classes);
		vm__free(visit->jvmti, of);
	}
}
