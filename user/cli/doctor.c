/* SPDX-License-Identifier: BSD-2-Clause */
/* gctrace doctor: is this host ready? */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../base/wrap.h"
#include "../target/host.h"
#include "../view/json_fields.h"
#include "../view/output.h"
#include "../view/terminal.h"
#include "command.h"
#include "settings.h"
#include "version.h"

struct doctor_settings {
	struct output_settings output;
};

/* Of a verdict, in the order of enum host_verdict. */
static const struct {
	const char *text, *json;
	enum style style;
} verdicts[] = {
	{ "ok", "ok", STYLE_GOOD },
	{ "warning", "warning", STYLE_NOTICE },
	{ "MISSING", "missing", STYLE_BAD },
};

static const char *conclusion(enum host_verdict worst)
{
	switch (worst) {
	case HOST_OK:
		return "This host is ready.";
	case HOST_WARNING:
		return "This host is ready; the warnings above are worth a look.";
	default:
		return "gctrace cannot attach to a process here until what is missing is remedied.";
	}
}

#define FOUND_AT 29 /* columns before what was found */

/* Texts of the host go on below where they begin. */
static void add_text(struct buf *out, const char *before, const char *text, size_t columns)
{
	const struct wrap wrap = { .columns = columns, .indent = FOUND_AT + strlen(before) };

	buf__add_str(out, before);
	wrap__add(out, &wrap, wrap.indent, escape(text));
}

static void add_check(const struct host_check *check, const struct terminal *terminal,
		      struct buf *out)
{
	enum style style = verdicts[check->verdict].style;
	size_t columns = terminal__text_columns(terminal);

	buf__printf(out, "%-20s %s%-7s%s ", check->name, terminal__on(terminal, style),
		    verdicts[check->verdict].text, terminal__off(terminal, style));
	add_text(out, "", check->found, columns);
	buf__add_char(out, '\n');
	if (!check->remedy)
		return;
	buf__add_repeated(out, ' ', FOUND_AT);
	buf__add_str(out, terminal__on(terminal, STYLE_HEAD));
	add_text(out, "-> ", check->remedy, columns);
	buf__printf(out, "%s\n", terminal__off(terminal, STYLE_HEAD));
}

static int show_text(const struct host_checks *checks, int colour, struct output *output)
{
	struct terminal terminal;
	struct buf buf = BUF_INIT;
	int err;

	terminal__init(&terminal, output->fd, (enum colour_when)colour);
	for (size_t i = 0; i < checks->count; i++)
		add_check(&checks->checks[i], &terminal, &buf);
	buf__printf(&buf, "\n%s\n", conclusion(host_checks__worst(checks)));
	err = buf.error ? error_errno(buf.error, "doctor") :
			  output__write(output, buf.data, buf.len);
	buf__free(&buf);
	return err;
}

static int write_check(const struct host_check *check, struct json *json, struct output *output)
{
	json__event(json, "check", 0);
	json__string(json, "name", check->name);
	json__string(json, "verdict", verdicts[check->verdict].json);
	json__string(json, "found", check->found);
	if (check->remedy)
		json__string(json, "remedy", check->remedy);
	return json__write(json, output);
}

static int show_json(const struct host_checks *checks, struct output *output)
{
	struct json json = JSON_INIT;
	int err;

	json__event(&json, "header", 0);
	json__string(&json, "gctrace", version__string());
	err = json__write(&json, output);
	for (size_t i = 0; i < checks->count && !err; i++)
		err = write_check(&checks->checks[i], &json, output);
	if (!err) {
		json__event(&json, "summary", 0);
		json__bool(&json, "complete", true);
		json__bool(&json, "ready", host_checks__worst(checks) != HOST_MISSING);
		err = json__write(&json, output);
	}
	json__free(&json);
	return err;
}

static enum status cmd_doctor(const struct invocation *invocation)
{
	const struct doctor_settings *settings = invocation->settings;
	struct host_checks checks = HOST_CHECKS_INIT;
	enum host_verdict worst;
	struct host_facts facts;
	struct output output;
	int err;

	output_settings__apply(&settings->output);
	output__init(&output, STDOUT_FILENO, -1, "standard output");
	host__look(&facts);
	err = host__judge(&facts, &checks);
	worst = host_checks__worst(&checks);
	if (err)
		error_errno(err, "doctor");
	else if (settings->output.form == OUTPUT_JSON)
		err = show_json(&checks, &output);
	else
		err = show_text(&checks, settings->output.colour, &output);
	host_checks__free(&checks);
	return worst == HOST_MISSING || (err && err != -EPIPE) ? STATUS_FAILED : STATUS_FINE;
}

static const struct option_use uses[] = {
	{ &output_group, offsetof(struct doctor_settings, output) },
	{ &general_group, 0 },
	{ NULL, 0 },
};

const struct command doctor_command = {
	.name = "doctor",
	.summary = "Tell whether this host is ready: kernel, BTF, capabilities, lockdown, limits",
	.operands = "",
	.about = "Looks at what gctrace needs of the kernel and of its own rights, and gives a"
		 " verdict on each, with a remedy where one is needed. Nothing is loaded or"
		 " attached for that.\n"
		 "The exit status is 1 when something is missing without which gctrace cannot"
		 " attach; warnings do not change it.\n",
	.options = uses,
	.settings_size = sizeof(struct doctor_settings),
	.run = cmd_doctor,
};
