/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What holds for as long as a process runs one program, its image: the mappings, their symbols, the
 * runtime and its walker.
 *
 * An exec ends all of that, and neither the process nor its first thread: what was known of the
 * image before would be told of the next one, as EXACT. The kernel counts execs, and each row has
 * that count. Where it is another than before, all is opened anew.
 *
 * A program that has just been executed has not loaded its runtime, or that is not ready yet: until
 * a method of it was named it is looked at again each time that mappings are read, for a while.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../model/call_stacks.h"
#include "../target/note_cache.h"
#include "observer_private.h"

#define YOUNG_NS (20 * NS_PER_S)
#define TOLD_MOST 10 /* execs; a program may do nothing else */

/* ---------------------------------------------------------------- by which thread */

/*
 * Memory and mappings are those of all threads, and had by one of them, at first by the first one.
 * If that ends and others go on, by one of those. What was not had has to be looked at anew.
 */
int observing__look_by_another(struct observing *own)
{
	int err = process__look_by_living(own->process);

	if (err)
		return err;
	remote__go_on_by(&own->memory, own->process->by);
	own->maps_ns = 0;
	return 0;
}

/* ---------------------------------------------------------------- mappings and the walker */

int observing__read_maps(struct observing *own)
{
	struct maps maps = MAPS_INIT;
	int err = maps__read(&maps, own->process);

	/* So it is where the thread has ended. */
	if (!err && !maps.count)
		err = -ESRCH;
	if (err == -ETIMEDOUT && own->maps.count) {
		/* Not answered in time, which is counted: what was known holds on. */
		own->maps_ns = clock__monotonic_ns();
		return 0;
	}
	if (err)
		return err;
	vec__reset(&own->asked);
	if (vec__reserve(&own->asked, maps.count)) {
		maps__free(&maps);
		return -ENOMEM;
	}
	own->asked.count = maps.count;
	memset(own->asked.items, 0, maps.count * sizeof(*own->asked.items));
	maps__free(&own->maps);
	own->maps = maps;
	if (!own->distrusts_query)
		map_query__open(&own->query, own->process);
	own->maps_ns = clock__monotonic_ns();
	own->maps_are_new = true;
	symbols__use(own->symbols, &own->maps);
	/* What they point to is gone. */
	seen_threads__doubt(&own->threads);
	return 0;
}

/* What it says of a pause, and its numbers of methods, nobody understands any more. */
static void close_walker(struct observing *own)
{
	if (own->walker)
		own->walker->close(own->walker_state);
	own->walker = NULL;
	own->walker_state = NULL;
	own->looks_for_pause = false;
	call_stacks__forget_keys(own->stacks, METHOD_MANAGED);
}

/* Why there is none is kept as it was for the first image: it has been told. */
static int open_walker(struct observing *own)
{
	const struct walker_target target = {
		.process = own->process,
		.runtime = own->runtime,
		.maps = &own->maps,
		.memory = &own->memory,
		.symbols = own->symbols,
		.may_ask = own->options.may_ask,
	};
	int err = 0;

	own->walker = walker__find(own->runtime->kind);
	buf__reset(&own->name);
	if (own->walker)
		err = own->walker->open(&target, &own->walker_state,
					own->executed ? &own->name : &own->lacks);
	if (err) {
		own->walker = NULL;
		own->walker_state = NULL;
	}
	sampler__copy_leaf(own->sampler, own->walker != NULL);
	return err == -ENOTSUP ? 0 : err;
}

static int read_all(struct observing *own)
{
	int err = observing__read_maps(own);

	return err ? err : open_walker(own);
}

static int open_parts(struct observing *own)
{
	int err;

	own->symbols = symbols__new(own->process);
	if (!own->symbols)
		return -ENOMEM;
	remote__free(&own->memory);
	remote__init(&own->memory, own->process->by);
	err = read_all(own);
	for (int lives = 1; err == -ESRCH && lives < LIVES && !observing__look_by_another(own);
	     lives++)
		err = read_all(own);
	return err;
}

/* ---------------------------------------------------------------- the program after an exec */

static void tell_runtime(struct observing *own)
{
	const struct runtime *runtime = own->runtime;

	if (own->told_runtime || runtime->kind == RUNTIME_UNKNOWN || own->execs > TOLD_MOST)
		return;
	own->told_runtime = true;
	note("process %d (%s) runs %s%s%s", own->process->pid, escape(own->process->comm),
	     runtime->name, runtime->version ? " " : "",
	     runtime->version ? escape(runtime->version) : "");
}

static void tell_exec(struct observing *own)
{
	if (++own->execs <= TOLD_MOST)
		note("process %d has executed another program, %s: what is told from now on is of"
		     " that one%s", own->process->pid, escape(own->process->comm),
		     own->execs == TOLD_MOST ? "; of further ones this is not said" : "");
	own->told_runtime = false;
	tell_runtime(own);
}

