/* SPDX-License-Identifier: BSD-2-Clause */
#include "identified.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "target/note_cache.h"
#include "target/process.h"
#include "target/runtime.h"

void identified__look(struct identified *it)
{
	struct buf why = BUF_INIT;

	if (process__open(it->child.pid, &it->process, &why))
		fail_msg("%s", buf__str(&why));
	it->cache = note_cache__new();
	it->modules = (struct modules)MODULES_INIT;
	assert_int_equal(maps__read(&it->maps, it->process), 0);
	assert_int_equal(modules__scan_maps(&it->modules, it->process, &it->maps, it->cache, NULL),
			 0);
	it->runtime = runtime__identify(it->process, &it->maps, &it->modules);
	assert_non_null(it->runtime);
}

void identified__end(struct identified *it)
{
	runtime__free(it->runtime);
	modules__free(&it->modules);
	note_cache__free(it->cache);
	maps__free(&it->maps);
	process__free(it->process);
	fixture__stop(&it->child);
}
