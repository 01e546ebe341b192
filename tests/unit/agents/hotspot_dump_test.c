/* SPDX-License-Identifier: BSD-2-Clause */
/* Heap dumps of an invented JVM, as gctrace hears them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/hotspot/dump.c"

#include "fake_method.h"
#include "hotspot_vm.h"
#include "listener.h"

#include <stdio.h>
#include <string.h>

#include "agents/hotspot/seen.h"

#define FIELD JVMTI_HEAP_REFERENCE_FIELD
#define STATIC JVMTI_HEAP_REFERENCE_STATIC_FIELD
#define ELEMENT JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT

/* ---- How long a dump is wanted ---- */

static unsigned looks_left;

bool pace__is_wanted(void)
{
	return looks_left;
}

void pace__begin(void)
{
}

bool pace__may_go_on(void)
{
	return looks_left && looks_left--;
}

/* ---- What the allocator keeps ---- */

static unsigned trims;

int malloc_trim(size_t pad)
{
	(void)pad;
	assert_int_equal(fake_vm.attached, 0);
	trims++;
	return 0;
}

/* ---- What is on the heap ---- */

static struct fake_class constants, base, derived, array, bytes, reference, weak_class, final_class,
	loader_class, loaded, loaded_array, late, late_array;
static struct fake_object loader, an_object, a_derived, an_array, some_bytes, a_weak, a_final,
	a_loaded, its_array, a_late, its_late_array, a_name, own;

static const char *told;

static int begin(void **state)
{
	(void)state;
	looks_left = UINT32_MAX;
	fake_vm__begin();
	vm__set_live(true);
	addresses = (struct addresses){ true, -2, -1 };
	listener__begin();
	a_name = (struct fake_object){ .class_ = &fake_string, .size = 24 };
	fake_vm__object(&a_name);
	an_object = (struct fake_object){ .class_ = &fake_object_class, .size = 16 };
	fake_vm__object(&an_object);
	return 0;
}

static void dump_it(void)
{
	work(NULL);
	told = listener__told();
}

static void says(const char *line)
{
	if (strstr(told, line))
		return;
	print_message("%s\nis not in\n%s\n", line, told);
	fail();
}

static void says_of_itself(const char *text)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "\"%s\"", text);
	if (strstr(listener__producer(), whole))
		return;
	print_message("%s\nis not in\n%s\n", whole, listener__producer());
	fail();
}

static void says_not(const char *line)
{
	if (!strstr(told, line))
		return;
	print_message("%s\nis in\n%s\n", line, told);
	fail();
}

static void says_object(const struct fake_object *object, const char *rest)
{
	char line[512];

	snprintf(line, sizeof(line), "object %lx class=%s", (unsigned long)object->address, rest);
	says(line);
}

static void says_end_of(const struct fake_object *object)
{
	char line[64];

	snprintf(line, sizeof(line), "  end of %lx\n", (unsigned long)object->address);
	says(line);
}

/* ---- Fields ---- */

/* Both have the fields of an interface, which count in the JVM's index. */
static void make_fields(void)
{
	constants = (struct fake_class){
		.signature = "LConstants;",
		.fields = { { "HELD", "LInner;", 8 }, { "NUMBER", "I", 8 } },
	};
	base = (struct fake_class){
		.signature = "LBase;",
		.super = &fake_object_class,
		.interfaces = { &constants },
		.fields = { { "counts", "LX;", 8 }, { "number", "I", 0 }, { "above", "LX;", 0 } },
	};
	derived = (struct fake_class){
		.signature = "LDerived;",
		.super = &base,
		.interfaces = { &constants },
		.fields = { { "empty", "LX;", 0 }, { "wide", "J", 0 }, { "own", "[I", 0 } },
	};
	a_derived = (struct fake_object){
		.class_ = &derived,
		.size = 32,
		.refs = { { FIELD, 4, &an_object }, { FIELD, 7, &a_derived } },
		.ref_count = 2,
	};
	fake_vm__class(&constants);
	fake_vm__class(&base);
	fake_vm__class(&derived);
	fake_vm__object(&a_derived);
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_JNI_GLOBAL,
					  .to = &a_derived });
}

