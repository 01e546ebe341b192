/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "base/escape.h"
#include "view/json.h"
#include "view/output.h"

static void assert_line(struct json *json, const char *expected)
{
	size_t len;
	const char *line = json__close(json, &len);

	assert_non_null(line);
	assert_string_equal(line, expected);
	assert_int_equal(len, strlen(expected));
}

static void writes_every_kind(void **state)
{
	struct json json = JSON_INIT;

	(void)state;
	json__begin(&json);
	json__string(&json, "event", "gc");
	json__u64(&json, "max", UINT64_MAX);
	json__i64(&json, "min", INT64_MIN);
	json__bool(&json, "yes", true);
	json__bool(&json, "no", false);
	json__double(&json, "tenth", 0.1);
	json__double(&json, "nothing", NAN);
	json__address(&json, "address", 0x7f0000001000);
	json__object(&json, "o");
	json__end(&json);
	json__array(&json, "a");
	json__u64(&json, NULL, 1);
	json__array(&json, NULL);
	json__end(&json);
	json__object(&json, NULL);
	json__string(&json, "k", "");
	json__end(&json);
	json__end(&json);
	assert_line(&json, "{\"event\":\"gc\",\"max\":18446744073709551615,"
			   "\"min\":-9223372036854775808,\"yes\":true,\"no\":false,\"tenth\":0.1,"
			   "\"address\":\"0x7f0000001000\",\"o\":{},\"a\":[1,[],{\"k\":\"\"}]}\n");
	json__begin(&json);
	assert_line(&json, "{}\n");
	json__free(&json);
	json__free(&json);
}

static void escapes_text(void **state)
{
	struct json json = JSON_INIT;

	(void)state;
	json__begin(&json);
	json__string(&json, "a", "\"\\/\n\t\r\033\x7f");
	json__string(&json, "b", "gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\x98");
	json__string(&json, "c", "\xe2\x80\xae \xc2\x9b \xf3\xa0\x81\x81");
	json__bytes(&json, "d", "\0", 1);
	assert_line(&json, "{\"a\":\"\\\"\\\\/\\n\\t\\u000d\\u001b\\u007f\","
			   "\"b\":\"gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\x98\","
			   "\"c\":\"\\u202e \\u009b \\udb40\\udc41\",\"d\":\"\\u0000\"}\n");
	json__free(&json);
}

static void tells_what_was_not_text(void **state)
{
	struct json json = JSON_INIT;

	(void)state;
	json__begin(&json);
	json__string(&json, "fine", "x");
	json__string(&json, "name", "a\xff");
	json__array(&json, "steps");
	json__object(&json, NULL);
	json__end(&json);
	json__object(&json, NULL);
	json__string(&json, "type", "\xc3(");
	json__end(&json);
	json__string(&json, NULL, "\x80");
	json__end(&json);
	assert_line(&json, "{\"fine\":\"x\",\"name\":\"a\\ufffd\","
			   "\"steps\":[{},{\"type\":\"\\ufffd(\"},\"\\ufffd\"],"
			   "\"invalid_utf8\":[{\"at\":\"/name\",\"hex\":\"61ff\"},"
			   "{\"at\":\"/steps/1/type\",\"hex\":\"c328\"},"
			   "{\"at\":\"/steps/2\",\"hex\":\"80\"}]}\n");
	json__begin(&json);
	json__string(&json, "name", "fine again");
	assert_line(&json, "{\"name\":\"fine again\"}\n");
	json__free(&json);
}

/* What a reader gets back: the string, or where that is inexact the bytes in hexadecimal. */
static void assert_reads_back(struct json_object *line, const unsigned char *bytes, size_t len)
{
	struct json_object *text, *invalid, *hex;
	struct buf expected = BUF_INIT;

	assert_true(json_object_object_get_ex(line, "s", &text));
	if (!json_object_object_get_ex(line, "invalid_utf8", &invalid)) {
		assert_int_equal(json_object_get_string_len(text), len);
		assert_memory_equal(json_object_get_string(text), bytes, len);
		return;
	}
	assert_int_equal(json_object_array_length(invalid), 1);
	assert_true(json_object_object_get_ex(json_object_array_get_idx(invalid, 0), "hex", &hex));
	for (size_t i = 0; i < len; i++)
		buf__printf(&expected, "%02x", bytes[i]);
	assert_string_equal(json_object_get_string(hex), buf__str(&expected));
	buf__free(&expected);
}

static bool is_utf8(const unsigned char *bytes, size_t len)
{
	for (size_t i = 0; i < len;) {
		uint32_t c;
		size_t size = utf8__decode(bytes + i, len - i, &c);

		if (!size)
			return false;
		i += size;
	}
	return true;
}

/* The strict mode of json-c 0.18 refuses whatever is not ASCII (json-c issue 892). */
static int parser_flags(void)
{
	int strict = json_c_version_num() >> 8 == 18 ? 0 : JSON_TOKENER_STRICT;

	return strict | JSON_TOKENER_VALIDATE_UTF8;
}

