#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of printed commands need.

commands.py hprof FILE NAME     an hprof file with lists that a static and handles hold, of a class of that
                                name (escapes of Python in it)
commands.py extract FILE...     the commands that text, JSON or a page shows, each ended by a zero byte
"""
import json
import re
import struct
import sys


def record(tag, body):
    return struct.pack(">BII", tag, 0, len(body)) + body


def hprof(path, name):
    names = {1: name.encode().decode("unicode_escape").encode("latin-1"), 2: b"held",
             3: b"java/lang/Object", 4: b"next"}
    out = b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 8, 0)
    for number, text in names.items():
        out += record(0x01, struct.pack(">Q", number) + text)
    for serial, (address, text) in enumerate(((0x100, 1), (0x200, 3)), 1):
        out += record(0x02, struct.pack(">IQIQ", serial, address, 0, text))

    def class_dump(address, statics, fields):
        above = 0 if address == 0x200 else 0x200
        body = struct.pack(">BQI", 0x20, address, 0) + struct.pack(">6Q", above, 0, 0, 0, 0, 0)
        body += struct.pack(">IH", 8 * len(fields), 0) + struct.pack(">H", len(statics))
        for field, value in statics:
            body += struct.pack(">QBQ", field, 2, value)
        body += struct.pack(">H", len(fields))
        for field in fields:
            body += struct.pack(">QB", field, 2)
        return body

    heap = struct.pack(">BQ", 0x05, 0x100) + struct.pack(">BQ", 0x05, 0x200)
    heap += class_dump(0x200, [], []) + class_dump(0x100, [(2, 0x1000)], [4])
    count = 3000
    for i in range(count):  # lists of its own nodes: a large one, and many that handles hold
        is_last = i % 60 == 59 if i >= count // 2 else i + 1 == count // 2
        following = 0 if is_last else 0x1000 + (i + 1) * 0x10
        if i >= count // 2 and i % 60 == 0:
            heap += struct.pack(">BQQ", 0x01, 0x1000 + i * 0x10, i)
        heap += struct.pack(">BQIQIQ", 0x21, 0x1000 + i * 0x10, 0, 0x100, 8, following)
    out += record(0x0C, heap)
    with open(path, "wb") as file:
        file.write(out)


def commands(text):
    for line in re.findall(r'"command":("(?:[^"\\]|\\.)*")', text):
        yield json.loads(line)
    for line in text.splitlines():
        if re.match(r"\s+gctrace (heap|path) ", line):
            yield line.strip()


if sys.argv[1] == "hprof":
    hprof(sys.argv[2], sys.argv[3])
else:
    for path in sys.argv[2:]:
        with open(path, errors="surrogateescape") as file:
            for command in commands(file.read()):
                sys.stdout.buffer.write(command.encode(errors="surrogateescape") + b"\0")
