/* SPDX-License-Identifier: BSD-2-Clause */
#include "profiler.h"
#include "agents/common/emitter.h"
#include "agents/common/watcher.h"
#include "bounds.h"
#include "collections.h"
#include "contract.h"
#include "dump.h"
#include "gone.h"
#include "movement.h"
#include "pauses.h"
#include "producer.h"
#include "session.h"

#include <stdatomic.h>
#include <unistd.h>

#define SLOTS (sizeof(struct callback_table) / sizeof(void *))
#define MOST_WRITERS 64

struct clr clr;

static atomic_bool is_at_work;

bool profiler__is_at_work(void)
{
	return atomic_load(&is_at_work);
}

static uint32_t count_one(void *self)
{
	(void)self;
	return 1;
}

static HRESULT query(void *self, const struct guid *iid, void **out)
{
	static const struct guid known[] = { IID_IUnknown, IIDS_CALLBACK };
	const bool is_known = guid__is_any(iid, known, sizeof(known) / sizeof(known[0]));

	*out = is_known ? self : NULL;
	return is_known ? S_OK : E_NOINTERFACE;
}

/* ---- What the runtime tells ---- */

static HRESULT comes(void *self, uintptr_t id)
{
	(void)self;
	gone__comes(id);
	return S_OK;
}

static HRESULT goes(void *self, uintptr_t id)
{
	(void)self;
	gone__goes(id);
	return S_OK;
}

static HRESULT suspend_started(void *self, int32_t reason)
{
	(void)self;
	pauses__suspend(reason);
	return S_OK;
}

static HRESULT suspend_finished(void *self)
{
	(void)self;
	pauses__suspended();
	return S_OK;
}

static HRESULT suspend_aborted(void *self)
{
	(void)self;
	pauses__aborted();
	return S_OK;
}

static HRESULT resume_started(void *self)
{
	(void)self;
	pauses__resuming();
	return S_OK;
}

static HRESULT collection_started(void *self, int32_t generations, const int32_t *collected,
				  int32_t reason)
{
	uint64_t mask = 0;

	(void)self;
	for (int32_t i = 0; i < generations; i++)
		mask |= collected[i] ? (uint64_t)1 << i : 0;
	collections__started(mask, reason == GC_INDUCED);
	return S_OK;
}

static HRESULT collection_finished(void *self)
{
	(void)self;
	collections__finished();
	return S_OK;
}

static HRESULT object_allocated(void *self, uintptr_t object, uintptr_t class_)
{
	(void)self;
	(void)class_;
	movement__allocated(object);
	return S_OK;
}

static HRESULT event_delivered(void *self, uintptr_t provider, uint32_t id, uint32_t version,
			       uint32_t metadata_bytes, const uint8_t *metadata, uint32_t bytes,
			       const uint8_t *payload, const struct guid *activity,
			       const struct guid *related, uintptr_t thread, uint32_t frames,
			       uintptr_t *stack)
{
	(void)self;
	(void)metadata_bytes;
	(void)metadata;
	(void)activity;
	(void)related;
	(void)thread;
	(void)frames;
	(void)stack;
	session__deliver(provider, id, version, payload, bytes);
	return S_OK;
}

/* ---- What is asked ---- */

static void heed(const struct requests *now, const struct requests *before)
{
	static bool is_known;

	if (!is_known)
		is_known = producer__learn_collector();
	if (now->listens && !before->listens) {
		session__open(SESSION_BACKGROUND);
		producer__introduce();
	} else if (!now->listens && before->listens) {
		session__close(SESSION_BACKGROUND);
	}
	pauses__tell_progress(now->listens);
	bounds__make_room();
	movement__want(now->movement && now->listens);
	dump__want(now->dump && now->listens);
}

/* ---- Beginning ---- */

/* The newest ICorProfilerInfo that the runtime grants. */
static HRESULT get_info(struct unknown *unknown)
{
	static const struct guid wanted[] = { IIDS_INFO };

	for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		void *info = NULL;

		if (unknown->table->query_interface(unknown, &wanted[i], &info) < 0 || !info)
			continue;
		clr.info = info;
		clr.version = CLR_INFO_FIRST - i;
		return S_OK;
	}
	return (HRESULT)GCTRACE_DOTNET_TOO_OLD;
}

/* Every processor may have a thread of the collector that tells something, and so may we. */
static unsigned count_writers(void)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (processors < 1)
		return 4;
	return processors > MOST_WRITERS - 2 ? MOST_WRITERS : (unsigned)processors + 2;
}

static HRESULT begin(void *unknown)
{
	HRESULT result = get_info(unknown);

	if (result < 0)
		return result;
	producer__learn();
	if (!emitter__init(count_writers()) || !bounds__init())
		return (HRESULT)GCTRACE_DOTNET_NO_MEMORY;
	result = CLR_CALL(set_event_mask2, MONITOR_LOW, MONITOR_HIGH);
	if (result < 0)
		return result;
	return watcher__start(heed) ? S_OK : (HRESULT)GCTRACE_DOTNET_NO_MEMORY;
}

static HRESULT initialize(void *self, void *unknown)
{
	(void)self;
	if (atomic_exchange(&is_at_work, true))
		return (HRESULT)GCTRACE_DOTNET_ALREADY_THERE;

	const HRESULT result = begin(unknown);

	if (result < 0)
		atomic_store(&is_at_work, false);
	return result;
}

/* The runtime ends: nothing may be asked of it from now on. */
static HRESULT shutdown(void *self)
{
	(void)self;
	watcher__stop();
	dump__stop();
	return S_OK;
}

static HRESULT initialize_for_attach(void *self, void *unknown, void *data, uint32_t bytes)
{
	(void)data;
	(void)bytes;
	return initialize(self, unknown);
}

static HRESULT load_as_notification_only(void *self, int32_t *is_notification_only)
{
	(void)self;
	*is_notification_only = 1;
	return S_OK;
}

/* Answers S_OK to everything that is not of interest, with however many arguments. */
static HRESULT ignore(void *self)
{
	(void)self;
	return S_OK;
}

static union {
	struct callback_table named;
	HRESULT (*all[SLOTS])(void *self);
} callbacks;

static void fill(void)
{
	for (size_t i = 0; i < SLOTS; i++)
		callbacks.all[i] = ignore;
	callbacks.named.unknown = (struct unknown_table){ query, count_one, count_one };
	callbacks.named.initialize = initialize;
	callbacks.named.initialize_for_attach = initialize_for_attach;
	callbacks.named.shutdown = shutdown;
	callbacks.named.load_as_notification_only = load_as_notification_only;
	callbacks.named.module_load_started = comes;
	callbacks.named.module_unload_started = goes;
	callbacks.named.thread_created = comes;
	callbacks.named.thread_destroyed = goes;
	callbacks.named.runtime_suspend_started = suspend_started;
	callbacks.named.runtime_suspend_finished = suspend_finished;
	callbacks.named.runtime_suspend_aborted = suspend_aborted;
	callbacks.named.runtime_resume_started = resume_started;
	callbacks.named.garbage_collection_started = collection_started;
	callbacks.named.garbage_collection_finished = collection_finished;
	callbacks.named.object_allocated = object_allocated;
	callbacks.named.event_delivered = event_delivered;
}

HRESULT profiler__query(const struct guid *iid, void **out)
{
	static const struct callback_table *profiler = &callbacks.named;

	if (!callbacks.named.initialize)
		fill();
	return query(&profiler, iid, out);
}
