/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../attach/session.h"
#include "../attach/target.h"
#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../base/vec.h"
#include "../model/heap.h"
#include "../model/heap_builder.h"
#include "../model/heap_lives.h"
#include "../stream/dump_finder.h"
#include "../stream/dump_list.h"
#include "../stream/dump_name.h"
#include "../stream/facts.h"
#include "../stream/feed.h"
#include "../stream/recording.h"
#include "../target/offer.h"
#include "../target/process.h"
#include "../target/runtime.h"
#include "../view/view.h"
#include "dump_live.h"
#include "live.h"
#include "signals.h"

#define PULL_NS (50 * NS_PER_MS)
#define PROGRESS_NS (100 * NS_PER_MS)

#define WANTED                                                                                 \
	(FEED_WANTS(EVENT_PRODUCER) | FEED_WANTS(EVENT_CONTAINER) | FEED_WANTS(EVENT_ROOTS) |   \
	 FEED_WANTS(EVENT_OBJECT) | FEED_WANTS(EVENT_CLASS) | FEED_WANTS(EVENT_DEFINE) |        \
	 FEED_WANTS(EVENT_DUMP_END))

/* A dump on its way into a graph. */
struct intake {
	struct heap_source *source;
	struct facts *said; /* by the targets themselves */
	struct heap_builder *builder;
	bool failed; /* the builder has, and it was said */
	uint64_t limit; /* of memory, in bytes */
	uint64_t began_ns, shown_ns;
};

void heap_source__init(struct heap_source *source)
{
	*source = (struct heap_source){ .heap = NULL };
}

void heap_source__free(struct heap_source *source)
{
	heap__free(source->heap);
	heap_lives__free(source->lives);
	buf__free(&source->name);
	buf__free(&source->runtime);
	buf__free(&source->version);
	buf__free(&source->collector);
	buf__free(&source->subject);
	*source = (struct heap_source){ .heap = NULL };
}

/* ---------------------------------------------------------------- texts */

static void take_fact(const struct facts *facts, uint32_t target, const char *name,
		      struct buf *buf, struct text *text)
{
	size_t bytes;
	const char *value = facts__get_target(facts, target, name, &bytes);

	if (value && text->bytes == 0)
		*text = text__keep(buf, value, bytes);
}

/* What the producer said itself goes before what others know. */
static void take_facts(struct heap_source *source, const struct facts *facts, uint32_t target)
{
	struct heap_heading *heading = &source->heading;
	const char *pid = facts__get_target(facts, target, "pid", NULL);

	take_fact(facts, target, "comm", &source->name, &heading->name);
	take_fact(facts, target, "runtime", &source->runtime, &heading->runtime);
	take_fact(facts, target, "version", &source->version, &heading->version);
	take_fact(facts, target, "collector", &source->collector, &heading->collector);
	heading->pid = pid ? strtoull(pid, NULL, 10) : 0;
	heading->clock_offset_ns = facts__get_i64(facts, "clock_offset_ns", 0);
}

/* It says so when it starts or is attached to, mostly long before the dump. */
static int take_producer(struct intake *intake, const struct event *event)
{
	const struct {
		const char *name;
		struct text text;
	} all[] = {
		{ "runtime", event->producer.runtime },
		{ "version", event->producer.version },
		{ "collector", event->producer.collector },
	};
	char name[64];
	int err = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all) && !err; i++) {
		snprintf(name, sizeof(name), "target.%" PRIu32 ".%s", event->target, all[i].name);
		if (all[i].text.bytes)
			err = facts__set(intake->said, name, all[i].text.at, all[i].text.bytes);
	}
	return err ? error_errno(err, "cannot keep what the process says of itself") : 0;
}

/* A word for a shell. What is no plain character is quoted, and never shown to a terminal. */
static void set_subject(struct heap_source *source, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "@%+=:,./_-";

	if (word[strspn(word, plain)] == 0 && *word != '-') {
		buf__add_str(&source->subject, word);
	} else {
		buf__add_str(&source->subject, *word == '-' ? "./" : "");
		heap_view__quote(&source->subject, word, strlen(word));
	}
	source->heading.subject = buf__str(&source->subject);
}

/* ---------------------------------------------------------------- the graph */

uint64_t heap_source__limit(uint64_t mem_limit)
{
	const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);

	if (mem_limit)
		return mem_limit;
	return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes / 2 : 0;
}

static int begin(struct intake *intake, struct heap_source *source,
		 const struct heap_source_options *options)
{
	*intake = (struct intake){ .source = source, .began_ns = clock__monotonic_ns() };
	intake->limit = heap_source__limit(options->mem_limit);
	intake->builder = heap_builder__new(intake->limit);
	intake->said = facts__new();
	return intake->builder && intake->said ? 0 :
						  error_errno(ENOMEM, "cannot make a heap graph");
}

