#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What gctrace sample wrote for other tools is what its own lines say.

    sample_exports.py pprof  JSON RAW                   what `go tool pprof -raw` reads
    sample_exports.py folded JSON FOLDED all|running|waiting

JSON: the output of the same run with --stacks -o json. Each sample counts where its thread, its
stack, its state, its wait and its location are.
"""
import collections
import json
import re
import sys


def lines_of(path):
    """The samples, each with the names of its frames, innermost first."""
    stacks, samples = {}, []
    for line in map(json.loads, open(path, encoding="utf-8")):
        if line["event"] == "stack":
            stacks[line["stack_id"]] = line["methods"]
        elif line["event"] == "sample":
            frames = stacks.get(line.get("stack_id"))
            if frames is None:
                frames = [line[key] for key in ("function", "method") if key in line]
            samples.append((line, frames or ["(not known)"]))
    return samples


def differ(want, got):
    for key in want.keys() | got.keys():
        if want.get(key) != got.get(key):
            print(key, "in the lines:", want.get(key), "in the file:", got.get(key))
    return want != got


def pprof(json_path, raw_path):
    """Samples: values, a colon, locations; below each its labels; a location a line."""
    text = open(raw_path, encoding="utf-8").read()
    body = text.split("Samples:\n")[1]
    kinds = [word.split("/")[0].split("[")[0] for word in body.split("\n")[0].split()]
    names = dict(re.findall(r"^\s*(\d+): \S+ (?:M=\d+ )?(.*?) \S*:\d+(?::\d+)? s=\d+",
                            text.split("Locations\n")[1], re.M))
    got, running, wrong = collections.Counter(), 0, 0
    values = stack = None
    for line in body.split("Locations\n")[0].splitlines()[1:]:
        head = re.match(r"((?:\s*\d+)+): ([\d ]+)$", line)
        if head:
            values = dict(zip(kinds, map(int, head.group(1).split())))
            stack = tuple(names[at] for at in head.group(2).split())
            continue
        label = dict(re.findall(r"(\w+):\[(.*?)\](?= |$)", line))
        key = (label["thread"], label["tid"], label["state"], label.get("syscall"),
               label.get("wait"), label["location"], stack)
        got[key] += values["samples"]
        running += values["running"]
        wrong += values["running"] != (values["samples"] if label["state"] == "running" else 0)
        wrong += bool(values["cpu"]) != bool(values["running"])
        wrong += values["wall"] % values["samples"] != 0
    want = collections.Counter()
    for line, frames in lines_of(json_path):
        want[(line["name"], str(line["tid"]), line["state"], line.get("syscall"), line.get("wait"),
              line.get("location", "UNKNOWN"), tuple(frames))] += 1
    print(sum(got.values()), "samples,", len(got), "kinds,", running, "running,", wrong, "wrong")
    return differ(want, got) or wrong


def folded(json_path, folded_path, chosen):
    got = {}
    for line in open(folded_path, encoding="utf-8"):
        stack, number = line.rstrip("\n").rsplit(" ", 1)
        if stack in got:
            print("twice:", stack)
            return True
        got[stack] = int(number)
    want = collections.Counter()
    for line, frames in lines_of(json_path):
        if chosen == "all" or (line["state"] == "running" if chosen == "running"
                               else "wait" in line):
            want[";".join(name.replace(";", "\\x3b")
                          for name in [line["name"] or "(no name)", *reversed(frames)])] += 1
    print(sum(got.values()), "samples,", len(got), "stacks")
    return differ(want, got)


sys.exit({"pprof": pprof, "folded": folded}[sys.argv[1]](*sys.argv[2:]))
