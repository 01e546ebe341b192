/* SPDX-License-Identifier: BSD-2-Clause */
/* The graph of a dump in a recording, whose objects are followed up to it where that is wanted. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/files.h"
#include "../base/ram.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../base/vec.h"
#include "../model/heap_builder.h"
#include "../model/heap_lives.h"
#include "../model/replay.h"
#include "../stream/dump_finder.h"
#include "../stream/dump_list.h"
#include "../stream/dump_name.h"
#include "../stream/facts.h"
#include "../stream/feed.h"
#include "../stream/hprof.h"
#include "../stream/recording.h"
#include "../view/view.h"
#include "diff_replay.h"
#include "heap_intake.h"
#include "heap_source_hprof.h"
#include "signals.h"

#define PROGRESS_NS (100 * NS_PER_MS)

struct search {
	struct intake *intake;
	uint64_t began_ns, shown_ns; /* reading; when its progress was shown */
	struct dump_finder finder;
	struct recording *recording;
	struct heap_lives *lives; /* NULL: not followed */
	uint64_t dropped;	  /* their bytes, when the limit had no room for them; or 0 */
	VEC(uint32_t) met;	  /* targets whose beginning the lives know */
	enum heap_following following;
	uint64_t dump_wants; /* FEED_WANTS() of the dump itself */
	bool has_dump; /* all of it has come */
	bool is_only;  /* so there must be no further one, up to the file's end */
};

/* ---------------------------------------------------------------- following */

static int no_memory(int err)
{
	return err == -ENOMEM ? error_errno(err, "cannot follow objects") : err;
}

