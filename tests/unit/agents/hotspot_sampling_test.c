/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampled objects from their allocation to what gctrace hears of them: the sampler, its rounds, the
 * teller and all between them, in a pretended JVM that knows the truth. Whoever hears all of it
 * has, behind each visit of the agent's thread, those that live, with all that there is to know
 * of each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t now_ns;

static uint64_t fake_now(void)
{
	return now_ns;
}

#include "agents/common/clock.h"
#define clock__now fake_now
#include "agents/hotspot/teller.c"
#undef clock__now

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agents/hotspot/beans.h"
#include "agents/hotspot/buffers.h"
#include "agents/hotspot/handles.h"
#include "agents/hotspot/spaces.h"
#include "agents/hotspot/vmstructs.h"
#include "agents/hotspot/weight.h"
#include "base/buf.h"
#include "base/vec.h"
#include "fake_method.h"
#include "sampled_vm.h"
#include "stream/feed.h"
#include "unit/random.h"

/* ---- The rest of the agent, on the pretended JVM ---- */

struct handles handles = { .mask = ~UINT64_C(0) };

bool handles__find(struct visit *visit)
{
	(void)visit;
	return true;
}

bool vmstructs__find(vmstructs_symbol *find)
{
	(void)find;
	return true;
}

bool spaces__find(void)
{
	return true;
}

bool spaces__are_concurrent(void)
{
	return sampled_vm.is_concurrent;
}

bool spaces__have_generations(void)
{
	return !sampled_vm.is_concurrent;
}

void spaces__pause_begins(void)
{
}

uint64_t spaces__pause_ends(void)
{
	return sampled_vm.collections;
}

enum spaces_generation spaces__generation(uint64_t address)
{
	if (sampled_vm.is_concurrent)
		return SPACES_UNKNOWN;
	return address >= SAMPLED_OLD ? SPACES_OLD : SPACES_YOUNG;
}

static bool is_first_in_buffer; /* whatever is sampled */

void buffers__find(struct visit *visit)
{
	(void)visit;
}

bool buffers__begin_with(JNIEnv *jni, jobject object)
{
	(void)jni;
	(void)object;
	return is_first_in_buffer;
}

bool beans__find(JNIEnv *jni)
{
	(void)jni;
	return true;
}

void beans__let_go(JNIEnv *jni)
{
	(void)jni;
}

uint64_t beans__collections(JNIEnv *jni)
{
	(void)jni;
	return sampled_vm.collections;
}

bool vm__get_environment(jvmtiEnv **jvmti)
{
	*jvmti = sampled_vm__environment();
	return true;
}

static unsigned int attaches;
static void (*at_death)(void);

bool vm__stay(void (*call)(struct visit *visit))
{
	struct visit visit = { .jni = sampled_vm__jni() };

	attaches += !sampled_vm.attached;
	sampled_vm.attached = 1;
	call(&visit);
	return true;
}

void vm__depart(void)
{
	sampled_vm.attached = 0;
}

void vm__on_death(void (*call)(void))
{
	at_death = call;
}

void vm__free(jvmtiEnv *jvmti, void *bytes)
{
	(void)jvmti;
	free(bytes);
}

/* The agent's thread works at once. */
bool worker__start(struct worker *worker, const char *name)
{
	(void)worker;
	(void)name;
	return true;
}

bool worker__post(struct worker *worker, void (*call)(void *context), void *context)
{
	(void)worker;
	call(context);
	return true;
}

/* ---- Who hears it ---- */

struct told {
	uint64_t class_, stack, size, weight, gc, address, generation;
	bool is_there;
};

struct name {
	uint64_t id;
	char *text;
};

