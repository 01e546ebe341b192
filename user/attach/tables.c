/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/tables.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/kernel.h"
#include "base/report.h"
#include "base/vec.h"

enum table { RINGS, SITES, SWITCHES, LOSSES, TABLE_COUNT };

static const char *const names[TABLE_COUNT] = { "rings", "sites", "switches", "losses" };

struct tables {
	int fd[TABLE_COUNT];
	int cpus;
	VEC(struct site) sites; /* what is in the map */
	struct target_switch switches[TARGET_SLOTS];
	uint32_t fresh;	     /* slots from here on were never taken */
	VEC(uint32_t) given; /* given back, the first one first */
	struct loss_counts *by_cpu;
};

/* The array wants to know what kind of map its places will hold. */
static int make_rings(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	int ring, fd, err;

	ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "gctrace_shape", 0, 0, getpagesize(), NULL);
	if (ring < 0)
		return -errno;
	opts.inner_map_fd = ring;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "gctrace_rings", sizeof(uint32_t),
			    sizeof(uint32_t), RINGS_MAX, &opts);
	err = -errno;
	close(ring);
	return fd < 0 ? err : fd;
}

static int make(enum bpf_map_type type, const char *name, uint32_t value, uint32_t entries)
{
	int fd = bpf_map_create(type, name, sizeof(uint32_t), value, entries, NULL);

	return fd < 0 ? -errno : fd;
}

static int make_all(struct tables *tables)
{
	tables->fd[RINGS] = make_rings();
	tables->fd[SITES] = make(BPF_MAP_TYPE_ARRAY, "gctrace_sites", sizeof(struct site),
				 TABLES_SITES);
	tables->fd[SWITCHES] = make(BPF_MAP_TYPE_ARRAY, "gctrace_switch",
				    sizeof(struct target_switch), TARGET_SLOTS);
	tables->fd[LOSSES] = make(BPF_MAP_TYPE_PERCPU_ARRAY, "gctrace_losses",
				  sizeof(struct loss_counts), TARGET_SLOTS);
	for (int i = 0; i < TABLE_COUNT; i++)
		if (tables->fd[i] < 0)
			return kernel__explain(tables->fd[i], "making BPF maps");
	return 0;
}

int tables__new(struct tables **out)
{
	struct tables *tables = calloc(1, sizeof(*tables));
	int err;

	if (!tables)
		return error_errno(-ENOMEM, "no memory");
	tables->cpus = libbpf_num_possible_cpus();
	if (tables->cpus > 0)
		tables->by_cpu = calloc(tables->cpus, sizeof(*tables->by_cpu));
	err = make_all(tables);
	if (err == 0 && !tables->by_cpu)
		err = error_errno(tables->cpus < 0 ? tables->cpus : -ENOMEM,
				  "no counters by CPU");
	if (err) {
		tables__free(tables);
		return err;
	}
	*out = tables;
	return 0;
}

void tables__free(struct tables *tables)
{
	if (!tables)
		return;
	for (int i = 0; i < TABLE_COUNT; i++)
		if (tables->fd[i] >= 0)
			close(tables->fd[i]);
	vec__free(&tables->sites);
	vec__free(&tables->given);
	free(tables->by_cpu);
	free(tables);
}

const char *tables__name(size_t n)
{
	return n < TABLE_COUNT ? names[n] : NULL;
}

int tables__fd(const struct tables *tables, size_t n)
{
	return tables->fd[n];
}

/* ---- Cookies ---- */

int tables__site(struct tables *tables, const struct site *site, uint32_t *number)
{
	uint32_t n;

	for (n = 0; n < tables->sites.count; n++) {
		if (memcmp(&tables->sites.items[n], site, sizeof(*site)) == 0) {
			*number = n;
			return 0;
		}
	}
	if (n == TABLES_SITES) {
		error("more than %u different layouts of probes' arguments in one session: "
		      "trace fewer kinds of programs at once", TABLES_SITES);
		return -ENOSPC;
	}
	if (vec__push(&tables->sites, *site))
		return error_errno(-ENOMEM, "no memory");
	if (bpf_map_update_elem(tables->fd[SITES], &n, site, BPF_ANY))
		return error_errno(errno, "cannot tell the kernel where arguments are");
	*number = n;
	return 0;
}

uint64_t tables__cookie(uint32_t slot, uint32_t site)
{
	return (uint64_t)slot << 32 | site;
}

/* ---- Slots ---- */

static int tell(struct tables *tables, uint32_t slot)
{
	int err = bpf_map_update_elem(tables->fd[SWITCHES], &slot, &tables->switches[slot],
				      BPF_ANY);

	return err ? -errno : 0;
}

int tables__take_slot(struct tables *tables, uint32_t index, void (*wait)(void *context),
		      void *context, uint32_t *slot)
{
	int err;

	if (tables->fresh < TARGET_SLOTS) {
		*slot = tables->fresh++;
	} else if (tables->given.count) {
		wait(context);
		*slot = tables->given.items[0];
		tables->given.count--;
		memmove(tables->given.items, tables->given.items + 1,
			tables->given.count * sizeof(*tables->given.items));
	} else {
		error("one gctrace attaches to at most %u processes at the same time",
		      TARGET_SLOTS);
		return -ENOSPC;
	}
	tables->switches[*slot] = (struct target_switch){ .index = index };
	err = tell(tables, *slot);
	return err ? error_errno(err, "cannot tell the kernel of a target") : 0;
}

/* Without memory to remember it, it is not used again. */
void tables__give_slot(struct tables *tables, uint32_t slot)
{
	if (slot != NO_SLOT)
		vec__push(&tables->given, slot);
}

int tables__pass_slot(struct tables *tables, uint32_t slot, uint32_t index)
{
	tables->switches[slot].index = index;
	tables->switches[slot].cause = 0;
	return tell(tables, slot);
}

int tables__set_dumping(struct tables *tables, uint32_t slot, bool dumping)
{
	tables->switches[slot].dumping = dumping;
	return tell(tables, slot);
}

int tables__set_cause(struct tables *tables, uint32_t slot, uint64_t address)
{
	tables->switches[slot].cause = address;
	return tell(tables, slot);
}

int tables__losses(const struct tables *tables, uint32_t slot, struct loss_counts *sum)
{
	memset(sum, 0, sizeof(*sum));
	if (bpf_map_lookup_elem(tables->fd[LOSSES], &slot, tables->by_cpu))
		return error_errno(errno, "cannot read the counts of lost records");
	for (int cpu = 0; cpu < tables->cpus; cpu++) {
		for (int kind = 0; kind < BPF_LOSS_KINDS; kind++) {
			sum->records[kind] += tables->by_cpu[cpu].records[kind];
			sum->entries[kind] += tables->by_cpu[cpu].entries[kind];
		}
	}
	return 0;
}

/* ---- Rings ---- */

/* Each change is a grace period (10 ms), so they are made at once where the kernel can (5.16). */
int tables__set_rings(struct tables *tables, uint32_t place, const int *map_fds, uint32_t count)
{
	uint32_t places[RINGS_MAX], done = count;

	for (uint32_t i = 0; i < count; i++)
		places[i] = place + i;
	if (count > 1 &&
	    bpf_map_update_batch(tables->fd[RINGS], places, map_fds, &done, NULL) == 0)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		if (bpf_map_update_elem(tables->fd[RINGS], &places[i], &map_fds[i], BPF_ANY))
			return -errno;
	return 0;
}

int tables__take_ring(struct tables *tables, uint32_t place)
{
	return bpf_map_delete_elem(tables->fd[RINGS], &place) ? -errno : 0;
}
