#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare `gctrace heap --top 0 -o json` with what minivm wrote down of the same dump:
heap_compare.py LINES TRUTH, where TRUTH is `minivm --print-truth`. Counts and bytes of each type,
the totals, what the roots reach, and what would be freed with the first finding's object: worked
out here anew, by leaving that object out.
"""
import json
import sys


def words(parts):
    return dict(part.split("=", 1) for part in parts if "=" in part)


WEAK_CLASS, DEPENDENT, WEAK = 0x8, 17, 18


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
        self.roots, self.dependent = [], []

    def add_class(self, number, told):
        self.names[number] = told["name"]
        if int(told["flags"], 0) & WEAK_CLASS:
            self.weak_classes.add(number)

    def add_object(self, number, told):
        self.objects[number] = (int(told["class"]), int(told["size"]))
        self.at[int(told["at"], 0)] = number

    def add_root(self, told):
        type_, id1, _ = (int(word, 0) for word in told["container"].split(","))
        to = int(told["object"])
        if type_ == DEPENDENT:
            self.dependent.append((id1, to))
        elif type_ != WEAK:
            self.roots.append(to)

    def reached(self, without=None):
        """All that the roots lead to; without one object."""
        keys = {}
        for key, value in self.dependent:
            keys.setdefault(key, []).append(value)
        seen, waiting = {0, without}, list(self.roots)
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            to = self.edges.get(number, [])
            waiting += to[:-1] if self.objects[number][0] in self.weak_classes else to
            waiting += keys.get(number, [])
        return seen - {0, without}

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


def main():
    lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    truth = Truth(sys.argv[2], lines[0]["dump"])
    summary = lines[-1]
    wrong = []

    if truth.total is None:
        sys.exit("the truth has no dump %s" % lines[0]["dump"])
    for field in "objects", "bytes", "roots":
        if summary[field] != int(truth.total[field]):
            wrong.append("%s: %d, the truth is %s" % (field, summary[field], truth.total[field]))
    # In the graph a dependent handle is a reference from its key to its value.
    if (summary["references"] - summary["dependent_roots"] + summary["weak_references"] !=
            int(truth.total["references"])):
        wrong.append("references: %d and %d weak ones, the truth is %s" % (
            summary["references"], summary["weak_references"], truth.total["references"]))
    types = compare_types(truth, lines, wrong)
    compare_reached(truth, lines, wrong)
    for text in wrong:
        print(text)
    print("%d types, %d objects" % (types, len(truth.objects)))
    sys.exit(1 if wrong or not truth.objects else 0)


main()