static void end(struct intake *intake)
{
	heap_builder__free(intake->builder);
	facts__free(intake->said);
}

static int say(struct intake *intake, int err)
{
	char text[256];

	heap_builder__explain(intake->builder, err, text, sizeof(text));
	error("%s", text);
	intake->failed = true;
	return err;
}

static int take(void *context, const struct event *event)
{
	struct intake *intake = context;
	int err;

	err = heap_builder__event(intake->builder, event);
	return err ? say(intake, err) : 0;
}

/* After all has been told, or as much as came. */
static int finish(struct intake *intake)
{
	const struct heap_facts *facts = heap_builder__facts(intake->builder);
	char objects[UNITS_TEXT];
	int err;

	progress("heap graph: %s objects, working out what keeps what alive",
		 units__count(objects, facts->objects));
	err = heap_builder__finish(intake->builder, &intake->source->heap);
	progress_end();
	if (err)
		return say(intake, err);
	intake->source->heading.facts = heap__facts(intake->source->heap);
	return 0;
}

/* ---------------------------------------------------------------- live */

struct taking {
	struct intake intake;
	struct live *live;
	struct dump_live *of_live;
};

static int see_all(void *context, const struct event *event)
{
	struct taking *taking = context;
	int err = event->kind == EVENT_PRODUCER ? take_producer(&taking->intake, event) : 0;

	return err ? err : dump__event(dump_live__dump(taking->of_live), event);
}

static int pull_until_over(struct taking *taking)
{
	const struct feed_options options = { .wanted = WANTED | FEED_WANTS(EVENT_PAUSE_END) |
							FEED_WANTS(EVENT_GC_START) };
	const struct event_sink sink = { see_all, taking };
	const struct source source = live__source(taking->live);
	struct dump *dump = dump_live__dump(taking->of_live);
	struct feed *feed;
	int answer = feed__new(&options, &sink, &feed);

	if (answer)
		return error_errno(answer, "cannot start");
	while (answer == SOURCE_MORE && !dump__is_over(dump)) {
		answer = feed__pull(feed, &source, PULL_NS);
		signals__take();
		if (signals__stopping())
			dump__abort(dump);
		dump__turn(dump);
	}
	feed__free(feed);
	progress_end();
	return answer < 0 ? answer : 0;
}

/* What came of it, or why nothing did. */
static int judge(struct taking *taking)
{
	const struct dump *dump = dump_live__dump(taking->of_live);
	const struct dump_result *result = dump__result(dump);

	if (!dump__is_whole(dump))
		dump__tell(dump);
	if (!result->begun)
		return -ENODATA;
	taking->intake.source->heading.began_ns = result->begun_ns;
	taking->intake.source->heading.dump_ns =
		result->ended_ns > result->begun_ns ? result->ended_ns - result->begun_ns : 0;
	return 0;
}

int heap_source__check_target(struct session *session, const struct words *processes)
{
	const struct target *target = session__target(session, 0);
	struct offer offers[OFFER_COUNT];

	if (session__target_count(session) != 1) {
		error("one process at a time: \"%s\" means %zu", escape(processes->items[0]),
		      (size_t)session__target_count(session));
		return -EINVAL;
	}
	if (!target->runtime)
		return 0; /* not known yet: the dump will tell */
	offers__find(target->runtime, &target->modules, offers);
	if (offers[OFFER_DUMP].available)
		return 0;
	error("%s in pid %d makes no heap dump: %s; gctrace probes -p %d shows what it offers",
	      target->runtime->name ? target->runtime->name : "the runtime", target->process->pid,
	      offers[OFFER_DUMP].text, target->process->pid);
	return -ENOENT;
}

static int open_dump(struct taking *taking, const struct words *processes)
{
	/* With its collections a runtime says what it is, also one that makes no dump. */
	const struct live_options live_options = { .levels = LEVEL_COLLECTIONS | LEVEL_DUMP };
	const struct dump_options dump_options = { .sink = { take, &taking->intake },
						   .progress = dump__show_progress };
	int err = live__new(&live_options, &taking->live);

	if (!err)
		err = live__add_words(taking->live, processes);
	if (!err)
		err = heap_source__check_target(live__session(taking->live), processes);
	if (!err)
		err = live__begin(taking->live);
	if (!err && live__wake_by(taking->live, signals__fd()))
		err = error_errno(EIO, "cannot wait for signals");
	if (!err)
		err = dump_live__new(taking->live, &dump_options, false, &taking->of_live);
	return err;
}

static void set_live_subject(struct heap_source *source)
{
	buf__printf(&source->subject, "-p %" PRIu64, source->heading.pid);
	source->heading.subject = buf__str(&source->subject);
}

