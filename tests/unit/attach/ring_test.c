/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of one ring: on memory written as the kernel does, and on a ring of the kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../stream/simring.h"
#include "attach/ring.h"

static void look_finds_what_was_committed(void **state)
{
	struct simring sim;
	struct ring_item item;
	uint64_t a, b;

	(void)state;
	simring__init(&sim, 4096);
	assert_int_equal(ring__producer(&sim.ring), 0);
	a = simring__reserve(&sim, 13);
	b = simring__reserve(&sim, 24);
	assert_int_equal(ring__producer(&sim.ring), 24 + 32);

	assert_int_equal(ring__look(&sim.ring, a, ring__producer(&sim.ring), &item), 0);
	assert_int_equal(item.state, RING_BUSY);
	assert_int_equal(item.bytes, 13);
	assert_int_equal(item.next, b);

	simring__write(&sim, a, "hello, world!", 13);
	simring__commit(&sim, a);
	simring__discard(&sim, b);
	assert_int_equal(ring__look(&sim.ring, a, ring__producer(&sim.ring), &item), 0);
	assert_int_equal(item.state, RING_READY);
	assert_memory_equal(ring__get(&sim.ring, &item), "hello, world!", 13);
	assert_int_equal(ring__look(&sim.ring, b, ring__producer(&sim.ring), &item), 0);
	assert_int_equal(item.state, RING_DISCARDED);

	assert_int_equal(ring__used(&sim.ring), 56);
	ring__release(&sim.ring, item.next);
	assert_int_equal(ring__used(&sim.ring), 0);
	simring__destroy(&sim);
}

/* At every offset to the end, and with positions beyond 32 bits. */
static void what_goes_over_the_end_is_whole(void **state)
{
	uint8_t text[200], peeked[24];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * 7 + 1);
	for (uint64_t start = 0; start < 512; start += 8) {
		struct simring sim;
		struct ring_item item;
		uint64_t position;

		simring__init(&sim, 512);
		simring__start_at(&sim, (UINT64_C(5) << 32) + start);
		position = simring__reserve(&sim, sizeof(text));
		assert_int_equal(position, (UINT64_C(5) << 32) + start);
		simring__write(&sim, position, text, sizeof(text));
		simring__commit(&sim, position);
		assert_int_equal(
			ring__look(&sim.ring, position, ring__producer(&sim.ring), &item), 0);
		ring__peek(&sim.ring, &item, peeked, sizeof(peeked));
		assert_memory_equal(peeked, text, sizeof(peeked));
		assert_memory_equal(ring__get(&sim.ring, &item), text, sizeof(text));
		simring__destroy(&sim);
	}
}

static void a_head_that_makes_no_sense_is_refused(void **state)
{
	struct simring sim;
	struct ring_item item;
	uint64_t position;

	(void)state;
	simring__init(&sim, 4096);
	position = simring__reserve(&sim, 100);
	*(uint32_t *)(void *)sim.data = 5000;
	assert_int_equal(ring__look(&sim.ring, position, ring__producer(&sim.ring), &item),
			 -EBADMSG);
	assert_int_equal(ring__look(&sim.ring, position + 4, ring__producer(&sim.ring), &item),
			 -EBADMSG);
	assert_int_equal(ring__look(&sim.ring, ring__producer(&sim.ring),
				    ring__producer(&sim.ring), &item),
			 -EBADMSG);
	simring__destroy(&sim);
}

/* ---------------------------------------------------------------------------------------------
 * The kernel's own: a program that outputs what it is given
 */

#define KERNEL_RING 4096
#define KERNEL_RECORD 152 /* 160 with its head: it doesn't divide the ring */

/* reserve; if that fails, 1; copy the context, 8 bytes at a time; submit; 0 */
static int load_writer(int map_fd)
{
	struct bpf_insn program[64], *at = program;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);

	*at++ = (struct bpf_insn){ BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0 };
	*at++ = (struct bpf_insn){ BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0,
				   map_fd };
	*at++ = (struct bpf_insn){ 0 };
	*at++ = (struct bpf_insn){ BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, KERNEL_RECORD };
	*at++ = (struct bpf_insn){ BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, 0 };
	*at++ = (struct bpf_insn){ BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_ringbuf_reserve };
	*at++ = (struct bpf_insn){ BPF_JMP | BPF_JNE | BPF_K, BPF_REG_0, 0, 2, 0 };
	*at++ = (struct bpf_insn){ BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 1 };
	*at++ = (struct bpf_insn){ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 };
	for (short i = 0; i < KERNEL_RECORD; i += 8) {
		*at++ = (struct bpf_insn){ BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_6, i, 0 };
		*at++ = (struct bpf_insn){ BPF_STX | BPF_MEM | BPF_DW, BPF_REG_0, BPF_REG_1, i, 0 };
	}
	*at++ = (struct bpf_insn){ BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_0, 0, 0 };
	*at++ = (struct bpf_insn){ BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, BPF_RB_NO_WAKEUP };
	*at++ = (struct bpf_insn){ BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_ringbuf_submit };
	*at++ = (struct bpf_insn){ BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0 };
	*at++ = (struct bpf_insn){ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 };
	return bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "write", "Dual BSD/GPL", program,
			     (size_t)(at - program), &opts);
}

static void write_by_kernel(int program, void *record)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = record, .ctx_size_in = KERNEL_RECORD);

	assert_int_equal(bpf_prog_test_run_opts(program, &opts), 0);
	assert_int_equal(opts.retval, 0);
}

/* Many times round, with the data mapped once. */
static void the_kernels_ring_is_read(void **state)
{
	int map = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, KERNEL_RING, NULL), program;
	uint8_t record[KERNEL_RECORD];
	struct ring ring;

	(void)state;
	if (map < 0 && errno == EPERM) {
		print_message("skip: no permission to make a BPF map (run as root)\n");
		skip();
	}
	assert_true(map >= 0);
	program = load_writer(map);
	if (program < 0) {
		print_message("skip: this kernel has no BPF programs of type syscall: %s\n",
			      strerror(errno));
		close(map);
		skip();
	}
	assert_int_equal(ring__open(&ring, map, KERNEL_RING), 0);
	for (unsigned int i = 0; i < 1000; i++) {
		struct ring_item item;
		uint64_t position = ring__consumer(&ring);

		memset(record, (int)i & 0xff, sizeof(record));
		memcpy(record, &i, sizeof(i));
		write_by_kernel(program, record);
		assert_int_equal(ring__look(&ring, position, ring__producer(&ring), &item), 0);
		assert_int_equal(item.state, RING_READY);
		assert_int_equal(item.bytes, KERNEL_RECORD);
		assert_memory_equal(ring__get(&ring, &item), record, sizeof(record));
		assert_int_equal(item.next, ring__producer(&ring));
		ring__release(&ring, item.next);
	}
	ring__close(&ring);
	close(program);
	close(map);
}

static void a_ring_that_is_none_is_refused(void **state)
{
	struct ring ring;

	(void)state;
	assert_int_equal(ring__open(&ring, -1, KERNEL_RING), -EBADF);
	assert_int_equal(ring__open(&ring, -1, 1000), -EINVAL);
	assert_int_equal(ring__open(&ring, -1, 0), -EINVAL);
	ring__close(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(look_finds_what_was_committed),
		cmocka_unit_test(what_goes_over_the_end_is_whole),
		cmocka_unit_test(a_head_that_makes_no_sense_is_refused),
		cmocka_unit_test(the_kernels_ring_is_read),
		cmocka_unit_test(a_ring_that_is_none_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
