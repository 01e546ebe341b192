/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dump_truth [OPTION...] PID TRUTH      takes a heap dump of a minivm, by gctrace's own parts
 * dump_truth FILE[@N] TRUTH             reads one from a recording
 *
 * and compares it with what minivm wrote to TRUTH: every object, reference, root and class. Prints
 * one line of `name=value` words, and before it what is wrong. Exit status 0: all is as it was.
 *
 *   --ring=BYTES   of the dump's ring
 *   --slow=US      sleep so long after each 2,000 objects, so that the ring fills
 *   --flat         ask for a list without descent
 *   --abort=N      stop the dump after N objects
 *
 * SIGINT stops a dump, too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/target.h"
#include "base/clock.h"
#include "cli/dump_live.h"
#include "cli/live.h"
#include "cli/signals.h"
#include "stream/dump_finder.h"
#include "stream/dump_list.h"
#include "stream/recording.h"
#include "target/process.h"
#include "told.h"
#include "truth.h"

#define PAUSE_EVERY 2000

struct proof {
	struct told told;
	struct dump_live *of_live;
	uint64_t ring_bytes, slow_us, abort_after, objects, collections;
	bool flat;
};

static int see_dump(void *context, const struct event *event)
{
	struct proof *proof = context;

	if (event->kind == EVENT_OBJECT && ++proof->objects % PAUSE_EVERY == 0 && proof->slow_us)
		usleep((useconds_t)proof->slow_us);
	if (proof->abort_after && proof->objects >= proof->abort_after)
		dump__abort(dump_live__dump(proof->of_live));
	return told__event(&proof->told, event);
}

static int see_all(void *context, const struct event *event)
{
	struct proof *proof = context;

	proof->collections += event->kind == EVENT_GC_FINISH;
	return dump__event(dump_live__dump(proof->of_live), event);
}

static int pull_until_over(struct proof *proof, struct live *live)
{
	const struct event_sink sink = { see_all, proof };
	const struct source source = live__source(live);
	struct dump *dump = dump_live__dump(proof->of_live);
	struct feed *feed;
	int answer = feed__new(NULL, &sink, &feed);

	while (!answer && !dump__is_over(dump)) {
		answer = feed__pull(feed, &source, 50 * NS_PER_MS);
		if (signals__stopping())
			dump__abort(dump);
		dump__turn(dump);
	}
	feed__free(feed);
	return answer < 0 ? answer : 0;
}

static void print_result(const struct proof *proof)
{
	const struct dump *dump = dump_live__dump(proof->of_live);
	const struct dump_result *result = dump__result(dump);

	dump__tell(dump);
	printf("outcome=%d begun=%d dump=%" PRIu64 " held=%" PRIu64 " used_most=%zu lost=%" PRIu64
	       " collections=%" PRIu64 " ", result->outcome, result->begun, result->number,
	       result->held, result->used_most, result->lost, proof->collections);
}

static int take_dump(struct proof *proof, pid_t pid)
{
	const struct live_options options = {
		.levels = LEVEL_COLLECTIONS | LEVEL_DUMP,
		.dump_bytes = proof->ring_bytes,
	};
	const struct dump_options dump = { .sink = { see_dump, proof },
					   .progress = dump__show_progress };
	struct process *process;
	struct live *live = NULL;
	int err;

	err = signals__install();
	if (!err)
		err = live__new(&options, &live);
	if (!err)
		err = process__open(pid, &process, NULL);
	if (!err)
		err = live__add(live, process);
	if (!err)
		err = live__begin(live);
	if (!err)
		err = dump_live__new(live, &dump, proof->flat, &proof->of_live);
	if (!err)
		err = pull_until_over(proof, live);
	if (!err)
		print_result(proof);
	dump_live__free(proof->of_live);
	live__free(live);
	return err;
}

static int read_dump(struct proof *proof, const char *word)
{
	const struct event_sink sink = { told__event, &proof->told };
	struct dump_finder finder;
	const struct event_sink finding = { dump_finder__event, &finder };
	struct dump_name name;
	struct recording *recording = NULL;
	struct source source;
	struct feed *feed = NULL;
	uint64_t number;
	int err = dump_name__parse(word, &name);

	if (!err)
		err = dump_list__resolve(&name, &number);
	if (!err)
		err = recording__open(name.path, &recording);
	if (!err) {
		dump_finder__init(&finder, number, &sink);
		source = recording__source(recording);
		err = feed__new(NULL, &finding, &feed);
	}
	while (!err)
		err = feed__pull(feed, &source, 0);
	feed__free(feed);
	recording__close(recording);
	dump_name__free(&name);
	if (err < 0)
		return err;
	printf("seen=%" PRIu64 " ended=%d ", finder.seen, finder.ended);
	return 0;
}

static bool parse(struct proof *proof, const char *word)
{
	const char *value = strchr(word, '=');
	uint64_t number = value ? strtoull(value + 1, NULL, 10) : 0;

	if (!strncmp(word, "--ring=", 7))
		proof->ring_bytes = number;
	else if (!strncmp(word, "--slow=", 7))
		proof->slow_us = number;
	else if (!strncmp(word, "--abort=", 8))
		proof->abort_after = number;
	else if (!strcmp(word, "--flat"))
		proof->flat = true;
	else
		return false;
	return true;
}

static int compare(struct proof *proof, const char *path)
{
	struct told *told = &proof->told;
	struct truth truth = { .objects = VEC_INIT };
	uint64_t wrong;
	int err = truth__load(&truth, path, told->number);

	if (err) {
		printf("\n%s: no truth of dump %" PRIu64 ": %s\n", path, told->number,
		       strerror(-err));
		return 1;
	}
	printf("status=%" PRIu64 " objects=%zu references=%zu roots=%zu classes=%zu containers=%"
	       PRIu64 " defines=%" PRIu64 "\n", told->status, told->objects.count,
	       told->refs.count, told->roots.count, told->classes.count, told->containers,
	       told->defines);
	wrong = truth__compare(&truth, told);
	if (wrong)
		printf("%" PRIu64 " differences\n", wrong);
	truth__free(&truth);
	return wrong != 0;
}

int main(int argc, char *argv[])
{
	struct proof proof = { .told = { .number = EVENT_UNKNOWN, .status = EVENT_UNKNOWN } };
	int at = 1, err;

	while (at < argc && parse(&proof, argv[at]))
		at++;
	if (argc - at != 2) {
		fprintf(stderr, "usage: dump_truth [OPTION...] PID|FILE[@N] TRUTH\n");
		return 2;
	}
	if (argv[at][strspn(argv[at], "0123456789")])
		err = read_dump(&proof, argv[at]);
	else
		err = take_dump(&proof, (pid_t)atoi(argv[at]));
	if (!err && proof.told.number != EVENT_UNKNOWN)
		err = compare(&proof, argv[at + 1]);
	else
		printf("nothing to compare\n");
	told__free(&proof.told);
	return err != 0;
}
