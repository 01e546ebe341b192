/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "cli/help.h"
#include "cli/option_forms.h"
#include "cli/options.h"
#include "cli/suggest.h"

/* A table with every kind, in two groups. */
struct first {
	bool flag, other;
	unsigned int level;
	const char *file;
	struct words words;
};

struct settings {
	char before[3];
	struct first first;
	struct second {
		uint64_t time, bytes, count, every, address;
		int form;
	} second;
};

static const char *const forms[] = { "text", "json", NULL };

static const struct option first_options[] = {
	{ .name = "flag", .letter = 'f', .kind = OPTION_FLAG,
	  .offset = offsetof(struct first, flag), .help = "a flag" },
	{ .name = "other", .kind = OPTION_FLAG, .offset = offsetof(struct first, other),
	  .help = "another flag" },
	{ .name = "verbose", .letter = 'v', .kind = OPTION_LEVEL,
	  .offset = offsetof(struct first, level), .help = "a level" },
	{ .name = "output", .kind = OPTION_STRING, .metavar = "FILE",
	  .offset = offsetof(struct first, file), .help = "a file" },
	{ .name = "pid", .letter = 'p', .kind = OPTION_WORDS, .metavar = "PID[,...]",
	  .offset = offsetof(struct first, words), .help = "words" },
	{ .name = NULL },
};

static const struct option second_options[] = {
	{ .name = "duration", .letter = 'd', .kind = OPTION_DURATION, .metavar = "TIME", .min = 1,
	  .offset = offsetof(struct second, time), .help = "a time" },
	{ .name = "mem-limit", .kind = OPTION_BYTES, .metavar = "SIZE", .min = 1024,
	  .max = 1 << 20, .offset = offsetof(struct second, bytes), .help = "a size" },
	{ .name = "count", .letter = 'n', .kind = OPTION_COUNT, .metavar = "COUNT", .max = 100,
	  .offset = offsetof(struct second, count), .help = "a count", .default_text = "7" },
	{ .name = "address", .kind = OPTION_ADDRESS, .metavar = "ADDRESS",
	  .offset = offsetof(struct second, address), .help = "an address" },
	{ .name = "dump", .kind = OPTION_DURATION, .metavar = "EVERY", .bare = "0",
	  .offset = offsetof(struct second, every), .help = "a time that may be left out" },
	{ .name = "format", .letter = 'o', .kind = OPTION_CHOICE, .choices = forms,
	  .offset = offsetof(struct second, form), .help = "a choice" },
	{ .name = NULL },
};

static const struct option_group first_group = { "First", first_options };
static const struct option_group second_group = { "Second", second_options };

static const struct option_use table[] = {
	{ &first_group, offsetof(struct settings, first) },
	{ &second_group, offsetof(struct settings, second) },
	{ &general_group, 0 },
	{ NULL, 0 },
};

/* One command line, parsed; what it said on stderr is in told. */
static struct settings settings;
static struct words operands;
static struct given given;
static char told[1000];

/* From here on stderr is gathered; listen_no_more() has it back, and what it said in told. */
static int listen(int *saved)
{
	char name[] = "/tmp/gctrace-options.XXXXXX";
	const int file = mkstemp(name);

	*saved = dup(STDERR_FILENO);
	unlink(name);
	dup2(file, STDERR_FILENO);
	return file;
}

static void listen_no_more(int file, int saved)
{
	ssize_t n;

	dup2(saved, STDERR_FILENO);
	close(saved);
	n = pread(file, told, sizeof(told) - 1, 0);
	told[n < 0 ? 0 : n] = '\0';
	close(file);
}

static enum parsed parse_words(bool stop_at_operand, char **argv)
{
	int saved, argc = 0;
	const int file = listen(&saved);
	enum parsed parsed;

	options__free(table, &settings);
	memset(&settings, 0, sizeof(settings));
	vec__reset(&operands);
	vec__reset(&given);
	while (argv[argc])
		argc++;
	parsed = options__parse(table, &settings, argc, argv, stop_at_operand, &operands,
				&given);
	listen_no_more(file, saved);
	return parsed;
}

