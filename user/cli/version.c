/* SPDX-License-Identifier: BSD-2-Clause */
#include "version.h"

#include <bpf/libbpf.h>
#include <bpf/libbpf_version.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zstd.h>

#include "../base/report.h"
#include "../view/output.h"
#include "command.h"

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

const char *version__string(void)
{
	return GCTRACE_VERSION;
}

static const char *present(const char *path)
{
	return access(path, R_OK) == 0 ? "yes" : "no";
}

void version__add(struct buf *buf)
{
	struct utsname name;

	buf__printf(buf, "gctrace %s\n", GCTRACE_VERSION);
	buf__printf(buf, "libbpf %u.%u, built with %d.%d\n", libbpf_major_version(),
		    libbpf_minor_version(), LIBBPF_MAJOR_VERSION, LIBBPF_MINOR_VERSION);
	buf__printf(buf, "zstd %s, built by %s\n", ZSTD_versionString(), COMPILER);
	if (uname(&name) == 0)
		buf__printf(buf, "%s %s %s\n", name.sysname, name.release, name.machine);
	buf__printf(buf, "type information (BTF): %s, uprobes by perf_event_open: %s\n",
		    present("/sys/kernel/btf/vmlinux"),
		    present("/sys/bus/event_source/devices/uprobe/type"));
}

enum status version__show(void)
{
	struct buf buf = BUF_INIT;
	int err;

	version__add(&buf);
	err = buf.error ? error_errno(buf.error, "version") : output__print(buf.data, buf.len);
	buf__free(&buf);
	return err ? STATUS_FAILED : STATUS_FINE;
}

static enum status cmd_version(const struct invocation *invocation)
{
	(void)invocation;
	return version__show();
}

static const struct option_use uses[] = {
	{ &general_group, 0 },
	{ NULL, 0 },
};

const struct command version_command = {
	.name = "version",
	.summary = "Show the versions of gctrace, libbpf and the kernel",
	.operands = "",
	.about = "Shows what a bug report should begin with: the versions of gctrace, of the"
		 " libraries that it was built and runs with, and of the kernel.\n",
	.options = uses,
	.run = cmd_version,
};
