/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heap dump: every container, its roots, and depth first all objects that they lead to.
 *
 *   C_BEGIN, names
 *   for each container:   its roots (flags: named before? reported before?)
 *                         then, root by root, depth first, each object that was not reported yet
 *   dependent handles     those whose key was reached lead on, the others only tell
 *   weak handles          tell, and lead nowhere
 *   C_HEAP                objects that nothing led to, by address, and what they lead to
 *   C_END, totals
 *
 * All references of an object are told before the walk descends into the first of them; a child
 * that another child's subtree has reached meanwhile is passed over. There is no recursion but a
 * stack of (object, next child); an object whose last child is descended into leaves the stack
 * first, so that a linked list of any length takes one entry.
 *
 * Two bits for every 8 bytes of heap say "named" and "reported"; they and the stack are address
 * space reserved at start, whose pages go back after each dump: nothing is allocated in the pause.
 *
 * POSTPONED objects (by request, class or depth) are told and not descended from.
 *
 * ABORT: before each batch the requests are looked at; when the dump is no longer wanted nothing
 * more is told but C_END.
 */
#include "dump.h"
#include "classes.h"
#include "mutator.h"
#include "options.h"
#include "report.h"
#include "requests.h"
#include "roots.h"
#include "truth_write.h"

#include <string.h>
#include <sys/mman.h>

struct visit {
	struct object *object;
	uint32_t next;	/* reference to look at */
	uint32_t depth; /* 1: a root refers to it */
};

static struct dump {
	uint64_t number;
	uint64_t *named, *reported; /* a bit for each 8 bytes from heap.young on */
	uint64_t bits_bytes, stack_bytes;
	struct visit *stack;
	bool postpone_all, is_over;
	struct dump_totals totals;
	/* Roots of the container begun last that have not been told yet. */
	bool is_weak;
	uint64_t type;
	size_t roots, capacity;
	uint64_t *refs, *kinds, *ids;
	uint32_t *flags;
} dump;

static void more_room(void)
{
	dump.capacity = dump.capacity ? 2 * dump.capacity : 4096;
	dump.refs = get_memory(dump.refs, dump.capacity * sizeof(*dump.refs));
	dump.kinds = get_memory(dump.kinds, dump.capacity * sizeof(*dump.kinds));
	dump.ids = get_memory(dump.ids, dump.capacity * sizeof(*dump.ids));
	dump.flags = get_memory(dump.flags, dump.capacity * sizeof(*dump.flags));
}

void dump__init(void)
{
	const uint64_t span = heap.large + heap.large_bytes - heap.young;

	dump.bits_bytes = span / 64 + 8;
	dump.named = reserve(0, dump.bits_bytes, "a heap dump's bits");
	dump.reported = reserve(0, dump.bits_bytes, "a heap dump's bits");
	dump.stack_bytes = span / 2;
	dump.stack = reserve(0, dump.stack_bytes, "a heap dump's stack");
	more_room();
}

static uint64_t bit_of(uint64_t address)
{
	return (address - heap.young) >> 3;
}

static bool has(const uint64_t *bits, uint64_t address)
{
	const uint64_t bit = bit_of(address);

	return bits[bit >> 6] >> (bit & 63) & 1;
}

static void add(uint64_t *bits, uint64_t address)
{
	const uint64_t bit = bit_of(address);

	bits[bit >> 6] |= (uint64_t)1 << (bit & 63);
}

/* The flags of a reference, which is named by this. */
static uint32_t name_reference(uint64_t to)
{
	uint32_t flags = 0;

	if (!to)
		return 0;
	if (has(dump.named, to))
		flags |= GCTRACE_ALREADY_REPORTED;
	if (has(dump.reported, to))
		flags |= GCTRACE_ALREADY_VISITED;
	add(dump.named, to);
	return flags;
}

/* Looks at the requests when a batch has gone. */
static bool may_go_on(void)
{
	if (!dump.is_over && report__batch_has_gone()) {
		if (opt.dump_pace_ns && report_wants.batch)
			sleep_ns(opt.dump_pace_ns);
		dump.is_over = !requests__may_go_on();
	}
	return !dump.is_over;
}

/* ---- Objects ---- */

static uint32_t flags_of(const struct object *o)
{
	uint32_t flags = 0;

	if (o->head & HEAD_PINNED)
		flags |= GCTRACE_OBJECT_PINNED;
	if (classes[object__class(o)].flags & GCTRACE_CLASS_FINALIZABLE)
		flags |= GCTRACE_OBJECT_FINALIZABLE;
	return flags;
}

/* References [first, first + count) of an object: their flags; returns all of them together. */
static uint32_t name_part(struct object *o, uint64_t first, uint64_t count, uint32_t *flags)
{
	const uint64_t strong = head__strong_refs(object__head(o));
	uint32_t any = 0;

	for (uint64_t i = 0; i < count; i++) {
		const uint64_t to = (uint64_t)(uintptr_t)o->refs[first + i];

		flags[i] = name_reference(to);
		if (first + i >= strong && to)
			flags[i] |= GCTRACE_REF_WEAK;
		any |= flags[i];
		dump.totals.references += to != 0;
	}
	return any;
}

/* All of an object's references, in parts. */
static void tell_object(struct object *o)
{
	static uint32_t flags[GCTRACE_PART_ENTRIES];
	const uint64_t refs = head__refs(object__head(o));
	const uint64_t most = opt.split_references ? opt.split_references : GCTRACE_PART_ENTRIES;
	uint64_t first = 0, count;

	add(dump.named, (uint64_t)(uintptr_t)o);
	add(dump.reported, (uint64_t)(uintptr_t)o);
	dump.totals.objects++;
	dump.totals.bytes += object__size(o);
	do {
		uint32_t own = flags_of(o), any;

		count = refs - first < most ? refs - first : most;
		if (first + count < refs)
			own |= GCTRACE_MORE_REFERENCES;
		any = name_part(o, first, count, flags);
		report__object(o, own, first, count, (const uint64_t *)(void *)(o->refs + first),
			       any ? flags : NULL);
		first += count;
	} while (first < refs && may_go_on());
}

