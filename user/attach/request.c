/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/request.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attach/session_private.h"
#include "attach/thread.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/report.h"
#include "base/vec.h"
#include "target/process.h"
#include "target/semaphore.h"

#define LOOK_NS (50 * NS_PER_MS)

/*
 * Where the request's probe is: a process may hold several producers. The module is a copy with a
 * descriptor of its own, since the target's goes when that ends.
 */
struct place {
	struct module module;
	const struct note_probe *probe;
};

struct request {
	const struct kernel *kernel;
	struct target *target;
	char name[32]; /* of the probe */
	VEC(struct place) places;
	VEC(struct link_site) sites;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool started, ending;
	bool wanted; /* what was asked for last */
	bool has_leftover; /* perhaps */
	bool up;     /* what is */
	int error;   /* of the last attempt to raise it */
	struct links links; /* only touched by who makes `up` change */
};

/* ---- Making one ---- */

static int has_ended(const struct request *request)
{
	return error_errno(-ESRCH, "pid %d has ended", request->target->process->pid);
}

/*
 * Its memory goes some moments before its threads: nothing is mapped then, though they are there.
 */
static bool is_ending(const struct request *request)
{
	const pid_t thread = thread__living(request->target);

	return !thread || !thread__is_there(request->target, thread);
}

static int add_place(struct request *request, const struct module *module,
		     const struct note_probe *probe)
{
	struct place place = { .module = *module, .probe = probe };
	int err;

	place.module.fd = -1;
	err = module__open(&place.module, request->target->process, NULL);
	if (err && is_ending(request))
		return has_ended(request);
	if (err)
		return error_errno(err, "cannot open %s", escape(module->name));
	if (vec__push(&request->places, place)) {
		module__close(&place.module);
		return error_errno(-ENOMEM, "no memory");
	}
	notes__share(module->notes);
	return 0;
}

/* Without a semaphore nobody in the target would see it. */
static int add_sites(struct request *request, const struct place *place, int program, bool multi)
{
	struct link_site site = {
		.path = place->module.path,
		.tid = thread__living(request->target),
		.dev = place->module.dev,
		.inode = place->module.inode,
		.probe = request->name,
		.program = program,
		.multi = multi,
	};

	if (!site.tid)
		return has_ended(request);
	for (size_t i = 0; i < place->probe->site_count; i++) {
		site.offset = place->probe->sites[i].offset;
		site.semaphore_offset = place->probe->sites[i].semaphore_offset;
		if (site.semaphore_offset && vec__push(&request->sites, site))
			return error_errno(-ENOMEM, "no memory");
	}
	return 0;
}

static int find_places(struct request *request)
{
	const struct module *module = request->target->modules.first;
	int err = 0;

	for (; err == 0 && module; module = module->next) {
		const struct note_probe *probe = notes__find(
			module->notes, provider__name(PROVIDER_GCTRACE), request->name);

		if (probe)
			err = add_place(request, module, probe);
	}
	return err;
}

static int find_sites(struct request *request, struct session *session)
{
	/* Links of many sites are made for the first thread. */
	bool multi = request->kernel->multi && !request->target->leader_gone;
	int program, err = 0;

	program = programs__find(session->programs, PROVIDER_GCTRACE, "request", multi);
	if (program < 0)
		return program;
	for (size_t i = 0; err == 0 && i < request->places.count; i++)
		err = add_sites(request, &request->places.items[i], program, multi);
	if (err || request->sites.count)
		return err;
	error("pid %d has no probe %s with a semaphore, so it cannot be asked for that; a runtime "
	      "built with <gctrace/probes.h>, or an agent, has one",
	      request->target->process->pid, request->name);
	return -ENOENT;
}

int request__new(struct session *session, struct target *target, const char *name,
		 struct request **out)
{
	struct request *request = calloc(1, sizeof(*request));
	int err;

	if (!request)
		return error_errno(-ENOMEM, "no memory");
	pthread_mutex_init(&request->lock, NULL);
	pthread_cond_init(&request->changed, NULL);
	request->kernel = &session->kernel;
	request->target = target;
	snprintf(request->name, sizeof(request->name), "request__%s", name);
	err = find_places(request);
	if (err == 0)
		err = find_sites(request, session);
	if (err) {
		request__free(request);
		return err;
	}
	*out = request;
	return 0;
}

void request__free(struct request *request)
{
	if (!request)
		return;
	if (request->started) {
		pthread_mutex_lock(&request->lock);
		request->ending = true;
		request->wanted = false;
		pthread_cond_broadcast(&request->changed);
		pthread_mutex_unlock(&request->lock);
		pthread_join(request->thread, NULL);
	}
	links__free(&request->links);
	for (size_t i = 0; i < request->places.count; i++) {
		module__close(&request->places.items[i].module);
		notes__free(request->places.items[i].module.notes);
	}
	vec__free(&request->places);
	vec__free(&request->sites);
	pthread_cond_destroy(&request->changed);
	pthread_mutex_destroy(&request->lock);
	free(request);
}

