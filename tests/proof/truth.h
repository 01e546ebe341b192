/* SPDX-License-Identifier: BSD-2-Clause */
/* What minivm wrote down of one of its heap dumps (tests/minivm/truth.h), and the comparison. */
#ifndef TESTS_PROOF_TRUTH_H
#define TESTS_PROOF_TRUTH_H

#include "base/vec.h"
#include "minivm/truth.h"

struct told;

struct true_object {
	struct truth_object object;
	uint64_t first, count; /* of refs */
};

struct true_class {
	struct truth_class class_;
	char *texts; /* name, then fields' names, each of these ended by a zero byte */
	size_t bytes; /* of texts, fields' names up to the last one */
};

struct truth {
	VEC(struct true_object) objects;
	VEC(uint64_t) refs; /* ids */
	VEC(struct truth_root) roots;
	VEC(struct true_class) classes;
	struct truth_dump dump;
};

/*
 * Waits for the dump to be in the file, which a running minivm writes; -ENOENT when it is not there
 * after a minute. 0 or negative errno.
 */
int truth__load(struct truth *truth, const char *path, uint64_t dump);
void truth__free(struct truth *truth);

/* Complains on stdout. How much is wrong. Sorts both. A dump that was stopped is a part. */
uint64_t truth__compare(struct truth *truth, struct told *told);

#endif
