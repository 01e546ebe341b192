/* SPDX-License-Identifier: BSD-2-Clause */
#include "dump_list.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/report.h"
#include "base/units.h"
#include "dump_finder.h"
#include "gctrace/wire.h"
#include "recording.h"

/* What a list is made by. Each target has one dump that was begun last: these are few. */
struct lister {
	struct dump_list *list;
	VEC(size_t) latest; /* index of each target's */
};

/* Of this target; NULL: none has begun. */
static struct dump_entry *latest_of(const struct lister *lister, uint32_t target)
{
	for (size_t i = 0; i < lister->latest.count; i++) {
		struct dump_entry *entry = &lister->list->items[lister->latest.items[i]];

		if (entry->target == target)
			return entry;
	}
	return NULL;
}

static int make_latest(struct lister *lister, uint32_t target, size_t index)
{
	for (size_t i = 0; i < lister->latest.count; i++) {
		size_t *latest = &lister->latest.items[i];

		if (lister->list->items[*latest].target == target) {
			*latest = index;
			return 0;
		}
	}
	return vec__push(&lister->latest, index);
}

/* A target has ended, and with it its dump, which has no end then. */
static void forget(struct lister *lister, uint32_t target)
{
	for (size_t i = 0; i < lister->latest.count; i++) {
		if (lister->list->items[lister->latest.items[i]].target != target)
			continue;
		lister->latest.items[i] = lister->latest.items[--lister->latest.count];
		return;
	}
}

static int begin(struct lister *lister, const struct event *event)
{
	const struct dump_entry entry = {
		.target = event->target,
		.begun_ns = event->stamp,
		.ended_ns = EVENT_UNKNOWN,
		.number = event->container.id1,
		.gc = event->container.id2,
		.status = EVENT_UNKNOWN,
		.objects = EVENT_UNKNOWN,
		.references = EVENT_UNKNOWN,
		.roots = EVENT_UNKNOWN,
		.bytes = EVENT_UNKNOWN,
	};

	if (make_latest(lister, event->target, lister->list->count))
		return -ENOMEM;
	return vec__push(lister->list, entry);
}

static void end(struct dump_entry *entry, const struct event *event, uint64_t status)
{
	if (entry->ended_ns != EVENT_UNKNOWN)
		return;
	entry->ended_ns = event->stamp;
	entry->status = status;
}

/* DUMP_END stands behind C_END. A second one is of a dump whose beginning was lost. */
static void add_totals(struct dump_entry *entry, const struct event *event)
{
	if (entry->objects != EVENT_UNKNOWN)
		return;
	end(entry, event, event->dump_end.status);
	entry->objects = event->dump_end.objects;
	entry->references = event->dump_end.references;
	entry->roots = event->dump_end.roots;
	entry->bytes = event->dump_end.bytes;
}

static void add_loss(const struct lister *lister, const struct event *event)
{
	for (size_t i = 0; i < lister->latest.count; i++) {
		struct dump_entry *entry = &lister->list->items[lister->latest.items[i]];

		if (entry->ended_ns == EVENT_UNKNOWN &&
		    (event->target == LOSS_ANY_TARGET || event->target == entry->target))
			entry->lost += event->loss.count;
	}
}

static int see(void *context, const struct event *event)
{
	struct lister *lister = context;
	struct dump_entry *entry;

	if (event->kind == EVENT_CONTAINER && event->container.type == GCTRACE_C_BEGIN)
		return begin(lister, event);
	if (event->kind == EVENT_LOSS)
		add_loss(lister, event);
	else if (event->kind == EVENT_EXIT || event->kind == EVENT_EXEC)
		forget(lister, event->target);
	entry = latest_of(lister, event->target);
	if (!entry)
		return 0;
	if (event->kind == EVENT_CONTAINER && event->container.type == GCTRACE_C_END)
		end(entry, event, event->container.id1);
	else if (event->kind == EVENT_DUMP_END)
		add_totals(entry, event);
	return 0;
}

static int read_all(struct dump_list *list, struct recording *recording)
{
	const struct feed_options options = {
		.wanted = FEED_WANTS(EVENT_CONTAINER) | FEED_WANTS(EVENT_DUMP_END),
	};
	struct lister lister = { .list = list };
	const struct event_sink sink = { see, &lister };
	const struct source source = recording__source(recording);
	int err;

	recording__leave_references(recording);
	err = feed__read_all(&options, &sink, &source, NULL);
	vec__free(&lister.latest);
	return err;
}

