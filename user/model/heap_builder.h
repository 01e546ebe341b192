/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the events of one dump to a heap graph (heap.h).
 *
 * It takes what it is given in any order and believes nothing: what fits nothing is counted in
 * struct heap_facts, what was cut off stays as far as it came, and memory ends at the limit with
 * an error. The dump is held once, in the rows that become the graph.
 *
 * Who feeds it chooses the events of one target from one C_BEGIN on; events that do not belong to
 * dumps are ignored.
 */
#ifndef MODEL_HEAP_BUILDER_H
#define MODEL_HEAP_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "heap.h"
#include "stream/event.h"

struct heap_builder;

/* Bytes of rows, 24 an object and 8 a reference as they come. */
#define HEAP_BUILDER_WARM (UINT64_C(512) << 20)

/* limit: bytes of memory for all of the heap, dominators included; 0: none. NULL: no memory. */
struct heap_builder *heap_builder__new(uint64_t limit);
/*
 * For a heap without a graph (heap__has_graph()): it takes EVENT_HEADS instead of objects and
 * roots, and needs memory for their addresses only, less than 2 bytes an object.
 */
struct heap_builder *heap_builder__new_counting(uint64_t limit);
void heap_builder__free(struct heap_builder *builder); /* NULL is legal */

/*
 * A heap of at most so many bytes is about to be told, by a program that stands still meanwhile
 * and waits for who is slow. A page takes longest when it is new, under a hypervisor ten times as
 * long; so those for what comes first are got now, HEAP_BUILDER_WARM bytes at most. Where a process
 * is forked after that, they have to be copied.
 */
void heap_builder__expect(struct heap_builder *builder, uint64_t heap_bytes);

/*
 * 0, or an error, after which heap_builder__free() is all that is left to do:
 *   -ENOMEM     the system has no more memory
 *   -EDQUOT     the limit is reached; of heap_builder__finish() alone, for what comes after the
 *               limit is counted, so that the sentence names a limit that is enough
 *   -EOVERFLOW  more objects or references than the graph can number
 * heap_builder__explain() makes a sentence of it.
 */
int heap_builder__event(struct heap_builder *builder, const struct event *event);

/*
 * It is the dump that a JVM makes by itself (hprof): a class's number is the address of its object,
 * and some of these are left out. References to them lead nowhere and are no loss; others that
 * lead nowhere are, as in any dump.
 */
void heap_builder__is_of_jvm(struct heap_builder *builder);

/* Objects are found by a walk from the roots: how much garbage there is besides is not known. */
void heap_builder__reached_only(struct heap_builder *builder);

/* So far: for progress. */
const struct heap_facts *heap_builder__facts(const struct heap_builder *builder);
uint64_t heap_builder__memory(const struct heap_builder *builder);

/* An error as a sentence: what was expected, what was found, what to do. */
void heap_builder__explain(const struct heap_builder *builder, int err, char *to, size_t bytes);

/*
 * All has been told: make the graph. *heap is the caller's, to be freed with heap__free(); the
 * builder is empty afterwards, and only good for being freed or for explaining the error. Errors
 * as above.
 */
int heap_builder__finish(struct heap_builder *builder, struct heap **heap);

#endif
