/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/jvm_option_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach/agent_fit.h"
#include "attach/jvm_options.h"
#include "base/escape.h"
#include "base/files.h"
#include "target/environment.h"
#include "target/process.h"
#include "target/reader.h"

#define FILE_MOST ((size_t)1 << 20) /* bytes: the launcher takes no larger files of arguments */

/* ---------------------------------------------------------------- files */

/* Of a path that starts with no slash: below the target's current directory. */
static int add_path(const struct process *process, const char *path, struct buf *whole)
{
	char directory[PATH_MAX];
	ssize_t n;

	if (*path != '/') {
		n = readlinkat(process->procfd, "cwd", directory, sizeof(directory) - 1);
		if (n < 0)
			return -errno;
		directory[n] = 0;
		buf__printf(whole, "%s/", process__path(process, directory));
	}
	buf__add_str(whole, path);
	return whole->error;
}

static int read_file(const struct process *process, const char *path, struct buf *text)
{
	struct buf whole = BUF_INIT;
	int err = add_path(process, path, &whole), fd = -1;

	if (!err) {
		fd = process__open_file(process, buf__str(&whole), O_RDONLY);
		err = fd < 0 ? fd : 0;
	}
	if (!err)
		err = reader__take(process->pid, fd, FILE_MOST, text);
	files__close(&fd);
	buf__free(&whole);
	return err;
}

/* The file's words, each behind `before`. */
static int add_file(const struct process *process, const char *path, const char *before,
		    struct buf *words, struct buf *why)
{
	struct buf text = BUF_INIT;
	int err = read_file(process, path, &text);

	if (err)
		buf__printf(why, "it was started with options in %s, which cannot be read: %s;"
				 " run gctrace as root", escape(path), strerror(-err));
	else
		jvm_options__split(words, buf__str(&text), before);
	buf__free(&text);
	return err;
}

/* All words again, and the words of the files instead of those that begin so and name one. */
static int expand(const struct process *process, const char *prefix, struct buf *words,
		  struct buf *why)
{
	const size_t len = strlen(prefix);
	const char *at = buf__str(words), *end = at + words->len;
	struct buf all = BUF_INIT;
	int err = 0;

	for (; at < end && !err; at += strlen(at) + 1) {
		if (strncmp(at, prefix, len) == 0 && at[len] != '@')
			err = add_file(process, at + len, "", &all, why);
		else
			buf__add(&all, at, strlen(at) + 1);
	}
	buf__reset(words);
	buf__add(words, buf__str(&all), all.len);
	buf__free(&all);
	return err;
}

/* The last file of flags counts, and before all words. */
static int add_flags(const struct process *process, const struct buf *words, struct buf *flags,
		     struct buf *why)
{
	static const char prefix[] = "-XX:Flags=";
	const char *at = buf__str(words), *end = at + words->len, *file = NULL;

	for (; at < end; at += strlen(at) + 1)
		if (strncmp(at, prefix, sizeof(prefix) - 1) == 0)
			file = at + sizeof(prefix) - 1;
	return file ? add_file(process, file, "-XX:", flags, why) : 0;
}

/* ---------------------------------------------------------------- words */

static void add_variable(struct buf *words, const struct buf *environment, const char *name)
{
	const char *value = environment__get(environment, name);

	if (value)
		jvm_options__split(words, value, "");
}

/* Options of the launcher whose value is the next word. */
static bool takes_value(const char *word)
{
	static const char *const all[] = {
		"-cp", "-classpath", "--class-path", "-p", "--module-path",
		"--upgrade-module-path", "--add-modules", "--limit-modules", "--add-reads",
		"--add-exports", "--add-opens", "--patch-module", "--enable-native-access",
		"--source",
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (strcmp(word, all[i]) == 0)
			return true;
	return false;
}

static bool names_program(const char *word)
{
	return (*word != '-' && *word != '@') || strcmp(word, "-jar") == 0 ||
	       strcmp(word, "-m") == 0 || strcmp(word, "--module") == 0;
}

/* Up to the program, which a launcher names; of other programs' arguments nobody knows. */
static void add_command_line(struct buf *words, const struct process *process, bool is_launcher)
{
	const char *at = process->cmdline, *end = at + process->cmdline_len;
	bool is_value = true; /* the first one is the launcher itself */

	for (; at < end; at += strlen(at) + 1) {
		if (is_launcher && !is_value && names_program(at))
			return;
		if (!is_value)
			buf__add(words, at, strlen(at) + 1);
		is_value = !is_value && is_launcher && takes_value(at);
	}
}

/* What the launcher makes of its variable and arguments. */
static int add_launched(const struct process *process, const struct buf *environment,
			struct buf *words, struct buf *why)
{
	const bool is_launcher = strcmp(files__base_name(process->exe), "java") == 0;
	struct buf own = BUF_INIT;
	int err = 0;

	if (is_launcher)
		add_variable(&own, environment, "JDK_JAVA_OPTIONS");
	add_command_line(&own, process, is_launcher);
	if (is_launcher && !jvm_options__has(&own, "--disable-@files"))
		err = expand(process, "@", &own, why);
	buf__add(words, buf__str(&own), own.len);
	buf__free(&own);
	return err;
}

int jvm_option_files__read(const struct process *process, struct buf *words, struct buf *why)
{
	struct buf environment = BUF_INIT, own = BUF_INIT;
	int err = environment__read(process, &environment);

	if (err)
		agent_fit__tell_unreadable(process, err, why);
	add_variable(&own, &environment, "JAVA_TOOL_OPTIONS");
	if (!err)
		err = add_launched(process, &environment, &own, why);
	add_variable(&own, &environment, "_JAVA_OPTIONS");
	if (!err)
		err = expand(process, "-XX:VMOptionsFile=", &own, why);
	if (!err)
		err = add_flags(process, &own, words, why);
	buf__add(words, buf__str(&own), own.len);
	buf__free(&environment);
	buf__free(&own);
	return err ? err : words->error;
}
