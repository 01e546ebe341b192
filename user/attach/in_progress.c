/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/in_progress.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/report.h"
#include "target/hsperf.h"
#include "target/jvm_memory.h"
#include "target/jvm_structs.h"
#include "target/mapped_file.h"
#include "target/maps.h"
#include "target/process.h"
#include "target/remote.h"
#include "target/runtime.h"
#include "target/symbol.h"

/* When threads were last requested to stop, of CLOCK_MONOTONIC. It is exported nowhere. */
#define STOP_BEGAN "_ZN16SafepointTracing29_last_safepoint_begin_time_nsE"

/* The JVM counts from when it started, which is soon after the process did. */
static uint64_t started_ns(const struct process *process)
{
	struct timespec boot;
	uint64_t since_boot;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	since_boot = (uint64_t)boot.tv_sec * NS_PER_S + (uint64_t)boot.tv_nsec;
	return clock__monotonic_ns() - since_boot +
	       process->start_ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* By the counters. 0; -ENOMEM; other negative errno: this JVM has none. */
static int look_at_counters(struct target *target, const struct maps *maps)
{
	struct hsperf *hsperf = NULL;
	uint64_t since_ns;
	int err = hsperf__open_maps(target->process, maps, &hsperf, NULL);

	target->attached_ns = clock__monotonic_ns();
	if (err)
		return err;
	target->stop_what = hsperf__in_progress(hsperf, &since_ns);
	hsperf__free(hsperf);
	if (!target->stop_what)
		return 0;
	target->stop_since_ns = started_ns(target->process) + since_ns;
	if (target->stop_since_ns > target->attached_ns)
		target->stop_since_ns = target->attached_ns;
	return 0;
}

/*
 * Is libjvm.so being loaded, as when `gctrace run` looks? Then its variables are not mapped yet, or
 * what they point to is not: no JVM runs that could collect.
 */
static bool is_loading(struct remote *remote, const struct maps *maps, uint64_t variable)
{
	const struct map *map = maps__at(maps, variable);
	uint64_t points_to;

	return !map || !map->write || (!remote__read(remote, variable, &points_to,
						     sizeof(points_to)) &&
				       !maps__at(maps, points_to));
}

/* 0; -ENOTSUP: it has none, or none that can be read, or does not export where its flag is. */
static int read_flag(struct remote *remote, const struct jvm_structs *structs, uint8_t *flag)
{
	uint64_t heap, offset;

	if (!jvm_structs__address(structs, "Universe::_collectedHeap", &heap) ||
	    (!jvm_structs__offset(structs, "CollectedHeap::_is_stw_gc_active", &offset) &&
	     !jvm_structs__offset(structs, "CollectedHeap::_is_gc_active", &offset)) ||
	    remote__read(remote, heap, &heap, sizeof(heap)))
		return -ENOTSUP;
	*flag = 0; /* as long as there is no heap */
	if (heap && remote__read(remote, heap + offset, flag, sizeof(*flag)))
		return -ENOTSUP;
	return *flag <= 1 ? 0 : -ENOTSUP;
}

/* When the stop began that went on at the attach; 0: no symbols say so, or it has ended. */
static uint64_t find_begin(const struct target *target, const struct maps *maps,
			   struct remote *remote)
{
	const struct map *map = maps__named(maps, "libjvm.so");
	const int fd = map ? mapped_file__open(target->process, maps, map) : -1;
	uint64_t at, ns = 0;

	if (fd < 0)
		return 0;
	if (symbol__find_variable(fd, STOP_BEGAN, map->start, map->offset, &at) ||
	    remote__read(remote, at, &ns, sizeof(ns)) || ns > target->attached_ns ||
	    ns < started_ns(target->process))
		ns = 0;
	close(fd);
	return ns;
}

/* By the heap's flag that a collection stops the program. 0; -ENOMEM; others: it is not visible. */
static int look_at_heap(struct target *target, const struct maps *maps)
{
	struct remote remote;
	struct jvm_memory *memory;
	struct jvm_structs *structs = NULL;
	uint64_t exports[JVM_EXPORTS];
	uint8_t flag = 0;
	int err;

	remote__init(&remote, target->process->by);
	memory = jvm_memory__new(&remote);
	err = memory ? jvm_structs__find_exports(target->process, maps, exports, NULL) : -ENOMEM;
	if (!err && !is_loading(&remote, maps, exports[JVM_FIELDS])) {
		err = jvm_structs__read(memory, exports, &structs, NULL);
		if (!err)
			err = read_flag(&remote, structs, &flag);
	}
	target->attached_ns = clock__monotonic_ns();
	if (!err && flag) {
		target->stop_what = "stop for a collection";
		target->stop_since_ns = find_begin(target, maps, &remote);
	}
	jvm_structs__free(structs);
	jvm_memory__free(memory);
	remote__free(&remote);
	return err;
}

int in_progress__look(struct target *target, const struct maps *maps)
{
	const uint64_t began_ns = clock__monotonic_ns();
	int err;

	target->stop_what = NULL;
	target->stop_not_visible = false;
	target->attached_ns = began_ns;
	if (!target->runtime || target->runtime->kind != RUNTIME_HOTSPOT)
		return 0;
	err = look_at_counters(target, maps);
	if (!err)
		return 0;
	if (err != -ENOMEM)
		err = look_at_heap(target, maps);
	if (err == -ENOMEM)
		return error_errno(err, "cannot look for a collection in progress");
	target->stop_not_visible = err != 0;
	debug("pid %d: no performance counters; looked for a collection in progress, %.1f ms",
	      target->process->pid, (double)(clock__monotonic_ns() - began_ns) / NS_PER_MS);
	return 0;
}
