#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Is what another tool reads in an export what gctrace itself says of the heap?

    export_profiles.py folded   HEAP FOLDED          the lines of --as folded
    export_profiles.py pprof    HEAP TOP OBJECTS     pprof's -top by bytes and by objects
    export_profiles.py perfetto GRAPH TRACE          the trace as protoc prints it
    export_profiles.py dot      GRAPH NODES EDGES ADDRESS DEPTH  what gvpr lists of the drawing

HEAP is what `gctrace heap FILE -o json --top 0` says; GRAPH, what it says with --objects and with
--roots. With HOSTILE=1 names are not compared, each type by its figures alone, and of a graph the
totals, so that HEAP will do.
"""
import collections
import json
import os
import re
import sys

UNREACHED = "(reached by no root)"


class Heap:
    def __init__(self, path):
        lines = [json.loads(line) for line in open(path, encoding="utf-8")]
        self.types = [line for line in lines if line["event"] == "type"]
        self.objects = {line["address"]: line for line in lines if line["event"] == "object"}
        self.roots = [line for line in lines if line["event"] == "root"
                      and line["level"] == "root" and not line.get("weak")
                      and line["kind"] not in ("weak", "dependent") and "address" in line]
        self.summary = lines[-1]


def same(what, ours, theirs):
    if ours == theirs:
        return
    if isinstance(ours, dict):
        different = {key: (ours.get(key), theirs.get(key)) for key in ours.keys() | theirs.keys()
                     if ours.get(key) != theirs.get(key)}
        ours, theirs = "(ours, theirs)", dict(list(different.items())[:10])
    sys.exit(f"{what}: {ours} by gctrace, {theirs} by the reader")


def same_types(what, ours, theirs):
    """By name, or each by its figures alone. What has nothing of both is not there for pprof."""
    ours = {name: figures for name, figures in ours.items() if any(figures)}
    theirs = {name: figures for name, figures in theirs.items() if any(figures)}
    if os.environ.get("HOSTILE"):
        same(what, sorted(ours.values()), sorted(theirs.values()))
    else:
        same(what, ours, theirs)


# ------------------------------------------------------------------------------------------------
# folded


def folded(heap, path):
    flat, cum = collections.Counter(), collections.Counter()
    types = {line["name"] for line in heap.types}
    for line in open(path, encoding="utf-8", newline="\n"):
        stack, size = re.fullmatch(r"(.*) (\d+)\n", line).groups()
        frames = stack.split(";")
        flat[frames[-1]] += int(size)
        if frames[0] != UNREACHED:
            for frame in set(frames):
                cum[frame] += int(size)
    same("bytes in all", heap.summary["bytes"], sum(flat.values()))
    ours = {line["name"]: (line["shallow_bytes"], line.get("retained_bytes", 0))
            for line in heap.types}
    if not os.environ.get("HOSTILE"):
        cum = {name: cum[name] for name in types}
    else:
        cum = {name: cum[name] for name in flat}
    same_types("shallow and retained bytes", ours,
               {name: (flat[name], cum[name]) for name in cum})


# ------------------------------------------------------------------------------------------------
# pprof


def top(path):
    """The total, and flat and cum of each function."""
    table, total = {}, None
    for line in open(path, encoding="utf-8"):
        found = re.match(r"Showing nodes accounting for .* of (\d+)(B)? total", line)
        if found:
            total = int(found[1])
        found = re.match(r" *(\d+)B? +[0-9.e+-]+% +[0-9.e+-]+% +(\d+)B? +[0-9.e+-]+% +(.*)$",
                         line.rstrip("\n").replace(" 0 ", " 0B "))
        if found:
            table[found[3].removesuffix(" (inline)")] = (int(found[1]), int(found[2]))
    return total, table


def pprof(heap, bytes_path, objects_path, reached_path):
    total, size = top(bytes_path)
    same("bytes in all", heap.summary["bytes"], total)
    total, count = top(objects_path)
    same("objects in all", heap.summary["objects"], total)
    _, reached = top(reached_path)
    if os.environ.get("HOSTILE"):
        ours = {line["name"]: (line["count"], line["shallow_bytes"]) for line in heap.types}
        theirs = {name: (count.get(name, (0,))[0], size[name][0]) for name in size}
        same_types("objects and shallow bytes", ours, theirs)
        return
    for line in heap.types:
        name = line["name"]
        same(f"{name}: objects", line["count"], count[name][0])
        same(f"{name}: shallow bytes", line["shallow_bytes"], size[name][0])
        same(f"{name}: retained bytes", line.get("retained_bytes", 0),
             reached.get(name, (0, 0))[1])
        same(f"{name}: reached bytes", line["reached_bytes"], reached.get(name, (0, 0))[0])


# ------------------------------------------------------------------------------------------------
# perfetto


def unquote(text):
    """A string as protoc prints it."""
    return text[1:-1].encode().decode("unicode_escape").encode("latin-1").decode("utf-8")


class Graph:
    """Of the text, as Perfetto's trace processor would make it (heap_graph_module.cc)."""

    def __init__(self, path):
        self.objects, self.roots, self.types, self.fields, self.packets = {}, [], {}, {}, []
        self.processes, self.last = [], None
        stack = []
        for line in open(path, encoding="utf-8"):
            line = line.strip()
            if line.endswith("{"):
                stack.append((line[:-2], collections.defaultdict(list)))
            elif line == "}":
                name, message = stack.pop()
                self.end(name, message, len(stack))
            elif stack:
                key, value = line.split(": ", 1)
                stack[-1][1][key].append(unquote(value) if value[0] == '"' else
                                         value if value in ("true", "false") else int(value))

    def end(self, name, message, _depth):
        one = {key: values[0] for key, values in message.items()}
        if name == "objects":
            self.add_object(one, message)
        elif name == "roots":
            self.roots += [(one["root_type"], to) for to in message["object_ids"]]
        elif name == "types":
            self.types[one["id"]] = one
        elif name == "field_names":
            self.fields[one["iid"]] = one["str"]
        elif name == "heap_graph":
            self.packets.append(one)
        elif name == "processes":
            self.processes.append(one)

    def add_object(self, one, message):
        self.last = one["id"] if "id" in one else self.last + one["id_delta"]
        if self.last in self.objects:
            sys.exit(f"{self.last:#x} is there twice")
        base = one.get("reference_field_id_base", 0)
        to = [base + number for number in message["reference_object_id"]]
        fields = message["reference_field_id"]
        if fields and len(fields) != len(to):
            sys.exit(f"{self.last:#x}: {len(to)} references, {len(fields)} fields")
        self.objects[self.last] = (one["type_id"], one["self_size"], to, fields)

    def reached(self):
        seen, waiting = set(), [to for _, to in self.roots]
        while waiting:
            at = waiting.pop()
            if at not in seen:
                seen.add(at)
                waiting += self.objects[at][2]
        return seen

    def name_of(self, field):
        name = self.fields[field]
        return name.split(" ", 1)[1] if " " in name else name


