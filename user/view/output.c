/* SPDX-License-Identifier: BSD-2-Clause */
#include "output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "../base/buf.h"
#include "../base/clock.h"
#include "../base/ending.h"
#include "../base/escape.h"
#include "../base/ram.h"
#include "../base/report.h"

void output__init(struct output *output, int fd, int stop_fd, const char *name)
{
	*output = (struct output){ .fd = fd, .stop_fd = stop_fd, .name = name };
}

static int end(struct output *output, int err)
{
	output->error = err;
	if (err == -ETIMEDOUT)
		error("%s is not being read; what was not written by now is lost", output->name);
	else if (err != -EPIPE)
		error_errno(err, "cannot write to %s, the output ends here", output->name);
	return err;
}

/* Where the stop is not this process's end (gctrace run), the time counts from now on. */
static uint64_t write_until_ns(void)
{
	const uint64_t now = clock__monotonic_ns(), since = ending__since_ns();

	return ending__write_until_ns(since ? since : now, now);
}

/*
 * Wait until the descriptor takes something. As long as no stop was asked for, wait for
 * both; then (*deadline is set) no longer than base/ending.h allows. What stands aside is served
 * all along.
 */
static int wait_writable(struct output *output, uint64_t *deadline)
{
	for (;;) {
		const struct output_aside *aside = &output->aside;
		struct pollfd fds[3] = { { output->fd, POLLOUT, 0 },
					 { *deadline ? -1 : output->stop_fd, POLLIN, 0 },
					 { aside->serve ? aside->fd : -1, POLLIN, 0 } };
		uint64_t now = clock__monotonic_ns();
		int timeout = -1, n;

		if (*deadline)
			timeout = now < *deadline ? (int)((*deadline - now) / NS_PER_MS) + 1 : 0;
		n = poll(fds, 3, timeout);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -ETIMEDOUT;
		if (n > 0 && fds[0].revents)
			return 0; /* writable, or an error that write() will tell */
		if (n > 0 && fds[1].revents)
			*deadline = write_until_ns();
		if (n > 0 && fds[2].revents)
			aside->serve(aside->context);
	}
}

/*
 * A pipe that polls as writable takes PIPE_BUF bytes without blocking, not more; so what
 * could block for ever is written in such pieces.
 */
int output__write(struct output *output, const void *bytes, size_t len)
{
	const char *p = bytes;
	uint64_t deadline = 0;
	struct stat st;
	bool may_block;

	if (output->error)
		return output->error;
	if (ram__ran_out())
		return output->error = -ENOMEM; /* main() says it */
	may_block = fstat(output->fd, &st) || !S_ISREG(st.st_mode);
	while (len > 0) {
		size_t piece = may_block && len > PIPE_BUF ? PIPE_BUF : len;
		int err = may_block ? wait_writable(output, &deadline) : 0;
		ssize_t n;

		if (err)
			return end(output, err);
		n = write(output->fd, p, piece);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			return end(output, -errno);
		if (n == 0)
			return end(output, -EIO);
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int output__flush(struct output *output, struct buf *lines)
{
	int err = lines->error;

	if (err)
		error("out of memory");
	else
		err = output__write(output, buf__str(lines), lines->len);
	buf__reset(lines);
	return err;
}

int output__print(const void *bytes, size_t len)
{
	struct output output;
	int err;

	output__init(&output, STDOUT_FILENO, -1, "standard output");
	err = output__write(&output, bytes, len);
	return err == -EPIPE ? 0 : err;
}
