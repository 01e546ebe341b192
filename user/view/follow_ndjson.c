/* SPDX-License-Identifier: BSD-2-Clause */
/* Followed objects as NDJSON, by the rules of ndjson.c; docs/output.md has every field. */
#include "follow.h"

#include <stdlib.h>

#include "../base/report.h"
#include "json_fields.h"
#include "output.h"
#include "view.h"

struct follow_ndjson {
	struct follow_view view;
	struct output *output;
	struct json json;
	struct buf text; /* scratch */
};

static struct json *begin(struct follow_ndjson *ndjson, const char *event,
			  const struct heading *heading)
{
	json__event(&ndjson->json, event, heading->pid);
	return &ndjson->json;
}

static int end(struct follow_ndjson *ndjson)
{
	return json__write(&ndjson->json, ndjson->output);
}

static void add_sum(struct json *json, const char *objects, const char *bytes,
		    const struct survival_sum *sum)
{
	json__u64(json, objects, sum->objects);
	json__u64(json, bytes, sum->bytes);
}

void follow__add_json_rate(struct json *json, struct follow_rate rate)
{
	if (!rate.known)
		return;
	json__double(json, "error_rate", rate.low);
	if (rate.low == rate.high)
		return;
	json__object(json, "estimated");
	json__array(json, "error_rate");
	json__double(json, NULL, rate.low);
	json__double(json, NULL, rate.high);
	json__end(json);
	json__end(json);
}

/* ---------------------------------------------------------------- lines */

static int show_anchor(struct follow_view *view, const struct heading *heading,
		       const struct follow_anchor *anchor)
{
	struct follow_ndjson *ndjson = (struct follow_ndjson *)view;
	struct json *json = begin(ndjson, "anchor", heading);
	const struct anchor *result = &anchor->is->result;

	json__u64(json, "anchor", anchor->is->number);
	json__known(json, "dump", anchor->is->dump);
	json__known(json, "gc", anchor->gc);
	json__known(json, "time_ns", anchor->time_ns);
	json__flag(json, "part", !anchor->is->whole);
	json__u64(json, "objects", anchor->objects);
	json__u64(json, "bytes", anchor->bytes);
	json__u64(json, "matched", result->matched);
	json__u64(json, "new", result->new_);
	json__u64(json, "gone", result->gone);
	json__u64(json, "conflicts", result->conflicts);
	if (result->repeated)
		json__u64(json, "repeated", result->repeated);
	follow__add_json_rate(json, follow__rate(result->matched, result->gone, result->conflicts));
	return end(ndjson);
}

static int show_collection(struct follow_view *view, const struct heading *heading,
			   const struct follow_collection *of)
{
	struct follow_ndjson *ndjson = (struct follow_ndjson *)view;
	const struct collection *collection = of->collection;
	struct json *json = begin(ndjson, "identity", heading);

	json__u64(json, "gc", collection->number);
	json__flag(json, "counted", collection->counted_here);
	json__known(json, "start_ns", collection->start_ns);
	json__known(json, "end_ns", collection->end_ns);
	json__text(json, "kind", collection->what);
	json__text(json, "cause", collection->cause);
	json__flag(json, "unapplied", !of->is->known);
	json__flag(json, "in_doubt", of->in_doubt);
	add_sum(json, "known_objects", "known_bytes", &of->known);
	add_sum(json, "moved_objects", "moved_bytes", &of->is->moved);
	add_sum(json, "stayed_objects", "stayed_bytes", &of->is->stayed);
	add_sum(json, "survived_objects", "survived_bytes", &of->is->survived);
	add_sum(json, "promoted_objects", "promoted_bytes", &of->is->promoted);
	add_sum(json, "died_objects", "died_bytes", &of->is->died);
	add_sum(json, "withdrawn_objects", "withdrawn_bytes", &of->is->withdrawn);
	return end(ndjson);
}

static void add_generation(struct json *json, const struct blocks_generation *of)
{
	json__object(json, NULL);
	if (of->generation != GENERATION_UNKNOWN)
		json__u64(json, "generation", of->generation);
	json__known(json, "spanned_bytes", of->spanned);
	json__known(json, "survived_bytes", of->survived);
	json__known(json, "moved_bytes", of->moved);
	json__known(json, "stayed_bytes", of->stayed);
	if (of->generation != GENERATION_UNKNOWN) {
		json__known(json, "slid_bytes", of->slid);
		json__known(json, "promoted_bytes", of->promoted);
	}
	if (of->holes_known) {
		json__u64(json, "holes", of->holes);
		json__known(json, "hole_bytes", of->hole_bytes);
		json__u64(json, "largest_hole_bytes", of->largest_hole);
	}
	json__end(json);
}

