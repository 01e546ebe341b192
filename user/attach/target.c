/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "attach/agent_build.h"
#include "attach/cause.h"
#include "attach/in_progress.h"
#include "attach/kernel.h"
#include "attach/reaper.h"
#include "attach/sites.h"
#include "attach/tables.h"
#include "attach/thread.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/report.h"
#include "base/vec.h"
#include "target/maps.h"
#include "target/process.h"
#include "target/runtime.h"
#include "target/semaphore.h"

struct target *target__new(struct process *process, uint32_t index, unsigned int levels)
{
	struct target *target = calloc(1, sizeof(*target));

	if (!target) {
		process__free(process);
		error_errno(-ENOMEM, "no memory");
		return NULL;
	}
	target->index = index;
	target->process = process;
	target->leader_gone = process->firstfd >= 0;
	target->wanted = levels;
	target->exit_status = -1;
	target->slot = NO_SLOT;
	target->opening_ns = clock__monotonic_ns();
	target->memory_fd = semaphore__open_memory(process);
	target->opened_ns = clock__monotonic_ns();
	return target;
}

void target__see(struct target *target, struct process *process)
{
	process__free(target->process);
	target->process = process;
	target->leader_gone = process->firstfd >= 0;
	target->unseen = false;
	files__close(&target->memory_fd);
	target->memory_fd = semaphore__open_memory(process);
	target->opened_ns = clock__monotonic_ns();
}

void target__free(struct target *target)
{
	if (!target)
		return;
	links__free(&target->links);
	modules__free(&target->modules);
	runtime__free(target->runtime);
	process__free(target->process);
	process__free(target->candidate);
	files__close(&target->memory_fd);
	buf__free(&target->said);
	free(target);
}

bool target__wants_moves(const struct target *target)
{
	return target->wanted & (target->runtime->kind == RUNTIME_HOTSPOT ? LEVEL_EXACT_MOVES :
									    LEVEL_MOVES);
}

/* ---- What there is ---- */

static void warn_of_skipped(struct target *target)
{
	const char *line = buf__str(&target->modules.skipped);
	const char *end;

	if (strcmp(line, buf__str(&target->said)) == 0)
		return;
	buf__reset(&target->said);
	buf__add_str(&target->said, line);
	for (; (end = strchr(line, '\n')) != NULL; line = end + 1)
		warning("pid %d: not looked into for probes: %.*s", target->process->pid,
			(int)(end - line), line);
}

static void warn_of_build(struct target *target)
{
	struct buf text = BUF_INIT;

	if (!target->runtime->has_agent || target->knows_build)
		return;
	target->knows_build = true;
	if (agent_build__differs(&target->modules, &text))
		warning("pid %d has gctrace's agent, but %s", target->process->pid,
			buf__str(&text));
	buf__free(&text);
}

static int scan(struct target *target, const struct attacher *attacher, struct maps *maps)
{
	struct buf why = BUF_INIT;
	struct runtime *runtime;
	int err = maps__read(maps, target->process);

	if (err == 0)
		err = modules__scan_maps(&target->modules, target->process, maps,
					 attacher->notes, &why);
	if (err == 0) {
		runtime = runtime__identify(target->process, maps, &target->modules);
		if (runtime) {
			runtime__free(target->runtime);
			target->runtime = runtime;
			warn_of_build(target);
		} else {
			err = -ENOMEM;
		}
		warn_of_skipped(target);
	}
	if (err && err != -ESRCH)
		error_errno(err, "pid %d cannot be looked at%s%s", target->process->pid,
			    why.len ? ": " : "", buf__str(&why));
	buf__free(&why);
	return err;
}

/* ---- Slot and losses ---- */

static void wait_for_reaper(void *context)
{
	reaper__wait(context);
}

static int take_slot(struct target *target, const struct attacher *attacher)
{
	int err = tables__take_slot(attacher->tables, target->index, wait_for_reaper,
				    attacher->reaper, &target->slot);

	if (err)
		return err;
	return tables__losses(attacher->tables, target->slot, &target->before);
}

static void subtract(struct loss_counts *from, const struct loss_counts *what)
{
	for (int kind = 0; kind < BPF_LOSS_KINDS; kind++) {
		from->records[kind] -= what->records[kind];
		from->entries[kind] -= what->entries[kind];
	}
}

int target__losses(const struct target *target, const struct tables *tables,
		   struct loss_counts *losses)
{
	int err;

	*losses = target->losses;
	if (target->slot == NO_SLOT)
		return 0;
	err = tables__losses(tables, target->slot, losses);
	if (err == 0)
		subtract(losses, &target->before);
	return err;
}

int target__pass(struct target *old, struct target *new, struct tables *tables)
{
	int err;

	new->links = old->links;
	old->links = (struct links)LINKS_INIT;
	new->gone = old->gone;
	if (old->slot == NO_SLOT)
		return 0;
	err = tables__losses(tables, old->slot, &new->before);
	if (err == 0)
		err = target__losses(old, tables, &old->losses);
	new->slot = old->slot;
	old->slot = NO_SLOT;
	return err ? err : tables__pass_slot(tables, new->slot, new->index);
}

