/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Providers hotspot and hs_private: what an untouched JVM tells of its collections.
 *
 *   safepoint__begin       the VM thread sets out to stop all others
 *     vmops__begin         all stand still, an operation starts: "G1CollectForAllocation", ...
 *       gc__begin          for the collector
 *         mem__pool__gc__begin   each pool as it was,    by a memory manager ("G1 Young
 *         mem__pool__gc__end     each pool as it is now,  Generation")
 *       gc__end
 *     vmops__end
 *   safepoint__end
 *
 * Texts are pointer and length, without a terminator. What belongs together is decided in
 * user/stream/hotspot.c.
 *
 * The cause of a collection is in no probe. Each collector sets it before it tells its pools, and
 * writes its text into the JVM's performance counters (sun.gc.cause): where that lies is known, it
 * is read there at the first pool. Where it is not known (yet), the text is what
 * GCCause::to_string() returned last in that thread, taken at the function's return if the target
 * may have return probes.
 */
#include "vmlinux.h"

#include "probe.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Of the pools that were told last, to know where a sequence begins; by slot. */
struct told {
	__u64 manager; /* address of its name */
	__u32 ended;
	__u32 reserved;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TARGET_SLOTS);
	__type(key, __u32);
	__type(value, struct told);
} told SEC(".maps");

/* VM_Operation::Mode since JDK 15: the operation runs without a safepoint (handshakes). */
#define VMOP_NO_SAFEPOINT 1

#define CALL(probe_name, record_kind, count)                  \
	PROBE(probe_name)                                     \
	{                                                     \
		struct probe probe;                           \
		struct probe_args args = {};                  \
                                                              \
		if (probe__begin(ctx, &probe, &args, count))  \
			return 0;                             \
		return probe__call(&probe, record_kind, &args); \
	}

CALL(gc__begin, RECORD_HOTSPOT_GC_BEGIN, 1)
CALL(gc__end, RECORD_HOTSPOT_GC_END, 0)
CALL(safepoint__begin, RECORD_HOTSPOT_SAFEPOINT_BEGIN, 0)
CALL(safepoint__end, RECORD_HOTSPOT_SAFEPOINT_END, 0)

static __always_inline __u32 text__whole(__u64 bytes)
{
	return bytes > 0xffffffff ? 0xffffffff : bytes;
}

/* Make a text present, before anything is reserved: it lies on two pages at most. */
static __always_inline void text__touch(__u64 at, __u64 bytes)
{
	if (!bytes)
		return;
	probe__touch(at);
	probe__touch(at + (bytes < RECORD_TEXT_BYTES ? bytes : RECORD_TEXT_BYTES) - 1);
}

/* Copy a text of `bytes` bytes; how many were copied, or negative. */
static __always_inline long text__copy(char *to, __u64 at, __u64 bytes)
{
	if (!bytes)
		return 0;
	if (bytes > RECORD_TEXT_BYTES)
		bytes = RECORD_TEXT_BYTES;
	/* Without this the compiler drops the bound that the verifier wants to see. */
	asm volatile("" : "+r"(bytes));
	if (bytes > RECORD_TEXT_BYTES || bpf_probe_read_user(to, bytes, (const void *)at))
		return -1;
	return bytes;
}

static __always_inline void text__cut(const struct probe *probe, __u64 bytes)
{
	if (bytes > RECORD_TEXT_BYTES)
		probe__lose(probe, BPF_LOSS_OVERSIZE, bytes - RECORD_TEXT_BYTES);
}

struct text_record {
	struct record_text text;
	char bytes[RECORD_TEXT_BYTES];
};

static __always_inline int text__tell(struct probe *probe, __u16 kind, __u64 at, __u64 bytes,
				      __u64 a)
{
	struct text_record *record;
	long copied;

	text__touch(at, bytes);
	record = ring__reserve(probe, sizeof(*record), kind);
	if (!record) {
		probe__lose(probe, BPF_LOSS_RING_FULL, 0);
		return 0;
	}
	copied = text__copy(record->bytes, at, bytes);
	if (copied < 0) {
		ring__discard(record);
		probe__lose(probe, BPF_LOSS_COPY, 0);
		return 0;
	}
	record->text.head.bytes = sizeof(record->text) + copied;
	record->text.a = a;
	record->text.bytes = copied;
	record->text.whole = text__whole(bytes);
	ring__submit(probe, record);
	text__cut(probe, bytes);
	return 0;
}