static int show_blocks(struct follow_view *view, const struct heading *heading,
		       const struct follow_blocks *of)
{
	struct follow_ndjson *ndjson = (struct follow_ndjson *)view;
	struct json *json = begin(ndjson, "blocks", heading);
	const struct blocks *is = of->is;
	struct blocks_sums sums = blocks__sums(is);

	json__u64(json, "gc", of->collection->number);
	json__flag(json, "counted", of->collection->counted_here);
	json__known(json, "survived_bytes", sums.survived);
	json__known(json, "moved_bytes", sums.moved);
	json__known(json, "stayed_bytes", sums.stayed);
	if (of->collection->dead.bytes.known && !of->collection->dead.bytes.estimated)
		json__u64(json, "dead_bytes", of->collection->dead.bytes.value);
	if (sums.moved) {
		json__known(json, "down_bytes", is->down);
		json__known(json, "farthest_bytes", is->farthest);
		json__known(json, "median_below_bytes", blocks__median_below(is));
	}
	json__array(json, "generations");
	for (size_t i = 0; i < is->generations.count; i++)
		add_generation(json, &is->generations.items[i]);
	json__end(json);
	return end(ndjson);
}

static int show_object(struct follow_view *view, const struct heading *heading,
		       const struct follow_object *object)
{
	struct follow_ndjson *ndjson = (struct follow_ndjson *)view;
	struct json *json = begin(ndjson, "object", heading);

	json__u64(json, "id", object->id);
	json__string(json, "state", follow__step_name(object));
	json__known(json, "time_ns", object->time_ns);
	json__known(json, "gc", object->gc);
	json__text(json, "kind", object->what);
	if (object->anchor)
		json__u64(json, "anchor", object->anchor);
	json__address(json, "address", object->address);
	json__known(json, "generation", object->generation);
	json__flag(json, "promoted", object->promoted);
	json__u64(json, "age", object->age);
	json__u64(json, "moves", object->moves);
	json__flag(json, "at_least", !object->born || object->age >= OBJECT_COUNT_MOST);
	json__flag(json, "in_doubt", object->in_doubt);
	json__text(json, "type", object->type);
	json__known(json, "size_bytes", object->size);
	return end(ndjson);
}

/* ---------------------------------------------------------------- the state */

static int show_type(struct follow_ndjson *ndjson, const struct heading *heading,
		     const struct follow_type *type)
{
	static const struct population_type none;
	const struct population_type *alive = type->alive ? type->alive : &none;
	struct json *json = begin(ndjson, "type", heading);

	json__text(json, "name", type->name);
	json__u64(json, "class", type->class_);
	json__u64(json, "alive_objects", alive->objects);
	json__u64(json, "alive_bytes", alive->bytes);
	add_sum(json, "seen_objects", "seen_bytes", &type->sums->seen);
	add_sum(json, "died_objects", "died_bytes", &type->sums->died);
	add_sum(json, "gone_objects", "gone_bytes", &type->sums->gone);
	add_sum(json, "withdrawn_objects", "withdrawn_bytes", &type->sums->withdrawn);
	add_sum(json, "conflict_objects", "conflict_bytes", &type->sums->conflicts);
	add_sum(json, "moved_objects", "moved_bytes", &type->sums->moved);
	add_sum(json, "promoted_objects", "promoted_bytes", &type->sums->promoted);
	if (alive->objects) {
		json__u64(json, "age_median", population_type__median(alive));
		json__u64(json, "age_most", alive->oldest);
		json__flag(json, "at_least", alive->unborn > 0);
	}
	return end(ndjson);
}

static unsigned int length_of(const uint64_t *a, const uint64_t *b, unsigned int most)
{
	while (most > 0 && !a[most - 1] && !b[most - 1])
		most--;
	return most;
}

