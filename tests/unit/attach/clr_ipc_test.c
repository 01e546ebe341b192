/* SPDX-License-Identifier: BSD-2-Clause */
/* The diagnostics protocol against a server of our own: what is sent, and what may come back. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/clr_ipc.h"
#include "base/clock.h"

static const struct clr_guid guid = {
	0x67637472, 0x6163, 0x6500, { 0x80, 0x00, 0x64, 0x6f, 0x74, 0x6e, 0x65, 0x74 },
};

/* ---------------------------------------------------------------- what is sent */

static void an_attach_is_byte_for_byte_as_documented(void **state)
{
	static const uint8_t want[] = {
		'D', 'O', 'T', 'N', 'E', 'T', '_', 'I', 'P', 'C', '_', 'V', '1', 0,
		58, 0, 0x03, 0x01, 0, 0, /* size, set, command, reserved */
		0x88, 0x13, 0, 0,	 /* 5000 ms */
		0x72, 0x74, 0x63, 0x67, 0x63, 0x61, 0x00, 0x65,
		0x80, 0x00, 0x64, 0x6f, 0x74, 0x6e, 0x65, 0x74,
		5, 0, 0, 0,		 /* units of the path, the 0 included */
		'/', 0, 0xe9, 0x00, 0x3d, 0xd8, 0x00, 0xde, 0, 0,
		0, 0, 0, 0,		 /* bytes for the library */
	};
	struct buf request = BUF_INIT;

	(void)state;
	clr_ipc__add_attach(&request, &guid, "/\xc3\xa9\xf0\x9f\x98\x80", 5000);
	assert_int_equal(request.error, 0);
	assert_int_equal(request.len, sizeof(want));
	for (size_t i = 0; i < sizeof(want); i++)
		if ((uint8_t)request.data[i] != want[i])
			fail_msg("byte %zu is %02x, not %02x", i, (uint8_t)request.data[i],
				 want[i]);
	buf__free(&request);
}

static void a_question_has_no_payload(void **state)
{
	struct buf request = BUF_INIT;

	(void)state;
	clr_ipc__add_process_info(&request);
	assert_int_equal(request.len, CLR_IPC_HEADER);
	assert_memory_equal(request.data + 14, "\x14\0\x04\x04\0\0", 6);
	buf__free(&request);
}

static void a_perf_map_is_asked_for_alone(void **state)
{
	struct buf request = BUF_INIT;

	(void)state;
	clr_ipc__add_enable_perf_map(&request);
	assert_int_equal(request.len, CLR_IPC_HEADER + 4);
	assert_memory_equal(request.data + 14, "\x18\0\x04\x05\0\0\x03\0\0\0", 10);
	buf__reset(&request);
	clr_ipc__add_disable_perf_map(&request);
	assert_int_equal(request.len, CLR_IPC_HEADER);
	assert_memory_equal(request.data + 14, "\x14\0\x04\x06\0\0", 6);
	buf__free(&request);
}

static void what_fits_into_no_request_is_refused(void **state)
{
	struct buf request = BUF_INIT, path = BUF_INIT;

	(void)state;
	buf__add_repeated(&path, 'x', 40000);
	clr_ipc__add_attach(&request, &guid, buf__str(&path), 1);
	assert_int_equal(request.error, -EMSGSIZE);
	buf__free(&request);
	buf__free(&path);
}

static void bytes_that_are_no_text_become_one(void **state)
{
	struct buf request = BUF_INIT;

	(void)state;
	clr_ipc__add_attach(&request, &guid, "\xff", 1);
	assert_memory_equal(request.data + CLR_IPC_HEADER + 20, "\2\0\0\0\xfd\xff\0\0", 8);
	buf__free(&request);
}

static void an_id_is_written_as_people_write_it(void **state)
{
	struct buf text = BUF_INIT;

	(void)state;
	clr_guid__add(&text, &guid);
	assert_string_equal(buf__str(&text), "{67637472-6163-6500-8000-646f746e6574}");
	buf__free(&text);
}

/* ---------------------------------------------------------------- what comes back */

