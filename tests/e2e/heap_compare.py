#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare `gctrace heap --top 0 -o json` with what minivm wrote down of the same dump:
heap_compare.py LINES TRUTH, where TRUTH is `minivm --print-truth`. Counts and bytes of each type,
the totals, what the roots reach, and what would be freed with the first finding's object: worked
out here anew, by leaving that object out; of --histogram objects, bytes and types alone. If LINES has roots (--roots): each of them, and what it,
its frame, its thread and its kind alone keep alive.
"""
import collections
import json
import sys


def words(parts):
    return dict(part.split("=", 1) for part in parts if "=" in part)


WEAK_CLASS, DEPENDENT, WEAK = 0x8, 17, 18
THREAD, FRAMES = 2, (*range(3, 9), 21)
# As in gctrace/wire.h, by the words of docs/output.md.
CONTAINERS = {
    2: "thread", 3: "jit_frame", 4: "native_frame", 5: "native_gc_frame", 6: "com_frame",
    7: "interpreted_frame", 8: "fast_interpreted_frame", 9: "static", 10: "finalizer",
    11: "internal", 14: "handles", 15: "globals", 16: "monitors", 17: "dependent", 18: "weak",
    21: "frame", 256: "own"}
ROOTS = {
    0: "unknown", 1: "local", 2: "static", 3: "handle", 4: "pinned_handle", 5: "weak_handle",
    6: "finalizer", 7: "internal", 8: "monitor", 9: "thread", 10: "register", 256: "own"}


class Truth:
    """What there was at this dump."""

    def __init__(self, path, wanted):
        self.names, self.weak_classes, self.total = {}, set(), None
        self.forget()
        block = []
        for line in open(path, encoding="utf-8", errors="surrogateescape"):
            parts = line.split()
            if not parts:
                continue
            if parts[0] == "class":
                self.add_class(int(parts[1]), words(parts))
            elif parts[0] == "object":
                block.append(int(parts[1]))
                self.add_object(block[-1], words(parts))
            elif parts[0] == "references":
                at = int(parts[1].rstrip(":"))
                self.edges[block[at]] = [int(part) for part in parts[2:]]
                if at == len(block) - 1:
                    block = []
            elif parts[0] == "root":
                self.add_root(words(parts))
            elif parts[0] in ("gc-finish", "dump"):
                if parts[0] == "dump" and int(parts[1]) == wanted:
                    self.total = words(parts)
                    return
                self.forget()
                block = []

    def forget(self):
        self.objects, self.edges, self.at = {}, {}, {}
        self.roots, self.dependent, self.told_roots = [], [], []
        self.thread = None

    def add_class(self, number, told):
        self.names[number] = told["name"]
        if int(told["flags"], 0) & WEAK_CLASS:
            self.weak_classes.add(number)

    def add_object(self, number, told):
        self.objects[number] = (int(told["class"]), int(told["size"]))
        self.at[int(told["at"], 0)] = number

    def add_root(self, told):
        type_, id1, id2 = (int(word, 0) for word in told["container"].split(","))
        kind, id_ = (int(word, 0) for word in told["kind"].split(","))
        to = int(told["object"])
        if type_ == THREAD:
            self.thread = id1
        above = THREAD if type_ in FRAMES else type_
        self.told_roots.append(((CONTAINERS[type_], id1, id2, ROOTS[kind], id_), to,
                                (CONTAINERS[above], self.thread if above == THREAD else None)))
        if type_ == DEPENDENT:
            self.dependent.append((id1, to))
        elif type_ != WEAK:
            self.roots.append(to)

    def kept_by(self, number):
        """What an object keeps alive."""
        to = self.edges.get(number, [])
        if self.objects[number][0] in self.weak_classes:
            to = to[:-1]
        return to + [value for key, value in self.dependent if key == number]

    def reached(self, without=None):
        """All that the roots lead to; without one object."""
        seen, waiting = {0, without}, list(self.roots)
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            waiting += self.kept_by(number)
        return seen - {0, without}

    def only_by(self, name_of):
        """Bytes and objects that roots of one name only lead to, by that name."""
        many, by = object(), {0: None}
        for root in self.told_roots:
            if root[0][0] in ("weak", "dependent"):
                continue
            waiting = [(root[1], name_of(root))]
            while waiting:
                number, name = waiting.pop()
                if number == 0 or by.get(number, name) == name and number in by:
                    continue
                if by.get(number) is many:
                    continue
                by[number] = many if number in by else name
                waiting += [(to, by[number]) for to in self.kept_by(number)]
        sums = {}
        for number, name in by.items():
            if number and name is not many:
                size, count = sums.get(name, (0, 0))
                sums[name] = size + self.objects[number][1], count + 1
        return sums

    def bytes_of(self, numbers):
        return sum(self.objects[number][1] for number in numbers)


def compare_reached(truth, lines, wrong):
    """By leaving the owner of the first finding out: what is not reached then it retained."""
    summary = lines[-1]
    reached = truth.reached()
    if (summary["reached_objects"], summary["reached_bytes"]) != (
            len(reached), truth.bytes_of(reached)):
        wrong.append("reached: %d objects, %d bytes; the truth is %d, %d" % (
            summary["reached_objects"], summary["reached_bytes"], len(reached),
            truth.bytes_of(reached)))
    first = next(line for line in lines if line["event"] == "finding")
    gone = reached - truth.reached(truth.at[int(first["address"], 0)])
    point = reached - truth.reached(truth.at[int(first["point_address"], 0)])
    if (first["objects"], first["bytes"]) != (len(point), truth.bytes_of(point)):
        wrong.append("%s: %d objects, %d bytes; the truth is %d, %d" % (
            first["text"], first["objects"], first["bytes"], len(point), truth.bytes_of(point)))
    if not gone >= point:
        wrong.append("the owner of the first finding does not keep all of it")


def compare_types(truth, lines, wrong):
    sums = {}
    for class_, size in truth.objects.values():
        count, size_of_all = sums.get(class_, (0, 0))
        sums[class_] = count + 1, size_of_all + size
    told = {line["class"]: line for line in lines if line["event"] == "type"}
    if set(told) != set(sums):
        wrong.append("types: %s, the truth is %s" % (sorted(told), sorted(sums)))
    for class_, line in told.items():
        if (line["count"], line["shallow_bytes"]) != sums.get(class_):
            wrong.append("%s: %d, %d bytes; the truth is %s" % (
                line["name"], line["count"], line["shallow_bytes"], sums.get(class_)))
        if line["name"] != truth.names.get(class_):
            wrong.append("class %d is %s, not %s" % (
                class_, line["name"], truth.names.get(class_)))
    return len(told)


def compare_roots(truth, roots, wrong):
    """Each root, by what stands above it; and what each level of that alone keeps alive."""
    def name_of_line(line):
        # A dependent handle's container is its key: here by address, in the truth by number.
        id1 = truth.at.get(line["id1"]) if line["kind"] == "dependent" else line["id1"]
        return (line["kind"], id1, line["id2"], line["root_kind"], line["root_id"],
                truth.at.get(int(line["address"], 0)))

    told = collections.Counter(name_of_line(line) for line in roots if line["level"] == "root")
    there = collections.Counter(root[0] + (root[1],) for root in truth.told_roots)
    for name in (told - there) | (there - told):
        wrong.append("root %s: told %d times, the truth is %d" % (name, told[name], there[name]))

    levels = {
        "root": (truth.only_by(lambda root: root[0] + (root[1],)), name_of_line),
        "container": (truth.only_by(lambda root: root[0][:3]),
                      lambda line: (line["kind"], line["id1"], line["id2"])),
        "thread": (truth.only_by(lambda root: root[2]), lambda line: ("thread", line["id1"])),
        "kind": (truth.only_by(lambda root: root[2][0]), lambda line: line["kind"])}
    for line in roots:
        if (line["level"], line["kind"]) == ("container", "static") and (
                line["name"] != truth.names.get(line["id1"])):
            wrong.append("statics of class %d are said to be of %s" % (line["id1"], line["name"]))
        is_thread = line["level"] == "container" and line["kind"] == "thread"
        sums, name_of = levels["thread" if is_thread else line["level"]]
        kept = line.get("retained_bytes", 0), line.get("retained_objects", 0)
        if kept != sums.get(name_of(line), (0, 0)):
            wrong.append("%s %s keeps %s alive, the truth is %s" % (
                line["level"], line["name"], kept, sums.get(name_of(line))))


def main():
    lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    truth = Truth(sys.argv[2], lines[0]["dump"])
    summary = lines[-1]
    wrong = []

    if truth.total is None:
        sys.exit("the truth has no dump %s" % lines[0]["dump"])
    counted = "histogram" in summary
    for field in ("objects", "bytes") if counted else ("objects", "bytes", "roots"):
        if summary[field] != int(truth.total[field]):
            wrong.append("%s: %d, the truth is %s" % (field, summary[field], truth.total[field]))
    # In the graph a dependent handle is a reference from its key to its value.
    if not counted and (summary["references"] - summary["dependent_roots"] + summary["weak_references"] !=
            int(truth.total["references"])):
        wrong.append("references: %d and %d weak ones, the truth is %s" % (
            summary["references"], summary["weak_references"], truth.total["references"]))
    roots = [line for line in lines if line["event"] == "root"]
    types = 0
    if roots and lines[1] is roots[0]:
        compare_roots(truth, roots, wrong)
    else:
        types = compare_types(truth, lines, wrong)
        if not counted:
            compare_reached(truth, lines, wrong)
    for text in wrong:
        print(text)
    print("%d types, %d roots, %d objects" % (types, len(roots), len(truth.objects)))
    sys.exit(1 if wrong or not truth.objects else 0)


main()
