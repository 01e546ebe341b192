/* SPDX-License-Identifier: BSD-2-Clause */
#include "hprof_input.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_BYTES ((size_t)1 << 18) /* stays in a processor's cache */

int hprof_input__init(struct hprof_input *input, int fd, int stop_fd)
{
	struct stat st;

	*input = (struct hprof_input){ .fd = fd, .stop_fd = stop_fd, .alloc = WINDOW_BYTES };
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		const off_t at = lseek(fd, 0, SEEK_CUR);

		input->is_file = at >= 0;
		input->file_bytes = at >= 0 && st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
	}
	input->data = malloc(input->alloc);
	return input->data ? 0 : -ENOMEM;
}

void hprof_input__free(struct hprof_input *input)
{
	hprof_gzip__free(input->gzip);
	free(input->data);
	input->data = NULL;
}

int hprof_input__inflate(struct hprof_input *input)
{
	input->gzip = hprof_gzip__new(input->fd, input->data + input->at, input->end - input->at);
	input->at = input->end = 0;
	input->base = 0;
	input->is_file = input->is_over = false;
	return input->gzip ? 0 : -ENOMEM;
}

/* False: a stop was asked for. */
static bool wait_for_more(const struct hprof_input *input)
{
	struct pollfd ready[] = {
		{ .fd = input->stop_fd, .events = POLLIN },
		{ .fd = input->fd, .events = POLLIN },
	};
	const bool has_more = input->is_file ||
			      (input->gzip && !hprof_gzip__wants(input->gzip));

	while (poll(ready, 2, has_more ? 0 : -1) < 0 && errno == EINTR)
		;
	return !ready[0].revents;
}

static ssize_t read_into(struct hprof_input *input, void *at, size_t size)
{
	return input->gzip ? hprof_gzip__read(input->gzip, at, size) : read(input->fd, at, size);
}

/* Some more, behind what is there. */
static void read_some(struct hprof_input *input)
{
	ssize_t n;

	if (!wait_for_more(input)) {
		input->is_over = true;
		input->err = -ECANCELED;
		return;
	}
	n = read_into(input, input->data + input->end, input->alloc - input->end);
	if (n > 0) {
		input->end += (size_t)n;
	} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
		input->is_over = true;
		input->err = n < 0 ? -errno : 0;
	}
}

/* Twice the room, but no more than has come already: nobody says how much will come. */
static bool make_room(struct hprof_input *input)
{
	uint8_t *wider = realloc(input->data, input->alloc * 2);

	if (!wider) {
		input->is_over = true;
		input->err = -ENOMEM;
		return false;
	}
	input->data = wider;
	input->alloc *= 2;
	return true;
}

bool hprof_input__fill(struct hprof_input *input, size_t bytes)
{
	memmove(input->data, input->data + input->at, input->end - input->at);
	input->base += input->at;
	input->end -= input->at;
	input->at = 0;
	while (input->end < bytes && !input->is_over)
		if (input->end < input->alloc || make_room(input))
			read_some(input);
	return input->end >= bytes;
}

/* What is in the window is dropped; the rest of it, too, in a file without being read. */
bool hprof_input__skip(struct hprof_input *input, uint64_t bytes)
{
	const size_t here = input->end - input->at;

	if (bytes <= here) {
		input->at += (size_t)bytes;
		return true;
	}
	bytes -= here;
	input->base += input->end;
	input->at = input->end = 0;
	if (input->is_file) {
		const uint64_t left = input->file_bytes > input->base ?
					      input->file_bytes - input->base : 0;
		const uint64_t step = bytes < left ? bytes : left;

		if (lseek(input->fd, (off_t)step, SEEK_CUR) >= 0) {
			input->base += step;
			bytes -= step;
		}
	}
	while (bytes && hprof_input__fill(input, 1)) {
		const size_t step = bytes < input->end ? (size_t)bytes : input->end;

		input->at = step;
		bytes -= step;
	}
	return bytes == 0;
}
