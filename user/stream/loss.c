/* SPDX-License-Identifier: BSD-2-Clause */
#include "loss.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/vec.h"
#include "bpf/record.h"

_Static_assert((int)LOSS_RING_FULL == BPF_LOSS_RING_FULL && (int)LOSS_COPY == BPF_LOSS_COPY &&
		       (int)LOSS_OVERSIZE == BPF_LOSS_OVERSIZE &&
		       (int)LOSS_BAD_BATCH == BPF_LOSS_BAD_BATCH,
	       "what BPF counts has the same numbers here");

static const struct {
	const char *name, *one, *text;
} kinds[LOSS_KINDS] = {
	[LOSS_RING_FULL] = { "ring_full", "record found no room in the ring",
		"records found no room in the ring" },
	[LOSS_COPY] = { "copy", "record could not be read from the process's memory",
		"records could not be read from the process's memory" },
	[LOSS_OVERSIZE] = { "oversize", "report was larger than one probe hit may tell",
		"reports were larger than one probe hit may tell" },
	[LOSS_BAD_BATCH] = { "bad_batch", "batch had a wrong magic or size",
		"batches had a wrong magic or size" },
	[LOSS_SEQUENCE_GAP] = { "sequence_gap", "batch never came (gap in the numbers)",
		"batches never came (gap in their numbers)" },
	[LOSS_DUPLICATE] = { "duplicate", "batch came with a number that was there before",
		"batches came with a number that was there before" },
	[LOSS_MALFORMED] = { "malformed", "record contradicts the format",
		"records contradict the format" },
	[LOSS_VERSION] = { "version", "batch is of a later major version",
		"batches are of a later major version" },
	[LOSS_INCOMPLETE] = { "incomplete", "definition lacks a part of its text",
		"definitions lack parts of their text" },
	[LOSS_LIMIT] = { "limit", "record went beyond the limit of memory",
		"records went beyond the limit of memory" },
	[LOSS_STALLED] = { "stalled", "record was begun and never ended",
		"records were begun and never ended" },
	[LOSS_PERF] = { "perf", "image, library or end of a thread was not seen in time",
		"images, libraries or ends of threads were not seen in time" },
	[LOSS_RECORDING] = { "recording", "block of the recording is damaged or missing",
		"blocks of the recording are damaged or missing" },
	[LOSS_UNATTACHED] = { "unattached", "site of a probe could not be attached",
		"sites of probes could not be attached" },
	[LOSS_TRUNCATED] = { "truncated", "byte of a name did not fit in a record",
		"bytes of names did not fit in a record" },
	[LOSS_UNNAMED] = { "unnamed", "name had no room in the process that told it",
		"names had no room in the process that told them" },
	[LOSS_SAMPLES] = { "samples", "sampled allocation had no room in the process",
		"sampled allocations had no room in the process" },
	[LOSS_UNANSWERED] = { "unanswered", "read of the process's memory or files was not answered"
		" in time", "reads of the process's memory or files were not answered in time" },
	[LOSS_UNREAD] = { "unread", "record was not read in the 2 s that an end may take",
		"records were not read in the 2 s that an end may take" },
};

struct target_losses {
	uint32_t target;
	uint64_t counts[LOSS_KINDS];
};

struct losses {
	struct target_losses any; /* LOSS_ANY_TARGET */
	VEC(struct target_losses) targets; /* in the order of their numbers */
};

const char *loss__name(unsigned int kind)
{
	return kind < LOSS_KINDS ? kinds[kind].name : "other";
}

const char *loss__text(unsigned int kind, uint64_t count)
{
	if (kind >= LOSS_KINDS)
		return count == 1 ? "record, for a reason not known here"
				  : "records, for a reason not known here";
	return count == 1 ? kinds[kind].one : kinds[kind].text;
}

bool loss__breaks(unsigned int kind)
{
	switch (kind) {
	case LOSS_OVERSIZE:
	case LOSS_BAD_BATCH:
	case LOSS_SEQUENCE_GAP:
	case LOSS_DUPLICATE:
	case LOSS_VERSION:
	case LOSS_INCOMPLETE:
	case LOSS_PERF:
	case LOSS_TRUNCATED:
	case LOSS_UNNAMED:
	case LOSS_SAMPLES:
		return false;
	}
	return true;
}

struct losses *losses__new(void)
{
	return calloc(1, sizeof(struct losses));
}

void losses__free(struct losses *losses)
{
	if (!losses)
		return;
	vec__free(&losses->targets);
	free(losses);
}

/* Where a target is, or where it would have to be put in. */
static size_t place_of(const struct losses *losses, uint32_t target)
{
	return search__front(losses->targets.items, losses->targets.count, of,
			     of->target < target);
}

static const struct target_losses *find(const struct losses *losses, uint32_t target)
{
	size_t place = place_of(losses, target);

	if (target == LOSS_ANY_TARGET)
		return &losses->any;
	if (place < losses->targets.count && losses->targets.items[place].target == target)
		return &losses->targets.items[place];
	return NULL;
}

static struct target_losses *find_or_add(struct losses *losses, uint32_t target)
{
	const struct target_losses *found = find(losses, target);
	size_t place = place_of(losses, target);

	if (found)
		return (struct target_losses *)found;
	if (vec__reserve(&losses->targets, 1))
		return &losses->any;
	memmove(losses->targets.items + place + 1, losses->targets.items + place,
		(losses->targets.count - place) * sizeof(*losses->targets.items));
	losses->targets.count++;
	losses->targets.items[place] = (struct target_losses){ .target = target };
	return &losses->targets.items[place];
}

void losses__add(struct losses *losses, unsigned int kind, uint32_t target, uint64_t count)
{
	uint64_t *sum;

	if (count == 0)
		return;
	sum = &find_or_add(losses, target)->counts[kind < LOSS_KINDS ? kind : LOSS_MALFORMED];
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
}

static uint64_t take(uint64_t *sum, uint64_t count)
{
	if (count > *sum)
		count = *sum;
	*sum -= count;
	return count;
}

void losses__recover(struct losses *losses, unsigned int kind, uint32_t target, uint64_t count)
{
	struct target_losses *found = (struct target_losses *)find(losses, target);

	if (kind >= LOSS_KINDS)
		return;
	if (found)
		count -= take(&found->counts[kind], count);
	take(&losses->any.counts[kind], count);
}

uint64_t losses__of(const struct losses *losses, unsigned int kind, uint32_t target)
{
	const struct target_losses *found = find(losses, target);

	return found && kind < LOSS_KINDS ? found->counts[kind] : 0;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

uint64_t losses__of_target(const struct losses *losses, uint32_t target)
{
	uint64_t sum = 0;

	for (unsigned int kind = 0; kind < LOSS_KINDS; kind++)
		sum = add(sum, losses__of(losses, kind, target));
	return sum;
}

uint64_t losses__sum(const struct losses *losses, unsigned int kind)
{
	uint64_t sum;

	if (kind >= LOSS_KINDS)
		return 0;
	sum = losses->any.counts[kind];
	for (size_t i = 0; i < losses->targets.count; i++)
		sum = add(sum, losses->targets.items[i].counts[kind]);
	return sum;
}

bool losses__none(const struct losses *losses)
{
	for (unsigned int kind = 0; kind < LOSS_KINDS; kind++) {
		if (losses__sum(losses, kind))
			return false;
	}
	return true;
}