static void fields_stand_at_their_places(void **state)
{
	(void)state;
	make_fields();
	dump_it();
	says("class 7 super=6 size=0 flags=0 name=\"Derived\" "
	     "fields=\"above\\x00empty\\x00own\\x00\"");
	says("container type=1 id1=");
	says("root of 15 0 0: ");
	/* The null field is told, and the reference to itself as to what is being visited. */
	says_object(&a_derived, "7 size=32 flags=0 places=0\n");
	says(" place=0 flags=0\n  0 place=1 flags=0\n");
	says(" place=2 flags=3\n");
	says_object(&an_object, "1 size=16 flags=0 places=0\n");
	says("container type=13 id1=0 id2=0\ndump_end dump=");
	says(" status=0 objects=");
}

/* Whoever reads it takes no number of ours for the JVM's. */
static void the_collection_before_it_is_not_known(void **state)
{
	(void)state;
	dump_it();
	says(" id2=ffffffffffffffff\n");
}

static void flags_are_of_one_object_alone(void **state)
{
	static struct fake_object another;
	char line[256];

	(void)state;
	make_fields();
	another = (struct fake_object){
		.class_ = &derived,
		.size = 32,
		.refs = { { FIELD, 4, &a_derived }, { FIELD, 7, &a_name } },
		.ref_count = 2,
	};
	fake_vm__object(&another);
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_JNI_GLOBAL,
					  .to = &another });
	dump_it();
	says_object(&another, "7 size=32 flags=0 places=0\n");
	snprintf(line, sizeof(line), "  %lx place=0 flags=1\n  0 place=1 flags=0\n"
		 "  %lx place=2 flags=0\n", (unsigned long)a_derived.address,
		 (unsigned long)a_name.address);
	says(line);
	snprintf(line, sizeof(line), "  %lx place=0 flags=0\n  0 place=1 flags=0\n"
		 "  %lx place=2 flags=3\n", (unsigned long)an_object.address,
		 (unsigned long)a_derived.address);
	says(line);
}

/* ---- Classes whose tags are taken off ---- */

static jlong tag_of_derived; /* at the last reference */

static void look_at_derived(void)
{
	tag_of_derived = derived.mirror.tag;
}

/* It is met before what is of it, as most are. */
static void meet_derived_first(void)
{
	fake_vm.root_count = 0;
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_SYSTEM_CLASS,
					  .to = &derived.mirror });
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_JNI_GLOBAL,
					  .to = &a_derived });
}

static void what_is_of_a_class_without_a_tag_is_told_the_same(void **state)
{
	static struct fake_object another;

	(void)state;
	make_fields();
	meet_derived_first();
	another = (struct fake_object){ .class_ = &derived, .size = 32 };
	fake_vm__object(&another);
	a_derived.refs[0].to = &another;
	fake_vm.at_reference = look_at_derived;
	tag_of_derived = -1;
	dump_it();
	assert_int_equal(tag_of_derived, 0);
	says_object(&a_derived, "7 size=32 flags=0 places=0\n");
	says(" place=0 flags=0\n  0 place=1 flags=0\n");
	says_object(&another, "7 size=32 flags=0 places=0\n");
	says_object(&derived.mirror, "2 size=120 flags=0 places=3\n");
}

/* A field that refers to it, and a static of its own. */
static void its_class_object_is_known_as_one(void **state)
{
	char line[256];

	(void)state;
	make_fields();
	meet_derived_first();
	a_derived.refs[0].to = &derived.mirror;
	derived.mirror.refs[0] = (struct fake_reference){ STATIC, 4, &an_object };
	derived.mirror.ref_count = 1;
	dump_it();
	snprintf(line, sizeof(line), "  %lx place=0 flags=1\n",
		 (unsigned long)derived.mirror.address);
	says(line);
	says("root of 9 7 0: ");
}

/* ---- Statics ---- */

static void statics_of_lasting_classes_are_roots(void **state)
{
	(void)state;
	make_fields();
	base.mirror.refs[0] = (struct fake_reference){ STATIC, 2, &an_object };
	base.mirror.ref_count = 1;
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_SYSTEM_CLASS,
					  .to = &base.mirror });
	dump_it();
	says("root of 9 6 0: ");
	says_object(&base.mirror, "2 size=120 flags=0 places=3\n");
	says(" kind=2 id=2\n");
	says_end_of(&base.mirror);
}

