/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A .NET runtime as far as the agent looks at it: where its generations lie, sessions that can be
 * opened, events by their payloads; an object has as many bytes as its address' last three digits
 * say. listener.h tells what the agent made of it.
 */
#ifndef UNIT_FAKE_RUNTIME_H
#define UNIT_FAKE_RUNTIME_H

#include "agents/dotnet/bounds.h"
#include "agents/dotnet/session.h"

#define FAKE_SESSIONS 16

struct fake_runtime {
	struct generation_range parts[4096];
	uint32_t part_count;
	HRESULT bounds_result;
	uint64_t keywords[FAKE_SESSIONS]; /* of session n + 1; 0: it is not open */
	unsigned sessions;		  /* that were ever opened */
	HRESULT session_result;
	uint32_t high_mask; /* as set last */
	HRESULT mask_result;
};

extern struct fake_runtime fake;

/* Everything is listened to, nothing is known. Once a process the agent's memory is got. */
void fake_runtime__begin(void);
void fake_runtime__part(int32_t generation, uint64_t start, uint64_t used, uint64_t reserved);

/* Which keywords are open in any session; fails if two have the same one. */
uint64_t fake_runtime__keywords(void);

/* Through session__deliver(), exactly as long: ASan sees a byte too far. */
void fake_runtime__event(enum event event, const void *payload, size_t bytes);
void fake_runtime__gc_start(uint32_t count, uint32_t generation, uint32_t reason, uint32_t type);
void fake_runtime__gc_end(uint32_t count);
void fake_runtime__bgc_begin(void);
void fake_runtime__history(uint32_t mechanisms); /* global, and one heap with 100 n + i each */
void fake_runtime__stats(void);
void fake_runtime__moved(uint64_t from, uint64_t to, uint64_t length);
void fake_runtime__survived(uint64_t start, uint64_t length);

#endif
