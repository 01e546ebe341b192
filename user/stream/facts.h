/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts: what is known about a trace besides its records, as names and values that a person can
 * read: in a recording they stand as text, one `name=value` a line.
 *
 *	gctrace=0.1.0              who recorded
 *	kernel=6.18.44             uname -r;   also machine=x86_64, boot_id=..., host=...
 *	clock_offset_ns=...        to add to a stamp (CLOCK_MONOTONIC) for ns since 1970, UTC
 *	started_ns=...             when the recording began, CLOCK_MONOTONIC; ended_ns=... too
 *	target.0.pid=4711          of each target, by its index; also start_ticks, comm, exe,
 *	target.0.runtime=HotSpot   version, collector, provider (one line each), probes
 *
 * Names are [a-z0-9_.]+; values are any bytes (in the text: \n, \\ and \0 for line feed,
 * backslash and zero). A name is there once: setting it again replaces the value.
 */
#ifndef STREAM_FACTS_H
#define STREAM_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "event.h"

struct facts;

struct facts *facts__new(void); /* NULL: no memory */
void facts__free(struct facts *facts);

/* 0, -EINVAL for a name of other characters, -ENOMEM. Values are copied. */
int facts__set(struct facts *facts, const char *name, const void *value, size_t bytes);
int facts__set_str(struct facts *facts, const char *name, const char *value);
int facts__set_u64(struct facts *facts, const char *name, uint64_t value);
int facts__set_i64(struct facts *facts, const char *name, int64_t value);
/* The same for target.INDEX.name. */
int facts__set_target(struct facts *facts, uint32_t target, const char *name, const char *value);

/* NULL: not there. Closed by a 0 behind its bytes; bytes may be NULL. Valid until it is set. */
const char *facts__get(const struct facts *facts, const char *name, size_t *bytes);
const char *facts__get_target(const struct facts *facts, uint32_t target, const char *name,
			      size_t *bytes);
/* `otherwise` where it is not there or no number. */
uint64_t facts__get_u64(const struct facts *facts, const char *name, uint64_t otherwise);
int64_t facts__get_i64(const struct facts *facts, const char *name, int64_t otherwise);

size_t facts__count(const struct facts *facts);
const char *facts__name(const struct facts *facts, size_t i);
const char *facts__value(const struct facts *facts, size_t i, size_t *bytes);

/* As text, and back: -EBADMSG when a line is none (those before it are set). */
void facts__print(const struct facts *facts, struct buf *buf);
int facts__parse(struct facts *facts, const void *text, size_t bytes);

#endif