static void make_loaded(void)
{
	loader_class = (struct fake_class){ .signature = "LOwnLoader;",
					    .super = &fake_object_class };
	loader = (struct fake_object){ .class_ = &loader_class, .size = 24 };
	loaded = (struct fake_class){
		.signature = "LLoaded;",
		.super = &fake_object_class,
		.loader = &loader,
		.fields = { { "cache", "LX;", 8 }, { "own", "LX;", 0 } },
	};
	loaded_array = (struct fake_class){ .signature = "[LLoaded;",
					    .super = &fake_object_class,
					    .loader = &loader };
	a_loaded = (struct fake_object){ .class_ = &loaded, .size = 16 };
	its_array = (struct fake_object){
		.class_ = &loaded_array,
		.size = 32,
		.length = 4,
		.refs = { { ELEMENT, 3, &a_loaded } },
		.ref_count = 1,
	};
	fake_vm__class(&loader_class);
	fake_vm__class(&loaded);
	fake_vm__class(&loaded_array);
	fake_vm__object(&loader);
	fake_vm__object(&a_loaded);
	fake_vm__object(&its_array);
	loaded.mirror.refs[0] = (struct fake_reference){ JVMTI_HEAP_REFERENCE_CLASS_LOADER, 0,
							 &loader };
	loaded.mirror.refs[1] = (struct fake_reference){ STATIC, 0, &an_object };
	loaded.mirror.ref_count = 2;
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_OTHER, .to = &its_array });
}

static void instances_keep_a_class_that_may_go(void **state)
{
	char line[256];

	(void)state;
	make_loaded();
	dump_it();
	says("name=\"Loaded\" fields=\"own\\x00<class>\\x00\"");
	says_object(&a_loaded, "6 size=16 flags=0 places=0\n  0 place=0 flags=0\n");
	snprintf(line, sizeof(line), "  %lx place=1 flags=", (unsigned long)loaded.mirror.address);
	says(line);
	says_object(&its_array, "7 size=32 flags=0 places=3\n");
	snprintf(line, sizeof(line), "  %lx place=3 flags=0\n", (unsigned long)a_loaded.address);
	says(line);
	says_object(&loaded.mirror, "2 size=120 flags=0 places=3\n");
	snprintf(line, sizeof(line), "  %lx place=%u flags=0\n", (unsigned long)loader.address,
		 3 + CLASS_PLACE_LOADER);
	says(line);
	snprintf(line, sizeof(line), "  %lx place=%u flags=0\n", (unsigned long)an_object.address,
		 6u << CLASS_STATIC_SHIFT);
	says(line);
	says_not("root of 9 ");
}

/* ---- Class objects ---- */

static void class_objects_hold_by_their_own_fields(void **state)
{
	char line[256];

	(void)state;
	make_fields();
	derived.mirror.fields[0] = &a_name;
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_JNI_LOCAL, .to = &a_name });
	dump_it();
	says_object(&derived.mirror, "2 size=120 flags=0 places=3\n");
	snprintf(line, sizeof(line), "  %lx place=0 flags=", (unsigned long)a_name.address);
	says(line);
}

/* As soon as the program runs again. */
static void what_they_hold_is_where_it_was_in_the_pause(void **state)
{
	char line[256];

	(void)state;
	make_fields();
	derived.mirror.fields[0] = &a_name;
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_JNI_LOCAL, .to = &a_name });
	snprintf(line, sizeof(line), "  %lx place=0 flags=", (unsigned long)a_name.address);
	fake_vm.moves_behind = true;
	dump_it();
	says(line);
}

static void class_objects_hold_the_same_by_tags(void **state)
{
	(void)state;
	make_fields();
	derived.mirror.fields[0] = &a_name;
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_JNI_LOCAL, .to = &a_name });
	addresses.are_known = false;
	dump_it();
	says_of_itself("17.0.1, objects named by tags");
	says(" place=0 flags=3\n  end of ");
}

static void a_handle_that_the_walk_has_not_come_by_is_not_told(void **state)
{
	char line[256];

	(void)state;
	make_fields();
	derived.mirror.fields[0] = &a_name;
	dump_it();
	snprintf(line, sizeof(line), "  %lx place=0", (unsigned long)a_name.address);
	says_not(line);
}

/* ---- Arrays ---- */

