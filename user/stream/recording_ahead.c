/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording_ahead.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/crc32.h"

#define SLOTS 4 /* each as large as its largest block: RECORDING_BLOCK_LIMIT at most, twice */
#define THREAD_FROM 3 /* the number of the block from which on a thread is worth it */

struct slot {
	struct unpacked_block block;
	struct buf bytes; /* as they stand in the file, the header too */
	void *plain;
	size_t plain_room;
	ZSTD_DCtx *zstd;
	bool decides; /* where the walk goes on */
	bool ready;
};

struct recording_ahead {
	int fd;
	bool is_regular;
	struct recording_walk walk; /* of whoever set `walking` */

	pthread_mutex_t lock; /* for all below, but for what is in a slot that is not ready */
	pthread_cond_t changed;
	pthread_t thread;
	bool has_thread, ending;
	struct slot slots[SLOTS]; /* of block n: slots[n % SLOTS] */
	uint64_t taken;		  /* the block that the user has, or is about to have */
	uint64_t walked;	  /* blocks found so far */
	bool in_use;		  /* the user has it */
	bool walking;
	bool undecided; /* the block walked last is not judged yet */
	bool over;
};

/* ---------------------------------------------------------------------------------------------
 * A block
 */

static void *room_for(struct slot *slot, size_t bytes)
{
	if (slot->plain_room < bytes || !slot->plain) {
		free(slot->plain);
		slot->plain = malloc(bytes ? bytes : 1);
		slot->plain_room = slot->plain ? bytes : 0;
	}
	return slot->plain;
}

/* Into the slot, so that the walk can go on. False: there are no more. */
static bool walk_to_next(struct recording_ahead *ahead, struct slot *slot)
{
	struct recording_walk *walk = &ahead->walk;

	if (!recording_walk__next(walk, &slot->block.header))
		return false;
	slot->decides = !ahead->is_regular || !recording_walk__is_sure(walk);
	slot->block.error = slot->decides ? recording_walk__copy(walk, &slot->bytes) :
					    recording_walk__pass(walk, &slot->bytes);
	return true;
}

static int unpack(struct slot *slot)
{
	const struct recording_block *header = &slot->block.header;
	const char *stored = slot->bytes.data + sizeof(*header);
	size_t bytes;

	if (crc32__of(stored, header->stored) != header->checksum)
		return -EILSEQ;
	if (header->flags & ~(unsigned int)RECORDING_ZSTD)
		return -EBADMSG;
	if (!(header->flags & RECORDING_ZSTD)) {
		slot->block.plain = stored;
		return header->stored == header->plain ? 0 : -EBADMSG;
	}
	if (!slot->zstd)
		slot->zstd = ZSTD_createDCtx();
	slot->block.plain = room_for(slot, header->plain);
	if (!slot->zstd || !slot->block.plain)
		return -ENOMEM;
	bytes = ZSTD_decompressDCtx(slot->zstd, slot->plain, header->plain, stored,
				    header->stored);
	return ZSTD_isError(bytes) || bytes != header->plain ? -EBADMSG : 0;
}

/* ---------------------------------------------------------------------------------------------
 * Both threads, with the lock held
 */

static bool may_work(const struct recording_ahead *ahead)
{
	return !ahead->walking && !ahead->undecided && !ahead->over && !ahead->ending &&
	       ahead->walked - ahead->taken < SLOTS;
}

/* Find the next block and unpack it, without the lock meanwhile. */
static void work(struct recording_ahead *ahead)
{
	struct slot *slot = &ahead->slots[ahead->walked % SLOTS];
	bool found;

	slot->ready = false;
	ahead->walking = true;
	pthread_mutex_unlock(&ahead->lock);
	found = walk_to_next(ahead, slot);
	pthread_mutex_lock(&ahead->lock);
	ahead->walking = false;
	ahead->over = !found;
	ahead->walked += found;
	ahead->undecided = found && slot->decides;
	pthread_cond_broadcast(&ahead->changed);
	if (!found)
		return;
	pthread_mutex_unlock(&ahead->lock);
	if (!slot->block.error)
		slot->block.error = unpack(slot);
	pthread_mutex_lock(&ahead->lock);
	slot->ready = true;
	pthread_cond_broadcast(&ahead->changed);
}

static void *run(void *context)
{
	struct recording_ahead *ahead = context;

	pthread_mutex_lock(&ahead->lock);
	while (!ahead->ending) {
		if (may_work(ahead))
			work(ahead);
		else
			pthread_cond_wait(&ahead->changed, &ahead->lock);
	}
	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

/* ---------------------------------------------------------------------------------------------
 * The user
 */

static bool has_second_cpu(void)
{
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) || CPU_COUNT(&cpus) > 1;
}

/* All signals are for the others. */
static void start_thread(struct recording_ahead *ahead)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ahead->has_thread = pthread_create(&ahead->thread, NULL, run, ahead) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

const struct unpacked_block *recording_ahead__next(struct recording_ahead *ahead)
{
	const struct slot *slot = NULL;

	if (ahead->taken == THREAD_FROM && !ahead->has_thread && ahead->is_regular &&
	    has_second_cpu())
		start_thread(ahead);
	pthread_mutex_lock(&ahead->lock);
	ahead->taken += ahead->in_use;
	ahead->in_use = false;
	pthread_cond_broadcast(&ahead->changed);
	while (!ahead->in_use && !(ahead->over && ahead->taken == ahead->walked)) {
		slot = &ahead->slots[ahead->taken % SLOTS];
		if (ahead->taken < ahead->walked && slot->ready)
			ahead->in_use = true;
		else if (may_work(ahead))
			work(ahead);
		else
			pthread_cond_wait(&ahead->changed, &ahead->lock);
	}
	pthread_mutex_unlock(&ahead->lock);
	return ahead->in_use ? &slot->block : NULL;
}

void recording_ahead__judge(struct recording_ahead *ahead, bool good)
{
	if (!ahead->slots[ahead->taken % SLOTS].decides)
		return;
	recording_walk__judge(&ahead->walk, good); /* nobody walks while it is undecided */
	pthread_mutex_lock(&ahead->lock);
	ahead->undecided = false;
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
}

int recording_ahead__read_error(const struct recording_ahead *ahead)
{
	return ahead->walk.read_error;
}

struct recording_walk *recording_ahead__walk(struct recording_ahead *ahead)
{
	return &ahead->walk;
}

/* ---------------------------------------------------------------------------------------------
 * Life
 */

struct recording_ahead *recording_ahead__new(int fd)
{
	struct recording_ahead *ahead = calloc(1, sizeof(*ahead));
	struct stat st;

	if (!ahead)
		return NULL;
	ahead->fd = ahead->walk.fd = fd;
	ahead->is_regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	return ahead;
}

static void end_thread(struct recording_ahead *ahead)
{
	if (!ahead->has_thread)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->ending = true;
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
}

void recording_ahead__free(struct recording_ahead *ahead)
{
	if (!ahead)
		return;
	end_thread(ahead);
	for (size_t i = 0; i < SLOTS; i++) {
		buf__free(&ahead->slots[i].bytes);
		free(ahead->slots[i].plain);
		ZSTD_freeDCtx(ahead->slots[i].zstd);
	}
	recording_walk__free(&ahead->walk);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	close(ahead->fd);
	free(ahead);
}
