/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How events become collections.
 *
 * The unit is the transaction: what a collection says holds when it is over, and not before.
 * Two things end one, in either order, and the later of them hands the collection out:
 *
 *   its gc_finish     deaths are decided, by what was condemned at its gc_start
 *   its pause's end   how long the program stood still is known only now
 *
 *     stop the world     [ start  finish ]                    handed out at ]
 *     concurrent         [ start ] ... [remark] ... finish    handed out at its finish
 *     young inside it    [ start ] . [ start finish ] . [ finish ]
 *                          outer        young            outer: each at its own ]
 *
 * [ ] is a pause. A pause is not a collection's own: several may share it (stop.c), and it may
 * have none. Nor need a runtime tell any.
 *
 * What fits nothing is kept apart by its reason (image.h). What began before the attach is
 * `partial`, which is nobody's fault. What lacks its beginning or end otherwise is `incomplete`, as
 * is everything that was going on when something was lost; a collection whose end never comes is
 * handed out as `cut_off` as soon as that is certain: its number starts again, a second
 * stop-the-world collection starts in a later pause, or the target ends.
 *
 * A loss has a place in the order, and a stamp until which it has happened. At both, collections
 * and pauses that the runtime does not number are ended, incomplete: what follows may be another
 * one's. Or the rest of theirs: what has no start is not told from then on. Those that start and
 * end in between are shown, incomplete and without figures.
 *
 * Not guaranteed: for a runtime that does not number its collections, a finish whose start was
 * lost may end another one that runs at the same time, if the loss was not counted.
 */
#include "assembler_private.h"

#include <errno.h>
#include <stdlib.h>

#include "stream/loss.h"

struct assembler *assembler__new(const struct assembler_sink *sink,
				 const struct range_sink *ranges)
{
	struct assembler *assembler = calloc(1, sizeof(*assembler));

	if (!assembler)
		return NULL;
	assembler->sink = *sink;
	if (ranges)
		assembler->ranges = *ranges;
	return assembler;
}

void assembler__free(struct assembler *assembler)
{
	struct image *next;

	if (!assembler)
		return;
	for (struct image *at = assembler->images; at; at = next) {
		next = at->next;
		image__free(at);
	}
	free(assembler);
}

static struct image *find_image(const struct assembler *assembler, uint32_t target)
{
	struct image *at = assembler->images;

	while (at && at->target != target)
		at = at->next;
	return at;
}

static struct image *need_image(struct assembler *assembler, uint32_t target)
{
	struct image *image = find_image(assembler, target);

	if (image)
		return image;
	image = image__new(target);
	if (!image)
		return NULL;
	image->lost_until = assembler->lost_until;
	image->lost = assembler->lost_until > 0;
	image->broken = image->in_doubt = assembler->broken;
	image->next = assembler->images;
	assembler->images = image;
	return image;
}

int assembler__whole_from(struct assembler *assembler, uint32_t target, uint64_t ns)
{
	struct image *image = need_image(assembler, target);

	if (!image)
		return -ENOMEM;
	image->whole_from = ns;
	return 0;
}

void assembler__over_from(struct assembler *assembler, uint64_t ns)
{
	assembler->over_from = ns;
}

bool assembler__is_late(const struct assembler *assembler, uint64_t ns)
{
	return assembler->over_from && ns >= assembler->over_from;
}

bool assembler__stopped(const struct assembler *assembler, uint32_t target, uint64_t *since_ns,
			struct text *what)
{
	const struct image *image = find_image(assembler, target);
	const struct stop *stop = NULL;

	for (size_t i = 0; image && i < image->stops.count && !stop; i++)
		if (image->stops.items[i]->pause.start_ns != EVENT_UNKNOWN)
			stop = image->stops.items[i];
	if (!stop)
		return false;
	*since_ns = stop->pause.start_ns;
	*what = stop->what.len ? (struct text){ stop->what.data, stop->what.len }
			       : names__why(&image->names, stop->pause.why);
	return true;
}

struct assembler_odd assembler__odd(const struct assembler *assembler, uint32_t target)
{
	const struct image *image = find_image(assembler, target);

	return image ? image->odd : (struct assembler_odd){ 0 };
}

uint32_t range_transaction__width(const struct range_transaction *transaction,
				  uint64_t generation)
{
	return tally__width(transaction->widths, generation);
}

/* What has no number ends here: nothing proves that what comes belongs to it. */
static int break_unnumbered(struct assembler *assembler, struct image *image)
{
	struct transaction *at, *next;
	int result = 0;

	for (size_t i = image->stops.count; i-- > 0;) {
		struct stop *stop = image->stops.items[i];

		if (stop->pause.number != EVENT_UNKNOWN)
			continue;
		keep_first(&result, assembler__end_stop(assembler, image, stop, NULL));
	}
	for (at = image->transactions; at; at = next) {
		next = at->next;
		if (at->numbered)
			continue;
		at->so_far.cut_off = true;
		keep_first(&result, assembler__hand_out(assembler, image, at));
	}
	return result;
}

