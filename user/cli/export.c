/* SPDX-License-Identifier: BSD-2-Clause */
/* gctrace export: a heap dump as a file that another tool opens. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/buf.h"
#include "../base/draft.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../view/export.h"
#include "../view/heap_words.h"
#include "../view/output.h"
#include "command.h"
#include "heap_select.h"
#include "heap_settings.h"
#include "heap_source.h"
#include "option_forms.h"
#include "settings.h"
#include "signals.h"

#define BUFFER_BYTES (1u << 18)
#define HOLE_BYTES 4096u
#define NO_FORMAT (-1)

struct export_settings {
	int as; /* index in export_names; NO_FORMAT */
	const char *file;
	uint64_t address; /* 0: none */
	uint64_t id;	  /* 0: none */
	uint64_t depth, top;
	struct target_settings target;
	struct graph_settings graph;
};

static const struct export_settings defaults = { .as = NO_FORMAT, .depth = 2, .top = 20 };

static const struct option export_options[] = {
	{ .name = "as", .kind = OPTION_CHOICE, .choices = export_names,
	  .offset = offsetof(struct export_settings, as),
	  .help = "The format of the file; who reads it stands above" },
	{ .name = "output", .kind = OPTION_STRING, .metavar = "FILE", .completes = "file",
	  .offset = offsetof(struct export_settings, file),
	  .help = "The file to write, standard output without this; it is replaced if it is there,"
		  " and belongs to the user who called sudo" },
	{ .name = "address", .kind = OPTION_ADDRESS, .metavar = "ADDRESS",
	  .offset = offsetof(struct export_settings, address),
	  .help = "For dot: draw what lies around the object that begins at this address"
		  " (hexadecimal)" },
	{ .name = "id", .kind = OPTION_COUNT, .metavar = "ID", .min = 1,
	  .offset = offsetof(struct export_settings, id),
	  .help = "For dot: the same of the object with this id, as gctrace follow and heap"
		  " --objects give it: of a FILE, since ids live in one trace" },
	{ .name = "depth", .kind = OPTION_COUNT, .metavar = "COUNT", .min = 1, .default_text = "2",
	  .offset = offsetof(struct export_settings, depth),
	  .help = "For dot: so many references away from it at most" },
	{ .name = "top", .kind = OPTION_COUNT, .metavar = "COUNT", .default_text = "20",
	  .offset = offsetof(struct export_settings, top),
	  .help = "For dot: so many of what one object refers to, and of what refers to it: those"
		  " that keep the most alive, the others are counted; 0: all" },
	{ .name = NULL },
};

static const struct option_group export_group = { "Export", export_options };

static const struct option_use options[] = {
	{ &export_group, 0 },
	{ &target_group, offsetof(struct export_settings, target) },
	{ &agent_group, offsetof(struct export_settings, target.load_agent) },
	{ &probing_group, offsetof(struct export_settings, target.fault_in) },
	{ &way_group, offsetof(struct export_settings, graph) },
	{ &graph_group, offsetof(struct export_settings, graph) },
	{ &general_group, 0 },
	{ NULL, 0 },
};

/* ---------------------------------------------------------------- where it goes */

/*
 * A stdio stream over an output, which says what goes wrong and when to give up. A part of a file
 * would be taken for a whole one: it has its name when all of it is there (draft.h).
 */
struct sink {
	struct draft draft;
	struct output output;
	FILE *stream;
	struct buf name; /* escaped */
	bool is_file;	 /* else standard output */
	uint64_t bytes;
	bool is_sparse; /* zeros need not be written */
	bool stopped;
};

/* What hprof has for the contents of objects would fill the disk with zeros. */
static bool is_hole(const struct sink *sink, const char *bytes, size_t count)
{
	return sink->is_sparse && count >= HOLE_BYTES && !bytes[0] &&
	       memcmp(bytes, bytes + 1, count - 1) == 0 &&
	       lseek(sink->output.fd, (off_t)count, SEEK_CUR) >= 0;
}