/* ---- Others ---- */

int request__is_taken(const struct request *request)
{
	if (request->target->state != TARGET_LIVE)
		return -ESRCH;
	for (size_t i = 0; i < request->places.count; i++) {
		const struct place *place = &request->places.items[i];
		uint16_t value;
		int err = semaphore__read(request->target->process->pid,
					  request->target->memory_fd, &place->module,
					  place->probe, &value);

		if (err)
			return err;
		if (value)
			return 1;
	}
	return 0;
}

int request__wait(struct request *request, uint64_t timeout_ns, bool (*go_on)(void *context),
		  void *context)
{
	uint64_t end = clock__monotonic_ns() + timeout_ns;
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	bool said = false;
	int taken;

	while ((taken = request__is_taken(request)) > 0) {
		if (!said)
			note("another tracer asks pid %d for the same (%s): waiting until it is "
			     "done", request->target->process->pid, request->name);
		said = true;
		if (clock__monotonic_ns() >= end)
			return -EBUSY;
		if (go_on && !go_on(context))
			return -EINTR;
		nanosleep(&pause, NULL);
	}
	if (taken < 0)
		return error_errno(taken, "pid %d: the semaphore of %s cannot be read",
				   request->target->process->pid, request->name);
	return 0;
}

/* ---- Up and down ---- */

static int attach(struct request *request)
{
	int err = links__attach(&request->links, request->kernel, request->sites.items,
				request->sites.count);

	/* In all producers, or in none. */
	for (size_t i = 0; err == 0 && i < request->links.count; i++)
		err = request->links.items[i].error;
	if (err)
		links__detach(&request->links);
	return err;
}

/* Make `up` what is wanted. With the lock held; lets go of it while the kernel works. */
static void follow(struct request *request)
{
	bool up = request->wanted;
	int err = 0;

	pthread_mutex_unlock(&request->lock);
	if (up)
		err = attach(request);
	else
		links__detach(&request->links);
	pthread_mutex_lock(&request->lock);
	request->error = err;
	request->up = up && err == 0;
	if (err) /* not again and again */
		request->wanted = false;
	pthread_cond_broadcast(&request->changed);
}

/*
 * With the lock held; lets go of it while the kernel works. What is attached once more and let go
 * of is lowered, where nobody else is attached.
 */
static void lower_leftover(struct request *request)
{
	request->has_leftover = false;
	pthread_mutex_unlock(&request->lock);
	if (attach(request) == 0)
		links__detach(&request->links);
	pthread_mutex_lock(&request->lock);
}

static void *run(void *argument)
{
	struct request *request = argument;

	pthread_mutex_lock(&request->lock);
	while (!request->ending || request->up) {
		if (request->wanted != request->up)
			follow(request);
		else if (request->has_leftover && !request->up)
			lower_leftover(request);
		else
			pthread_cond_wait(&request->changed, &request->lock);
	}
	pthread_mutex_unlock(&request->lock);
	return NULL;
}

/* All signals are for the others. With the lock held. */
static bool start(struct request *request)
{
	sigset_t all, before;

	if (request->started)
		return true;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	request->started = pthread_create(&request->thread, NULL, run, request) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return request->started;
}

void request__set(struct request *request, bool up)
{
	pthread_mutex_lock(&request->lock);
	request->wanted = up;
	if (start(request))
		pthread_cond_broadcast(&request->changed);
	else if (request->wanted != request->up)
		follow(request);
	pthread_mutex_unlock(&request->lock);
}

void request__lower_leftover(struct request *request)
{
	pthread_mutex_lock(&request->lock);
	request->has_leftover = true;
	if (start(request))
		pthread_cond_broadcast(&request->changed);
	else if (!request->up)
		lower_leftover(request);
	pthread_mutex_unlock(&request->lock);
}

int request__raise(struct request *request)
{
	int err;

	request__set(request, true);
	pthread_mutex_lock(&request->lock);
	while (request->wanted && !request->up)
		pthread_cond_wait(&request->changed, &request->lock);
	err = request->up ? 0 : request->error;
	pthread_mutex_unlock(&request->lock);
	if (err == -ESRCH)
		error("pid %d has ended", request->target->process->pid);
	else if (err)
		kernel__explain(err, "asking the target by its probe");
	return err;
}

bool request__is_up(const struct request *request)
{
	return __atomic_load_n(&request->up, __ATOMIC_RELAXED);
}
