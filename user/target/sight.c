/* SPDX-License-Identifier: BSD-2-Clause */
#include "sight.h"

#include <errno.h>

#include "note_cache.h"
#include "process.h"
#include "runtime.h"

void sight__close(struct sight *sight)
{
	runtime__free(sight->runtime);
	modules__free(&sight->modules);
	maps__free(&sight->maps);
}

int sight__look(struct sight *sight, const struct process *process, struct note_cache *cache)
{
	int err;

	*sight = (struct sight){ MAPS_INIT, MODULES_INIT, NULL };
	err = maps__read(&sight->maps, process);
	if (!err)
		err = modules__scan_maps(&sight->modules, process, &sight->maps, cache, NULL);
	if (!err)
		sight->runtime = runtime__identify(process, &sight->maps, &sight->modules);
	if (!err && !sight->runtime)
		err = -ENOMEM;
	if (err)
		sight__close(sight);
	return err;
}
