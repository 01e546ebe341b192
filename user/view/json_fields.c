/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_fields.h"

void json__event(struct json *json, const char *event, uint64_t pid)
{
	json__begin(json);
	json__string(json, "event", event);
	if (pid)
		json__u64(json, "pid", pid);
}

void json__known(struct json *json, const char *key, uint64_t value)
{
	if (value != EVENT_UNKNOWN)
		json__u64(json, key, value);
}

void json__text(struct json *json, const char *key, struct text text)
{
	if (text.bytes > 0)
		json__bytes(json, key, text.at, text.bytes);
}

void json__flag(struct json *json, const char *key, bool flag)
{
	if (flag)
		json__bool(json, key, true);
}
