/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/clr_ipc.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"

#define REPLACEMENT 0xfffd

enum set {
	SET_PROFILER = 0x03,
	SET_PROCESS = 0x04,
	SET_SERVER = 0xff,
};

enum command {
	PROFILER_ATTACH = 0x01,
	PROCESS_INFO_2 = 0x04,
	PROCESS_ENABLE_PERF_MAP = 0x05,
	PROCESS_DISABLE_PERF_MAP = 0x06,
	SERVER_OK = 0x00,
	SERVER_ERROR = 0xff,
};

#define PERF_MAP_ONLY 3 /* 1: with a dump of the code as well, 2: that alone */

static const char magic[14] = "DOTNET_IPC_V1";

/* ---------------------------------------------------------------- requests */

static void add_number(struct buf *buf, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		buf__add_char(buf, (char)(value >> 8 * i));
}

static void set_number(char *at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (char)(value >> 8 * i);
}

static size_t begin(struct buf *request, enum set set, enum command command)
{
	const size_t start = request->len;

	buf__add(request, magic, sizeof(magic));
	add_number(request, 0, 2);
	add_number(request, set, 1);
	add_number(request, command, 1);
	add_number(request, 0, 2);
	return start;
}

/* Its length is known now. */
static void end(struct buf *request, size_t start)
{
	const size_t bytes = request->len - start;

	if (request->error)
		return;
	if (bytes > CLR_IPC_MOST)
		request->error = -EMSGSIZE;
	else
		set_number(request->data + start + sizeof(magic), bytes, 2);
}

static void add_guid(struct buf *request, const struct clr_guid *guid)
{
	add_number(request, guid->first, 4);
	add_number(request, guid->second, 2);
	add_number(request, guid->third, 2);
	buf__add(request, guid->rest, sizeof(guid->rest));
}

static uint32_t add_units(struct buf *request, uint32_t code_point)
{
	if (code_point < 0x10000) {
		add_number(request, code_point, 2);
		return 1;
	}
	add_number(request, 0xd800 + ((code_point - 0x10000) >> 10), 2);
	add_number(request, 0xdc00 + ((code_point - 0x10000) & 0x3ff), 2);
	return 2;
}

/* Bytes that are no UTF-8 have no other way into a string. */
static void add_string(struct buf *request, const char *text)
{
	const char *at = text, *stop = text + strlen(text);
	const size_t start = request->len;
	uint32_t units = 1, code_point;

	add_number(request, 0, 4);
	while (at < stop) {
		size_t len = utf8__decode(at, (size_t)(stop - at), &code_point);

		units += add_units(request, len ? code_point : REPLACEMENT);
		at += len ? len : 1;
	}
	add_number(request, 0, 2);
	if (!request->error)
		set_number(request->data + start, units, 4);
}

void clr_ipc__add_attach(struct buf *request, const struct clr_guid *guid, const char *path,
			 uint32_t timeout_ms)
{
	const size_t start = begin(request, SET_PROFILER, PROFILER_ATTACH);

	add_number(request, timeout_ms, 4);
	add_guid(request, guid);
	add_string(request, path);
	add_number(request, 0, 4); /* no data for the library */
	end(request, start);
}

void clr_ipc__add_process_info(struct buf *request)
{
	end(request, begin(request, SET_PROCESS, PROCESS_INFO_2));
}

void clr_ipc__add_enable_perf_map(struct buf *request)
{
	const size_t start = begin(request, SET_PROCESS, PROCESS_ENABLE_PERF_MAP);

	add_number(request, PERF_MAP_ONLY, 4);
	end(request, start);
}

void clr_ipc__add_disable_perf_map(struct buf *request)
{
	end(request, begin(request, SET_PROCESS, PROCESS_DISABLE_PERF_MAP));
}

void clr_guid__add(struct buf *text, const struct clr_guid *guid)
{
	buf__printf(text, "{%08x-%04x-%04x-", guid->first, guid->second, guid->third);
	for (size_t i = 0; i < sizeof(guid->rest); i++)
		buf__printf(text, "%02x%s", guid->rest[i], i == 1 ? "-" : "");
	buf__add_char(text, '}');
}

/* ---------------------------------------------------------------- replies */

struct reader {
	const uint8_t *at, *end;
	bool bad;
};

static uint64_t take_number(struct reader *reader, size_t bytes)
{
	uint64_t value = 0;

	if (reader->bad || (size_t)(reader->end - reader->at) < bytes) {
		reader->bad = true;
		return 0;
	}
	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)*reader->at++ << 8 * i;
	return value;
}

int clr_ipc__parse(const void *bytes, size_t len, struct clr_reply *reply)
{
	struct reader reader = { bytes, (const uint8_t *)bytes + len, false };
	uint64_t whole, set, id;

	*reply = (struct clr_reply){ .ok = false };
	if (memcmp(bytes, magic, len < sizeof(magic) ? len : sizeof(magic)) != 0)
		return -EPROTO;
	if (len < CLR_IPC_HEADER)
		return -EAGAIN;
	reader.at += sizeof(magic);
	whole = take_number(&reader, 2);
	set = take_number(&reader, 1);
	id = take_number(&reader, 1);
	if (whole < CLR_IPC_HEADER || set != SET_SERVER || (id != SERVER_OK && id != SERVER_ERROR))
		return -EPROTO;
	if (len < whole)
		return -EAGAIN;
	reply->payload = (const uint8_t *)bytes + CLR_IPC_HEADER;
	reply->bytes = whole - CLR_IPC_HEADER;
	reader = (struct reader){ reply->payload, reply->payload + reply->bytes, false };
	reply->result = (uint32_t)take_number(&reader, reply->bytes >= 4 ? 4 : 0);
	reply->ok = id == SERVER_OK;
	return 0;
}

