/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the things of a heap graph are called, in the same words in both forms. All append the
 * target's bytes as they are: whoever shows them escapes.
 */
#ifndef GCTRACE_VIEW_HEAP_WORDS_H
#define GCTRACE_VIEW_HEAP_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "../model/findings.h"
#include "../model/heap.h"
#include "../model/heap_groups.h"

struct buf;

/* "shop.Order"; a class without a name is "class 17". */
void heap_words__type(struct buf *out, const struct heap *heap, uint32_t type);
void heap_words__type_of(struct buf *out, const struct heap *heap, uint32_t place);

/* "shop", "(no package)", "(loader not told)". */
void heap_words__group(struct buf *out, const struct heap_groups *groups, uint32_t group);

/* "package", "loader", ...: for machines, too. */
const char *heap_words__grouping(enum heap_grouping by);

/* Of objects of this type references are elements. */
bool heap_words__is_array(const struct heap *heap, uint32_t place);

/* A node of the roots below its parent: "statics", "thread main", "Session.serve", "local 3". */
void heap_words__node(struct buf *out, const struct heap *heap, uint32_t place);

/* A node by itself: "static shop.Cache.instance", "thread main: Session.serve, local 3". */
void heap_words__root(struct buf *out, const struct heap *heap, uint32_t place);

/* The node of the thread that a frame or a root in one belongs to; HEAP_NONE. */
uint32_t heap_words__thread(const struct heap *heap, const struct heap_root *root);

/* For machines: "thread", "static", "finalizer", ... of a container; "own" for the producer's. */
const char *heap_words__container_name(uint64_t type);
/* "local", "handle", ...; NULL: not known. */
const char *heap_words__kind_name(uint64_t kind);

/*
 * A place in an object, as its references have it: ".byId", "[17]", "[17].value", ".?" where nobody
 * told. In a struct of which no more is known: ".pair.+8".
 */
void heap_words__field(struct buf *out, const struct heap *heap, uint32_t from, uint64_t at);

/* The field of a place; what has no name is "+16" (bytes) or "#3" (position). */
void heap_words__place(struct buf *out, const struct heap_place *place, unsigned int kind,
		       uint64_t at);

/* The (first) reference from one object to another, the same way. */
void heap_words__step(struct buf *out, const struct heap *heap, uint32_t from, uint32_t to);

/*
 * The same of a branch of merged paths: "[]" for whatever element; from HEAP_NONE a root; nothing
 * from that to its object.
 */
void heap_words__branch(struct buf *out, const struct heap *heap, uint32_t from, uint32_t to);

/* The sentence of a finding, without the command. */
void heap_words__finding(struct buf *out, const struct heap *heap, const struct finding *finding);

/*
 * The command that shows more of it, as a shell takes it: escaped once more it would be another.
 * subject: as struct heap_heading has it; is_file: of a recording, where addresses stay.
 */
void heap_words__more(struct buf *out, const struct heap *heap, const struct finding *finding,
		      const char *subject, bool is_file);

/* What a dump lacks, and what is odd about it: a line for each, "  3 roots whose ...", or none. */
void heap_words__missing(struct buf *out, const struct heap_facts *facts);
void heap_words__odd(struct buf *out, const struct heap_facts *facts);

/* The sizes of objects of this type are estimates. */
bool heap_words__is_estimate(const struct heap *heap, uint32_t type);

/* "exact: nothing is sampled; ... are read, ...", without "exact" where sizes are estimates. */
void heap_words__accuracy(struct buf *out, const struct heap_facts *facts, bool counts_only);

/* "but sizes ... are estimates": where facts->estimated_types. mark: " (~)" where they have it. */
void heap_words__estimated(struct buf *out, const struct heap_facts *facts, const char *mark);

/* The same of what is known to be as it should: nothing is lost by it. */
void heap_words__notes(struct buf *out, const struct heap_facts *facts);

/* A root, or the static of a class object. */
void heap_words__holder(struct buf *out, const struct heap *heap, const struct holder *holder);

/* "accumulation", "thread", ... for machines. */
const char *heap_words__finding_name(enum finding_kind kind);

#endif