#define parse(...) parse_words(false, (char *[]){ __VA_ARGS__, NULL })
#define parse_program(...) parse_words(true, (char *[]){ __VA_ARGS__, NULL })

static int free_all(void **state)
{
	(void)state;
	options__free(table, &settings);
	memset(&settings, 0, sizeof(settings));
	vec__free(&operands);
	vec__free(&given);
	return 0;
}

#define assert_wrong(message, ...)                                       \
	do {                                                             \
		assert_int_equal(parse(__VA_ARGS__), PARSED_WRONG);      \
		assert_string_equal(told, "gctrace: " message "\n");     \
	} while (0)

static void every_spelling_of_a_value(void **state)
{
	(void)state;
	assert_int_equal(parse("--duration=2s"), PARSED_FINE);
	assert_int_equal(settings.second.time, 2 * NS_PER_S);
	assert_int_equal(parse("--duration", "3s"), PARSED_FINE);
	assert_int_equal(settings.second.time, 3 * NS_PER_S);
	assert_int_equal(parse("-d4s"), PARSED_FINE);
	assert_int_equal(settings.second.time, 4 * NS_PER_S);
	assert_int_equal(parse("-d", "5s"), PARSED_FINE);
	assert_int_equal(settings.second.time, 5 * NS_PER_S);
	assert_int_equal(parse("-fvvd6s"), PARSED_FINE);
	assert_int_equal(settings.second.time, 6 * NS_PER_S);
	assert_true(settings.first.flag && settings.first.level == 2 && !settings.first.other);
	assert_int_equal(parse("--other", "-n0"), PARSED_FINE);
	assert_true(settings.first.other && !settings.first.flag);
	assert_int_equal(parse("--output=a=b"), PARSED_FINE);
	assert_string_equal(settings.first.file, "a=b");
	assert_int_equal(parse("--output", "-"), PARSED_FINE);
	assert_string_equal(settings.first.file, "-");
}

/* A value that may be left out never is the next word. */
static void a_value_may_be_left_out(void **state)
{
	(void)state;
	assert_int_equal(parse("--dump=30s"), PARSED_FINE);
	assert_int_equal(settings.second.every, 30 * NS_PER_S);
	assert_int_equal(parse("--dump=30s", "--dump", "file"), PARSED_FINE);
	assert_int_equal(settings.second.every, 0);
	assert_int_equal(operands.count, 1);
	assert_int_equal(parse("--dump", "5s", "5s.rec"), PARSED_FINE);
	assert_int_equal(settings.second.every, 5000000000u);
	assert_int_equal(operands.count, 1);
	assert_int_equal(parse("--dump", "--flag"), PARSED_FINE);
	assert_int_equal(settings.second.every, 0);
	assert_wrong("--dump: expected a time such as 500us, 10ms, 30s or 2m, found \"\"",
		     "--dump=");
}

static void the_last_one_holds(void **state)
{
	(void)state;
	assert_int_equal(parse("-ojson", "--format=text", "-n1", "-n", "2"), PARSED_FINE);
	assert_int_equal(settings.second.form, 0);
	assert_int_equal(settings.second.count, 2);
}

static void words_add_up(void **state)
{
	(void)state;
	assert_int_equal(parse("-p1,java", "--pid", "22", "--pid=3,4"), PARSED_FINE);
	assert_int_equal(settings.first.words.count, 5);
	assert_string_equal(settings.first.words.items[1], "java");
	assert_string_equal(settings.first.words.items[4], "4");
	assert_wrong("--pid: expected PID[,...], found \"1,,2\"", "-p", "1,,2");
	assert_wrong("--pid: expected PID[,...], found \"1,\"", "-p", "1,");
	assert_wrong("--pid: expected PID[,...], found \"\"", "-p", "");
}

static void operands_stand_anywhere(void **state)
{
	(void)state;
	assert_int_equal(parse("a", "-f", "-", "--", "-v", "--"), PARSED_FINE);
	assert_int_equal(operands.count, 4);
	assert_string_equal(operands.items[0], "a");
	assert_string_equal(operands.items[1], "-");
	assert_string_equal(operands.items[2], "-v");
	assert_string_equal(operands.items[3], "--");
	assert_true(settings.first.flag && settings.first.level == 0);
}

