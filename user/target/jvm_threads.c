/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list is an array that is never changed: whoever adds or removes a thread makes a new one and
 * puts it in the place of the old, which is freed when nobody looks at it. We cannot say that we
 * look. So the list is read by three bulk reads, one right after the other, and what became garbage
 * in between shows: it has pointers that lead nowhere, or thread numbers that no thread of the
 * sweep has. A thread is looked at again, its number included, when it is asked for.
 */
#include "jvm_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/search.h"
#include "../base/vec.h"
#include "jvm_layout.h"
#include "jvm_memory.h"
#include "remote.h"

#define MOST_THREADS (1U << 20)
#define MOST_STACK ((uint64_t)64 << 30)
#define MOST_WINDOW 4096 /* from a JavaThread's first field of use to its last */

struct known {
	uint64_t address; /* of the JavaThread */
	uint64_t os;	  /* of its OSThread */
	int32_t tid;
};

struct jvm_threads {
	struct jvm_memory *memory;
	const struct jvm_layout *layout;
	VEC(struct known) known; /* by tid */
	VEC(uint64_t) addresses;
	VEC(struct remote_part) parts;
	uint64_t window, window_size; /* of a JavaThread */
};

static void widen(uint64_t *low, uint64_t *high, uint64_t offset, uint64_t size)
{
	if (offset < *low)
		*low = offset;
	if (offset + size > *high)
		*high = offset + size;
}

static void find_window(struct jvm_threads *threads)
{
	const struct jvm_layout *layout = threads->layout;
	uint64_t low = UINT64_MAX, high = 0;

	widen(&low, &high, layout->thread_os, 8);
	widen(&low, &high, layout->thread_state, 4);
	widen(&low, &high, layout->thread_stack_base, 8);
	widen(&low, &high, layout->thread_stack_size, 8);
	widen(&low, &high, layout->thread_anchor + layout->anchor_sp, 8);
	widen(&low, &high, layout->thread_anchor + layout->anchor_fp, 8);
	widen(&low, &high, layout->thread_anchor + layout->anchor_pc, 8);
	threads->window = low;
	threads->window_size = high - low;
}

struct jvm_threads *jvm_threads__new(struct jvm_memory *memory, const struct jvm_layout *layout)
{
	struct jvm_threads *threads = calloc(1, sizeof(*threads));

	if (!threads)
		return NULL;
	threads->memory = memory;
	threads->layout = layout;
	find_window(threads);
	return threads;
}

void jvm_threads__free(struct jvm_threads *threads)
{
	if (!threads)
		return;
	vec__free(&threads->known);
	vec__free(&threads->addresses);
	vec__free(&threads->parts);
	free(threads);
}

/* The pointers of the list as it is now, into addresses. */
static int read_list(struct jvm_threads *threads)
{
	const struct jvm_layout *layout = threads->layout;
	struct remote *remote = jvm_memory__remote(threads->memory);
	uint64_t list = 0, array = 0;
	uint32_t count = 0;
	int err;

	vec__reset(&threads->addresses);
	err = remote__read(remote, layout->thread_list, &list, sizeof(list));
	if (!err && !list)
		return -EINVAL;
	if (!err)
		err = remote__read(remote, list + layout->list_length, &count, sizeof(count));
	if (!err)
		err = remote__read(remote, list + layout->list_threads, &array, sizeof(array));
	if (!err && count > MOST_THREADS)
		err = -EINVAL;
	if (!err)
		err = vec__reserve(&threads->addresses, count);
	if (!err)
		err = remote__read(remote, array, threads->addresses.items,
				   count * sizeof(uint64_t));
	if (!err)
		threads->addresses.count = count;
	return err == -EFAULT ? -EINVAL : err;
}

/* One value of each thread into *(known + member), by a bulk read. */
static int read_each(struct jvm_threads *threads, struct known *known, size_t count,
		     size_t from, uint64_t offset, size_t to, size_t size)
{
	int err;

	vec__reset(&threads->parts);
	err = vec__reserve(&threads->parts, count);
	for (size_t i = 0; !err && i < count; i++) {
		char *item = (char *)&known[i];
		uint64_t address;

		memcpy(&address, item + from, sizeof(address));
		vec__push(&threads->parts, (struct remote_part){
			.address = address + offset, .to = item + to, .size = size });
	}
	if (!err)
		err = remote__read_parts(jvm_memory__remote(threads->memory),
					 threads->parts.items, threads->parts.count);
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct known *left = a, *right = b;

	return (left->tid > right->tid) - (left->tid < right->tid);
}

