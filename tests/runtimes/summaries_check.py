# SPDX-License-Identifier: BSD-2-Clause
"""summaries_check.py SUMMARY...: of traces that were attached while the runtime was busy. One thing
in the window of an attach may fit nothing; what follows must not hang on to it."""
import json
import sys

for name in sys.argv[1:]:
    with open(name, encoding='utf-8') as file:
        summary = json.load(file)
    if not (summary['complete'] and summary['collections'] > 0 and summary['paused_share'] <= 1 and
            summary['pause_max_ns'] <= summary['end_ns'] - summary['start_ns'] and
            sum(summary['odd'].values()) <= 4):
        sys.exit(json.dumps(summary))
