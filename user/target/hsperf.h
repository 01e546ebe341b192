/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HotSpot's performance counters: a file /tmp/hsperfdata_USER/NSPID that the JVM maps and
 * updates in place. They tell what no probe does: causes, the collector's name, arguments.
 *
 * What is read is the mapping in the JVM's memory, not the file: that is of this process for
 * certain, whoever owns its /tmp, and whether or not the file was removed. The target
 * can write anything into it at any time, so it is copied first (hsperf__refresh) and what
 * is looked up is the copy. Values are those of one instant only where the JVM stands still,
 * that is in a pause.
 */
#ifndef GCTRACE_TARGET_HSPERF_H
#define GCTRACE_TARGET_HSPERF_H

#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"

struct hsperf;
struct maps;
struct process;

/*
 * Find, copy and check the counters. -ENOENT when there are none (-XX:-UsePerfData,
 * -XX:+PerfDisableSharedMem, or the JVM is still starting), -EINVAL when they make no sense,
 * -EACCES without CAP_SYS_PTRACE; why has the reason. The descriptor of the memory stays
 * open inside: refreshing needs no privileges. Free by hsperf__free().
 */
int hsperf__open(const struct process *process, struct hsperf **out, struct buf *why);
void hsperf__free(struct hsperf *hsperf);

/* The same with mappings read already. */
int hsperf__open_maps(const struct process *process, const struct maps *maps,
		      struct hsperf **out, struct buf *why);

/* The same on a copy that the caller has (tests, fuzzing); the bytes are copied. */
int hsperf__from_bytes(const void *bytes, size_t len, struct hsperf **out, struct buf *why);

/*
 * Copy anew. 0; -ESRCH when the process or its image is gone; -EINVAL when it makes no
 * sense (any more, or in this instant): the old copy is then kept. After success, strings
 * got before are no longer valid.
 */
int hsperf__refresh(struct hsperf *hsperf);

/* A long counter. 0, or -ENOENT. */
int hsperf__u64(const struct hsperf *hsperf, const char *name, uint64_t *value);

/* A string, closed by a 0, valid until the next refresh; NULL when there is none. Unescaped. */
const char *hsperf__string(const struct hsperf *hsperf, const char *name);

/*
 * Where the bytes of a string are in the JVM's memory: they stay there as long as it runs, and it
 * changes them in place. 0 when there is no such string, or the counters are a copy.
 */
uint64_t hsperf__string_address(const struct hsperf *hsperf, const char *name);

/*
 * The collection that stops the program now, by the counters of the collectors that do: "young
 * collection", "full collection" or "pause of a concurrent cycle" (static), and when it began, in
 * ns since the JVM started. NULL: none.
 */
const char *hsperf__in_progress(const struct hsperf *hsperf, uint64_t *since_ns);

/*
 * The collector as people call it: "G1", "Parallel", "Serial", "ZGC", "Shenandoah",
 * "Epsilon"; NULL when the counters do not tell. Static text.
 */
const char *hsperf__collector(const struct hsperf *hsperf);

#endif
