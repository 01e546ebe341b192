#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""
refuse.py [-j JOBS] [--alone] [--output FILE] LIBRARY COMMAND...

Runs COMMAND once to find where it allocates (refuse.c), then once for each place with the
allocation there refused. Each run must give what the first gave, or a message and a status that is
neither 0 nor a signal's. --alone: the output is not compared, as of a process that goes on; a
refusal must then be a message and a status. --output: what the command writes beside stdout; {} in
the command is a directory of each run.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("library")
parser.add_argument("-j", type=int, default=2)
parser.add_argument("--alone", action="store_true")
parser.add_argument("--output")
parser.add_argument("command", nargs=argparse.REMAINDER)
options = parser.parse_args()


def run(**refuse):
    with tempfile.TemporaryDirectory() as place:
        fired = os.path.join(place, "fired")
        words = [word.replace("{}", place) for word in options.command]
        environment = dict(os.environ, LD_PRELOAD=options.library, REFUSE_FIRED=fired, **refuse)
        try:
            done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=60)
            status, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            status, out, err = "no end", late.stdout or b"", late.stderr or b""
        if options.output:
            path = options.output.replace("{}", place)
            out += open(path, "rb").read() if os.path.exists(path) else b""
        return status, out, err, os.path.getsize(fired) > 0


def judge(site):
    status, out, err, fired = run(REFUSE_SITE=site)
    spoke = any(line.startswith(b"gctrace:") for line in err.split(b"\n"))
    if isinstance(status, int) and 0 < status < 125 and spoke:
        return None if fired or status == expected[0] else f"{site}: not refused, status {status}"
    if status == expected[0] and (out == expected[1] if not options.alone else not fired):
        return None
    return f"{site}: status {status}, {len(out)} bytes of output, {err.decode(errors='replace')!r}"


with tempfile.NamedTemporaryFile() as listed:
    expected = run(REFUSE_LIST=listed.name)
    again = run(REFUSE_LIST=listed.name)
    sites = sorted(set(listed.read().decode().split()))
if not isinstance(expected[0], int) or expected[0] != again[0] or \
        (not options.alone and expected[1] != again[1]):
    sys.exit(f"the reference differs from itself: {expected[0]}, {again[0]}: {expected[2]!r}")
with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
    wrong = [verdict for verdict in pool.map(judge, sites) if verdict]
for verdict in wrong:
    print(verdict)
print(f"{len(sites)} places refused once, {len(wrong)} of them wrong")
sys.exit(1 if wrong or not sites else 0)
