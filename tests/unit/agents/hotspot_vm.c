/* SPDX-License-Identifier: BSD-2-Clause */
#include "hotspot_vm.h"
#include "fake_method.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define THREAD_NUMBER 1
#define OWN_NUMBER 99
#define ADDRESSES 0x700000000u

struct fake_vm fake_vm;

struct fake_class fake_object_class, fake_java_class, fake_string, fake_thread_class;
struct fake_object fake_thread;

static uint64_t next_address;
static jvmtiEnv jvmti;
static JNIEnv jni;

/* ---- Making one ---- */

void fake_vm__object(struct fake_object *object)
{
	object->address = next_address;
	next_address += 0x40;
	if (!object->length)
		object->length = -1;
	object->tag = 0;
	fake_vm.objects[fake_vm.object_count++] = object;
}

void fake_vm__class(struct fake_class *class_)
{
	class_->mirror.class_ = &fake_java_class;
	class_->mirror.size = 120;
	class_->mirror.mirrors = class_;
	fake_vm__object(&class_->mirror);
	fake_vm.object_count--;
	fake_vm.classes[fake_vm.class_count++] = class_;
}

void fake_vm__root(struct fake_root root)
{
	fake_vm.roots[fake_vm.root_count++] = root;
}

void fake_vm__begin(void)
{
	memset(&fake_vm, 0, sizeof(fake_vm));
	fake_vm.version = 17;
	next_address = ADDRESSES;
	fake_object_class = (struct fake_class){ .signature = "Ljava/lang/Object;" };
	fake_java_class = (struct fake_class){
		.signature = "Ljava/lang/Class;",
		.super = &fake_object_class,
		.fields = { { "name", "Ljava/lang/String;", 0 },
			    { "flags", "I", 0 },
			    { "classLoader", "Ljava/lang/ClassLoader;", 0 },
			    { "cache", "Ljava/lang/Object;", 0 } },
	};
	fake_string = (struct fake_class){ .signature = "Ljava/lang/String;",
					   .super = &fake_object_class };
	fake_thread_class = (struct fake_class){ .signature = "Ljava/lang/Thread;",
						 .super = &fake_object_class };
	fake_thread = (struct fake_object){ .class_ = &fake_thread_class, .size = 64 };
	fake_vm__class(&fake_object_class);
	fake_vm__class(&fake_java_class);
	fake_vm__class(&fake_string);
	fake_vm__class(&fake_thread_class);
	fake_vm__object(&fake_thread);
}

/* ---- Handles and memory ---- */

static struct fake_object *object_of(jobject handle)
{
	return (struct fake_object *)(void *)handle;
}

static jobject handle_of(struct fake_object *object)
{
	return (jobject)(void *)object;
}

static struct fake_class *class_of(jclass class_)
{
	return object_of(class_)->mirrors;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *env, unsigned char *memory)
{
	(void)env;
	free(memory);
	return 0;
}

/* ---- JNI ---- */

#define STRINGS 3

static struct fake_object strings[STRINGS]; /* the last ones that JNI has made */

static jobject JNICALL new_string(JNIEnv *env, const char *text)
{
	static unsigned n;
	struct fake_object *string = &strings[n++ % STRINGS];

	(void)env;
	(void)text;
	if (fake_vm.has_no_memory)
		return NULL;
	*string = (struct fake_object){ .class_ = &fake_string, .size = 24 };
	fake_vm__object(string);
	fake_vm.object_count--;
	return handle_of(string);
}

static jobjectArray JNICALL new_array(JNIEnv *env, jsize length, jclass of, jobject element)
{
	static struct fake_class class_ = { .signature = "[Ljava/lang/String;" };
	static struct fake_object array;

	(void)env;
	(void)of;
	class_.mirror.class_ = &fake_java_class;
	array = (struct fake_object){ .class_ = &class_, .size = 24, .length = length };
	array.refs[0] = (struct fake_reference){ JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT, 0,
						 object_of(element) };
	array.ref_count = 1;
	fake_vm__object(&array);
	fake_vm.object_count--;
	return handle_of(&array);
}

static jclass JNICALL get_object_class(JNIEnv *env, jobject object)
{
	(void)env;
	return handle_of(&object_of(object)->class_->mirror);
}

static jclass JNICALL get_superclass(JNIEnv *env, jclass class_)
{
	(void)env;
	return class_of(class_)->super ? handle_of(&class_of(class_)->super->mirror) : NULL;
}

static void JNICALL delete_local(JNIEnv *env, jobject local)
{
	(void)env;
	if (local && object_of(local)->mirrors && object_of(local)->locals)
		object_of(local)->locals--;
}

