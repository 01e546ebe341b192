#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Is what a foreign reader found in an exported heap what gctrace shows of it?

usage: compare.py hprof|heapsnapshot OURS TYPES READ

OURS:  gctrace heap FILE --objects --type '*' --top 0 -o json; "-" compares types alone
TYPES: gctrace heap FILE --top 0 -o json
READ:  what Hprof.java or heapsnapshot.js printed

Prints what differs, ten lines of each kind, and exits with 1 if anything does.
"""
import collections
import json
import sys

wrong = collections.Counter()


def differ(kind, *what):
    wrong[kind] += 1
    if wrong[kind] <= 10:
        print(kind, *[str(each)[:200] for each in what])


def lines(path):
    for line in open(path, encoding="utf-8", newline="\n"):
        yield json.loads(line)


def escaped(name):
    """Names in exports are escaped as in gctrace's text: a backslash is two. Plain ones only."""
    return name.replace("\\", "\\\\")


class Ours:
    def __init__(self, objects, types):
        self.objects, self.types, self.summary = [], {}, None
        for line in lines(types):
            if line["event"] == "type":
                self.types[line["class"]] = line
            elif line["event"] == "summary":
                self.summary = line
        if objects != "-":
            self.objects = [line for line in lines(objects) if line["event"] == "object"]
        self.reached = {line["address"] for line in self.objects if "retained_bytes" in line}


def references(line):
    return line.get("refers_to", [])


def read(path):
    for line in open(path, encoding="utf-8", newline="\n"):
        yield line.rstrip("\n").split("\t")


def compare_types(ours, found):
    """found: a list of (objects, bytes, name). Names that are not plain are left out."""
    want, got = collections.Counter(), collections.Counter()
    for line in ours.types.values():
        want[(line["count"], line["shallow_bytes"])] += 1
    sums = collections.defaultdict(lambda: [0, 0])
    for objects, size, name in found:
        sums[name][0] += objects
        sums[name][1] += size
    for objects, size in sums.values():
        if objects:
            got[(objects, size)] += 1
    if want != got:
        differ("types", "missing:", sorted((want - got).items())[:5],
               "too much:", sorted((got - want).items())[:5])


def compare_hprof(ours, path):
    names, found, seen = {}, [], 0
    by_address = {line["address"]: line for line in ours.objects}
    objects = weak = 0
    for fields in read(path):
        if fields[0] == "class":
            names[fields[1]] = fields[4]
            found.append((int(fields[2]), int(fields[3]), fields[4]))
            objects += int(fields[2])
        elif fields[0] == "weak":
            weak += 1
        elif fields[0] == "object" and ours.objects:
            line = by_address.get("0x" + fields[1])
            seen += 1
            if line is None:
                differ("no such object", fields)
                continue
            compare_object(ours, line, names[fields[2]], *map(int, fields[3:6]))
    if objects != ours.summary["objects"] or seen != len(ours.objects):
        differ("objects", objects, seen, ours.summary["objects"])
    if ours.objects and weak > ours.summary["weak_references"]:
        differ("weak references", weak, ours.summary["weak_references"])
    compare_types(ours, found)


def compare_object(ours, line, name, size, count, retained):
    at, reached = line["address"], line["address"] in ours.reached
    most = least = len(references(line))
    if not reached:  # those to what is reached may be left out: export_hprof.c
        least -= sum(to.get("address") in ours.reached for to in references(line))
    if name != escaped(line["type"]) or size != line["size_bytes"]:
        differ("type or size", at, name, size, line["type"], line["size_bytes"])
    if not least <= count <= most:
        differ("references", at, name, count, least, most)
    if reached and retained != line["retained_bytes"]:
        differ("retained", at, name, retained, line["retained_bytes"])


def compare_heapsnapshot(ours, path):
    """Its ids are no addresses: as many objects of each kind are there, then."""
    names, got, sizes = {}, collections.Counter(), collections.defaultdict(lambda: [0, 0])
    objects = strong = weak = 0
    for fields in read(path):
        if fields[0] == "name":
            names[fields[1]] = fields[2]
        elif fields[0] == "node" and fields[1] == "object":
            name, (size, count, of_weak, retained) = names[fields[2]], map(int, fields[3:7])
            got[(name, size, count, retained)] += 1
            sizes[name][0] += 1
            sizes[name][1] += size
            objects, strong, weak = objects + 1, strong + count, weak + of_weak
    summary = ours.summary
    for what, number, key in (("objects", objects, "objects"), ("references", strong, "references"),
                              ("weak references", weak, "weak_references")):
        if number != summary[key]:
            differ(what, number, summary[key])
    compare_types(ours, [(n, size, name) for name, (n, size) in sizes.items()])
    want = collections.Counter(
        (escaped(line["type"]), line["size_bytes"], len(references(line)), line["retained_bytes"])
        for line in ours.objects if line["address"] in ours.reached)
    for key in (want - got).keys():  # what no root reaches is there, too
        differ("no such object", key)


def main():
    ours = Ours(sys.argv[2], sys.argv[3])
    {"hprof": compare_hprof, "heapsnapshot": compare_heapsnapshot}[sys.argv[1]](ours, sys.argv[4])
    for kind, count in wrong.items():
        print(f"{count} x {kind}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
