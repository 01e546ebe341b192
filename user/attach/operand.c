/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/operand.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/refuse.h"

/* What is left of the text. */
struct cursor {
	const char *at;
};

struct name {
	const char *text;
	uint8_t word; /* of struct pt_regs */
};

/* By the order of struct pt_regs on x86-64. */
static const struct name quads[] = {
	{ "r15", 0 }, { "r14", 1 }, { "r13", 2 },  { "r12", 3 },  { "rbp", 4 },	 { "rbx", 5 },
	{ "r11", 6 }, { "r10", 7 }, { "r9", 8 },   { "r8", 9 },	  { "rax", 10 }, { "rcx", 11 },
	{ "rdx", 12 }, { "rsi", 13 }, { "rdi", 14 }, { "rsp", 19 },
};

/* The other names of the eight old registers; new ones get a letter behind their number. */
static const struct name parts[] = {
	{ "ebp", 4 },  { "bp", 4 },  { "bpl", 4 },  { "ebx", 5 },  { "bx", 5 },	 { "bl", 5 },
	{ "eax", 10 }, { "ax", 10 }, { "al", 10 },  { "ecx", 11 }, { "cx", 11 }, { "cl", 11 },
	{ "edx", 12 }, { "dx", 12 }, { "dl", 12 },  { "esi", 13 }, { "si", 13 }, { "sil", 13 },
	{ "edi", 14 }, { "di", 14 }, { "dil", 14 }, { "esp", 19 }, { "sp", 19 }, { "spl", 19 },
};

static const struct name second_bytes[] = {
	{ "bh", 5 }, { "ah", 10 }, { "ch", 11 }, { "dh", 12 },
};

static bool take(struct cursor *cursor, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(cursor->at, text, len) != 0)
		return false;
	cursor->at += len;
	return true;
}

static void skip_blanks(struct cursor *cursor)
{
	while (*cursor->at == ' ' || *cursor->at == '\t')
		cursor->at++;
}

/* A number as assemblers write it; false leaves the cursor alone. */
static bool take_number(struct cursor *cursor, int64_t *number)
{
	const char *digits = cursor->at + (*cursor->at == '-' || *cursor->at == '+');
	char *end;

	if (*digits < '0' || *digits > '9')
		return false;
	errno = 0;
	/* What is above INT64_MAX stands for the same bits. */
	*number = *cursor->at == '-' ? strtoll(cursor->at, &end, 0) :
				       (int64_t)strtoull(digits, &end, 0);
	if (errno)
		return false;
	cursor->at = end;
	return true;
}

/* The letters and digits at the cursor, cut out; false when there are none or too many. */
static bool take_word(struct cursor *cursor, char word[8])
{
	size_t len = strspn(cursor->at, "abcdefghijklmnopqrstuvwxyz0123456789");

	if (len == 0 || len >= 8)
		return false;
	memcpy(word, cursor->at, len);
	word[len] = 0;
	cursor->at += len;
	return true;
}

static bool find(const struct name *names, size_t count, const char *word, uint8_t *place)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i].text, word) == 0) {
			*place = names[i].word;
			return true;
		}
	}
	return false;
}

#define FIND(names, word, place) find(names, sizeof(names) / sizeof(*(names)), word, place)

static bool x86_register(struct cursor *cursor, uint8_t *place, uint8_t *from_bit)
{
	struct cursor left = *cursor;
	char word[8];
	size_t len;

	*from_bit = 0;
	if (!take(&left, "%") || !take_word(&left, word))
		return false;
	*cursor = left;
	if (FIND(second_bytes, word, place)) {
		*from_bit = 8;
		return true;
	}
	if (FIND(quads, word, place) || FIND(parts, word, place))
		return true;
	len = strlen(word);
	if (word[0] != 'r' || len < 3 || !strchr("dwb", word[len - 1]))
		return false;
	word[len - 1] = 0;
	return word[1] >= '0' && word[1] <= '9' && FIND(quads, word, place);
}

static int x86_scale(struct cursor *cursor, uint8_t *shift)
{
	int64_t scale = 1;

	skip_blanks(cursor);
	if (take(cursor, ",")) {
		skip_blanks(cursor);
		if (!take_number(cursor, &scale))
			return -EINVAL;
	}
	if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return -EINVAL;
	*shift = __builtin_ctz(scale);
	return 0;
}

/* (base), (base,index), (base,index,scale), (,index,scale); the number was read before. */
static int x86_memory(struct cursor *cursor, struct operand *operand)
{
	uint8_t ignored;
	int err;

	operand->kind = OPERAND_MEMORY;
	operand->base = operand->index = OPERAND_NO_REGISTER;
	if (!take(cursor, "("))
		return -ENOTSUP;
	skip_blanks(cursor);
	if (strncmp(cursor->at, "%rip", 4) == 0 || strncmp(cursor->at, "%eip", 4) == 0)
		return -ENOTSUP;
	if (*cursor->at != ',' && !x86_register(cursor, &operand->base, &ignored))
		return -EINVAL;
	skip_blanks(cursor);
	if (take(cursor, ",")) {
		skip_blanks(cursor);
		if (!x86_register(cursor, &operand->index, &ignored))
			return -EINVAL;
		err = x86_scale(cursor, &operand->shift);
		if (err)
			return err;
	}
	skip_blanks(cursor);
	return take(cursor, ")") ? 0 : -EINVAL;
}