static ssize_t write_to_sink(void *cookie, const char *bytes, size_t count)
{
	struct sink *sink = cookie;

	sink->stopped = sink->stopped || signals__stopping();
	if (sink->stopped)
		return 0;
	if (!is_hole(sink, bytes, count) && output__write(&sink->output, bytes, count))
		return 0;
	sink->bytes += count;
	return (ssize_t)count;
}

/* Before anything else: see draft.h. */
static int open_sink(struct sink *sink, const char *path)
{
	const cookie_io_functions_t functions = { .write = write_to_sink };
	int err = path ? draft__open(&sink->draft, path) : 0;
	const int fd = path ? sink->draft.fd : STDOUT_FILENO;
	struct stat st;

	if (err)
		return err;
	sink->is_file = path;
	sink->is_sparse = path && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	buf__add_str(&sink->name, path ? escape(path) : "standard output");
	output__init(&sink->output, fd, signals__stop_fd(), buf__str(&sink->name));
	sink->stream = fopencookie(sink, "w", functions);
	if (!sink->stream || setvbuf(sink->stream, NULL, _IOFBF, BUFFER_BYTES))
		return error_errno(ENOMEM, "cannot write to %s", buf__str(&sink->name));
	return 0;
}

/* What ends in a hole gets its end. */
static int end_file(const struct sink *sink)
{
	if (!sink->is_sparse || ftruncate(sink->output.fd, (off_t)sink->bytes) == 0)
		return 0;
	return error_errno(errno, "cannot write to %s", buf__str(&sink->name));
}

/* What ended the writing, once; an output says so itself. */
static int say(const struct sink *sink, const struct heap *heap, int err)
{
	if (sink->output.error)
		return sink->output.error;
	if (sink->stopped)
		error("stopped before all was written%s",
		      sink->is_file ? "; there is no new file" : "");
	else if (err == -EDQUOT)
		heap_source__over_limit("the file needs", heap__memory_limit(heap));
	else if (err)
		error_errno(err, "cannot export the heap");
	return sink->stopped ? -ECANCELED : err;
}

/* How it went in all; err: said before. */
static int close_sink(struct sink *sink, int err)
{
	if (sink->stream)
		fclose(sink->stream);
	if (sink->is_file) {
		err = err ? err : end_file(sink);
		err = draft__close(&sink->draft, err);
	}
	buf__free(&sink->name);
	return err;
}

/* ---------------------------------------------------------------- what is said */

/* Line by line: it is what a person should know who goes on with the file. */
static void warn_of_missing(const struct heap_facts *facts)
{
	struct buf text = BUF_INIT;
	const char *line, *stop;

	heap_words__missing(&text, facts);
	heap_words__odd(&text, facts);
	warning("the heap dump is not whole; what was written is what came:");
	for (line = buf__str(&text); (stop = strchr(line, '\n')); line = stop + 1)
		warning("%.*s", (int)(stop - line), line);
	buf__free(&text);
}

static void tell(const struct sink *sink, const struct heap *heap, const struct exporter *exporter)
{
	const struct heap_facts *facts = heap__facts(heap);
	char objects[UNITS_TEXT], bytes[UNITS_TEXT];

	if (!heap__is_complete(heap))
		warn_of_missing(facts);
	if (sink->is_file)
		note("%s object%s as %s, %s in %s", units__count(objects, facts->objects),
		     units__s(facts->objects), exporter->name, units__bytes(bytes, sink->bytes),
		     buf__str(&sink->name));
}

/* ---------------------------------------------------------------- the command */

static int find_object(const struct heap_source *source, const struct export_settings *settings,
		       struct export_options *to)
{
	uint32_t place = HEAP_NONE;
	int err = 0;

	if (settings->id)
		err = heap_select__find_id(source->heap, source->lives, settings->id, &place);
	else if (settings->address)
		err = heap_select__find(source->heap, settings->address, &place);
	to->id_place = place;
	to->depth = settings->depth;
	to->most = settings->top;
	return err;
}

static int write_all(struct sink *sink, const struct export_settings *settings,
		     const struct exporter *exporter, const struct heap_source *source)
{
	struct export_options to;
	int err = find_object(source, settings, &to);

	if (err)
		return err;
	err = exporter->write(source->heap, &source->heading, &to, sink->stream);
	if (fflush(sink->stream) && !err)
		err = -EIO;
	err = say(sink, source->heap, err);
	if (!err)
		tell(sink, source->heap, exporter);
	return err;
}

