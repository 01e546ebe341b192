/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack_view.h"

#include <string.h>

#include "remote.h"
#include "walker.h"

#define PAGE ((uint64_t)4096) /* the least that is mapped as one */

void stack_view__init(struct stack_view *view, const struct caught_thread *thread,
		      struct remote *memory)
{
	view->thread = thread;
	view->memory = memory;
	view->count = 0;
}

static bool is_in(uint64_t at, size_t count, uint64_t address)
{
	return address >= at && address - at < count && count - (address - at) >= sizeof(uint64_t);
}

static bool was_caught(const struct caught_thread *thread, uint64_t address)
{
	return is_in(thread->stack_at, thread->stack_bytes, address) ||
	       is_in(thread->frame_at, thread->frame_bytes, address);
}

/* From the address on; at the end of what is mapped, to the end of its page. */
static int fill(struct stack_view *view, uint64_t address)
{
	size_t count = STACK_VIEW_BYTES;
	int err;

	if (address > UINT64_MAX - STACK_VIEW_BYTES)
		count = sizeof(uint64_t);
	err = remote__read(view->memory, address, view->bytes, count);
	if (err && err != -ESRCH && err != -EPERM) {
		count = PAGE - (address & (PAGE - 1));
		if (count < sizeof(uint64_t))
			count = sizeof(uint64_t);
		err = remote__read(view->memory, address, view->bytes, count);
	}
	view->at = address;
	view->count = err ? 0 : count;
	return err;
}

int stack_view__word(struct stack_view *view, uint64_t address, uint64_t *value, bool *lasting)
{
	int err;

	if (was_caught(view->thread, address))
		return caught__read(view->thread, view->memory, address, value, sizeof(*value),
				    lasting);
	if (!is_in(view->at, view->count, address)) {
		err = fill(view, address);
		if (err)
			return err;
	}
	memcpy(value, view->bytes + (address - view->at), sizeof(*value));
	*lasting = false;
	return 0;
}
