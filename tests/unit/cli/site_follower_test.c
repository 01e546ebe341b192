/* SPDX-License-Identifier: BSD-2-Clause */
/* What whoever follows sites hears, and what it says of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/site_follower.h"
#include "cli/trace.h"
#include "stream/source.h"
#include "view/view.h"

static int see_heading(struct view *view, const struct heading *heading)
{
	(void)view;
	(void)heading;
	return 0;
}

static void free_nothing(struct view *view)
{
	(void)view;
}

static const struct view_form form = { .heading = see_heading, .free = free_nothing };

static void tell(struct trace *trace, struct event event, uint64_t ns)
{
	event.time = event.stamp = ns;
	assert_int_equal(trace->also->event(trace->also->ctx, &event), 0);
}

static void tell_samples(struct trace *trace, uint64_t gc, uint64_t ns, bool in_doubt)
{
	const struct event event = {
		.kind = EVENT_SAMPLES,
		.samples = { .gc = gc, .interval = 1000, .in_doubt = in_doubt },
	};

	tell(trace, event, ns);
}

/* One that follows a target, and writes into a file of its own. */
struct case_of {
	struct output_settings settings;
	struct site_follower *follower;
	struct trace trace;
	struct view inner, *view;
	int fd;
	off_t read; /* so much of it */
	char said[4096];
};

static void begin(struct case_of *of, enum output_form output_form,
		  const struct site_follower_options *options)
{
	const struct heading heading = { .pid = 7 };
	const struct view_options viewing = { .start_ns = 1 };
	char path[] = "/tmp/gctrace-sites-XXXXXX";

	*of = (struct case_of){ .settings.form = output_form, .inner = { &form } };
	of->trace.form = &of->settings;
	of->fd = mkstemp(path);
	assert_true(of->fd >= 0);
	unlink(path);
	output__init(&of->trace.output, of->fd, -1, "a file");
	assert_int_equal(site_follower__new(options, &of->follower), 0);
	site_follower__join(of->follower, &of->trace);
	of->view = of->trace.dress(of->trace.dress_context, &viewing, &of->inner);
	assert_non_null(of->view);
	assert_int_equal(view__heading(of->view, &heading), 0);
}

/* What was said since the last call; valid until the next one. */
static const char *news(struct case_of *of)
{
	const ssize_t bytes = pread(of->fd, of->said, sizeof(of->said) - 1, of->read);

	assert_true(bytes > 0);
	of->said[bytes] = 0;
	of->read += bytes;
	return of->said;
}

static void end(struct case_of *of)
{
	view__free(of->view);
	site_follower__free(of->follower);
	close(of->fd);
}

/* Not of a target of its own: the one that there is is in doubt. */
static void a_loss_that_is_anybodys_is_all_the_targets(void **state)
{
	const struct event loss = { .kind = EVENT_LOSS, .target = LOSS_ANY_TARGET,
				    .loss = { .count = 1 } };
	const struct site_follower_options options = { .every_ns = 1, .as = SITE_EXPORT_NONE };
	struct case_of of;

	(void)state;
	begin(&of, OUTPUT_JSON, &options);
	tell_samples(&of.trace, 1, 10, false);
	tell(&of.trace, loss, 20);
	tell_samples(&of.trace, 2, 30, false);
	assert_non_null(strstr(news(&of), "\"in_doubt\":true"));
	end(&of);
}

/* By its producer, or since something was lost; not the collection that neither is true of. */
static void a_collection_that_is_in_doubt_is_marked(void **state)
{
	static const char *const marks[] = { [OUTPUT_TEXT] = "; in doubt: ",
					     [OUTPUT_JSON] = "\"in_doubt\":true" };
	const struct event loss = { .kind = EVENT_LOSS, .loss = { .count = 1 } };
	const struct site_follower_options options = { .verbose = true, .as = SITE_EXPORT_NONE };
	struct case_of of;

	(void)state;
	for (int is_json = 0; is_json < 2; is_json++) {
		const enum output_form output_form = is_json ? OUTPUT_JSON : OUTPUT_TEXT;

		begin(&of, output_form, &options);
		tell_samples(&of.trace, 1, 10, false);
		assert_null(strstr(news(&of), marks[output_form]));
		tell_samples(&of.trace, 2, 20, true);
		assert_non_null(strstr(news(&of), marks[output_form]));
		tell_samples(&of.trace, 3, 30, false);
		assert_null(strstr(news(&of), marks[output_form]));
		tell(&of.trace, loss, 40);
		tell_samples(&of.trace, 4, 50, false);
		assert_non_null(strstr(news(&of), marks[output_form]));
		end(&of);
	}
}