static void add_reply(struct buf *buf, unsigned int id, const void *payload, size_t bytes)
{
	buf__add(buf, "DOTNET_IPC_V1", 14);
	buf__add_char(buf, (char)(CLR_IPC_HEADER + bytes));
	buf__add_char(buf, (char)((CLR_IPC_HEADER + bytes) >> 8));
	buf__add_char(buf, (char)0xff);
	buf__add_char(buf, (char)id);
	buf__add(buf, "\0", 2);
	buf__add(buf, payload, bytes);
}

static void add_string(struct buf *buf, const char *text)
{
	const char count[4] = { (char)(strlen(text) + 1) };

	buf__add(buf, count, 4);
	for (const char *at = text; at == text || at[-1]; at++)
		buf__add(buf, (const char[]){ *at, 0 }, 2);
}

static void a_result_is_read(void **state)
{
	struct buf bytes = BUF_INIT;
	struct clr_reply reply;

	(void)state;
	add_reply(&bytes, 0xff, "\x7e\x00\x07\x80", 4);
	assert_int_equal(clr_ipc__parse(bytes.data, bytes.len, &reply), 0);
	assert_false(reply.ok);
	assert_int_equal(reply.result, 0x8007007e);
	buf__reset(&bytes);
	add_reply(&bytes, 0, "\0\0\0\0", 4);
	assert_int_equal(clr_ipc__parse(bytes.data, bytes.len, &reply), 0);
	assert_true(reply.ok);
	assert_int_equal(reply.result, 0);
	/* One without a result is one. */
	buf__reset(&bytes);
	add_reply(&bytes, 0, "", 0);
	assert_int_equal(clr_ipc__parse(bytes.data, bytes.len, &reply), 0);
	assert_int_equal(reply.bytes, 0);
	buf__free(&bytes);
}

static void every_part_of_a_reply_is_told_from_the_whole(void **state)
{
	struct buf bytes = BUF_INIT;
	struct clr_reply reply;

	(void)state;
	add_reply(&bytes, 0, "\0\0\0\0", 4);
	for (size_t len = 0; len < bytes.len; len++)
		assert_int_equal(clr_ipc__parse(bytes.data, len, &reply), -EAGAIN);
	/* What follows it is not of it. */
	buf__add_str(&bytes, "more");
	assert_int_equal(clr_ipc__parse(bytes.data, bytes.len, &reply), 0);
	assert_int_equal(reply.bytes, 4);
	buf__free(&bytes);
}

static void what_is_no_reply_is_refused(void **state)
{
	static const struct {
		size_t at;
		char byte;
	} wrong[] = {
		{ 0, 'X' }, { 12, '2' }, { 13, 'x' }, /* the magic */
		{ 14, 19 },			      /* shorter than its header */
		{ 16, 0x03 }, { 17, 0x01 },	      /* not the server's */
	};
	struct buf bytes = BUF_INIT;
	struct clr_reply reply;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		buf__reset(&bytes);
		add_reply(&bytes, 0, "\0\0\0\0", 4);
		bytes.data[wrong[i].at] = wrong[i].byte;
		assert_int_equal(clr_ipc__parse(bytes.data, bytes.len, &reply), -EPROTO);
	}
	assert_int_equal(clr_ipc__parse("HTTP/1.1", 8, &reply), -EPROTO);
	buf__free(&bytes);
}

static void add_process_info(struct buf *payload)
{
	buf__add(payload, "\x2a\0\0\0\0\0\0\0", 8);
	buf__add(payload, "0123456789abcdef", 16);
	add_string(payload, "dotnet app.dll");
	add_string(payload, "Linux");
	add_string(payload, "x64");
	buf__add(payload, "\0\0\0\0", 4); /* no entry assembly */
	add_string(payload, "10.0.12");
}