static jobject JNICALL new_global(JNIEnv *env, jobject object)
{
	(void)env;
	object_of(object)->globals++;
	return object;
}

static void JNICALL delete_global(JNIEnv *env, jobject global)
{
	(void)env;
	assert(object_of(global)->globals);
	object_of(global)->globals--;
}

static jint JNICALL push_frame(JNIEnv *env, jint capacity)
{
	(void)env;
	(void)capacity;
	fake_vm.frames++;
	return 0;
}

static jobject JNICALL pop_frame(JNIEnv *env, jobject result)
{
	(void)env;
	fake_vm.frames--;
	return result;
}

static void JNICALL clear(JNIEnv *env)
{
	(void)env;
}

static jfieldID JNICALL get_field_id(JNIEnv *env, jclass class_, const char *name, const char *of)
{
	static const struct fake_field number;

	(void)env;
	(void)class_;
	(void)name;
	(void)of;
	return (jfieldID)(uintptr_t)&number;
}

static jlong JNICALL get_long(JNIEnv *env, jobject object, jfieldID field)
{
	(void)env;
	(void)object;
	(void)field;
	return THREAD_NUMBER;
}

static jobject JNICALL get_object_field(JNIEnv *env, jobject object, jfieldID field)
{
	const size_t n = (size_t)((struct fake_field *)(void *)field - fake_java_class.fields);

	(void)env;
	return handle_of(object_of(object)->fields[n]);
}

/* ---- JVMTI: classes ---- */

static jvmtiError JNICALL get_loaded_classes(jvmtiEnv *env, jint *count, jclass **classes)
{
	(void)env;
	*classes = calloc(fake_vm.class_count, sizeof(**classes));
	*count = 0;
	for (unsigned i = 0; i < fake_vm.class_count; i++) {
		if (fake_vm.classes[i]->is_late)
			continue;
		fake_vm.classes[i]->mirror.locals++;
		(*classes)[(*count)++] = handle_of(&fake_vm.classes[i]->mirror);
	}
	return 0;
}

static jvmtiError JNICALL get_signature(jvmtiEnv *env, jclass class_, char **signature,
					char **generic)
{
	(void)env;
	(void)generic;
	*signature = strdup(class_of(class_)->signature);
	return 0;
}

static jvmtiError JNICALL get_fields(jvmtiEnv *env, jclass class_, jint *count, jfieldID **ids)
{
	struct fake_field *fields = class_of(class_)->fields;

	(void)env;
	*ids = calloc(4, sizeof(**ids));
	for (*count = 0; *count < 4 && fields[*count].name; (*count)++)
		(*ids)[*count] = (jfieldID)(void *)&fields[*count];
	return 0;
}

static jvmtiError JNICALL get_field_name(jvmtiEnv *env, jclass class_, jfieldID id, char **name,
					 char **signature, char **generic)
{
	const struct fake_field *field = (const void *)id;

	(void)env;
	(void)class_;
	(void)generic;
	*name = strdup(field->name);
	*signature = strdup(field->signature);
	return 0;
}

static jvmtiError JNICALL get_modifiers(jvmtiEnv *env, jclass class_, jfieldID id, jint *modifiers)
{
	(void)env;
	(void)class_;
	*modifiers = ((const struct fake_field *)(const void *)id)->modifiers;
	return 0;
}

static jvmtiError JNICALL get_interfaces(jvmtiEnv *env, jclass class_, jint *count,
					 jclass **interfaces)
{
	struct fake_class **of = class_of(class_)->interfaces;

	(void)env;
	*interfaces = calloc(4, sizeof(**interfaces));
	for (*count = 0; *count < 4 && of[*count]; (*count)++)
		(*interfaces)[*count] = handle_of(&of[*count]->mirror);
	return 0;
}

static jvmtiError JNICALL get_loader(jvmtiEnv *env, jclass class_, jobject *loader)
{
	(void)env;
	*loader = handle_of(class_of(class_)->loader);
	return 0;
}

/* ---- JVMTI: tags ---- */

static jvmtiError JNICALL set_tag(jvmtiEnv *env, jobject object, jlong tag)
{
	(void)env;
	object_of(object)->tag = tag;
	return 0;
}

static jvmtiError JNICALL get_tag(jvmtiEnv *env, jobject object, jlong *tag)
{
	(void)env;
	*tag = object_of(object)->tag;
	return 0;
}

