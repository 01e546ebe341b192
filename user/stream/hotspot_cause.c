/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Causes by thread: the VM thread's are of what stops the world, others' of cycles. Only
 * the newest counts, and only until it was used up: for all collections of one operation, or one
 * cycle.
 */
#include "hotspot_state.h"

static struct cause *cause__find(struct hotspot *hotspot, uint32_t tid)
{
	for (size_t i = 0; i < CAUSES; i++)
		if (hotspot->causes[i].stamp && hotspot->causes[i].tid == tid)
			return &hotspot->causes[i];
	return NULL;
}

void cause__forget(struct hotspot *hotspot, uint32_t tid)
{
	struct cause *cause = cause__find(hotspot, tid);

	if (cause)
		cause->stamp = 0;
}

int cause__note(const struct step *step, struct text text)
{
	struct hotspot *hotspot = step->hotspot;
	struct cause *cause = cause__find(hotspot, step->record->tid);

	if (hotspot_no_cause(text)) {
		cause__forget(hotspot, step->record->tid);
		return 0;
	}
	if (!cause) {
		cause = hotspot->causes;
		for (size_t i = 1; i < CAUSES; i++)
			if (hotspot->causes[i].stamp < cause->stamp)
				cause = &hotspot->causes[i];
	}
	cause->tid = step->record->tid;
	cause->stamp = step->record->stamp;
	name__set(&cause->text, text);
	return 0;
}

struct text cause__text(struct hotspot *hotspot, uint32_t tid)
{
	const struct cause *cause = cause__find(hotspot, tid);

	return cause ? name__text(&cause->text) : (struct text){ NULL, 0 };
}