int dump_list__read(struct dump_list *list, const char *path, struct buf *damage)
{
	struct recording *recording;
	const char *lack;
	int err = recording__open(path, &recording);

	if (err)
		return err;
	err = read_all(list, recording);
	lack = err ? NULL : recording__damage(recording);
	if (lack)
		buf__add_str(damage, lack);
	recording__close(recording);
	return err == -ENOMEM ? error_errno(err, "cannot read %s", escape(path)) : err;
}

bool dump_entry__is_complete(const struct dump_entry *entry)
{
	return entry->ended_ns != EVENT_UNKNOWN && entry->status == GCTRACE_DUMP_COMPLETE &&
	       !entry->lost;
}

int dump_list__refuse(const struct dump_name *name, uint64_t count)
{
	if (count == 0)
		error("%s holds no heap dump; gctrace record --dump puts one into a recording",
		      escape(name->path));
	else if (name->number == DUMP_NAME_NONE)
		error("%s holds %" PRIu64 " heap dumps: say which, by %s@1 to %s@%" PRIu64
		      ", @first or @last",
		      escape(name->path), count, escape(name->path), escape(name->path), count);
	else
		error("%s holds %" PRIu64 " heap dump%s; there is no number %" PRIu64,
		      escape(name->path), count, units__s(count), name->number);
	return -ENOENT;
}

void dump_list__warn(const struct buf *damage)
{
	if (damage->len)
		warning("%s; there may have been more heap dumps", buf__str(damage));
}

/* The last complete one; where none is, the last of all. */
static uint64_t last_of(const struct dump_list *list)
{
	for (size_t i = list->count; i > 0; i--)
		if (dump_entry__is_complete(&list->items[i - 1]))
			return i;
	return list->count;
}

static void say_passed_over(const struct dump_name *name, uint64_t count, uint64_t number)
{
	if (name->number != DUMP_NAME_LAST || number == count)
		return;
	warning("%s@last is %s@%" PRIu64 ", the last complete heap dump: %" PRIu64
		" later one%s incomplete",
		escape(name->path), escape(name->path), number, count - number,
		count - number == 1 ? " is" : "s are");
}

/* The number that is meant, if there is such a dump. False: there is none. */
static bool choose(const struct dump_name *name, const struct dump_list *list, uint64_t *number)
{
	*number = name->number == DUMP_NAME_LAST ? last_of(list) : name->number;
	if (name->number == DUMP_NAME_NONE && list->count == 1)
		*number = 1;
	return *number && *number <= list->count;
}

/* Of a dump that is not whole itself who reads it will say so. */
static bool is_certain(const struct dump_name *name, const struct dump_entry *chosen)
{
	return chosen->ended_ns == EVENT_UNKNOWN ||
	       (name->number != DUMP_NAME_LAST && name->number != DUMP_NAME_NONE);
}

bool dump_list__is_read_once(const struct dump_name *name)
{
	struct stat st;

	return stat(name->path, &st) == 0 && !S_ISREG(st.st_mode);
}

int dump_list__resolve(const struct dump_name *name, uint64_t *number)
{
	struct dump_list list = VEC_INIT;
	struct buf damage = BUF_INIT;
	int err;

	if (dump_list__is_read_once(name)) {
		*number = name->number == DUMP_NAME_NONE ? 1 : name->number;
		if (*number != DUMP_NAME_LAST)
			return 0;
		error("%s@last needs a file that can be read twice, and this is none: copy it to"
		      " one first",
		      escape(name->path));
		return -ESPIPE;
	}
	err = dump_list__read(&list, name->path, &damage);
	if (!err && choose(name, &list, number)) {
		say_passed_over(name, list.count, *number);
		err = damage.len && !is_certain(name, &list.items[*number - 1]);
		if (err)
			dump_list__warn(&damage);
	} else if (!err) {
		dump_list__warn(&damage);
		err = dump_list__refuse(name, list.count);
	}
	vec__free(&list);
	buf__free(&damage);
	return err;
}
