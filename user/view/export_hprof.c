/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hprof: the heap dump of a JVM, for VisualVM, Eclipse MAT and their like; of any runtime.
 *
 * WHAT A READER SEES
 *
 *	each object once, by its address, with its type's name, its size and its references
 *	fields by the names that the runtime told; "#3", "+16" where it told none; "?" where it
 *	did not even tell the place
 *	statics in their classes, locals in the frames of their threads, the other roots by kind;
 *	and all but statics once more, as static fields of a class "(roots)", which say what they
 *	are
 *	the same sizes and the same retained sizes as gctrace shows (VisualVM; hprof_shapes.h says
 *	how its sizes come about, and what arrays are)
 *
 * and what the contents of objects would be: zeros. gctrace never reads them. Fields named "not
 * read" take their place: MAT adds an instance's size up from its fields, a reference of 8
 * bytes and a head of 16, so that with them its sizes are right wherever that is how objects are.
 *
 * WHERE IT MUST DIFFER
 *
 *	Super classes are not written. The runtime told the fields of a type together with those
 *	of the types above it; written in both places they would be there twice.
 *
 *	Weak references keep nothing alive. hprof says that by a name: the first weak reference of
 *	an object becomes the field `referent` of java.lang.ref.WeakReference, of which its class
 *	is made a subclass. Its other ones, and those of arrays, are left out. Weak roots are, too.
 *
 *	VisualVM's dominators take every referrer for one that keeps alive, also a weak one and one
 *	that no root reaches. The references of both are left out (null) where retained sizes
 *	would come out too small by them.
 *
 *	Arrays have more elements than they had, where their size asks for that: null ones, at
 *	the end. Objects of a type that differ in size, and have references, are of several
 *	classes of that name.
 *
 *	A thread's name is in the record of its start, and the last frame of its stack: VisualVM and
 *	MAT take names from the contents of strings alone, and show that frame. Threads that have
 *	no object have roots and frames, but are in no list of threads.
 *
 *	Sizes above 2 GiB cannot be said. That is warned of, as is every other size that a reader
 *	will show wrongly.
 *
 * Names are escaped as everywhere in gctrace (base/escape.h), and a '[' that begins one is \x5b
 * unless a JVM's own name of an array follows, which VisualVM takes it for. It shows '/' as '.'.
 *
 * CLASSES that readers look for are there, without objects: java.lang.Object (hprof_shapes.h),
 * java.lang.Class, and those of references, without which VisualVM computes no retained sizes.
 * Ids of classes lie where no object does.
 */
#include <errno.h>
#include <inttypes.h>

#include "../base/report.h"
#include "../model/heap.h"
#include "export.h"
#include "heap_view.h"
#include "hprof_dump.h"

static int prepare(struct hprof_dump *dump)
{
	uint32_t most = 1;
	int err = hprof_shapes__find(&dump->shapes, dump->heap);

	if (!err)
		err = hprof_roots__find(&dump->roots, dump->heap);
	if (!err)
		err = hprof_dump__number(dump);
	if (err)
		return err;
	for (uint32_t i = 0; i < dump->shapes.count; i++)
		if (dump->shapes.of[i].form == HPROF_FIELDS &&
		    hprof_shapes__fields(&dump->shapes, i) > most)
			most = hprof_shapes__fields(&dump->shapes, i);
	dump->values = calloc(most, sizeof(*dump->values));
	return dump->values ? 0 : -ENOMEM;
}

/* When the dump began, where both clocks are known. */
static uint64_t ms_of(const struct heap *heap, const struct heap_heading *heading)
{
	const uint64_t begun = heap__facts(heap)->begun_ns;

	if (begun == EVENT_UNKNOWN || !heading->clock_offset_ns)
		return 0;
	return (begun + (uint64_t)heading->clock_offset_ns) / 1000000;
}

static int write_file(struct hprof_dump *dump, uint64_t ms)
{
	int err;

	hprof__head(&dump->writer, ms);
	hprof_dump__strings(dump);
	hprof_dump__load_classes(dump);
	hprof_roots__stacks(&dump->roots, dump->heap, &dump->writer, dump->stacks, STRING_NONE,
			    1 + BASE_STACK);
	hprof_dump__class_roots(dump);
	hprof_roots__write(&dump->roots, dump->heap, &dump->writer);
	hprof_dump__classes(dump);
	hprof_dump__objects(dump);
	err = hprof__end(&dump->writer);
	return ferror_unlocked(dump->writer.out) ? -EIO : err;
}

static int write_hprof(struct heap *heap, const struct heap_heading *heading,
		       const struct export_options *options, FILE *out)
{
	struct hprof_dump dump = { .heap = heap, .writer = { .out = out } };
	int err = prepare(&dump);

	(void)options;
	if (!err)
		err = write_file(&dump, ms_of(heap, heading));
	if (!err && dump.inexact)
		warning("%" PRIu64 " object%s that hprof cannot say: its readers will show another",
			dump.inexact, dump.inexact == 1 ? " has a size" : "s have sizes");
	if (!err)
		export_fields__tell(&dump.shapes.fields);
	free(dump.values);
	hprof_roots__free(&dump.roots);
	hprof_shapes__free(&dump.shapes);
	return err;
}

const struct exporter export_hprof = {
	.name = "hprof",
	.help = "VisualVM, Eclipse MAT, and what else reads heap dumps of a JVM",
	.is_binary = true,
	.write = write_hprof,
};
