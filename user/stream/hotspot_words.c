/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <gctrace/wire.h>

#include "hotspot_words.h"

#define YOUNG 1
#define YOUNG_AND_OLD 3

#define COLLECTION(name) { name, "", GCTRACE_WHY_COLLECTION, false, false }
#define PAUSE(name, what, why) { name, what, GCTRACE_WHY_##why, false, false }
#define IN_CYCLE(name, what, why) { name, what, GCTRACE_WHY_##why, true, false }
#define OVERRIDE(name, what) { name, what, GCTRACE_WHY_COLLECTION, false, true }

/* Names of JDK 8 to 25. */
static const struct hotspot_operation operations[] = {
	COLLECTION("G1CollectForAllocation"),
	COLLECTION("G1CollectFull"),
	COLLECTION("ParallelGCFailedAllocation"),
	COLLECTION("ParallelGCSystemGC"),
	COLLECTION("ParallelCollectForAllocation"),
	COLLECTION("ParallelGCCollect"),
	COLLECTION("GenCollectForAllocation"),
	COLLECTION("GenCollectFull"),
	COLLECTION("GenCollectFullConcurrent"),
	COLLECTION("SerialCollectForAllocation"),
	COLLECTION("SerialGCCollect"),
	COLLECTION("CollectForMetadataAllocation"),
	COLLECTION("CollectForCodeCacheAllocation"),

	/* A young collection that also finds the roots of a concurrent marking. */
	OVERRIDE("G1TryInitiateConcMark", "young+mark"),
	PAUSE("G1PauseRemark", "remark", REMARK),
	PAUSE("G1PauseCleanup", "cleanup", UNKNOWN),
	PAUSE("CMS_Initial_Mark", "mark start", MARK_START),
	PAUSE("CMS_Final_Remark", "remark", REMARK),

	IN_CYCLE("ZMarkStart", "mark start", MARK_START),
	IN_CYCLE("ZMarkEnd", "mark end", REMARK),
	IN_CYCLE("ZRelocateStart", "relocate start", RELOCATE),
	IN_CYCLE("XMarkStart", "mark start", MARK_START),
	IN_CYCLE("XMarkEnd", "mark end", REMARK),
	IN_CYCLE("XRelocateStart", "relocate start", RELOCATE),
	IN_CYCLE("ZMarkStartYoung", "young mark start", MARK_START),
	IN_CYCLE("ZMarkStartYoungAndOld", "mark start", MARK_START),
	IN_CYCLE("ZMarkEndYoung", "young mark end", REMARK),
	IN_CYCLE("ZRelocateStartYoung", "young relocate start", RELOCATE),
	IN_CYCLE("ZMarkEndOld", "old mark end", REMARK),
	IN_CYCLE("ZRelocateStartOld", "old relocate start", RELOCATE),
	IN_CYCLE("ZVerify", "verify", UNKNOWN),
	IN_CYCLE("ZVerifyOld", "verify", UNKNOWN),

	IN_CYCLE("Shenandoah Init Marking", "mark start", MARK_START),
	IN_CYCLE("Shenandoah Final Mark", "mark end", REMARK),
	IN_CYCLE("Shenandoah Final Mark and Start Evacuation", "mark end", REMARK),
	IN_CYCLE("Shenandoah Init Update References", "update start", RELOCATE),
	IN_CYCLE("Shenandoah Final Update References", "update end", UNKNOWN),
	IN_CYCLE("Shenandoah Final Roots", "roots end", UNKNOWN),
	{ "Shenandoah Degenerated GC", "degenerated", GCTRACE_WHY_COLLECTION, true, true },
	{ "Shenandoah Full GC", "full", GCTRACE_WHY_COLLECTION, true, true },
};

const struct hotspot_operation *hotspot_operation(struct text name)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		if (text__is(name, operations[i].name))
			return &operations[i];
	return NULL;
}

/*
 * Serial copies with one thread, which leaves no gaps; those of Parallel and G1 have buffers
 * each. G1 collects old regions in young collections, too. Full ones of all leave some of the
 * dead behind.
 */
static const struct hotspot_manager managers[] = {
	{ "G1 Young Generation", "young", YOUNG, GCTRACE_HOW_COPYING, EVENT_POOLS_MIXED },
	{ "G1 Old Generation", "full", YOUNG_AND_OLD, GCTRACE_HOW_COMPACTING,
	  EVENT_POOLS_BUFFERED },
	{ "G1 Concurrent GC", "", EVENT_UNKNOWN, 0, EVENT_POOLS_NOTHING },
	{ "PS Scavenge", "young", YOUNG, GCTRACE_HOW_COPYING, EVENT_POOLS_BUFFERED },
	{ "PS MarkSweep", "full", YOUNG_AND_OLD, GCTRACE_HOW_COMPACTING, EVENT_POOLS_BUFFERED },
	{ "Copy", "young", YOUNG, GCTRACE_HOW_COPYING, EVENT_POOLS_EXACT },
	{ "MarkSweepCompact", "full", YOUNG_AND_OLD, GCTRACE_HOW_COMPACTING,
	  EVENT_POOLS_BUFFERED },
	{ "ParNew", "young", YOUNG, GCTRACE_HOW_COPYING, EVENT_POOLS_MIXED },
	{ "ConcurrentMarkSweep", "cycle", YOUNG_AND_OLD,
	  GCTRACE_HOW_SWEEPING | GCTRACE_HOW_CONCURRENT, EVENT_POOLS_NOTHING },
	{ "ZGC", "cycle", EVENT_UNKNOWN, GCTRACE_HOW_COMPACTING | GCTRACE_HOW_CONCURRENT,
	  EVENT_POOLS_NOTHING },
	{ "ZGC Cycles", "cycle", EVENT_UNKNOWN, GCTRACE_HOW_COMPACTING | GCTRACE_HOW_CONCURRENT,
	  EVENT_POOLS_NOTHING },
	{ "ZGC Minor Cycles", "minor cycle", YOUNG,
	  GCTRACE_HOW_COPYING | GCTRACE_HOW_CONCURRENT, EVENT_POOLS_NOTHING },
	{ "ZGC Major Cycles", "major cycle", YOUNG_AND_OLD,
	  GCTRACE_HOW_COMPACTING | GCTRACE_HOW_CONCURRENT, EVENT_POOLS_NOTHING },
	{ "Shenandoah Cycles", "cycle", EVENT_UNKNOWN,
	  GCTRACE_HOW_COMPACTING | GCTRACE_HOW_CONCURRENT, EVENT_POOLS_NOTHING },
};

