# SPDX-License-Identifier: BSD-2-Clause
"""A confusion matrix: where threads really were, and what gctrace sample said of them, field by
field and by the field's accuracy. What judges the samples of one program (sample_truth.py and its
like) counts each judgement here.

    SAMPLE_MATRICES=DIRECTORY   save() writes the matrix there, for tests/runtimes/matrices
"""
import collections
import json
import os

ACCURACIES = ("EXACT", "POOR")
FLAGS = (("stack_id", 1), ("method_id", 2), ("location", 4), ("pc_offset", 16))
MOST_WRONG = 0.001  # of what is called EXACT
SHOWN = 20


class Matrix:
    def __init__(self):
        self.counts = collections.Counter()
        self.wrong = []
        self.fits = True

    def check_flags(self, sample):
        """flags name the fields that are there, whatever accuracy they have."""
        flags = sample["flags"]
        if any((name in sample) != bool(flags & flag) for name, flag in FLAGS) or flags > 31:
            print("flags that do not fit: %s" % json.dumps(sample))
            self.fits = False

    def count(self, field, place, said, accuracy, is_right, sample):
        """True: it was right. accuracy is EXACT or POOR; what is NONE says nothing."""
        self.counts[field, place, said, accuracy, bool(is_right)] += 1
        if accuracy == "EXACT" and not is_right:
            self.wrong.append((field, place, sample))

    def judge(self, field, place, said, is_right, sample):
        """The same, with the accuracy that the sample states for the field."""
        poor = sample.get("poor", ())
        self.count(field, place, said, "POOR" if field in poor else "EXACT", is_right, sample)

    def sums(self, field, accuracy):
        """How many there are, and how many of them are right."""
        counts = [0, 0]
        for key, count in self.counts.items():
            if key[0] == field and key[3] == accuracy:
                counts[0] += count
                counts[1] += count * key[4]
        return counts

    def fields(self):
        return list(dict.fromkeys(key[0] for key in self.counts))

    def show(self):
        print("%-9s %-15s %-10s %-8s %9s %9s" % ("field", "really in", "said", "accuracy",
                                                "right", "wrong"))
        for key in sorted({key[:4] for key in self.counts}):
            print("%-9s %-15s %-10s %-8s %9d %9d" % (*key, self.counts[(*key, True)],
                                                    self.counts[(*key, False)]))
        for field in self.fields():
            for accuracy in ACCURACIES:
                total, right = self.sums(field, accuracy)
                if total:
                    print("%s, %s: %d of %d are right, %.3f %%" % (
                        field, accuracy, right, total, 100 * right / total))
        for field, place, sample in self.wrong[:SHOWN]:
            print("wrong %s: really in %s; %s" % (field, place, json.dumps(sample)))

    def save(self, name, title):
        directory = os.environ.get("SAMPLE_MATRICES")
        if not directory:
            return
        with open(os.path.join(directory, name + ".json"), "w", encoding="utf-8") as file:
            json.dump({"title": title, "counts": [[*key, count] for key, count in
                                                  self.counts.items()]}, file)

    def fails(self, least):
        """More than MOST_WRONG of what is called EXACT is wrong, or there is too little of it."""
        failed = not self.fits
        for field in self.fields() or ["location"]:
            total, right = self.sums(field, "EXACT")
            failed |= total - right > MOST_WRONG * total
            if field in ("location", "method") and total < least:
                print("too few: %d EXACT in %s, expected at least %d" % (total, field, least))
                failed = True
        return failed