/* Whatever goes on may lack a part, and whatever starts before the loss is over. */
static int loss(struct assembler *assembler, struct image *image, const struct event *event)
{
	bool breaks = loss__breaks(event->loss.kind);

	image->lost = true;
	if (event->loss.until > image->lost_until)
		image->lost_until = event->loss.until;
	for (struct transaction *at = image->transactions; at; at = at->next) {
		at->so_far.incomplete = true;
		at->doubted |= breaks && !at->numbered && !at->ended;
	}
	for (size_t i = 0; i < image->stops.count; i++) {
		image->stops.items[i]->pause.incomplete = true;
		image->stops.items[i]->doubted |= breaks;
	}
	image->in_doubt |= breaks;
	image->broken |= breaks;
	return breaks ? break_unnumbered(assembler, image) : 0;
}

static int define(struct image *image, const struct event *event)
{
	int err = names__define(&image->names, event);

	image->odd.names_dropped = image->names.dropped;
	return err;
}

static int report(struct assembler *assembler, struct image *image, const struct event *event)
{
	image->reports = true;
	switch (event->kind) {
	case EVENT_GENERATION:
		return assembler__generation(image, event);
	case EVENT_POOL:
		return assembler__pool(assembler, image, event);
	case EVENT_FIGURE:
		return assembler__figure(assembler, image, event);
	default:
		return assembler__ranges(assembler, image, event);
	}
}

static int of_kind(struct assembler *assembler, struct image *image, const struct event *event)
{
	switch (event->kind) {
	case EVENT_GC_START:
		return assembler__gc_start(assembler, image, event);
	case EVENT_GC_FINISH:
		return assembler__gc_finish(assembler, image, event);
	case EVENT_PAUSE_BEGIN:
		return assembler__pause_begin(assembler, image, event);
	case EVENT_PAUSE_END:
		return assembler__pause_end(assembler, image, event);
	case EVENT_MOVED:
	case EVENT_SURVIVING:
	case EVENT_GENERATION:
	case EVENT_POOL:
	case EVENT_FIGURE:
		return report(assembler, image, event);
	case EVENT_DEFINE:
		return define(image, event);
	default:
		return 0;
	}
}

static int of_image(struct assembler *assembler, struct image *image, const struct event *event)
{
	int result = 0;

	/* Probes are being detached: of what goes on, reports may be missing from now on. */
	if (image->reports && assembler__is_late(assembler, event->stamp))
		image__cut_off(image);
	if (image->in_doubt && event->stamp > image->lost_until) {
		image->in_doubt = false;
		result = break_unnumbered(assembler, image);
	}
	keep_first(&result, of_kind(assembler, image, event));
	return result;
}

static int lose(struct assembler *assembler, const struct event *event)
{
	bool known = false;
	int result = 0;

	for (struct image *image = assembler->images; image; image = image->next) {
		if (event->target != image->target && event->target != LOSS_ANY_TARGET)
			continue;
		known |= event->target == image->target;
		keep_first(&result, loss(assembler, image, event));
	}
	if (known)
		return result;
	assembler->broken |= loss__breaks(event->loss.kind);
	if (event->loss.until > assembler->lost_until)
		assembler->lost_until = event->loss.until;
	return result;
}

int assembler__event(struct assembler *assembler, const struct event *event)
{
	struct image *image;

	switch (event->kind) {
	case EVENT_EXEC:
	case EVENT_EXIT:
		return assembler__end(assembler, event->target);
	case EVENT_LOSS:
		return lose(assembler, event);
	case EVENT_GC_START:
	case EVENT_GC_FINISH:
	case EVENT_PAUSE_BEGIN:
	case EVENT_PAUSE_END:
	case EVENT_MOVED:
	case EVENT_SURVIVING:
	case EVENT_GENERATION:
	case EVENT_POOL:
	case EVENT_FIGURE:
	case EVENT_DEFINE:
		image = need_image(assembler, event->target);
		return image ? of_image(assembler, image, event) : -ENOMEM;
	default:
		return 0;
	}
}

static int end_image(struct assembler *assembler, struct image *image)
{
	int result = 0;

	for (struct transaction *at = image->transactions; at; at = at->next)
		at->so_far.cut_off = at->over = true;
	while (image->stops.count > 0) {
		struct stop *stop = image->stops.items[image->stops.count - 1];

		stop->pause.open = !stop->pause.incomplete;
		keep_first(&result, assembler__end_stop(assembler, image, stop, NULL));
	}
	while (image->transactions)
		keep_first(&result, assembler__hand_out(assembler, image, image->transactions));
	if (assembler->sink.ended)
		keep_first(&result, assembler->sink.ended(assembler->sink.context, image->target,
							  &image->odd));
	return result;
}

int assembler__end(struct assembler *assembler, uint32_t target)
{
	struct image **at = &assembler->images, *image;
	int result;

	while (*at && (*at)->target != target)
		at = &(*at)->next;
	if (!*at)
		return 0;
	image = *at;
	result = end_image(assembler, image);
	*at = image->next;
	image__free(image);
	return result;
}

int assembler__end_all(struct assembler *assembler)
{
	int result = 0;

	while (assembler->images)
		keep_first(&result, assembler__end(assembler, assembler->images->target));
	return result;
}
