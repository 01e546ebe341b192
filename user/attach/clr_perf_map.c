/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/clr_perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/clr_ipc.h"
#include "attach/clr_socket.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/keeper.h"
#include "base/report.h"
#include "base/rights.h"
#include "target/environment.h"
#include "target/perf_map.h"
#include "target/process.h"

#define ANSWER_NS (10 * NS_PER_S)
#define UNKNOWN_COMMAND 0x80131385u /* CORDIAGIPC_E_UNKNOWN_COMMAND */

struct clr_perf_map {
	const struct process *process;
	int stop_fd;
	struct buf directory; /* as the process sees it */
	char name[32];	      /* perf-PID.map */
	struct keeper keeper;
};

/* What the keeper says, when it has begun and when it has ended. */
struct begun {
	int err;
	char why[512];
};

struct ended {
	int disabled, removed; /* 0 or negative errno */
};

/* ---------------------------------------------------------------- asking */

static int refuse(struct buf *why, int err)
{
	if (err == -ENOENT || err == -ECONNREFUSED || err == -EXDEV || err == -ENOTDIR)
		buf__add_str(why, "its runtime listens on no diagnostics socket: diagnostics are"
			     " turned off (DOTNET_EnableDiagnostics), or it is still starting");
	else if (err == -EACCES || err == -EPERM)
		buf__add_str(why, "its diagnostics socket belongs to another user: run gctrace as"
			     " root, or as that user");
	else if (err == -ETIMEDOUT)
		buf__add_str(why, "its runtime has not answered within 10 s");
	else if (err == -ESRCH)
		buf__add_str(why, "it has ended meanwhile");
	else
		buf__printf(why, "its runtime has not answered: %s", strerror(-err));
	return err;
}

/* 0, also where it was refused (reply.ok tells), or negative errno. */
static int ask(const struct clr_perf_map *map, const struct buf *request, int stop_fd,
	       struct clr_reply *reply)
{
	const struct clr_wait wait = { ANSWER_NS, stop_fd };
	int fd = clr_socket__connect(map->process, buf__str(&map->directory)), err;
	struct buf bytes = BUF_INIT;

	if (fd < 0)
		return fd;
	err = clr_ipc__ask(fd, request, &wait, &bytes, reply);
	close(fd);
	buf__free(&bytes); /* only its numbers are looked at */
	reply->payload = NULL;
	return err;
}

static int enable(const struct clr_perf_map *map, struct buf *why)
{
	struct buf request = BUF_INIT;
	struct clr_reply reply;
	int err;

	clr_ipc__add_enable_perf_map(&request);
	err = ask(map, &request, map->stop_fd, &reply);
	buf__free(&request);
	if (err)
		return refuse(why, err);
	if (reply.ok)
		return 0;
	if (reply.result == UNKNOWN_COMMAND)
		buf__add_str(why, "its runtime is older than .NET 8 and writes a perf map only when"
			     " it is started with DOTNET_PerfMapEnabled=1");
	else
		buf__printf(why, "its runtime has refused to write a perf map (0x%08x)",
			    reply.result);
	return -ENOTSUP;
}

static int disable(const struct clr_perf_map *map)
{
	struct buf request = BUF_INIT;
	struct clr_reply reply;
	int err;

	clr_ipc__add_disable_perf_map(&request);
	err = ask(map, &request, -1, &reply);
	buf__free(&request);
	if (err)
		return err;
	return reply.ok ? 0 : -EREMOTEIO;
}

/* ---------------------------------------------------------------- the file */

/* As its user, so that nothing is removed that the process itself could not remove. */
static int remove_file(const struct clr_perf_map *map)
{
	const struct process *process = map->process;
	int fd = process__open_file(process, buf__str(&map->directory), O_PATH | O_DIRECTORY);
	struct rights rights;
	int err;

	if (fd < 0)
		return fd;
	err = rights__become(&rights, process->euid, process->egid);
	if (!err) {
		err = unlinkat(fd, map->name, 0) ? -errno : 0;
		rights__give_back(&rights);
	}
	close(fd);
	return err == -ENOENT ? 0 : err;
}

