/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/cause.h"

#include <errno.h>

#include "attach/programs.h"
#include "attach/tables.h"
#include "base/report.h"
#include "target/hsperf.h"
#include "target/process.h"
#include "target/runtime.h"
#include "target/symbol.h"

#define COUNTER "sun.gc.cause"

/* GCCause::to_string(GCCause::Cause) */
#define FUNCTION "_ZN7GCCause9to_stringENS_5CauseE"

static uint64_t find_counter(const struct target *target)
{
	struct hsperf *hsperf = NULL;
	uint64_t address = 0;

	if (target->runtime->kind != RUNTIME_HOTSPOT)
		return 0;
	if (hsperf__open(target->process, &hsperf, NULL) == 0)
		address = hsperf__string_address(hsperf, COUNTER);
	hsperf__free(hsperf);
	return address;
}

int cause__look(struct target *target, const struct attacher *attacher)
{
	uint64_t address = target->cause ? target->cause : find_counter(target);
	int err;

	if (target->cause == address || target->slot == NO_SLOT)
		return 0;
	err = tables__set_cause(attacher->tables, target->slot, address);
	if (err)
		return error_errno(err, "cannot tell the kernel where causes are");
	target->cause = address;
	return 0;
}

int cause__function(const struct target *target, const struct attacher *attacher,
		    struct module *module, const struct maps *maps, struct link_site *site)
{
	if (target->cause || !(module->providers & 1u << PROVIDER_HOTSPOT) ||
	    target->process->seccomp != PROCESS_SECCOMP_NONE)
		return 0;
	if (module__open(module, target->process, maps) ||
	    symbol__find_function(module->fd, FUNCTION, &site->offset))
		return 0;
	site->program = programs__find(attacher->programs, PROVIDER_HOTSPOT, "cause",
				       site->multi);
	if (site->program < 0)
		return site->program;
	site->at_return = true;
	return 1;
}
