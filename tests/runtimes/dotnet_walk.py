#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Is all that lies in a .NET program's heap in gctrace's dump of it, and nothing else?

    dotnet_walk.py HEAP.json TRUTH [segments]

TRUTH is what dotnet/Walk.cs wrote, of another collection just after the dump's, HEAP.json is
`gctrace heap --top 0 -o json`. What is compared:

  classes      names, objects and bytes of each are the walk's
  account      what the walk finds is what the runtime says that its heap has in use, to the byte

What differs, and has to:

  * Once a full collection is done the runtime trims its pools of arrays. For that it makes two
    objects, which the walk finds where they were faster.
  * The runtime gives the size of an empty string as 22 bytes in the dump, and as the 24 that it
    takes in the walk. There is one.
  * Where its heap is of segments the account has 24 bytes more for each that has large or pinned
    objects.

Prints what differs else, and a line of what was compared; the exit status is 0 where nothing does.
"""
import collections
import json
import sys

TRIMMING = {'System.GCMemoryInfoData',
            'System.Runtime.CompilerServices.ConditionalWeakTable<'
            'System.Buffers.SharedArrayPoolThreadLocalArray[], System.Object>+Enumerator'}


def read_walk(path):
    """Classes as (objects, bytes) by name; room, heap and free bytes."""
    classes, account = collections.Counter(), None
    for line in open(path, encoding='utf-8'):
        word, *rest = line.rstrip('\n').split(' ', 3)
        if word == 'class':
            add(classes, rest[2], int(rest[0]), int(rest[1]))
        elif word == 'walked':
            account = [int(number) for number in rest]
    return classes, account


def read_dump(path):
    classes, summary = collections.Counter(), None
    for line in open(path, encoding='utf-8'):
        event = json.loads(line)
        if event['event'] == 'type':
            add(classes, event['name'], event['count'], event['shallow_bytes'])
        elif event['event'] == 'summary':
            summary = event
    return classes, summary


def add(classes, name, objects, size):
    """Two classes may have one name, in modules of their own."""
    classes[name, 'objects'] += objects
    classes[name, 'bytes'] += size


def main():
    walked, (room, heap, free) = read_walk(sys.argv[2])
    dumped, summary = read_dump(sys.argv[1])
    errors = []
    for name in TRIMMING:
        if (name, 'objects') not in dumped and walked[name, 'objects'] == 1:
            room -= walked[name, 'bytes']
            del walked[name, 'objects'], walked[name, 'bytes']
    walked['System.String', 'bytes'] -= 2
    for key in sorted(walked.keys() | dumped.keys()):
        if walked[key] != dumped[key]:
            errors.append(f'{key[1]} of {key[0]}: {dumped[key]}, the walk finds {walked[key]}')
    difference = heap - free - room
    if difference and not ('segments' in sys.argv and difference in range(24, 24 * 17, 24)):
        errors.append(f'{heap - free} bytes are in use, the walk finds {room}')
    if not summary or not summary['complete'] or summary['missing'] or summary['odd']:
        errors.append(f'something was lost or odd: {summary}')
    for text in errors[:40]:
        print(text)
    objects = sum(count for (_, what), count in dumped.items() if what == 'objects')
    names = {name for name, _ in dumped}
    print(f'{len(names)} names of classes, {objects} objects; {heap - free} bytes in use by the '
          f"runtime's account, {room} by the walk")
    return 1 if errors or objects < 1000 else 0


if __name__ == '__main__':
    sys.exit(main())
