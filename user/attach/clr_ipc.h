/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The diagnostics protocol that every process of .NET 5 and later serves on a socket of its own,
 * as far as it is needed to load an agent or to have the names of compiled code. A request and
 * its reply have the same form, all numbers little endian:
 *
 *	"DOTNET_IPC_V1\0"   u16 bytes of the whole   u8 command set   u8 command   u16 0   payload
 *
 * so neither is ever larger than 64 KiB. A string is a u32 count of UTF-16 units, the closing 0
 * included, and the units; count 0: none. A connection is for one request and its reply.
 *
 * Whoever serves the socket may be hostile: nothing of a reply is believed beyond its bytes, and
 * every wait has an end.
 */
#ifndef GCTRACE_ATTACH_CLR_IPC_H
#define GCTRACE_ATTACH_CLR_IPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define CLR_IPC_HEADER 20
#define CLR_IPC_MOST UINT16_MAX

/* In the order in which it is written: {67637472-6163-6500-8000-646f746e6574}. */
struct clr_guid {
	uint32_t first;
	uint16_t second, third;
	uint8_t rest[8];
};

/* "{67637472-6163-6500-8000-646f746e6574}" */
void clr_guid__add(struct buf *text, const struct clr_guid *guid);

/*
 * Requests, appended. path: UTF-8, of the library as the target sees it; timeout_ms: how long the
 * runtime may take to begin. A path that is too long for a request is buf's error -EMSGSIZE.
 */
void clr_ipc__add_attach(struct buf *request, const struct clr_guid *guid, const char *path,
			 uint32_t timeout_ms);
void clr_ipc__add_process_info(struct buf *request);

/*
 * .NET 8 on: begin to write a perf map (and nothing else of its kind), with what there is by now.
 */
void clr_ipc__add_enable_perf_map(struct buf *request);
void clr_ipc__add_disable_perf_map(struct buf *request);

struct clr_reply {
	bool ok;	 /* else result says why not */
	uint32_t result; /* an HRESULT; 0 where there is none */
	const uint8_t *payload;
	size_t bytes;
};

/*
 * From the first len bytes that came; the payload points into them. 0; -EAGAIN: it is not whole
 * yet; -EPROTO: this is none.
 */
int clr_ipc__parse(const void *bytes, size_t len, struct clr_reply *reply);

/* What a process says of itself; texts are UTF-8 (U+FFFD for what is none), unescaped. */
struct clr_process_info {
	uint64_t pid; /* as it knows itself */
	struct buf system, machine, entry, version; /* "Linux", "x64", "app", "10.0.12" */
};

#define CLR_PROCESS_INFO_INIT { 0, BUF_INIT, BUF_INIT, BUF_INIT, BUF_INIT }

/* 0, -EPROTO or -ENOMEM; clr_process_info__free() is due in each case. */
int clr_ipc__parse_process_info(const struct clr_reply *reply, struct clr_process_info *info);
void clr_process_info__free(struct clr_process_info *info);

/* How long an answer is waited for. */
struct clr_wait {
	uint64_t timeout_ns;
	int stop_fd; /* readable: no longer; -1: none */
};

/*
 * Send a request over a connected, non-blocking socket and wait for its reply, which lies in
 * `bytes`. 0, or negative errno: -ETIMEDOUT; -ECANCELED, by stop_fd; -ECONNRESET, the other side
 * has closed; -EPROTO. Says nothing.
 */
int clr_ipc__ask(int socket, const struct buf *request, const struct clr_wait *wait,
		 struct buf *bytes, struct clr_reply *reply);

#endif
