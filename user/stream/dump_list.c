/* SPDX-License-Identifier: BSD-2-Clause */
#include "dump_list.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/report.h"
#include "dump_finder.h"
#include "gctrace/wire.h"
#include "recording.h"

/* The last of a target that has no end yet; NULL. */
static struct dump_entry *open_of(struct dump_list *list, const struct event *event)
{
	for (size_t i = list->count; i-- > 0;) {
		if (list->items[i].target == event->target)
			return list->items[i].ended_ns == EVENT_UNKNOWN ? &list->items[i] : NULL;
	}
	return NULL;
}

static int begin(struct dump_list *list, const struct event *event)
{
	return vec__push(list, (struct dump_entry){
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
			       });
}

/* DUMP_END stands behind C_END. */
static void add_totals(struct dump_list *list, const struct event *event)
{
	for (size_t i = list->count; i-- > 0;) {
		struct dump_entry *entry = &list->items[i];

		if (entry->target != event->target)
			continue;
		if (entry->ended_ns == EVENT_UNKNOWN) {
			entry->ended_ns = event->stamp;
			entry->status = event->dump_end.status;
		}
		entry->objects = event->dump_end.objects;
		entry->references = event->dump_end.references;
		entry->roots = event->dump_end.roots;
		entry->bytes = event->dump_end.bytes;
		return;
	}
}

static void add_loss(struct dump_list *list, const struct event *event)
{
	for (size_t i = 0; i < list->count; i++) {
		struct dump_entry *entry = &list->items[i];

		if (entry->ended_ns == EVENT_UNKNOWN &&
		    (event->target == LOSS_ANY_TARGET || event->target == entry->target))
			entry->lost += event->loss.count;
	}
}

static int see(void *context, const struct event *event)
{
	struct dump_list *list = context;
	struct dump_entry *entry;

	if (event->kind == EVENT_LOSS)
		add_loss(list, event);
	else if (event->kind == EVENT_DUMP_END)
		add_totals(list, event);
	if (event->kind != EVENT_CONTAINER)
		return 0;
	if (event->container.type == GCTRACE_C_BEGIN)
		return begin(list, event);
	entry = open_of(list, event);
	if (event->container.type == GCTRACE_C_END && entry) {
		entry->ended_ns = event->stamp;
		entry->status = event->container.id1;
	}
	return 0;
}

static int read_all(struct dump_list *list, struct recording *recording)
{
	const struct feed_options options = {
		.wanted = FEED_WANTS(EVENT_CONTAINER) | FEED_WANTS(EVENT_DUMP_END),
	};
	const struct event_sink sink = { see, list };
	const struct source source = recording__source(recording);
	struct feed *feed;
	int answer = feed__new(&options, &sink, &feed);

	if (answer)
		return answer;
	do {
		answer = feed__pull(feed, &source, 0);
	} while (answer == SOURCE_MORE);
	feed__free(feed);
	return answer < 0 ? answer : 0;
}

int dump_list__read(struct dump_list *list, const char *path)
{
	struct recording *recording;
	int err = recording__open(path, &recording);

	if (err)
		return err;
	err = read_all(list, recording);
	recording__close(recording);
	return err == -ENOMEM ? error_errno(err, "cannot read %s", escape(path)) : err;
}

static int refuse(const struct dump_name *name, size_t count)
{
	if (count == 0)
		error("%s holds no heap dump; gctrace record --dump puts one into a recording",
		      escape(name->path));
	else if (name->number == DUMP_NAME_NONE)
		error("%s holds %zu heap dumps: say which, by %s@1 to %s@%zu, @first or @last",
		      escape(name->path), count, escape(name->path), escape(name->path), count);
	else
		error("%s holds %zu heap dump%s; there is no number %llu", escape(name->path),
		      count, count == 1 ? "" : "s", (unsigned long long)name->number);
	return -ENOENT;
}

int dump_list__resolve(const struct dump_name *name, uint64_t *number)
{
	struct dump_list list = VEC_INIT;
	struct stat st;
	size_t count;
	int err;

	if (stat(name->path, &st) == 0 && !S_ISREG(st.st_mode)) {
		*number = name->number == DUMP_NAME_NONE ? 1 : name->number;
		if (*number != DUMP_NAME_LAST)
			return 0;
		error("%s@last needs a file that can be read twice, and this is none: copy it to"
		      " one first",
		      escape(name->path));
		return -ESPIPE;
	}
	err = dump_list__read(&list, name->path);
	count = list.count;
	vec__free(&list);
	if (err)
		return err;
	*number = name->number == DUMP_NAME_LAST ? count : name->number;
	if (name->number == DUMP_NAME_NONE && count == 1)
		*number = 1;
	return *number && *number <= count ? 0 : refuse(name, count);
}
