# SPDX-License-Identifier: BSD-2-Clause
"""What the benchmarks share: rows of figures, and what a command takes."""
import collections
import os
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
GCTRACE = os.path.join(BUILD, "gctrace")

# Seconds of CPU and by the clock, MiB, standard output; cpu is None: it failed, text says how.
Run = collections.namedtuple("Run", "cpu wall mib text")


def row(what, figure, budget=""):
    print(f"{what:<58} {figure:>22}  {budget}", flush=True)


def status(pid, key):
    """A number of /proc/PID/status, in its unit there."""
    for line in open(f"/proc/{pid}/status"):
        if line.startswith(key + ":"):
            return int(line.split()[1])
    return 0


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(command, **environment):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as messages:
        began = time.monotonic()
        pid = os.posix_spawnp(command[0], command, {**os.environ, "BUILD": BUILD, **environment},
                              file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1),
                                            (os.POSIX_SPAWN_DUP2, messages.fileno(), 2)])
        _, ended, usage = os.wait4(pid, 0)
        wall = time.monotonic() - began
        out.seek(0)
        messages.seek(0)
        if ended:
            text = messages.read().decode(errors="replace").strip() or "it ended"
            return Run(None, None, None, text.splitlines()[-1])
        return Run(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024,
                   out.read().decode(errors="replace"))


def best(command, runs=3, **environment):
    """The run that took least: neighbours of the machine make all of them slower."""
    found = [measured(command, **environment) for _ in range(runs)]
    failed = [each for each in found if each.cpu is None]
    return failed[0] if failed else min(found, key=lambda each: each.cpu)