static struct {
	struct feed *feed;
	uint64_t stamp;
	VEC(struct told) samples; /* by their numbers */
	VEC(struct name) names;	  /* of classes and stacks */
	struct buf notices;
	uint64_t gc, interval, deaths, lists, lost, in_doubt, repeats;
	uint64_t followed; /* SAMPLES that do not say that none is */
	bool is_late; /* no SAMPLES was heard so far */
	bool in_list;
	uint64_t *collects_at_once; /* with this seed, when the next batch comes */
} ear;

static const char *name_of(uint64_t id)
{
	for (size_t i = 0; i < ear.names.count; i++) {
		if (ear.names.items[i].id == id)
			return ear.names.items[i].text;
	}
	return NULL;
}

/* Whatever is told again is the same. */
static void hear_name(uint64_t id, struct text text)
{
	const char *known = name_of(id);
	const struct name new = { id, known ? NULL : strndup(text.at, text.bytes) };

	if (!known)
		assert_int_equal(vec__push(&ear.names, new), 0);
	else
		assert_true(strlen(known) == text.bytes && !memcmp(known, text.at, text.bytes));
}

static struct told *told(uint64_t number)
{
	static const struct told none;

	while (ear.samples.count <= number)
		assert_int_equal(vec__push(&ear.samples, none), 0);
	return &ear.samples.items[number];
}

static void hear_alloc(const struct event *event)
{
	struct told *sample = told(event->alloc.sample);
	const bool is_new = !sample->size;

	assert_int_not_equal(event->alloc.sample, 0);
	assert_false(ear.is_late);
	assert_true(!event->alloc.class_ || name_of(event->alloc.class_));
	assert_non_null(name_of(event->alloc.stack));
	assert_true(is_new || (sample->size == event->alloc.size && sample->is_there));
	sample->class_ = event->alloc.class_;
	sample->stack = event->alloc.stack;
	sample->size = event->alloc.size;
	sample->weight = event->alloc.weight;
	sample->gc = event->alloc.gc;
	sample->address = event->alloc.id;
	sample->is_there = true;
}

static void hear_fate(const struct sample_fate *fate, uint64_t gc)
{
	struct told *sample = told(fate->sample);

	assert_true(sample->size && sample->gc <= gc);
	if (fate->bits & GCTRACE_SAMPLE_DEAD) {
		assert_true(sample->is_there);
		ear.deaths++;
	}
	sample->is_there = !(fate->bits & GCTRACE_SAMPLE_DEAD);
	if (fate->address != EVENT_UNKNOWN)
		sample->address = fate->address;
	if (fate->bits & GCTRACE_SAMPLE_GENERATION)
		sample->generation = fate->generation;
}

static void hear_samples(const struct event *event)
{
	ear.repeats = event->samples.repeats;
	assert_true(event->samples.gc >= ear.gc);
	ear.gc = event->samples.gc;
	ear.interval = event->samples.interval;
	ear.followed += !event->samples.unfollowed;
	ear.is_late = false;
	ear.in_doubt += event->samples.in_doubt && !event->samples.more;
	if (event->samples.all && !ear.in_list) {
		ear.lists++;
		for (size_t i = 0; i < ear.samples.count; i++)
			ear.samples.items[i].is_there = false;
	}
	ear.in_list = event->samples.all && event->samples.more;
	for (size_t i = 0; i < event->samples.count; i++)
		hear_fate(&event->samples.samples[i], event->samples.gc);
}

static int hear(void *context, const struct event *event)
{
	(void)context;
	if (event->kind == EVENT_CLASS)
		hear_name(event->class_.class_, event->class_.name);
	else if (event->kind == EVENT_DEFINE && event->define.space == GCTRACE_SPACE_STACK)
		hear_name(event->define.id, event->define.name);
	else if (event->kind == EVENT_OBJECT_ALLOC)
		hear_alloc(event);
	else if (event->kind == EVENT_SAMPLES)
		hear_samples(event);
	else if (event->kind == EVENT_NOTICE)
		buf__printf(&ear.notices, "%.*s\n", (int)event->notice.text.bytes,
			    event->notice.text.at);
	else if (event->kind == EVENT_LOSS)
		ear.lost += event->loss.count;
	return 0;
}