def same_object(heap, graph, address, object_):
    ours = heap.objects[f"{address:#x}"]
    type_, size, to, fields = object_
    same(f"{address:#x}: size", ours["size_bytes"], size)
    same(f"{address:#x}: references", [int(ref["address"], 0) for ref in ours["refers_to"]], to)
    name = graph.types[type_]["class_name"]
    same(f"{address:#x}: type", ours["type"], name)
    if fields:
        same(f"{address:#x}: fields", [name + ref["name"] for ref in ours["refers_to"]],
             [graph.name_of(field) for field in fields])
    elif to and graph.types[type_]["kind"] != 4:
        sys.exit(f"{address:#x}: a {name} is no array, and its references have no fields")


def perfetto(heap, path):
    graph = Graph(path)
    same("packets", list(range(len(graph.packets))), [one["index"] for one in graph.packets])
    same("continued", ["true"] * (len(graph.packets) - 1) + ["false"],
         [one["continued"] for one in graph.packets])
    same("process", heap.summary["pid"], graph.processes[0]["pid"])
    same("objects", heap.summary["objects"], len(graph.objects))
    same("bytes", heap.summary["bytes"], sum(one[1] for one in graph.objects.values()))
    same("references", heap.summary["references"],
         sum(len(one[2]) for one in graph.objects.values()))
    if not os.environ.get("HOSTILE"):
        same("roots", sorted(int(root["address"], 0) for root in heap.roots),
             sorted(to for _, to in graph.roots))
        for address, object_ in graph.objects.items():
            same_object(heap, graph, address, object_)
    reached = graph.reached()
    same("reached objects", heap.summary["reached_objects"], len(reached))
    same("reached bytes", heap.summary["reached_bytes"],
         sum(graph.objects[at][1] for at in reached))
    print(len(graph.packets), "packets")


# ------------------------------------------------------------------------------------------------
# dot


def cone(step, begin, depth):
    seen, now = {begin}, {begin}
    for _ in range(depth):
        now = {to for at in now for to in step.get(at, ())} - seen
        seen |= now
    return seen


def dot(heap, nodes_path, edges_path, middle, depth):
    to = {at: [ref["address"] for ref in one["refers_to"]] for at, one in heap.objects.items()}
    by = collections.defaultdict(list)
    for at, one in heap.objects.items():
        if not one.get("unreached"):
            for target in to[at]:
                by[target].append(at)
    for number, root in enumerate(heap.roots):
        to[f"root {number}"] = [root["address"]]
        by[root["address"]].append(f"root {number}")
    ours = cone(to, middle, int(depth)) | cone(by, middle, int(depth))
    nodes = [line.rstrip("\n") for line in open(nodes_path, encoding="utf-8")]
    edges = [line.rstrip("\n").split("\t") for line in open(edges_path, encoding="utf-8")]
    same("objects drawn", sorted(at for at in ours if at[0] == "0"),
         sorted(at for at in nodes if at[0] == "0"))
    same("roots drawn", sum(at[0] == "r" for at in ours), sum(at[0] == "r" for at in nodes))
    same("arrows", sorted({(at, target) for at in ours if at[0] == "0" for target in to[at]
                           if target in ours}),
         sorted((at, target) for at, target, _ in edges if at[0] == "0"))
    same("arrows of roots", len({at for at in ours if at[0] == "r"}),
         sum(at[0] == "r" for at, _, _ in edges))
    print(len(nodes), "nodes,", len(edges), "arrows")


if __name__ == "__main__":
    {"folded": folded, "pprof": pprof, "perfetto": perfetto,
     "dot": dot}[sys.argv[1]](Heap(sys.argv[2]), *sys.argv[3:])
