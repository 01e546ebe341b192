/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_runtime.h"
#include "listener.h"

#include <stdlib.h>
#include <string.h>

#include "agents/common/emitter.h"
#include "agents/dotnet/clr.h"

#define RUNTIME_PROVIDER 4711
#define PRIVATE_PROVIDER 4712

struct fake_runtime fake;

static bool is_there;

/* ---- Its functions ---- */

static HRESULT get_bounds(void *self, uint32_t room, uint32_t *count,
			  struct generation_range *ranges)
{
	(void)self;
	*count = fake.part_count;
	memcpy(ranges, fake.parts,
	       (room < fake.part_count ? room : fake.part_count) * sizeof(*ranges));
	return fake.bounds_result;
}

static HRESULT start_session(void *self, uint32_t count, const struct provider_config *configs,
			     int32_t rundown, uint64_t *session)
{
	(void)self;
	assert_int_equal(count, 1);
	assert_false(rundown);
	if (fake.session_result < 0)
		return fake.session_result;
	assert_true(fake.sessions < FAKE_SESSIONS);
	fake.keywords[fake.sessions++] = configs->keywords;
	*session = fake.sessions;
	return S_OK;
}

static HRESULT stop_session(void *self, uint64_t session)
{
	(void)self;
	assert_in_range(session, 1, fake.sessions);
	assert_true(fake.keywords[session - 1]);
	fake.keywords[session - 1] = 0;
	return S_OK;
}

static HRESULT set_event_mask(void *self, uint32_t low, uint32_t high)
{
	(void)self;
	(void)low;
	if (fake.mask_result >= 0)
		fake.high_mask = high;
	return fake.mask_result;
}

static HRESULT get_object_size(void *self, uintptr_t object, size_t *bytes)
{
	(void)self;
	*bytes = object & 0xfff;
	return S_OK;
}

static HRESULT get_provider_info(void *self, uintptr_t provider, uint32_t room, uint32_t *units,
				 uint16_t *name)
{
	static const uint16_t of_runtime[] = u"Microsoft-Windows-DotNETRuntime";
	static const uint16_t of_private[] = u"Microsoft-Windows-DotNETRuntimePrivate";
	const bool is_private = provider == PRIVATE_PROVIDER;
	const size_t bytes = is_private ? sizeof(of_private) : sizeof(of_runtime);

	(void)self;
	*units = (uint32_t)(bytes / sizeof(*name));
	assert_true(room > *units);
	memcpy(name, is_private ? of_private : of_runtime, bytes);
	return S_OK;
}

/* ---- The agent's side ---- */

static void listen_to_everything(void)
{
	gctrace_batch_semaphore = gctrace_gc__start_semaphore = gctrace_gc__finish_semaphore = 1;
	gctrace_pause__begin_semaphore = gctrace_pause__end_semaphore = 1;
}

void fake_runtime__begin(void)
{
	static const struct info_table table = {
		.get_generation_bounds = get_bounds,
		.start_session = start_session,
		.stop_session = stop_session,
		.get_provider_info = get_provider_info,
		.set_event_mask2 = set_event_mask,
		.get_object_size2 = get_object_size,
	};
	static struct info info = { &table };

	if (!is_there) {
		assert_true(emitter__init(4));
		assert_true(bounds__init());
		clr.info = &info;
		clr.version = 15;
		is_there = true;
	}
	fake = (struct fake_runtime){ .bounds_result = S_OK, .mask_result = S_OK };
	listen_to_everything();
	listener__begin();
}

void fake_runtime__part(int32_t generation, uint64_t start, uint64_t used, uint64_t reserved)
{
	fake.parts[fake.part_count++] =
		(struct generation_range){ generation, start, used, reserved };
}

uint64_t fake_runtime__keywords(void)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < fake.sessions; i++) {
		assert_int_equal(all & fake.keywords[i], 0);
		all |= fake.keywords[i];
	}
	return all;
}

/* ---- Events ---- */

