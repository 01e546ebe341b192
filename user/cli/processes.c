/* SPDX-License-Identifier: BSD-2-Clause */
#include "processes.h"

#include "../base/report.h"
#include "../target/process.h"

static bool is_there(const struct processes *processes, pid_t pid)
{
	for (size_t i = 0; i < processes->count; i++)
		if (processes->items[i] && processes->items[i]->pid == pid)
			return true;
	return false;
}

static int open_word(const char *word, struct processes *processes, struct buf *why)
{
	struct process *process;
	pid_t pid;
	int err = process__resolve(word, &pid, why);

	if (err || is_there(processes, pid))
		return err;
	err = process__open(pid, &process, why);
	if (err)
		return err;
	if (process__is_stopped(process))
		warning("pid %d is stopped, by a signal or a debugger: nothing comes of it until it"
			" goes on (kill -CONT %d)", pid, pid);
	err = vec__push(processes, process);
	if (err) {
		process__free(process);
		buf__add_str(why, "out of memory");
	}
	return err;
}

int processes__open(const struct words *words, struct processes *processes)
{
	struct buf why = BUF_INIT;
	int result = 0;

	for (size_t i = 0; i < words->count; i++) {
		int err;

		buf__reset(&why);
		err = open_word(words->items[i], processes, &why);
		if (!err)
			continue;
		error("%s", buf__str(&why));
		if (!result)
			result = err;
	}
	buf__free(&why);
	return result;
}

void processes__free(struct processes *processes)
{
	for (size_t i = 0; i < processes->count; i++)
		process__free(processes->items[i]);
	vec__free(processes);
}