void target__close(struct target *target, struct tables *tables)
{
	struct loss_counts losses;

	if (target__losses(target, tables, &losses) == 0)
		target->losses = losses;
	tables__give_slot(tables, target->slot);
	target->slot = NO_SLOT;
	modules__free(&target->modules);
	buf__free(&target->said);
	process__forget_arguments(target->process);
	files__close(&target->memory_fd);
	files__close(&target->process->procfd);
	files__close(&target->process->firstfd);
	files__close(&target->process->pidfd);
}

/* ---- Attaching ---- */

static const struct module *module_of(const struct target *target, const struct link_site *site)
{
	const struct module *module = target->modules.first;

	while (module && (module->dev != site->dev || module->inode != site->inode))
		module = module->next;
	return module;
}

/* Links that were taken over may be in files that this image does not map. */
static void count(struct target *target)
{
	target->attached = target->failed = target->on = 0;
	for (size_t i = 0; i < target->links.count; i++) {
		const struct link *link = &target->links.items[i];

		if (!module_of(target, &link->site))
			continue;
		target->failed += link->error != 0;
		target->attached += link->error == 0;
		if (link->error == 0)
			target->on |= link->site.levels & target->wanted;
	}
}

/* Sites are attached that could not be before: what they would have told is missed, and counted. */
static void tell_retried(struct target *target)
{
	size_t count = 0;

	for (size_t i = 0; i < target->links.count; i++)
		count += target->links.items[i].site.failed && !target->links.items[i].error;
	if (!count)
		return;
	for (size_t i = 0; i < target->links.count; i++)
		if (!target->links.items[i].error)
			target->links.items[i].site.failed = false;
	note("pid %d: %zu %s of probes that could not be attached before %s attached now; what "
	     "happened there until now is missed", target->process->pid, count,
	     count == 1 ? "site" : "sites", count == 1 ? "is" : "are");
}

/* Of thousands of sites it would be said thousands of times. */
static void tell_crowded_out(struct target *target, size_t count)
{
	struct rlimit limit = { .rlim_cur = 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	warning("pid %d: %zu %s of probes could not be attached: that takes a descriptor each, and"
		" gctrace may have no more than %llu (ulimit -n): give it more",
		target->process->pid, count, count == 1 ? "site" : "sites",
		(unsigned long long)limit.rlim_cur);
}

/*
 * Say what failed, once for each, and why once for all where they have the same reason. 0, or
 * -ESRCH: it is gone.
 */
static int judge(struct target *target)
{
	size_t crowded_out = 0;
	int said = 0;

	for (size_t i = 0; i < target->links.count; i++) {
		struct link *link = &target->links.items[i];

		if (link->error == 0 || link->left_out)
			continue;
		if (link->error == -ESRCH || !thread__living(target))
			return -ESRCH;
		if (link->site.failed)
			continue;
		link->site.failed = true;
		target->unattached++;
		if (link->error == -EMFILE && ++crowded_out)
			continue;
		warning("pid %d: probe %s in %s could not be attached: %s", target->process->pid,
			link->site.probe, escape(module_of(target, &link->site)->name),
			strerror(-link->error));
		if (link->error != said && (link->error == -EPERM || link->error == -EACCES))
			said = kernel__explain(link->error, "attaching a uprobe");
	}
	if (crowded_out)
		tell_crowded_out(target, crowded_out);
	return said && target->attached == 0 ? said : 0;
}

int target__attach(struct target *target, const struct attacher *attacher)
{
	const bool first = !target->runtime;
	const pid_t thread = thread__living(target);
	struct maps maps = MAPS_INIT;
	size_t tried = 0;
	int err;

	target->look = false;
	if (target->gone)
		links__detach_thread(&target->links, target->gone);
	/* A new image is attached to late, as any. */
	target->gap |= target->gone && thread && !first;
	target->gone = 0;
	err = thread ? 0 : -ESRCH;
	if (err == 0 && target->leader_gone)
		err = process__look_by(target->process, thread);
	if (err == 0)
		err = scan(target, attacher, &maps);
	if (err == 0 && target->modules.count && target->slot == NO_SLOT)
		err = take_slot(target, attacher);
	if (err == 0)
		err = cause__look(target, attacher);
	if (err == 0)
		err = sites__attach(target, attacher, &maps, &tried);
	count(target);
	if (err == 0)
		tell_retried(target);
	if (err == 0)
		err = judge(target);
	if (first && (tried || !target->attached))
		target->attached_ns = 0;
	if (err == 0 && target->attached && !target->attached_ns)
		err = in_progress__look(target, &maps);
	maps__free(&maps);
	return err;
}

int target__identify(struct target *target, const struct attacher *attacher)
{
	struct maps maps = MAPS_INIT;
	int err = thread__living(target) ? scan(target, attacher, &maps) : -ESRCH;

	maps__free(&maps);
	return err ? err : cause__look(target, attacher);
}

void target__detach(struct target *target)
{
	links__detach(&target->links);
	target->attached = 0;
}

void target__thread_exited(struct target *target, pid_t tid)
{
	if (tid == target->process->pid)
		target->leader_gone = true;
	for (size_t i = 0; i < target->links.count; i++) {
		if (target->links.items[i].site.tid == tid) {
			target->gone = tid;
			target->gone_ns = clock__monotonic_ns();
			target->look = true;
			break;
		}
	}
}
