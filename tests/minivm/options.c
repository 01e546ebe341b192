/* SPDX-License-Identifier: BSD-2-Clause */
#include "options.h"
#include "base.h"
#include "classes.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNSET UINT64_MAX

struct options opt = {
	.objects = 100000, .threads = UNSET, .gc_threads = 2, .seed = 1, .nursery = 4 << 20,
	.survivor = 25, .heap = (uint64_t)4 << 30, .large = 16 << 10, .tenure = 3, .rate = UNSET,
	.leak_rate = 2000, .sample_bytes = 512 << 10, .truth_every = 1, .collect_every = UNSET,
};

enum kind { FLAG, NUMBER, SIZE, SECONDS, MILLISECONDS, CHOICE, TEXT, POSTPONE };

struct option {
	const char *name;
	enum kind kind;
	size_t offset;
	const char *value; /* in --help; of a CHOICE: the words, in the order of their enum */
	const char *help;
	uint64_t min, max;
};

#define AT(field) offsetof(struct options, field)

static const struct option table[] = {
	{ "objects", NUMBER, AT(objects), "N", "live objects to keep, about (100000)", 0,
	  1u << 30 },
	{ "threads", NUMBER, AT(threads), "N", "mutator threads (2, or 1 when deterministic)", 1,
	  64 },
	{ "gc-threads", NUMBER, AT(gc_threads), "N", "collector threads (2)", 1, 8 },
	{ "collector", CHOICE, AT(collector), "sweep|compact|concurrent",
	  "what is done to the old space (sweep)", 0, 0 },
	{ "seed", NUMBER, AT(seed), "N", "of the load's random numbers (1)", 0, UINT64_MAX },
	{ "deterministic", FLAG, AT(deterministic), NULL,
	  "same seed, same objects, same collections: collects by allocation counts; one mutator",
	  0, 0 },
	{ "nursery", SIZE, AT(nursery), "SIZE", "eden (4m); k, m, g", 16 << 10,
	  (uint64_t)64 << 30 },
	{ "survivor", NUMBER, AT(survivor), "PERCENT", "each survivor space, of eden (25)", 1,
	  100 },
	{ "tenure", NUMBER, AT(tenure), "N", "collections survived before promotion (3)", 1, 15 },
	{ "heap", SIZE, AT(heap), "SIZE", "most that old and large objects may take (4g)", 1 << 20,
	  (uint64_t)1 << 40 },
	{ "large", SIZE, AT(large), "SIZE", "objects from here on are large (16k)", 1 << 10,
	  1 << 30 },
	{ "rate", NUMBER, AT(rate), "N",
	  "collections a second; 0: as many as come (20, or 0 when deterministic)", 0, 100000 },
	{ "full-every", NUMBER, AT(full_every), "N",
	  "every N-th collection takes the old space too (0: when it has grown)", 0, UINT64_MAX },
	{ "collect-every", NUMBER, AT(collect_every), "N",
	  "collect after N allocations of a thread (0: when the nursery is full)", 0, UINT64_MAX },
	{ "duration", SECONDS, AT(duration_ns), "S", "end after S seconds (never)", 0, 0 },
	{ "collections", NUMBER, AT(collections), "N", "end after N collections (never)", 0,
	  UINT64_MAX },
	{ "pause-ms", MILLISECONDS, AT(pause_ns), "MS", "make each pause at least this long", 0,
	  0 },
	{ "dump-pace", MILLISECONDS, AT(dump_pace_ns), "MS",
	  "a heap dump waits so long after each batch (0)", 0, 0 },
	{ "leak", FLAG, AT(leak), NULL, "shop.OrderCache.instance keeps orders for ever", 0, 0 },
	{ "leak-rate", NUMBER, AT(leak_rate), "N", "orders a second that leak (2000)", 1,
	  100000000 },
	{ "plant", TEXT, AT(plant), "SHAPE",
	  "make a leak of this shape at the start (plant.c has them), and say so", 0, 0 },
	{ "report", CHOICE, AT(report), "batch|single|mixed",
	  "how probes tell: in batches where someone listens to batches, or one by one; mixed: one"
	  " by one, and in batches what has no probe of its own",
	  0, 0 },
	{ "lengths", CHOICE, AT(lengths), "8|4|both",
	  "width of the lengths of ranges that are told one by one (8)", 0, 0 },
	{ "nonsense", CHOICE, AT(nonsense), "none|empty|wrapped|overrun|contradiction|intruder",
	  "every 10th collection tells a range that makes no sense", 0, 0 },
	{ "split-references", NUMBER, AT(split_references), "N",
	  "a dump tells objects with more references in parts of N", 1, 2048 },
	{ "postpone", POSTPONE, 0, "class:NAME|depth:N",
	  "a dump does not descend from these objects", 0, 0 },
	{ "sample-bytes", SIZE, AT(sample_bytes), "SIZE",
	  "sample an allocation each SIZE bytes in the mean (512k); 0: all of them", 0,
	  UINT64_MAX },
	{ "follow-samples", FLAG, AT(follow_samples), NULL,
	  "tell what becomes of sampled allocations, by numbers (in batches only)", 0, 0 },
	{ "await-sampler", FLAG, AT(await_sampler), NULL,
	  "begin when somebody listens to samples", 0, 0 },
	{ "truth", TEXT, AT(truth), "FILE", "write what really happens (truth.h says how)", 0, 0 },
	{ "truth-mode", CHOICE, AT(truth_mode), "full|delta",
	  "all objects and references after each collection, or only what changed", 0, 0 },
	{ "truth-every", NUMBER, AT(truth_every), "N", "objects in each N-th collection (1)", 1,
	  UINT64_MAX },
	{ "truth-sites", FLAG, AT(truth_sites), NULL,
	  "what lives by allocation site and age, too, after each collection", 0, 0 },
	{ "print-truth", TEXT, AT(print_truth), "FILE",
	  "print such a file as lines, do nothing else", 0, 0 },
	{ "names", CHOICE, AT(names), "plain|hostile",
	  "what things are called, threads and process included", 0, 0 },
	{ "exec", NUMBER, AT(exec_after), "N", "execute this program anew after N collections", 1,
	  UINT64_MAX },
	{ "verify", FLAG, AT(verify), NULL,
	  "walk the heap after each collection, abort if it is wrong", 0, 0 },
	{ "quiet", FLAG, AT(quiet), NULL, "no line at start and end", 0, 0 },
};

