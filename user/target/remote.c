/* SPDX-License-Identifier: BSD-2-Clause */
#include "remote.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PARTS_AT_ONCE 1024 /* UIO_MAXIOV */

void remote__init(struct remote *remote, pid_t pid)
{
	*remote = (struct remote){ .pid = pid };
}

void remote__go_on_by(struct remote *remote, pid_t pid)
{
	remote->pid = pid;
	remote->is_gone = false;
}

/* How many bytes were read, or negative errno. */
static ssize_t read_vectors(struct remote *remote, const struct iovec *to,
			    const struct iovec *from, size_t count)
{
	ssize_t got = process_vm_readv(remote->pid, to, count, from, count, 0);

	remote->calls++;
	if (got < 0) {
		remote->is_gone |= errno == ESRCH;
		return -errno;
	}
	remote->bytes += (uint64_t)got;
	return got;
}

int remote__read(struct remote *remote, uint64_t address, void *to, size_t size)
{
	struct iovec local = { to, size };
	struct iovec far = { (void *)(uintptr_t)address, size };
	ssize_t got;

	if (!size)
		return 0;
	if (size > REMOTE_MOST)
		return -EFAULT;
	got = read_vectors(remote, &local, &far, 1);
	if (got < 0)
		return (int)got;
	return (size_t)got == size ? 0 : -EFAULT;
}

/*
 * The kernel stops at the first piece that cannot be read: what stood before it is done. The
 * number of pieces that are, the failed one included.
 */
static size_t settle(struct remote_part *parts, size_t count, ssize_t got)
{
	size_t left = got > 0 ? (size_t)got : 0;

	for (size_t i = 0; i < count; i++) {
		if (left < parts[i].size) {
			parts[i].err = -EFAULT;
			return i + 1;
		}
		left -= parts[i].size;
		parts[i].err = 0;
	}
	return count;
}

int remote__read_parts(struct remote *remote, struct remote_part *parts, size_t count)
{
	struct iovec local[PARTS_AT_ONCE], far[PARTS_AT_ONCE];

	while (count) {
		size_t some = 0;
		ssize_t got;

		for (; some < count && some < PARTS_AT_ONCE; some++) {
			size_t size = parts[some].size;

			if (size > REMOTE_MOST)
				break;
			local[some] = (struct iovec){ parts[some].to, size };
			far[some] = (struct iovec){ (void *)(uintptr_t)parts[some].address, size };
		}
		if (!some) {
			parts->err = -EFAULT;
			some = 1;
		} else {
			got = read_vectors(remote, local, far, some);
			if (got < 0 && got != -EFAULT)
				return (int)got;
			some = settle(parts, some, got);
		}
		parts += some;
		count -= some;
	}
	return 0;
}

/* By pages: the text may end right before one that is not there. */
ssize_t remote__read_text(struct remote *remote, uint64_t address, char *to, size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t have = 0;

	if (!size)
		return -E2BIG;
	while (have < size - 1) {
		size_t some = page - (size_t)((address + have) % page);
		char *end;
		int err;

		if (some > size - 1 - have)
			some = size - 1 - have;
		err = remote__read(remote, address + have, to + have, some);
		if (err) {
			to[have] = 0;
			return err;
		}
		end = memchr(to + have, 0, some);
		if (end)
			return end - to;
		have += some;
	}
	to[have] = 0;
	return -E2BIG;
}
