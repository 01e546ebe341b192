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


def begun(start, end):
    return [event for event in traced if start <= event.get('start_ns', 0) <= end]


for event in traced:
    if event['kind'] != 'mark+sweep':
        errors.append(f"a collection of the kind {event['kind']}")
for name, (start, end, count) in truth.items():
    if len(begun(start, end)) != count:
        errors.append(f'{name}: {len(begun(start, end))} collections, GC.stat counts {count}')
collections = begun(*truth['all'][:2])
if truth['all'][2] < 20:
    errors.append(f"only {truth['all'][2]} collections: the load is too light")
for event in collections:
    if event.get('cut_off'):  # the last one: more steps might have come
        continue
    if event['pauses'] < 1 or event['pause_ns'] > event['end_ns'] - event['start_ns']:
        errors.append(f"a collection with {event['pauses']} pauses of {event.get('pause_ns')} ns")
# An immediate sweep is a part of the pause of its mark, the other one is in steps behind it.
at_once = begun(*truth['at_once'][:2])
if any(event['pauses'] != 1 for event in at_once[:-1]):
    errors.append('GC.start swept in steps')
if not any(event['pauses'] > 1 for event in begun(*truth['lazily'][:2])):
    errors.append('no lazy sweep was seen')
if not any(event['pauses'] > 2 for event in collections):
    errors.append('no sweep had more than one step')
whole = sorted((event for event in collections if 'end_ns' in event),
               key=lambda event: event['start_ns'])
for last, event in zip(whole, whole[1:]):
    if event['start_ns'] < last['end_ns']:
        errors.append('a collection begins within another one')
for text in errors[:20]:
    print(text)
print(f'{len(collections)} collections in {len(truth)} spans compared')
sys.exit(1 if errors else 0)