#define OPTIONS (sizeof(table) / sizeof(*table))

static void help(void)
{
	printf("usage: minivm [OPTION...]\n\n"
	       "A small virtual machine with a real generational heap, which runs a mixed load\n"
	       "until it is stopped (SIGINT, SIGTERM), collects everything on SIGUSR1, and tells\n"
	       "its collections by gctrace's probes.\n\n");
	for (size_t i = 0; i < OPTIONS; i++) {
		char left[64];

		snprintf(left, sizeof(left), "--%s%s%s", table[i].name, table[i].value ? " " : "",
			 table[i].value ? table[i].value : "");
		printf("  %-36s %s\n", left, table[i].help);
	}
	printf("  %-36s %s\n", "--help", "this text");
	exit(0);
}

static const struct option *find(const char *name, size_t length)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		if (strlen(table[i].name) == length && !strncmp(table[i].name, name, length))
			return &table[i];
	}
	return NULL;
}

/* A number with a suffix out of `suffixes`; *scale gets the suffix's place, or -1. */
static double number(const struct option *o, const char *text, const char *suffixes, int *scale)
{
	char *end;
	double value;

	errno = 0;
	value = strtod(text, &end);
	*scale = -1;
	if (end != text && *end && strchr(suffixes, *end)) {
		*scale = (int)(strchr(suffixes, *end) - suffixes);
		end++;
	}
	if (end == text || *end || errno || !(value >= 0))
		refuse("--%s wants a number (%s), not `%s'", o->name, o->value, text);
	return value;
}

