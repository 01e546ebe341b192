/* SPDX-License-Identifier: BSD-2-Clause */
#include "native_walk.h"

#include <errno.h>

#include "maps.h"
#include "remote.h"
#include "walker.h"

#define DEEPEST 256u
#define FARTHEST (UINT64_C(1) << 20) /* bytes of stack between two frames: more is no chain */

static bool is_code(const struct maps *maps, uint64_t address)
{
	const struct map *map = maps__at(maps, address);

	return map && map->execute;
}

static int push(struct walk *walk, uint64_t ip, uint64_t sp, bool is_leaf)
{
	const struct frame frame = {
		.kind = FRAME_NATIVE,
		.fields = FRAME_IP | FRAME_SP,
		.guessed = is_leaf ? 0 : FRAME_IP | FRAME_SP,
		.lasting = is_leaf ? FRAME_IP | FRAME_SP : 0,
		.ip = ip,
		.sp = sp,
	};

	return walk__push(walk, &frame);
}

int native_walk__run(const struct caught_thread *thread, const struct maps *maps,
		     struct remote *memory, struct walk *walk)
{
	uint64_t fp = thread->fp, last = thread->sp, pair[2];
	bool lasting = true;
	int err = push(walk, thread->ip, thread->sp, true);

	walk->has_leaf = true;
	for (unsigned int i = 0; i < DEEPEST && !err; i++) {
		/* Upwards only, so the chain has an end. */
		if (fp % sizeof(fp) || fp < last || fp - last > FARTHEST ||
		    caught__read(thread, memory, fp, pair, sizeof(pair), &lasting))
			break;
		if (!is_code(maps, pair[1]))
			break;
		last = fp + sizeof(pair);
		err = push(walk, pair[1] - 1, last, false);
		fp = pair[0];
	}
	return err == -E2BIG ? 0 : err;
}
