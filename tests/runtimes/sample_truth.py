#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare the samples of gctrace sample -o json with what a program knows of its threads:

    sample_truth.py NAME TITLE TRUTH SAMPLES LEAST PHASE=LOCATION[,...]=METHOD...

TRUTH has lines "TID PHASE FROM UNTIL"; METHOD is a regular expression for the method that is told in
a phase; empty: methods are not judged there. Prints the confusion matrix of each field: where a
thread really was, and what was said of it, by the field's accuracy. Fails if more than one of 1,000
EXACT fields is wrong, or if there are fewer than LEAST of them. NAME and TITLE: of the matrix, if it
is saved (e2e/sample_matrix.py).

At the beginning and the end of a phase in which it waits, a thread is on its way there or back: it
counts as right then where it is not said to wait, and its method is not judged. A thread that is in
a system call in another phase is kept from going on, by a collection or by Python's lock: it waits
for that, or is in native code before and after. What leads to a phase that is a call of the
runtime's or of native code is managed code: JIT, where no native function is told. PHASE=!,LOCATION
tells of a thread of the runtime's own: it is at one of these locations, or it waits in a system call.
"""
import bisect
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from sample_matrix import Matrix

CALLS = {"native", "call_native", "callNative", "collect", "compile", "load"}
WAITS = {"sleep", "lock", "read", "futex", "wait_at_door", "read_byte"}


def read_truth(path):
    phases = collections.defaultdict(list)
    for line in open(path, encoding="ascii"):
        tid, phase, start, end = line.split()
        phases[int(tid)].append((int(start), int(end), phase))
    for of_thread in phases.values():
        of_thread.sort()
    return phases


def phase_at(phases, time):
    at = bisect.bisect_right(phases, (time, 1 << 63)) - 1
    return phases[at][2] if at >= 0 and phases[at][0] <= time <= phases[at][1] else None


def is_place_right(sample, phase, wanted):
    location, waits = sample["location"], sample["state"] == "waiting"
    if phase in WAITS:
        return location == "BLOCKING" if waits else location in ("JIT", "NATIVE", "BLOCKING")
    if wanted[0] == "!":
        return location == "BLOCKING" if waits else location in wanted
    if phase in CALLS and location == "JIT" and "function" not in sample:
        return True
    return location in wanted or ("syscall" in sample and location in ("NATIVE", "BLOCKING"))


def judge(matrix, sample, phase, wanted, method):
    matrix.check_flags(sample)
    if "location" in sample:
        matrix.judge("location", phase, sample["location"],
                     is_place_right(sample, phase, wanted), sample)
    if method and "method" in sample and (phase not in WAITS or sample["state"] == "waiting"):
        is_right = re.search(method, sample["method"]) is not None
        matrix.judge("method", phase, "right" if is_right else "another", is_right, sample)


def main():
    name, title, truth, samples, least, *words = sys.argv[1:]
    phases = read_truth(truth)
    rules = {}
    for word in words:
        phase, places, method = word.split("=", 2)
        rules[phase] = (places.split(","), method)
    matrix = Matrix()
    for text in open(samples, encoding="utf-8"):
        sample = json.loads(text)
        if sample["event"] != "sample" or sample["tid"] not in phases:
            continue
        phase = phase_at(phases[sample["tid"]], sample["time_ns"])
        if phase:
            judge(matrix, sample, phase, *rules[phase])
    matrix.show()
    matrix.save(name, title)
    return 1 if matrix.fails(int(least)) else 0


if __name__ == "__main__":
    sys.exit(main())
