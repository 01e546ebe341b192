/* SPDX-License-Identifier: BSD-2-Clause */
/* The graph of a JVM that runs, of the dump that it makes by itself: --via jvm. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../attach/jvm_dump.h"
#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../target/note_cache.h"
#include "../target/process.h"
#include "../target/runtime.h"
#include "../target/sight.h"
#include "heap_source.h"
#include "heap_source_hprof.h"
#include "processes.h"
#include "signals.h"

static int fail(const struct process *process, int err, const char *why)
{
	struct buf text = BUF_INIT;

	process__describe(process, &text);
	error("%s makes no heap dump by itself: %s", buf__str(&text), why);
	buf__free(&text);
	return err;
}

static void set_heading(struct heap_source *source, const struct process *process,
			const struct runtime *runtime)
{
	struct heap_heading *heading = &source->heading;

	heading->name = text__keep(&source->name, process->comm, strlen(process->comm));
	heading->runtime = text__keep(&source->runtime, runtime->name, strlen(runtime->name));
	if (runtime->version)
		heading->version = text__keep(&source->version, runtime->version,
					      strlen(runtime->version));
	if (runtime->collector)
		heading->collector = text__keep(&source->collector, runtime->collector,
						strlen(runtime->collector));
	buf__printf(&source->subject, "-p %d --via jvm", process->pid);
	heading->subject = buf__str(&source->subject);
}

static void say_what_comes(const struct process *process, const struct runtime *runtime)
{
	struct buf text = BUF_INIT;

	process__describe(process, &text);
	note("%s is asked by its attach socket for its own heap dump: it collects garbage, and"
	     " stands still until the dump is made%s", buf__str(&text),
	     jvm_dump__is_spooled(runtime) ? "; until it is read, gctrace keeps it in an unnamed"
					     " file in TMPDIR (/tmp), as large as its heap" : "");
	buf__free(&text);
}

static int check(const struct process *process, const struct runtime *runtime)
{
	struct buf why = BUF_INIT;
	int err = jvm_dump__check(process, runtime, &why);

	if (err)
		fail(process, err, buf__str(&why));
	buf__free(&why);
	return err;
}

static int read_dump(struct heap_source *source, const struct process *process,
		     const struct runtime *runtime, const struct heap_source_options *options)
{
	struct buf why = BUF_INIT, name = BUF_INIT;
	const uint64_t began_ns = clock__monotonic_ns();
	struct jvm_dump dump;
	int err, ended;

	say_what_comes(process, runtime);
	err = jvm_dump__begin(process, runtime, signals__stop_fd(), &dump, &why);
	if (err) {
		fail(process, err, buf__str(&why));
		jvm_dump__end(&dump, &why);
	} else {
		buf__printf(&name, "the dump of pid %d", process->pid);
		set_heading(source, process, runtime);
		err = heap_source_hprof__read(source, dump.fd, buf__str(&name), options);
		source->heading.pid = (uint64_t)process->pid;
		source->heading.dump_ns = clock__monotonic_ns() - began_ns;
		buf__reset(&why);
		ended = jvm_dump__end(&dump, &why);
		if (ended && !signals__stopping())
			warning("%s", buf__str(&why));
	}
	buf__free(&why);
	buf__free(&name);
	return err;
}

int heap_source__jvm(struct heap_source *source, const struct target_settings *target,
		     const struct heap_source_options *options)
{
	struct processes processes = VEC_INIT;
	struct note_cache *cache = note_cache__new();
	struct sight sight;
	int err = cache ? processes__open(&target->processes, &processes) :
			  error_errno(ENOMEM, "cannot look at a process");

	if (!err && processes.count != 1) {
		error("one process at a time: %zu were given", processes.count);
		err = -EINVAL;
	}
	if (!err) {
		err = sight__look(&sight, processes.items[0], cache);
		if (err)
			fail(processes.items[0], err, strerror(-err));
	}
	if (!err) {
		err = check(processes.items[0], sight.runtime);
		if (!err)
			err = read_dump(source, processes.items[0], sight.runtime, options);
		sight__close(&sight);
	}
	processes__free(&processes);
	note_cache__free(cache);
	return err;
}
