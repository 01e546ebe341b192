/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What every probe's program does: find out for whom it runs, stamp, reserve, submit; and count
 * what could not be told. Programs include vmlinux.h and probe.bpf.h, which includes this.
 *
 *	PROBE(python_gc_start)
 *	{
 *		struct probe probe;
 *		struct probe_args args = {};
 *
 *		if (probe__begin(ctx, &probe, &args, 1))
 *			return 0;
 *		return probe__call(&probe, RECORD_PYTHON_GC_START, &args);
 *	}
 *
 * Order of things: the stamp is taken first, before anything that may wait; nothing is ever
 * waited for while a reservation is held: that would stall the whole ring (see probe__touch()).
 *
 * The maps are shared by the programs of all providers: user/attach/tables.c makes them and puts
 * them in place of the ones declared here, with sizes of its choice.
 */
#ifndef GCTRACE_RING_BPF_H
#define GCTRACE_RING_BPF_H

#include <bpf/bpf_helpers.h>

#include "operand.h"
#include "record.h"

/* Knobs, set before the programs are loaded. */
const volatile __u32 ring_shards = 1;	 /* rings to choose from by CPU */
const volatile bool sleepable = false; /* the programs fault pages in (--fault-in) */

struct inner_ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, RINGS_MAX);
	__type(key, __u32);
	__array(values, struct inner_ring);
} rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct site);
} sites SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct target_switch);
} switches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct loss_counts);
} losses SEC(".maps");

/* One hit of a probe. */
struct probe {
	__u64 stamp;
	__u32 slot; /* of the target */
	__u32 site;
	__u64 flags; /* to submit the reservation with */
	__u64 place; /* among the rings, of what it has told so far, + 1; 0: nothing yet */
};

struct probe_args {
	__u64 value[8];
};

#define PROBE(name)     \
	SEC("uprobe")   \
	int name(struct pt_regs *ctx)

/*
 * Count a loss: one record, which would have told `entries`. Atomic although it is by CPU: a
 * program that may sleep can be interrupted by another one on its CPU.
 */
static __always_inline void probe__lose(const struct probe *probe, enum bpf_loss kind,
					__u64 entries)
{
	__u32 slot = probe->slot;
	struct loss_counts *counts = bpf_map_lookup_elem(&losses, &slot);

	if (!counts)
		return;
	__sync_fetch_and_add(&counts->records[kind], 1);
	__sync_fetch_and_add(&counts->entries[kind], entries);
}

/*
 * The reader looks by itself every few milliseconds; it is woken only when it seems to be late,
 * because waking costs more than the record.
 */
static __always_inline __u64 ring__flags(void *ring)
{
	if (bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) >
	    bpf_ringbuf_query(ring, BPF_RB_RING_SIZE) / 4)
		return BPF_RB_FORCE_WAKEUP;
	return BPF_RB_NO_WAKEUP;
}

/*
 * Where a hit's records go: the dump's ring while there is one, else this CPU's. Once one of them
 * found room, all go there, since parts are only in order within a ring.
 */
static __always_inline __u32 ring__place(const struct probe *probe,
					 const struct target_switch *target)
{
	__u32 place = RING_DUMP;

	if (probe->place)
		return probe->place - 1;
	if (target->dumping && bpf_map_lookup_elem(&rings, &place))
		return place;
	return bpf_get_smp_processor_id() % ring_shards;
}

static __always_inline void *ring__try(struct probe *probe, __u32 place, __u64 size)
{
	void *ring = bpf_map_lookup_elem(&rings, &place);
	void *record;

	if (!ring)
		return NULL;
	record = bpf_ringbuf_reserve(ring, size, 0);
	if (!record)
		return NULL;
	probe->place = (__u64)place + 1;
	probe->flags = ring__flags(ring);
	return record;
}

/*
 * Room for a record of size bytes (a constant: the verifier of 5.15 wants it), its head filled
 * in; `bytes` is to be set where the record turns out to be shorter. A shard that is full spills
 * into the next one, with the first record of a hit. NULL when there is no room; the caller counts
 * that. Each reservation is submitted or discarded before the next one.
 */
static __always_inline void *ring__reserve(struct probe *probe, __u64 size, __u16 kind)
{
	__u32 slot = probe->slot;
	struct target_switch *target = bpf_map_lookup_elem(&switches, &slot);
	struct record *record;
	__u32 place;

	if (!target)
		return NULL;
	place = ring__place(probe, target);
	record = ring__try(probe, place, size);
	if (!record && ring_shards > 1 && place < ring_shards && !probe->place)
		record = ring__try(probe, (place + 1) % ring_shards, size);
	if (!record)
		return NULL;
	record->stamp = probe->stamp;
	record->bytes = size;
	record->kind = kind;
	record->ring = 0;
	record->target = target->index;
	record->tid = (__u32)bpf_get_current_pid_tgid();
	return record;
}

static __always_inline void ring__submit(const struct probe *probe, void *record)
{
	bpf_ringbuf_submit(record, probe->flags);
}

static __always_inline void ring__discard(void *record)
{
	bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
}

/* A record of scalars only, the first six. Returns 0, as the programs do. */
static __always_inline int probe__call(struct probe *probe, __u16 kind,
				       const struct probe_args *args)
{
	struct record_call *call = ring__reserve(probe, sizeof(*call), kind);

	if (!call) {
		probe__lose(probe, BPF_LOSS_RING_FULL, 0);
		return 0;
	}
	call->part.first = 0;
	call->part.count = 0;
	call->part.reserved = 0;
	call->part.total = 0;
	for (int i = 0; i < 6; i++)
		call->args[i] = args->value[i];
	ring__submit(probe, call);
	return 0;
}

#endif
