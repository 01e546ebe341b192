/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc_stat.h"

#include <errno.h>
#include <string.h>

#include "process.h"
#include "procfs.h"

#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD in the flags */

/*
 * /proc/PID/stat: "PID (COMM) STATE PPID …". COMM may hold blanks, newlines and ')', but
 * what follows the last ')' is the kernel's alone.
 */
static bool parse(const struct buf *text, struct proc_stat *stat)
{
	const char *at = text->len ? memrchr(text->data, ')', text->len) : NULL;
	const char *end = buf__str(text) + text->len;
	uint64_t value;

	if (!at || end - at < 4 || at[1] != ' ')
		return false;
	stat->state = at[2];
	at += 3;
	for (int field = 4; field <= 22; field++) {
		if (!procfs__skip(&at, end, ' '))
			return false;
		(void)procfs__skip(&at, end, '-');
		if (!procfs__number(&at, end, 10, &value))
			return false;
		if (field == 4)
			stat->parent = value;
		else if (field == 9)
			stat->kernel_thread = value & KERNEL_THREAD;
	}
	stat->start_ticks = value;
	return true;
}

int proc_stat__read(const struct process *process, struct proc_stat *stat)
{
	struct buf text = BUF_INIT;
	int err = process__read(process, "stat", &text);

	if (!err && !parse(&text, stat))
		err = -EIO;
	buf__free(&text);
	return err;
}

bool proc_stat__has_ended(const struct proc_stat *stat)
{
	return stat->state == 'Z' || stat->state == 'X' || stat->state == 'x';
}
