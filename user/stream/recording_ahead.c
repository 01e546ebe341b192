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
#include "split.h"

#define SLOTS 4 /* each as large as its largest block: RECORDING_BLOCK_LIMIT at most, four times */
#define THREAD_FROM 3 /* the number of the block from which on a thread is worth it */

struct room {
	uint8_t *at;
	size_t bytes; /* and SPLIT_SLACK behind them */
};

struct slot {
	struct unpacked_block block;
	struct buf bytes; /* as they stand in the file, the header too */
	struct room plain, heads, references;
	ZSTD_DCtx *zstd;
	bool leaves_references;
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
	bool leaves_references;
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

static uint8_t *room_for(struct room *room, size_t bytes)
{
	if (room->bytes < bytes || !room->at) {
		free(room->at);
		room->at = malloc(bytes + SPLIT_SLACK);
		room->bytes = room->at ? bytes : 0;
	}
	return room->at;
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

/* One frame, which has to give so many bytes. */
static int unpack_frame(struct slot *slot, const void *frame, size_t stored, struct room *room,
			size_t bytes)
{
	size_t came;

	if (!slot->zstd)
		slot->zstd = ZSTD_createDCtx();
	if (!slot->zstd || !room_for(room, bytes))
		return -ENOMEM;
	came = ZSTD_decompressDCtx(slot->zstd, room->at, bytes, frame, stored);
	if (ZSTD_isError(came) || came != bytes)
		return -EBADMSG;
	memset(room->at + bytes, 0, SPLIT_SLACK);
	return 0;
}

/* The next of two frames, whose bytes it says itself: no more than the block has. */
static int unpack_part(struct slot *slot, struct split_part *stored, struct room *room,
		       struct split_part *part)
{
	const size_t frame = ZSTD_findFrameCompressedSize(stored->at, stored->bytes);
	unsigned long long bytes;
	int err;

	if (ZSTD_isError(frame))
		return -EBADMSG;
	bytes = ZSTD_getFrameContentSize(stored->at, frame); /* errors are large ones */
	if (bytes > slot->block.header.plain)
		return -EBADMSG;
	err = unpack_frame(slot, stored->at, frame, room, (size_t)bytes);
	*part = (struct split_part){ room->at, (size_t)bytes };
	stored->at += frame;
	stored->bytes -= frame;
	return err;
}

static int unpack_split(struct slot *slot, struct split_part stored)
{
	const size_t bytes = slot->block.header.plain;
	struct split_part heads, references;
	int err = unpack_part(slot, &stored, &slot->heads, &heads);

	if (err)
		return err;
	if (slot->leaves_references) {
		slot->block.plain = heads.at;
		slot->block.bytes = heads.bytes;
		return 0;
	}
	err = unpack_part(slot, &stored, &slot->references, &references);
	if (err || stored.bytes)
		return err ? err : -EBADMSG;
	slot->block.plain = room_for(&slot->plain, bytes);
	slot->block.bytes = bytes;
	return slot->block.plain ? split__join(heads, references, slot->plain.at, bytes) : -ENOMEM;
}

static int unpack(struct slot *slot)
{
	const struct recording_block *header = &slot->block.header;
	const char *stored = slot->bytes.data + sizeof(*header);
	int err;

	if (crc32__of(stored, header->stored) != header->checksum)
		return -EILSEQ;
	slot->block.bytes = header->plain;
	switch (header->flags) {
	case 0:
		slot->block.plain = stored;
		return header->stored == header->plain ? 0 : -EBADMSG;
	case RECORDING_ZSTD:
		err = unpack_frame(slot, stored, header->stored, &slot->plain, header->plain);
		slot->block.plain = slot->plain.at;
		return err;
	case RECORDING_SPLIT:
		return unpack_split(slot, (struct split_part){ (const uint8_t *)stored,
							       header->stored });
	default:
		return -EBADMSG;
	}
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
	slot->leaves_references = ahead->leaves_references;
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

void recording_ahead__leave_references(struct recording_ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	ahead->leaves_references = true;
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
		free(ahead->slots[i].plain.at);
		free(ahead->slots[i].heads.at);
		free(ahead->slots[i].references.at);
		ZSTD_freeDCtx(ahead->slots[i].zstd);
	}
	recording_walk__free(&ahead->walk);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	close(ahead->fd);
	free(ahead);
}