static bool is_postponed(const struct object *o, uint32_t depth)
{
	if (opt.postpone_class && object__class(o) == opt.postpone_class)
		return true;
	return dump.postpone_all || (opt.postpone_depth && depth >= opt.postpone_depth);
}

/* The next child that was not reported yet, or NULL when there is none left. */
static struct object *next_child(struct visit *visit, uint64_t count)
{
	while (visit->next < count) {
		struct object *to = visit->object->refs[visit->next++];

		if (to && !has(dump.reported, (uint64_t)(uintptr_t)to))
			return to;
	}
	return NULL;
}

static void walk_from(struct object *root)
{
	struct visit *top = dump.stack;
	struct object *o = root;
	uint32_t depth = 1;

	if (has(dump.reported, (uint64_t)(uintptr_t)o))
		return;
	for (;;) {
		if (o) {
			if (!may_go_on())
				return;
			tell_object(o);
			if (!is_postponed(o, depth))
				*++top = (struct visit){ o, 0, depth };
		}
		if (top == dump.stack)
			return;

		const uint64_t count = head__strong_refs(object__head(top->object));

		o = next_child(top, count);
		depth = top->depth + 1;
		if (top->next >= count)
			top--;
	}
}

/* ---- Roots ---- */

static void end_container(void)
{
	const size_t roots = dump.roots;

	dump.roots = 0;
	if (!roots || dump.is_over)
		return;
	report__roots(roots, dump.refs, dump.flags, dump.kinds, dump.ids);
	dump.totals.roots += roots;
	for (size_t i = 0; i < roots && !dump.is_weak && may_go_on(); i++)
		walk_from((struct object *)(uintptr_t)dump.refs[i]);
}

static void begin_container(void *context, uint64_t type, uint64_t id1, uint64_t id2)
{
	(void)context;
	end_container();
	if (!may_go_on())
		return;
	dump.type = type;
	report__container(type, id1, id2);
}

static void add_root(void *context, struct object **slot, uint64_t kind, uint64_t id)
{
	const uint64_t to = (uint64_t)(uintptr_t)*slot;

	(void)context;
	if (dump.is_over)
		return;
	if (dump.roots == dump.capacity)
		more_room();
	dump.refs[dump.roots] = to;
	dump.flags[dump.roots] = name_reference(to);
	if (dump.type == GCTRACE_C_WEAK)
		dump.flags[dump.roots] |= GCTRACE_REF_WEAK;
	if (dump.type == GCTRACE_C_DEPENDENT)
		dump.flags[dump.roots] |= GCTRACE_REF_DEPENDENT;
	dump.kinds[dump.roots] = kind;
	dump.ids[dump.roots++] = id;
}

static const struct root_visitor visitor = { begin_container, add_root, NULL };

static void dump_dependent(struct handle *handle, uint32_t number)
{
	handle->told = dump.number;
	begin_container(NULL, GCTRACE_C_DEPENDENT, (uint64_t)(uintptr_t)handle->object, 0);
	add_root(NULL, &handle->value, GCTRACE_ROOT_HANDLE, number);
	end_container();
}

/* Those whose key is reached (or not), each once; returns whether there was one. */
static bool dump_dependents(bool is_reached)
{
	bool any = false;

	for (uint32_t i = 1; i < handles__count() && may_go_on(); i++) {
		struct handle *handle = handle__at(i);

		if (handle->kind != HANDLE_DEPENDENT || !handle->object || !handle->value ||
		    handle->told == dump.number ||
		    has(dump.reported, (uint64_t)(uintptr_t)handle->object) != is_reached)
			continue;
		dump_dependent(handle, i);
		any = true;
	}
	return any;
}

static bool dump_unreached(void *context, struct object *o)
{
	(void)context;
	walk_from(o);
	return may_go_on();
}

static void dump_all(void)
{
	dump.is_weak = false;
	for (unsigned i = 0; i < roots__tasks() && may_go_on(); i++)
		roots__visit(i, &visitor);
	end_container();
	while (dump_dependents(true)) /* a value may reach another one's key */
		;
	dump.is_weak = true;
	dump_dependents(false);
	roots__visit_weak(&visitor);
	end_container();
	begin_container(NULL, GCTRACE_C_HEAP, 0, 0);
	heap__walk(dump_unreached, NULL);
}

static void forget(void)
{
	madvise(dump.named, dump.bits_bytes, MADV_DONTNEED);
	madvise(dump.reported, dump.bits_bytes, MADV_DONTNEED);
	madvise(dump.stack, dump.stack_bytes, MADV_DONTNEED);
}

void dump__run(uint64_t gc)
{
	enum gctrace_dump_status status;

	dump.number++;
	dump.totals = (struct dump_totals){ 0, 0, 0, 0 };
	dump.is_over = false;
	dump.postpone_all = gctrace_requests_postpone();
	report__batch_has_gone();
	report__dump_begin(dump.number, gc);
	dump_all();
	status = dump.is_over ? GCTRACE_DUMP_ABORTED : GCTRACE_DUMP_COMPLETE;
	report__dump_end(dump.number, status, &dump.totals);
	truth__dump(dump.number, gc, status, &dump.totals);
	forget();
}