/* All that a target told since it was attached to is in the recording. */
static int meet(struct search *search, uint32_t target)
{
	for (size_t i = 0; i < search->met.count; i++)
		if (search->met.items[i] == target)
			return 0;
	if (vec__push(&search->met, target))
		return -ENOMEM;
	return heap_lives__whole_from(search->lives, target,
				      recording__whole_from(search->recording, target));
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

/* The graph comes first. What both need is known when all of the dump has been seen. */
static void check_limit(struct search *search)
{
	const struct intake *intake = search->intake;
	uint64_t lives;

	if (!search->lives || !intake->limit)
		return;
	lives = heap_lives__memory(search->lives);
	if (lives + graph_memory(intake->builder) <= intake->limit)
		return;
	search->dropped = lives;
	heap_lives__free(search->lives);
	search->lives = NULL;
}

/* No room for ids and ages: an error where they are what is wanted, or else a warning. */
static int say_dropped(const struct search *search)
{
	const struct intake *intake = search->intake;
	const uint64_t objects = heap_builder__facts(intake->builder)->objects;
	const uint64_t all = objects * DIFF_REPLAY_OBJECT_BYTES;
	const uint64_t needed = graph_memory(intake->builder) +
				(all > search->dropped ? all : search->dropped);

	if (search->following == HEAP_FOLLOWED) {
		ram__over(needed - intake->limit);
		return heap_source__over_limit("following objects up to the dump needs",
					       intake->limit);
	}
	warning("no ids and no ages: following objects up to the dump needs more memory than the"
		" limit allows; raise --mem-limit to at least %" PRIu64 " MiB",
		ram__enough_mib(needed));
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

/* ---------------------------------------------------------------- reading */

/* Enough was seen when the dump was told, and its objects are matched. */
static int see_recorded(void *context, const struct event *event)
{
	struct search *search = context;
	const bool had_begun = search->finder.begun;
	int answer = 0;

	if (event->kind == EVENT_PRODUCER && !search->has_dump)
		answer = intake__producer(search->intake, event);
	if (!answer)
		answer = dump_finder__event(&search->finder, event);
	search->has_dump |= answer > 0;
	if (answer >= 0 && are_lives_due(search))
		answer = follow(search, event, !had_begun && search->finder.begun);
	return answer < 0 ? answer : search->has_dump && !search->is_only && !are_lives_due(search);
}

static uint64_t wants(const struct search *search)
{
	return search->dump_wants | DUMP_FINDER_WANTS | (search->lives ? REPLAY_WANTS : 0);
}

static void show_reading(struct search *search)
{
	const struct heap_facts *facts = heap_builder__facts(search->intake->builder);
	const uint64_t now = clock__monotonic_ns();
	char objects[UNITS_TEXT], ns[UNITS_TEXT];

	if (now - search->shown_ns < PROGRESS_NS || now - search->began_ns < 5 * PROGRESS_NS)
		return;
	search->shown_ns = now;
	progress("heap dump: %s objects, %s", units__count(objects, facts->objects),
		 units__ns(ns, now - search->began_ns));
}

static int on_turn(void *context)
{
	struct search *search = context;

	show_reading(search);
	check_limit(search);
	return signals__stopping();
}

static int read_dump(struct search *search)
{
	const struct feed_options options = { .wanted = wants(search) };
	const struct event_sink sink = { see_recorded, search };
	const struct source source = recording__source(search->recording);
	int err;

	if (!(options.wanted & FEED_WANTS(EVENT_OBJECT)))
		recording__leave_references(search->recording);
	err = feed__read_all(&options, &sink, &source, on_turn);
	progress_end();
	return err;
}

/* What there is of them belongs to the source from now on. */
static int keep_lives(struct search *search, const char *path)
{
	struct heap_source *source = search->intake->source;
	const bool stand = search->lives && heap_lives__stand(search->lives);

	if (search->dropped)
		return say_dropped(search);
	if (!stand && search->following == HEAP_FOLLOWED) {
		error("%s@%" PRIu64 ": no ids and no ages of its objects are known: %s",
		      escape(path), search->finder.number,
		      signals__stopping() ? "reading was stopped" :
					    "the dump has no end here, or its process ended at"
					    " once");
		return -ENODATA;
	}
	if (!stand)
		return 0;
	source->lives = search->lives;
	source->heading.lives = search->lives;
	search->lives = NULL;
	return 0;
}

/* Is it there, and the only one where it has to be? */
static int judge_presence(const struct search *search, const struct dump_name *name)
{
	const struct dump_finder *finder = &search->finder;
	const char *damage;

	if (!finder->begun && signals__stopping()) {
		error("stopped before the heap dump was reached");
		return -ECANCELED;
	}
	damage = recording__damage(search->recording);
	if (damage && (!finder->begun || (search->is_only && finder->ended))) {
		warning("%s; there may have been more heap dumps", damage);
		search->intake->source->is_uncertain = true;
	}
	if (!finder->begun || (search->is_only && finder->seen > 1))
		return dump_list__refuse(name, finder->seen);
	return 0;
}

static int judge_file(struct search *search, const struct dump_name *name)
{
	struct recording *recording = search->recording;
	const struct dump_finder *finder = &search->finder;
	struct heap_source *source = search->intake->source;
	const char *damage;
	int err = judge_presence(search, name);

	if (err)
		return err;
	intake__facts(source, search->intake->said, finder->target);
	intake__facts(source, recording__facts(recording), finder->target);
	source->heading.began_ns = finder->begun_ns;
	if (finder->ended)
		return 0;
	if (signals__stopping()) {
		warning("reading was stopped in the midst of the heap dump; what came of it is"
			" shown");
		return 0;
	}
	damage = recording__damage(recording);
	if (damage)
		warning("%s", damage);
	warning("%s@%" PRIu64 ": the heap dump has no end here; what there is of it is shown",
		escape(name->path), finder->number);
	return 0;
}

static int find_dump(struct heap_source *source, const struct dump_name *name,
		     const struct heap_source_options *options, uint64_t number, int fd)
{
	struct intake intake;
	const struct event_sink sink = { intake__take, &intake };
	struct search search = { .intake = &intake, .following = options->following,
				 .dump_wants = intake__wants(options),
				 .is_only = name->number == DUMP_NAME_NONE &&
					    !dump_list__is_read_once(name),
				 .began_ns = clock__monotonic_ns() };
	int err = intake__begin(&intake, source, options);

	dump_finder__init(&search.finder, number, &sink);
	if (err)
		files__close(&fd);
	else
		err = fd < 0 ? recording__open(name->path, &search.recording) :
			       recording__open_fd(fd, name->path, &search.recording);
	if (!err)
		err = begin_following(&search);
	if (!err)
		err = read_dump(&search);
	if (!err)
		err = judge_file(&search, name);
	if (!err)
		err = keep_lives(&search, name->path);
	heap_lives__free(search.lives);
	vec__free(&search.met);
	recording__close(search.recording);
	if (!err)
		err = intake__finish(&intake);
	intake__end(&intake);
	return err;
}

/* A word for a shell. What is no plain character is quoted, and never shown to a terminal. */
static void set_subject(struct heap_source *source)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "@%+=:,./_-";
	const char *word = buf__str(&source->file);

	if (word[strspn(word, plain)] == 0 && *word != '-') {
		buf__add_str(&source->subject, word);
	} else {
		buf__add_str(&source->subject, *word == '-' ? "./" : "");
		heap_view__quote(&source->subject, word, strlen(word));
	}
	source->heading.subject = buf__str(&source->subject);
	source->heading.file = word;
}

static int read_recording(struct heap_source *source, const struct dump_name *name,
			  const struct heap_source_options *options, int fd)
{
	uint64_t number = name->number == DUMP_NAME_NONE ? 1 : name->number;
	int err = 0;

	if (number == DUMP_NAME_LAST)
		err = dump_list__resolve(name, &number);
	source->is_uncertain = err > 0;
	if (err >= 0) {
		buf__printf(&source->file, "%s@%" PRIu64, name->path, number);
		set_subject(source);
		source->heading.in_file = number;
		err = find_dump(source, name, options, number, fd);
	} else {
		files__close(&fd);
	}
	return err;
}

static int read_hprof(struct heap_source *source, const struct dump_name *name,
		      const struct heap_source_options *options, int fd)
{
	int err = 0;

	if (name->number != DUMP_NAME_NONE && name->number != DUMP_NAME_LAST && name->number > 1) {
		error("%s is an hprof file, which holds one heap dump; there is no number %" PRIu64,
		      escape(name->path), name->number);
		err = -ENOENT;
	}
	if (!err && options->following == HEAP_FOLLOWED) {
		error("%s is of a moment: no ids and no ages of objects are in an hprof file; a"
		      " recording of gctrace has them", escape(name->path));
		err = -ENODATA;
	}
	if (!err) {
		buf__add_str(&source->file, name->path);
		set_subject(source);
		err = heap_source_hprof__read(source, fd, name->path, options, NULL);
	}
	files__close(&fd);
	return err;
}

/* A pipe is opened once. */
int heap_source__file(struct heap_source *source, const char *word,
		      const struct heap_source_options *options)
{
	struct dump_name name;
	int err = dump_name__parse(word, &name), fd;

	if (err)
		return err;
	fd = files__open_input(name.path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0 && hprof__begins(fd)) {
		err = read_hprof(source, &name, options, fd);
	} else {
		if (!dump_list__is_read_once(&name))
			files__close(&fd);
		err = read_recording(source, &name, options, fd);
	}
	dump_name__free(&name);
	return err;
}
