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
#include "vm.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define WRITERS 2 /* the watcher's and the dump's */

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
	if (!vm__init(vm))
		return GCTRACE_HOTSPOT_TOO_OLD;
	if (start(is_live))
		return 0;
	atomic_store(&is_ready, false);
	emitter__end();
	vm__end();
	return GCTRACE_HOTSPOT_NO_MEMORY;
}

static jint begin_once(JavaVM *vm, const char *options, bool is_live)
{
	jint answer;

	if (atomic_exchange(&is_at_work, true))
		return GCTRACE_HOTSPOT_ALREADY_THERE;
	if (options && !strcmp(options, "tags"))
		addresses__give_up();
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
