/* SPDX-License-Identifier: BSD-2-Clause */
/* A pretend JVM (jvm_image.h): its tables, its methods, and the walk of its thread's frames. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "target/jvm.h"
#include "target/jvm_memory.h"
#include "target/remote.h"
#include "target/walker.h"
#include "tests/unit/target/jvm_image.h"

static struct image image;
static struct remote remote;
static struct jvm *jvm;
static struct walk walk;
static struct caught_thread caught;

static int open_image(struct buf *why)
{
	uint64_t exports[JVM_EXPORTS];

	image__exports(&image, exports);
	remote__init(&remote, getpid());
	return jvm__open(&remote, exports, &jvm, why);
}

/* The thread off the CPU, in native code. */
static void begin(bool is_new)
{
	image__make(&image, is_new);
	assert_int_equal(open_image(NULL), 0);
	caught = (struct caught_thread){ .tid = IMAGE_TID, .inner_tid = IMAGE_TID,
					 .how = CAUGHT_OFF_CPU };
}

static void end(void)
{
	jvm__close(jvm);
	jvm = NULL;
	vec__free(&walk.frames);
}

/* Anew, as the image is now. */
static void look(void)
{
	vec__free(&walk.frames);
	walk = (struct walk){ 0 };
	assert_int_equal(jvm__refresh(jvm), 0);
	assert_int_equal(jvm__walk(jvm, &caught, &walk), 0);
}

/* "name @3", "name ?" for a guess. */
static void expect_frame(size_t i, enum frame_kind kind, const char *text)
{
	const struct frame *frame;
	struct buf told = BUF_INIT;

	assert_true(i < walk.frames.count);
	frame = &walk.frames.items[i];
	assert_int_equal(frame->kind, kind);
	if (frame->fields & FRAME_METHOD)
		assert_int_equal(jvm__name(jvm, frame->method, &told), 0);
	if (frame->fields & FRAME_PC_OFFSET)
		buf__printf(&told, " @%u", frame->pc_offset);
	if (frame->guessed & FRAME_METHOD)
		buf__add_str(&told, " ?");
	assert_string_equal(buf__str(&told), text);
	buf__free(&told);
}

static void expect_callers(size_t i)
{
	expect_frame(i, FRAME_INLINED, "pkg.Main.inlined()V");
	expect_frame(i + 1, FRAME_COMPILED, "pkg.Main.compiled()V");
	expect_frame(i + 2, FRAME_INTERPRETED, "pkg.Main.interpreted()V @3");
	assert_int_equal(walk.frames.count, i + 3);
	assert_true(walk.is_whole);
}

static void walks_from_the_anchor(void **state)
{
	(void)state;
	for (int is_new = 0; is_new < 2; is_new++) {
		begin(is_new);
		look();
		assert_true(walk.is_managed && !walk.has_leaf);
		assert_int_equal(walk.place, PLACE_BLOCKING);
		expect_frame(0, FRAME_COMPILED, "pkg.Main.nativeOne()V");
		expect_callers(1);
		for (size_t i = 0; i < walk.frames.count; i++)
			assert_false(walk.frames.items[i].guessed || walk.frames.items[i].lasting);
		end();
	}
}

static void reads_pc_below_sp(void **state)
{
	(void)state;
	begin(false);
	image.stack[IMAGE_SP - 1] = image.thread.anchor.pc;
	image.thread.anchor.pc = 0;
	image.thread.state = 4;
	look();
	assert_int_equal(walk.place, PLACE_NATIVE);
	expect_callers(1);
	end();
}

static void goes_on_where_java_called_native_code(void **state)
{
	(void)state;
	begin(true);
	image.stack[IMAGE_WRAPPER + 2] = image__address(&image.stack[IMAGE_WRAPPER + 10]);
	image.stack[IMAGE_WRAPPER + 4] = image__pc(&image, IMAGE_AT_COMPILED, 0x60);
	look();
	/* As before, one more, and then a stack that leads nowhere. */
	expect_frame(4, FRAME_COMPILED, "pkg.Main.compiled()V");
	assert_int_equal(walk.frames.count, 5);
	assert_false(walk.is_whole);
	end();
}

