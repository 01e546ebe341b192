#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a JVM's own dump (hprof) lacks, read by nothing of gctrace's.

  hotspot_absent.py which FILE OBJECTS   how many references lead to what has no record, and what
                                         that is: OBJECTS are the JSON lines of another dump
                                         of the same JVM, which has it. "815 java.lang.Class"
  hotspot_absent.py break FILE COUNT     the first reference of the array of so many elements
                                         leads nowhere from now on
"""
import collections
import json
import struct
import sys

SIZES = {2: 8, 4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
ROOTS = {0xff: 8, 1: 16, 2: 16, 3: 16, 4: 12, 5: 8, 6: 12, 7: 8, 8: 16}


class File:
    """Ids of 8 bytes, segments; references by where they stand in the file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.classes, self.instances, self.references = {}, [], []
        self.ids = set()
        self.arrays = []  # (elements, where they begin)
        at = self.data.index(b"\0") + 13
        while at < len(self.data):
            tag, size = self.data[at], self.number(at + 5, 4)
            if tag in (0x0c, 0x1c):
                self.segment(at + 9, at + 9 + size)
            at += 9 + size
        for class_, at in self.instances:
            self.instance(class_, at)

    def number(self, at, size):
        return int.from_bytes(self.data[at:at + size], "big")

    def segment(self, at, end):
        while at < end:
            tag = self.data[at]
            at += 1
            if tag in ROOTS:
                at += ROOTS[tag]
                continue
            self.ids.add(self.number(at, 8))
            if tag == 0x20:
                at = self.class_(at)
            elif tag == 0x21:
                self.instances.append((self.number(at + 12, 8), at + 24))
                at += 24 + self.number(at + 20, 4)
            elif tag == 0x22:
                count = self.number(at + 12, 4)
                self.arrays.append((count, at + 24))
                self.references += range(at + 24, at + 24 + 8 * count, 8)
                at += 24 + 8 * count
            elif tag == 0x23:
                at += 17 + self.number(at + 12, 4) * SIZES[self.data[at + 16]]
            else:
                sys.exit(f"tag {tag} at {at}")

    def class_(self, at):
        number, above = self.number(at, 8), self.number(at + 12, 8)
        self.references += range(at + 12, at + 44, 8)
        at += 64
        for _ in range(self.number(at, 2)):
            at += 3 + SIZES[self.data[at + 4]]
        at += 2
        count, at = self.number(at, 2), at + 2
        for _ in range(count):
            if self.data[at + 8] == 2:
                self.references.append(at + 9)
            at += 9 + SIZES[self.data[at + 8]]
        count, at = self.number(at, 2), at + 2
        self.classes[number] = above, [self.data[at + 9 * i + 8] for i in range(count)]
        return at + 9 * count

    def instance(self, class_, at):
        while class_ in self.classes:
            class_, fields = self.classes[class_]
            for kind in fields:
                if kind == 2:
                    self.references.append(at)
                at += SIZES[kind]

    def absent(self):
        """Each reference to what has no record."""
        found = (self.number(at, 8) for at in self.references)
        return [to for to in found if to and to not in self.ids]


def which(path, objects):
    absent = File(path).absent()
    types = {}
    with open(objects) as lines:
        for entry in map(json.loads, lines):
            if entry["event"] == "object":
                types[int(entry["address"], 16)] = entry["type"]
    for name, count in collections.Counter(types.get(to, "?") for to in absent).items():
        print(count, name)


def damage(path, count):
    file = File(path)
    places = [at for elements, at in file.arrays if elements == count]
    if len(places) != 1:
        sys.exit(f"{len(places)} arrays of {count} elements")
    with open(path, "r+b") as out:
        out.seek(places[0])
        out.write(struct.pack(">Q", 0x10))


if sys.argv[1] == "which":
    which(*sys.argv[2:])
else:
    damage(sys.argv[2], int(sys.argv[3]))