/* Calls it with each object that there is, class objects first. */
static void each(void (*call)(struct fake_object *object, void *context), void *context)
{
	for (unsigned i = 0; i < fake_vm.class_count; i++) {
		if (!fake_vm.classes[i]->is_gone)
			call(&fake_vm.classes[i]->mirror, context);
	}
	for (unsigned i = 0; i < fake_vm.object_count; i++)
		call(fake_vm.objects[i], context);
}

struct tag_search {
	const jlong *tags;
	jint wanted, count;
	jobject *objects;
	jlong *found;
};

static void match(struct fake_object *object, void *context)
{
	struct tag_search *search = context;

	for (jint i = 0; i < search->wanted; i++) {
		if (object->tag != search->tags[i])
			continue;
		search->objects[search->count] = handle_of(object);
		search->found[search->count++] = object->tag;
	}
}

static jvmtiError JNICALL get_tagged(jvmtiEnv *env, jint wanted, const jlong *tags, jint *count,
				     jobject **objects, jlong **found)
{
	struct tag_search search = { tags, wanted, 0, calloc(128, sizeof(jobject)),
				     calloc(128, sizeof(jlong)) };

	(void)env;
	each(match, &search);
	*count = search.count;
	*objects = search.objects;
	if (found)
		*found = search.found;
	else
		free(search.found);
	return 0;
}

static void untag(struct fake_object *object, void *context)
{
	(void)context;
	object->tag = 0;
	object->is_visited = false;
	object->locals = 0; /* the frame goes with the environment */
}

static jvmtiError JNICALL dispose(jvmtiEnv *env)
{
	(void)env;
	fake_vm.environments--;
	each(untag, NULL);
	return 0;
}

/* ---- JVMTI: threads and methods ---- */

static jvmtiEventClassLoad class_load;
static bool is_told_loads;

void fake_vm__load(struct fake_class *class_)
{
	if (class_load)
		class_load(&jvmti, &jni, NULL, handle_of(&class_->mirror));
}

static void load_late_classes(void)
{
	for (unsigned i = 0; i < fake_vm.class_count && is_told_loads; i++) {
		if (fake_vm.classes[i]->is_late && *fake_vm.classes[i]->signature != '[')
			fake_vm__load(fake_vm.classes[i]);
	}
}

/* What is asked for behind the classes. */
static jvmtiError JNICALL get_threads(jvmtiEnv *env, jint *count, jthread **threads)
{
	(void)env;
	load_late_classes();
	*count = fake_vm.own ? 2 : 1;
	*threads = calloc(2, sizeof(**threads));
	(*threads)[0] = handle_of(&fake_thread);
	(*threads)[1] = handle_of(fake_vm.own);
	return 0;
}

static jvmtiError JNICALL get_thread_info(jvmtiEnv *env, jthread thread, jvmtiThreadInfo *info)
{
	(void)env;
	(void)thread;
	*info = (jvmtiThreadInfo){ .name = strdup("main") };
	return 0;
}

static jvmtiError JNICALL get_current_thread(jvmtiEnv *env, jthread *thread)
{
	(void)env;
	*thread = handle_of(fake_vm.own);
	return 0;
}

static jvmtiError JNICALL get_declaring_class(jvmtiEnv *env, jmethodID method, jclass *class_)
{
	(void)env;
	(void)method;
	*class_ = handle_of(&fake_thread_class.mirror);
	return 0;
}

static jvmtiError JNICALL is_method_native(jvmtiEnv *env, jmethodID method, jboolean *is_native)
{
	(void)env;
	*is_native = method == (jmethodID)(uintptr_t)FAKE_NATIVE_METHOD;
	return 0;
}

/* ---- JVMTI: the walk ---- */

/* As on the stack of HotSpot: an object stands two words before its tag, a referrer one. */
struct frame {
	uint64_t before[8];
	uint64_t object, size;
	jlong tag;
	uint64_t between[12];
	uint64_t referrer;
	jlong referrer_tag;
	uint64_t behind[8];
};

static struct {
	const jvmtiHeapCallbacks *callbacks;
	void *context;
	struct fake_object *waiting[8192];
	unsigned waiting_count;
	bool is_over;
} walk;

static jint call(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
		 struct fake_object *from, struct fake_object *to)
{
	struct frame frame = { .size = to->size, .tag = to->tag };
	const bool is_self = from == to;
	jint answer;

	frame.object = fake_vm.is_scrambled ? 0 : to->address;
	if (from) {
		frame.referrer = fake_vm.is_scrambled     ? 0 :
				 fake_vm.is_referrer_wrong ? from->address + 8 :
							  from->address;
		frame.referrer_tag = from->tag;
	}
	answer = walk.callbacks->heap_reference_callback(
		kind, info, to->class_->mirror.tag, from ? from->class_->mirror.tag : 0,
		(jlong)to->size, &frame.tag,
		!from	? NULL :
		is_self ? &frame.tag :
			  &frame.referrer_tag,
		to->length, walk.context);
	to->tag = frame.tag;
	if (from && !is_self)
		from->tag = frame.referrer_tag;
	return answer;
}