static void finds_where_invalidated_code_was(void **state)
{
	(void)state;
	for (int is_new = 0; is_new < 2; is_new++) {
		begin(is_new);
		image.stack[IMAGE_COMPILED_SP - 1] =
			image__pc(&image, IMAGE_AT_COMPILED, IMAGE_DEOPT);
		image.stack[IMAGE_COMPILED_SP + 1] =
			image__pc(&image, IMAGE_AT_COMPILED, IMAGE_CALL);
		look();
		expect_callers(1);
		end();
	}
}

static void expect_name(const char *name)
{
	struct buf told = BUF_INIT;

	assert_int_equal(jvm__refresh(jvm), 0);
	assert_int_equal(jvm__thread_name(jvm, IMAGE_TID, &told), name ? 0 : -ENOENT);
	assert_string_equal(buf__str(&told), name ? name : "");
	buf__free(&told);
}

static void tells_the_name_of_a_thread(void **state)
{
	struct buf told = BUF_INIT;

	(void)state;
	for (int is_new = 0; is_new < 2; is_new++) {
		begin(is_new);
		expect_name(is_new ? IMAGE_NEW_NAME_TOLD : IMAGE_OLD_NAME_TOLD);
		assert_int_equal(jvm__thread_name(jvm, IMAGE_TID + 1, &told), -ENOENT);
		end();
	}
	buf__free(&told);
}

/* Tables that make no sense, for once, leave nothing behind: where its name is, is asked again. */
static void looks_for_the_name_until_it_is_found(void **state)
{
	unsigned char *stream = image.field_streams[IMAGE_CLASS_THREAD].bytes;
	uint16_t *slots = image.field_tables[IMAGE_CLASS_THREAD].slots;

	(void)state;
	for (int is_new = 0; is_new < 2; is_new++) {
		begin(is_new);
		slots[4] = 8 << 2;	 /* is none: it has no tag */
		stream[2]++;		 /* another's, */
		stream[4] = 8 + 1;	 /* and elsewhere */
		expect_name(NULL);
		slots[4] = IMAGE_NAME_AT << 2 | 1;
		stream[2]--;
		stream[4] = IMAGE_NAME_AT + 1;
		expect_name(is_new ? IMAGE_NEW_NAME_TOLD : IMAGE_OLD_NAME_TOLD);
		end();
	}
}

/* What is read may be moved by a collection at any moment: then it is something else. */
static void tells_no_name_of_what_is_none(void **state)
{
	static const uint64_t nowhere[] = { 0, 8, 9, UINT64_MAX };
	uint32_t *length = (uint32_t *)&image.objects[IMAGE_OF_BYTES] + 3;

	(void)state;
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		begin(false);
		image.object_at = nowhere[i];
		expect_name(NULL);
		end();
	}
	begin(false);
	expect_name(IMAGE_OLD_NAME_TOLD);
	image__object(&image, IMAGE_OF_STRING, IMAGE_CLASS_BYTES, false);
	expect_name(NULL);
	image__object(&image, IMAGE_OF_STRING, IMAGE_CLASS_STRING, false);
	image__object(&image, IMAGE_OF_BYTES, IMAGE_CLASS_STRING, false);
	expect_name(NULL);
	image__object(&image, IMAGE_OF_BYTES, IMAGE_CLASS_BYTES, false);
	*length = 70000;
	expect_name(NULL);
	*length = 3;
	expect_name("gar");
	*length = 0;
	expect_name("");
	image.classes[IMAGE_CLASS_WORKER].super =
		image__address(&image.classes[IMAGE_CLASS_WORKER]);
	expect_name(NULL);
	end();
}