static void add_array(struct json *json, const char *key, const uint64_t *values,
		      unsigned int count)
{
	json__array(json, key);
	for (unsigned int i = 0; i < count; i++)
		json__u64(json, NULL, values[i]);
	json__end(json);
}

static int show_survival(struct follow_ndjson *ndjson, const struct heading *heading,
			 const struct follow_state *state)
{
	const struct survival_curve *curve = state->curve;
	const struct population_ages *ages = state->ages;
	struct json *json = begin(ndjson, "survival", heading);
	unsigned int length = length_of(curve->survived, curve->died, SURVIVAL_AGES);

	json__u64(json, "births", curve->born);
	if (curve->born) {
		add_array(json, "survived_objects", curve->survived, length);
		add_array(json, "died_objects", curve->died, length);
	}
	length = length_of(ages->exact, ages->least, POPULATION_AGES);
	add_array(json, "ages", ages->exact, length);
	add_array(json, "ages_at_least", ages->least, length);
	return end(ndjson);
}

static void say_leak(struct buf *said, const struct follow_leak *leak)
{
	buf__reset(said);
	if (leak->type->name.bytes)
		buf__add(said, leak->type->name.at, leak->type->name.bytes);
	else
		buf__printf(said, "class %llu", (unsigned long long)leak->type->class_);
	buf__add_str(said, ": ");
	follow__add_leak(said, &leak->is);
}

static int show_leak(struct follow_ndjson *ndjson, const struct heading *heading,
		     const struct follow_leak *leak)
{
	struct json *json = begin(ndjson, "finding", heading);

	say_leak(&ndjson->text, leak);
	json__string(json, "kind", "leak");
	json__bytes(json, "text", buf__str(&ndjson->text), ndjson->text.len);
	json__text(json, "type", leak->type->name);
	json__u64(json, "class", leak->type->class_);
	json__u64(json, "anchors", leak->is.anchors);
	json__u64(json, "first_anchor", leak->is.first);
	json__u64(json, "base_anchor", leak->is.base);
	json__u64(json, "span_ns", leak->is.span_ns);
	json__u64(json, "grown_objects", leak->is.objects);
	json__u64(json, "grown_bytes", leak->is.bytes);
	json__u64(json, "cohort_objects", leak->is.cohort);
	json__u64(json, "cohort_alive_objects", leak->is.cohort_alive);
	json__array(json, "oldest");
	for (size_t i = 0; i < LEAK_OLDEST && leak->is.oldest[i].id; i++)
		json__u64(json, NULL, leak->is.oldest[i].id);
	json__end(json);
	if (ndjson->text.error)
		json->error = ndjson->text.error;
	return end(ndjson);
}

static int show_state(struct follow_view *view, const struct heading *heading,
		      const struct follow_state *state)
{
	struct follow_ndjson *ndjson = (struct follow_ndjson *)view;
	int err = 0;

	json__together(&ndjson->json);
	for (size_t i = 0; i < state->types_shown && !err; i++)
		err = show_type(ndjson, heading, &state->types[i]);
	if (!err)
		err = show_survival(ndjson, heading, state);
	for (size_t i = 0; i < state->leak_count && !err; i++)
		err = show_leak(ndjson, heading, &state->leaks[i]);
	return json__apart(&ndjson->json, ndjson->output, err);
}

/* A program that reads lines has no use for what they add up to meanwhile. */
static int paint(struct follow_view *view, const struct heading *heading,
		 const struct follow_state *state)
{
	(void)view;
	(void)heading;
	(void)state;
	return 0;
}

static int see_heading(struct follow_view *view, bool several)
{
	(void)view;
	(void)several;
	return 0;
}

static void free_view(struct follow_view *view)
{
	struct follow_ndjson *ndjson = (struct follow_ndjson *)view;

	json__free(&ndjson->json);
	buf__free(&ndjson->text);
	free(ndjson);
}

static const struct follow_view_form form = { show_anchor, show_collection, show_blocks,
					      show_object, show_state,	    paint,
					      see_heading, free_view };

struct follow_view *follow_ndjson__new(struct output *output)
{
	struct follow_ndjson *ndjson = calloc(1, sizeof(*ndjson));

	if (!ndjson) {
		error("out of memory");
		return NULL;
	}
	ndjson->view.form = &form;
	ndjson->output = output;
	ndjson->json = (struct json)JSON_INIT;
	return &ndjson->view;
}