void fake_runtime__event(enum event event, const void *payload, size_t bytes)
{
	uint8_t *exact = malloc(bytes ? bytes : 1);

	if (bytes)
		memcpy(exact, payload, bytes);
	session__deliver(RUNTIME_PROVIDER, event, 2, exact, (uint32_t)bytes);
	free(exact);
}

void fake_runtime__bgc_begin(void)
{
	static const uint8_t instance[2];

	session__deliver(PRIVATE_PROVIDER, EVENT_BGC_BEGIN, 1, instance, sizeof(instance));
}

struct __attribute__((packed)) start {
	uint32_t count, generation, reason, type;
	uint16_t clr;
	uint64_t sequence;
};

void fake_runtime__gc_start(uint32_t count, uint32_t generation, uint32_t reason, uint32_t type)
{
	const struct start start = { count, generation, reason, type, 1, 0 };

	_Static_assert(sizeof(start) == 26, "GCStart_V2");
	fake_runtime__event(EVENT_GC_START, &start, sizeof(start));
}

void fake_runtime__gc_end(uint32_t count)
{
	const struct __attribute__((packed)) {
		uint32_t count, generation;
		uint16_t clr;
	} end = { count, 0, 1 };

	fake_runtime__event(EVENT_GC_END, &end, sizeof(end));
}

struct __attribute__((packed)) global_history {
	uint64_t desired;
	uint32_t heaps, generation, reductions, reason, mechanisms;
	uint16_t clr;
};

struct __attribute__((packed)) heap_history {
	uint16_t clr;
	uint64_t pointers[6];
	uint32_t numbers[6];
	uint64_t commit;
	uint32_t count;
	uint64_t generations[GENERATIONS][10];
};

void fake_runtime__history(uint32_t mechanisms)
{
	const struct global_history global = { .heaps = 1, .mechanisms = mechanisms };
	struct heap_history heap = { .count = GENERATIONS };

	_Static_assert(sizeof(heap) == 486, "GCPerHeapHistory_V3 of .NET 8 to 10");
	for (unsigned i = 0; i < GENERATIONS; i++)
		for (unsigned j = 0; j < 10; j++)
			heap.generations[i][j] = 100 * i + j;
	fake_runtime__event(EVENT_GLOBAL_HISTORY, &global, sizeof(global));
	fake_runtime__event(EVENT_HEAP_HISTORY, &heap, sizeof(heap));
}

void fake_runtime__stats(void)
{
	struct __attribute__((packed)) {
		uint64_t generations[8];
		uint64_t finalized_bytes, finalized_objects;
		uint32_t pinned, monitors, handles;
		uint16_t clr;
		uint64_t pinned_size, pinned_promoted;
	} stats = { .finalized_bytes = 64, .finalized_objects = 2, .pinned = 3, .monitors = 4,
		    .handles = 5, .pinned_promoted = 6 };

	_Static_assert(sizeof(stats) == 110, "GCHeapStats_V2");
	for (unsigned i = 0; i < 8; i++)
		stats.generations[i] = 1000 + i;
	fake_runtime__event(EVENT_HEAP_STATS, &stats, sizeof(stats));
}

static void ranges(enum event event, const uint64_t *numbers, size_t count)
{
	struct __attribute__((packed)) {
		uint32_t index, count;
		uint16_t clr;
		uint64_t numbers[3];
	} ranges = { 0, 1, 1, { 0 } };

	memcpy(ranges.numbers, numbers, count * sizeof(*numbers));
	fake_runtime__event(event, &ranges, 10 + count * sizeof(*numbers));
}

void fake_runtime__moved(uint64_t from, uint64_t to, uint64_t length)
{
	ranges(EVENT_MOVED_RANGES, (const uint64_t[]){ from, to, length }, 3);
}

void fake_runtime__survived(uint64_t start, uint64_t length)
{
	ranges(EVENT_SURVIVING_RANGES, (const uint64_t[]){ start, length }, 2);
}
