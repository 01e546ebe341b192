/* SPDX-License-Identifier: BSD-2-Clause */
#include "image.h"

#include <stdlib.h>

struct image *image__new(uint32_t target)
{
	struct image *image = calloc(1, sizeof(*image));

	if (image)
		image->target = target;
	return image;
}

void image__free(struct image *image)
{
	struct transaction *next;

	if (!image)
		return;
	for (struct transaction *at = image->transactions; at; at = next) {
		next = at->next;
		transaction__free(at);
	}
	for (size_t i = 0; i < image->stops.count; i++)
		stop__free(image->stops.items[i]);
	vec__free(&image->stops);
	generations__free(&image->generations);
	names__free(&image->names);
	free(image);
}

void image__cut_off(struct image *image)
{
	for (struct transaction *at = image->transactions; at; at = at->next)
		if (!at->ended)
			at->so_far.cut_off = at->over = true;
}

struct transaction *image__add(struct image *image, uint64_t gc)
{
	struct transaction *transaction = transaction__new(image->target, ++image->ids);
	struct transaction **last = &image->transactions;

	if (!transaction)
		return NULL;
	transaction->numbered = gc != EVENT_UNKNOWN;
	transaction->so_far.counted_here = !transaction->numbered;
	transaction->so_far.number = transaction->numbered ? gc : ++image->counted;
	transaction->tally.crowded = image->running >= IMAGE_WITH_SPANS;
	while (*last)
		last = &(*last)->next;
	*last = transaction;
	image->running++;
	return transaction;
}

void image__remove(struct image *image, struct transaction *transaction)
{
	struct transaction **at = &image->transactions;

	while (*at != transaction)
		at = &(*at)->next;
	*at = transaction->next;
	image->running--;
	for (size_t i = 0; i < image->stops.count; i++) {
		struct stop *stop = image->stops.items[i];
		size_t kept = 0;

		if (stop->owner == transaction)
			stop->owner = NULL;
		for (size_t j = 0; j < stop->shares.count; j++)
			if (stop->shares.items[j].transaction != transaction)
				stop->shares.items[kept++] = stop->shares.items[j];
		stop->shares.count = kept;
	}
}

struct transaction *image__find(struct image *image, uint64_t gc, uint32_t tid, bool waiting)
{
	struct transaction *last = NULL, *last_here = NULL;

	for (struct transaction *at = image->transactions; at; at = at->next) {
		if (at->ended && !waiting)
			continue;
		if (gc != EVENT_UNKNOWN) {
			if (at->numbered && at->so_far.number == gc)
				return at;
			continue;
		}
		last = at;
		if (tid != 0 && at->tid == tid)
			last_here = at;
	}
	return last_here ? last_here : last;
}

static bool ended_early(const struct image *image, uint64_t gc)
{
	size_t kept = image->ended_early_count < IMAGE_ENDED ? image->ended_early_count
							     : IMAGE_ENDED;

	for (size_t i = 0; i < kept; i++)
		if (image->ended_early[i] == gc)
			return true;
	return false;
}

enum image_missed image__missed(const struct image *image, uint64_t gc)
{
	if (gc == EVENT_UNKNOWN)
		return !image->any_unnumbered ? MISSED_BY_ATTACH : MISSED_BY_LOSS;
	if (image->any_numbered && gc > image->highest_started)
		return MISSED_BY_LOSS;
	if (image->any_numbered && gc >= image->first_started)
		return MISSED_NEVER;
	return ended_early(image, gc) ? MISSED_NEVER : MISSED_BY_ATTACH;
}

void image__saw_start(struct image *image, uint64_t gc)
{
	if (gc == EVENT_UNKNOWN) {
		image->any_unnumbered = true;
		return;
	}
	if (!image->any_numbered || gc < image->first_started)
		image->first_started = gc;
	if (!image->any_numbered || gc > image->highest_started)
		image->highest_started = gc;
	image->any_numbered = true;
}

void image__saw_end(struct image *image, uint64_t gc)
{
	if (gc != EVENT_UNKNOWN && (!image->any_numbered || gc < image->first_started))
		image->ended_early[image->ended_early_count++ % IMAGE_ENDED] = gc;
}

struct stop *image__stop(struct image *image, uint64_t number, uint32_t tid)
{
	struct stop *last = NULL, *last_here = NULL;

	for (size_t i = 0; i < image->stops.count; i++) {
		struct stop *stop = image->stops.items[i];

		if (number != EVENT_UNKNOWN) {
			if (stop->pause.number == number)
				return stop;
			continue;
		}
		last = stop;
		if (tid != 0 && stop->tid == tid)
			last_here = stop;
	}
	return last_here ? last_here : last;
}