static void a_program_keeps_its_options(void **state)
{
	(void)state;
	assert_int_equal(parse_program("-f", "java", "-v", "--", "--nonsense"), PARSED_FINE);
	assert_int_equal(operands.count, 4);
	assert_string_equal(operands.items[1], "-v");
	assert_int_equal(settings.first.level, 0);
	assert_int_equal(parse_program("-f", "--", "java", "-v"), PARSED_FINE);
	assert_int_equal(operands.count, 2);
}

static void asks_for_help(void **state)
{
	(void)state;
	assert_int_equal(parse("-f", "--help", "--nonsense"), PARSED_HELP);
	assert_int_equal(parse("-fh"), PARSED_HELP);
	assert_int_equal(parse("--version"), PARSED_VERSION);
	assert_int_equal(parse("-V"), PARSED_VERSION);
}

static void says_what_is_near(void **state)
{
	(void)state;
	assert_wrong("there is no option --formta; did you mean --format?", "--formta", "json");
	assert_wrong("there is no option --dur; did you mean --duration?", "--dur=2s");
	assert_wrong("there is no option --memlimit; did you mean --mem-limit?", "--memlimit=1");
	assert_wrong("there is no option --zzzzz", "--zzzzz");
	assert_wrong("there is no option --a\\x1b[31m", "--a\033[31m");
	assert_wrong("there is no option -x in -fxv", "-fxv");
	assert_wrong("there is no option -x", "-x");
	assert_wrong("there is no option -\\x1b", "-\033");
	assert_wrong("--format: expected text or json, found \"jsno\"; did you mean json?",
		     "-o", "jsno");
}

static void says_what_was_expected(void **state)
{
	(void)state;
	assert_wrong("--duration needs a value: a time such as 500us, 10ms, 30s or 2m",
		     "--duration");
	assert_wrong("--pid needs a value: PID[,...]", "-fp");
	assert_wrong("--duration: expected a time such as 500us, 10ms, 30s or 2m, found \"30\"",
		     "-d30");
	assert_wrong("--format: expected text or json, found \"xml\"", "-oxml");
	assert_wrong("--mem-limit: expected a size such as 65536, 512KiB or 64MiB, found \"a\\n\"",
		     "--mem-limit=a\n");
	assert_wrong("--output: expected FILE, found \"\"", "--output=");
	assert_wrong("--flag takes no value, but \"yes\" was given", "--flag=yes");
}

static void addresses_are_hexadecimal(void **state)
{
	static char *const wrong[] = { "0", "", "xyz", " 7f00", "-7f00", "+7f00", "7f00 ",
				       "10000000000000000" };

	(void)state;
	assert_int_equal(parse("--address", "0x7f12"), PARSED_FINE);
	assert_int_equal(settings.second.address, 0x7f12);
	assert_int_equal(parse("--address=ffffffffffffffff"), PARSED_FINE);
	assert_int_equal(settings.second.address, UINT64_MAX);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(parse("--address", wrong[i]), PARSED_WRONG);
	assert_wrong("--address: expected a hexadecimal address such as 0x7f1234567890, found"
		     " \"7g\"", "--address=7g");
}

static void says_the_range(void **state)
{
	(void)state;
	assert_wrong("--count: 101 is out of range: from 0 to 100", "-n101");
	assert_wrong("--mem-limit: 1 is out of range: from 1.00 KiB to 1.00 MiB", "--mem-limit=1");
	assert_wrong("--duration: 0 is out of range: from 1 ns to 213504 d", "-d", "0");
	assert_wrong("--count: 99999999999999999999 is out of range: from 0 to 100", "-n",
		     "99999999999999999999");
}

/* Whatever the words are: an answer, no harm (the sanitizers watch), and a message if wrong. */
static void survives_random_words(void **state)
{
	static const char *const parts[] = { "-", "--", "f", "v", "p", "=", ",", "duration", "pid",
					     "1", "s", "json", "o", "\xff", "\033", " ", "" };
	char words[6][64], *argv[7];

	(void)state;
	srandom(1);
	for (int i = 0; i < 3000; i++) {
		int argc = (int)(random() % 6);
		enum parsed parsed;

		for (int j = 0; j < argc; j++) {
			words[j][0] = '\0';
			for (long k = random() % 6; k >= 0; k--)
				strcat(words[j], parts[(size_t)random() % (sizeof(parts) /
									   sizeof(parts[0]))]);
			argv[j] = words[j];
		}
		argv[argc] = NULL;
		parsed = parse_words(i & 1, argv);
		assert_int_equal(parsed == PARSED_WRONG, told[0] != '\0');
		assert_null(strchr(told, '\033'));
		assert_null(strchr(told, '\xff'));
	}
}