static int read_known(struct jvm_threads *threads, struct known *known, size_t count)
{
	const struct jvm_layout *layout = threads->layout;
	int err = read_each(threads, known, count, offsetof(struct known, address),
			    layout->thread_os, offsetof(struct known, os), sizeof(uint64_t));

	if (!err)
		err = read_each(threads, known, count, offsetof(struct known, os),
				layout->os_tid, offsetof(struct known, tid), sizeof(int32_t));
	return err;
}

int jvm_threads__refresh(struct jvm_threads *threads)
{
	VEC(struct known) known = VEC_INIT;
	int err = read_list(threads);

	for (size_t i = 0; !err && i < threads->addresses.count; i++)
		err = vec__push(&known, (struct known){ .address = threads->addresses.items[i] });
	if (!err)
		err = read_known(threads, known.items, known.count);
	if (err) {
		vec__free(&known);
		return err;
	}
	vec__sort(&known, compare);
	vec__free(&threads->known);
	threads->known.items = known.items;
	threads->known.count = known.count;
	threads->known.alloc = known.alloc;
	return 0;
}

size_t jvm_threads__count(const struct jvm_threads *threads)
{
	return threads->known.count;
}

static const struct known *find(const struct jvm_threads *threads, pid_t inner_tid)
{
	const struct known *known = threads->known.items;
	const size_t i = search__front(known, threads->known.count, it, it->tid < inner_tid);

	return i < threads->known.count && known[i].tid == inner_tid ? &known[i] : NULL;
}

uint64_t jvm_threads__address(const struct jvm_threads *threads, pid_t inner_tid)
{
	const struct known *known = find(threads, inner_tid);

	return known ? known->address : 0;
}

static uint64_t word(const struct jvm_threads *threads, const unsigned char *bytes,
		     uint64_t offset)
{
	uint64_t value;

	memcpy(&value, bytes + (offset - threads->window), sizeof(value));
	return value;
}

static enum jvm_state state_of(const struct jvm_threads *threads, const unsigned char *bytes)
{
	const struct jvm_layout *layout = threads->layout;
	uint32_t value;

	memcpy(&value, bytes + (layout->thread_state - threads->window), sizeof(value));
	return value == layout->in_native ? JVM_STATE_NATIVE :
	       value == layout->in_vm ? JVM_STATE_VM :
	       value == layout->in_java ? JVM_STATE_JAVA :
	       value == layout->blocked ? JVM_STATE_BLOCKED : JVM_STATE_OTHER;
}

static int take(const struct jvm_threads *threads, const unsigned char *bytes,
		struct jvm_thread *thread)
{
	const struct jvm_layout *layout = threads->layout;
	const uint64_t base = word(threads, bytes, layout->thread_stack_base);
	const uint64_t size = word(threads, bytes, layout->thread_stack_size);

	*thread = (struct jvm_thread){
		.state = state_of(threads, bytes),
		.anchor = {
			word(threads, bytes, layout->thread_anchor + layout->anchor_sp),
			word(threads, bytes, layout->thread_anchor + layout->anchor_fp),
			word(threads, bytes, layout->thread_anchor + layout->anchor_pc),
		},
		.stack_low = base - size,
		.stack_high = base,
	};
	return size && size <= MOST_STACK && size < base ? 0 : -EINVAL;
}

void jvm_threads__foresee(struct jvm_threads *threads, pid_t inner_tid)
{
	const struct known *known = find(threads, inner_tid);

	if (!known)
		return;
	remote__foresee(jvm_memory__remote(threads->memory), known->address + threads->window,
			threads->window_size);
	remote__foresee(jvm_memory__remote(threads->memory), known->os + threads->layout->os_tid,
			sizeof(int32_t));
}

int jvm_threads__look(struct jvm_threads *threads, pid_t inner_tid, struct jvm_thread *thread)
{
	const struct known *known = find(threads, inner_tid);
	struct remote *remote = jvm_memory__remote(threads->memory);
	unsigned char bytes[MOST_WINDOW];
	int32_t tid;
	int err;

	if (!known)
		return -ENOENT;
	if (threads->window_size > sizeof(bytes))
		return -EINVAL;
	err = remote__read(remote, known->address + threads->window, bytes,
			   threads->window_size);
	if (!err && word(threads, bytes, threads->layout->thread_os) != known->os)
		return -ENOENT;
	if (!err && remote__read(remote, known->os + threads->layout->os_tid, &tid, sizeof(tid)))
		return -ENOENT;
	if (!err && tid != inner_tid)
		return -ENOENT;
	if (err)
		return err == -EFAULT ? -ENOENT : err;
	return take(threads, bytes, thread);
}
