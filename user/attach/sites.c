/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/sites.h"

#include <errno.h>
#include <string.h>

#include "attach/cause.h"
#include "attach/kernel.h"
#include "attach/operand.h"
#include "attach/probe.h"
#include "attach/programs.h"
#include "attach/tables.h"
#include "attach/target.h"
#include "attach/thread.h"
#include "base/report.h"
#include "target/process.h"

/* A link of many sites is for a process, and ends with its first thread. */
static bool can_link_many(const struct target *target, const struct attacher *attacher)
{
	return attacher->kernel->multi && !target->leader_gone;
}

static bool same_site(const struct link_site *a, const struct link_site *b)
{
	return a->offset == b->offset && a->inode == b->inode && a->dev == b->dev &&
	       a->at_return == b->at_return && strcmp(a->probe, b->probe) == 0;
}

/*
 * One that failed is taken off the list, to be tried again; what was said of it stays with the
 * site. Those that share a descriptor stand together, so the order of the others is kept.
 */
static bool is_linked(struct target *target, struct link_site *site)
{
	struct links *links = &target->links;

	for (size_t i = 0; i < links->count; i++) {
		const struct link *link = &links->items[i];

		if (!same_site(&link->site, site))
			continue;
		if (!link->error || link->left_out)
			return true;
		site->failed = link->site.failed;
		memmove(&links->items[i], &links->items[i + 1],
			(--links->count - i) * sizeof(*links->items));
		return false;
	}
	return false;
}

/* A module has one such function, which takes long to find. */
static bool is_function_linked(const struct target *target, const struct module *module)
{
	for (size_t i = 0; i < target->links.count; i++) {
		const struct link *link = &target->links.items[i];

		if (link->site.at_return && !link->error && link->site.dev == module->dev &&
		    link->site.inode == module->inode)
			return true;
	}
	return false;
}

/* A site that is left out gets a link that is none, so that it is warned of once. */
static int leave_out(struct target *target, const struct link_site *like, int err,
		     const struct buf *why)
{
	struct link link = {
		.site = *like,
		.perf_fd = -1,
		.link_fd = -1,
		.error = err,
		.left_out = true,
	};

	warning("pid %d: a site of probe %s is left out: %s", target->process->pid, like->probe,
		buf__str(why));
	link.site.path = NULL;
	return vec__push(&target->links, link);
}

static int add_site(struct target *target, const struct attacher *attacher, struct sites *sites,
		    const struct link_site *like, const struct note_site *note, uint16_t machine)
{
	struct link_site link_site = *like;
	struct buf why = BUF_INIT;
	struct site site;
	uint32_t number;
	int err;

	link_site.offset = note->offset;
	link_site.semaphore_offset = note->semaphore_offset;
	if (is_linked(target, &link_site))
		return 0;
	err = operands__parse(note->arguments, machine, &site, &why);
	if (err) {
		err = leave_out(target, &link_site, err, &why);
		buf__free(&why);
		return err;
	}
	err = tables__site(attacher->tables, &site, &number);
	if (err)
		return err;
	link_site.cookie = tables__cookie(target->slot, number);
	if (vec__push(sites, link_site))
		return error_errno(-ENOMEM, "no memory");
	return 0;
}

static int add_probe(struct target *target, const struct attacher *attacher, struct sites *sites,
		     const struct module *module, const struct probe_row *row)
{
	struct link_site site = {
		.path = module->path,
		.tid = thread__living(target),
		.multi = can_link_many(target, attacher),
		.dev = module->dev,
		.inode = module->inode,
		.probe = row->name,
		.begins = probe__begins(row),
		.levels = row->levels,
	};
	const struct note_probe *probe;
	int err = 0;

	probe = notes__find(module->notes, provider__name(row->provider), row->name);
	if (!probe)
		return 0;
	site.program = programs__find(attacher->programs, row->provider, row->program,
				      site.multi);
	if (site.program < 0)
		return site.program;
	for (size_t i = 0; err == 0 && i < probe->site_count; i++)
		err = add_site(target, attacher, sites, &site, &probe->sites[i],
			       module->notes->machine);
	return err;
}

/* The return of a function that tells what no probe does. */
static int add_function(struct target *target, const struct attacher *attacher,
			struct sites *sites, const struct module *module)
{
	static const struct site no_arguments;
	struct link_site site = {
		.path = module->path,
		.tid = thread__living(target),
		.multi = can_link_many(target, attacher),
		.dev = module->dev,
		.inode = module->inode,
		.probe = "cause",
		.levels = LEVEL_COLLECTIONS,
	};
	uint32_t number;
	int wanted, err;

	if (!(target->wanted & site.levels) || is_function_linked(target, module))
		return 0;
	wanted = cause__function(target, attacher, module, &site);
	if (wanted <= 0)
		return wanted;
	if (is_linked(target, &site))
		return 0;
	err = tables__site(attacher->tables, &no_arguments, &number);
	if (err)
		return err;
	site.cookie = tables__cookie(target->slot, number);
	if (vec__push(sites, site))
		return error_errno(-ENOMEM, "no memory");
	return 0;
}

int sites__collect(struct sites *sites, struct target *target,
		   const struct attacher *attacher)
{
	int err = 0;

	for (struct module *module = target->modules.first; module; module = module->next) {
		err = add_function(target, attacher, sites, module);
		if (err)
			return err;
	}

	for (size_t i = 0; i < probe_row_count; i++) {
		const struct probe_row *row = &probe_rows[i];

		if (!(row->levels & target->wanted))
			continue;
		for (struct module *module = target->modules.first; module; module = module->next) {
			err = add_probe(target, attacher, sites, module, row);
			if (err)
				return err;
		}
	}
	return 0;
}
