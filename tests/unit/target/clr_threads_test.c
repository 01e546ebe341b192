/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads as CoreCLR has them, in our own memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/clr_contract.h"
#include "target/clr_threads.h"
#include "target/remote.h"

static const char text[] =
	"{\"types\":{\"ThreadStore\":{\"FirstThreadLink\":8},"
	"\"Thread\":{\"OSId\":24,\"PreemptiveGCDisabled\":0,\"Frame\":8,\"LinkNext\":16},"
	"\"Frame\":{\"Next\":8},"
	"\"InlinedCallFrame\":{\"CallSiteSP\":16,\"CallerReturnAddress\":24,\"CalleeSavedFP\":32},"
	"\"ResumableFrame\":{\"TargetContextPtr\":16},"
	"\"FramedMethodFrame\":{\"TransitionBlockPtr\":16},"
	"\"TransitionBlock\":{\"ReturnAddress\":16,\"CalleeSavedRegisters\":0,\"!\":24},"
	"\"CalleeSavedRegisters\":{\"Rbp\":8}},"
	"\"globals\":{\"ThreadStore\":[[0],\"pointer\"],\"GCThread\":[[1],\"pointer\"],"
	"\"InlinedCallFrameIdentifier\":[\"0x1\",\"nuint\"],"
	"\"ResumableFrameIdentifier\":[\"0x2\",\"nuint\"],"
	"\"PrestubMethodFrameIdentifier\":[\"0x9\",\"nuint\"]}}";

struct frame {
	uint64_t kind;
	void *next;
	uint64_t sp_or_block, ip, fp;
};

struct thread {
	uint32_t cooperative, unused;
	struct frame *frame;
	void *link; /* to the link of the next one */
	uint64_t tid;
};

static struct {
	uint64_t unused;
	void *first;
} store;
static void *store_variable, *stopper_variable;
static struct remote memory;

static struct clr_threads *make(struct clr_contract **contract)
{
	const uint64_t words[] = { (uintptr_t)&store_variable, (uintptr_t)&stopper_variable };
	struct clr_threads *threads;

	remote__init(&memory, getpid());
	assert_int_equal(clr_contract__parse(text, strlen(text), words, 2, contract), 0);
	assert_int_equal(clr_threads__new(*contract, &memory, &threads), 0);
	return threads;
}

static void threads_are_listed_by_id(void **state)
{
	struct thread unborn = { .tid = 0 }, second = { .tid = 20, .link = &unborn.link },
		      first = { .tid = 30, .cooperative = 1, .link = &second.link };
	struct clr_contract *contract;
	struct clr_threads *threads = make(&contract);

	(void)state;
	store_variable = NULL;
	assert_int_equal(clr_threads__refresh(threads), 0);
	assert_null(clr_threads__find(threads, 20));
	store.first = &first.link;
	store_variable = &store;
	assert_int_equal(clr_threads__refresh(threads), 0);
	assert_int_equal(clr_threads__find(threads, 20)->address, (uintptr_t)&second);
	assert_false(clr_threads__find(threads, 20)->is_cooperative);
	assert_true(clr_threads__find(threads, 30)->is_cooperative);
	assert_null(clr_threads__find(threads, 0));
	assert_null(clr_threads__find(threads, 25));
	stopper_variable = &second;
	assert_true(clr_threads__is_stopper(threads, clr_threads__find(threads, 20)));
	assert_false(clr_threads__is_stopper(threads, clr_threads__find(threads, 30)));
	/* A list that has no end, and one that leads nowhere. */
	unborn.link = &first.link;
	assert_int_equal(clr_threads__refresh(threads), -EPROTO);
	assert_null(clr_threads__find(threads, 20));
	unborn.link = (void *)8;
	assert_int_equal(clr_threads__refresh(threads), -EPROTO);
	unborn.link = (void *)4096;
	assert_int_equal(clr_threads__refresh(threads), -EFAULT);
	clr_threads__free(threads);
	clr_threads__free(NULL);
	clr_contract__free(contract);
}

static void the_latest_frame_that_tells_is_the_anchor(void **state)
{
	const uint64_t context[32] = { [0xf8 / 8] = 0x7777, [0x98 / 8] = 0x8888,
				       [0xa0 / 8] = 0x9999 };
	uint64_t block[] = { 1, 0x5555, 0x6666 };
	struct frame call = { 1, (void *)-1, 0x1000, 0x2000, 0x3000 },
		     idle = { 1, &call, 0x1, 0, 0x3 }, unknown = { 77, &idle, 0, 0, 0 },
		     prestub = { 9, &call, (uintptr_t)block, 0, 0 },
		     stopped = { 2, &call, (uintptr_t)context, 0, 0 };
	struct thread thread = { .tid = 5, .frame = &unknown };
	const struct clr_thread own = { .address = (uintptr_t)&thread, .tid = 5 };
	struct clr_contract *contract;
	struct clr_threads *threads = make(&contract);
	struct clr_anchor anchor;

	(void)state;
	assert_int_equal(clr_threads__anchor(threads, &own, &anchor), 0);
	assert_int_equal(anchor.ip, 0x2000);
	assert_int_equal(anchor.sp, 0x1000);
	assert_int_equal(anchor.fp, 0x3000);
	assert_true(anchor.is_caller);
	assert_true(anchor.is_guessed); /* the last one did not tell */
	thread.frame = &idle;
	assert_int_equal(clr_threads__anchor(threads, &own, &anchor), 0);
	assert_false(anchor.is_guessed);
	thread.frame = &stopped;
#ifdef __x86_64__
	assert_int_equal(clr_threads__anchor(threads, &own, &anchor), 0);
	assert_int_equal(anchor.ip, 0x7777);
	assert_int_equal(anchor.sp, 0x8888);
	assert_int_equal(anchor.fp, 0x9999);
	assert_false(anchor.is_caller || anchor.is_guessed);
#endif
	thread.frame = &prestub;
	assert_int_equal(clr_threads__anchor(threads, &own, &anchor), 0);
	assert_int_equal(anchor.ip, 0x6666);
	assert_int_equal(anchor.sp, (uintptr_t)block + 24);
	assert_int_equal(anchor.fp, 0x5555);
	call.ip = 0;
	thread.frame = &unknown;
	assert_int_equal(clr_threads__anchor(threads, &own, &anchor), -ENOENT);
	idle.next = &unknown; /* without an end */
	assert_int_equal(clr_threads__anchor(threads, &own, &anchor), -ENOENT);
	thread.frame = NULL;
	assert_int_equal(clr_threads__anchor(threads, &own, &anchor), -ENOENT);
	thread.frame = (void *)8;
	assert_int_equal(clr_threads__anchor(threads, &own, &anchor), -EFAULT);
	clr_threads__free(threads);
	clr_contract__free(contract);
}

static void a_contract_without_threads_is_not_enough(void **state)
{
	static const char other[] = "{\"types\":{\"Thread\":{\"OSId\":24}},\"globals\":{}}";
	struct clr_contract *contract;
	struct clr_threads *threads;

	(void)state;
	assert_int_equal(clr_contract__parse(other, strlen(other), NULL, 0, &contract), 0);
	assert_int_equal(clr_threads__new(contract, &memory, &threads), -ENOTSUP);
	assert_null(threads);
	clr_contract__free(contract);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_listed_by_id),
		cmocka_unit_test(the_latest_frame_that_tells_is_the_anchor),
		cmocka_unit_test(a_contract_without_threads_is_not_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
