/* SPDX-License-Identifier: BSD-2-Clause */
/* Exit statuses, the same for every command. */
#ifndef GCTRACE_CLI_STATUS_H
#define GCTRACE_CLI_STATUS_H

enum status {
	STATUS_FINE = 0,
	STATUS_FAILED = 1,    /* an error was reported */
	STATUS_USAGE = 2,     /* wrong options or operands; nothing was done */
	STATUS_DATA_LOST = 3, /* done, but something was lost; not with --allow-loss */
	STATUS_LIMIT_PASSED = 4, /* done, and what --fail-if-... names was found */
};

#endif
