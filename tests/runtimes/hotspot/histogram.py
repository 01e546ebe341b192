# SPDX-License-Identifier: BSD-2-Clause
"""Compares a heap dump with the JVM's own histogram: histogram.py HEAP-NDJSON JMAP-HISTO

HEAP-NDJSON is what `gctrace heap --top 0 -o json` said, JMAP-HISTO what `jmap -histo:live` did,
of a program that stood still. Classes of the program and of the library must be equal in objects and
bytes. The JVM's histogram counts what lies on its heap, the dump what its walk comes to; so of the
classes below it may have more, each for a reason:
"""
import json
import re
import sys

PRIMITIVES = {"B": "byte", "C": "char", "D": "double", "F": "float", "I": "int", "J": "long",
              "S": "short", "Z": "boolean"}

MORE = (
    # Threads of the JVM that it shows to nobody (its compilers), and what is theirs.
    r"java\.lang\.Thread(\$FieldHolder)?|java\.security\.AccessControlContext|"
    # What it fills gaps with.
    r"int\[\]|jdk\.internal\.vm\.FillerElement\[\]|java\.lang\.Object|"
    # What it has linked call sites with, known to the code of a class and to no object.
    r"java\.lang\.invoke\..*|jdk\.internal\.ref\.CleanerImpl\$PhantomCleanableRef|"
    r"java\.lang\.Class|"
    # What those refer to.
    r"java\.lang\.Object\[\]|java\.lang\.Class\[\]|java\.lang\.String|byte\[\]|"
    r"java\.lang\.ref\.\w+Reference")


def name_of(word):
    dimensions = len(word) - len(word.lstrip("["))
    element = word[dimensions:]
    if dimensions:
        element = PRIMITIVES.get(element) or element[1:-1]
    return element + "[]" * dimensions


def read_histogram(path):
    counts = {}
    for line in open(path):
        match = re.match(r"\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)", line)
        if match:
            objects, size = counts.get(name_of(match[3]), (0, 0))
            counts[name_of(match[3])] = objects + int(match[1]), size + int(match[2])
    return counts


def read_heap(path):
    counts = {}
    for line in open(path):
        event = json.loads(line)
        if event["event"] == "type":
            counts[event["name"]] = event["count"], event["shallow_bytes"]
    return counts


def main():
    ours, theirs = read_heap(sys.argv[1]), read_histogram(sys.argv[2])
    bad = equal = 0
    for name in sorted(set(ours) | set(theirs)):
        a, b = ours.get(name, (0, 0)), theirs.get(name, (0, 0))
        if a == b:
            equal += 1
        elif not (re.fullmatch(MORE, name) and a[0] <= b[0] and a[1] <= b[1]):
            print(f"{name}: {a[0]} objects, {a[1]} bytes; the JVM: {b[0]}, {b[1]}")
            bad += 1
    told, there = sum(c for c, _ in ours.values()), sum(c for c, _ in theirs.values())
    print(f"{equal} of {len(theirs)} classes equal; {told} objects, the JVM has {there}")
    return bad > 0 or equal < 200


sys.exit(main())