static void a_process_says_what_it_is(void **state)
{
	struct clr_process_info info = CLR_PROCESS_INFO_INIT;
	struct buf bytes = BUF_INIT, payload = BUF_INIT;
	struct clr_reply reply;

	(void)state;
	add_process_info(&payload);
	add_reply(&bytes, 0, payload.data, payload.len);
	assert_int_equal(clr_ipc__parse(bytes.data, bytes.len, &reply), 0);
	assert_int_equal(clr_ipc__parse_process_info(&reply, &info), 0);
	assert_int_equal(info.pid, 42);
	assert_string_equal(buf__str(&info.system), "Linux");
	assert_string_equal(buf__str(&info.machine), "x64");
	assert_string_equal(buf__str(&info.entry), "");
	assert_string_equal(buf__str(&info.version), "10.0.12");
	clr_process_info__free(&info);
	buf__free(&payload);
	buf__free(&bytes);
}

static void a_text_that_ends_early_is_no_text(void **state)
{
	struct buf payload = BUF_INIT;

	(void)state;
	add_process_info(&payload);
	for (size_t len = 0; len < payload.len; len++) {
		struct clr_process_info info = CLR_PROCESS_INFO_INIT;
		const struct clr_reply reply = { true, 0, (const uint8_t *)payload.data, len };

		assert_int_equal(clr_ipc__parse_process_info(&reply, &info), -EPROTO);
		clr_process_info__free(&info);
	}
	buf__free(&payload);
}

static void halves_of_pairs_are_replaced(void **state)
{
	/* a, a pair, a high half before b, a low one, a high one at the end */
	static const char units[] = "\x06\0\0\0a\0\x3d\xd8\x00\xde\x3d\xd8" "b\0\x00\xde"
				    "\x01\0\0\0\x3d\xd8" "\0\0\0\0" "\0\0\0\0";
	struct clr_process_info info = CLR_PROCESS_INFO_INIT;
	struct buf payload = BUF_INIT;
	struct clr_reply reply;

	(void)state;
	buf__add_repeated(&payload, 0, 24);
	buf__add(&payload, "\0\0\0\0", 4);
	buf__add(&payload, units, sizeof(units) - 1);
	reply = (struct clr_reply){ true, 0, (const uint8_t *)payload.data, payload.len };
	assert_int_equal(clr_ipc__parse_process_info(&reply, &info), 0);
	assert_string_equal(buf__str(&info.system),
			    "a\xf0\x9f\x98\x80\xef\xbf\xbd" "b\xef\xbf\xbd");
	assert_string_equal(buf__str(&info.machine), "\xef\xbf\xbd");
	clr_process_info__free(&info);
	buf__free(&payload);
}

/* ---------------------------------------------------------------- a conversation */

struct server {
	pthread_t thread;
	int ours, theirs; /* sockets */
	size_t piece;	  /* bytes at a time; 0: all */
	struct buf answer;
	bool holds; /* answers, and does not close */
	int stop_fd; /* 0: none */
};

static void *serve(void *context)
{
	struct server *server = context;
	char request[256];

	if (recv(server->theirs, request, sizeof(request), 0) <= 0)
		return NULL;
	for (size_t at = 0; at < server->answer.len;) {
		size_t left = server->answer.len - at;
		ssize_t n = send(server->theirs, server->answer.data + at,
				 server->piece && server->piece < left ? server->piece : left,
				 MSG_NOSIGNAL);

		if (n <= 0)
			break;
		at += (size_t)n;
	}
	if (!server->holds)
		shutdown(server->theirs, SHUT_RDWR);
	return NULL;
}

static int ask(struct server *server, struct buf *bytes, struct clr_reply *reply)
{
	struct clr_wait wait = { .stop_fd = server->stop_fd ? server->stop_fd : -1 };
	struct buf request = BUF_INIT;
	int sockets[2], err;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets), 0);
	server->ours = sockets[0];
	server->theirs = sockets[1];
	assert_int_equal(fcntl(server->theirs, F_SETFL, 0), 0); /* it may wait */
	assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
	clr_ipc__add_process_info(&request);
	wait.timeout_ns = server->holds ? 100 * NS_PER_MS : 20 * NS_PER_S;
	err = clr_ipc__ask(server->ours, &request, &wait, bytes, reply);
	close(server->ours);
	pthread_join(server->thread, NULL);
	close(server->theirs);
	buf__free(&request);
	buf__free(&server->answer);
	return err;
}

