#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What gctrace reads in an hprof file, compared.

  hotspot_hprof.py sizes TYPES HISTO     with jmap -histo:live, the bytes of an object of each
                                         class;
                                         says how many were compared, and how many are estimates,
                                         which may be wrong
  hotspot_hprof.py histo TYPES HISTO     with jmap -histo:live, type by type; `hidden` instead of
                                         histo: but for what the JVM hides in instances
  hotspot_hprof.py objects WAS IS        with the objects of the recording that was exported

TYPES, WAS and IS are gctrace's JSON lines. Says what differs; status 1 then.
"""
import collections
import json
import re
import sys

# Classes that are in the shared archive only, or not linked, are not in the file.
LEFT_OUT = "java.lang.Class"
# HotSpot's own, in place of what died where moving is not worth while: others each time.
FILLERS = "int[]"
# What a JVM hides in instances: told by distances, which the files of ZGC do not have.
HIDDEN = re.compile(r"^java\.lang\.(Module|Thread.*|ref\..*)$|MemberName$|ResolvedMethodName$|"
                    r"ClassLoader$|Thread$|Handler$")
# Collected by the JVM when it counts, a moment after the dump.
CLEANED = re.compile(r"^jdk\.internal\.ref\.|^java\.lang\.ref\.|CallSiteContext$")
PRIMITIVES = {"Z": "boolean", "C": "char", "F": "float", "D": "double",
              "B": "byte", "S": "short", "I": "int", "J": "long"}


def lines(path, event):
    with open(path) as file:
        for line in file:
            entry = json.loads(line)
            if entry["event"] == event:
                yield entry


def name_of(word):
    depth = len(word) - len(word.lstrip("["))
    base = word[depth:]
    if depth:
        base = PRIMITIVES[base] if len(base) == 1 else base[1:-1]
    return base + "[]" * depth


def of_gctrace(path):
    types = collections.Counter()
    sizes = collections.Counter()
    for entry in lines(path, "type"):
        types[entry["name"]] += entry["count"]
        sizes[entry["name"]] += entry["shallow_bytes"]
    return {name: (types[name], sizes[name]) for name in types}


def of_jmap(path):
    types = {}
    with open(path) as file:
        for line in file:
            match = re.match(r"\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)", line)
            if match:
                name = name_of(match[3])
                was = types.get(name, (0, 0))
                types[name] = (was[0] + int(match[1]), was[1] + int(match[2]))
    return types


def is_explained(name, ours, theirs, by_distances):
    if name == LEFT_OUT or CLEANED.search(name):
        return True
    if not ours or not theirs:
        return False
    if not by_distances and HIDDEN.search(name):
        return ours[0] == theirs[0]
    return name == FILLERS and abs(ours[1] - theirs[1]) < 4096


def compare_histo(ours, theirs, by_distances):
    ours, theirs = of_gctrace(ours), of_jmap(theirs)
    wrong = 0
    for name in sorted(set(ours) | set(theirs)):
        if ours.get(name) == theirs.get(name) or \
                is_explained(name, ours.get(name), theirs.get(name), by_distances):
            continue
        print(f"{name}: gctrace {ours.get(name)}, jmap {theirs.get(name)}")
        wrong += 1
    if len(theirs) < 100:
        print(f"only {len(theirs)} types")
        wrong += 1
    return wrong


def objects(path):
    return {entry["address"]: (entry["type"], entry["size_bytes"], entry.get("retained_bytes"))
            for entry in lines(path, "object")}


def compare_objects(was, now):
    was, now = objects(was), objects(now)
    wrong = 0
    for address, entry in was.items():
        if now.get(address) != entry:
            print(f"{address}: was {entry}, is {now.get(address)}")
            wrong += 1
    for address in set(now) - set(was):
        if now[address][0] != "java.lang.Class":
            print(f"{address}: only read back, {now[address]}")
            wrong += 1
    if len(was) < 1000:
        print(f"only {len(was)} objects")
        wrong += 1
    return wrong


def compare_sizes(ours, theirs):
    estimated = {entry["name"] for entry in lines(ours, "type") if entry.get("estimated")}
    ours, theirs = of_gctrace(ours), of_jmap(theirs)
    compared, wrong = 0, 0
    for name, (count, size) in ours.items():
        # Of arrays all bytes are compared, which takes the same arrays.
        if name in (LEFT_OUT, FILLERS) or name not in theirs or \
                (name.endswith("[]") and theirs[name][0] != count):
            continue
        compared += 1
        if name not in estimated and size * theirs[name][0] != theirs[name][1] * count:
            print(f"{name}: gctrace {(count, size)}, jmap {theirs[name]}")
            wrong += 1
    print(f"{compared} classes, {len(estimated)} estimates, {wrong} wrong")
    return wrong or compared < 200


mode, left, right = sys.argv[1:]
if mode == "sizes":
    differences = compare_sizes(left, right)
elif mode == "objects":
    differences = compare_objects(left, right)
else:
    differences = compare_histo(left, right, mode == "histo")
sys.exit(1 if differences else 0)