/* name, its length, mode */
static __always_inline int vmop(struct pt_regs *ctx, __u16 kind)
{
	struct probe probe;
	struct probe_args args = {};

	if (probe__begin(ctx, &probe, &args, 3))
		return 0;
	if (args.value[2] == VMOP_NO_SAFEPOINT)
		return 0;
	return text__tell(&probe, kind, args.value[0], args.value[1], args.value[2]);
}

PROBE(vmops__begin)
{
	return vmop(ctx, RECORD_HOTSPOT_VMOP_BEGIN);
}

PROBE(vmops__end)
{
	return vmop(ctx, RECORD_HOTSPOT_VMOP_END);
}

/* A text of the JVM's own, closed by a 0: the cause of what this thread collects, or "No GC". */
static __always_inline void cause__tell(struct probe *probe, __u64 at)
{
	struct text_record *record;
	long length;

	probe__touch(at);
	record = ring__reserve(probe, sizeof(*record), RECORD_HOTSPOT_CAUSE);
	if (!record) {
		probe__lose(probe, BPF_LOSS_RING_FULL, 0);
		return;
	}
	length = bpf_probe_read_user_str(record->bytes, sizeof(record->bytes), (const void *)at);
	if (length <= 0) {
		ring__discard(record);
		probe__lose(probe, BPF_LOSS_COPY, 0);
		return;
	}
	length--; /* the 0 */
	record->text.head.bytes = sizeof(record->text) + length;
	record->text.a = 0;
	record->text.bytes = length;
	record->text.whole = length;
	ring__submit(probe, record);
}

/* At the return of GCCause::to_string(). */
PROBE(cause)
{
	struct probe probe;

	if (probe__begin(ctx, &probe, NULL, 0))
		return 0;
	cause__tell(&probe, probe__result(ctx));
	return 0;
}

/* At each pool: if its sequence begins with it, tell the cause before. */
static __always_inline void cause__at_pool(struct probe *probe, __u16 kind, __u64 manager)
{
	__u32 slot = probe->slot;
	struct target_switch *known = bpf_map_lookup_elem(&switches, &slot);
	struct told *last = bpf_map_lookup_elem(&told, &slot);
	bool first;

	if (!last)
		return;
	first = kind == RECORD_HOTSPOT_POOL_BEGIN && (last->ended || last->manager != manager);
	last->ended = kind == RECORD_HOTSPOT_POOL_END;
	last->manager = manager;
	if (first && known && known->cause)
		cause__tell(probe, known->cause);
}

struct pool_record {
	struct record_pool pool;
	char manager[RECORD_TEXT_BYTES];
	char name[RECORD_TEXT_BYTES];
};

/* manager, length, pool, length, init, used, committed, max */
static __always_inline int pool(struct pt_regs *ctx, __u16 kind)
{
	struct pool_record *record;
	struct probe probe;
	long manager, name;
	struct probe_args args = {};

	if (probe__begin(ctx, &probe, &args, 8))
		return 0;
	cause__at_pool(&probe, kind, args.value[0]);
	text__touch(args.value[0], args.value[1]);
	text__touch(args.value[2], args.value[3]);
	record = ring__reserve(&probe, sizeof(*record), kind);
	if (!record) {
		probe__lose(&probe, BPF_LOSS_RING_FULL, 0);
		return 0;
	}
	manager = text__copy(record->manager, args.value[0], args.value[1]);
	name = text__copy(record->name, args.value[2], args.value[3]);
	if (manager < 0 || name < 0) {
		ring__discard(record);
		probe__lose(&probe, BPF_LOSS_COPY, 0);
		return 0;
	}
	record->pool.head.bytes = sizeof(record->pool) + RECORD_TEXT_BYTES + name;
	record->pool.init = args.value[4];
	record->pool.used = args.value[5];
	record->pool.committed = args.value[6];
	record->pool.max = args.value[7];
	record->pool.manager_bytes = manager;
	record->pool.manager_whole = text__whole(args.value[1]);
	record->pool.pool_bytes = name;
	record->pool.pool_whole = text__whole(args.value[3]);
	ring__submit(&probe, record);
	text__cut(&probe, args.value[1]);
	text__cut(&probe, args.value[3]);
	return 0;
}

PROBE(mem__pool__gc__begin)
{
	return pool(ctx, RECORD_HOTSPOT_POOL_BEGIN);
}

PROBE(mem__pool__gc__end)
{
	return pool(ctx, RECORD_HOTSPOT_POOL_END);
}