static void add_utf8(struct buf *text, uint32_t c)
{
	if (c < 0x80) {
		buf__add_char(text, (char)c);
	} else if (c < 0x800) {
		buf__add_char(text, (char)(0xc0 | c >> 6));
		buf__add_char(text, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		buf__add_char(text, (char)(0xe0 | c >> 12));
		buf__add_char(text, (char)(0x80 | (c >> 6 & 0x3f)));
		buf__add_char(text, (char)(0x80 | (c & 0x3f)));
	} else {
		buf__add_char(text, (char)(0xf0 | c >> 18));
		buf__add_char(text, (char)(0x80 | (c >> 12 & 0x3f)));
		buf__add_char(text, (char)(0x80 | (c >> 6 & 0x3f)));
		buf__add_char(text, (char)(0x80 | (c & 0x3f)));
	}
}

static bool is_in(uint64_t unit, uint64_t first, uint64_t last)
{
	return unit >= first && unit <= last;
}

static uint32_t take_character(struct reader *reader, uint64_t *units)
{
	const uint64_t high = take_number(reader, 2);
	uint64_t low;

	--*units;
	if (!is_in(high, 0xd800, 0xdfff))
		return (uint32_t)high;
	if (high > 0xdbff || !*units)
		return REPLACEMENT;
	low = take_number(reader, 2);
	if (!is_in(low, 0xdc00, 0xdfff)) {
		reader->at -= 2; /* a character of its own */
		return REPLACEMENT;
	}
	--*units;
	return (uint32_t)(0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00));
}

/* Up to the 0 that closes it, or all of it where there is none. */
static void take_string(struct reader *reader, struct buf *text)
{
	uint64_t units = take_number(reader, 4);
	bool is_over = false;

	if (units > (uint64_t)(reader->end - reader->at) / 2)
		reader->bad = true;
	while (units && !reader->bad) {
		const uint32_t c = take_character(reader, &units);

		is_over |= c == 0;
		if (!is_over)
			add_utf8(text, c);
	}
}

int clr_ipc__parse_process_info(const struct clr_reply *reply, struct clr_process_info *info)
{
	struct reader reader = { reply->payload, reply->payload + reply->bytes, false };
	struct buf arguments = BUF_INIT;

	info->pid = take_number(&reader, 8);
	take_number(&reader, 8); /* the cookie of this run of the runtime */
	take_number(&reader, 8);
	take_string(&reader, &arguments);
	take_string(&reader, &info->system);
	take_string(&reader, &info->machine);
	take_string(&reader, &info->entry);
	take_string(&reader, &info->version);
	buf__free(&arguments);
	if (info->system.error || info->machine.error || info->entry.error || info->version.error)
		return -ENOMEM;
	return reader.bad ? -EPROTO : 0;
}

void clr_process_info__free(struct clr_process_info *info)
{
	buf__free(&info->system);
	buf__free(&info->machine);
	buf__free(&info->entry);
	buf__free(&info->version);
}

/* ---------------------------------------------------------------- a conversation */

struct talk {
	int socket, stop_fd;
	uint64_t until_ns;
};

/* Until the socket is ready for it. */
static int wait_for(const struct talk *talk, short events)
{
	struct pollfd ready[] = {
		{ .fd = talk->stop_fd, .events = POLLIN },
		{ .fd = talk->socket, .events = events },
	};

	for (;;) {
		const uint64_t now = clock__monotonic_ns();
		int n;

		if (now >= talk->until_ns)
			return -ETIMEDOUT;
		n = poll(ready, 2, (int)((talk->until_ns - now) / NS_PER_MS) + 1);
		if (n > 0)
			return ready[0].revents ? -ECANCELED : 0;
		if (n < 0 && errno != EINTR)
			return -errno;
	}
}

static int send_all(const struct talk *talk, const struct buf *request)
{
	size_t sent = 0;
	int err = 0;

	while (sent < request->len && !err) {
		ssize_t n = send(talk->socket, request->data + sent, request->len - sent,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0)
			sent += (size_t)n;
		else if (errno == EAGAIN)
			err = wait_for(talk, POLLOUT);
		else if (errno != EINTR)
			err = errno == EPIPE ? -ECONNRESET : -errno;
	}
	return err;
}

/* 0: some came. */
static int receive_some(const struct talk *talk, struct buf *bytes)
{
	char room[4096];

	for (;;) {
		ssize_t n = recv(talk->socket, room, sizeof(room), MSG_DONTWAIT);
		int err = 0;

		if (n > 0) {
			buf__add(bytes, room, (size_t)n);
			return bytes->error;
		}
		if (n == 0)
			return -ECONNRESET;
		if (errno == EAGAIN)
			err = wait_for(talk, POLLIN);
		else if (errno != EINTR)
			err = -errno;
		if (err)
			return err;
	}
}

/* What comes ends with the reply, or is refused before it is longer than one can be. */
int clr_ipc__ask(int socket, const struct buf *request, const struct clr_wait *wait,
		 struct buf *bytes, struct clr_reply *reply)
{
	const struct talk talk = { socket, wait->stop_fd,
				   clock__monotonic_ns() + wait->timeout_ns };
	int err = request->error;

	buf__reset(bytes);
	if (!err)
		err = send_all(&talk, request);
	if (!err)
		err = -EAGAIN;
	while (err == -EAGAIN) {
		err = receive_some(&talk, bytes);
		if (!err)
			err = clr_ipc__parse(bytes->data, bytes->len, reply);
	}
	return err;
}