int heap_source__live(struct heap_source *source, const struct words *processes,
		      const struct heap_source_options *options)
{
	struct taking taking = { .live = NULL };
	int err = begin(&taking.intake, source, options);

	if (!err)
		err = open_dump(&taking, processes);
	if (!err)
		err = pull_until_over(&taking);
	if (!err)
		err = judge(&taking);
	if (!err) {
		take_facts(source, taking.intake.said, 0);
		take_facts(source, live__facts(taking.live), 0);
		set_live_subject(source);
	}
	dump_live__free(taking.of_live);
	live__free(taking.live);
	if (!err)
		err = finish(&taking.intake);
	end(&taking.intake);
	return err;
}

/* ---------------------------------------------------------------- a recording */

static void show_reading(struct intake *intake)
{
	const struct heap_facts *facts = heap_builder__facts(intake->builder);
	const uint64_t now = clock__monotonic_ns();
	char objects[UNITS_TEXT], ns[UNITS_TEXT];

	if (now - intake->shown_ns < PROGRESS_NS || now - intake->began_ns < 5 * PROGRESS_NS)
		return;
	intake->shown_ns = now;
	progress("heap dump: %s objects, %s", units__count(objects, facts->objects),
		 units__ns(ns, now - intake->began_ns));
}

struct search {
	struct intake *intake;
	struct dump_finder finder;
	struct recording *recording;
	struct heap_lives *lives; /* NULL: not followed */
	VEC(uint32_t) met;	  /* targets whose beginning the lives know */
	enum heap_following following;
	bool has_dump; /* all of it has come */
};

static int no_memory(int err)
{
	return err == -ENOMEM ? error_errno(err, "cannot follow objects") : err;
}

/* All that a target told since it was attached to is in the recording. */
static int meet(struct search *search, uint32_t target)
{
	const struct facts *facts = recording__facts(search->recording);
	const char *attached = facts__get_target(facts, target, "attached_ns", NULL);
	const uint64_t since_ns = attached ? strtoull(attached, NULL, 10) :
					     facts__get_u64(facts, "started_ns", 0);

	for (size_t i = 0; i < search->met.count; i++)
		if (search->met.items[i] == target)
			return 0;
	if (vec__push(&search->met, target))
		return -ENOMEM;
	return heap_lives__whole_from(search->lives, target, since_ns);
}

/* Is there anything in it to follow objects by? */
static bool tells_moves(const struct facts *facts)
{
	const char *known;

	for (uint32_t i = 0; facts__get_target(facts, i, "pid", NULL); i++) {
		known = facts__get_target(facts, i, "known", NULL);
		if (known && strtoull(known, NULL, 10) & KNOWN_MOVES)
			return true;
	}
	return false;
}

static int begin_following(struct search *search)
{
	const struct facts *facts = recording__facts(search->recording);
	int err = 0;

	if (search->following == HEAP_NOT_FOLLOWED ||
	    (search->following == HEAP_FOLLOWED_IF_TOLD && !tells_moves(facts)))
		return 0;
	search->lives = heap_lives__new();
	if (!search->lives)
		return no_memory(-ENOMEM);
	for (uint32_t i = 0; !err && facts__get_target(facts, i, "pid", NULL); i++)
		err = meet(search, i);
	return no_memory(err);
}

/* What the graph needs at its peak, as far as it has been told: heap.h. */
static uint64_t graph_memory(const struct heap_builder *builder)
{
	const struct heap_facts *facts = heap_builder__facts(builder);
	const uint64_t peak = 36 * facts->objects + 8 * facts->references;
	const uint64_t now = heap_builder__memory(builder);

	return peak > now ? peak : now;
}

/* The graph comes first. */
static int check_limit(struct search *search)
{
	const struct intake *intake = search->intake;

	if (!search->lives || !intake->limit ||
	    heap_lives__memory(search->lives) + graph_memory(intake->builder) <= intake->limit)
		return 0;
	if (search->following == HEAP_FOLLOWED) {
		error("following objects up to the dump needs more memory than the limit allows;"
		      " raise --mem-limit");
		return -EDQUOT;
	}
	warning("no ids and no ages: following objects up to the dump needs more memory than the"
		" limit allows; raise --mem-limit");
	heap_lives__free(search->lives);
	search->lives = NULL;
	return 0;
}

static bool are_lives_due(const struct search *search)
{
	return search->lives && !heap_lives__stand(search->lives) &&
	       !heap_lives__are_missed(search->lives);
}

static int follow(struct search *search, const struct event *event, bool begins)
{
	int err = event->kind == EVENT_LOSS ? 0 : meet(search, event->target);

	if (!err && begins)
		heap_lives__await(search->lives, event->target);
	if (!err)
		err = heap_lives__event(search->lives, event);
	return no_memory(err);
}

