/* SPDX-License-Identifier: BSD-2-Clause */
#include "remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../base/search.h"
#include "../base/vec.h"
#include "reader.h"

#define PARTS_AT_ONCE READER_PIECES

void remote__init(struct remote *remote, pid_t pid)
{
	*remote = (struct remote){ .pid = pid };
}

/* ---------------------------------------------------------------- what was foreseen */

#define BLOCK 512 /* none lies on two pages */

struct block {
	uint64_t number; /* its address / BLOCK */
	bool is_there;
};

struct remote_cache {
	VEC(struct block) blocks;
	VEC(struct remote_part) parts;
	unsigned char *bytes; /* of the blocks */
	size_t room;	      /* in blocks */
	bool is_fetched;
};

void remote__free(struct remote *remote)
{
	if (!remote->cache)
		return;
	vec__free(&remote->cache->blocks);
	vec__free(&remote->cache->parts);
	free(remote->cache->bytes);
	free(remote->cache);
	remote->cache = NULL;
}

/* Without memory nothing is foreseen. */
void remote__foresee(struct remote *remote, uint64_t address, size_t size)
{
	if (!remote->cache)
		remote->cache = calloc(1, sizeof(*remote->cache));
	if (!remote->cache || !size || address > UINT64_MAX - size)
		return;
	for (uint64_t at = address / BLOCK; at <= (address + size - 1) / BLOCK; at++)
		if (vec__push(&remote->cache->blocks, (struct block){ .number = at }))
			return;
}

static int compare_blocks(const void *a, const void *b)
{
	const struct block *left = a, *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

static bool make_room(struct remote_cache *cache)
{
	size_t count = 0;

	vec__sort(&cache->blocks, compare_blocks);
	for (size_t i = 0; i < cache->blocks.count; i++)
		if (!i || cache->blocks.items[i].number != cache->blocks.items[count - 1].number)
			cache->blocks.items[count++] = cache->blocks.items[i];
	cache->blocks.count = count;
	if (count > cache->room) {
		free(cache->bytes);
		cache->bytes = malloc(count * BLOCK);
		cache->room = cache->bytes ? count : 0;
	}
	vec__reset(&cache->parts);
	return count <= cache->room && !vec__reserve(&cache->parts, count);
}

void remote__fetch(struct remote *remote)
{
	struct remote_cache *cache = remote->cache;

	if (!cache || !cache->blocks.count || !make_room(cache))
		return;
	for (size_t i = 0; i < cache->blocks.count; i++)
		vec__push(&cache->parts, (struct remote_part){
			.address = cache->blocks.items[i].number * BLOCK,
			.to = cache->bytes + i * BLOCK,
			.size = BLOCK,
			.err = -EFAULT,
		});
	if (remote__read_parts(remote, cache->parts.items, cache->parts.count))
		return;
	for (size_t i = 0; i < cache->blocks.count; i++)
		cache->blocks.items[i].is_there = !cache->parts.items[i].err;
	cache->is_fetched = true;
}

void remote__forget(struct remote *remote)
{
	if (!remote->cache)
		return;
	vec__reset(&remote->cache->blocks);
	remote->cache->is_fetched = false;
}

static bool copy_foreseen(const struct remote_cache *cache, uint64_t address, void *to,
			  size_t size)
{
	unsigned char *at = to;

	if (!cache || !cache->is_fetched || address > UINT64_MAX - size)
		return false;
	while (size) {
		const uint64_t number = address / BLOCK;
		const size_t from = address % BLOCK;
		const size_t some = size < BLOCK - from ? size : BLOCK - from;
		const size_t i = search__front(cache->blocks.items, cache->blocks.count, block,
					       block->number < number);

		if (i == cache->blocks.count || cache->blocks.items[i].number != number ||
		    !cache->blocks.items[i].is_there)
			return false;
		memcpy(at, cache->bytes + i * BLOCK + from, some);
		at += some;
		address += some;
		size -= some;
	}
	return true;
}

/* ---------------------------------------------------------------- reads */

void remote__go_on_by(struct remote *remote, pid_t pid)
{
	remote->pid = pid;
	remote->is_gone = false;
}

/* How many bytes were read, or negative errno. */
static ssize_t read_vectors(struct remote *remote, const struct iovec *to,
			    const struct iovec *from, size_t count)
{
	ssize_t got = reader__memory(remote->pid, to, from, count);

	remote->calls++;
	if (got < 0) {
		remote->is_gone |= got == -ESRCH;
		return got == -ESRCH || got == -EPERM || got == -ETIMEDOUT ? got : -EFAULT;
	}
	remote->bytes += (uint64_t)got;
	return got;
}

int remote__read(struct remote *remote, uint64_t address, void *to, size_t size)
{
	struct iovec local = { to, size };
	struct iovec far = { (void *)(uintptr_t)address, size };
	ssize_t got;

	if (!size)
		return 0;
	if (size > REMOTE_MOST)
		return -EFAULT;
	if (copy_foreseen(remote->cache, address, to, size))
		return 0;
	got = read_vectors(remote, &local, &far, 1);
	if (got < 0)
		return got == -ETIMEDOUT ? -EFAULT : (int)got;
	return (size_t)got == size ? 0 : -EFAULT;
}

/*
 * The kernel stops at the first piece that cannot be read: what stood before it is done. The
 * number of pieces that are, the failed one included.
 */
static size_t settle(struct remote_part *parts, size_t count, ssize_t got)
{
	size_t left = got > 0 ? (size_t)got : 0;

	for (size_t i = 0; i < count; i++) {
		if (left < parts[i].size) {
			parts[i].err = -EFAULT;
			return i + 1;
		}
		left -= parts[i].size;
		parts[i].err = 0;
	}
	return count;
}

/* One of them was not answered in time: the others may be. */
static void read_singly(struct remote *remote, struct remote_part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		parts[i].err = remote__read(remote, parts[i].address, parts[i].to, parts[i].size);
}

int remote__read_parts(struct remote *remote, struct remote_part *parts, size_t count)
{
	struct iovec local[PARTS_AT_ONCE], far[PARTS_AT_ONCE];

	while (count) {
		size_t some = 0;
		ssize_t got;

		for (; some < count && some < PARTS_AT_ONCE; some++) {
			size_t size = parts[some].size;

			if (size > REMOTE_MOST)
				break;
			local[some] = (struct iovec){ parts[some].to, size };
			far[some] = (struct iovec){ (void *)(uintptr_t)parts[some].address, size };
		}
		if (!some) {
			parts->err = -EFAULT;
			some = 1;
		} else {
			got = read_vectors(remote, local, far, some);
			if (got == -ETIMEDOUT)
				read_singly(remote, parts, some);
			else if (got < 0 && got != -EFAULT)
				return (int)got;
			else
				some = settle(parts, some, got);
		}
		parts += some;
		count -= some;
	}
	return 0;
}

/* By pages: the text may end right before one that is not there. */
ssize_t remote__read_text(struct remote *remote, uint64_t address, char *to, size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t have = 0;

	if (!size)
		return -E2BIG;
	while (have < size - 1) {
		size_t some = page - (size_t)((address + have) % page);
		char *end;
		int err;

		if (some > size - 1 - have)
			some = size - 1 - have;
		err = remote__read(remote, address + have, to + have, some);
		if (err) {
			to[have] = 0;
			return err;
		}
		end = memchr(to + have, 0, some);
		if (end)
			return end - to;
		have += some;
	}
	to[have] = 0;
	return -E2BIG;
}
