/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_source_hprof.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/ram.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../model/heap_builder.h"
#include "../stream/facts.h"
#include "../stream/hprof.h"
#include "heap_intake.h"
#include "signals.h"

#define PROGRESS_NS (100 * NS_PER_MS)

struct reading {
	struct intake intake;
	uint64_t began_ns, shown_ns;
	bool has_said; /* the error that ended it */
};

static int take(void *context, const struct event *event)
{
	struct reading *reading = context;
	const int err = intake__take(&reading->intake, event);

	reading->has_said = err != 0;
	return err;
}

static int on_turn(void *context)
{
	struct reading *reading = context;
	const struct heap_facts *facts = heap_builder__facts(reading->intake.builder);
	const uint64_t now = clock__monotonic_ns();
	char objects[UNITS_TEXT], ns[UNITS_TEXT];

	signals__take();
	if (now - reading->shown_ns < PROGRESS_NS || now - reading->began_ns < 5 * PROGRESS_NS)
		return 0;
	reading->shown_ns = now;
	progress("heap dump: %s objects, %s", units__count(objects, facts->objects),
		 units__ns(ns, now - reading->began_ns));
	return 0;
}

/* Errors that the sink had are said. */
static int say(const char *name, const struct hprof_facts *facts, int err)
{
	switch (err) {
	case -EBADMSG:
		error("%s is no heap dump: it does not begin with \"JAVA PROFILE 1.0.2\", as the"
		      " hprof files of JVMs do", escape(name));
		break;
	case -ENODATA:
		error("%s is cut off in its first line: nothing of a heap dump is there",
		      escape(name));
		break;
	case -EPROTONOSUPPORT:
		if (facts->id_bytes != 4 && facts->id_bytes != 8)
			error("%s has ids of %" PRIu32 " bytes; those of hprof files have 4 or 8:"
			      " it is damaged", escape(name), facts->id_bytes);
		else
			error("%s is of hprof's version %s; gctrace reads 1.0 to 1.0.3",
			      escape(name), escape(facts->version));
		break;
	case -ENOMEM:
		error("there is no memory for the names and classes in %s", escape(name));
		break;
	case -EDQUOT:
		error("the names, classes and roots in %s, and objects that come before their"
		      " classes, take more than the limit allows; raise --mem-limit to at least %"
		      PRIu64 " MiB", escape(name), ram__enough_mib(ram__least_needed()));
		break;
	default:
		error("cannot read %s: %s", escape(name), strerror(-err));
	}
	return err;
}

static void warn(const char *name, const struct hprof_facts *facts)
{
	char bytes[UNITS_TEXT];

	if (facts->damaged)
		warning("%s: %" PRIu64 " of its records make%s no sense (the first is that at byte"
			" %" PRIu64 "); what stands in %s was passed over", escape(name),
			facts->damaged, facts->damaged == 1 ? "s" : "", facts->damage_at,
			facts->damaged == 1 ? "it" : "them");
	if (!facts->is_whole && signals__stopping())
		warning("reading was stopped in the midst of the heap dump; what came of it is"
			" shown");
	else if (!facts->is_whole)
		warning("%s is cut off after %s; what there is of it is shown", escape(name),
			units__bytes(bytes, facts->position));
	if (facts->unnamed)
		warning("%s: the fields of %" PRIu64 " classes have names of more than 16 MiB, and"
			" are shown without them", escape(name), facts->unnamed);
	if (facts->misfits)
		warning("%s: %" PRIu64 " objects have fewer bytes than the fields of their classes"
			" need", escape(name), facts->misfits);
}

/* The file's clock begins a moment before the dump: so it is told when that was. */
static int set_facts(struct intake *intake, const struct hprof_facts *facts)
{
	int err = facts__set_target(intake->said, 0, "runtime", "JVM");

	if (!err && facts->ms)
		err = facts__set_i64(intake->said, "clock_offset_ns",
				     (int64_t)(facts->ms * NS_PER_MS - 1));
	intake->source->heading.began_ns = facts->ms ? 1 : 0;
	return err ? error_errno(err, "cannot keep what the file says of itself") : 0;
}

int heap_source_hprof__read(struct heap_source *source, int fd, const char *name,
			    const struct heap_source_options *options,
			    const struct hprof_known *known)
{
	const struct hprof_options how = { .heads = options->counts_only, .known = known,
					   .stop_fd = signals__stop_fd(), .turn = on_turn,
					   .limit = ram__limit_bytes() };
	struct reading reading = { .began_ns = clock__monotonic_ns() };
	const struct event_sink sink = { take, &reading };
	struct hprof_facts facts;
	int err = intake__begin(&reading.intake, source, options);

	if (!err) {
		heap_builder__is_of_jvm(reading.intake.builder);
		reading.intake.is_of_jvm = true;
		err = hprof__read(fd, &how, &sink, &facts);
		progress_end();
		if (err == -ECANCELED && facts.has_dump)
			err = 0;
		else if (err && !reading.has_said)
			say(name, &facts, err);
	}
	if (!err && !facts.has_dump) {
		/* Of a live JVM, whoever brought it here knows why. */
		error("%s holds no heap dump%s", escape(name),
		      source->heading.subject && !source->heading.file ? "" :
		      ": it is an hprof file of something else");
		err = -ENOENT;
	}
	if (!err)
		err = set_facts(&reading.intake, &facts);
	if (!err) {
		warn(name, &facts);
		intake__facts(source, reading.intake.said, 0);
		err = intake__finish(&reading.intake);
	}
	intake__end(&reading.intake);
	return err;
}
