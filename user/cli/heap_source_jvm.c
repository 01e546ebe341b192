/* SPDX-License-Identifier: BSD-2-Clause */
/* The graph of a JVM that runs, of the dump that it makes by itself: --via jvm. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../attach/jvm_dump.h"
#include "../attach/jvm_socket.h"
#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../stream/hprof_sizes.h"
#include "../target/jvm_sizes.h"
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
					     " file in TMPDIR (/tmp), as large as its heap, if"
					     " there is room" : "");
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

static uint64_t size_of(void *context, const char *name, size_t bytes)
{
	return jvm_sizes__of(context, name, bytes);
}

/* What the JVM says of sizes. False: nothing, and the addresses must show them. */
static bool find_sizes(const struct sight *sight, const struct process *process,
		       struct hprof_known *known)
{
	const int feature = jvm_socket__major(sight->runtime);
	const struct jvm_object_layout *layout;
	struct buf why = BUF_INIT;
	struct jvm_sizes *sizes = jvm_sizes__open(process, &sight->maps,
						  feature > 0 ? (unsigned int)feature : 0, &why);

	if (!sizes)
		note("the JVM's own word on the sizes of objects cannot be read (%s): they are"
		     " worked out from addresses", buf__str(&why));
	buf__free(&why);
	if (!sizes)
		return false;
	layout = jvm_sizes__layout(sizes);
	*known = (struct hprof_known){
		.layout = { layout->head, layout->array, layout->reference },
		.alignment = layout->alignment,
		.size_of = size_of,
		.context = sizes,
	};
	return true;
}

static int read_dump(struct heap_source *source, const struct process *process,
		     const struct sight *sight, const struct heap_source_options *options)
{
	struct buf why = BUF_INIT, name = BUF_INIT;
	const uint64_t began_ns = clock__monotonic_ns();
	const struct runtime *runtime = sight->runtime;
	struct hprof_known known = { .context = NULL };
	const bool is_known = find_sizes(sight, process, &known);
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
		err = heap_source_hprof__read(source, dump.fd, buf__str(&name), options,
					      is_known ? &known : NULL);
		source->heading.pid = (uint64_t)process->pid;
		source->heading.dump_ns = clock__monotonic_ns() - began_ns;
		buf__reset(&why);
		ended = jvm_dump__end(&dump, &why);
		if (dump.is_cut && !signals__stopping()) {
			error("%s", buf__str(&why));
			err = err ? err : ended;
		} else if (ended && !signals__stopping()) {
			warning("%s", buf__str(&why));
		}
	}
	jvm_sizes__close(known.context);
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
			err = read_dump(source, processes.items[0], &sight, options);
		sight__close(&sight);
	}
	processes__free(&processes);
	note_cache__free(cache);
	return err;
}
