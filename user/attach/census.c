/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/census.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "skel/sample.skel.h"

#define ROWS_AT_ONCE 256

struct census {
	struct sample_bpf *bpf;
	const struct sampler_options *options;
	struct bpf_link *visit;
	struct bpf_link *walk; /* NULL: the kernel cannot */
	struct bpf_link *one;  /* of the one thread that is singled out; NULL: of none */
	bool is_whole;	       /* the last walk found all threads; true before the first one */
	struct sample_thread rows[ROWS_AT_ONCE];
};

/* ---------------------------------------------------------------- life */

/* libbpf 1.1's header of an older kernel may not have the filter. */
struct task_filter {
	uint32_t tid, pid, pid_fd;
};

/* To be run for one thread. NULL, and errno, where an older kernel does not know the filter. */
static struct bpf_link *link_to_thread(const struct bpf_program *program, pid_t tid)
{
	struct task_filter filter = { .tid = (uint32_t)tid };
	DECLARE_LIBBPF_OPTS(bpf_iter_attach_opts, options,
			    .link_info = (union bpf_iter_link_info *)&filter,
			    .link_info_len = sizeof(filter));

	return bpf_program__attach_iter(program, &options);
}

/* A walk begins in a visit to the first thread. */
static int link_programs(struct census *census)
{
	const struct bpf_program *walk = census->bpf->progs.sample_walk;

	if (bpf_program__autoload(walk))
		census->walk = link_to_thread(walk, census->options->pid);
	census->visit = bpf_program__attach_iter(census->bpf->progs.sample_threads, NULL);
	return census->visit ? 0 : -errno;
}

int census__new(struct sample_bpf *bpf, const struct sampler_options *options,
		struct census **out)
{
	struct census *census = calloc(1, sizeof(*census));
	int err;

	if (!census)
		return -ENOMEM;
	census->bpf = bpf;
	census->options = options;
	census->is_whole = true;
	err = link_programs(census);
	if (err)
		census__free(census);
	else
		*out = census;
	return err;
}

void census__free(struct census *census)
{
	if (!census)
		return;
	bpf_link__destroy(census->one);
	bpf_link__destroy(census->walk);
	bpf_link__destroy(census->visit);
	free(census);
}

bool census__walks(const struct census *census)
{
	return census->walk && census->is_whole;
}

/* ---------------------------------------------------------------- rows */

static bool is_chosen(const struct sampler_options *options, pid_t tid)
{
	if (!options->tids)
		return true;
	for (size_t i = 0; i < options->tid_count; i++)
		if (options->tids[i] == tid)
			return true;
	return false;
}

static int hand_on(const struct census *census, const struct sample_thread *rows, size_t count,
		   census_fn *each, void *context)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		if (is_chosen(census->options, (pid_t)rows[i].tid))
			err = each(context, &rows[i]);
	return err;
}

/*
 * Have a program go its way and its rows handed on, all of them. Between two reads it goes on where
 * it was; a read that was interrupted is done again.
 */
static int run(struct census *census, const struct bpf_link *link, census_fn *each, void *context)
{
	int fd = bpf_iter_create(bpf_link__fd(link)), err = 0;
	ssize_t got = 1;

	if (fd < 0)
		return -errno;
	while (got && !err) {
		got = read(fd, census->rows, sizeof(census->rows));
		if (got > 0)
			err = hand_on(census, census->rows, (size_t)got / sizeof(*census->rows),
				      each, context);
		else if (got < 0 && errno != EINTR && errno != EAGAIN)
			err = -errno;
	}
	close(fd);
	return err;
}

/* Its rows are not read, but found where it has left them. -E2BIG: these are not all. */
static int walk(struct census *census, census_fn *each, void *context)
{
	struct sample_bpf__bss *found = census->bpf->bss;
	int err;

	found->walked = 0; /* where there is no thread any more, it does not run */
	err = run(census, census->walk, NULL, NULL);
	if (err)
		return err;
	if (found->walked == SAMPLE_WALK_ASTRAY)
		return -E2BIG;
	return hand_on(census, found->walk, found->walked, each, context);
}

/* A walk is tried each time: a process that had too many threads for it may have fewer now. */
int census__take(struct census *census, census_fn *each, void *context)
{
	int err = census->walk ? walk(census, each, context) : -E2BIG;

	census->is_whole = err != -E2BIG;
	return census->is_whole ? err : run(census, census->visit, each, context);
}

/* ---------------------------------------------------------------- one thread */

struct search {
	pid_t tid;
	bool has_found;
};

static int search(void *context, const struct sample_thread *thread)
{
	struct search *search = context;

	search->has_found |= (pid_t)thread->tid == search->tid;
	return 0;
}

/* Some kernels take the number for that of a process: attach/kernel.c. */
void census__single_out(struct census *census, pid_t tid)
{
	struct search found = { .tid = tid };

	census__let_be(census);
	census->one = link_to_thread(census->bpf->progs.sample_threads, tid);
	if (census->one && (run(census, census->one, search, &found) || !found.has_found))
		census__let_be(census);
}

void census__let_be(struct census *census)
{
	bpf_link__destroy(census->one);
	census->one = NULL;
}

int census__take_one(struct census *census, census_fn *each, void *context)
{
	if (!census->one)
		return census__take(census, each, context);
	return run(census, census->one, each, context);
}
