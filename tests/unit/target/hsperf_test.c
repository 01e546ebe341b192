/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "fixture.h"
#include "target/hsperf.h"
#include "target/process.h"

#define PROLOGUE 32
#define COUNT_AT 28

/* A file as HotSpot makes it, without entries. */
static struct buf make(void)
{
	static const unsigned char prologue[PROLOGUE] = {
		0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1, [24] = PROLOGUE,
	};
	struct buf file = BUF_INIT;

	buf__add(&file, prologue, PROLOGUE);
	return file;
}

/* vector: elements of a string; 0: data is a long. */
static void add(struct buf *file, const char *name, char type, uint32_t vector, const void *data,
		size_t data_len)
{
	uint32_t name_len = ((uint32_t)strlen(name) + 8) & ~7U, count;
	uint32_t data_at = 24 + name_len;
	uint32_t length = (data_at + (uint32_t)data_len + 7) & ~7U;
	uint32_t head[5] = { length, 20, vector, (unsigned char)type, data_at };
	size_t start = file->len;

	buf__add(file, head, sizeof(head));
	buf__add(file, name, strlen(name) + 1);
	buf__add_repeated(file, '\0', start + data_at - file->len);
	buf__add(file, data, data_len);
	buf__add_repeated(file, '\0', start + length - file->len);
	memcpy(&count, file->data + COUNT_AT, 4);
	count++;
	memcpy(file->data + COUNT_AT, &count, 4);
}

static void add_string(struct buf *file, const char *name, const char *text)
{
	add(file, name, 'B', (uint32_t)strlen(text) + 1, text, strlen(text) + 1);
}

static void add_long(struct buf *file, const char *name, uint64_t value)
{
	add(file, name, 'J', 0, &value, sizeof(value));
}

static struct buf make_usual(void)
{
	struct buf file = make();

	add_long(&file, "sun.gc.collector.0.invocations", 42);
	add_string(&file, "sun.gc.cause", "No GC");
	add_string(&file, "sun.gc.collector.0.name", "G1 young collection pauses");
	add_string(&file, "java.property.java.vm.version", "17.0.1+1");
	return file;
}

static void reads_values(void **state)
{
	struct buf file = make_usual();
	struct hsperf *hsperf;
	uint64_t value;

	(void)state;
	assert_int_equal(hsperf__from_bytes(file.data, file.len, &hsperf, NULL), 0);
	assert_int_equal(hsperf__u64(hsperf, "sun.gc.collector.0.invocations", &value), 0);
	assert_int_equal(value, 42);
	assert_string_equal(hsperf__string(hsperf, "sun.gc.cause"), "No GC");
	assert_string_equal(hsperf__string(hsperf, "java.property.java.vm.version"), "17.0.1+1");
	assert_string_equal(hsperf__collector(hsperf), "G1");
	/* Of the other kind, or not there. */
	assert_null(hsperf__string(hsperf, "sun.gc.collector.0.invocations"));
	assert_int_equal(hsperf__u64(hsperf, "sun.gc.cause", &value), -ENOENT);
	assert_null(hsperf__string(hsperf, "sun.gc.caus"));
	assert_int_equal(hsperf__u64(hsperf, "", &value), -ENOENT);
	assert_int_equal(hsperf__refresh(hsperf), 0);
	hsperf__free(hsperf);
	hsperf__free(NULL);
	buf__free(&file);
}

