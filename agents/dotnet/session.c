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
#define NAME_UNITS 64 /* of a provider that is not ours, cut: it does not matter */

/* The first name is the beginning of the second. */
static const char16_t runtime_provider[] = u"Microsoft-Windows-DotNETRuntime";
static const char16_t private_provider[] = u"Microsoft-Windows-DotNETRuntimePrivate";

static const uint64_t keywords[SESSIONS] = {
	[SESSION_COLLECTIONS] = 0x1,
	[SESSION_MOVEMENT] = 0x400000,
	[SESSION_DUMP] = 0x100000 | 0x80000 | 0x1000000,
	[SESSION_BACKGROUND] = 0x1,
};

/* Our own threads against each other; no callback takes it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t sessions[SESSIONS]; /* the runtime's numbers; 0: not open */
static atomic_bool tells[SESSIONS];
static atomic_uint openings[SESSIONS];
static atomic_bool is_lost;
/* 0: no event yet */
static _Atomic uintptr_t runtime_handle, private_handle;

bool session__tells(enum session session)
{
	return atomic_load(&tells[session]);
}

unsigned session__openings(enum session session)
{
	return atomic_load(&openings[session]);
}

static HRESULT start(enum session session)
{
	const struct provider_config config = {
		.name = session == SESSION_BACKGROUND ? private_provider : runtime_provider,
		.keywords = keywords[session],
		.level = LEVEL_INFORMATIONAL,
	};

	if (sessions[session])
		return S_OK;

	const HRESULT result = CLR_CALL(start_session, 1, &config, 0, &sessions[session]);

	if (result < 0) {
		sessions[session] = 0;
		return result;
	}
	atomic_fetch_add(&openings[session], 1);
	atomic_store(&tells[session], true);
	return result;
}

/* What starts from now on is not told by it. */
static void announce_stop(enum session session)
{
	atomic_store(&tells[session], false);
}

static void stop(enum session session)
{
	announce_stop(session);
	if (sessions[session])
		CLR_CALL(stop_session, sessions[session]);
	sessions[session] = 0;
}

static bool needs_collections(void)
{
	return sessions[SESSION_MOVEMENT] || sessions[SESSION_DUMP];
}

HRESULT session__open(enum session session)
{
	HRESULT result = S_OK;

	pthread_mutex_lock(&lock);
	if (session == SESSION_BACKGROUND) {
		result = start(session);
		pthread_mutex_unlock(&lock);
		return result;
	}
	result = start(SESSION_COLLECTIONS);
	if (result >= 0)
		result = start(session);
	if (result >= 0)
		atomic_store(&is_lost, false);
	if (!needs_collections())
		stop(SESSION_COLLECTIONS);
	pthread_mutex_unlock(&lock);
	return result;
}

static void close_movement(void)
{
	announce_stop(SESSION_MOVEMENT);
	if (!sessions[SESSION_DUMP])
		announce_stop(SESSION_COLLECTIONS);
	collections__await_events();
	stop(SESSION_MOVEMENT);
}

static void close_collections(void)
{
	announce_stop(SESSION_COLLECTIONS);
	collections__await_events();
	stop(SESSION_COLLECTIONS);
}

void session__close(enum session session)
{
	pthread_mutex_lock(&lock);
	if (session == SESSION_MOVEMENT)
		close_movement();
	else
		stop(session);
	if (!needs_collections() && sessions[SESSION_COLLECTIONS])
		close_collections();
	pthread_mutex_unlock(&lock);
}

bool session__is_lost(void)
{
	return atomic_load(&is_lost);
}

/* False: the runtime refused one. */
static bool open_again(const bool *was_open)
{
	bool are_open = true;

	for (int i = 0; i < SESSION_BACKGROUND; i++) {
		if (was_open[i] && start(i) < 0)
			are_open = false;
	}
	return are_open;
}

void session__renew(void)
{
	bool was_open[SESSION_BACKGROUND];

	pthread_mutex_lock(&lock);
	collections__await_events(); /* mostly it is then a moment in which none starts */
	for (int i = 0; i < SESSION_BACKGROUND; i++) {
		was_open[i] = sessions[i] != 0;
		announce_stop(i);
	}
	collections__await_events();
	for (int i = 0; i < SESSION_BACKGROUND; i++)
		stop(i);
	if (!open_again(was_open))
		atomic_store(&is_lost, true);
	pthread_mutex_unlock(&lock);
}

/* ---- Events ---- */

static bool is_provider(uintptr_t provider, _Atomic uintptr_t *handle, const char16_t *wanted,
			size_t bytes)
{
	const uintptr_t known = atomic_load_explicit(handle, memory_order_relaxed);
	uint16_t name[NAME_UNITS] = { 0 };
	uint32_t units = 0;

	if (known)
		return provider == known;
	if (CLR_CALL(get_provider_info, provider, NAME_UNITS, &units, name) < 0 ||
	    memcmp(name, wanted, bytes) != 0)
		return false;
	atomic_store(handle, provider);
	return true;
}

/* runtime or private */
#define IS_PROVIDER(provider, which)                                                               \
	is_provider(provider, &which##_handle, which##_provider, sizeof(which##_provider))

void session__deliver(uintptr_t provider, uint32_t id, uint32_t version, const uint8_t *payload,
		      uint32_t bytes)
{
	if (id == EVENT_BGC_BEGIN && IS_PROVIDER(provider, private))
		collections__background_begins();
	if (!IS_PROVIDER(provider, runtime))
		return;
	switch (id) {
	case EVENT_GC_START:
	case EVENT_GC_END:
		collections__event(id, payload, bytes);
		dump__deliver(id, version, payload, bytes);
		return;
	case EVENT_HEAP_STATS:
	case EVENT_HEAP_HISTORY:
	case EVENT_GLOBAL_HISTORY:
		collections__event(id, payload, bytes);
		return;
	case EVENT_SURVIVING_RANGES:
	case EVENT_MOVED_RANGES:
		movement__event(id, payload, bytes);
		return;
	case EVENT_BULK_TYPE:
	case EVENT_BULK_ROOT_EDGE:
	case EVENT_BULK_DEPENDENT:
	case EVENT_BULK_NODE:
	case EVENT_BULK_EDGE:
	case EVENT_BULK_STATIC:
		dump__deliver(id, version, payload, bytes);
		return;
	default:
		return;
	}
}
