/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/jvm_options.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "attach/agent_fit.h"
#include "attach/jvm_option_files.h"
#include "target/hsperf.h"
#include "target/mapped_file.h"
#include "target/maps.h"
#include "target/process.h"
#include "target/reader.h"
#include "target/semaphore.h"
#include "target/symbol.h"

/* ---------------------------------------------------------------- words */

static const char *skip_comment(const char *text)
{
	return text + strcspn(text, "\n");
}

void jvm_options__split(struct buf *words, const char *text, const char *prefix)
{
	char quote = 0;
	bool open = false;

	for (; *text; text++) {
		if (!quote && strchr(" \t\n\r\f", *text)) {
			if (open)
				buf__add_char(words, 0);
			open = false;
			continue;
		}
		if (!open && *text == '#') {
			text = skip_comment(text) - 1;
			continue;
		}
		if (!open)
			buf__add_str(words, prefix);
		open = true;
		if (quote ? *text == quote : *text == '"' || *text == '\'')
			quote = quote ? 0 : *text;
		else
			buf__add_char(words, *text);
	}
	if (open)
		buf__add_char(words, 0);
}

/* ---------------------------------------------------------------- what the JVM tells */

/* One byte: a flag is a bool of C++. */
static int read_flag(const struct process *process, uint64_t address)
{
	int memory = semaphore__open_memory(process), answer = memory;
	unsigned char value = 0;

	if (memory < 0)
		return answer;
	answer = reader__pread(process->pid, memory, &value, 1, address) == 1 ? value : -EIO;
	close(memory);
	return answer <= 1 ? answer : -EINVAL;
}

int jvm_options__look(const struct process *process, const struct maps *maps, const char *library,
		      const char *name)
{
	const struct map *map = maps__named(maps, library);
	uint64_t address = 0;
	int fd, err;

	if (!map)
		return -ENOENT;
	fd = mapped_file__open(process, maps, map);
	if (fd < 0)
		return fd;
	err = symbol__find_variable(fd, name, map->start, map->offset, &address);
	close(fd);
	return err ? err : read_flag(process, address);
}

/* As if somebody had given them last of all. False: not all of them can be seen. */
static bool add_seen(struct buf *words, const struct process *process, const struct maps *maps)
{
	static const char *const flags[] = { "DisableAttachMechanism",
					     "EnableDynamicAgentLoading" };
	bool all = true;

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		const int is_on = jvm_options__look(process, maps, "libjvm.so", flags[i]);

		all &= is_on >= 0;
		if (is_on >= 0)
			buf__printf(words, "-XX:%c%s%c", is_on ? '+' : '-', flags[i], 0);
	}
	return all;
}

/* The counters have words with a blank between two, and no quotes around any. */
static void add_counter(struct buf *words, const char *text, const char *prefix)
{
	size_t len;

	for (; text && *text; text += len + (text[len] == ' ')) {
		len = strcspn(text, " ");
		if (!len)
			continue;
		buf__add_str(words, prefix);
		buf__add(words, text, len);
		buf__add_char(words, 0);
	}
}

static bool add_counted(struct buf *words, const struct process *process, const struct maps *maps)
{
	struct hsperf *hsperf = NULL;
	const char *arguments = NULL;

	if (hsperf__open_maps(process, maps, &hsperf, NULL) == 0)
		arguments = hsperf__string(hsperf, "java.rt.vmArgs");
	if (arguments) {
		add_counter(words, hsperf__string(hsperf, "java.rt.vmFlags"), "-XX:");
		add_counter(words, arguments, "");
	}
	hsperf__free(hsperf);
	return arguments;
}

int jvm_options__read(const struct process *process, struct buf *words, struct buf *why)
{
	struct maps maps = MAPS_INIT;
	struct buf seen = BUF_INIT;
	int err = maps__read(&maps, process);
	bool has_seen;

	if (err) {
		agent_fit__tell_unreadable(process, err, why);
		return err;
	}
	has_seen = add_seen(&seen, process, &maps);
	if (!add_counted(words, process, &maps) && !has_seen)
		err = jvm_option_files__read(process, words, why);
	buf__add(words, buf__str(&seen), seen.len);
	buf__free(&seen);
	maps__free(&maps);
	return err ? err : words->error;
}

/* ---------------------------------------------------------------- looking */

bool jvm_options__flag(const struct buf *words, const char *name, bool otherwise)
{
	const char *at = buf__str(words), *end = at + words->len;
	bool is_on = otherwise;

	for (; at < end; at += strlen(at) + 1)
		if (strncmp(at, "-XX:", 4) == 0 && (at[4] == '+' || at[4] == '-') &&
		    strcmp(at + 5, name) == 0)
			is_on = at[4] == '+';
	return is_on;
}

bool jvm_options__has(const struct buf *words, const char *word)
{
	const char *at = buf__str(words), *end = at + words->len;

	for (; at < end; at += strlen(at) + 1)
		if (strcmp(at, word) == 0)
			return true;
	return false;
}