static void names_collectors(void **state)
{
	static const char *const names[][3] = {
		{ "sun.gc.collector.0.name", "G1 young collection pauses", "G1" },
		{ "sun.gc.collector.0.name", "Parallel young collection pauses", "Parallel" },
		{ "sun.gc.collector.1.name", "Serial full collection pauses", "Serial" },
		{ "sun.gc.collector.2.name", "Z concurrent cycle pauses", "ZGC" },
		{ "sun.gc.collector.0.name", "ZGC minor collection pauses", "ZGC" },
		{ "sun.gc.collector.0.name", "Shenandoah partial", "Shenandoah" },
		{ "java.rt.vmArgs", "-Xmx1g -XX:+UseEpsilonGC", "Epsilon" },
		{ "sun.gc.collector.0.name", "Something new", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct buf file = make();
		struct hsperf *hsperf;

		add_string(&file, names[i][0], names[i][1]);
		assert_int_equal(hsperf__from_bytes(file.data, file.len, &hsperf, NULL), 0);
		if (names[i][2])
			assert_string_equal(hsperf__collector(hsperf), names[i][2]);
		else
			assert_null(hsperf__collector(hsperf));
		hsperf__free(hsperf);
		buf__free(&file);
	}
}

static struct buf make_collectors(uint64_t young_exit, uint64_t full_entry)
{
	struct buf file = make();

	add_long(&file, "sun.os.hrt.frequency", 1000000000);
	add_string(&file, "sun.gc.collector.0.name", "Serial young collection pauses");
	add_long(&file, "sun.gc.collector.0.lastEntryTime", 500);
	add_long(&file, "sun.gc.collector.0.lastExitTime", young_exit);
	add_string(&file, "sun.gc.collector.1.name", "Serial full collection pauses");
	add_long(&file, "sun.gc.collector.1.lastEntryTime", full_entry);
	add_long(&file, "sun.gc.collector.1.lastExitTime", 300);
	return file;
}

static void knows_the_collection_in_progress(void **state)
{
	static const struct {
		uint64_t young_exit, full_entry, since;
		const char *what;
	} cases[] = {
		{ 600, 200, 0, NULL },
		{ 400, 200, 500, "young collection" },
		{ 600, 700, 700, "full collection" },
		{ 400, 700, 700, "full collection" }, /* in the same stop, behind a young one */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf file = make_collectors(cases[i].young_exit, cases[i].full_entry);
		struct hsperf *hsperf;
		const char *what;
		uint64_t since = 0;

		assert_int_equal(hsperf__from_bytes(file.data, file.len, &hsperf, NULL), 0);
		what = hsperf__in_progress(hsperf, &since);
		assert_int_equal(since, cases[i].since);
		assert_int_equal(!what, !cases[i].what);
		if (what)
			assert_string_equal(what, cases[i].what);
		hsperf__free(hsperf);
		buf__free(&file);
	}
}

static void refuses_what_is_none(void **state)
{
	static const struct {
		size_t at;
		unsigned char value;
		int err;
		const char *word;
	} wrong[] = {
		{ 0, 0, -EINVAL, "ca fe c0 c0" },
		{ 4, 0, -EINVAL, "unknown" },
		{ 5, 3, -EINVAL, "unknown" },
		{ 7, 0, -ENOENT, "still making" },
		{ 24, 31, -EINVAL, "contradict" },
		{ 27, 0x7f, -EINVAL, "contradict" },
		{ 27, 0xff, -EINVAL, "contradict" },
		{ 31, 0xff, -EINVAL, "contradict" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct buf file = make_usual(), why = BUF_INIT;
		struct hsperf *hsperf;

		file.data[wrong[i].at] = (char)wrong[i].value;
		assert_int_equal(hsperf__from_bytes(file.data, file.len, &hsperf, &why),
				 wrong[i].err);
		assert_null(hsperf);
		assert_non_null(strstr(buf__str(&why), wrong[i].word));
		buf__free(&why);
		buf__free(&file);
	}
}

static void a_string_that_does_not_end_is_none(void **state)
{
	struct buf file = make();
	struct hsperf *hsperf;

	(void)state;
	add(&file, "sun.gc.cause", 'B', 3, "abcdefgh", 8);
	assert_int_equal(hsperf__from_bytes(file.data, file.len, &hsperf, NULL), 0);
	assert_null(hsperf__string(hsperf, "sun.gc.cause"));
	hsperf__free(hsperf);
	buf__free(&file);
}

/* Ask all questions, whatever the bytes say; strings must end where memory is ours. */
static void ask(const struct buf *file)
{
	/* A copy of exactly that size: what reads on is seen by the address sanitizer. */
	char *bytes = malloc(file->len + !file->len);
	struct hsperf *hsperf;
	const char *text;
	uint64_t value;

	memcpy(bytes, buf__str(file), file->len);
	if (hsperf__from_bytes(bytes, file->len, &hsperf, NULL) == 0) {
		text = hsperf__string(hsperf, "java.property.java.vm.version");
		assert_true(!text || strlen(text) < file->len);
		(void)hsperf__u64(hsperf, "sun.gc.collector.0.invocations", &value);
		(void)hsperf__collector(hsperf);
		hsperf__free(hsperf);
	}
	free(bytes);
}

static void survives_any_wrong_byte(void **state)
{
	static const unsigned char values[] = { 0, 1, 7, 0x7f, 0x80, 0xff };
	struct buf file = make_usual();

	(void)state;
	for (size_t at = 0; at < file.len; at++) {
		char was = file.data[at];

		for (size_t v = 0; v < sizeof(values); v++) {
			file.data[at] = (char)values[v];
			ask(&file);
		}
		file.data[at] = was;
	}
	for (size_t len = 0; len < file.len; len++) {
		struct buf cut = { file.data, len, 0, 0 };

		ask(&cut);
	}
	buf__free(&file);
}

/* A process that maps such a file, as a JVM does; it is removed and changed meanwhile. */
static void reads_a_process(void **state)
{
	struct buf usual = make_usual(), changed = make(), why = BUF_INIT;
	size_t size = 3 * 4096;
	struct process *process;
	struct hsperf *hsperf;
	char *mapped;
	FILE *file;

	(void)state;
	add_string(&changed, "sun.gc.cause", "System.gc()");
	assert_int_equal(mkdir("hsperfdata_user", 0755), 0);
	assert_int_equal(process__open(getpid(), &process, NULL), 0);
	assert_int_equal(hsperf__open(process, &hsperf, &why), -ENOENT);
	assert_non_null(strstr(buf__str(&why), "UsePerfData"));

	file = fopen("hsperfdata_user/1", "w+");
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), (off_t)size), 0);
	mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	memcpy(mapped, usual.data, usual.len);
	fclose(file);
	assert_int_equal(unlink("hsperfdata_user/1"), 0);

	assert_int_equal(hsperf__open(process, &hsperf, &why), 0);
	assert_string_equal(hsperf__string(hsperf, "sun.gc.cause"), "No GC");
	memcpy(mapped, changed.data, changed.len);
	assert_string_equal(hsperf__string(hsperf, "sun.gc.cause"), "No GC");
	assert_int_equal(hsperf__refresh(hsperf), 0);
	assert_string_equal(hsperf__string(hsperf, "sun.gc.cause"), "System.gc()");

	/* Nonsense does not replace what was good, and neither does nothing. */
	memset(mapped, 'x', size);
	assert_int_equal(hsperf__refresh(hsperf), -EINVAL);
	assert_string_equal(hsperf__string(hsperf, "sun.gc.cause"), "System.gc()");
	munmap(mapped, size);
	assert_int_equal(hsperf__refresh(hsperf), -ESRCH);
	assert_string_equal(hsperf__string(hsperf, "sun.gc.cause"), "System.gc()");
	hsperf__free(hsperf);
	process__free(process);
	buf__free(&usual);
	buf__free(&changed);
	buf__free(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_values),
		cmocka_unit_test(names_collectors),
		cmocka_unit_test(knows_the_collection_in_progress),
		cmocka_unit_test(refuses_what_is_none),
		cmocka_unit_test(a_string_that_does_not_end_is_none),
		cmocka_unit_test(survives_any_wrong_byte),
		cmocka_unit_test_setup_teardown(reads_a_process, fixture__enter, fixture__leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