static void ends_where_nothing_fits(void **state)
{
	static const struct {
		int word;
		uint64_t value;
		size_t frames;
	} wrong[] = {
		{ IMAGE_COMPILED_SP - 1, 0, 1 },
		{ IMAGE_COMPILED_SP - 1, 0x1234, 1 },
		{ IMAGE_INTERPRETED_SP - 2, 8, 3 },
		{ IMAGE_FP - 3, 0, 3 },
		{ IMAGE_FP - 3, 0x7fffffffffff, 3 },
		{ IMAGE_FP - 8, 16, 3 },
		{ IMAGE_FP - 1, 0, 4 },
		{ IMAGE_FP - 1, UINT64_MAX, 4 },
		{ IMAGE_ENTRY_FP - 6, 0, 4 },
		{ IMAGE_FP, UINT64_MAX - 8, 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		begin(i % 2);
		image.stack[wrong[i].word] = wrong[i].value;
		look();
		assert_int_equal(walk.frames.count, wrong[i].frames);
		assert_false(walk.is_whole);
		end();
	}
}

static void takes_no_freed_code(void **state)
{
	(void)state;
	begin(false);
	image.stack[IMAGE_COMPILED_SP - 1] = image__pc(&image, IMAGE_AT_FREED, 0x10);
	look();
	assert_int_equal(walk.frames.count, 1);
	image.stack[IMAGE_COMPILED_SP - 1] = image__pc(&image, IMAGE_AT_END, 0x10);
	look();
	assert_int_equal(walk.frames.count, 1);
	end();
}

static void goes_back_by_hops(void **state)
{
	(void)state;
	begin(false);
	/* As where two free pieces were joined: each byte leads some way back. */
	image.segments[IMAGE_AT_COMPILED + 2] = 1;
	image.segments[IMAGE_AT_COMPILED + 3] = 1;
	look();
	expect_callers(1);
	/* Beyond the first one. */
	image.segments[0] = 5;
	image.stack[IMAGE_COMPILED_SP - 1] = image.queue.buffer - 64;
	look();
	assert_int_equal(walk.frames.count, 1);
	end();
}

/* ------------------------------------------------------------------------------------------ */

/* Registers of a thread in the interpreter: its frame stands, r13 is in its method. */
static void catch_interpreted(void)
{
	caught.how = CAUGHT_TICK;
	caught.ip = image.queue.buffer + 0x18;
	caught.sp = image__address(&image.stack[IMAGE_INTERPRETED_SP]);
	caught.fp = image__address(&image.stack[IMAGE_FP]);
	caught.bcp = image__address(image.consts[IMAGE_INTERPRETED].code) + 5;
	image.thread.state = 8;
}

static void catch_stack(unsigned char *bytes, size_t size)
{
	caught.stack = bytes;
	caught.stack_at = caught.sp;
	caught.stack_bytes = (uint32_t)size;
	memcpy(bytes, image.stack + (caught.sp - image__address(image.stack)) / 8, size);
}

static void knows_the_bytecode_by_the_register(void **state)
{
	unsigned char bytes[256];

	(void)state;
	begin(false);
	catch_interpreted();
	look();
	expect_frame(0, FRAME_INTERPRETED, "pkg.Main.interpreted()V @5");
	assert_int_equal(walk.place, PLACE_JIT);
	assert_true(walk.is_whole && walk.has_leaf && walk.place_lasting);
	assert_int_equal(walk.frames.items[0].lasting, 0);

	/* What was caught lasts, whatever is on the stack by now. */
	catch_stack(bytes, sizeof(bytes));
	image.stack[IMAGE_FP - 3] = 0;
	look();
	expect_frame(0, FRAME_INTERPRETED, "pkg.Main.interpreted()V @5");
	assert_int_equal(walk.frames.items[0].lasting, walk.frames.items[0].fields);
	end();
}

static void guesses_while_a_frame_is_made(void **state)
{
	(void)state;
	begin(false);
	catch_interpreted();
	caught.bcp = image__address(image.consts[IMAGE_COMPILED].code);
	look();
	expect_frame(0, FRAME_INTERPRETED, "pkg.Main.interpreted()V ?");
	catch_interpreted();
	caught.sp = image__address(&image.stack[IMAGE_FP - 8]);
	look();
	expect_frame(0, FRAME_INTERPRETED, "pkg.Main.interpreted()V ?");
	image.stack[IMAGE_FP - 3] = 0;
	look();
	expect_frame(0, FRAME_STUB, "interpreter");
	end();
}

/* In compiled code with its frame standing, on the stack as the anchor's callers have it. */
static void catch_compiled(uint64_t offset)
{
	caught.how = CAUGHT_TICK;
	caught.ip = image__pc(&image, IMAGE_AT_COMPILED, offset);
	caught.sp = image__address(&image.stack[IMAGE_COMPILED_SP]);
	image.thread.state = 8;
}

static void knows_whose_compiled_code_it_is(void **state)
{
	(void)state;
	for (int is_new = 0; is_new < 2; is_new++) {
		begin(is_new);
		catch_compiled(0x3c);
		look();
		expect_frame(0, FRAME_INLINED, "pkg.Main.inlined()V ?");
		expect_frame(1, FRAME_COMPILED, "pkg.Main.compiled()V");
		expect_frame(2, FRAME_INTERPRETED, "pkg.Main.interpreted()V @3");
		catch_compiled(0x44);
		look();
		expect_frame(0, FRAME_COMPILED, "pkg.Main.compiled()V");
		expect_frame(1, FRAME_INTERPRETED, "pkg.Main.interpreted()V @3");
		end();
	}
}

/* The instructions at the end of a method, and how many words of the frame are left there. */
static void sees_where_a_frame_ends(void **state)
{
	static const struct {
		unsigned char code[16];
		size_t words;
	} ends[] = {
		{ "\x5d\xc3", 2 },
		{ "\xc3", 1 },
		{ "\x49\x3b\x67\x28\x0f\x87\x01\x02\x03\x04\xc3", 1 },
		{ "\x49\x3b\xa7\x48\x03\x00\x00\x0f\x87\x01\x02\x03\x04\xc3", 1 },
		{ "\x0f\x87\x01\x02\x03\x04\xc3", 1 },
		{ "\x90\x90", 6 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		begin(false);
		catch_compiled(0x70);
		caught.sp = image__address(&image.stack[IMAGE_INTERPRETED_SP - ends[i].words]);
		/* Once it is popped. */
		caught.fp = ends[i].words == 1 ? image__address(&image.stack[IMAGE_FP]) : 0;
		memcpy((void *)(uintptr_t)caught.ip, ends[i].code, sizeof(ends[i].code));
		look();
		expect_frame(0, FRAME_COMPILED, "pkg.Main.compiled()V");
		expect_frame(1, FRAME_INTERPRETED, "pkg.Main.interpreted()V @3");
		assert_true(walk.is_whole);
		end();
	}
}

static void guesses_the_caller_of_a_stub(void **state)
{
	unsigned char *call;

	(void)state;
	begin(false);
	catch_compiled(0);
	caught.ip = image__pc(&image, IMAGE_AT_ROUTINES, 0x10);
	caught.sp = image__address(&image.stack[IMAGE_COMPILED_SP - 1]);
	call = (unsigned char *)(uintptr_t)image.stack[IMAGE_COMPILED_SP - 1] - 5;
	*call = 0xe8;
	look();
	expect_frame(0, FRAME_STUB, "StubRoutines (1)");
	expect_frame(1, FRAME_INLINED, "pkg.Main.inlined()V ?");
	expect_frame(2, FRAME_COMPILED, "pkg.Main.compiled()V ?");
	*call = 0;
	look();
	assert_int_equal(walk.frames.count, 1);
	/* The JVM calls such routines, too: then the thread is in another state. */
	assert_int_equal(walk.place, PLACE_JIT);
	assert_false(walk.place_guessed);
	image.thread.state = 4;
	look();
	assert_true(walk.place_guessed);
	end();
}

static void stale_registers_are_a_guess(void **state)
{
	(void)state;
	begin(false);
	catch_interpreted();
	caught.how = CAUGHT_STALE;
	look();
	expect_frame(0, FRAME_INTERPRETED, "pkg.Main.interpreted()V @5 ?");
	assert_true(walk.place_guessed);
	end();
}

/* ------------------------------------------------------------------------------------------ */

static void believes_no_method_that_does_not_fit(void **state)
{
	(void)state;
	begin(false);
	look();
	image.tags.bytes[5] = 7;
	look();
	assert_int_equal(walk.frames.count, 0);
	image.tags.bytes[5] = 1;
	image.symbols[5].body[0] = 'x';
	jvm__close(jvm);
	assert_int_equal(open_image(NULL), 0);
	look();
	assert_int_equal(walk.frames.count, 0);
	end();
}

/* A class was unloaded, and another's method is where one of its was. */
static void another_method_has_another_number(void **state)
{
	struct image_symbol other = { 5, "other" };
	uint64_t number;

	(void)state;
	begin(false);
	look();
	number = walk.frames.items[0].method;
	look();
	assert_int_equal(walk.frames.items[0].method, number);
	image.pool_items[IMAGE_NATIVE + 1] = image__address(&other);
	look();
	assert_int_not_equal(walk.frames.items[0].method, number);
	expect_frame(0, FRAME_COMPILED, "pkg.Main.other()V");
	end();
}

static void writes_class_names_as_people_do(void **state)
{
	(void)state;
	begin(false);
	image__symbol(&image, 6, "a/B$$Lambda+0x00007f12");
	look();
	expect_frame(0, FRAME_COMPILED, "a.B$$Lambda/0x00007f12.nativeOne()V");
	end();
}

static void says_loader_for_what_loads(void **state)
{
	(void)state;
	begin(false);
	image__symbol(&image, 6, "java/lang/ClassLoader");
	image__symbol(&image, 3, "loadClass");
	image.thread.state = 6;
	look();
	assert_int_equal(walk.place, PLACE_LOADER);
	/* Also where nobody wants so many frames. */
	vec__free(&walk.frames);
	walk = (struct walk){ .wanted = 1 };
	assert_int_equal(jvm__walk(jvm, &caught, &walk), 0);
	assert_int_equal(walk.place, PLACE_LOADER);
	assert_int_equal(walk.frames.count, 1);
	image.thread.state = 10;
	look();
	assert_int_equal(walk.place, PLACE_BLOCKING);
	end();
}

static void other_threads_are_not_the_jvms(void **state)
{
	(void)state;
	begin(false);
	caught.inner_tid = IMAGE_TID + 1;
	look();
	assert_false(walk.is_managed);
	assert_int_equal(walk.frames.count, 0);
	/* The thread has ended since the list was read, and its memory is another's. */
	caught.inner_tid = IMAGE_TID;
	assert_int_equal(jvm__refresh(jvm), 0);
	image.thread.os = 8;
	assert_int_equal(jvm__walk(jvm, &caught, &walk), 0);
	assert_false(walk.is_managed);
	end();
}

static void knows_of_pauses(void **state)
{
	struct walk_pause pause;

	(void)state;
	for (int is_new = 0; is_new < 2; is_new++) {
		begin(is_new);
		image.collected.count = 7;
		assert_int_equal(jvm__pause(jvm, &pause), 0);
		assert_false(pause.is_under_way);
		assert_int_equal(pause.number, 7);
		/* Each time anew. */
		image.collected.collects = 1;
		assert_int_equal(jvm__pause(jvm, &pause), 0);
		assert_true(pause.is_under_way);
		image.collected_heap = 8;
		assert_int_not_equal(jvm__pause(jvm, &pause), 0);
		end();
	}
	image__make(&image, false);
	for (size_t i = 0; i < image.field_count; i++)
		if (strcmp(image.fields[i].name, "_is_gc_active") == 0)
			image.fields[i].name = "_somethingElse";
	assert_int_equal(open_image(NULL), 0);
	assert_int_equal(jvm__pause(jvm, &pause), -ENOTSUP);
	end();
}

/* ------------------------------------------------------------------------------------------ */

static void refuse(const char *word)
{
	struct buf why = BUF_INIT;

	assert_int_equal(open_image(&why), -ENOTSUP);
	assert_non_null(strstr(buf__str(&why), word));
	assert_null(jvm);
	buf__free(&why);
}

static void refuses_tables_that_make_no_sense(void **state)
{
	static const struct {
		enum jvm_export which;
		uint64_t value;
		const char *word;
	} wrong[] = {
		{ JVM_FIELDS, 0, "gHotSpotVMStructs" },
		{ JVM_FIELD_STRIDE, 0, "gHotSpotVMStructs" },
		{ JVM_FIELD_STRIDE, 1 << 20, "gHotSpotVMStructs" },
		{ JVM_FIELD_OFFSET, 4096, "gHotSpotVMStructs" },
		{ JVM_TYPES, 4096, "gHotSpotVMTypes" },
		{ JVM_TYPE_SIZE, UINT64_MAX, "gHotSpotVMTypes" },
		{ JVM_INT_NAME, 99, "gHotSpotVMIntConstants" },
		{ JVM_LONGS, 16, "gHotSpotVMLongConstants" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		image__make(&image, false);
		image.variables[wrong[i].which] = wrong[i].value;
		refuse(wrong[i].word);
	}
}

/* A table without an end, as far as memory goes: the same entry again and again. */
static void refuses_a_table_without_end(void **state)
{
	static struct image_value endless[20000];

	(void)state;
	image__make(&image, false);
	for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++)
		endless[i] = (struct image_value){ "x", 1 };
	image.variables[JVM_TYPES] = image__address(endless);
	refuse("gHotSpotVMTypes");
}

static void says_what_is_missing(void **state)
{
	(void)state;
	image__make(&image, false);
	for (size_t i = 0; i < image.field_count; i++)
		if (strcmp(image.fields[i].name, "_constMethod") == 0)
			image.fields[i].name = "_somethingElse";
	refuse("Method::_constMethod");
	image__make(&image, false);
	for (size_t i = 0; i < image.field_count; i++)
		if (strcmp(image.fields[i].name, "_code_end") == 0)
			image.fields[i].name = "_somethingElse";
	refuse("where a CodeBlob's code is");
	image__make(&image, false);
	image.fields[3].offset = UINT64_MAX - 4;
	refuse("Thread::_osthread");
}

/* Without what the scopes are found by, walks go on, and inlined methods are not told. */
static void lacks_scopes(void **state)
{
	(void)state;
	image__make(&image, false);
	for (size_t i = 0; i < image.field_count; i++)
		if (strcmp(image.fields[i].name, "_scopes_pcs_offset") == 0)
			image.fields[i].name = "_somethingElse";
	assert_int_equal(open_image(NULL), 0);
	caught = (struct caught_thread){ .inner_tid = IMAGE_TID };
	look();
	expect_frame(1, FRAME_COMPILED, "pkg.Main.compiled()V");
	assert_int_equal(walk.frames.count, 3);
	assert_true(walk.is_whole);
	end();
}

static void looks_names_up(void **state)
{
	struct jvm_memory *memory;
	struct jvm_structs *structs;
	uint64_t exports[JVM_EXPORTS], value = 0;

	(void)state;
	image__make(&image, false);
	image__exports(&image, exports);
	remote__init(&remote, getpid());
	memory = jvm_memory__new(&remote);
	assert_int_equal(jvm_structs__read(memory, exports, &structs, NULL), 0);
	assert_true(jvm_structs__offset(structs, "JavaThread::_thread_state", &value));
	assert_int_equal(value, offsetof(struct image_thread, state));
	assert_true(jvm_structs__address(structs, "CodeCache::_heaps", &value));
	assert_int_equal(value, image__address(&image.code_heaps));
	assert_true(jvm_structs__size(structs, "HeapBlock", &value));
	assert_int_equal(value, 8);
	assert_true(jvm_structs__constant(structs, "frame::entry_frame_call_wrapper_offset",
					  &value));
	assert_int_equal(value, -6);
	assert_true(jvm_structs__constant(structs, "a_long", &value));
	assert_int_equal(value, (uint64_t)1 << 40);
	/* Of another kind, or not there. */
	assert_false(jvm_structs__offset(structs, "CodeCache::_heaps", &value));
	assert_false(jvm_structs__address(structs, "JavaThread::_thread_state", &value));
	assert_false(jvm_structs__size(structs, "HeapBloc", &value));
	assert_false(jvm_structs__constant(structs, "", &value));
	assert_int_equal(jvm_structs__count(structs),
			 image.field_count + image.type_count + image.int_count + 1);
	jvm_structs__free(structs);
	jvm_structs__free(NULL);
	jvm_memory__free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks_names_up),
		cmocka_unit_test(knows_of_pauses),
		cmocka_unit_test(refuses_tables_that_make_no_sense),
		cmocka_unit_test(refuses_a_table_without_end),
		cmocka_unit_test(says_what_is_missing),
		cmocka_unit_test(lacks_scopes),
		cmocka_unit_test(walks_from_the_anchor),
		cmocka_unit_test(reads_pc_below_sp),
		cmocka_unit_test(goes_on_where_java_called_native_code),
		cmocka_unit_test(finds_where_invalidated_code_was),
		cmocka_unit_test(tells_the_name_of_a_thread),
		cmocka_unit_test(looks_for_the_name_until_it_is_found),
		cmocka_unit_test(tells_no_name_of_what_is_none),
		cmocka_unit_test(ends_where_nothing_fits),
		cmocka_unit_test(takes_no_freed_code),
		cmocka_unit_test(goes_back_by_hops),
		cmocka_unit_test(knows_the_bytecode_by_the_register),
		cmocka_unit_test(guesses_while_a_frame_is_made),
		cmocka_unit_test(knows_whose_compiled_code_it_is),
		cmocka_unit_test(sees_where_a_frame_ends),
		cmocka_unit_test(guesses_the_caller_of_a_stub),
		cmocka_unit_test(stale_registers_are_a_guess),
		cmocka_unit_test(believes_no_method_that_does_not_fit),
		cmocka_unit_test(another_method_has_another_number),
		cmocka_unit_test(writes_class_names_as_people_do),
		cmocka_unit_test(says_loader_for_what_loads),
		cmocka_unit_test(other_threads_are_not_the_jvms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
