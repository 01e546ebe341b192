#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ruby_compare.py GCTRACE.json TRUTH: does gctrace count as GC.stat does (load.rb)?"""
import json
import sys

errors = []
traced = []
with open(sys.argv[1], encoding='utf-8') as file:
    for line in file:
        event = json.loads(line)
        if event['event'] == 'gc':
            traced.append(event)
        if event['event'] == 'summary' and not event['complete']:
            errors.append(f"something was lost: {event['lost']}")
truth = {}
with open(sys.argv[2], encoding='ascii') as file:
    for line in file:
        name, *numbers = line.split()
        truth[name] = tuple(int(number) for number in numbers)


def within(kind, start, end):
    return [event for event in traced if event['kind'] == kind and
            start <= event.get('start_ns', 0) <= event.get('end_ns', 0) <= end]


for name, (start, end, count) in truth.items():
    marks = within('mark', start, end)
    if len(marks) != count:
        errors.append(f'{name}: {len(marks)} marks, GC.stat counts {count} collections')
start, end, count = truth['all']
marks, sweeps = within('mark', start, end), within('sweep', start, end)
if count < 20:
    errors.append(f'only {count} collections: the load is too light')
for event in marks:
    if event['pauses'] != 1 or event['pause_ns'] != event['end_ns'] - event['start_ns']:
        errors.append(f"a mark with {event['pauses']} pauses of {event.get('pause_ns')} ns")
for event in sweeps:
    if event['pauses'] < 1 or event['pause_ns'] > event['end_ns'] - event['start_ns']:
        errors.append(f"a sweep with {event['pauses']} pauses of {event.get('pause_ns')} ns")
# An immediate sweep is a part of its mark, the other one is not.
if within('sweep', *truth['at_once'][:2])[1:]:
    errors.append('GC.start swept in steps')
if not within('sweep', *truth['lazily'][:2]):
    errors.append('no lazy sweep was seen')
if not any(event['pauses'] > 1 for event in sweeps):
    errors.append('no sweep had more than one step')
last = None
for event in sorted(marks + sweeps, key=lambda event: event['start_ns']):
    if last and event['start_ns'] < last['end_ns']:
        errors.append(f"a {event['kind']} begins within a {last['kind']}")
    if last and event['kind'] == last['kind'] == 'sweep':
        errors.append('two sweeps without a mark between them')
    last = event
for text in errors[:20]:
    print(text)
print(f'{len(marks)} marks and {len(sweeps)} sweeps in {len(truth)} spans compared')
sys.exit(1 if errors else 0)
