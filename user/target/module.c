/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What libbpf (1.1 to 1.7) does with `path`: it opens it to read the notes once more, and
 * gives it to perf_event_open() or the uprobe_multi link. On kernels with BPF cookies
 * (5.15 on) it does not look it up in /proc/PID/maps. Opening it again by /proc/self/fd/N
 * is a permission check on the file, made with the rights of that moment.
 */
#include "module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/files.h"
#include "../base/refuse.h"
#include "mapped_file.h"
#include "maps.h"
#include "note_cache.h"
#include "process.h"

static const char *const provider_names[PROVIDER_COUNT] = {
	[PROVIDER_GCTRACE] = "gctrace",
	[PROVIDER_HOTSPOT] = "hotspot",
	[PROVIDER_HS_PRIVATE] = "hs_private",
	[PROVIDER_PYTHON] = "python",
	[PROVIDER_RUBY] = "ruby",
};

/* A process may map as many files as it likes, and each is read. */
#define MODULES_FILES 4096u
#define MODULES_NS (20 * NS_PER_S)

struct scan {
	const struct process *process;
	const struct maps *maps;
	struct note_cache *cache;
	struct modules *modules;
};

const char *provider__name(enum provider provider)
{
	return provider_names[provider];
}

enum provider provider__find(const char *name)
{
	for (unsigned int i = 0; i < PROVIDER_COUNT; i++)
		if (strcmp(provider_names[i], name) == 0)
			return (enum provider)i;
	return PROVIDER_COUNT;
}

static void skip(struct scan *scan, const struct map *map, int err, const char *reason)
{
	struct buf *out = &scan->modules->skipped;

	escape__add(out, map->path, map->path_len);
	if (reason && *reason)
		buf__printf(out, " %s\n", reason);
	else if (err == -EPERM || err == -EACCES)
		buf__printf(out, ": no right to open it: run gctrace as root, or give it"
			    " CAP_SYS_PTRACE and CAP_CHECKPOINT_RESTORE\n");
	else if (err == -ESTALE)
		buf__printf(out, ": another file has taken its place since it was mapped;"
			    " CAP_CHECKPOINT_RESTORE is needed to open the mapped one\n");
	else
		buf__printf(out, ": %s\n", strerror(-err));
}

static unsigned int providers_of(const struct notes *notes)
{
	unsigned int set = 0;

	for (unsigned int i = 0; i < PROVIDER_COUNT; i++)
		if (notes__has_provider(notes, provider_names[i]))
			set |= 1U << i;
	return set;
}

static struct module *find_mapped(const struct modules *modules, const struct map *map)
{
	for (struct module *m = modules->first; m; m = m->next)
		if (m->map_inode == map->inode && m->map_major == map->major &&
		    m->map_minor == map->minor)
			return m;
	return NULL;
}

static struct module *module__new(const struct map *map, int fd, struct notes *notes)
{
	struct module *module = calloc(1, sizeof(*module));
	struct stat st;

	if (!module || fstat(fd, &st)) {
		free(module);
		return NULL;
	}
	module->fd = -1;
	module->name = strdup(map->path);
	module->dev = st.st_dev;
	module->inode = st.st_ino;
	module->map_major = map->major;
	module->map_minor = map->minor;
	module->map_inode = map->inode;
	module->deleted = map->deleted;
	module->notes = notes__share(notes);
	module->providers = providers_of(notes);
	if (module->name)
		return module;
	notes__free(notes);
	free(module);
	return NULL;
}

static void module__free(struct module *module)
{
	module__close(module);
	notes__free(module->notes);
	free(module->name);
	free(module);
}

static void append(struct modules *modules, struct module *module)
{
	struct module **end = &modules->first;

	while (*end)
		end = &(*end)->next;
	*end = module;
	modules->count++;
}

static int add_module(struct scan *scan, const struct map *map, int fd, struct notes *notes)
{
	struct module *module = module__new(map, fd, notes);

	if (!module)
		return -ENOMEM;
	module->start = map->start;
	if (!notes__bias(notes, map->start, map->offset, &module->bias)) {
		skip(scan, map, 0, "has probes, but is mapped where it has no code");
		module__free(module);
		return 0;
	}
	append(scan->modules, module);
	return 0;
}

static int scan_file(struct scan *scan, const struct map *map)
{
	struct notes *notes;
	struct buf reason = BUF_INIT;
	int err, fd = mapped_file__open(scan->process, scan->maps, map);

	if (fd == -ENODEV)
		return 0;
	if (fd == -ESRCH || fd == -EMFILE || fd == -ENFILE)
		return fd;
	if (fd < 0) {
		skip(scan, map, fd, NULL);
		return 0;
	}
	err = note_cache__read(scan->cache, fd, &notes, &reason);
	if (err && err != -ENOMEM) {
		skip(scan, map, err, buf__str(&reason));
		err = 0;
	}
	if (!err && notes)
		err = add_module(scan, map, fd, notes);
	close(fd);
	buf__free(&reason);
	return err;
}

