#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Why does VisualVM find that an object of a JVM's own dump retains something else?

usage: retained.py OBJECTS TREE READ

OBJECTS: gctrace heap FILE --objects --type '*' --top 0 -o json
TREE:    gctrace heap FILE --tree=1000000 --top 0 -o json
READ:    what Hprof.java printed of the same file

Each object that retains as much in both is counted as `equal`. For the others one of these must
give VisualVM's number, to the byte:

  sizes    gctrace's dominator tree, with the sizes that VisualVM works out: those lack what the JVM
           hides in instances, and class objects have none
  rules    dominators worked out here by its rules: no `referent` leads to anything, not a soft one
           either; but where an object is reached otherwise, each referrer counts as one that keeps
           it, also by a weak reference, and also one that no root reaches
  classes  the same rules; what a class object dominates is counted only in part, so the number lies
           between that with it and that without

Prints how many there are of each, and the first of those that nothing explains; exit status 1 then.
"""
import collections
import json
import sys


def lines(path, event):
    with open(path, encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            if entry["event"] == event:
                yield entry


class Read:
    """What VisualVM found: sizes, retained sizes, roots, statics by class, fields of references."""

    def __init__(self, path):
        self.size, self.retained, self.roots, self.special = {}, {}, set(), []
        self.statics = collections.defaultdict(list)
        with open(path, encoding="utf-8") as file:
            for line in file:
                self.take(line.rstrip("\n").split("\t"))

    def take(self, fields):
        if fields[0] == "object":
            at = int(fields[1], 16)
            self.size[at], self.retained[at] = int(fields[3]), int(fields[5])
        elif fields[0] == "root":
            self.roots.add(int(fields[2], 16))
        elif fields[0] == "static":
            self.statics[int(fields[1], 16)].append(int(fields[3], 16))
        elif fields[0] == "weak":
            self.special.append((int(fields[1], 16), int(fields[2], 16)))


class Graph:
    """Objects and class objects: what leads on (strong), and what only keeps (referents)."""

    def __init__(self, objects, read):
        self.strong = collections.defaultdict(list)
        self.referents = collections.defaultdict(list)
        self.names, told = {}, set()
        for entry in lines(objects, "object"):
            at = int(entry["address"], 16)
            self.names[at] = entry["type"]
            for to in entry.get("refers_to", ()):
                if "address" in to:
                    edges = self.referents if to["name"] == ".referent" else self.strong
                    edges[at].append(int(to["address"], 16))
                    told.add((at, int(to["address"], 16)))
        for at, to in read.special:  # gctrace shows no weak references with their objects
            if (at, to) not in told:
                self.referents[at].append(to)
        for class_, statics in read.statics.items():
            self.strong[class_] = statics
        self.nodes = set(read.size) | set(read.statics)

    def all_of(self, at):
        return self.strong.get(at, []) + self.referents.get(at, [])

    def reached(self, roots):
        seen = {at for at in roots if at in self.nodes}
        todo = list(seen)
        while todo:
            for to in self.strong.get(todo.pop(), ()):
                if to in self.nodes and to not in seen:
                    seen.add(to)
                    todo.append(to)
        return seen


def postorder(first, following):
    order, seen, stack = [], {0}, [(0, iter(first))]
    while stack:
        at, rest = stack[-1]
        to = next((to for to in rest if to not in seen), None)
        if to is None:
            order.append(at)
            stack.pop()
        else:
            seen.add(to)
            stack.append((to, iter(following(to))))
    return order


def common(one, other, dominator, number):
    while one != other:
        while number[one] < number[other]:
            one = dominator[one]
        while number[other] < number[one]:
            other = dominator[other]
    return one


def dominators(first, following):
    """Of all that `first` leads to, below 0: the order, children first, and who dominates each."""
    order = postorder(first, following)
    number = {at: i for i, at in enumerate(order)}
    referrers, dominator, changed = collections.defaultdict(list), {0: 0}, True
    for at in order:
        for to in following(at) if at else first:
            referrers[to].append(at)
    while changed:
        changed = False
        for at in reversed(order[:-1]):
            new = None
            for by in referrers[at]:
                if by in dominator:
                    new = by if new is None else common(by, new, dominator, number)
            changed |= dominator.get(at) != new
            dominator[at] = new
    return order, dominator


def by_rules(graph, read):
    """What each retains with, and without, what class objects dominate."""
    live = graph.reached(read.roots)
    first = {at for at in read.roots if at in live}
    for at in graph.nodes - live:
        first.update(to for to in graph.all_of(at) if to in live)
    order, dominator = dominators(
        sorted(first), lambda at: [to for to in graph.all_of(at) if to in live])
    most = {at: read.size.get(at, 0) for at in order}
    least = dict(most)
    for at in order[:-1]:
        most[dominator[at]] += most[at]
        if at in read.size:
            least[dominator[at]] += least[at]
    return most, least


def by_sizes(tree, read):
    """gctrace's retained sizes, and those by its tree with VisualVM's sizes."""
    ours, theirs, above, path = {}, {}, {}, []
    for node in lines(tree, "node"):
        at = int(node["address"], 16)
        del path[node["depth"]:]
        above[at] = path[-1] if path else None
        path.append(at)
        ours[at], theirs[at] = node["retained_bytes"], read.size.get(at, 0)
    for at in reversed(list(above)):
        if above[at] is not None:
            theirs[above[at]] += theirs[at]
    return ours, theirs


def explain(at, found, ours, sizes, rules):
    most, least = rules
    if ours.get(at) == found:
        return "equal"
    if sizes.get(at) == found:
        return "sizes"
    if most.get(at, 0) == found:
        return "rules"
    if least.get(at, 0) <= found <= most.get(at, 0):
        return "classes"
    return "unexplained"


def main():
    objects, tree, path = sys.argv[1:]
    read = Read(path)
    graph = Graph(objects, read)
    ours, sizes = by_sizes(tree, read)
    rules = by_rules(graph, read)
    count = collections.Counter()
    for at, found in read.retained.items():
        why = explain(at, found, ours, sizes, rules)
        count[why] += 1
        if why == "unexplained" and count[why] <= 10:
            print(hex(at), graph.names.get(at), "VisualVM", found, "gctrace", ours.get(at),
                  "sizes", sizes.get(at), "rules", rules[0].get(at), rules[1].get(at))
    print(", ".join(f"{count[why]} {why}" for why in sorted(count)))
    sys.exit(bool(count["unexplained"]) or count["equal"] < 1000)


if __name__ == "__main__":
    main()