static void report(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
		   struct fake_object *from, struct fake_object *to)
{
	jint answer;

	if (walk.is_over)
		return;
	if (fake_vm.at_reference)
		fake_vm.at_reference();
	answer = call(kind, info, from, to);
	if (answer & JVMTI_VISIT_ABORT)
		walk.is_over = true;
	else if (answer & JVMTI_VISIT_OBJECTS && !to->is_visited)
		walk.waiting[walk.waiting_count++] = to;
}

static void visit(struct fake_object *object)
{
	object->is_visited = true;
	if (!object->mirrors)
		report(JVMTI_HEAP_REFERENCE_CLASS, NULL, object, &object->class_->mirror);
	for (uint32_t i = 0; i < object->elements; i++) {
		const jvmtiHeapReferenceInfo info = { .array.index = (jint)i };

		report(JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT, &info, object, object->refs[0].to);
	}
	for (unsigned i = 0; i < object->ref_count; i++) {
		const struct fake_reference *reference = &object->refs[i];
		const jvmtiHeapReferenceInfo info = { .field.index = reference->index };

		report(reference->kind, &info, object, reference->to);
	}
}

static void report_root(const struct fake_root *root)
{
	const jlong thread = root->thread ? root->thread : THREAD_NUMBER;
	const jlong tag = root->thread == OWN_NUMBER ? fake_vm.own->tag : fake_thread.tag;
	jvmtiHeapReferenceInfo info = { 0 };

	if (root->kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL)
		info.stack_local = (jvmtiHeapReferenceInfoStackLocal){
			tag, thread, root->depth, root->method, 0, root->slot
		};
	else
		info.jni_local = (jvmtiHeapReferenceInfoJniLocal){ tag, thread, root->depth,
								   root->method };
	report(root->kind, &info, NULL, root->to);
}

/* Local handles of the calling thread. */
static void report_handles(void)
{
	for (unsigned i = 0; i < STRINGS; i++)
		report_root(&(struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_JNI_LOCAL,
						 .to = &strings[i] });
}

static void report_class_handles(struct fake_object *mirror)
{
	for (unsigned i = 0; i < mirror->globals; i++)
		report_root(&(struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_JNI_GLOBAL,
						 .to = mirror });
	for (unsigned i = 0; fake_vm.own && i < mirror->locals; i++)
		report_root(&(struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_JNI_LOCAL,
						 .to = mirror,
						 .thread = OWN_NUMBER });
}

/* An array's class lives as long as the other one. */
static void unload(struct fake_class *class_)
{
	const struct fake_object *mirror = class_->element ? &class_->element->mirror :
							     &class_->mirror;

	class_->is_gone = class_->is_fleeting && !mirror->locals && !mirror->globals;
}

static void move(struct fake_object *object, void *context)
{
	(void)context;
	object->address += 0x100000;
}

static jvmtiError JNICALL follow(jvmtiEnv *env, jint filter, jclass class_, jobject from,
				 const jvmtiHeapCallbacks *callbacks, const void *context)
{
	(void)env;
	(void)filter;
	(void)class_;
	fake_vm.walks++;
	walk.callbacks = callbacks;
	walk.context = (void *)(uintptr_t)context;
	walk.waiting_count = 0;
	walk.is_over = false;
	if (from)
		walk.waiting[walk.waiting_count++] = object_of(from);
	else if (context)
		report_handles();
	for (unsigned i = 0; i < fake_vm.class_count && !from; i++)
		report_class_handles(&fake_vm.classes[i]->mirror);
	for (unsigned i = 0; i < fake_vm.root_count && !from; i++)
		report_root(&fake_vm.roots[i]);
	while (walk.waiting_count && !walk.is_over) {
		struct fake_object *next = walk.waiting[--walk.waiting_count];

		if (!next->is_visited)
			visit(next);
	}
	for (unsigned i = 0; i < fake_vm.class_count; i++)
		unload(fake_vm.classes[i]);
	if (fake_vm.moves_behind)
		each(move, NULL);
	return 0;
}

static void list(struct fake_object *object, void *context)
{
	struct frame frame = { .object = object->address, .size = object->size,
			       .tag = object->tag };
	const jvmtiHeapCallbacks *callbacks = context;

	callbacks->heap_iteration_callback(object->class_->mirror.tag, (jlong)object->size,
					   &frame.tag, object->length, NULL);
	object->tag = frame.tag;
}