/* Which runtime it has, as far as can be seen. */
static int look_at_runtime(struct observing *own)
{
	struct sight sight;
	int err;

	if (!own->notes)
		own->notes = note_cache__new();
	if (!own->notes)
		return -ENOMEM;
	err = sight__look(&sight, own->process, own->notes);
	if (err)
		return err;
	if (own->has_sight)
		sight__close(&own->sight);
	own->sight = sight;
	own->has_sight = true;
	own->runtime = own->sight.runtime;
	return 0;
}

/* A set-user-id program, say, may not be looked at: that is an end, as that of the process. */
static int open_process(struct observing *own, struct process **out)
{
	struct buf why = BUF_INIT;
	int err = process__open(own->process->pid, out, &why);

	if (!err && (*out)->start_ticks != own->process->start_ticks) {
		process__free(*out);
		err = -ESRCH;
	}
	own->is_refused = err && err != -ESRCH && err != -ENOMEM;
	if (own->is_refused)
		warning("process %d has executed another program: %s", own->process->pid,
			buf__str(&why));
	buf__free(&why);
	return own->is_refused ? -ESRCH : err;
}

/* From now on own->process is another. */
static int meet_program(struct observing *own)
{
	struct process *process;
	int err = open_process(own, &process);

	if (err)
		return err;
	process__free(own->executed);
	own->process = own->executed = process;
	own->image_ns = clock__monotonic_ns();
	own->has_named = false;
	return look_at_runtime(own);
}

static int begin_anew(struct observing *own, uint64_t image)
{
	int err;

	own->image = IMAGE_NONE;
	close_walker(own);
	symbols__free(own->symbols);
	own->symbols = NULL;
	call_stacks__forget_keys(own->stacks, METHOD_NATIVE);
	err = meet_program(own);
	if (!err)
		err = open_parts(own);
	if (err)
		return err;
	own->image = image;
	tell_exec(own);
	return 0;
}

int observing__meet_runtime(struct observing *own)
{
	int err;

	if (!own->executed || own->has_named ||
	    clock__monotonic_ns() - own->image_ns > YOUNG_NS)
		return 0;
	close_walker(own);
	err = look_at_runtime(own);
	if (err)
		return err;
	tell_runtime(own);
	return open_walker(own);
}

/* ---------------------------------------------------------------- rows of images */

static uint64_t newest(const struct sweep *sweep)
{
	uint64_t image = 0;

	for (size_t i = 0; i < sweep->rows.count; i++)
		if (sweep->rows.items[i].image > image)
			image = sweep->rows.items[i].image;
	return image;
}

/* Its memory may be the next program's already: that is counted a moment later. */
static bool is_executing(const struct sampled *row)
{
	return row->caught.syscall == SYS_execve || row->caught.syscall == SYS_execveat;
}

/* Threads of the image before have ended, whatever was caught of them. */
int observing__follow_exec(struct observing *own, struct sweep *sweep)
{
	const uint64_t image = newest(sweep);

	for (size_t i = 0; i < sweep->rows.count; i++)
		sweep->rows.items[i].torn |= sweep->rows.items[i].image != image ||
					     is_executing(&sweep->rows.items[i]);
	return image == own->image ? 0 : begin_anew(own, image);
}

bool observing__is_alive(const struct observing *own, struct sweep *sweep)
{
	sweep->is_past = true;
	return !own->is_refused && process__alive(own->process);
}

void observing__drop_past(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->rows.count; i++)
		sweep->rows.items[i].torn |= sweep->is_past;
}

/* ---------------------------------------------------------------- life */

/* Is it still what the caller has looked at, before anybody counted? */
static bool is_what_it_was(const struct observing *own)
{
	const struct process *before = own->process;
	struct process *now;
	bool same;

	if (process__open(before->pid, &now, NULL))
		return true;
	same = strcmp(now->exe, before->exe) == 0 && now->cmdline_len == before->cmdline_len &&
	       (!now->cmdline_len ||
		memcmp(now->cmdline, before->cmdline, now->cmdline_len) == 0);
	process__free(now);
	return same;
}

/* In the midst of an exec the first sweep finds another image, and begins with that. */
int observing__open_image(struct observing *own)
{
	int err = sampler__find_image(own->sampler, &own->image);
	const bool is_another = !err && !is_what_it_was(own);

	if (is_another)
		err = meet_program(own);
	if (!err)
		err = open_parts(own);
	if (err == -ESRCH && !own->is_refused && process__alive(own->process)) {
		own->image = IMAGE_NONE;
		return 0;
	}
	if (!err && is_another)
		tell_exec(own);
	return err;
}

void observing__close_image(struct observing *own)
{
	close_walker(own);
	symbols__free(own->symbols);
	maps__free(&own->maps);
	map_query__close(&own->query);
	remote__free(&own->memory);
	vec__free(&own->asked);
	if (own->has_sight)
		sight__close(&own->sight);
	note_cache__free(own->notes);
	process__free(own->executed);
}
