/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The compiled BPF objects, one for each runtime, before they are loaded.
 */
#ifndef ATTACH_OBJECT_H
#define ATTACH_OBJECT_H

#include <stdbool.h>

#include "target/module.h"

struct bpf_object;

struct object {
	struct bpf_object *object;
	void *skeleton;
	void (*destroy)(void *skeleton);
};

/* The provider under whose name its object goes. */
enum provider object__provider(enum provider provider);

/* Open it and set its knobs. 0 or negative errno. object__close() is legal on all zero. */
int object__open(struct object *object, enum provider provider, unsigned int shards,
		 bool sleepable);
void object__close(struct object *object);

#endif
