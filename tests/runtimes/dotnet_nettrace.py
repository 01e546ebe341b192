#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The heap snapshot in a file of dotnet-trace: objects, their types, and types without a name.

    dotnet_nettrace.py FILE.nettrace

Prints `OBJECTS objects of TYPES types, UNNAMED unnamed`. The file is "Nettrace", a version, and
objects in a row, of which blocks of events and of the events' descriptions matter here:

  block       size, padding to 4 bytes, header with a flag for compressed headers of events, events
  event       header, payload; what a compressed header leaves out is as in the event before

A description says which provider's event of which number the events of its own number are.
"""
import struct
import sys

RUNTIME = 'Microsoft-Windows-DotNETRuntime'
BULK_TYPE, BULK_NODE = 15, 18


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, fields):
        values = struct.unpack_from('<' + fields, self.data, self.at)
        self.at += struct.calcsize('<' + fields)
        return values if len(values) > 1 else values[0]

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take('B')
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self):
        """UTF-16 up to a 0."""
        start = self.at
        while self.take('H'):
            pass
        return bytes(self.data[start:self.at - 2]).decode('utf-16-le')

    def align(self):
        self.at += -self.at % 4


def objects(data):
    """Each one's type name and a reader at the beginning of what it has."""
    reader = Reader(data)
    if bytes(reader.bytes(8)) != b'Nettrace':
        sys.exit('it does not begin with Nettrace')
    reader.bytes(reader.take('i'))
    while reader.take('B') != 1:  # a reference to nothing ends the file
        reader.bytes(10)  # tags, version, least version that reads it
        name = bytes(reader.bytes(reader.take('i'))).decode()
        reader.bytes(1)
        if name == 'Trace':
            reader.bytes(48)
        else:
            size = reader.take('i')
            reader.align()
            yield name, Reader(reader.bytes(size))
        if reader.take('B') != 6:
            sys.exit(f'no end behind an object of {name}')


def compressed(block):
    """The description's number and payload of each event of a block."""
    kind = size = 0
    while block.at < len(block.data):
        flags = block.take('B')
        if flags & 1:
            kind = block.varint()
        if flags & 2:
            block.varint(), block.varint(), block.varint()
        if flags & 4:
            block.varint()
        if flags & 8:
            block.varint()
        block.varint()
        block.bytes(16 * (bool(flags & 16) + bool(flags & 32)))
        if flags & 128:
            size = block.varint()
        yield kind, Reader(block.bytes(size))


def events(block):
    size, flags = block.take('HH')
    if not flags & 1:
        sys.exit('its events have uncompressed headers')
    block.bytes(size - 4)
    return compressed(block)


def names(payload):
    count, _ = payload.take('IH')
    for _ in range(count):
        type_, *_ = payload.take('QQIIB')
        name = payload.text()
        payload.bytes(8 * payload.take('I'))
        yield type_, name


def nodes(payload):
    _, count, _ = payload.take('IIH')
    for _ in range(count):
        yield payload.take('QQQQ')[2]


def main():
    kinds, named, used, count = {}, {}, set(), 0
    with open(sys.argv[1], 'rb') as file:
        data = memoryview(file.read())
    for name, block in objects(data):
        if name not in ('MetadataBlock', 'EventBlock'):
            continue
        for kind, payload in events(block):
            if name == 'MetadataBlock':
                number = payload.take('i')
                kinds[number] = payload.text(), payload.take('i')
            elif kinds[kind] == (RUNTIME, BULK_TYPE):
                named.update(names(payload))
            elif kinds[kind] == (RUNTIME, BULK_NODE):
                types = list(nodes(payload))
                used.update(types)
                count += len(types)
    print(f'{count} objects of {len(used)} types, '
          f'{sum(not named.get(type_) for type_ in used)} unnamed')


if __name__ == '__main__':
    main()
