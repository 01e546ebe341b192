/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/agent_hotspot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "agents/hotspot/contract.h"
#include "attach/agent_file.h"
#include "attach/agent_fit.h"
#include "attach/jvm_options.h"
#include "attach/jvm_socket.h"
#include "attach/patience.h"
#include "base/escape.h"
#include "base/report.h"
#include "target/environment.h"
#include "target/maps.h"
#include "target/process.h"
#include "target/runtime.h"

#define WARNS_FROM 21 /* version of Java that warns when an agent is loaded */

/* ---------------------------------------------------------------- what can be known before */

static bool keeps_agents_out(const struct buf *options, struct buf *why)
{
	if (jvm_options__flag(options, "EnableDynamicAgentLoading", true))
		return false;
	buf__add_str(why, "it was started with -XX:-EnableDynamicAgentLoading, which keeps every"
			  " agent out: start it without that, or by gctrace run --load-agent;"
			  " gctrace heap --via jvm needs no agent");
	return true;
}

bool agent_hotspot__is_refused(const struct process *process, const struct maps *maps,
			       const struct runtime *runtime, struct buf *why)
{
	struct buf options = BUF_INIT;
	const bool refused = jvm_options__read(process, &options, why) ||
			     agent_fit__is_refused(process, maps, 0, why) ||
			     keeps_agents_out(&options, why) ||
			     jvm_socket__is_refused(process, runtime, &options, why);

	buf__free(&options);
	return refused;
}

/* ---------------------------------------------------------------- loading */

struct loading {
	const struct process *process;
	const char *library, *options;
	struct patience *patience;
	bool warns; /* the JVM does, of each agent */
	bool tells; /* it is there, and is given options */
	struct buf environment;
	struct buf *why;
};

/* The JVM warns on its own stderr, which the operator may look at or be woken by. */
static void say_what_comes(const struct loading *loading, const struct agent_file *file)
{
	struct buf text = BUF_INIT;

	process__describe(loading->process, &text);
	if (loading->tells)
		buf__printf(&text, " is asked by its attach socket to tell gctrace's agent %s",
			    loading->options);
	else
		buf__printf(&text, " is asked by its attach socket to load gctrace's agent: %s",
			    escape(loading->library));
	if (file->way != AGENT_BY_ITS_PATH) {
		buf__add_str(&text, ", as ");
		agent_file__describe(file, &text);
	}
	if (loading->warns)
		buf__add_str(&text, "; it will warn of that on its own standard error (\"A JVM TI"
				    " agent has been loaded dynamically\"; started with"
				    " -XX:+EnableDynamicAgentLoading it does not)");
	note("%s", buf__str(&text));
	buf__free(&text);
}

/* "return code: 4001"; Java 8 says the number alone. False: there is none. */
static bool find_code(const struct buf *answer, long *code)
{
	static const char prefix[] = "return code: ";
	const char *at = strstr(buf__str(answer), prefix);
	char *end;

	at = at ? at + sizeof(prefix) - 1 : buf__str(answer);
	*code = strtol(at, &end, 10);
	return end != at;
}

static const char *meaning_of(long code)
{
	switch (code) {
	case GCTRACE_HOTSPOT_TOO_OLD:
		return "the JVM is too old for the agent, or of another make";
	case GCTRACE_HOTSPOT_NO_MEMORY:
		return "there was no memory for the agent's buffers or thread";
	default:
		return "the agent has declined";
	}
}

/* Those of later Java say it themselves, for others the agent does. */
static bool is_too_early(const struct buf *answer)
{
	long code;

	return strstr(buf__str(answer), "only permitted in the live phase") ||
	       (find_code(answer, &code) && code == GCTRACE_HOTSPOT_TOO_EARLY);
}

