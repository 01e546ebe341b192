/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A notification-only profiler that is no gctrace's, as the tests load beside it: all that the
 * runtime wants of one. Who includes this, in one file, says what it does with it by the two
 * functions below.
 */
#ifndef GCTRACE_TESTS_DOTNET_LOADED_H
#define GCTRACE_TESTS_DOTNET_LOADED_H

#include "agents/dotnet/clr.h"

#define EXPORTED __attribute__((visibility("default")))

/* It is loaded: S_OK, or why it cannot be. */
static HRESULT loaded__begin(struct info *info);

static HRESULT loaded__initialize(void *self, void *unknown)
{
	static const struct guid wanted[] = { IIDS_INFO };
	struct unknown *from = unknown;
	void *newest = NULL;

	(void)self;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (from->table->query_interface(from, &wanted[i], &newest) >= 0 && newest)
			return loaded__begin(newest);
	}
	return E_FAIL;
}

static HRESULT loaded__as_notification_only(void *self, int32_t *is_notification_only)
{
	(void)self;
	*is_notification_only = 1;
	return S_OK;
}

static HRESULT loaded__query(void *self, const struct guid *iid, void **out)
{
	(void)iid;
	*out = self;
	return S_OK;
}

static uint32_t loaded__count_one(void *self)
{
	(void)self;
	return 1;
}

static HRESULT loaded__ignore(void *self)
{
	(void)self;
	return S_OK;
}

static HRESULT loaded__create(void *self, void *outer, const struct guid *iid, void **out)
{
	static union {
		struct callback_table named;
		HRESULT (*all[sizeof(struct callback_table) / sizeof(void *)])(void *self);
	} callbacks;
	static const struct callback_table *profiler = &callbacks.named;

	(void)self;
	(void)outer;
	for (size_t i = 0; i < sizeof(callbacks.all) / sizeof(callbacks.all[0]); i++)
		callbacks.all[i] = loaded__ignore;
	callbacks.named.unknown = (struct unknown_table){ loaded__query, loaded__count_one,
							  loaded__count_one };
	callbacks.named.initialize = loaded__initialize;
	callbacks.named.load_as_notification_only = loaded__as_notification_only;
	return loaded__query(&profiler, iid, out);
}

static HRESULT loaded__lock_server(void *self, int32_t lock)
{
	(void)self;
	(void)lock;
	return S_OK;
}

HRESULT DllGetClassObject(const struct guid *class_, const struct guid *iid, void **out);

EXPORTED HRESULT DllGetClassObject(const struct guid *class_, const struct guid *iid, void **out)
{
	static const struct class_factory_table table = {
		.unknown = { loaded__query, loaded__count_one, loaded__count_one },
		.create_instance = loaded__create,
		.lock_server = loaded__lock_server,
	};
	static const struct class_factory_table *factory = &table;

	(void)class_;
	return loaded__query(&factory, iid, out);
}

#endif
