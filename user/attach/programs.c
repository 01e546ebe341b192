/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/programs.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/kernel.h"
#include "attach/object.h"
#include "attach/probe.h"
#include "attach/tables.h"
#include "base/clock.h"
#include "base/report.h"
#include "base/vec.h"

/* One loaded program; what libbpf kept of its object is gone. */
struct program {
	enum provider provider;
	bool multi;
	char name[64];
	int fd;
};

/* A program that is needed now. */
struct wish {
	enum provider provider;
	const char *name;
	bool multi;
};

struct programs {
	const struct tables *tables;
	unsigned int shards;
	bool sleepable;
	unsigned int levels; /* whose programs are loaded along with the first of an object */
	VEC(struct program) program;
	uint64_t load_ns;
};

static int share_maps(const struct programs *programs, struct bpf_object *object)
{
	const char *name;

	for (size_t i = 0; (name = tables__name(i)) != NULL; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object, name);
		int err = map ? bpf_map__reuse_fd(map, tables__fd(programs->tables, i)) : -ENOENT;

		if (err)
			return err;
	}
	return 0;
}

static const struct program *find(const struct programs *programs, const struct wish *wish,
				  const char *name)
{
	for (size_t i = 0; i < programs->program.count; i++) {
		const struct program *program = &programs->program.items[i];

		if (program->provider == wish->provider && program->multi == wish->multi &&
		    strcmp(program->name, name) == 0)
			return program;
	}
	return NULL;
}

/* What the levels asked for will want as well is loaded in one go. */
static bool is_wanted(const struct programs *programs, const struct wish *wish, const char *name)
{
	if (find(programs, wish, name))
		return false;
	if (strcmp(name, wish->name) == 0)
		return true;
	for (size_t i = 0; i < probe_row_count; i++) {
		const struct probe_row *row = &probe_rows[i];

		if (object__provider(row->provider) == wish->provider &&
		    (row->levels & programs->levels) && strcmp(row->program, name) == 0)
			return true;
	}
	return false;
}

/* The verdict is in libbpf's log, which -vv shows. */
static int load(struct programs *programs, struct bpf_object *object, const struct wish *wish)
{
	struct bpf_program *program;
	int err = share_maps(programs, object);

	if (err)
		return err;
	bpf_object__for_each_program(program, object) {
		__u32 flags = bpf_program__flags(program);

		bpf_program__set_autoload(
			program, is_wanted(programs, wish, bpf_program__name(program)));
		if (programs->sleepable)
			bpf_program__set_flags(program, flags | BPF_F_SLEEPABLE);
		if (wish->multi)
			bpf_program__set_expected_attach_type(
				program, (enum bpf_attach_type)KERNEL_ATTACH_MULTI);
	}
	return bpf_object__load(object);
}

static int keep(struct programs *programs, struct bpf_object *object, const struct wish *wish)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, object) {
		struct program kept = { .provider = wish->provider, .multi = wish->multi };

		if (!bpf_program__autoload(program))
			continue;
		snprintf(kept.name, sizeof(kept.name), "%s", bpf_program__name(program));
		kept.fd = fcntl(bpf_program__fd(program), F_DUPFD_CLOEXEC, 0);
		if (kept.fd < 0)
			return -errno;
		if (vec__push(&programs->program, kept)) {
			close(kept.fd);
			return -ENOMEM;
		}
	}
	return 0;
}

static int load_wish(struct programs *programs, const struct wish *wish)
{
	struct object object = { 0 };
	uint64_t start = clock__monotonic_ns();
	char what[96];
	int err;

	snprintf(what, sizeof(what), "loading the BPF programs for provider %s",
		 provider__name(wish->provider));
	err = object__open(&object, wish->provider, programs->shards, programs->sleepable);
	if (err == 0)
		err = load(programs, object.object, wish);
	if (err == 0)
		err = keep(programs, object.object, wish);
	object__close(&object);
	programs->load_ns += clock__monotonic_ns() - start;
	return err ? kernel__explain(err, what) : 0;
}

int programs__new(const struct kernel *kernel, const struct tables *tables, unsigned int shards,
		  struct programs **out)
{
	struct programs *programs = calloc(1, sizeof(*programs));

	if (!programs)
		return error_errno(-ENOMEM, "no memory");
	kernel__take_log();
	programs->tables = tables;
	programs->shards = shards;
	programs->sleepable = kernel->sleepable;
	*out = programs;
	return 0;
}

void programs__free(struct programs *programs)
{
	if (!programs)
		return;
	for (size_t i = 0; i < programs->program.count; i++)
		close(programs->program.items[i].fd);
	vec__free(&programs->program);
	free(programs);
}

int programs__find(struct programs *programs, enum provider provider, const char *name,
		   bool multi)
{
	struct wish wish = {
		.provider = object__provider(provider),
		.name = name,
		.multi = multi,
	};
	const struct program *program = find(programs, &wish, name);
	int err;

	if (program)
		return program->fd;
	err = load_wish(programs, &wish);
	if (err)
		return err;
	program = find(programs, &wish, name);
	if (program)
		return program->fd;
	error("no BPF program %s for provider %s: this is a bug in gctrace", name,
	      provider__name(provider));
	return -ENOENT;
}

void programs__want(struct programs *programs, unsigned int levels)
{
	programs->levels |= levels;
}

uint64_t programs__load_ns(const struct programs *programs)
{
	return programs->load_ns;
}
