/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording_walk.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32.h"

#define READ_MORE 4096u /* than is asked for: what follows is looked at mostly */
#define MAGIC_BYTES 8

_Static_assert(sizeof(RECORDING_BLOCK_MAGIC) == MAGIC_BYTES + 1, "block magic");

/* ---------------------------------------------------------------------------------------------
 * The window
 */

bool recording_walk__have(struct recording_walk *walk, size_t bytes)
{
	struct buf *window = &walk->window;

	while (window->len < bytes && !walk->eof) {
		const size_t some = bytes - window->len + READ_MORE;
		ssize_t count;

		if (buf__reserve(window, some)) {
			walk->read_error = window->error;
			walk->eof = true;
			break;
		}
		count = read(walk->fd, window->data + window->len, some);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0) {
			walk->read_error = count < 0 ? -errno : 0;
			walk->eof = true;
			break;
		}
		window->len += (size_t)count;
		window->data[window->len] = '\0';
	}
	return window->len >= bytes;
}

void recording_walk__skip(struct recording_walk *walk, size_t bytes)
{
	buf__drop_front(&walk->window, bytes);
}

/* A header that is right stands at this offset of the window. */
static bool header_at(struct recording_walk *walk, size_t offset, struct recording_block *block)
{
	if (!recording_walk__have(walk, offset + sizeof(*block)))
		return false;
	memcpy(block, walk->window.data + offset, sizeof(*block));
	return !memcmp(block->magic, RECORDING_BLOCK_MAGIC, MAGIC_BYTES) &&
	       block->header_checksum ==
		       crc32__of(block, offsetof(struct recording_block, header_checksum)) &&
	       block->stored <= RECORDING_BLOCK_LIMIT && block->plain <= RECORDING_BLOCK_LIMIT;
}

/* Move the window to the next header that is right, from offset `from` on. False: there is none. */
static bool search(struct recording_walk *walk, size_t from)
{
	struct recording_block block;

	recording_walk__skip(walk, from);
	while (recording_walk__have(walk, sizeof(block))) {
		struct buf *window = &walk->window;
		char *found = memmem(window->data, window->len, RECORDING_BLOCK_MAGIC, MAGIC_BYTES);

		if (!found) {
			recording_walk__skip(walk, window->len - (MAGIC_BYTES - 1));
			recording_walk__have(walk, window->len + 1);
			continue;
		}
		recording_walk__skip(walk, (size_t)(found - window->data));
		if (header_at(walk, 0, &block))
			return true;
		recording_walk__skip(walk, 1);
	}
	return false;
}

/* ---------------------------------------------------------------------------------------------
 * Blocks
 */

bool recording_walk__is_sure(struct recording_walk *walk)
{
	struct recording_block next;

	return header_at(walk, walk->whole, &next) || walk->window.len == walk->whole;
}

/* Behind a block that is not good: to where the next one should be, or else could be. */
static bool step_over(struct recording_walk *walk)
{
	struct recording_block next;

	if (!recording_walk__have(walk, walk->whole))
		return false;
	if (header_at(walk, walk->whole, &next)) {
		recording_walk__skip(walk, walk->whole);
		return true;
	}
	if (walk->window.len == walk->whole)
		return false;
	return search(walk, sizeof(struct recording_block));
}

void recording_walk__judge(struct recording_walk *walk, bool good)
{
	if (good)
		recording_walk__skip(walk, walk->whole);
	else
		walk->over |= !step_over(walk);
}

bool recording_walk__next(struct recording_walk *walk, struct recording_block *block)
{
	while (!walk->over) {
		if (!header_at(walk, 0, block)) {
			if (walk->window.len > 0) {
				walk->has_strayed = true;
				walk->strayed = walk->blocks;
			}
			if (!search(walk, 0) || !header_at(walk, 0, block))
				break;
		}
		walk->whole = sizeof(*block) + block->stored;
		if (recording_walk__have(walk, walk->whole)) {
			walk->blocks++;
			return true;
		}
		recording_walk__judge(walk, false);
	}
	walk->over = true;
	return false;
}

int recording_walk__copy(const struct recording_walk *walk, struct buf *to)
{
	buf__reset(to);
	buf__add(to, walk->window.data, walk->whole);
	return to->error;
}

int recording_walk__pass(struct recording_walk *walk, struct buf *to)
{
	struct buf *window = &walk->window, rest = *to;

	buf__reset(&rest);
	buf__add(&rest, window->data + walk->whole, window->len - walk->whole);
	*to = rest.error ? rest : *window;
	if (rest.error) {
		recording_walk__skip(walk, walk->whole);
		return to->error;
	}
	buf__truncate(to, walk->whole);
	*window = rest;
	return 0;
}

void recording_walk__free(struct recording_walk *walk)
{
	buf__free(&walk->window);
}
