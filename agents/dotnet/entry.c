/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the runtime gets at the agent: it loads the library, asks DllGetClassObject for a class
 * factory, and that for the one object, the profiler.
 *
 * The runtime does not refuse to initialise a library a second time that it has loaded before: it
 * is one library with one set of variables. So the class factory refuses, by a result that comes
 * back to whoever asked for the attach.
 */
#include "clr.h"
#include "contract.h"
#include "profiler.h"

#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

bool guid__is_any(const struct guid *id, const struct guid *any, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!memcmp(id, &any[i], sizeof(*id)))
			return true;
	}
	return false;
}

/* Objects of this library are variables: they are never freed. */
static uint32_t count_one(void *self)
{
	(void)self;
	return 1;
}

static HRESULT factory_query(void *self, const struct guid *iid, void **out)
{
	static const struct guid known[] = { IID_IUnknown, IID_IClassFactory };

	*out = guid__is_any(iid, known, 2) ? self : NULL;
	return *out ? S_OK : E_NOINTERFACE;
}

static HRESULT create_profiler(void *self, void *outer, const struct guid *iid, void **out)
{
	(void)self;
	(void)outer;
	*out = NULL;
	if (profiler__is_at_work())
		return (HRESULT)GCTRACE_DOTNET_ALREADY_THERE;
	return profiler__query(iid, out);
}

static HRESULT lock_server(void *self, int32_t lock)
{
	(void)self;
	(void)lock;
	return S_OK;
}

EXPORTED HRESULT DllGetClassObject(const struct guid *class_, const struct guid *iid, void **out)
{
	static const struct class_factory_table table = {
		.unknown = { factory_query, count_one, count_one },
		.create_instance = create_profiler,
		.lock_server = lock_server,
	};
	static const struct class_factory_table *factory = &table;
	static const struct guid own = GCTRACE_DOTNET_CLSID_FIELDS;

	*out = NULL;
	if (!guid__is_any(class_, &own, 1))
		return CLASS_E_CLASSNOTAVAILABLE;
	return factory_query(&factory, iid, out);
}

/* S_OK: yes, whenever the runtime has let go of it. */
EXPORTED HRESULT DllCanUnloadNow(void)
{
	return S_OK;
}