static void moved(struct module *module, const struct map *map)
{
	uint64_t bias;

	if (module->start == map->start ||
	    !notes__bias(module->notes, map->start, map->offset, &bias))
		return;
	module->start = map->start;
	module->bias = bias;
}

int modules__scan_maps(struct modules *modules, const struct process *process,
		       const struct maps *maps, struct note_cache *cache, struct buf *why)
{
	struct scan scan = { process, maps, cache, modules };
	size_t files = 0, left = 0;
	int err = 0;

	const uint64_t end = clock__monotonic_ns() + MODULES_NS;

	buf__reset(&modules->skipped);
	for (const struct map *map = NULL; !err && (map = maps__next_file(maps, map));) {
		struct module *known = find_mapped(modules, map);

		if (known)
			moved(known, map);
		else if (files++ < MODULES_FILES && clock__monotonic_ns() < end)
			err = scan_file(&scan, map);
		else
			left++;
	}
	if (left)
		buf__printf(&modules->skipped, "%zu further files of process %d: gctrace looks"
			    " into %u at most, and for %u s\n", left, process->pid, MODULES_FILES,
			    (unsigned int)(MODULES_NS / NS_PER_S));
	if (err && why)
		buf__printf(why, err == -ESRCH ? "process %d has ended while gctrace looked at it" :
			    err == -ENOMEM ? "process %d: out of memory" :
			    err == -EMFILE ? "process %d: gctrace has as many files open as it may"
					     " (ulimit -n)" :
					     "process %d: this host has as many files open as it"
					     " may (sysctl fs.file-max)", process->pid);
	return err;
}

int modules__scan(struct modules *modules, const struct process *process,
		  struct note_cache *cache, struct buf *why)
{
	struct maps maps;
	int err = maps__read(&maps, process);

	if (err == -EACCES || err == -EPERM) {
		refuse(why, err, "no right to read /proc/%d/maps: run gctrace as root, or give it"
		       " CAP_SYS_PTRACE", process->pid);
	} else if (err) {
		refuse(why, err, "process %d: %s", process->pid,
		       err == -ESRCH ? "it has ended" : strerror(-err));
	} else {
		err = modules__scan_maps(modules, process, &maps, cache, why);
	}
	maps__free(&maps);
	return err;
}

/* By the numbers that maps had for it. */
static const struct map *map_of(const struct module *module, const struct maps *maps)
{
	const struct map *map = NULL;

	while ((map = maps__next_file(maps, map)))
		if (module->map_inode == map->inode && module->map_major == map->major &&
		    module->map_minor == map->minor)
			break;
	return map;
}

static int open_mapped(struct module *module, const struct process *process,
		       const struct maps *maps)
{
	const struct map *map = map_of(module, maps);
	int fd = map ? mapped_file__open(process, maps, map) : -ENOENT;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || st.st_dev != module->dev || st.st_ino != module->inode) {
		close(fd);
		return -ESTALE;
	}
	module->fd = fd;
	snprintf(module->path, sizeof(module->path), "/proc/self/fd/%d", fd);
	return 0;
}

int module__open(struct module *module, const struct process *process, const struct maps *maps)
{
	struct maps read = MAPS_INIT;
	int err = 0;

	if (module->fd >= 0)
		return 0;
	if (!maps)
		err = maps__read(&read, process);
	if (err == 0)
		err = open_mapped(module, process, maps ? maps : &read);
	maps__free(&read);
	return err;
}

void module__close(struct module *module)
{
	files__close(&module->fd);
	module->path[0] = 0;
}

void modules__free(struct modules *modules)
{
	struct module *next;

	for (struct module *module = modules->first; module; module = next) {
		next = module->next;
		module__free(module);
	}
	buf__free(&modules->skipped);
	*modules = (struct modules)MODULES_INIT;
}

struct module *modules__find(const struct modules *modules, const char *provider,
			     const char *name, const struct note_probe **probe)
{
	for (struct module *module = modules->first; module; module = module->next) {
		const struct note_probe *found = notes__find(module->notes, provider, name);

		if (found) {
			if (probe)
				*probe = found;
			return module;
		}
	}
	return NULL;
}

unsigned int modules__providers(const struct modules *modules)
{
	unsigned int set = 0;

	for (const struct module *module = modules->first; module; module = module->next)
		set |= module->providers;
	return set;
}
