/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NDJSON: one JSON object a line, written as it is made.
 *
 *	json__begin(&json);
 *	json__string(&json, "event", "gc");
 *	json__u64(&json, "pause_ns", ns);
 *	json__array(&json, "steps");
 *		json__object(&json, NULL);
 *		...
 *		json__end(&json);
 *	json__end(&json);
 *	err = json__write(&json, output);
 *
 * key is NULL inside arrays and a name of ours elsewhere (it needs no escaping). What a
 * runtime does not tell is left out by the caller, never 0 or null. Memory running out is
 * sticky until json__write() or json__close() return it.
 *
 * Text. Lines are ASCII but for printable characters: control characters, C1 controls and
 * what reorders or hides text on a terminal (escape.h) are written as \uXXXX, which is the
 * same string to every JSON reader and harmless to whoever looks at the line itself.
 *
 * Bytes that are not valid UTF-8 cannot be in a JSON string. Each is replaced by U+FFFD, and
 * the line gets a last field that has what was really there:
 *
 *	"invalid_utf8":[{"at":"/steps/3/name","hex":"63616cff"}]
 *
 * one entry for each string concerned, in the order of the line: where it is (a JSON
 * pointer) and all its bytes. So nothing is lost, and a line without that field is exact.
 */
#ifndef GCTRACE_VIEW_JSON_H
#define GCTRACE_VIEW_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"
#include "../base/vec.h"

struct output;

struct json_level {
	const char *key;     /* of this object or array in the one around it; NULL: by index */
	size_t count;        /* members so far */
	bool is_array;
};

struct json {
	struct buf line;
	struct buf invalid;  /* the entries of invalid_utf8 */
	VEC(struct json_level) levels;
	int error;
	struct buf lines;    /* those that were kept */
	bool is_together;
};

#define JSON_INIT { .error = 0 }

/* Start a line, with its object open. A line begun before and not written is forgotten. */
void json__begin(struct json *json);

void json__object(struct json *json, const char *key);
void json__array(struct json *json, const char *key);
void json__end(struct json *json); /* of the innermost object or array, not of the line's */

void json__u64(struct json *json, const char *key, uint64_t value);
void json__i64(struct json *json, const char *key, int64_t value);
void json__bool(struct json *json, const char *key, bool value);

/* The shortest text that reads back as the same number. Not finite: the field is left out. */
void json__double(struct json *json, const char *key, double value);

/* A string of "0x" and hexadecimal digits: numbers beyond 2^53 are not safe in JSON. */
void json__address(struct json *json, const char *key, uint64_t address);

void json__string(struct json *json, const char *key, const char *text);
void json__bytes(struct json *json, const char *key, const void *bytes, size_t len);

/* All that is in text, which is empty then; what text had lost, the line has lost, too. */
void json__take(struct json *json, const char *key, struct buf *text);

/*
 * Close the line and hand it over: the text with its newline, valid until the next
 * json__begin(); or NULL with json->error set.
 */
const char *json__close(struct json *json, size_t *len);

/* Close it and write it. 0 or negative errno (-ENOMEM, said by error(); or the output's). */
int json__write(struct json *json, struct output *output);

/*
 * Lines that come at once go out at once, where there may be thousands: from the first call on
 * json__write() keeps them, and writes whenever there are 64 KiB; the second one writes what is
 * left. It returns err, what the lines came to, or if that is 0 what writing them came to.
 */
void json__together(struct json *json);
int json__apart(struct json *json, struct output *output, int err);

void json__free(struct json *json);

#endif
