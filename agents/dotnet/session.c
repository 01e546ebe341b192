/* SPDX-License-Identifier: BSD-2-Clause */
#include "session.h"
#include "collections.h"
#include "dump.h"
#include "movement.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <uchar.h>

#define LEVEL_INFORMATIONAL 4

static const char16_t runtime_provider[] = u"Microsoft-Windows-DotNETRuntime";

static const uint64_t keywords[SESSIONS] = {
	[SESSION_COLLECTIONS] = 0x1,
	[SESSION_MOVEMENT] = 0x400000,
	[SESSION_DUMP] = 0x100000 | 0x80000 | 0x1000000,
};

/* Our own threads against each other; no callback takes it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t sessions[SESSIONS]; /* the runtime's numbers; 0: not open */
static atomic_bool tells_collections;
static _Atomic uintptr_t provider_handle; /* 0: no event yet */

bool session__tells_collections(void)
{
	return atomic_load_explicit(&tells_collections, memory_order_relaxed);
}

static HRESULT start(enum session session)
{
	const struct provider_config config = {
		.name = runtime_provider,
		.keywords = keywords[session],
		.level = LEVEL_INFORMATIONAL,
	};

	if (sessions[session])
		return S_OK;

	const HRESULT result = CLR_CALL(start_session, 1, &config, 0, &sessions[session]);

	if (result < 0)
		sessions[session] = 0;
	return result;
}

static void stop(enum session session)
{
	if (sessions[session])
		CLR_CALL(stop_session, sessions[session]);
	sessions[session] = 0;
}

static HRESULT start_with_collections(enum session session)
{
	HRESULT result = start(SESSION_COLLECTIONS);

	if (result < 0)
		return result;
	atomic_store(&tells_collections, true);
	return start(session);
}

static void stop_collections_unless_needed(void)
{
	if (sessions[SESSION_MOVEMENT] || sessions[SESSION_DUMP])
		return;
	atomic_store(&tells_collections, false);
	stop(SESSION_COLLECTIONS);
}

HRESULT session__open(enum session session)
{
	pthread_mutex_lock(&lock);

	const HRESULT result = start_with_collections(session);

	stop_collections_unless_needed();
	pthread_mutex_unlock(&lock);
	return result;
}

void session__close(enum session session)
{
	pthread_mutex_lock(&lock);
	stop(session);
	stop_collections_unless_needed();
	pthread_mutex_unlock(&lock);
}

void session__renew(void)
{
	bool was_open[SESSIONS];

	pthread_mutex_lock(&lock);
	for (int i = 0; i < SESSIONS; i++) {
		was_open[i] = sessions[i] != 0;
		stop(i);
	}
	for (int i = 0; i < SESSIONS; i++) {
		if (was_open[i])
			start(i);
	}
	pthread_mutex_unlock(&lock);
}

/* ---- Events ---- */

static bool is_runtime_provider(uintptr_t provider)
{
	const uintptr_t known = atomic_load_explicit(&provider_handle, memory_order_relaxed);
	const uint32_t room = sizeof(runtime_provider) / sizeof(runtime_provider[0]);
	uint16_t name[sizeof(runtime_provider) / sizeof(runtime_provider[0])];
	uint32_t units = 0;

	if (known)
		return provider == known;
	if (CLR_CALL(get_provider_info, provider, room, &units, name) < 0 || units != room ||
	    memcmp(name, runtime_provider, sizeof(name)) != 0)
		return false;
	atomic_store(&provider_handle, provider);
	return true;
}

void session__deliver(uintptr_t provider, uint32_t id, uint32_t version, const uint8_t *payload,
		      uint32_t bytes)
{
	if (!is_runtime_provider(provider))
		return;
	switch (id) {
	case EVENT_GC_START:
	case EVENT_GC_END:
		collections__event(id, payload, bytes);
		dump__event(id, version, payload, bytes);
		return;
	case EVENT_HEAP_STATS:
		collections__event(id, payload, bytes);
		return;
	case EVENT_SURVIVING_RANGES:
	case EVENT_MOVED_RANGES:
	case EVENT_GENERATION_RANGE:
		movement__event(id, payload, bytes);
		return;
	case EVENT_BULK_TYPE:
	case EVENT_BULK_ROOT_EDGE:
	case EVENT_BULK_DEPENDENT:
	case EVENT_BULK_NODE:
	case EVENT_BULK_EDGE:
	case EVENT_BULK_STATIC:
		dump__event(id, version, payload, bytes);
		return;
	default:
		return;
	}
}