static uint64_t parse_size(const struct option *o, const char *text)
{
	int scale;
	double value = number(o, text, "kmgKMG", &scale);

	return (uint64_t)(value * (double)((uint64_t)1 << (scale < 0 ? 0 : 10 * (scale % 3 + 1))));
}

static uint64_t parse_whole(const struct option *o, const char *text)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (end == text || *end || errno || strchr(text, '-'))
		refuse("--%s wants a whole number, not `%s'", o->name, text);
	return value;
}

static void check_bounds(const struct option *o, uint64_t value)
{
	if (o->max && (value < o->min || value > o->max))
		refuse("--%s must be between %llu and %llu, not %llu", o->name,
		    (unsigned long long)o->min, (unsigned long long)o->max,
		    (unsigned long long)value);
}

static int parse_choice(const struct option *o, const char *text)
{
	const size_t length = strlen(text);
	const char *word = o->value;

	for (int i = 0; *word; i++) {
		size_t n = strcspn(word, "|");

		if (n == length && !strncmp(word, text, n))
			return i;
		word += n + (word[n] == '|');
	}
	refuse("--%s is %s, not `%s'", o->name, o->value, text);
}

static void parse_postpone(const struct option *o, const char *text)
{
	if (!strncmp(text, "depth:", 6)) {
		opt.postpone_depth = parse_whole(o, text + 6);
		if (!opt.postpone_depth)
			refuse("--postpone=depth:N counts from 1, the objects that roots refer to");
		return;
	}
	if (strncmp(text, "class:", 6))
		refuse("--postpone is %s, not `%s'", o->value, text);
	opt.postpone_class = classes__find(text + 6);
	if (!opt.postpone_class)
		refuse("--postpone: there is no class `%s'", text + 6);
}

static void set(const struct option *o, const char *text)
{
	char *field = (char *)&opt + o->offset;
	uint64_t value;
	int scale;

	switch (o->kind) {
	case FLAG:
		*(bool *)field = true;
		return;
	case CHOICE:
		*(int *)field = parse_choice(o, text);
		return;
	case TEXT:
		*(const char **)field = text;
		return;
	case POSTPONE:
		parse_postpone(o, text);
		return;
	case NUMBER:
		value = parse_whole(o, text);
		break;
	case SIZE:
		value = parse_size(o, text);
		break;
	case SECONDS:
		value = (uint64_t)(number(o, text, "s", &scale) * 1e9);
		break;
	default:
		value = (uint64_t)(number(o, text, "", &scale) * 1e6);
	}
	check_bounds(o, value);
	*(uint64_t *)field = value;
}

static void finish(void)
{
	if (opt.threads == UNSET)
		opt.threads = opt.deterministic ? 1 : 2;
	if (opt.deterministic && opt.threads > 1)
		refuse("--deterministic needs --threads 1, not %llu",
		       (unsigned long long)opt.threads);
	if (opt.rate == UNSET)
		opt.rate = opt.deterministic ? 0 : 20;
	if (opt.collect_every == UNSET)
		opt.collect_every = opt.deterministic ? opt.nursery / 80 : 0;
	opt.nursery = round_up(opt.nursery, 4096);
	if (opt.large > opt.nursery / 8)
		opt.large = opt.nursery / 8;
}

void options__parse(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i], *value = NULL;
		const struct option *o;
		size_t length;

		if (!strcmp(word, "--help") || !strcmp(word, "-h"))
			help();
		if (strncmp(word, "--", 2))
			refuse("`%s' is not an option; --help lists them", word);
		length = strcspn(word + 2, "=");
		o = find(word + 2, length);
		if (!o)
			refuse("there is no option `%s'; --help lists them", word);
		if (word[2 + length])
			value = word + 2 + length + 1;
		if (o->kind == FLAG && value)
			refuse("--%s takes no value", o->name);
		if (o->kind != FLAG && !value && ++i >= argc)
			refuse("--%s wants a value: %s", o->name, o->value);
		set(o, value ? value : o->kind == FLAG ? NULL : argv[i]);
	}
	finish();
}
