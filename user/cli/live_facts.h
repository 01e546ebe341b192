/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of this host and of live targets, as facts (stream/facts.h). */
#ifndef GCTRACE_CLI_LIVE_FACTS_H
#define GCTRACE_CLI_LIVE_FACTS_H

struct facts;
struct target;

/* Both 0 or -ENOMEM. */
int live_facts__host(struct facts *facts);
int live_facts__target(struct facts *facts, const struct target *target);

#endif
