/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of a dump: while it comes, and when it is over. */
#include <stddef.h>

#include "../base/report.h"
#include "../base/units.h"
#include "dump.h"

bool dump__is_whole(const struct dump *dump)
{
	const struct dump_result *result = dump__result(dump);

	return result->outcome == DUMP_COMPLETE && !result->lost && !result->began_by_loss;
}

/* Why there is less than was asked for. */
static const char *reason(enum dump_outcome outcome)
{
	switch (outcome) {
	case DUMP_ABORTED:
		return "it was stopped";
	case DUMP_GIVEN_UP:
		return "the process gave it up";
	case DUMP_END_LOST:
		return "its end was lost";
	case DUMP_SILENT:
		return "nothing more came, and its end neither";
	case DUMP_TARGET_GONE:
		return "the process ended, or executed another program";
	default:
		return "a part of it was lost";
	}
}

static void tell_part(const struct dump *dump)
{
	const struct dump_result *result = dump__result(dump);
	const char *words = dump__words(dump);
	char bytes[UNITS_TEXT], lost[UNITS_TEXT];

	units__bytes(bytes, result->stream_bytes);
	units__count(lost, result->lost);
	warning("%s: the heap dump is not whole: %s%s%s; %s of it came%s%s%s", dump__name(dump),
		reason(result->outcome), words ? ": " : "", words ? words : "", bytes,
		result->lost ? ", and " : "", result->lost ? lost : "",
		result->lost ? " losses were counted" : "");
}

static void tell_whole(const char *name, const struct dump_result *result)
{
	char objects[UNITS_TEXT], heap[UNITS_TEXT], bytes[UNITS_TEXT], ns[UNITS_TEXT];
	char stopped[UNITS_TEXT];
	const bool is_measured = result->stopped_ns != 0;
	uint64_t count = result->objects ? result->objects : result->told_objects;
	uint64_t size = result->objects ? result->heap_bytes : result->told_bytes;

	units__bytes(bytes, result->stream_bytes);
	units__ns(ns, result->ended_ns - result->begun_ns);
	units__ns(stopped, result->stopped_ns);
	if (count)
		note("%s: heap dump of %s object%s, %s, told in %s within %s%s%s", name,
		     units__count(objects, count), units__s(count), units__bytes(heap, size), bytes,
		     ns, is_measured ? "; the program stood still for " : "",
		     is_measured ? stopped : "");
	else
		note("%s: heap dump, told in %s within %s%s%s", name, bytes, ns,
		     is_measured ? "; the program stood still for " : "",
		     is_measured ? stopped : "");
}

static void tell_unanswered(const char *name, const struct dump_result *result)
{
	char ns[UNITS_TEXT];

	error("%s: no heap dump: the process did not answer the request for one within %s; its"
	      " runtime may serve no requests, or be too busy",
	      name, units__ns(ns, result->ended_ns - result->asked_ns));
}

static void tell_none(const char *name, const struct dump_result *result)
{
	switch (result->outcome) {
	case DUMP_NEVER_BEGAN:
		tell_unanswered(name, result);
		break;
	case DUMP_TAKEN:
		error("%s: no heap dump: another tracer is having one made for too long; try again"
		      " when that is done",
		      name);
		break;
	case DUMP_TARGET_GONE:
		error("%s: no heap dump: the process ended, or executed another program", name);
		break;
	case DUMP_ABORTED:
		if (result->asked_ns)
			tell_unanswered(name, result);
		else
			error("%s: no heap dump: it was stopped before it was asked for", name);
		break;
	default:
		break; /* said where it failed */
	}
}

void dump__tell(const struct dump *dump)
{
	const struct dump_result *result = dump__result(dump);

	if (!result->begun)
		tell_none(dump__name(dump), result);
	else if (dump__is_whole(dump))
		tell_whole(dump__name(dump), result);
	else
		tell_part(dump);
}

void dump__show_progress(void *context, const struct dump_progress *at)
{
	char objects[UNITS_TEXT], bytes[UNITS_TEXT], ns[UNITS_TEXT];

	(void)context;
	units__bytes(bytes, at->stream_bytes);
	units__ns(ns, at->since_ns);
	if (at->waiting)
		progress("heap dump: waiting for it to begin");
	else if (at->objects)
		progress("heap dump: %s objects, %s, %s", units__count(objects, at->objects),
			 bytes, ns);
	else
		progress("heap dump: %s, %s", bytes, ns);
}