/* One sample of 10 bytes that stands for 400 KiB, in a heap of 200 KiB. */
static void what_is_brought_down_to_the_heap_in_use_says_so(void **state)
{
	static const char *const marks[][3] = {
		[OUTPUT_TEXT] = { "alive ~204 KiB ± 193 KiB (no more fits into the heap in use;",
				  "\n  alone: ~400 KiB), ", "\n ~204 KiB   96 % " },
		[OUTPUT_JSON] = { "\"live_bytes\":208488,\"sampled_live_bytes\":409600,"
				  "\"heap_in_use_bytes\":204800,\"most_live_bytes\":208488,",
				  "\"live_samples\":1,\"live_bytes\":208488,"
				  "\"sampled_live_bytes\":409600,",
				  ",208488]" },
	};
	const struct event sample = { .kind = EVENT_OBJECT_ALLOC,
				      .alloc = { .sample = 1, .size = 10, .weight = 409600 } };
	const struct site_follower_options options = { .every_ns = 1, .as = SITE_EXPORT_NONE };
	const struct collection collection = { .start_ns = 10, .end_ns = 20,
					       .after_bytes = 204800 };
	const struct heading heading = { .pid = 7 };
	struct case_of of;
	const char *said;

	(void)state;
	for (int is_json = 0; is_json < 2; is_json++) {
		const enum output_form output_form = is_json ? OUTPUT_JSON : OUTPUT_TEXT;

		begin(&of, output_form, &options);
		tell(&of.trace, sample, 5);
		assert_int_equal(view__collection(of.view, &heading, &collection), 0);
		tell_samples(&of.trace, 1, 15, false);
		tell_samples(&of.trace, 1, 16, false);
		said = news(&of);
		for (int i = 0; i < 3; i++)
			assert_non_null(strstr(said, marks[output_form][i]));
		assert_null(strstr(said, "contradict"));
		assert_false(site_follower__is_contradicted(of.follower));
		end(&of);
	}
}

static uint64_t contradicted;

static int see_results(struct view *view, const struct results *results)
{
	(void)view;
	contradicted = results->contradicted;
	return 0;
}

/* In the round, in both forms, in the results, and by the exit status. */
static void what_contradicts_the_heap_in_use_is_marked(void **state)
{
	static const char *const marks[] = {
		[OUTPUT_TEXT] = "live by samples (at least 400 KiB), 100 KiB in use\n",
		[OUTPUT_JSON] = "\"heap_in_use_bytes\":102400,\"contradicted\":true",
	};
	static const struct view_form with_results = { .heading = see_heading,
						       .results = see_results,
						       .free = free_nothing };
	const struct event sample = { .kind = EVENT_OBJECT_ALLOC,
				      .alloc = { .sample = 1, .size = 409600, .weight = 409600 } };
	const struct site_follower_options options = { .every_ns = 1, .as = SITE_EXPORT_NONE };
	const struct collection collection = { .start_ns = 10, .end_ns = 20,
					       .after_bytes = 102400 };
	const struct results all = { .last = true };
	const struct heading heading = { .pid = 7 };
	struct case_of of;

	(void)state;
	for (int is_json = 0; is_json < 2; is_json++) {
		const enum output_form output_form = is_json ? OUTPUT_JSON : OUTPUT_TEXT;

		begin(&of, output_form, &options);
		of.inner.form = &with_results;
		tell(&of.trace, sample, 5);
		tell_samples(&of.trace, 1, 8, false);
		tell_samples(&of.trace, 1, 9, false);
		assert_null(strstr(news(&of), "contradict"));
		assert_false(site_follower__is_contradicted(of.follower));
		assert_int_equal(view__collection(of.view, &heading, &collection), 0);
		tell_samples(&of.trace, 2, 15, false);
		assert_non_null(strstr(news(&of), marks[output_form]));
		assert_true(site_follower__is_contradicted(of.follower));
		assert_int_equal(view__results(of.view, &all), 0);
		assert_int_equal(contradicted, 1);
		end(&of);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loss_that_is_anybodys_is_all_the_targets),
		cmocka_unit_test(a_collection_that_is_in_doubt_is_marked),
		cmocka_unit_test(what_is_brought_down_to_the_heap_in_use_says_so),
		cmocka_unit_test(what_contradicts_the_heap_in_use_is_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