static void distances(void **state)
{
	static const struct { const char *a, *b; size_t distance; } cases[] = {
		{ "", "", 0 }, { "a", "", 1 }, { "", "abc", 3 }, { "kitten", "sitting", 3 },
		{ "formta", "format", 1 }, { "ab", "ba", 1 }, { "same", "same", 0 },
		{ "flaw", "lawn", 2 },
	};
	char longest[100];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(edit_distance(cases[i].a, strlen(cases[i].a), cases[i].b,
					       strlen(cases[i].b)), cases[i].distance);
	memset(longest, 'x', sizeof(longest));
	assert_int_equal(edit_distance(longest, 100, "x", 1), 100);
	assert_int_equal(edit_distance(longest, 63, longest, 63), 0);
}

static bool agree(void)
{
	static const struct option_form some[] = {
		{ "output", NULL, "has it all" },
		{ "flag", "--other, --verbose", NULL },
		{ "pid", "--verbose, --others", NULL },
		{ NULL, NULL, NULL },
	};
	int saved;
	const int file = listen(&saved);
	const bool answer = option_forms__agree(some, &given, first_options);

	listen_no_more(file, saved);
	return answer;
}

static void says_what_goes_together(void **state)
{
	static const struct {
		char *words[4];
		const char *told; /* NULL: all is well */
	} cases[] = {
		{ { NULL }, NULL },
		{ { "--other", "-v" }, NULL },
		{ { "-f", "-vv", "--other" }, NULL },
		{ { "-f", "--pid", "1" }, NULL },
		{ { "-p1", "-f", "--other" }, NULL }, /* it has an effect on one of them */
		{ { "--output", "x", "-n3" }, NULL }, /* another group's */
		{ { "--output=x", "--output=y" }, NULL },
		{ { "--output=x", "-v" }, "--output has it all: give it without --verbose" },
		{ { "-f", "--output=x" }, "--output has it all: give it without --flag" },
		{ { "--other", "-p1" },
		  "--other has no effect with --pid, which goes with --verbose, --others" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *words[5] = { NULL };
		char line[200] = "";

		memcpy(words, cases[i].words, sizeof(cases[i].words));
		assert_int_equal(parse_words(false, words), PARSED_FINE);
		assert_int_equal(agree(), !cases[i].told);
		if (cases[i].told)
			snprintf(line, sizeof(line), "gctrace: %s\n", cases[i].told);
		assert_string_equal(told, line);
	}
}

static void says_what_is_beyond(void **state)
{
	(void)state;
	assert_int_equal(parse("-v", "--other", "-n3"), PARSED_FINE);
	assert_null(option_forms__beyond(&given, first_options, "--other, --verbose"));
	assert_string_equal(option_forms__beyond(&given, first_options, "--verbose")->name,
			    "other");
	assert_null(option_forms__beyond(&given, second_options, "--count"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_spelling_of_a_value),
		cmocka_unit_test(a_value_may_be_left_out),
		cmocka_unit_test(the_last_one_holds),
		cmocka_unit_test(words_add_up),
		cmocka_unit_test(operands_stand_anywhere),
		cmocka_unit_test(a_program_keeps_its_options),
		cmocka_unit_test(asks_for_help),
		cmocka_unit_test(says_what_is_near),
		cmocka_unit_test(says_what_was_expected),
		cmocka_unit_test(addresses_are_hexadecimal),
		cmocka_unit_test(says_the_range),
		cmocka_unit_test(survives_random_words),
		cmocka_unit_test(distances),
		cmocka_unit_test(says_what_goes_together),
		cmocka_unit_test(says_what_is_beyond),
	};

	return cmocka_run_group_tests(tests, NULL, free_all);
}