static void make_array(uint32_t elements)
{
	array = (struct fake_class){ .signature = "[Ljava/lang/Object;",
				     .super = &fake_object_class };
	bytes = (struct fake_class){ .signature = "[B", .super = &fake_object_class };
	some_bytes = (struct fake_object){ .class_ = &bytes, .size = 24, .length = 3 };
	an_array = (struct fake_object){
		.class_ = &array,
		.size = 16 + 8 * 5000,
		.length = 5000,
		.refs = { { ELEMENT, 2, &some_bytes },
			  { ELEMENT, 5, &an_array },
			  { ELEMENT, 4999, &some_bytes } },
		.ref_count = elements ? 0 : 3,
		.elements = elements,
	};
	fake_vm__class(&array);
	fake_vm__class(&bytes);
	fake_vm__object(&some_bytes);
	fake_vm__object(&an_array);
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_MONITOR,
					  .to = &an_array });
}

static void elements_stand_at_their_numbers(void **state)
{
	(void)state;
	make_array(0);
	dump_it();
	says_object(&an_array, "5 size=40016 flags=0 places=0\n");
	says("  0 place=0 flags=0\n  0 place=1 flags=0\n");
	says(" place=2 flags=0\n  0 place=3 flags=0\n  0 place=4 flags=0\n");
	says(" place=5 flags=3\n");
	says(" place=4999 flags=3\n"); /* numbers are told whole when they are named */
	says_object(&some_bytes, "6 size=24 flags=0 places=");
	says("root of 16 0 0: ");
}

static void many_elements_come_in_parts(void **state)
{
	(void)state;
	make_array(5000);
	dump_it();
	for (unsigned i = 0; i < 5000; i++) {
		char line[64];

		snprintf(line, sizeof(line), " place=%u flags=%d\n", i, i ? 3 : 0);
		says(line);
	}
	says(" status=0 ");
}

/* ---- References that keep nothing ---- */

static void make_reference(struct fake_class *class_, const char *signature,
			   struct fake_object *object)
{
	*class_ = (struct fake_class){ .signature = signature, .super = &reference };
	*object = (struct fake_object){ .class_ = class_, .size = 24 };
	object->refs[0] = (struct fake_reference){ FIELD, 0, &an_object };
	object->ref_count = 1;
	fake_vm__class(class_);
	fake_vm__object(object);
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_JNI_GLOBAL, .to = object });
}

static void references_have_their_strength(void **state)
{
	(void)state;
	reference = (struct fake_class){
		.signature = "Ljava/lang/ref/Reference;",
		.super = &fake_object_class,
		.fields = { { "referent", "LX;", 0 }, { "next", "LX;", 0 } },
	};
	fake_vm__class(&reference);
	make_reference(&weak_class, "Ljava/lang/ref/WeakReference;", &a_weak);
	make_reference(&final_class, "Ljava/lang/ref/FinalReference;", &a_final);
	dump_it();
	says_object(&a_final, "7 size=24 flags=0 places=0\n  ");
	says(" place=0 flags=100\n  0 place=1 flags=0\n"); /* visited first: last on the stack */
	says(" place=0 flags=103\n");

	/* It is enqueued: its finalizer runs. */
	a_final.refs[1] = (struct fake_reference){ FIELD, 1, &a_final };
	a_final.ref_count = 2;
	dump_it();
	says(" place=0 flags=0\n");
}

/* ---- Threads ---- */

static void frames_stand_below_their_thread(void **state)
{
	(void)state;
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_THREAD,
					  .to = &fake_thread });
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_STACK_LOCAL,
					  .to = &an_object,
					  .depth = 2,
					  .slot = 5,
					  .method = (jmethodID)(uintptr_t)0x99 });
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_JNI_LOCAL,
					  .to = &an_object });
	dump_it();
	says("container type=2 id1=1 id2=0\nroot of 2 1 0: ");
	says(" kind=9 id=ffffffffffffffff\n"
	     "container type=21 id1=1000002 id2=99\nroot of 21 1000002 99: ");
	says(" kind=1 id=5\ncontainer type=2 id1=1 id2=0\nroot of 2 1 0: ");
}

/* The JVM reports both as JNI locals. */
static void constants_in_compiled_code_are_no_locals_of_jni(void **state)
{
	(void)state;
	for (uintptr_t method = FAKE_NATIVE_METHOD; method < FAKE_NATIVE_METHOD + 2; method++)
		fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_JNI_LOCAL,
						  .to = &an_object,
						  .thread = 5,
						  .depth = 2,
						  .method = (jmethodID)method });
	dump_it();
	says("define space=14 id=78 ");
	says_not("define space=14 id=77 ");
}

