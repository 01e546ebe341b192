#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check every line of gctrace's NDJSON against the schema, and that docs/output.md names every
field of the schema: schema_check.py SCHEMA FILE...; schema_check.py --documented SCHEMA OUTPUT.MD
"""
import json
import re
import sys

import jsonschema


def field_names(node, names):
    if isinstance(node, dict):
        for name, value in node.get("properties", {}).items():
            names.add(name)
        for value in node.values():
            field_names(value, names)
    elif isinstance(node, list):
        for value in node:
            field_names(value, names)
    return names


def check_documented(schema, text):
    documented = set(re.findall(r"`([a-z0-9_]+)`", text))
    missing = sorted(field_names(schema, set()) - documented)
    for name in missing:
        print("not documented: %s" % name)
    return not missing


def check_lines(schema, path):
    """Says what is wrong with the event that the line claims to be, not that it is no other."""
    fine, count = True, 0
    for number, text in enumerate(open(path, encoding="utf-8"), 1):
        line = json.loads(text)
        count += 1
        definition = schema["definitions"].get(line.get("event"))
        if {"$ref": "#/definitions/%s" % line.get("event")} not in schema["oneOf"]:
            print("%s:%d: no such event: %r" % (path, number, line.get("event")))
            fine = False
            continue
        validator = jsonschema.Draft7Validator({"definitions": schema["definitions"],
                                                **definition})
        for error in validator.iter_errors(line):
            error = jsonschema.exceptions.best_match([error])
            print("%s:%d: %s: %s" % (path, number, "/".join(map(str, error.path)), error.message))
            fine = False
    if not count:
        print("%s: no line" % path)
    return fine and count > 0


def main():
    documented = sys.argv[1] == "--documented"
    paths = sys.argv[2:] if documented else sys.argv[1:]
    schema = json.load(open(paths[0]))
    jsonschema.Draft7Validator.check_schema(schema)
    if documented:
        fine = check_documented(schema, open(paths[1]).read())
    else:
        fine = all([check_lines(schema, path) for path in paths[1:]])
    sys.exit(0 if fine else 1)


main()
