/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The smallest runtime that makes a heap dump when it is asked for one: a list that a static keeps
 * alive. A runtime with threads looks at the request in a helper thread, and stops the world.
 *
 *     cc -I include docs/example/dump.c docs/example/probes.c -o list && ./list
 *     sudo gctrace heap -p "$(pgrep -n list)"
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <gctrace/probes.h>

enum { NODES = 1000, NODE_CLASS = 1 };

struct node {
	struct node *next;
	uint64_t value;
};

static struct node nodes[NODES];

static struct gctrace_emitter emitter;
static _Alignas(8) unsigned char buffer[GCTRACE_BATCH_BYTES];
static struct gctrace_writer writer;

static void tell_node(const struct node *node)
{
	const uint64_t next = (uintptr_t)node->next;
	const struct gctrace_object object = {
		.id = (uintptr_t)node, .class_ = NODE_CLASS, .size = sizeof(*node),
		.place = GCTRACE_PLACE_POSITION, .count = 1, .refs = &next,
	};

	gctrace_write_object(&writer, &object);
}

/* The world stands still. */
static void dump(uint64_t number)
{
	enum gctrace_dump_status status = GCTRACE_DUMP_COMPLETE;
	uint64_t told = 0, references = 0; /* nulls are not counted */

	gctrace_write_pause_begin(&writer, number, GCTRACE_WHY_DUMP);
	gctrace_write_producer(&writer, "", "1.0", "list", "none");
	gctrace_write_container(&writer, GCTRACE_C_BEGIN, number, ~(uint64_t)0);
	gctrace_write_class(&writer, NODE_CLASS, "Node", 4, 0, 0, "next", 4, sizeof(nodes[0]));
	gctrace_write_container(&writer, GCTRACE_C_STATIC, 0, 0);
	gctrace_write_root(&writer, (uintptr_t)&nodes[0], 0, GCTRACE_ROOT_STATIC, 0);
	for (; told < NODES && gctrace_requests_dump(); told++) { /* down again: stop */
		tell_node(&nodes[told]);
		references += nodes[told].next != NULL;
	}
	if (told < NODES)
		status = GCTRACE_DUMP_ABORTED;
	gctrace_write_container(&writer, GCTRACE_C_END, status, 0);
	gctrace_write_dump_end(&writer, number, status, told, references, 1,
			       told * sizeof(nodes[0]));
	gctrace_write_pause_end(&writer, number, ~(uint64_t)0);
}

int main(void)
{
	const struct timespec rest = { .tv_nsec = 40 * 1000 * 1000 };
	bool was_up = false;
	uint64_t dumps = 0;

	for (size_t i = 1; i < NODES; i++)
		nodes[i - 1].next = &nodes[i];
	gctrace_emitter_init(&emitter);
	gctrace_writer_init(&writer, &emitter, buffer);
	for (;; nanosleep(&rest, NULL)) {
		bool is_up = gctrace_requests_dump();

		if (is_up && !was_up) /* held up, it asks for no second one */
			dump(++dumps);
		was_up = is_up;
	}
}
