/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of sites, as compilers write them, and as nobody should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach/operand.h"

#define NONE OPERAND_NO_REGISTER

struct expectation {
	uint16_t machine;
	const char *text;
	struct operand operand;
};

#define X EM_X86_64
#define A EM_AARCH64

/* number, kind, base, index, shift, bytes, is_signed, from_bit */
#define CONSTANT(n, bytes, sign) { n, OPERAND_CONSTANT, 0, 0, 0, bytes, sign, 0, 0 }
#define ARM_CONSTANT(n, bytes, sign) { n, OPERAND_CONSTANT, 0, NONE, 0, bytes, sign, 0, 0 }
#define REGISTER(word, bytes, sign, bit) { 0, OPERAND_REGISTER, word, NONE, 0, bytes, sign, bit, 0 }
#define MEMORY(n, base, index, shift, bytes, sign) \
	{ n, OPERAND_MEMORY, base, index, shift, bytes, sign, 0, 0 }

static const struct expectation good[] = {
	{ X, "8@%rdi", REGISTER(14, 8, 0, 0) },
	{ X, "-4@%edi", REGISTER(14, 4, 1, 0) },
	{ X, "2@%ax", REGISTER(10, 2, 0, 0) },
	{ X, "1@%al", REGISTER(10, 1, 0, 0) },
	{ X, "-1@%ah", REGISTER(10, 1, 1, 8) },
	{ X, "1@%dh", REGISTER(12, 1, 0, 8) },
	{ X, "1@%sil", REGISTER(13, 1, 0, 0) },
	{ X, "1@%bpl", REGISTER(4, 1, 0, 0) },
	{ X, "8@%rsp", REGISTER(19, 8, 0, 0) },
	{ X, "8@%r8", REGISTER(9, 8, 0, 0) },
	{ X, "4@%r8d", REGISTER(9, 4, 0, 0) },
	{ X, "2@%r15w", REGISTER(0, 2, 0, 0) },
	{ X, "1@%r10b", REGISTER(7, 1, 0, 0) },
	{ X, "8@$5", CONSTANT(5, 8, 0) },
	{ X, "-8@$-5", CONSTANT(-5, 8, 1) },
	{ X, "4@$-1", CONSTANT(0xffffffff, 4, 0) },
	{ X, "-4@$-1", CONSTANT(-1, 4, 1) },
	{ X, "-1@$255", CONSTANT(-1, 1, 1) },
	{ X, "8@$0x10", CONSTANT(16, 8, 0) },
	{ X, "8@$18446744073709551615", CONSTANT(-1, 8, 0) },
	{ X, "8@(%rax)", MEMORY(0, 10, NONE, 0, 8, 0) },
	{ X, "8@-16(%rbp)", MEMORY(-16, 4, NONE, 0, 8, 0) },
	{ X, "-4@24(%rsp)", MEMORY(24, 19, NONE, 0, 4, 1) },
	{ X, "8@(%rax,%rcx)", MEMORY(0, 10, 11, 0, 8, 0) },
	{ X, "8@8(%rax,%rcx,8)", MEMORY(8, 10, 11, 3, 8, 0) },
	{ X, "4@-64(,%rdx,4)", MEMORY(-64, NONE, 12, 2, 4, 0) },
	{ X, "  8@%rdi  ", REGISTER(14, 8, 0, 0) },
	{ A, "8@x0", REGISTER(0, 8, 0, 0) },
	{ A, "-4@w30", REGISTER(30, 4, 1, 0) },
	{ A, "8@sp", REGISTER(31, 8, 0, 0) },
	{ A, "8@xzr", ARM_CONSTANT(0, 8, 0) },
	{ A, "-4@-7", ARM_CONSTANT(-7, 4, 1) },
	{ A, "8@#9", ARM_CONSTANT(9, 8, 0) },
	{ A, "8@[sp]", MEMORY(0, 31, NONE, 0, 8, 0) },
	{ A, "8@[sp, 16]", MEMORY(16, 31, NONE, 0, 8, 0) },
	{ A, "8@[x1,#-8]", MEMORY(-8, 1, NONE, 0, 8, 0) },
	{ A, "8@[x1, x2]", MEMORY(0, 1, 2, 0, 8, 0) },
	{ A, "8@[x1, x2, lsl 3]", MEMORY(0, 1, 2, 3, 8, 0) },
};

static void assert_operand(const struct operand *got, const struct operand *want, const char *text)
{
	if (memcmp(got, want, sizeof(*got)) == 0)
		return;
	fail_msg("%s: number %lld kind %d base %d index %d shift %d bytes %d sign %d bit %d", text,
		 (long long)got->number, got->kind, got->base, got->index, got->shift, got->bytes,
		 got->is_signed, got->from_bit);
}

