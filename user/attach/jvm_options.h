/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * With which options a JVM runs. They come from many places (Arguments::parse in arguments.cpp of
 * OpenJDK 11 to 25), in this order, of which the last word about an option counts:
 *
 *	-XX:Flags=FILE		 alone; .hotspotrc is read by debug builds only, else by its name
 *	the image itself	 jlink --add-options
 *	JAVA_TOOL_OPTIONS
 *	JDK_JAVA_OPTIONS	 put before its arguments by the launcher, which also puts files of
 *				 arguments (@FILE) in their place; an embedder makes its own
 *	the arguments		 with -XX:VMOptionsFile=FILE (all of these may have it) in its place
 *	_JAVA_OPTIONS
 *
 * So what counts is what the JVM has made of them. Its memory is asked first: a flag is a variable
 * of libjvm.so, by its own name in .symtab. Else its counters, which have the file of flags
 * (java.rt.vmFlags) and all the rest but the image's (java.rt.vmArgs). Only where both are out of
 * reach (a stripped library and -XX:-UsePerfData, or no right to look into its memory) its
 * environment, its command line and the files that these name are read, as they are now.
 */
#ifndef GCTRACE_ATTACH_JVM_OPTIONS_H
#define GCTRACE_ATTACH_JVM_OPTIONS_H

#include <stdbool.h>

#include "base/buf.h"

struct maps;
struct process;

/*
 * All words, in the JVM's order, each closed by a 0. Appends. 0, or negative errno with the reason
 * in why, a clause about the process.
 */
int jvm_options__read(const struct process *process, struct buf *words, struct buf *why);

/* Is the bool of this name set in the process's memory? 1, 0, or negative errno. */
int jvm_options__look(const struct process *process, const struct maps *maps, const char *library,
		      const char *name);

/*
 * Words of a variable or of a file: parted by blanks, with quotes around some; what begins with #
 * is a comment up to the line's end. Each is put behind the prefix. Appends.
 */
void jvm_options__split(struct buf *words, const char *text, const char *prefix);

/* Is -XX:+NAME in force? `otherwise` where nobody gave -XX:+NAME or -XX:-NAME. */
bool jvm_options__flag(const struct buf *words, const char *name, bool otherwise);

/* Is this word given, and which one, first or last? */
bool jvm_options__has(const struct buf *words, const char *word);

#endif