static void a_reply_comes_in_pieces(void **state)
{
	struct server server = { .piece = 1, .answer = BUF_INIT };
	struct buf bytes = BUF_INIT, payload = BUF_INIT;
	struct clr_process_info info = CLR_PROCESS_INFO_INIT;
	struct clr_reply reply;

	(void)state;
	add_process_info(&payload);
	add_reply(&server.answer, 0, payload.data, payload.len);
	assert_int_equal(ask(&server, &bytes, &reply), 0);
	assert_int_equal(clr_ipc__parse_process_info(&reply, &info), 0);
	assert_string_equal(buf__str(&info.version), "10.0.12");
	clr_process_info__free(&info);
	buf__free(&payload);
	buf__free(&bytes);
}

static void who_hangs_up_is_told(void **state)
{
	struct server silent = { .answer = BUF_INIT }, half = { .answer = BUF_INIT };
	struct buf bytes = BUF_INIT;
	struct clr_reply reply;

	(void)state;
	assert_int_equal(ask(&silent, &bytes, &reply), -ECONNRESET);
	buf__add_str(&half.answer, "DOTNET_I");
	assert_int_equal(ask(&half, &bytes, &reply), -ECONNRESET);
	buf__free(&bytes);
}

static void who_never_answers_is_not_waited_for(void **state)
{
	struct server server = { .answer = BUF_INIT, .holds = true };
	struct buf bytes = BUF_INIT;
	struct clr_reply reply;

	(void)state;
	buf__add_str(&server.answer, "DOTNET_IPC");
	assert_int_equal(ask(&server, &bytes, &reply), -ETIMEDOUT);
	buf__free(&bytes);
}

static void a_stop_is_heeded(void **state)
{
	struct server server = { .answer = BUF_INIT, .holds = true };
	struct buf bytes = BUF_INIT;
	struct clr_reply reply;
	int pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(write(pipes[1], "x", 1), 1);
	server.stop_fd = pipes[0];
	assert_int_equal(ask(&server, &bytes, &reply), -ECANCELED);
	close(pipes[0]);
	close(pipes[1]);
	buf__free(&bytes);
}

static void who_never_stops_is_cut_off(void **state)
{
	struct server noise = { .answer = BUF_INIT }, endless = { .answer = BUF_INIT };
	struct buf bytes = BUF_INIT;
	struct clr_reply reply;

	(void)state;
	buf__add_repeated(&noise.answer, 'x', 1 << 20);
	assert_int_equal(ask(&noise, &bytes, &reply), -EPROTO);
	assert_true(bytes.len <= 4096);
	/* The largest that there is, and no end after it. */
	add_reply(&endless.answer, 0, "", 0);
	memset(endless.answer.data + 14, 0xff, 2);
	buf__add_repeated(&endless.answer, 'x', 1 << 20);
	assert_int_equal(ask(&endless, &bytes, &reply), 0);
	assert_true(bytes.len <= CLR_IPC_MOST + 4096);
	assert_int_equal(reply.bytes, CLR_IPC_MOST - CLR_IPC_HEADER);
	buf__free(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_attach_is_byte_for_byte_as_documented),
		cmocka_unit_test(a_question_has_no_payload),
		cmocka_unit_test(a_perf_map_is_asked_for_alone),
		cmocka_unit_test(what_fits_into_no_request_is_refused),
		cmocka_unit_test(bytes_that_are_no_text_become_one),
		cmocka_unit_test(an_id_is_written_as_people_write_it),
		cmocka_unit_test(a_result_is_read),
		cmocka_unit_test(every_part_of_a_reply_is_told_from_the_whole),
		cmocka_unit_test(what_is_no_reply_is_refused),
		cmocka_unit_test(a_process_says_what_it_is),
		cmocka_unit_test(a_text_that_ends_early_is_no_text),
		cmocka_unit_test(halves_of_pairs_are_replaced),
		cmocka_unit_test(a_reply_comes_in_pieces),
		cmocka_unit_test(who_hangs_up_is_told),
		cmocka_unit_test(who_never_answers_is_not_waited_for),
		cmocka_unit_test(a_stop_is_heeded),
		cmocka_unit_test(who_never_stops_is_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
