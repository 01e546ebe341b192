#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""python_compare.py GCTRACE.json TRUTH: does gctrace say what gc.callbacks said (load.py)?"""
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
with open(sys.argv[2], encoding='ascii') as file:
    truth = [tuple(int(word) for word in line.split()) for line in file]
# What was collected while the program waited.
before = sum(1 for event in traced if event['start_ns'] < truth[0][2])
del traced[:before]

if len(traced) != len(truth):
    errors.append(f'gctrace has {len(traced)} collections, gc.callbacks {len(truth)}')
for i, (event, (generation, found, start, end)) in enumerate(zip(traced, truth)):
    ours = (event['generation'], event['kind'], event.get('dead_objects'))
    if ours != (generation, f'gen {generation}', found):
        errors.append(f'collection {i}: {ours}, gc.callbacks says {generation}, {found}')
    # The callbacks are called just outside of the two probes.
    if not start <= event['start_ns'] <= event['end_ns'] <= end:
        errors.append(f"collection {i}: {event['start_ns']} to {event['end_ns']} "
                      f'is not within {start} to {end}')
    if event['pauses'] != 1 or event['pause_ns'] != event['end_ns'] - event['start_ns']:
        errors.append(f"collection {i}: {event['pauses']} pauses of {event['pause_ns']} ns")
generations = [sum(1 for row in truth if row[0] == n) for n in range(3)]
if min(generations) < 2:
    errors.append(f'too light a load: {generations} collections of generations 0, 1, 2')
for text in errors[:20]:
    print(text)
print(f'{len(traced)} collections compared, by generation: {generations}')
sys.exit(1 if errors else 0)
