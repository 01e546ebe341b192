/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gctrace: what a garbage collector does to a running process, seen from outside.
 *
 * Where things are:
 *	command.c     the table of commands; each is a file of its own beside it
 *	options.h     how a command declares its options
 *	../target     which process, what it maps, which probes it has
 *	../attach     BPF programs, and what it takes to attach them
 *	../stream     from ring records to events in their order; recordings
 *	../model      from events to collections and their figures
 *	../view       from those to text and JSON
 */
#include "../base/ram.h"
#include "command.h"
#include "signals.h"

int main(int argc, char **argv)
{
	enum status status;

	if (signals__prepare())
		return STATUS_FAILED;
	status = command__main(argc, argv);
	return ram__report() && status != STATUS_USAGE ? STATUS_FAILED : (int)status;
}
