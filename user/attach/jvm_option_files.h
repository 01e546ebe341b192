/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options that a JVM was started with, where it does not tell them itself: by its environment,
 * its command line, and the files that these name, each as it is now (jvm_options.h says the
 * order). A file that is not there any more may have had any option, so that is an error.
 */
#ifndef GCTRACE_ATTACH_JVM_OPTION_FILES_H
#define GCTRACE_ATTACH_JVM_OPTION_FILES_H

#include "base/buf.h"

struct process;

/* All words, each closed by a 0. Appends. 0, or negative errno with the reason in why. */
int jvm_option_files__read(const struct process *process, struct buf *words, struct buf *why);

#endif
