/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the lines of every command have in common, on top of json.h: how they begin, and fields
 * that are left out where there is nothing to tell.
 */
#ifndef GCTRACE_VIEW_JSON_FIELDS_H
#define GCTRACE_VIEW_JSON_FIELDS_H

#include "../stream/event.h"
#include "json.h"

/* json__begin(), the line's `event`, and its `pid` unless that is 0. */
void json__event(struct json *json, const char *event, uint64_t pid);

/* Unless the value is EVENT_UNKNOWN, the text empty, the flag false. */
void json__known(struct json *json, const char *key, uint64_t value);
void json__text(struct json *json, const char *key, struct text text);
void json__flag(struct json *json, const char *key, bool flag);

#endif
