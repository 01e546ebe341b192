/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "output.h"

#define TOGETHER (UINT32_C(64) << 10) /* bytes of lines that go out in one piece */

static struct json_level *innermost(struct json *json)
{
	assert(json->levels.count > 0 || json->error);
	return json->levels.count ? &json->levels.items[json->levels.count - 1] : NULL;
}

/* The comma and the key before a member. */
static void member(struct json *json, const char *key)
{
	struct json_level *level = innermost(json);

	if (!level || json->error)
		return;
	assert(level->is_array == !key);
	if (level->count++)
		buf__add_char(&json->line, ',');
	if (!key)
		return;
	buf__add_char(&json->line, '"');
	buf__add_str(&json->line, key);
	buf__add_str(&json->line, "\":");
}

static void open_level(struct json *json, const char *key, bool is_array)
{
	struct json_level level = { .key = key, .is_array = is_array };

	buf__add_char(&json->line, is_array ? '[' : '{');
	if (vec__push(&json->levels, level))
		json->error = -ENOMEM;
}

static void close_level(struct json *json)
{
	if (json->error)
		return;
	buf__add_char(&json->line, innermost(json)->is_array ? ']' : '}');
	json->levels.count--;
}

void json__begin(struct json *json)
{
	buf__reset(&json->line);
	buf__reset(&json->invalid);
	vec__reset(&json->levels);
	json->error = 0;
	open_level(json, NULL, false);
}

void json__object(struct json *json, const char *key)
{
	member(json, key);
	open_level(json, key, false);
}

void json__array(struct json *json, const char *key)
{
	member(json, key);
	open_level(json, key, true);
}

void json__end(struct json *json)
{
	assert(json->levels.count > 1 || json->error);
	close_level(json);
}

void json__u64(struct json *json, const char *key, uint64_t value)
{
	member(json, key);
	buf__add_u64(&json->line, value);
}

void json__i64(struct json *json, const char *key, int64_t value)
{
	member(json, key);
	buf__printf(&json->line, "%" PRId64, value);
}

void json__bool(struct json *json, const char *key, bool value)
{
	member(json, key);
	buf__add_str(&json->line, value ? "true" : "false");
}

void json__double(struct json *json, const char *key, double value)
{
	char text[32];

	if (!isfinite(value))
		return;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	member(json, key);
	buf__add_str(&json->line, text);
}

void json__address(struct json *json, const char *key, uint64_t address)
{
	member(json, key);
	buf__add_str(&json->line, "\"0x");
	buf__add_hex(&json->line, address);
	buf__add_char(&json->line, '"');
}

static void add_unit(struct buf *buf, uint32_t unit)
{
	buf__printf(buf, "\\u%04x", unit);
}

static void add_character(struct buf *buf, uint32_t c, const unsigned char *bytes, size_t size)
{
	if (c == '"' || c == '\\') {
		buf__add_char(buf, '\\');
		buf__add_char(buf, (char)c);
	} else if (c >= 0x20 && c != 0x7f && !utf8__is_unsafe(c)) {
		buf__add(buf, bytes, size);
	} else if (c == '\n') {
		buf__add_str(buf, "\\n");
	} else if (c == '\t') {
		buf__add_str(buf, "\\t");
	} else if (c < 0x10000) {
		add_unit(buf, c);
	} else {
		add_unit(buf, 0xd800 + ((c - 0x10000) >> 10));
		add_unit(buf, 0xdc00 + ((c - 0x10000) & 0x3ff));
	}
}

/* How many of them, from the first on, are written as they are: nearly all, in most names. */
static size_t plain(const unsigned char *bytes, size_t len)
{
	size_t count = 0;

	while (count < len && bytes[count] >= 0x20 && bytes[count] < 0x7f &&
	       bytes[count] != '"' && bytes[count] != '\\')
		count++;
	return count;
}

/* A string with its quotes; false when some bytes had to be replaced. */
static bool add_string(struct buf *buf, const void *bytes, size_t len)
{
	const unsigned char *p = bytes, *end = p + len;
	bool exact = true;

	buf__add_char(buf, '"');
	while (p < end) {
		uint32_t c = 0;
		size_t size = plain(p, (size_t)(end - p));

		buf__add(buf, p, size);
		p += size;
		if (p == end)
			break;
		size = utf8__decode(p, (size_t)(end - p), &c);
		if (size) {
			add_character(buf, c, p, size);
		} else {
			add_unit(buf, 0xfffd);
			exact = false;
			size = 1;
		}
		p += size;
	}
	buf__add_char(buf, '"');
	return exact;
}

/* Note where the member written last is, and its bytes. Levels above the line's have names. */
static void add_invalid(struct json *json, const char *key, const unsigned char *bytes, size_t len)
{
	struct buf *buf = &json->invalid;

	buf__printf(buf, "%s{\"at\":\"", buf->len ? "," : "");
	for (size_t i = 0; i < json->levels.count; i++) {
		const struct json_level *level = &json->levels.items[i];
		bool last = i + 1 == json->levels.count;
		const char *name = last ? key : level[1].key;

		if (name)
			buf__printf(buf, "/%s", name);
		else
			buf__printf(buf, "/%zu", level->count - 1);
	}
	buf__add_str(buf, "\",\"hex\":\"");
	for (size_t i = 0; i < len; i++)
		buf__printf(buf, "%02x", bytes[i]);
	buf__add_str(buf, "\"}");
}

void json__bytes(struct json *json, const char *key, const void *bytes, size_t len)
{
	member(json, key);
	if (!add_string(&json->line, bytes, len))
		add_invalid(json, key, bytes, len);
}

void json__string(struct json *json, const char *key, const char *text)
{
	json__bytes(json, key, text, strlen(text));
}

void json__take(struct json *json, const char *key, struct buf *text)
{
	json__bytes(json, key, buf__str(text), text->len);
	if (text->error)
		json->error = text->error;
	buf__reset(text);
}

const char *json__close(struct json *json, size_t *len)
{
	assert(json->levels.count == 1 || json->error);
	if (!json->error && json->invalid.len) {
		member(json, "invalid_utf8");
		buf__printf(&json->line, "[%s]", buf__str(&json->invalid));
	}
	if (!json->error)
		json->error = json->invalid.error;
	close_level(json);
	buf__add_char(&json->line, '\n');
	if (!json->error)
		json->error = json->line.error;
	*len = json->line.len;
	return json->error ? NULL : json->line.data;
}

int json__write(struct json *json, struct output *output)
{
	size_t len;
	const char *line = json__close(json, &len);

	if (!line)
		return error_errno(json->error, "cannot make a line of JSON");
	if (!json->is_together)
		return output__write(output, line, len);
	buf__add(&json->lines, line, len);
	if (json->lines.len < TOGETHER && !json->lines.error)
		return 0;
	return output__flush(output, &json->lines);
}

void json__together(struct json *json)
{
	json->is_together = true;
}

int json__apart(struct json *json, struct output *output, int err)
{
	int last = 0;

	json->is_together = false;
	if (json->lines.len)
		last = output__flush(output, &json->lines);
	return err ? err : last;
}

void json__free(struct json *json)
{
	buf__free(&json->line);
	buf__free(&json->lines);
	buf__free(&json->invalid);
	vec__free(&json->levels);
}