static int x86_operand(struct cursor *cursor, struct operand *operand)
{
	int64_t number = 0;

	if (take(cursor, "$")) {
		operand->kind = OPERAND_CONSTANT;
		if (!take_number(cursor, &number))
			return -ENOTSUP; /* a symbol */
		operand->number = number;
		return 0;
	}
	if (*cursor->at == '%') {
		operand->kind = OPERAND_REGISTER;
		operand->index = OPERAND_NO_REGISTER;
		if (x86_register(cursor, &operand->base, &operand->from_bit))
			return 0;
		return -ENOTSUP; /* %xmm0, %fs:... */
	}
	take_number(cursor, &number);
	operand->number = number;
	return x86_memory(cursor, operand);
}

/* *zero: xzr or wzr, which reads as 0. */
static bool arm_register(struct cursor *cursor, uint8_t *place, bool *zero)
{
	struct cursor left = *cursor;
	char word[8], *end;
	unsigned long n;

	*zero = false;
	if (!take_word(&left, word))
		return false;
	if (strcmp(word, "sp") == 0 || strcmp(word, "wsp") == 0) {
		*place = 31;
	} else if (strcmp(word, "xzr") == 0 || strcmp(word, "wzr") == 0) {
		*zero = true;
	} else {
		if ((word[0] != 'x' && word[0] != 'w') || word[1] < '0' || word[1] > '9')
			return false;
		n = strtoul(word + 1, &end, 10);
		if (*end || n > 30)
			return false;
		*place = n;
	}
	*cursor = left;
	return true;
}

/* Behind "[base,": a number, or a register with or without "lsl N". */
static int arm_index(struct cursor *cursor, struct operand *operand)
{
	int64_t number;
	bool zero;

	skip_blanks(cursor);
	take(cursor, "#");
	if (take_number(cursor, &number)) {
		operand->number = number;
		return 0;
	}
	/* A w register is sign- or zero-extended on the way: not here. */
	if (*cursor->at != 'x' || !arm_register(cursor, &operand->index, &zero))
		return -ENOTSUP;
	if (zero)
		operand->index = OPERAND_NO_REGISTER;
	skip_blanks(cursor);
	if (!take(cursor, ","))
		return 0;
	skip_blanks(cursor);
	if (!take(cursor, "lsl"))
		return -ENOTSUP;
	skip_blanks(cursor);
	take(cursor, "#");
	if (!take_number(cursor, &number) || number < 0 || number > 3)
		return -EINVAL;
	operand->shift = number;
	return 0;
}

static int arm_operand(struct cursor *cursor, struct operand *operand)
{
	int64_t number;
	bool zero;
	int err;

	operand->index = OPERAND_NO_REGISTER;
	if (!take(cursor, "[")) {
		take(cursor, "#");
		if (take_number(cursor, &number)) {
			operand->kind = OPERAND_CONSTANT;
			operand->number = number;
			return 0;
		}
		operand->kind = OPERAND_REGISTER;
		if (!arm_register(cursor, &operand->base, &zero))
			return -ENOTSUP;
		if (zero)
			operand->kind = OPERAND_CONSTANT;
		return 0;
	}
	operand->kind = OPERAND_MEMORY;
	skip_blanks(cursor);
	if (!arm_register(cursor, &operand->base, &zero) || zero)
		return -EINVAL;
	skip_blanks(cursor);
	if (take(cursor, ",")) {
		err = arm_index(cursor, operand);
		if (err)
			return err;
	}
	skip_blanks(cursor);
	return take(cursor, "]") ? 0 : -EINVAL;
}

/* "8@", "-4@" in front of the operand. */
static int take_size(struct cursor *cursor, struct operand *operand)
{
	int64_t size;

	if (!take_number(cursor, &size))
		return -EINVAL;
	if (*cursor->at == 'f')
		return -ENOTSUP; /* a floating-point number */
	operand->is_signed = size < 0;
	if (size < 0)
		size = -size;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return -EINVAL;
	operand->bytes = size;
	skip_blanks(cursor);
	if (!take(cursor, "@"))
		return -EINVAL;
	skip_blanks(cursor);
	return 0;
}

/* A constant of the width that it says; what is fetched at run time is cut by BPF. */
static void cut_constant(struct operand *operand)
{
	unsigned int shift = 64 - 8 * operand->bytes;
	uint64_t bits = (uint64_t)operand->number << shift;

	if (operand->kind == OPERAND_CONSTANT)
		operand->number = operand->is_signed ? (int64_t)bits >> shift :
						       (int64_t)(bits >> shift);
}

static int parse_one(struct cursor *cursor, uint16_t machine, struct operand *operand)
{
	int err;

	memset(operand, 0, sizeof(*operand));
	err = take_size(cursor, operand);
	if (err == 0)
		err = machine == EM_X86_64 ? x86_operand(cursor, operand) :
					     arm_operand(cursor, operand);
	if (err == 0 && *cursor->at && *cursor->at != ' ' && *cursor->at != '\t')
		err = -ENOTSUP;
	if (err == 0)
		cut_constant(operand);
	return err;
}

int operands__parse(const char *text, uint16_t machine, struct site *site, struct buf *why)
{
	struct cursor cursor = { text };
	int err;

	memset(site, 0, sizeof(*site));
	if (machine != EM_X86_64 && machine != EM_AARCH64)
		return -EINVAL;
	for (skip_blanks(&cursor); *cursor.at; skip_blanks(&cursor)) {
		const char *start = cursor.at;

		if (site->count == OPERANDS_MAX)
			return refuse(why, -E2BIG, "more than %d arguments in \"%s\"",
				      OPERANDS_MAX, escape(text));
		err = parse_one(&cursor, machine, &site->operands[site->count]);
		if (err)
			return refuse(why, err, "argument %llu at \"%s\" %s",
				      (unsigned long long)site->count + 1, escape(start),
				      err == -ENOTSUP ? "is of a form that cannot be read" :
							"is malformed");
		site->count++;
	}
	return 0;
}
