/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A .NET runtime that calls back in any order and tells any events: what the agent makes of it are
 * whole batches of whole records, and when all is over nothing is under way.
 *
 * An input is a list of deeds: a byte says which, the next one what with; an event takes the 32
 * bytes behind that as its payload, or what is left.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "agents/common/emitter.h"
#include "agents/dotnet/bounds.h"
#include "agents/dotnet/clr.h"
#include "agents/dotnet/collections.h"
#include "agents/dotnet/movement.h"
#include "agents/dotnet/pauses.h"
#include "agents/dotnet/session.h"
#include "check.h"

#define PAYLOAD 32

static int batches;
static uint8_t shape; /* of the heap */

/* Nobody waits here, for nobody else is at work. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)time;
	(void)left;
	return 0;
}

/* ---- The runtime ---- */

static HRESULT get_bounds(void *self, uint32_t room, uint32_t *count,
			  struct generation_range *ranges)
{
	(void)self;
	*count = shape;
	for (uint32_t i = 0; i < shape && i < room; i++)
		ranges[i] = (struct generation_range){ (int32_t)(i * shape % 7) - 1,
						       (uintptr_t)(i * 37 % shape) << 4, 8, 16 };
	return shape == 255 ? E_FAIL : S_OK;
}

static HRESULT start_session(void *self, uint32_t count, const struct provider_config *configs,
			     int32_t rundown, uint64_t *session)
{
	(void)self;
	(void)count;
	(void)rundown;
	*session = configs->keywords;
	return S_OK;
}

static HRESULT stop_session(void *self, uint64_t session)
{
	(void)self;
	(void)session;
	return S_OK;
}

static HRESULT get_provider_info(void *self, uintptr_t provider, uint32_t room, uint32_t *units,
				 uint16_t *name)
{
	static const uint16_t of_runtime[] = u"Microsoft-Windows-DotNETRuntime";

	(void)self;
	(void)provider;
	(void)room;
	*units = sizeof(of_runtime) / sizeof(of_runtime[0]);
	memcpy(name, of_runtime, sizeof(of_runtime));
	return S_OK;
}

static HRESULT set_event_mask2(void *self, uint32_t low, uint32_t high)
{
	(void)self;
	(void)low;
	(void)high;
	return S_OK;
}

static HRESULT get_object_size2(void *self, uintptr_t object, size_t *bytes)
{
	(void)self;
	*bytes = object;
	return S_OK;
}

static void begin(void)
{
	static const struct info_table table = {
		.get_generation_bounds = get_bounds,
		.start_session = start_session,
		.stop_session = stop_session,
		.get_provider_info = get_provider_info,
		.set_event_mask2 = set_event_mask2,
		.get_object_size2 = get_object_size2,
	};
	static struct info info = { &table };

	CHECK(emitter__init(4) && bounds__init());
	batches = memfd_create("batches", 0);
	emitter__to_descriptor(batches);
	gctrace_batch_semaphore = gctrace_gc__start_semaphore = gctrace_gc__finish_semaphore = 1;
	gctrace_pause__begin_semaphore = gctrace_pause__end_semaphore = 1;
	clr.info = &info;
}

/* ---- What it does ---- */

static size_t tell(uint8_t with, const uint8_t *data, size_t size)
{
	static const enum event events[] = { EVENT_GC_START,	     EVENT_GC_END,
					     EVENT_HEAP_STATS,	     EVENT_SURVIVING_RANGES,
					     EVENT_MOVED_RANGES,     EVENT_HEAP_HISTORY,
					     EVENT_GLOBAL_HISTORY };
	const enum event event = events[with % (sizeof(events) / sizeof(events[0]))];
	const size_t bytes = size < PAYLOAD ? size : PAYLOAD;
	uint8_t *payload = malloc(bytes ? bytes : 1);

	memcpy(payload, data, bytes);
	session__deliver(1, event, 2, payload, (uint32_t)bytes);
	free(payload);
	return bytes;
}

static size_t act(uint8_t deed, uint8_t with, const uint8_t *data, size_t size)
{
	switch (deed % 9) {
	case 0:
		pauses__suspend(with);
		return 0;
	case 1:
		pauses__suspended();
		return 0;
	case 2:
		pauses__resuming();
		return 0;
	case 3:
		collections__started(with, with & 1);
		return 0;
	case 4:
		collections__finished();
		return 0;
	case 5:
		movement__want(with & 1);
		return 0;
	case 6:
		shape = with;
		return 0;
	case 8:
		movement__allocated(with);
		return 0;
	default:
		return tell(with, data, size);
	}
}

/* Callbacks end what is under way once no session is open. */
static void end_all(void)
{
	movement__want(false);
	for (int i = 0; i < 8; i++)
		collections__finished();
	pauses__resuming();
	emitter__flush_all();
	CHECK(collections__now() == 0 && pauses__now() == 0);
	CHECK(collections__with_ranges().gc == 0);
}

/* ---- What comes of it ---- */

static size_t check_record(const uint8_t *at, size_t left)
{
	struct gctrace_record head;

	CHECK(left >= sizeof(head));
	memcpy(&head, at, sizeof(head));
	CHECK(head.kind && head.kind < GCTRACE_KINDS);
	CHECK(head.bytes >= sizeof(head) && head.bytes <= left);
	return (head.bytes + 7) & ~7u;
}

static size_t check_batch(const uint8_t *at, size_t left)
{
	struct gctrace_batch batch;
	size_t offset;

	CHECK(left >= sizeof(batch));
	memcpy(&batch, at, sizeof(batch));
	CHECK(batch.magic == GCTRACE_MAGIC && batch.bytes <= left);
	offset = batch.header_bytes;
	for (uint32_t i = 0; i < batch.records; i++)
		offset += check_record(at + offset, batch.bytes - offset);
	CHECK(offset == batch.bytes);
	return batch.bytes;
}

static void check_all(void)
{
	const off_t end = lseek(batches, 0, SEEK_CUR);
	uint8_t *all = malloc((size_t)end + 1);

	CHECK(pread(batches, all, (size_t)end, 0) == end);
	for (size_t at = 0; at < (size_t)end;)
		at += check_batch(all + at, (size_t)end - at);
	free(all);
	CHECK(lseek(batches, 0, SEEK_SET) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t at = 0;

	if (!batches)
		begin();
	while (size - at >= 2) {
		const size_t taken = act(data[at], data[at + 1], data + at + 2, size - at - 2);

		at += 2 + taken;
	}
	end_all();
	check_all();
	return 0;
}
