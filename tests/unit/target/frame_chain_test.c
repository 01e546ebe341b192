/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks in our own memory. Code below 1000 is native, below 2000 a method, else a stub. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/frame_chain.h"
#include "target/remote.h"
#include "target/walker.h"

#define WORDS 2048

static int describe(void *state, uint64_t ip, bool is_caller, struct frame *frame)
{
	(void)state;
	assert_true(is_caller);
	*frame = (struct frame){ .kind = FRAME_NATIVE, .ip = ip, .fields = FRAME_IP };
	if (ip >= 1000)
		frame->kind = ip < 2000 ? FRAME_COMPILED : FRAME_STUB;
	return ip == 666 ? -ENOMEM : 0;
}

struct stack {
	uint64_t words[WORDS];
	struct remote memory;
	struct caught_thread thread;
	struct walk walk;
	struct frame_chain chain;
};

static struct frame_chain *begin(struct stack *stack)
{
	memset(stack, 0, sizeof(*stack));
	remote__init(&stack->memory, getpid());
	stack->thread.sp = (uintptr_t)stack->words;
	stack->chain.walk = &stack->walk;
	stack->chain.describe = describe;
	stack_view__init(&stack->chain.view, &stack->thread, &stack->memory);
	return &stack->chain;
}

/* A frame at a word: the caller's, and where that goes on. */
static uint64_t put(struct stack *stack, size_t at, size_t caller, uint64_t ip)
{
	stack->words[at] = caller ? (uintptr_t)&stack->words[caller] : 0;
	stack->words[at + 1] = ip;
	return (uintptr_t)&stack->words[at];
}

static void expect(struct stack *stack, const uint64_t *ips, size_t count, bool is_whole)
{
	assert_int_equal(stack->walk.frames.count, count);
	for (size_t i = 0; i < count; i++) {
		const struct frame *frame = &stack->walk.frames.items[i];

		assert_int_equal(frame->ip, ips[i]);
		assert_int_equal(frame->guessed, frame->fields);
		assert_int_equal(frame->lasting, 0);
	}
	assert_int_equal(stack->walk.is_whole, is_whole);
	vec__free(&stack->walk.frames);
}

static void the_chain_ends_with_the_last_managed_frame(void **state)
{
	static const uint64_t all[] = { 5, 1001, 6, 2001, 1002 };
	static struct stack stack;
	struct frame_chain *chain = begin(&stack);
	uint64_t first;

	(void)state;
	put(&stack, 1000, 1500, 2001);
	put(&stack, 1500, 1600, 1002);
	put(&stack, 1600, 1700, 7);
	put(&stack, 1700, 0, 8);
	put(&stack, 12, 14, 1001);
	put(&stack, 14, 1000, 6);
	first = put(&stack, 10, 12, 5);
	assert_int_equal(frame_chain__follow(chain, first), 0);
	expect(&stack, all, 5, true);
	/* Managed to its end: who began it was not reached. */
	begin(&stack);
	first = put(&stack, 10, 0, 1001);
	assert_int_equal(frame_chain__follow(chain, first), 0);
	expect(&stack, (const uint64_t[]){ 1001 }, 1, false);
	/* Native only: nothing. */
	begin(&stack);
	first = put(&stack, 10, 0, 5);
	assert_int_equal(frame_chain__follow(chain, first), 0);
	expect(&stack, NULL, 0, false);
}

static void a_pointer_that_is_none_ends_it(void **state)
{
	static struct stack stack;
	struct frame_chain *chain = begin(&stack);
	const uint64_t first = put(&stack, 10, 10, 1001); /* to itself */

	(void)state;
	assert_int_equal(frame_chain__follow(chain, first), 0);
	expect(&stack, (const uint64_t[]){ 1001 }, 1, false);
	begin(&stack);
	put(&stack, 10, 5, 1001); /* inwards */
	assert_int_equal(frame_chain__follow(chain, first), 0);
	expect(&stack, (const uint64_t[]){ 1001 }, 1, false);
	begin(&stack);
	assert_int_equal(frame_chain__follow(chain, first + 1), 0);
	assert_int_equal(frame_chain__follow(chain, 8), 0);
	assert_int_equal(frame_chain__follow(chain, UINT64_MAX - 7), 0);
	assert_int_equal(frame_chain__follow(chain, first), 0); /* it returns to 0 */
	expect(&stack, NULL, 0, false);
	begin(&stack);
	put(&stack, 10, 0, 666);
	assert_int_equal(frame_chain__follow(chain, first), -ENOMEM);
	vec__free(&stack.walk.frames);
}

static void a_broken_chain_is_found_again(void **state)
{
	static const uint64_t all[] = { 1001, 1002 };
	static struct stack stack;
	struct frame_chain *chain = begin(&stack);

	(void)state;
	stack.words[5] = 1003; /* a return address, but no frame pointer below it */
	put(&stack, 20, 40, 4); /* a frame, but native */
	put(&stack, 30, 40, 1001);
	put(&stack, 40, 50, 1002);
	put(&stack, 50, 0, 9);
	assert_int_equal(frame_chain__search(chain), 0);
	expect(&stack, all, 2, true);
	begin(&stack);
	assert_int_equal(frame_chain__search(chain), 0);
	expect(&stack, NULL, 0, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_chain_ends_with_the_last_managed_frame),
		cmocka_unit_test(a_pointer_that_is_none_ends_it),
		cmocka_unit_test(a_broken_chain_is_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