/* Does it write one already, because it was started so or somebody else has asked it to? */
static bool has_one(const struct clr_perf_map *map)
{
	struct perf_map *there;
	const bool has = perf_map__open(map->process, buf__str(&map->directory), &there, NULL) == 0;

	if (has)
		perf_map__free(there);
	return has;
}

static void clr_perf_map__free(struct clr_perf_map *map)
{
	buf__free(&map->directory);
	free(map);
}

/* ---------------------------------------------------------------- outside */

static void say_what_comes(const struct clr_perf_map *map)
{
	struct buf text = BUF_INIT;

	process__describe(map->process, &text);
	buf__add_str(&text, " is asked by its diagnostics socket to write the names of its compiled"
		     " methods to ");
	escape__add(&text, map->directory.data, map->directory.len);
	buf__printf(&text, "/%s, until gctrace ends; then the file is removed", map->name);
	note("%s", buf__str(&text));
	buf__free(&text);
}

/* A keeper's life. */
static int keep(void *context, int socket)
{
	const struct clr_perf_map *map = context;
	struct buf why = BUF_INIT;
	struct begun begun = { 0 };
	struct ended ended;
	char word;

	begun.err = enable(map, &why);
	snprintf(begun.why, sizeof(begun.why), "%s", buf__str(&why));
	buf__free(&why);
	if (keeper__say(socket, &begun, sizeof(begun)) > 0)
		keeper__hear(socket, &word, 1);
	if (begun.err)
		return 1;
	ended.disabled = process__alive(map->process) ? disable(map) : 0;
	ended.removed = remove_file(map);
	keeper__say(socket, &ended, sizeof(ended));
	return 0;
}

static int start(struct clr_perf_map *map, struct buf *why)
{
	struct begun begun;
	int err = keeper__start(&map->keeper, keep, map);

	if (err) {
		buf__printf(why, "a child of gctrace cannot be started: %s", strerror(-err));
		return err;
	}
	if (keeper__hear_for(map->keeper.socket, &begun, sizeof(begun), KEEPER_ANSWER_NS) !=
	    (ssize_t)sizeof(begun))
		begun = (struct begun){ -ECHILD, "gctrace's child was killed" };
	if (begun.err) {
		buf__add_str(why, begun.why);
		keeper__end(&map->keeper);
	}
	return begun.err;
}

static int set_up(struct clr_perf_map *map, const struct process *process, struct buf *why)
{
	struct buf environment = BUF_INIT;
	int err = environment__read(process, &environment);

	map->process = process;
	if (err)
		buf__printf(why, "its environment cannot be read: %s", strerror(-err));
	else
		buf__add_str(&map->directory, environment__temporary(&environment));
	buf__free(&environment);
	snprintf(map->name, sizeof(map->name), "perf-%d.map", process__inner_pid(process));
	return err ? err : map->directory.error;
}

int clr_perf_map__begin(const struct process *process, int stop_fd, struct clr_perf_map **out,
			struct buf *why)
{
	struct clr_perf_map *map = calloc(1, sizeof(*map));
	int err;

	*out = NULL;
	if (!map)
		return -ENOMEM;
	map->stop_fd = stop_fd;
	err = set_up(map, process, why);
	if (!err && has_one(map))
		err = -EEXIST;
	if (!err) {
		say_what_comes(map);
		err = start(map, why);
	}
	if (err)
		clr_perf_map__free(map);
	else
		*out = map;
	return err;
}

void clr_perf_map__end(struct clr_perf_map *map)
{
	struct ended ended = { -ECHILD, -ECHILD };

	if (!map)
		return;
	if (keeper__say(map->keeper.socket, "", 1) == 1)
		keeper__hear_for(map->keeper.socket, &ended, sizeof(ended), KEEPER_ANSWER_NS);
	keeper__end(&map->keeper);
	if (ended.disabled && process__alive(map->process))
		warning("pid %d goes on writing its perf map: %s", map->process->pid,
			strerror(-ended.disabled));
	if (ended.removed && process__alive(map->process))
		warning("%s/%s of pid %d is left: %s", escape(buf__str(&map->directory)), map->name,
			map->process->pid, strerror(-ended.removed));
	clr_perf_map__free(map);
}
