/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_list.h"

#include <errno.h>
#include <unistd.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../stream/dump_list.h"
#include "../view/json_fields.h"
#include "../view/output.h"
#include "gctrace/wire.h"
#include "signals.h"

static void add_text_entry(struct buf *out, size_t number, const struct dump_entry *entry)
{
	char objects[UNITS_TEXT] = "-", bytes[UNITS_TEXT] = "-", gc[UNITS_TEXT] = "-";
	char took[UNITS_TEXT] = "-";
	const char *state = entry->ended_ns == EVENT_UNKNOWN ? "has no end here" :
			    entry->status != GCTRACE_DUMP_COMPLETE ? "was stopped" :
			    entry->lost				    ? "lacks what was lost" :
								      "complete";

	if (entry->objects != EVENT_UNKNOWN)
		units__count_column(objects, entry->objects);
	if (entry->bytes != EVENT_UNKNOWN)
		units__bytes_column(bytes, entry->bytes);
	if (entry->gc != EVENT_UNKNOWN)
		units__exact(gc, entry->gc);
	if (entry->ended_ns != EVENT_UNKNOWN)
		units__ns_column(took, entry->ended_ns - entry->begun_ns);
	buf__printf(out, "%6zu %8s %*s %*s %*s  %s\n", number, gc, UNITS_COUNT_COLUMNS, objects,
		    UNITS_BYTES_COLUMNS, bytes, UNITS_NS_COLUMNS, took, state);
}

static int write_json_entry(struct json *json, struct output *output, size_t number,
			    const struct dump_entry *entry)
{
	json__event(json, "dump", 0);
	json__u64(json, "in_file", number);
	json__known(json, "dump", entry->number);
	json__known(json, "gc", entry->gc);
	json__known(json, "start_ns", entry->begun_ns);
	json__known(json, "end_ns", entry->ended_ns);
	json__known(json, "objects", entry->objects);
	json__known(json, "references", entry->references);
	json__known(json, "roots", entry->roots);
	json__known(json, "bytes", entry->bytes);
	json__bool(json, "complete", dump_entry__is_complete(entry));
	return json__write(json, output);
}

static int write_list(const struct dump_list *list, struct output *output, bool as_json)
{
	struct json json = JSON_INIT;
	struct buf out = BUF_INIT;
	int err = 0;

	buf__printf(&out, "%6s %8s %8s %8s %8s  %s\n", "dump", "after gc", "objects", "bytes",
		    "took", "state");
	for (size_t i = 0; i < list->count && !err; i++) {
		if (as_json)
			err = write_json_entry(&json, output, i + 1, &list->items[i]);
		else
			add_text_entry(&out, i + 1, &list->items[i]);
	}
	if (!err && out.error)
		err = error_errno(out.error, "cannot list the heap dumps");
	if (!err && !as_json)
		err = output__write(output, buf__str(&out), out.len);
	json__free(&json);
	buf__free(&out);
	return err;
}

int heap_list__show(const char *path, bool as_json, bool *is_whole)
{
	struct dump_list list = VEC_INIT;
	struct buf damage = BUF_INIT;
	struct output output;
	int err = dump_list__read(&list, path, &damage);

	*is_whole = !damage.len;
	dump_list__warn(&damage);
	buf__free(&damage);
	output__init(&output, STDOUT_FILENO, signals__stop_fd(), "standard output");
	if (!err && !list.count) {
		error("%s holds no heap dump; gctrace record --dump puts them in", escape(path));
		err = -ENOENT;
	}
	if (!err)
		err = write_list(&list, &output, as_json);
	vec__free(&list);
	return err;
}
