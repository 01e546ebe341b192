/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/rings.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <unistd.h>

#include "attach/kernel.h"
#include "attach/ring.h"
#include "attach/tables.h"
#include "base/files.h"
#include "base/report.h"
#include "base/units.h"
#include "skel/touch.skel.h"

/* Below this a shard holds too few of the largest records (64 KiB) to be of use. */
#define SHARD_BYTES_MIN 262144u

static uint64_t power_of_two_below(uint64_t n)
{
	return n ? UINT64_C(1) << (63 - __builtin_clzll(n)) : 0;
}

unsigned int rings__shards(uint64_t bytes, unsigned int wanted)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t shards = wanted ? wanted : cpus > 0 ? (uint64_t)cpus : 1;

	if (shards > bytes / SHARD_BYTES_MIN)
		shards = bytes / SHARD_BYTES_MIN;
	if (shards > RING_SHARDS_MAX)
		shards = RING_SHARDS_MAX;
	return shards ? power_of_two_below(shards) : 1;
}

static int put(struct rings *rings, struct tables *tables, uint32_t place, uint32_t count)
{
	int err = tables__set_rings(tables, place, &rings->fd[place], count);

	return err ? kernel__explain(err, "putting a ring buffer in its place") : 0;
}

static int make(struct rings *rings, uint32_t place, uint64_t bytes)
{
	char size[UNITS_TEXT];
	int fd, err;

	bytes = power_of_two_below(bytes);
	if (bytes > UINT64_C(1) << 30)
		bytes = UINT64_C(1) << 30; /* the largest whose lengths the kernel can tell */
	if (bytes < SHARD_BYTES_MIN)
		bytes = SHARD_BYTES_MIN;
	fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, place == RING_DUMP ? "gctrace_dump" :
			    "gctrace_ring", 0, 0, bytes, NULL);
	if (fd < 0) {
		err = -errno;
		error("a ring buffer of %s could not be made%s", units__bytes(size, bytes),
		      err == -ENOMEM ? ": no memory; ask for a smaller one (--mem-limit)" : "");
		return kernel__explain(err, "making a BPF ring buffer");
	}
	rings->fd[place] = fd;
	rings->bytes[place] = bytes;
	rings->generation[place]++;
	return 0;
}

static int load_touch(struct touch_bpf *bpf, int fd)
{
	int err = bpf_map__reuse_fd(bpf->maps.ring, fd);

	return err ? err : touch_bpf__load(bpf);
}

/* Part by part, each given back before the next. */
static void touch_all(struct ring *ring, int program)
{
	while (ring__producer(ring) < ring->bytes) {
		LIBBPF_OPTS(bpf_test_run_opts, run);
		const uint64_t before = ring__producer(ring);

		if (bpf_prog_test_run_opts(program, &run) || ring__producer(ring) == before)
			return;
		ring__release(ring, ring__producer(ring));
	}
}

/*
 * What touch.bpf.c says, before the first probe is attached. Where the kernel does not let us, the
 * first stops are a little longer, and nothing else.
 */
static void touch(int fd, uint64_t bytes)
{
	struct touch_bpf *bpf = touch_bpf__open();
	struct ring ring;

	if (bpf && load_touch(bpf, fd) == 0 && ring__open(&ring, fd, bytes) == 0) {
		touch_all(&ring, bpf_program__fd(bpf->progs.touch));
		ring__close(&ring);
	}
	touch_bpf__destroy(bpf);
}

void rings__init(struct rings *rings)
{
	for (uint32_t i = 0; i < RINGS_MAX; i++)
		rings->fd[i] = -1;
	rings->kept = -1;
}

int rings__open(struct rings *rings, struct tables *tables, uint64_t bytes)
{
	for (uint32_t i = 0; i < rings->shards; i++) {
		int err = make(rings, i, bytes / rings->shards);

		if (err)
			return err;
		touch(rings->fd[i], rings->bytes[i]);
	}
	return put(rings, tables, 0, rings->shards);
}

void rings__close(struct rings *rings)
{
	for (uint32_t i = 0; i < RINGS_MAX; i++)
		files__close(&rings->fd[i]);
	files__close(&rings->kept);
}

int rings__open_dump(struct rings *rings, struct tables *tables, uint64_t bytes)
{
	int err;

	if (rings->fd[RING_DUMP] >= 0)
		return -EBUSY;
	err = make(rings, RING_DUMP, bytes);
	if (err == 0)
		err = put(rings, tables, RING_DUMP, 1);
	if (err)
		files__close(&rings->fd[RING_DUMP]);
	return err;
}

void rings__close_dump(struct rings *rings, struct tables *tables, bool keep)
{
	if (rings->fd[RING_DUMP] < 0)
		return;
	tables__take_ring(tables, RING_DUMP);
	files__close(&rings->kept); /* of the dump before: long ago */
	if (keep) {
		rings->kept = rings->fd[RING_DUMP];
		rings->fd[RING_DUMP] = -1;
	}
	files__close(&rings->fd[RING_DUMP]);
}
