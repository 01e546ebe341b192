/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the JVM gets at the agent: by Agent_OnLoad before it is initialised (-agentpath:), or by
 * Agent_OnAttach when it runs. It loads a library once, and would call either again and again: the
 * second call is refused by an answer that comes back to whoever has asked for it.
 *
 * Nothing is done at work but to look at semaphores, on a thread that the JVM knows nothing of.
 */
#include "addresses.h"
#include "agents/common/emitter.h"
#include "agents/common/watcher.h"
#include "contract.h"
#include "dump.h"
#include "producer.h"
#include "sampler.h"
#include "teller.h"
#include "vm.h"
#include "young.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define WRITERS 4 /* the watcher's, the dump's, the samples' and, in a pause, the collector's */

#define EXPORTED __attribute__((visibility("default")))

static atomic_bool is_at_work;
static atomic_bool is_ready; /* the JVM lives, and it is known where addresses are */

static void heed(const struct requests *now, const struct requests *before)
{
	if (!vm__is_live() || !atomic_load(&is_ready))
		return;
	if (now->listens && !before->listens)
		producer__introduce();
	dump__want(now->dump && now->listens);
	teller__want(now->samples && now->listens);
	young__want(now->listens && now->movement && gctrace_requests_moves());
}

static void get_ready(void)
{
	struct visit visit;

	if (vm__enter(&visit)) {
		addresses__find(&visit);
		vm__leave(&visit);
	}
	atomic_store(&is_ready, true);
}

static bool start(bool is_live)
{
	if (!emitter__init(WRITERS))
		return false;
	producer__learn();
	if (is_live) {
		vm__set_live(true);
		get_ready();
	} else {
		vm__on_init(get_ready);
	}
	return watcher__start(heed); /* the last, for it is not ended again */
}

/* Where it fails nothing is left of it, and it may be tried again. */
static jint begin(JavaVM *vm, bool is_live)
{
	const jint err = vm__init(vm);

	if (err)
		return err == JNI_EDETACHED ? GCTRACE_HOTSPOT_TOO_EARLY : GCTRACE_HOTSPOT_TOO_OLD;
	if (start(is_live))
		return 0;
	atomic_store(&is_ready, false);
	emitter__end();
	vm__end();
	return GCTRACE_HOTSPOT_NO_MEMORY;
}

static bool is_option(const char *at, size_t bytes, const char *name)
{
	return bytes == strlen(name) && !strncmp(at, name, bytes);
}

/* A number that is none, or too large, is no option. */
static void take_interval(const char *at, size_t bytes)
{
	char *end;
	const unsigned long number = strtoul(at, &end, 10);

	if (bytes && *at >= '0' && *at <= '9' && end == at + bytes && number <= INT32_MAX) {
		sampler__set_interval((uint32_t)number);
		teller__start_over();
	}
}

static void take_options(const char *at)
{
	static const char sample[] = "sample=";
	const size_t prefix = sizeof(sample) - 1;

	while (at && *at) {
		const size_t bytes = strcspn(at, ",");

		if (is_option(at, bytes, "tags") && !is_at_work)
			addresses__give_up();
		else if (bytes > prefix && !strncmp(at, sample, prefix))
			take_interval(at + prefix, bytes - prefix);
		at += bytes + (at[bytes] == ',');
	}
}

static jint begin_once(JavaVM *vm, const char *options, bool is_live)
{
	jint answer;

	take_options(options);
	if (atomic_exchange(&is_at_work, true))
		return GCTRACE_HOTSPOT_ALREADY_THERE;
	answer = begin(vm, is_live);
	if (answer)
		atomic_store(&is_at_work, false);
	return answer;
}

/*
 * An answer other than 0 keeps the JVM from starting, which a profiler may not be the reason of: it
 * runs on without the agent.
 */
EXPORTED jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	(void)reserved;
	begin_once(vm, options, false);
	return 0;
}

EXPORTED jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
	(void)reserved;
	return begin_once(vm, options, true);
}

/* The JVM ends: nothing may be asked of it from now on. */
EXPORTED void JNICALL Agent_OnUnload(JavaVM *vm)
{
	(void)vm;
	vm__set_live(false);
	watcher__stop();
}
