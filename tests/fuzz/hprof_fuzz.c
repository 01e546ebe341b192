/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as an hprof file: whatever it says, what comes of it is a graph or a reason, and
 * whoever counts only finds as many objects.
 */
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <zlib.h>

#include "check.h"
#include "corpus.h"
#include "model/heap_builder.h"
#include "stream/hprof.h"
#include "tests/unit/stream/hprof_bytes.h"

#define LIMIT (UINT64_C(16) << 20)
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int take(void *builder, const struct event *event)
{
	return heap_builder__event(builder, event);
}

/* -1: no graph came of it. */
static int64_t read_objects(int fd, bool heads)
{
	const struct hprof_options options = { .heads = heads, .stop_fd = -1, .limit = LIMIT };
	struct heap_builder *builder = heads ? heap_builder__new_counting(LIMIT) :
					       heap_builder__new(LIMIT);
	const struct event_sink sink = { take, builder };
	struct hprof_facts facts;
	struct heap *heap = NULL;
	int64_t objects = -1;
	int err;

	CHECK(builder && lseek(fd, 0, SEEK_SET) == 0);
	err = hprof__read(fd, &options, &sink, &facts);
	CHECK(err <= 0);
	if (!err)
		err = heap_builder__finish(builder, &heap);
	if (!err)
		objects = (int64_t)heap__facts(heap)->objects;
	heap__free(heap);
	heap_builder__free(builder);
	return objects;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("hprof", MFD_CLOEXEC);
	int64_t graph, counted;

	CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	graph = read_objects(fd, false);
	counted = read_objects(fd, true);
	CHECK(graph == counted || graph < 0 || counted < 0);
	close(fd);
	return 0;
}

static void add_seed(int dir, unsigned int number, uint32_t id_bytes)
{
	const struct hprof_bytes_field fields[] = { { 1, HPROF_OBJECT, 0 }, { 1, HPROF_INT, 0 },
						    { 0, 0, 0 } };
	const struct hprof_bytes_field statics[] = { { 1, HPROF_OBJECT, 0x1000 }, { 0, 0, 0 } };
	const uint64_t elements[] = { 0x1000, 0 };
	struct hprof_bytes file = hprof_bytes__begin("1.0.2", id_bytes);

	hprof_bytes__string(&file, 1, "referent");
	hprof_bytes__load(&file, 1, 0x100, "java/lang/ref/Reference");
	hprof_bytes__load(&file, 2, 0x108, "[I");
	hprof_bytes__record(&file, HPROF_STACK_TRACE);
	hprof_bytes__number(&file, 1, 4);
	hprof_bytes__number(&file, 1, 4);
	hprof_bytes__number(&file, 0, 4);
	hprof_bytes__end_record(&file);
	hprof_bytes__record(&file, number % 2 ? HPROF_HEAP_DUMP : HPROF_HEAP_DUMP_SEGMENT);
	hprof_bytes__class(&file, 0x100, 0, 0, statics, fields);
	hprof_bytes__class(&file, 0x108, 0x100, 0, NULL, NULL);
	hprof_bytes__instance(&file, 0x1000, 0x108, id_bytes + 4);
	hprof_bytes__id(&file, 0x1018);
	hprof_bytes__number(&file, 1, 4);
	hprof_bytes__array(&file, 0x1018, 0x108, elements, 2);
	hprof_bytes__primitive(&file, 0x1038, HPROF_SHORT, 5);
	hprof_bytes__root(&file, HPROF_ROOT_THREAD_OBJECT, 0x1000, 1, 1);
	hprof_bytes__root(&file, HPROF_ROOT_JNI_LOCAL, 0x1018, 1, 0);
	hprof_bytes__end_record(&file);
	hprof_bytes__record(&file, HPROF_HEAP_DUMP_END);
	corpus__add(dir, number, file.out.data, file.out.len);
	buf__free(&file.out);
}

/* So short that it holds no more than the head of a dump: the rest is the fuzzer's. */
static void add_zipped(int dir, unsigned int number)
{
	static const char head[] = "JAVA PROFILE 1.0.2\0\0\0\0\010\0\0\0\0\0\0\0\1";
	unsigned char bytes[256];
	z_stream stream = { .next_in = (unsigned char *)(uintptr_t)head,
			    .avail_in = sizeof(head) - 1,
			    .next_out = bytes, .avail_out = sizeof(bytes) };

	CHECK(deflateInit2(&stream, 0, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
	corpus__add(dir, number, bytes, sizeof(bytes) - stream.avail_out);
	deflateEnd(&stream);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	int dir = corpus__open(*argc, *argv);

	if (dir < 0)
		return 0;
	add_seed(dir, 0, 8);
	add_seed(dir, 1, 4);
	add_zipped(dir, 2);
	close(dir);
	return 0;
}
