#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare the samples of gctrace sample -o json with what tests/tools/whereabouts knows of its
threads: sample_truth.py TRUTH SAMPLES [LEAST]. Prints the confusion matrix: where a thread really
was, and what was said of it, by accuracy. Fails if more than one of 1,000 EXACT samples is wrong,
or if there are fewer than LEAST of them.

A sample is judged where the thread was in one phase at its time. In the moments between two
phases it is nowhere in particular; at the edges of a sleep it may be asleep already, or still, or
not: only the function is judged there.
"""
import bisect
import collections
import json
import sys

from sample_matrix import Matrix


def read_truth(path):
    phases = collections.defaultdict(list)
    for line in open(path, encoding="ascii"):
        tid, function, syscall, *times = line.split()
        phases[int(tid)].append((*map(int, times), function, syscall))
    for of_thread in phases.values():
        of_thread.sort()
    return phases


def phase_at(phases, time):
    at = bisect.bisect_right(phases, (time, 1 << 63)) - 1
    return phases[at] if at >= 0 and phases[at][0] <= time <= phases[at][1] else None


def is_method_right(sample, phase):
    # The compiler may have made a clone of it: "wait_in_poll.isra.0 (whereabouts)".
    return sample["method"].split(" ")[0].split(".")[0] == phase[4]


def is_place_right(sample, phase):
    """Beyond doubt, where that can be."""
    _, _, asleep_from, asleep_until, _, syscall = phase
    if syscall == "-":
        return sample["location"] == "NATIVE"
    if asleep_from <= sample["time_ns"] <= asleep_until:
        return sample["location"] == "BLOCKING" and sample.get("syscall") == syscall
    return sample["location"] in ("NATIVE", "BLOCKING")


def judge(phases, path):
    matrix = Matrix()
    between = 0
    for text in open(path, encoding="utf-8"):
        sample = json.loads(text)
        if sample["event"] != "sample" or sample["tid"] not in phases:
            continue
        phase = phase_at(phases[sample["tid"]], sample["time_ns"])
        if not phase:
            between += 1
            continue
        matrix.check_flags(sample)
        if "location" in sample:
            matrix.judge("location", phase[4], sample["location"], is_place_right(sample, phase),
                         sample)
        if "method" in sample:
            is_right = is_method_right(sample, phase)
            matrix.judge("method", phase[4], "right" if is_right else "another", is_right, sample)
    return matrix, between


def main():
    phases = read_truth(sys.argv[1])
    matrix, between = judge(phases, sys.argv[2])
    matrix.show()
    matrix.save("native", "Native code (`tests/tools/whereabouts.c`)")
    print("between two phases, not judged: %d" % between)
    return 1 if matrix.fails(int(sys.argv[3]) if len(sys.argv) > 3 else 1) else 0


if __name__ == "__main__":
    sys.exit(main())