static void take_batch(void *context, const void *batch, uint32_t bytes)
{
	struct record *record = calloc(1, sizeof(*record) + bytes);

	(void)context;
	*record = (struct record){ .stamp = ++ear.stamp,
				   .bytes = (uint32_t)sizeof(*record) + bytes,
				   .kind = RECORD_BATCH };
	memcpy(record + 1, batch, bytes);
	assert_int_equal(feed__record(ear.feed, record), 0);
	free(record);
	if (ear.collects_at_once) {
		sampled_vm__collect(ear.collects_at_once, 50, 50);
		ear.collects_at_once = NULL;
	}
}

static struct gctrace_emitter emitter = { .sink = take_batch };
static struct gctrace_writer writer;

struct gctrace_writer *emitter__take_aside(uint64_t gc, uint64_t pause)
{
	static _Alignas(8) unsigned char buffer[GCTRACE_BATCH_BYTES];

	(void)gc;
	(void)pause;
	gctrace_writer_init(&writer, &emitter, buffer);
	return &writer;
}

void emitter__release(struct gctrace_writer *released)
{
	assert_ptr_equal(released, &writer);
}

/* ---- */

static int set_up(void **state)
{
	const struct event_sink sink = { hear, NULL };

	(void)state;
	sampled_vm__begin();
	memset(&ear, 0, sizeof(ear));
	now_ns += UINT64_C(1000000000000);
	sampler__set_interval(SAMPLER_INTERVAL);
	return feed__new(NULL, &sink, &ear.feed);
}

/* Looks of the watcher, until the agent's thread has had its turn. */
static void visit(bool is_wanted)
{
	now_ns += 250000000;
	for (unsigned i = 0; i < LOOKS; i++)
		teller__want(is_wanted);
	assert_int_equal(sampled_vm.attached, is_wanted);
	assert_int_equal(sampled_vm.wrong_calls, 0);
}

/* It takes no samples, and nothing is left of it. */
static int tear_down(void **state)
{
	(void)state;
	visit(false);
	assert_false(sampler__is_on());
	assert_int_equal(sampled_vm.handles, 0);
	assert_int_equal(sampled_vm.environments, 0);
	assert_int_equal(samples__count(), 0);
	feed__free(ear.feed);
	for (size_t i = 0; i < ear.names.count; i++)
		free(ear.names.items[i].text);
	vec__free(&ear.names);
	vec__free(&ear.samples);
	buf__free(&ear.notices);
	return 0;
}

static void expect_true(const struct told *sample, const struct sampled_object *object)
{
	assert_non_null(object);
	assert_int_equal(sample->address, object->address);
	assert_true(sample->gc == object->gc || object->gc == UINT64_MAX);
	assert_int_equal(sample->weight, weight__of(object->size, object->interval));
	assert_non_null(name_of(sample->class_));
	assert_string_equal(name_of(sample->class_), sampled_vm__class_name(object->class_));
	assert_string_equal(name_of(sample->stack),
			    sampled_vm__stack(object->site, object->edition));
	if (!sampled_vm.is_concurrent && object->gc < sampled_vm.collections)
		assert_int_equal(sample->generation, object->address >= SAMPLED_OLD);
}

/* All that live are told, and nobody else: a size is one object's. */
static void expect_the_truth(void)
{
	uint32_t there = 0;

	for (size_t i = 1; i < ear.samples.count; i++) {
		const struct told *sample = &ear.samples.items[i];

		if (!sample->is_there)
			continue;
		there++;
		expect_true(sample, sampled_vm__object(sample->size));
	}
	assert_int_equal(there, sampled_vm__living());
	assert_int_equal(ear.lost, 0);
}

static void allocate(uint64_t *seed, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		sampled_vm__allocate((unsigned)random__below(seed, SAMPLED_CLASSES),
				     (unsigned)random__below(seed, SAMPLED_SITES));
}