static void frames_of_two_threads_are_two(void **state)
{
	(void)state;
	for (jlong thread = 5; thread < 7; thread++)
		fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_STACK_LOCAL,
						  .to = &an_object,
						  .thread = thread,
						  .depth = 2,
						  .method = (jmethodID)(uintptr_t)0x99 });
	dump_it();
	says("container type=2 id1=5 id2=0\ncontainer type=21 id1=5000002 id2=99\n");
	says("container type=2 id1=6 id2=0\ncontainer type=21 id1=6000002 id2=99\n");
}

/* ---- Classes that come late ---- */

static void a_class_that_comes_late_is_told_behind(void **state)
{
	(void)state;
	late = (struct fake_class){
		.signature = "LLate;",
		.super = &fake_object_class,
		.fields = { { "number", "I", 0 }, { "own", "LX;", 0 } },
		.is_late = true,
	};
	a_late = (struct fake_object){
		.class_ = &late, .size = 48, .refs = { { FIELD, 1, &an_object } }, .ref_count = 1
	};
	fake_vm__class(&late);
	fake_vm__object(&a_late);
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_OTHER, .to = &a_late });
	dump_it();
	says_object(&a_late, "5 size=48 flags=0 places=3\n");
	says(" place=18446744073709551615 flags=0\n"); /* its class, which may go */
	says(" place=1 flags=0\n");
	says("class 5 super=1 size=0 flags=0 name=\"Late\"");
	says(" status=0 ");
}

/* They are unloaded behind the walk, so that nobody could be asked for their names then. */
static void make_fleeting(void)
{
	fake_vm.own = &own;
	own = (struct fake_object){ .class_ = &fake_thread_class, .size = 64 };
	fake_vm__object(&own);
	make_loaded();
	loaded.is_fleeting = loaded_array.is_fleeting = true;
	loaded_array.is_late = true;
	loaded_array.element = &loaded;
	late = (struct fake_class){ .signature = "LLate;",
				    .super = &fake_object_class,
				    .loader = &loader,
				    .is_late = true,
				    .is_fleeting = true };
	late_array = (struct fake_class){ .signature = "[LLate;",
					  .super = &fake_object_class,
					  .loader = &loader,
					  .is_late = true,
					  .is_fleeting = true,
					  .element = &late };
	a_late = (struct fake_object){ .class_ = &late, .size = 48 };
	its_late_array = (struct fake_object){ .class_ = &late_array,
					       .size = 24,
					       .length = 1,
					       .refs = { { ELEMENT, 0, &a_late } },
					       .ref_count = 1 };
	fake_vm__class(&late);
	fake_vm__class(&late_array);
	fake_vm__object(&a_late);
	fake_vm__object(&its_late_array);
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_OTHER,
					  .to = &its_late_array });
}

static void classes_that_go_at_once_have_names(void **state)
{
	(void)state;
	make_fleeting();
	dump_it();
	says(" name=\"Loaded\"");
	says(" name=\"Loaded[]\"");
	says(" name=\"Late\"");
	says(" name=\"Late[]\"");
	says(" status=0 ");
}

/* The class object is met, and numbered, between what is of it is named and visited. */
static void a_class_that_gets_its_number_between_has_a_name(void **state)
{
	(void)state;
	make_fleeting();
	fake_vm__root((struct fake_root){ .kind = JVMTI_HEAP_REFERENCE_OTHER,
					  .to = &late_array.mirror });
	dump_it();
	says(" name=\"Late[]\"");
	says(" status=0 ");
}

/* Two objects are, and this class object, by a handle of the program's. */
static void what_keeps_them_is_no_root(void **state)
{
	(void)state;
	make_fleeting();
	late.mirror.globals = 1;
	dump_it();
	says(" roots=3 ");
	says_object(&late.mirror, "2 size=120 flags=0 places=");
	assert_int_equal(late.mirror.globals, 1);

	late.mirror.globals = 0;
	fake_vm.root_count = 0;
	dump_it();
	says(" objects=0 references=0 roots=0 ");
}

