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