static int export_heap(const struct export_settings *settings, const struct exporter *exporter,
		       const struct words *operands, struct heap_source *source)
{
	const struct graph_request request = {
		.graph = &settings->graph,
		.target = &settings->target,
		.operands = operands,
		.following = settings->id ? HEAP_FOLLOWED : HEAP_NOT_FOLLOWED,
	};
	struct sink sink = { .draft = { .fd = -1 } };
	int err = open_sink(&sink, settings->file);

	if (!err)
		err = graph__take(&request, source);
	if (!err)
		err = write_all(&sink, settings, exporter, source);
	return close_sink(&sink, err);
}

static void ask_for_format(void)
{
	error("in which format? give --as and one of these:");
	for (size_t i = 0; exporters[i]; i++)
		error("  %s: %s", exporters[i]->name, exporters[i]->help);
}

static bool are_sound(const struct export_settings *settings, const struct invocation *invocation,
		      const struct exporter *exporter)
{
	const struct option *beyond =
		option_forms__beyond(&invocation->given, export_options, "--as, --output");

	if (!exporter)
		ask_for_format();
	else if (exporter->is_binary && !settings->file && isatty(STDOUT_FILENO))
		error("%s is not for a terminal: give --output FILE", exporter->name);
	else if (!exporter->of_one_object && beyond)
		error("--as %s is of the whole heap: --%s is for formats that draw one object",
		      exporter->name, beyond->name);
	else if (exporter->of_one_object && !!settings->address + !!settings->id != 1)
		error("--as %s draws what lies around one object: give one of --address ADDRESS"
		      " and --id ID",
		      exporter->name);
	else if (settings->id && !invocation->operands.count)
		error("--id is of a recording, since ids live in one trace: give its FILE");
	else
		return graph_settings__process_or_file(&settings->graph, &settings->target,
						       &invocation->operands);
	return false;
}

static enum status run(const struct invocation *invocation)
{
	const struct export_settings *settings = invocation->settings;
	const struct exporter *exporter =
		settings->as == NO_FORMAT ? NULL : export__find(export_names[settings->as]);
	struct heap_source source;
	int err;

	if (!are_sound(settings, invocation, exporter))
		return command__usage(invocation->command);
	if (signals__install())
		return STATUS_FAILED;
	heap_source__init(&source);
	err = export_heap(settings, exporter, &invocation->operands, &source);
	return graph_settings__status(&settings->graph, &source, err);
}

const struct command export_command = {
	.name = "export",
	.summary = "Write a heap dump for another tool: VisualVM, MAT, Chrome DevTools, and others",
	.operands = "-p PID | FILE[@N] --as FORMAT --output FILE",
	.about = "Takes a heap dump as gctrace heap does, and writes its objects, references and"
		 " roots in a format that other tools open. The contents of objects are in no file,"
		 " because gctrace never reads them. Where a format cannot say something,"
		 " docs/export.md tells what it has instead.\n"
		 "  dot           graphviz: a drawing of what lies around one object\n"
		 "  folded        flamegraph.pl, inferno, speedscope: retained size by path\n"
		 "  heapsnapshot  Chrome DevTools (Memory, Load), memlab\n"
		 "  hprof         VisualVM, Eclipse MAT, and what else reads heap dumps of a JVM\n"
		 "  perfetto      ui.perfetto.dev and its trace processor\n"
		 "  pprof         go tool pprof: types by path, shallow and retained\n"
		 "For example:\n"
		 "  gctrace export app.gctrace --as hprof --output app.hprof\n"
		 "  gctrace export -p 4711 --as heapsnapshot --output app.heapsnapshot\n"
		 "  gctrace export app.gctrace --as dot --address 0x7f1234 | dot -Tsvg >it.svg\n"
		 "  gctrace export app.gctrace@last --as dot --id 4711 --depth 3 >it.dot\n",
	.options = options,
	.defaults = &defaults,
	.settings_size = sizeof(struct export_settings),
	.operands_min = 0,
	.operands_max = 1,
	.run = run,
};