/* Its thread was on its way when the dump ended. */
static void a_class_that_is_loaded_behind_is_not_kept(void **state)
{
	(void)state;
	make_fleeting();
	dump_it();
	fake_vm__load(&late);
	assert_int_equal(late.mirror.globals, 0);
	assert_int_equal(late.mirror.tag, 0);
}

/* ---- Without addresses ---- */

static const char *end_of_dump(void)
{
	const char *end = strstr(told, "dump_end dump=");

	assert_non_null(end);
	return strstr(end, " status=");
}

static void make_all(void)
{
	make_fields();
	make_loaded();
	make_array(0);
}

static void tags_tell_the_same_heap(void **state)
{
	char by_addresses[256];

	(void)state;
	make_all();
	dump_it();
	snprintf(by_addresses, sizeof(by_addresses), "%s", end_of_dump());
	fake_vm.is_scrambled = true;
	addresses__give_up();
	dump_it();
	assert_string_equal(end_of_dump(), by_addresses);
	assert_non_null(strstr(by_addresses, " status=0 "));
}

static void a_wrong_referrer_ends_the_dump_and_the_next_is_by_tags(void **state)
{
	(void)state;
	make_all();
	fake_vm.is_referrer_wrong = true;
	dump_it();
	says(" status=1 ");
	says_of_itself("17.0.1, objects named by tags; not all is told: "
		       "what refers to another was not named before");
	assert_false(addresses.are_known);
	dump_it();
	says(" status=0 ");
	says_of_itself("17.0.1, objects named by tags");
}

/* That is nothing that the next dump would have, too. */
static void another_fault_ends_the_dump_and_is_told(void **state)
{
	(void)state;
	make_all();
	a_derived.refs[0].index = 100;
	dump_it();
	says(" status=1 ");
	says_of_itself("17.0.1; not all is told: a field is none of its class");
	says("notice 0 text=\"a field is none of its class\"\n");
	assert_true(addresses.are_known);
	a_derived.refs[0].index = 4;
	dump_it();
	says(" status=0 ");
	says_of_itself("17.0.1");
}

static void addresses_that_there_was_no_memory_to_find_are_found_by_a_dump(void **state)
{
	struct visit visit;

	(void)state;
	make_all();
	fake_vm.has_no_memory = true;
	assert_true(vm__enter(&visit));
	addresses__find(&visit);
	vm__leave(&visit);
	assert_false(addresses.are_known);
	fake_vm.has_no_memory = false;
	dump_it();
	assert_true(addresses.are_known);
	says(" status=0 ");
	says_of_itself("17.0.1");
	assert_int_equal(fake_vm.walks, 2);
	dump_it();
	assert_int_equal(fake_vm.walks, 3); /* they are not looked for again */
}

static void addresses_are_found_beside_the_tags(void **state)
{
	struct visit visit;

	(void)state;
	addresses.are_known = false;
	assert_true(vm__enter(&visit));
	addresses__find(&visit);
	assert_true(addresses.are_known);
	assert_int_equal(addresses.object, -2);
	assert_int_equal(addresses.referrer, -1);
	assert_int_equal(fake_vm.walks, 1); /* a walk from an array costs a look at the heap */
	fake_vm.version = 25;
	addresses__find(&visit);
	assert_true(addresses.are_known);
	assert_int_equal(addresses.referrer, -1);
	assert_int_equal(fake_vm.walks, 3);
	fake_vm.is_referrer_wrong = true;
	addresses__find(&visit);
	assert_false(addresses.are_known);
	fake_vm.is_scrambled = true;
	addresses__find(&visit);
	assert_false(addresses.are_known);
	fake_vm.is_referrer_wrong = fake_vm.is_scrambled = false;
	addresses__give_up();
	addresses__find(&visit);
	assert_false(addresses.are_known);
	vm__leave(&visit);
}

/* ---- Requests ---- */

static void a_dump_that_is_not_wanted_any_more_ends(void **state)
{
	(void)state;
	make_all();
	looks_left = 3;
	dump_it();
	says("container type=13 id1=1 id2=0\ndump_end dump=");
	says(" status=1 ");
	says_not("object 0");
}

static void postponed_it_is_a_list(void **state)
{
	(void)state;
	make_all();
	gctrace_request__postpone_semaphore = 1;
	dump_it();
	gctrace_request__postpone_semaphore = 0;
	says("container type=12 id1=0 id2=0\n");
	says_object(&a_derived, "7 size=32 flags=0 places=0\n  end of ");
	says(" references=0 roots=0 ");
	says(" status=0 ");
	assert_int_equal(fake_vm.walks, 0);
}

