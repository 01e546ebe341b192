/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/sites.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "attach/cause.h"
#include "attach/kernel.h"
#include "attach/operand.h"
#include "attach/probe.h"
#include "attach/programs.h"
#include "attach/tables.h"
#include "attach/target.h"
#include "attach/thread.h"
#include "base/files.h"
#include "base/report.h"
#include "base/vec.h"
#include "target/process.h"

#define FILES_AT_ONCE 64      /* that are open while they are attached to */
#define DESCRIPTORS_ASIDE 16

struct sites VEC_OF(struct link_site);

#define SITES_INIT { NULL, 0, 0 }

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
	target->unattached++;
	return vec__push(&target->links, link) ? error_errno(-ENOMEM, "no memory") : 0;
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
			struct sites *sites, struct module *module, const struct maps *maps)
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
	wanted = cause__function(target, attacher, module, maps, &site);
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

static int collect(struct sites *sites, struct target *target, const struct attacher *attacher,
		   struct module *module, const struct maps *maps)
{
	int err = add_function(target, attacher, sites, module, maps);

	for (size_t i = 0; err == 0 && i < probe_row_count; i++)
		if (probe_rows[i].levels & target->wanted)
			err = add_probe(target, attacher, sites, module, &probe_rows[i]);
	return err;
}

/* ---- Attaching ---- */

/* Those of a file that could not be opened: each gets a link that says why. */
static int fail(struct target *target, const struct link_site *sites, size_t count, int err)
{
	for (size_t i = 0; i < count; i++) {
		struct link link = { .site = sites[i], .perf_fd = -1, .link_fd = -1, .error = err };

		link.site.path = NULL;
		if (vec__push(&target->links, link))
			return error_errno(-ENOMEM, "no memory");
	}
	return 0;
}

/* The sites of a module that is mapped no more are nobody's. */
static int add_module(struct sites *sites, struct target *target, const struct attacher *attacher,
		      struct module *module, const struct maps *maps)
{
	const size_t before = sites->count;
	int err = collect(sites, target, attacher, module, maps);
	size_t count = sites->count - before;

	if (err || !count)
		return err;
	err = module__open(module, target->process, maps);
	if (err == 0 || err == -ESRCH)
		return err;
	sites->count = before;
	return err == -ENOENT ? 0 : fail(target, sites->items + before, count, err);
}

/*
 * While links take what descriptors they can get some are set aside, so that afterwards there are
 * enough for all else that has to be opened.
 */
static int make_links(struct target *target, const struct attacher *attacher,
		      const struct sites *sites)
{
	int aside[DESCRIPTORS_ASIDE], err;

	for (size_t i = 0; i < DESCRIPTORS_ASIDE; i++)
		aside[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	err = links__attach(&target->links, attacher->kernel, sites->items, sites->count);
	for (size_t i = 0; i < DESCRIPTORS_ASIDE; i++)
		files__close(&aside[i]);
	return err ? error_errno(err, "no memory") : 0;
}

/* Most looks find nothing new: a thread of the target may stand still for them. */
static int attach(struct target *target, const struct attacher *attacher, struct sites *sites)
{
	int err = sites->count ? make_links(target, attacher, sites) : 0;

	for (struct module *module = target->modules.first; module; module = module->next)
		module__close(module);
	vec__reset(sites);
	return err;
}

int sites__attach(struct target *target, const struct attacher *attacher, const struct maps *maps,
		  size_t *tried)
{
	struct sites sites = SITES_INIT;
	size_t open = 0, before = 0;
	int err = 0;

	for (struct module *module = target->modules.first; !err && module; module = module->next) {
		err = add_module(&sites, target, attacher, module, maps);
		*tried += sites.count - before;
		before = sites.count;
		if (err || module->fd < 0 || ++open < FILES_AT_ONCE)
			continue;
		err = attach(target, attacher, &sites);
		open = before = 0;
	}
	if (err == 0)
		err = attach(target, attacher, &sites);
	vec__free(&sites);
	return err;
}
