/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads of a process, with a row for each, as the programs of bpf/sample.bpf.c find them: by
 * a walk along the process's list of threads where the kernel lets a program do that (Linux 6.7)
 * and its room is enough, else by a visit to all threads of the host. Both find each thread that is
 * there all the time, once; they differ in time.
 *
 * There is a third way, an iterator for the threads of one process (Linux 6.1). It goes on from the
 * thread that it was at last, by that one's number, and takes it for the end if that thread has
 * ended meanwhile: what it finds is not all, and nobody can tell.
 *
 * Functions return 0 or negative errno.
 */
#ifndef ATTACH_CENSUS_H
#define ATTACH_CENSUS_H

#include <stdbool.h>
#include <sys/types.h>

#include "attach/sampler.h"

struct census;
struct sample_bpf;

/* The programs are loaded, and outlive it, as the options do. */
int census__new(struct sample_bpf *bpf, const struct sampler_options *options,
		struct census **out);
void census__free(struct census *census);

/* Did the last census walk? Before the first one: will it try? */
bool census__walks(const struct census *census);

/* An error of its ends the census. */
typedef int census_fn(void *context, const struct sample_thread *thread);

/* Hand on the rows of the threads that were chosen; a walk's begin with the first thread's. */
int census__take(struct census *census, census_fn *each, void *context);

/*
 * Of one thread alone, from when it was singled out until it is let be. Where the kernel cannot,
 * the rows of all are handed on.
 */
void census__single_out(struct census *census, pid_t tid);
int census__take_one(struct census *census, census_fn *each, void *context);
void census__let_be(struct census *census);

#endif