const struct hotspot_manager *hotspot_manager(struct text name)
{
	for (size_t i = 0; i < sizeof(managers) / sizeof(*managers); i++)
		if (text__is(name, managers[i].name))
			return &managers[i];
	return NULL;
}

bool hotspot_pool_is_outside(struct text name)
{
	static const char *const beginnings[] = {
		"CodeHeap ", "CodeCache", "Code Cache", "Metaspace", "Compressed Class Space",
	};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
		size_t bytes = strlen(beginnings[i]);

		if (name.bytes >= bytes && memcmp(name.at, beginnings[i], bytes) == 0)
			return true;
	}
	return false;
}

static bool ends_with(struct text name, const char *ending)
{
	const size_t bytes = strlen(ending);

	return name.bytes >= bytes && memcmp(name.at + name.bytes - bytes, ending, bytes) == 0;
}

bool hotspot_pool_is_old(struct text name)
{
	return ends_with(name, "Old Gen") || ends_with(name, "Tenured Gen");
}

bool hotspot_pool_is_fresh(struct text name)
{
	return ends_with(name, "Eden Space");
}

static const struct {
	const char *cause;
	uint32_t reason; /* enum gctrace_reason */
} reasons[] = {
	{ "Allocation Failure", GCTRACE_REASON_ALLOCATION },
	{ "G1 Evacuation Pause", GCTRACE_REASON_ALLOCATION },
	{ "G1 Preventive Collection", GCTRACE_REASON_ALLOCATION },
	{ "G1 Compaction Pause", GCTRACE_REASON_ALLOCATION },
	{ "Allocation Failure During Evacuation", GCTRACE_REASON_ALLOCATION },
	{ "GCLocker Initiated GC", GCTRACE_REASON_ALLOCATION },
	{ "Allocation Rate", GCTRACE_REASON_ALLOCATION },
	{ "Allocation Stall", GCTRACE_REASON_ALLOCATION },
	{ "G1 Humongous Allocation", GCTRACE_REASON_LARGE },
	{ "System.gc()", GCTRACE_REASON_EXPLICIT },
	{ "Diagnostic Command", GCTRACE_REASON_EXPLICIT },
	{ "JvmtiEnv ForceGarbageCollection", GCTRACE_REASON_EXPLICIT },
	{ "WhiteBox Initiated Young GC", GCTRACE_REASON_EXPLICIT },
	{ "WhiteBox Initiated Full GC", GCTRACE_REASON_EXPLICIT },
	{ "WhiteBox Initiated Concurrent Mark", GCTRACE_REASON_EXPLICIT },
	{ "Heap Dump Initiated GC", GCTRACE_REASON_DUMP },
	{ "Heap Inspection Initiated GC", GCTRACE_REASON_DUMP },
	{ "Tenured Generation Full", GCTRACE_REASON_THRESHOLD },
	{ "Old Generation Expanded On Last Scavenge", GCTRACE_REASON_PROMOTION },
	{ "Old Generation Too Full To Scavenge", GCTRACE_REASON_PROMOTION },
	{ "Ergonomics", GCTRACE_REASON_THRESHOLD },
	{ "Metadata GC Threshold", GCTRACE_REASON_THRESHOLD },
	{ "Metadata GC Clear Soft References", GCTRACE_REASON_THRESHOLD },
	{ "CodeCache GC Threshold", GCTRACE_REASON_THRESHOLD },
	{ "CodeCache GC Aggressive", GCTRACE_REASON_THRESHOLD },
	{ "High Usage", GCTRACE_REASON_THRESHOLD },
	{ "Warmup", GCTRACE_REASON_THRESHOLD },
	{ "Proactive", GCTRACE_REASON_IDLE },
	{ "G1 Periodic Collection", GCTRACE_REASON_IDLE },
	{ "Timer", GCTRACE_REASON_IDLE },
};

uint64_t hotspot_reason(struct text cause)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (text__is(cause, reasons[i].cause))
			return reasons[i].reason;
	return GCTRACE_REASON_UNKNOWN;
}

bool hotspot_no_cause(struct text cause)
{
	return cause.bytes == 0 || text__is(cause, "No GC");
}