static jvmtiError JNICALL iterate(jvmtiEnv *env, jint filter, jclass class_,
				  const jvmtiHeapCallbacks *callbacks, const void *context)
{
	(void)env;
	(void)filter;
	(void)class_;
	(void)context;
	each(list, (void *)(uintptr_t)callbacks);
	return 0;
}

/* ---- JVMTI: all else ---- */

static jvmtiError JNICALL get_version(jvmtiEnv *env, jint *version)
{
	(void)env;
	*version = fake_vm.version << JVMTI_VERSION_SHIFT_MAJOR;
	return 0;
}

static jvmtiError JNICALL get_property(jvmtiEnv *env, const char *name, char **value)
{
	(void)env;
	(void)name;
	*value = strdup("17.0.1");
	return 0;
}

static jvmtiError JNICALL set_callbacks(jvmtiEnv *env, const jvmtiEventCallbacks *callbacks,
					jint size)
{
	(void)env;
	(void)size;
	class_load = callbacks->ClassLoad;
	return 0;
}

static jvmtiError JNICALL set_mode(jvmtiEnv *env, jvmtiEventMode mode, jvmtiEvent event,
				   jthread thread, ...)
{
	(void)env;
	(void)thread;
	if (event == JVMTI_EVENT_CLASS_LOAD)
		is_told_loads = mode == JVMTI_ENABLE;
	return 0;
}

static jvmtiError JNICALL add_capabilities(jvmtiEnv *env, const jvmtiCapabilities *capabilities)
{
	(void)env;
	assert(capabilities->can_tag_objects);
	return 0;
}

static const jvmtiInterface_1 jvmti_table = {
	.SetEventNotificationMode = set_mode,
	.GetAllThreads = get_threads,
	.GetThreadInfo = get_thread_info,
	.GetCurrentThread = get_current_thread,
	.Deallocate = deallocate,
	.GetClassSignature = get_signature,
	.GetClassFields = get_fields,
	.GetImplementedInterfaces = get_interfaces,
	.GetClassLoader = get_loader,
	.GetFieldName = get_field_name,
	.GetFieldModifiers = get_modifiers,
	.GetMethodName = fake_method__name,
	.GetMethodDeclaringClass = get_declaring_class,
	.IsMethodNative = is_method_native,
	.GetLoadedClasses = get_loaded_classes,
	.GetVersionNumber = get_version,
	.GetTag = get_tag,
	.SetTag = set_tag,
	.GetObjectsWithTags = get_tagged,
	.FollowReferences = follow,
	.IterateThroughHeap = iterate,
	.SetEventCallbacks = set_callbacks,
	.DisposeEnvironment = dispose,
	.GetSystemProperty = get_property,
	.AddCapabilities = add_capabilities,
};

static const struct JNINativeInterface_ jni_table = {
	.GetSuperclass = get_superclass,
	.ExceptionClear = clear,
	.PushLocalFrame = push_frame,
	.PopLocalFrame = pop_frame,
	.DeleteLocalRef = delete_local,
	.NewGlobalRef = new_global,
	.DeleteGlobalRef = delete_global,
	.GetObjectClass = get_object_class,
	.GetFieldID = get_field_id,
	.GetObjectField = get_object_field,
	.GetLongField = get_long,
	.NewStringUTF = new_string,
	.NewObjectArray = new_array,
};

static jvmtiEnv jvmti = &jvmti_table;
static JNIEnv jni = &jni_table;

static jint JNICALL get_env(JavaVM *vm, void **env, jint version)
{
	(void)vm;
	if (version == JNI_VERSION_1_6) {
		*env = &jni;
		return fake_vm.attached ? JNI_OK : JNI_EDETACHED;
	}
	*env = NULL;
	if (fake_vm.is_starting)
		return JNI_EDETACHED;
	*env = &jvmti;
	fake_vm.environments++;
	return JNI_OK;
}

static jint JNICALL attach(JavaVM *vm, void **env, void *arguments)
{
	(void)vm;
	(void)arguments;
	*env = &jni;
	fake_vm.attached++;
	return JNI_OK;
}

static jint JNICALL detach(JavaVM *vm)
{
	(void)vm;
	fake_vm.attached--;
	return JNI_OK;
}

static const struct JNIInvokeInterface_ java_table = {
	.DetachCurrentThread = detach,
	.GetEnv = get_env,
	.AttachCurrentThreadAsDaemon = attach,
};
static JavaVM java = &java_table;
JavaVM *fake_java = &java;