static void random_bytes_survive_a_real_parser(void **state)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json json = JSON_INIT;
	unsigned char bytes[64];

	(void)state;
	json_tokener_set_flags(tokener, parser_flags());
	srandom(5);
	for (int i = 0; i < 50000; i++) {
		size_t len = (size_t)random() % sizeof(bytes), size;
		struct json_object *parsed, *ignored;
		const char *line;

		for (size_t j = 0; j < len; j++)
			bytes[j] = (unsigned char)(random() % (i % 2 ? 256 : 128));
		json__begin(&json);
		json__bytes(&json, "s", bytes, len);
		line = json__close(&json, &size);
		assert_ptr_equal(memchr(line, '\n', size), line + size - 1);
		json_tokener_reset(tokener);
		parsed = json_tokener_parse_ex(tokener, line, (int)size);
		assert_non_null(parsed);
		assert_int_equal(json_object_object_get_ex(parsed, "invalid_utf8", &ignored),
				 !is_utf8(bytes, len));
		assert_reads_back(parsed, bytes, len);
		json_object_put(parsed);
	}
	json_tokener_free(tokener);
	json__free(&json);
}

static void doubles_read_back_exactly(void **state)
{
	static const double values[] = { 0, -0.0, 1.0 / 3, 1e300, -5e-324, DBL_MAX, 100, 12.345,
					 9007199254740993.0 };
	struct json json = JSON_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct json_object *parsed, *value;
		size_t len;

		json__begin(&json);
		json__double(&json, "v", values[i]);
		parsed = json_tokener_parse(json__close(&json, &len));
		assert_true(json_object_object_get_ex(parsed, "v", &value));
		assert_true(json_object_get_double(value) == values[i]);
		json_object_put(parsed);
	}
	json__free(&json);
}

static void long_names_stay_whole(void **state)
{
	struct json json = JSON_INIT;
	char *name = malloc(65536);
	size_t len;

	(void)state;
	memset(name, 1, 65536);
	json__begin(&json);
	json__bytes(&json, "n", name, 65536);
	assert_non_null(json__close(&json, &len));
	assert_int_equal(len, 6 + 6 * 65536 + 3);
	free(name);
	json__free(&json);
}

static void what_a_text_lost_is_lost(void **state)
{
	struct json json = JSON_INIT;
	struct buf text = BUF_INIT;
	size_t len;

	(void)state;
	json__begin(&json);
	buf__add_str(&text, "whole");
	json__take(&json, "a", &text);
	assert_string_equal(json__close(&json, &len), "{\"a\":\"whole\"}\n");
	json__begin(&json);
	text.error = -ENOMEM;
	json__take(&json, "a", &text);
	assert_int_equal(text.error, 0);
	json__bool(&json, "b", true);
	assert_null(json__close(&json, &len));
	assert_int_equal(json.error, -ENOMEM);
	buf__free(&text);
	json__free(&json);
}

/* Lines together: what goes out, in which pieces, and what is left when one fails. */
static void lines_go_out_together(void **state)
{
	struct json json = JSON_INIT;
	struct output output;
	int pipe_fds[2];
	char read_back[65536 + 4096];
	size_t lines = 0;
	ssize_t n;

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	assert_true(fcntl(pipe_fds[1], F_SETPIPE_SZ, 1 << 20) > 0);
	assert_int_equal(fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK), 0);
	output__init(&output, pipe_fds[1], -1, "a pipe");
	json__together(&json);
	for (uint64_t i = 0; i < 1000; i++) {
		json__begin(&json);
		json__u64(&json, "n", i);
		assert_int_equal(json__write(&json, &output), 0);
	}
	assert_true(read(pipe_fds[0], read_back, sizeof(read_back)) < 0);
	assert_int_equal(json__apart(&json, &output, -EIO), -EIO);
	n = read(pipe_fds[0], read_back, sizeof(read_back));
	for (ssize_t i = 0; i < n; i++)
		lines += read_back[i] == '\n';
	assert_int_equal(lines, 1000);
	json__begin(&json);
	assert_int_equal(json__write(&json, &output), 0);
	assert_int_equal(read(pipe_fds[0], read_back, sizeof(read_back)), 3);
	assert_int_equal(json__apart(&json, &output, 0), 0);
	json__together(&json);
	for (n = -1; n < 0; n = read(pipe_fds[0], read_back, sizeof(read_back))) {
		json__begin(&json);
		json__string(&json, "text", "as long as most of them");
		assert_int_equal(json__write(&json, &output), 0);
	}
	assert_true(n >= 65536);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	json__free(&json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_every_kind),
		cmocka_unit_test(escapes_text),
		cmocka_unit_test(tells_what_was_not_text),
		cmocka_unit_test(random_bytes_survive_a_real_parser),
		cmocka_unit_test(doubles_read_back_exactly),
		cmocka_unit_test(long_names_stay_whole),
		cmocka_unit_test(what_a_text_lost_is_lost),
		cmocka_unit_test(lines_go_out_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
