/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Do estimates from samples hold what pools know exactly? Reads a recording of a HotSpot whose
 * allocations were sampled (gctrace record --samples):
 *
 *	fates_truth RECORDING
 *
 * Of each collection whose pools tell what moved, survived, was promoted and died, that is taken
 * out, and what samples alone say is compared with it. Where pools tell it but for what buffers
 * waste (which is a limit of theirs), a tenth of it is allowed for. So it is with what died: what
 * is left of the buffers that the program allocates in is dead for pools, and nothing for
 * samples.
 *
 * Prints how often the truth was within the limits; status 1 where that is less than 95 % by more
 * than chance, 2 where there were too few collections.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/assembler.h"
#include "model/waiting_room.h"
#include "stream/facts.h"
#include "stream/feed.h"
#include "stream/recording.h"

#define FEWEST 100
#define YOUNG 1
#define FIGURES 4
#define DIED 3

static const char *const names[FIGURES] = { "moved", "survived", "promoted", "died" };

static struct {
	struct assembler *assembler;
	struct waiting_room room;
	VEC(struct collection) truth; /* by number - 1; nothing that it points to */
	uint64_t compared, within[FIGURES];
	double width[FIGURES]; /* sums: of the intervals, and of what they are about */
	double sum[FIGURES];
} all = { .room = WAITING_ROOM_INIT };

static struct amount *figure(struct collection *of, unsigned i)
{
	struct amount *const figures[FIGURES] = { &of->moved.bytes, &of->survived.bytes,
						  &of->promoted.bytes, &of->dead.bytes };

	return figures[i];
}

static int take(void *context, const struct collection *collection)
{
	struct collection blind = *collection;

	(void)context;
	for (unsigned i = 0; i < FIGURES; i++)
		figure(&blind, i)->known = false;
	while (all.truth.count < collection->number)
		if (vec__push(&all.truth, (struct collection){ .number = 0 }))
			abort();
	all.truth.items[collection->number - 1] = *collection;
	return waiting_room__take(&all.room, &blind);
}

static bool holds(struct amount limits, struct amount truth, bool has_buffers)
{
	const uint64_t slack = has_buffers ? truth.value / 10 : 0;

	return limits.low <= truth.value + slack && truth.value <= limits.high + slack;
}

static void compare(struct collection *told)
{
	struct collection *truth = &all.truth.items[told->number - 1];

	if (truth->generations != YOUNG || !truth->survived.bytes.known ||
	    !told->survived.bytes.known)
		return;
	all.compared++;
	for (unsigned i = 0; i < FIGURES; i++) {
		const struct amount limits = *figure(told, i), is = *figure(truth, i);

		all.within[i] += holds(limits, is, is.estimated || i == DIED);
		all.width[i] += (double)(limits.high - limits.low);
		all.sum[i] += (double)is.value;
	}
}

static int hear(void *context, const struct event *event)
{
	struct collection_copy *kept;
	int err = assembler__event(all.assembler, event);

	(void)context;
	if (!err && (event->kind == EVENT_OBJECT_ALLOC || event->kind == EVENT_SAMPLES ||
		     event->kind == EVENT_LOSS))
		err = waiting_room__event(&all.room, event);
	while ((kept = waiting_room__next(&all.room))) {
		compare(&kept->is);
		free(kept);
	}
	return err;
}

static bool read_recording(const char *path)
{
	const struct feed_options options = { .wanted = UINT64_MAX };
	const struct assembler_sink collections = { .collection = take };
	const struct event_sink sink = { hear, NULL };
	struct recording *recording;
	struct source source;
	const char *attached;
	struct feed *feed;
	int answer;

	all.assembler = assembler__new(&collections, NULL);
	if (!all.assembler || recording__open(path, &recording) ||
	    feed__new(&options, &sink, &feed))
		return false;
	attached = facts__get_target(recording__facts(recording), 0, "attached_ns", NULL);
	if (attached)
		assembler__whole_from(all.assembler, 0, strtoull(attached, NULL, 10));
	source = recording__source(recording);
	do
		answer = feed__pull(feed, &source, 0);
	while (answer == SOURCE_MORE);
	feed__free(feed);
	recording__close(recording);
	waiting_room__free(&all.room);
	assembler__free(all.assembler);
	return answer == SOURCE_END;
}

int main(int argc, char **argv)
{
	int status = 0;

	if (argc != 2 || !read_recording(argv[1]))
		return 2;
	printf("%" PRIu64 " of %zu collections compared\n", all.compared, all.truth.count);
	if (all.compared < FEWEST)
		return 2;
	for (unsigned i = 0; i < FIGURES; i++) {
		const double n = (double)all.compared, share = (double)all.within[i] / n;

		printf("%s: the truth is within %.1f %% of the limits, which are +- %.0f %% wide\n",
		       names[i], 100 * share, 50 * all.width[i] / all.sum[i]);
		/* Two collections, one after the other, may both miss for the same reason. */
		if (share < 0.95 - 4.5 * sqrt(0.95 * 0.05 / n))
			status = 1;
	}
	return status;
}