/* Enough was seen when the dump was told, and its objects are matched. */
static int see_recorded(void *context, const struct event *event)
{
	struct search *search = context;
	const bool had_begun = search->finder.begun;
	int answer = event->kind == EVENT_PRODUCER ? take_producer(search->intake, event) : 0;

	if (!answer && !search->has_dump)
		answer = dump_finder__event(&search->finder, event);
	search->has_dump |= answer > 0;
	if (answer >= 0 && are_lives_due(search))
		answer = follow(search, event, !had_begun && search->finder.begun);
	return answer < 0 ? answer : search->has_dump && !are_lives_due(search);
}

static uint64_t wants(const struct search *search)
{
	const uint64_t dump = WANTED | DUMP_FINDER_WANTS;

	return search->lives ? dump | FEED_WANTS(EVENT_GC_FINISH) |
				       FEED_WANTS(EVENT_PAUSE_BEGIN) | FEED_WANTS(EVENT_MOVED) |
				       FEED_WANTS(EVENT_SURVIVING) |
				       FEED_WANTS(EVENT_GENERATION) |
				       FEED_WANTS(EVENT_OBJECT_ALLOC) :
			       dump;
}

static int read_dump(struct search *search)
{
	const struct feed_options options = { .wanted = wants(search) };
	const struct event_sink sink = { see_recorded, search };
	const struct source source = recording__source(search->recording);
	struct feed *feed;
	int answer = feed__new(&options, &sink, &feed);

	if (answer)
		return error_errno(answer, "cannot start");
	while (answer == SOURCE_MORE && !signals__stopping()) {
		answer = feed__pull(feed, &source, 0);
		show_reading(search->intake);
		if (answer >= 0 && check_limit(search))
			answer = -EDQUOT;
	}
	if (answer >= 0 && answer != SOURCE_STOPPED) {
		int ended = feed__end(feed);

		answer = ended < 0 ? ended : answer;
	}
	feed__free(feed);
	progress_end();
	return answer < 0 ? answer : 0;
}

/* What there is of them belongs to the source from now on. */
static int keep_lives(struct search *search, const char *path)
{
	struct heap_source *source = search->intake->source;
	const bool stand = search->lives && heap_lives__stand(search->lives);

	if (!stand && search->following == HEAP_FOLLOWED) {
		error("%s@%" PRIu64 ": no ids and no ages of its objects are known: the dump has no"
		      " end here, or its process ended at once",
		      escape(path), search->finder.number);
		return -ENODATA;
	}
	if (!stand)
		return 0;
	source->lives = search->lives;
	source->heading.lives = search->lives;
	search->lives = NULL;
	return 0;
}

static int judge_file(struct search *search, const char *path)
{
	struct recording *recording = search->recording;
	const struct dump_finder *finder = &search->finder;
	struct heap_source *source = search->intake->source;
	const char *damage;

	if (!finder->begun) {
		damage = recording__damage(recording);
		if (damage)
			warning("%s", damage);
		error("%s has no heap dump %" PRIu64 ": it has %" PRIu64, escape(path),
		      finder->number, finder->seen);
		return -ENOENT;
	}
	take_facts(source, search->intake->said, finder->target);
	take_facts(source, recording__facts(recording), finder->target);
	source->heading.began_ns = finder->begun_ns;
	if (finder->ended)
		return 0;
	damage = recording__damage(recording);
	if (damage)
		warning("%s", damage);
	warning("%s@%" PRIu64 ": the heap dump has no end here; what there is of it is shown",
		escape(path), finder->number);
	return 0;
}

static int find_dump(struct heap_source *source, const struct dump_name *name,
		     const struct heap_source_options *options, uint64_t number)
{
	struct intake intake;
	const struct event_sink sink = { take, &intake };
	struct search search = { .intake = &intake, .following = options->following };
	int err = begin(&intake, source, options);

	dump_finder__init(&search.finder, number, &sink);
	if (!err)
		err = recording__open(name->path, &search.recording);
	if (!err)
		err = begin_following(&search);
	if (!err)
		err = read_dump(&search);
	if (!err)
		err = judge_file(&search, name->path);
	if (!err)
		err = keep_lives(&search, name->path);
	heap_lives__free(search.lives);
	vec__free(&search.met);
	recording__close(search.recording);
	if (!err)
		err = finish(&intake);
	end(&intake);
	return err;
}

int heap_source__file(struct heap_source *source, const char *word,
		      const struct heap_source_options *options)
{
	struct buf subject = BUF_INIT;
	struct dump_name name;
	uint64_t number = 0;
	int err = dump_name__parse(word, &name);

	if (err)
		return err;
	err = dump_list__resolve(&name, &number);
	if (!err) {
		buf__printf(&subject, "%s@%" PRIu64, name.path, number);
		set_subject(source, buf__str(&subject));
		source->heading.in_file = number;
		err = find_dump(source, &name, options, number);
	}
	source->heading.is_file = true;
	buf__free(&subject);
	dump_name__free(&name);
	return err;
}
