/* SPDX-License-Identifier: BSD-2-Clause */
#include "spans.h"

static int compare(const void *a, const void *b)
{
	const struct span *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

void spans__free(struct spans *spans)
{
	vec__free(&spans->of);
}

void spans__seal(struct spans *spans)
{
	struct span *items = spans->of.items;
	size_t kept = 0;

	if (spans->sealed)
		return;
	vec__sort(&spans->of, compare);
	for (size_t i = 0; i < spans->of.count; i++) {
		if (kept > 0 && items[i].start <= items[kept - 1].end) {
			if (items[i].end > items[kept - 1].end)
				items[kept - 1].end = items[i].end;
		} else {
			items[kept++] = items[i];
		}
	}
	spans->of.count = kept;
	spans->sealed = true;
}

/*
 * At the limit: merge, and give up unless that freed a quarter. So each merge is paid for by as
 * many additions, and the last one is the only one in vain.
 */
bool spans__add_slow(struct spans *spans, uint64_t start, uint64_t end)
{
	if (spans->of.count >= spans->limit) {
		spans__seal(spans);
		spans->overflowed = spans->of.count > spans->limit - spans->limit / 4;
	}
	if (!spans->overflowed && vec__push(&spans->of, (struct span){ start, end }))
		spans->overflowed = true;
	if (spans->overflowed)
		return false;
	spans->sealed = false;
	return true;
}

uint64_t spans__bytes(const struct spans *sealed)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < sealed->of.count; i++)
		bytes += sealed->of.items[i].end - sealed->of.items[i].start;
	return bytes;
}

uint64_t spans__common(const struct spans *sealed, const struct spans *other_sealed)
{
	const struct span *a = sealed->of.items, *a_end = a + sealed->of.count;
	const struct span *b = other_sealed->of.items, *b_end = b + other_sealed->of.count;
	uint64_t bytes = 0;

	while (a < a_end && b < b_end) {
		uint64_t start = a->start > b->start ? a->start : b->start;
		uint64_t end = a->end < b->end ? a->end : b->end;

		if (start < end)
			bytes += end - start;
		if (a->end < b->end)
			a++;
		else
			b++;
	}
	return bytes;
}

void spans__join(struct spans *spans, const struct spans *other)
{
	for (size_t i = 0; i < other->of.count; i++)
		spans__add(spans, other->of.items[i].start, other->of.items[i].end);
	spans->overflowed |= other->overflowed;
}