/* But the one that is in all stacks. */
static unsigned any_site(uint64_t *seed)
{
	return 1 + (unsigned)random__below(seed, SAMPLED_SITES - 1);
}

/* ---- A program that may not have much address space ---- */

static uint64_t address_space(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%lu", &pages), 1);
	fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void try_thrice_with(uint64_t bytes_more)
{
	struct rlimit before, limit;

	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	limit = before;
	limit.rlim_cur = address_space() + bytes_more;
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
	for (unsigned i = 0; i < 3; i++) {
		now_ns += UINT64_C(60000000000);
		visit(true);
	}
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
}

/* The first test: what was had once is kept. There is enough for none of it, for some, for most. */
static void what_cannot_be_had_whole_is_not_taken_at_all(void **state)
{
	const uint64_t taken = address_space(), mib = UINT64_C(1) << 20;

	(void)state;
	try_thrice_with(8 * mib);
	try_thrice_with(100 * mib);
	try_thrice_with(400 * mib);
	assert_false(sampler__is_on());
	assert_non_null(strstr(buf__str(&ear.notices), "there is no memory for samples"));
	assert_in_range(address_space(), 0, taken + (UINT64_C(16) << 20));
}

/* ---- Anything, against the truth ---- */

static void what_is_told_is_what_there_is(void **state)
{
	uint64_t seed = 11;

	(void)state;
	visit(true);
	for (unsigned step = 0; step < 600; step++) {
		if (!random__below(&seed, 10))
			sampler__set_interval(1u << random__below(&seed, 22));
		allocate(&seed, (unsigned)random__below(&seed, 40));
		for (uint64_t n = random__below(&seed, 4); n; n--)
			sampled_vm__collect(&seed, (unsigned)random__below(&seed, 40), 50);
		now_ns += random__below(&seed, 20) ? 0 : ALL_EVERY_NS;
		if (!random__below(&seed, 20))
			teller__start_over();
		visit(true);
		expect_the_truth();
		if (!random__below(&seed, 10))
			sampled_vm__redefine(any_site(&seed));
		if (!random__below(&seed, 4))
			sampled_vm__unload(any_site(&seed));
	}
	assert_true(ear.lists > 40 && ear.deaths > 10000);
	assert_int_equal(ear.gc, sampled_vm.collections);
	assert_int_equal(sampled_vm.handles, sampled_vm__living());
}

static void a_collector_that_works_beside_the_program(void **state)
{
	uint64_t seed = 12;

	(void)state;
	sampled_vm.is_concurrent = true;
	visit(true);
	for (unsigned step = 0; step < 100; step++) {
		allocate(&seed, 30);
		visit(true);
		sampled_vm__collect(&seed, 30, 50);
		visit(true);
		expect_the_truth();
	}
	assert_int_not_equal(sampled_vm.looked_at, 0);
}

/* As generational ZGC: no handle is ever made, and all that is told is what was allocated. */
static void who_would_keep_alive_what_is_followed_follows_nothing(void **state)
{
	uint64_t seed = 12;
	uint32_t told_of = 0;

	(void)state;
	sampled_vm.is_concurrent = handles.keep_alive = true;
	visit(true);
	for (unsigned step = 0; step < 100; step++) {
		allocate(&seed, 30);
		ear.is_late = true;
		visit(true);
		assert_false(ear.is_late);
		assert_int_equal(samples__count(), 0);
		sampled_vm__collect(&seed, 30, 50);
		visit(true);
		assert_int_equal(ear.gc, sampled_vm.collections);
	}
	for (size_t i = 1; i < ear.samples.count; i++)
		told_of += ear.samples.items[i].size != 0;
	assert_int_equal(told_of, 3000);
	assert_int_equal(ear.followed, 0);
	assert_int_equal(ear.lost + ear.deaths, 0);
	assert_int_equal(sampled_vm.most_handles + sampled_vm.looked_at, 0);
	visit(false);
	handles.keep_alive = false;
}

static void more_pauses_than_there_is_room_for_are_made_up_for(void **state)
{
	uint64_t seed = 13;

	(void)state;
	visit(true);
	allocate(&seed, 2000);
	visit(true);
	for (unsigned i = 0; i < 400; i++)
		sampled_vm__collect(&seed, 1, 50);
	visit(true);
	assert_int_equal(ear.lists, 2);
	expect_the_truth();
	visit(true);
	assert_int_equal(ear.lists, 2);
}

/* There is room for one round of all of them, and some more. */
static void a_round_that_has_no_room_for_all_is_in_doubt(void **state)
{
	uint64_t seed = 24;

	(void)state;
	visit(true);
	allocate(&seed, 20000);
	visit(true);
	sampled_vm__collect(&seed, 0, 100);
	visit(true);
	assert_int_equal(ear.in_doubt, 0);
	for (unsigned i = 0; i < 3; i++)
		sampled_vm__collect(&seed, 0, 100);
	visit(true);
	assert_int_equal(ear.in_doubt, 2);
	sampled_vm__collect(&seed, 0, 100);
	visit(true);
	assert_int_equal(ear.in_doubt, 2);
	expect_the_truth();
}

/* What it did is told of it, not by the list that leaves the dead out. */
static void a_collection_while_all_is_told_has_its_dead(void **state)
{
	uint64_t seed = 23;

	(void)state;
	visit(true);
	for (unsigned i = 1; i < 20; i++) {
		allocate(&seed, 200);
		visit(true);
		ear.collects_at_once = &seed;
		teller__start_over();
		visit(true);
		assert_null(ear.collects_at_once);
		visit(true);
		expect_the_truth();
		assert_int_equal(ear.deaths, 200 * i - sampled_vm__living());
	}
}

/* ---- Nothing grows ---- */

static void what_has_died_makes_room_for_others(void **state)
{
	uint64_t seed = 14;

	(void)state;
	visit(true);
	for (unsigned wave = 0; wave < 100; wave++) {
		allocate(&seed, 1000);
		sampled_vm__collect(&seed, wave % 2 ? 100 : 0, 50);
		visit(true);
		visit(true); /* the handles of those that were told are given back */
	}
	assert_int_equal(ear.deaths, 100000);
	assert_int_equal(sampled_vm.handles, 0);
	assert_in_range(sampled_vm.most_handles, 2000, 3000);
	assert_in_range(samples__used(), 2000, 3000);
	assert_in_range(ear.names.count, 2, SAMPLED_CLASSES + SAMPLED_SITES);
}

/* As where scripts are compiled: each is a class of its own. */
static void stacks_of_what_has_died_are_forgotten(void **state)
{
	uint64_t seed = 22;
	uint32_t most = 0;

	(void)state;
	visit(true);
	for (unsigned i = 1; i <= 40000; i++) {
		sampled_vm__allocate(0, any_site(&seed));
		if (i % 50 == 0) {
			sampled_vm__collect(&seed, 30, 50);
			if (random__chance(&seed, 30))
				teller__start_over();
			visit(true);
			expect_the_truth();
			most = stacks__count() > most ? stacks__count() : most;
			for (unsigned site = 1; site < SAMPLED_SITES; site++)
				sampled_vm__unload(site);
		}
	}
	assert_in_range(most, 1000, 3000);
	assert_int_equal(ear.lost, 0);
	assert_true(ear.names.count > 20000); /* that there were in all */
}

static void nobody_listens_and_nothing_is_held(void **state)
{
	uint64_t seed = 15;
	uint32_t before;

	(void)state;
	visit(true);
	allocate(&seed, 500);
	visit(true);
	assert_int_equal(sampled_vm.handles, 500);
	visit(false);
	assert_int_equal(sampled_vm.handles, 0);
	assert_int_equal(sampled_vm.environments, 0);
	allocate(&seed, 500);
	sampled_vm__collect(&seed, 50, 50);
	assert_int_equal(sampled_vm.handles, 0);
	before = (uint32_t)ear.samples.count;
	visit(true);
	allocate(&seed, 100); /* of those that were there before it knows nothing */
	visit(true);
	assert_int_equal(ear.samples.count, before + 100);
	assert_int_equal(ear.lists, 2);
}

/* ---- Classes and methods come and go ---- */

static void a_class_that_is_loaded_again_is_another_one(void **state)
{
	uint64_t seed = 16;
	uint32_t number;

	(void)state;
	visit(true);
	sampled_vm__allocate(0, 1);
	visit(true);
	sampled_vm__load_again(0);
	sampled_vm__allocate(0, 1);
	sampled_vm__collect(&seed, 0, 100);
	visit(true);
	expect_the_truth();
	number = (uint32_t)ear.samples.count - 1;
	assert_int_not_equal(told(number)->class_, told(number - 1)->class_);
	assert_int_equal(told(number)->stack, told(number - 1)->stack);
}

static void a_method_that_is_gone_before_it_is_told_has_no_name(void **state)
{
	const char *stack;

	(void)state;
	visit(true);
	sampled_vm__allocate(0, 1);
	sampled_vm__allocate(0, 2);
	sampled_vm__unload(1);
	visit(true);
	stack = name_of(told(ear.samples.count - 2)->stack);
	assert_memory_equal(stack, "[unloaded method]\nPlace0." FAKE_METHOD "(Place.java:7)\n", 43);
	assert_string_equal(name_of(told(ear.samples.count - 1)->stack), sampled_vm__stack(2, 0));
	sampled_vm__unload(2); /* it was told by then, and stays what it was */
	teller__start_over();
	visit(true);
	assert_string_equal(name_of(told(ear.samples.count - 1)->stack), sampled_vm__stack(2, 0));
}

/* What was told before stays what it was, also where it is told again. */
static void the_lines_of_a_redefined_class_are_the_new_ones(void **state)
{
	(void)state;
	visit(true);
	sampled_vm__allocate(0, 1);
	visit(true);
	sampled_vm__redefine(1);
	sampled_vm__allocate(0, 1);
	sampled_vm__allocate(0, 2);
	teller__start_over();
	visit(true);
	assert_non_null(strstr(name_of(told(ear.samples.count - 3)->stack), "(Place.java:9)"));
	assert_non_null(strstr(name_of(told(ear.samples.count - 2)->stack), "(Place.java:109)"));
	expect_the_truth();
}

/* ---- What cannot be had ---- */

static void another_agent_has_the_sampler_and_lets_it_go(void **state)
{
	uint64_t seed = 17;

	(void)state;
	sampled_vm.is_taken = true;
	visit(true);
	assert_string_equal(buf__str(&ear.notices), "another agent in this process has the JVM's "
						    "only sampler of allocations\n");
	assert_int_equal(sampled_vm.environments, 0);
	buf__reset(&ear.notices);
	visit(true); /* not as often as it looks */
	assert_int_equal(ear.notices.len, 0);
	now_ns += RETRY_NS;
	visit(true);
	assert_int_not_equal(ear.notices.len, 0);
	buf__reset(&ear.notices);
	sampled_vm.is_taken = false;
	teller__start_over(); /* who is asked for looks at once */
	visit(true);
	assert_int_equal(ear.notices.len, 0);
	allocate(&seed, 10);
	visit(true);
	expect_the_truth();
}

static void samples_without_a_handle_are_told_as_lost(void **state)
{
	uint64_t seed = 18;

	(void)state;
	visit(true);
	allocate(&seed, 10);
	sampled_vm.has_no_handles = true;
	allocate(&seed, 7);
	sampled_vm.has_no_handles = false;
	allocate(&seed, 10);
	sampled_vm__collect(&seed, 0, 50);
	visit(true);
	assert_int_equal(ear.lost, 7);
	assert_int_equal(sampled_vm.handles, 20);
}

static void samples_without_a_class_are_told_with_the_loss_of_its_name(void **state)
{
	uint64_t seed = 25;

	(void)state;
	visit(true);
	sampled_vm.has_no_signatures = true;
	for (unsigned i = 0; i < 7; i++)
		sampled_vm__allocate(0, any_site(&seed));
	sampled_vm.has_no_signatures = false;
	visit(true);
	assert_int_equal(ear.lost, 7);
	assert_int_equal(told(ear.samples.count - 1)->class_, 0);
	assert_true(told(ear.samples.count - 1)->is_there);
	sampled_vm__allocate(0, any_site(&seed));
	visit(true);
	assert_int_equal(ear.lost, 7);
	assert_string_equal(name_of(told(ear.samples.count - 1)->class_),
			    sampled_vm__class_name(0));
}

static void the_interval_is_heeded_as_it_runs(void **state)
{
	uint64_t seed = 19;

	(void)state;
	visit(true);
	assert_int_equal(sampled_vm.interval, SAMPLER_INTERVAL);
	sampler__set_interval(4096);
	visit(true);
	assert_int_equal(sampled_vm.interval, 4096);
	allocate(&seed, 10);
	sampled_vm__begin_thread();
	allocate(&seed, 10);
	sampled_vm__collect(&seed, 0, 50);
	visit(true);
	assert_int_equal(ear.interval, 4096);
	expect_the_truth();
}

static uint32_t samples_after_a_pause(uint64_t *seed, unsigned count)
{
	const uint32_t before = samples__count();

	sampled_vm__collect(seed, 0, 50);
	allocate(seed, count);
	return samples__count() - before;
}

/* A collection has taken its thread's buffer away: see buffers.h. */
static void a_sample_too_many_after_a_collection_is_dropped(void **state)
{
	uint64_t seed = 20;
	uint32_t kept = 0;

	(void)state;
	visit(true);
	assert_int_equal(samples_after_a_pause(&seed, 2), 2);
	is_first_in_buffer = true;
	assert_int_equal(samples_after_a_pause(&seed, 2), 1);
	allocate(&seed, 2);
	assert_int_equal(samples__count(), 5); /* once for each pause */
	/* Of objects that are as large as the interval most are taken anyway: 1 - 1/e. */
	sampler__set_interval(16 + 8 * sampled_vm.count);
	visit(true);
	samples_after_a_pause(&seed, 1); /* drawn by the interval before */
	for (unsigned i = 0; i < 100; i++)
		kept += samples_after_a_pause(&seed, 1);
	assert_in_range(kept, 60, 99);
	is_first_in_buffer = false;
}

/* The JVM seeds its sampler by where a thread's structure lies: here all lie in one place. */
static void threads_that_repeat_random_numbers_are_counted(void **state)
{
	uint64_t seed = 21;

	(void)state;
	visit(true);
	sampled_vm__begin_thread();
	allocate(&seed, 8);
	sampled_vm__collect(&seed, 0, 50);
	visit(true);
	assert_int_equal(ear.repeats, 0);
	sampled_vm__begin_thread();
	sampled_vm__begin_thread();
	sampled_vm__collect(&seed, 0, 50);
	visit(true);
	assert_int_equal(ear.repeats, GCTRACE_SAMPLES_REPEATS_ONE - 2); /* 2 for 8 samples */
	for (unsigned i = 0; i < 100; i++)
		sampled_vm__begin_thread();
	sampled_vm__collect(&seed, 0, 50);
	visit(true);
	assert_int_equal(ear.repeats, 15); /* 8 for each, or more */
}

/* ---- Threads ---- */

static void *allocate_many(void *context)
{
	uint64_t seed = 20 + (uintptr_t)context;

	if ((uintptr_t)context % 2)
		sampled_vm__begin_thread();
	for (unsigned i = 0; i < 4000; i++) {
		sampled_vm__load_beside(any_site(&seed));
		allocate(&seed, 1);
	}
	return NULL;
}

/* They allocate through pauses and visits, in ever other methods. */
static void threads_that_allocate(void **state)
{
	pthread_t threads[8];
	uint64_t seed = 21;

	(void)state;
	sampler__set_interval(16384);
	visit(true);
	for (uintptr_t i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, allocate_many, (void *)i), 0);
	while (ear.samples.count < 8 * 4000) {
		sampled_vm__collect(&seed, 10, 30);
		visit(true);
	}
	for (unsigned i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	sampled_vm__collect(&seed, 10, 30);
	visit(true);
	expect_the_truth();
	assert_true(ear.names.count > 10000 && stacks__count() < ear.names.count);
}

static atomic_bool has_ended;

static void *sample_in_one_place(void *context)
{
	for (unsigned i = 0; i < 200000; i++)
		stacks__let_go(stacks__of_caller(context));
	has_ended = true;
	return NULL;
}

/* Who lets go of a stack while a sweep meets its sample does not take it away from that. */
static void a_stack_that_a_sample_has_is_not_forgotten(void **state)
{
	pthread_t thread;
	uint64_t id;

	(void)state;
	visit(true);
	sampled_vm__allocate(0, 0);
	visit(true);
	id = stacks__id(1);
	has_ended = false;
	assert_int_equal(pthread_create(&thread, NULL, sample_in_one_place,
					sampler__environment()), 0);
	do
		forget_stacks();
	while (!has_ended);
	pthread_join(thread, NULL);
	assert_int_equal(stacks__count(), 1);
	assert_int_equal(stacks__id(1), id);
}

/* Each attach would have HotSpot's sampler draw the same numbers again. */
static void the_thread_attaches_once_and_leaves_with_the_last_listener(void **state)
{
	const unsigned int before = attaches;

	(void)state;
	for (unsigned int i = 0; i < 100; i++)
		visit(true);
	assert_int_equal(attaches, before + 1);
	visit(false);
	visit(true);
	assert_int_equal(attaches, before + 2);
	at_death();
	assert_int_equal(sampled_vm.attached, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_cannot_be_had_whole_is_not_taken_at_all),
		TEST(what_is_told_is_what_there_is),
		TEST(a_collector_that_works_beside_the_program),
		TEST(who_would_keep_alive_what_is_followed_follows_nothing),
		TEST(more_pauses_than_there_is_room_for_are_made_up_for),
		TEST(a_round_that_has_no_room_for_all_is_in_doubt),
		TEST(a_collection_while_all_is_told_has_its_dead),
		TEST(what_has_died_makes_room_for_others),
		TEST(stacks_of_what_has_died_are_forgotten),
		TEST(nobody_listens_and_nothing_is_held),
		TEST(a_class_that_is_loaded_again_is_another_one),
		TEST(a_method_that_is_gone_before_it_is_told_has_no_name),
		TEST(the_lines_of_a_redefined_class_are_the_new_ones),
		TEST(another_agent_has_the_sampler_and_lets_it_go),
		TEST(samples_without_a_handle_are_told_as_lost),
		TEST(samples_without_a_class_are_told_with_the_loss_of_its_name),
		TEST(the_interval_is_heeded_as_it_runs),
		TEST(threads_that_repeat_random_numbers_are_counted),
		TEST(a_sample_too_many_after_a_collection_is_dropped),
		TEST(the_thread_attaches_once_and_leaves_with_the_last_listener),
		TEST(threads_that_allocate),
		TEST(a_stack_that_a_sample_has_is_not_forgotten),
	};

	return cmocka_run_group_tests_name("agents/hotspot_sampling", tests, NULL, NULL);
}
