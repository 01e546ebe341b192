/* SPDX-License-Identifier: BSD-2-Clause */
#include "names.h"

#include <errno.h>
#include <stdbool.h>

#include "gctrace/wire.h"

static const char *const reasons[] = {
	[GCTRACE_REASON_ALLOCATION] = "allocation",
	[GCTRACE_REASON_EXPLICIT] = "explicit",
	[GCTRACE_REASON_THRESHOLD] = "threshold",
	[GCTRACE_REASON_LARGE] = "large object",
	[GCTRACE_REASON_LOW_MEMORY] = "low memory",
	[GCTRACE_REASON_IDLE] = "idle",
	[GCTRACE_REASON_DUMP] = "heap dump",
	[GCTRACE_REASON_PROMOTION] = "promotion failed",
};

static const char *const whys[] = {
	[GCTRACE_WHY_COLLECTION] = "collection",
	[GCTRACE_WHY_MARK_START] = "mark start",
	[GCTRACE_WHY_REMARK] = "remark",
	[GCTRACE_WHY_RELOCATE] = "relocate",
	[GCTRACE_WHY_DUMP] = "heap dump",
	[GCTRACE_WHY_OTHER] = "other",
};

static struct name *find(const struct names *names, uint32_t space, uint64_t id)
{
	for (size_t i = 0; i < names->of.count; i++)
		if (names->of.items[i].space == space && names->of.items[i].id == id)
			return &names->of.items[i];
	return NULL;
}

static bool is_kept(uint32_t space)
{
	return space == GCTRACE_SPACE_REASON || space == GCTRACE_SPACE_WHY ||
	       space == GCTRACE_SPACE_GENERATION || space == GCTRACE_SPACE_COLLECTION;
}

int names__define(struct names *names, const struct event *define)
{
	struct text text = define->define.name;
	struct name *known;
	struct text copy = { NULL, 0 };

	if (!is_kept(define->define.space))
		return 0;
	known = find(names, define->define.space, define->define.id);
	if (known && text__equal(known->text, text))
		return 0;
	if (names->bytes + text.bytes + sizeof(*known) > NAMES_BYTES) {
		names->dropped++;
		return 0;
	}
	if (text__own(&copy, text))
		return -ENOMEM;
	if (known) {
		names->bytes += text.bytes - known->text.bytes;
		text__free(&known->text);
		known->text = copy;
		return 0;
	}
	names->bytes += text.bytes + sizeof(*known);
	if (vec__push(&names->of, (struct name){ define->define.space, define->define.id, copy })) {
		text__free(&copy);
		return -ENOMEM;
	}
	return 0;
}

static struct text word(const struct names *names, const char *const *words, size_t count,
			uint32_t space, uint64_t id)
{
	const struct name *known;

	if (id < count)
		return words[id] ? text__of(words[id]) : (struct text){ "", 0 };
	known = find(names, space, id);
	return known ? known->text : (struct text){ "", 0 };
}

struct text names__reason(const struct names *names, uint64_t reason)
{
	return word(names, reasons, sizeof(reasons) / sizeof(*reasons), GCTRACE_SPACE_REASON,
		    reason);
}

struct text names__why(const struct names *names, uint64_t why)
{
	return word(names, whys, sizeof(whys) / sizeof(*whys), GCTRACE_SPACE_WHY, why);
}

struct text names__collection(const struct names *names, uint64_t generations)
{
	return word(names, NULL, 0, GCTRACE_SPACE_COLLECTION, generations);
}

struct text names__generation(const struct names *names, uint64_t generation)
{
	return word(names, NULL, 0, GCTRACE_SPACE_GENERATION, generation);
}

uint64_t names__generation_called(const struct names *names, struct text name)
{
	for (size_t i = 0; i < names->of.count; i++) {
		const struct name *known = &names->of.items[i];

		if (known->space == GCTRACE_SPACE_GENERATION && text__equal(known->text, name))
			return known->id;
	}
	return EVENT_UNKNOWN;
}

const char *names__how(unsigned int bit)
{
	static const char *const words[] = { "copying", "sweeping", "compacting", "concurrent",
					     "incremental" };

	return bit < sizeof(words) / sizeof(*words) ? words[bit] : NULL;
}

void names__free(struct names *names)
{
	for (size_t i = 0; i < names->of.count; i++)
		text__free(&names->of.items[i].text);
	vec__free(&names->of);
	names->bytes = 0;
}