/* ---- Before and behind ---- */

static void nothing_stays_behind(void **state)
{
	const unsigned environments = fake_vm.environments;

	(void)state;
	make_all();
	trims = 0;
	dump_it();
	assert_int_equal(trims, 1);
	assert_int_equal(fake_vm.environments, environments);
	assert_int_equal(fake_vm.attached, 0);
	assert_int_equal(fake_vm.frames, 0);
	assert_int_equal(seen.leaves.used, 0);
	assert_int_equal(types.of.used, 0);
	assert_int_equal(types.texts.used, 0);
	assert_int_equal(an_object.tag, 0);
	assert_int_equal(base.mirror.tag, 0);
}

static void a_jvm_that_ends_makes_none(void **state)
{
	(void)state;
	vm__set_live(false);
	dump_it();
	says("notice 0 text=\"the JVM ends\"\n");
	says(" status=1 ");
	assert_int_equal(fake_vm.attached, 0);
}

static int init(void **state)
{
	(void)state;
	fake_vm.version = 17;
	if (vm__init(fake_java))
		return -1;
	producer__learn();
	return emitter__init(2) && types__init() && nodes__init() && held__init() &&
			       roots__init() && threads__init() ?
		       0 :
		       -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(fields_stand_at_their_places, begin),
		cmocka_unit_test_setup(the_collection_before_it_is_not_known, begin),
		cmocka_unit_test_setup(flags_are_of_one_object_alone, begin),
		cmocka_unit_test_setup(what_is_of_a_class_without_a_tag_is_told_the_same, begin),
		cmocka_unit_test_setup(its_class_object_is_known_as_one, begin),
		cmocka_unit_test_setup(statics_of_lasting_classes_are_roots, begin),
		cmocka_unit_test_setup(instances_keep_a_class_that_may_go, begin),
		cmocka_unit_test_setup(class_objects_hold_by_their_own_fields, begin),
		cmocka_unit_test_setup(what_they_hold_is_where_it_was_in_the_pause, begin),
		cmocka_unit_test_setup(a_handle_that_the_walk_has_not_come_by_is_not_told, begin),
		cmocka_unit_test_setup(elements_stand_at_their_numbers, begin),
		cmocka_unit_test_setup(many_elements_come_in_parts, begin),
		cmocka_unit_test_setup(references_have_their_strength, begin),
		cmocka_unit_test_setup(frames_stand_below_their_thread, begin),
		cmocka_unit_test_setup(constants_in_compiled_code_are_no_locals_of_jni, begin),
		cmocka_unit_test_setup(frames_of_two_threads_are_two, begin),
		cmocka_unit_test_setup(a_class_that_comes_late_is_told_behind, begin),
		cmocka_unit_test_setup(classes_that_go_at_once_have_names, begin),
		cmocka_unit_test_setup(a_class_that_gets_its_number_between_has_a_name, begin),
		cmocka_unit_test_setup(what_keeps_them_is_no_root, begin),
		cmocka_unit_test_setup(a_class_that_is_loaded_behind_is_not_kept, begin),
		/* Before they are given up, which is for good. */
		cmocka_unit_test_setup(another_fault_ends_the_dump_and_is_told, begin),
		cmocka_unit_test_setup(
			addresses_that_there_was_no_memory_to_find_are_found_by_a_dump, begin),
		cmocka_unit_test_setup(addresses_are_found_beside_the_tags, begin),
		cmocka_unit_test_setup(tags_tell_the_same_heap, begin),
		cmocka_unit_test_setup(class_objects_hold_the_same_by_tags, begin),
		cmocka_unit_test_setup(a_wrong_referrer_ends_the_dump_and_the_next_is_by_tags,
				       begin),
		cmocka_unit_test_setup(a_dump_that_is_not_wanted_any_more_ends, begin),
		cmocka_unit_test_setup(postponed_it_is_a_list, begin),
		cmocka_unit_test_setup(nothing_stays_behind, begin),
		cmocka_unit_test_setup(a_jvm_that_ends_makes_none, begin),
	};

	return cmocka_run_group_tests_name("agents/hotspot_dump", tests, init, NULL);
}