/* 1: this way was no way. */
static int judge(struct loading *loading, const char *path, int said, const struct buf *answer)
{
	struct buf *why = loading->why;
	long code = 0;
	const bool has_code = find_code(answer, &code);

	if (said == 0 && has_code && code == 0)
		return 0;
	if (said == 0 && has_code && code == GCTRACE_HOTSPOT_ALREADY_THERE)
		return -EEXIST;
	if (is_too_early(answer)) {
		buf__reset(why);
		buf__add_str(why, "it is still starting, and takes no agents until it has: try"
				  " again then, or use gctrace run --load-agent");
		return -EAGAIN;
	}
	if (has_code && code > 10) {
		buf__reset(why);
		buf__printf(why, "%s (%ld)", meaning_of(code), code);
		return -ENOEXEC;
	}
	if (strstr(buf__str(answer), "Dynamic agent loading is not enabled")) {
		buf__reset(why);
		buf__add_str(why, "it takes no agents while it runs"
				  " (-XX:-EnableDynamicAgentLoading): start it without that, or by"
				  " gctrace run --load-agent");
		return -EOPNOTSUPP;
	}
	buf__printf(why, "%s%s: the JVM could not load it", why->len ? "; " : "", escape(path));
	if (answer->len)
		buf__printf(why, " (%s)", escape_bytes(answer->data, answer->len));
	return 1;
}

static int try(struct loading *loading, enum agent_way way)
{
	struct buf answer = BUF_INIT;
	struct agent_file file;
	int err, left;

	if (agent_file__place(&file, loading->process, loading->library, way,
			      environment__get(&loading->environment, "TMPDIR"), loading->why))
		return 1;
	say_what_comes(loading, &file);
	/* The file stays meanwhile: a second copy would be another library. */
	do {
		buf__reset(&answer);
		err = jvm_socket__ask(loading->process,
				      &(struct jvm_question){ "load", { file.path, "true",
								  loading->options } },
				      loading->patience, &answer, loading->why);
	} while (err >= 0 && is_too_early(&answer) && patience__wait(loading->patience));
	left = agent_file__remove(&file);
	if (left && process__alive(loading->process))
		warning("%s is left in the view of pid %d: %s", escape(file.path),
			loading->process->pid, strerror(-left));
	if (err >= 0)
		err = judge(loading, file.path, err, &answer);
	buf__free(&answer);
	return err;
}

static int try_each_way(struct loading *loading)
{
	struct buf *why = loading->why, tried = BUF_INIT;
	int err = 1;

	for (int way = AGENT_BY_ITS_PATH; way < AGENT_WAYS && err > 0; way++)
		err = try(loading, (enum agent_way)way);
	if (err <= 0)
		return err;
	buf__add(&tried, why->data, why->len);
	buf__reset(why);
	buf__printf(why, "there is no place from which it could load the library (%s): put a copy"
		    " where its user can read it and it may be executed, or run gctrace as root",
		    buf__str(&tried));
	buf__free(&tried);
	return -ENOEXEC;
}

int agent_hotspot__load(const struct process *process, const struct runtime *runtime,
			const char *library, const char *options, struct patience *patience,
			struct buf *why)
{
	struct loading loading = {
		.warns = jvm_socket__major(runtime) >= WARNS_FROM,
		.process = process, .library = library, .options = options,
		.patience = patience, .why = why,
	};
	int err = environment__read(process, &loading.environment);

	if (err)
		agent_fit__tell_unreadable(process, err, why);
	else
		err = try_each_way(&loading);
	buf__free(&loading.environment);
	return err;
}

/* A copy of the library that it was loaded from is gone, and another one would be another agent. */
static bool is_from(const struct maps *maps, const char *library)
{
	const struct map *map = NULL;
	struct stat here;

	if (stat(library, &here))
		return false;
	while ((map = maps__next_file(maps, map)))
		if (map->inode == here.st_ino && map->major == major(here.st_dev) &&
		    map->minor == minor(here.st_dev))
			return true;
	return false;
}

int agent_hotspot__tell(const struct process *process, const struct maps *maps,
			const char *library, const char *options, struct patience *patience,
			struct buf *why)
{
	struct loading loading = {
		.process = process, .library = library, .options = options,
		.patience = patience, .why = why, .tells = true,
	};
	int err;

	if (!is_from(maps, library))
		return -EXDEV;
	err = try(&loading, AGENT_BY_ITS_PATH);
	return err > 0 ? -EXDEV : err;
}
