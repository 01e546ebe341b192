/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a runtime's reply: nothing is read outside of them, and texts are UTF-8. */
#include <errno.h>
#include <stdint.h>

#include "attach/clr_ipc.h"
#include "base/escape.h"
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const struct buf *text)
{
	uint32_t character;

	for (size_t at = 0, len; at < text->len; at += len) {
		len = utf8__decode(text->data + at, text->len - at, &character);
		CHECK(len > 0 && character != 0);
	}
}

static void look(const struct clr_reply *reply)
{
	struct clr_process_info info = CLR_PROCESS_INFO_INIT;
	int err = clr_ipc__parse_process_info(reply, &info);

	CHECK(err == 0 || err == -EPROTO);
	check_text(&info.system);
	check_text(&info.machine);
	check_text(&info.entry);
	check_text(&info.version);
	clr_process_info__free(&info);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct clr_reply payload = { true, 0, data, size };
	struct clr_reply reply;
	int err = clr_ipc__parse(data, size, &reply);

	CHECK(err == 0 || err == -EAGAIN || err == -EPROTO);
	if (err == -EAGAIN)
		CHECK(size < CLR_IPC_MOST);
	if (err == 0) {
		CHECK(reply.payload + reply.bytes <= data + size);
		look(&reply);
	}
	look(&payload); /* without the header, which is hard to guess */
	return 0;
}