static void forms_that_compilers_write(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct site site;

		if (operands__parse(good[i].text, good[i].machine, &site, NULL))
			fail_msg("%s is refused", good[i].text);
		assert_int_equal(site.count, 1);
		assert_operand(&site.operands[0], &good[i].operand, good[i].text);
	}
}

static void several_in_their_order(void **state)
{
	struct site site;

	(void)state;
	assert_int_equal(operands__parse("8@%rdi -4@$3 8@-16(%rbp)", X, &site, NULL), 0);
	assert_int_equal(site.count, 3);
	assert_int_equal(site.operands[0].kind, OPERAND_REGISTER);
	assert_int_equal(site.operands[1].number, 3);
	assert_int_equal(site.operands[2].number, -16);
	assert_int_equal(operands__parse("8@[sp, 16] 8@x3", A, &site, NULL), 0);
	assert_int_equal(site.count, 2);
	assert_int_equal(site.operands[1].base, 3);
	assert_int_equal(operands__parse("", X, &site, NULL), 0);
	assert_int_equal(site.count, 0);
}

static void too_many(void **state)
{
	struct buf text = BUF_INIT, why = BUF_INIT;
	struct site site;

	(void)state;
	for (int i = 0; i < OPERANDS_MAX; i++)
		buf__add_str(&text, "8@$1 ");
	assert_int_equal(operands__parse(buf__str(&text), X, &site, NULL), 0);
	buf__add_str(&text, "8@$1");
	assert_int_equal(operands__parse(buf__str(&text), X, &site, &why), -E2BIG);
	assert_true(why.len > 0);
	buf__free(&text);
	buf__free(&why);
}

static void out_of_reach(void **state)
{
	static const struct {
		uint16_t machine;
		const char *text;
	} bad[] = {
		{ X, "8@counter(%rip)" }, { X, "8@16+counter(%rip)" }, { X, "8@$counter" },
		{ X, "8f@%xmm0" },	  { X, "8@%xmm0" },	       { X, "8@%fs:16" },
		{ X, "8@8(%rip)" },	  { X, "8@counter" },	       { X, "8@17" },
		{ A, "8@v0" },		  { A, "8@[x0, w1, sxtw 3]" }, { A, "8@x31" },
	};
	struct site site;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (operands__parse(bad[i].text, bad[i].machine, &site, NULL) != -ENOTSUP)
			fail_msg("%s is not refused as out of reach", bad[i].text);
}

static void malformed(void **state)
{
	static const char *const bad[] = {
		"@", "8", "8@", "0@%rdi", "3@%rdi", "16@%rdi", "x@%rdi", "--8@%rdi", "8@%", "8@(",
		"8@(%rax", "8@(%rax,", "8@(%rax,%rcx,3)", "8@(%rax,%rcx,)", "8@(%rax]", "8@()",
		"8@%rdi,8@%rsi", "8 %rdi", "9999999999999999999999@%rdi",
		"8@99999999999999999999999(%rax)", "8@$", "8@[x0]", "8@%rdi8@%rsi", "\x01",
		"8@\xff",
	};
	struct site site;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (operands__parse(bad[i], X, &site, NULL) == 0)
			fail_msg("%s is taken", bad[i]);
	assert_int_equal(operands__parse("8@%rdi", EM_386, &site, NULL), -EINVAL);
}

/* Pieces of good texts in any order: never more than is there, never beyond the text. */
static void random_texts(void **state)
{
	static const char *const pieces[] = {
		"8@", "-4@", "%rdi",  "(", ")",	  ",", "%rax", " ",   "$", "-16", "[",	  "]",
		"x1", "sp",  "lsl 3", "%", "%ah", "f", "0x",   "999", "#", "@",	  "%r8d", "\xff"};
	char text[256];
	struct site site;

	(void)state;
	srand(1);
	for (int round = 0; round < 200000; round++) {
		size_t used = 0;
		char *copy;

		for (int n = rand() % 24; n > 0; n--) {
			const char *piece = pieces[rand() % (sizeof(pieces) / sizeof(*pieces))];

			memcpy(text + used, piece, strlen(piece));
			used += strlen(piece);
		}
		copy = malloc(used + 1); /* exactly, for ASan */
		assert_non_null(copy);
		memcpy(copy, text, used);
		copy[used] = 0;
		operands__parse(copy, round % 2 ? X : A, &site, NULL);
		assert_true(site.count <= OPERANDS_MAX);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_that_compilers_write),
		cmocka_unit_test(several_in_their_order),
		cmocka_unit_test(too_many),
		cmocka_unit_test(out_of_reach),
		cmocka_unit_test(malformed),
		cmocka_unit_test(random_texts),
	};

	return cmocka_run_group_tests_name("operands", tests, NULL, NULL);
}
