/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of sampled allocations: what is estimated is marked so, also where it is nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "view/sites_table.h"
#include "view/terminal.h"

static void tell(struct sites *sites, uint64_t ns, struct event event)
{
	event.time = event.stamp = ns;
	assert_int_equal(sites__event(sites, &event), 0);
}

/* A sample of 64 bytes that dies in the second collection; its row is what *out has then. */
static void show_dead(uint64_t interval, bool unfollowed, struct buf *out)
{
	const struct sample_fate dies = { .sample = 1, .address = EVENT_UNKNOWN,
					  .generation = 0, .bits = GCTRACE_SAMPLE_DEAD };
	struct terminal terminal = { .columns = 0 };
	struct sites sites = SITES_INIT;
	struct site_groups groups = { .by = SITES_BY_TYPE };
	struct site_watch watch = { .sites = &sites, .groups = &groups, .every_ns = 1 };
	struct site_rows rows = { .live = { 0 } };
	struct sites_shown shown = { .sites = &sites, .groups = &groups, .rows = &rows,
				     .watch = &watch, .shown = 1, .time_ns = 2000000000 };
	struct sites_table table;

	for (uint64_t gc = 1; gc <= 2; gc++) {
		tell(&sites, gc * 1000, (struct event){
			.kind = EVENT_SAMPLES,
			.samples = { .gc = gc, .interval = interval, .samples = &dies,
				     .count = unfollowed ? 0 : gc - 1,
				     .unfollowed = unfollowed } });
		if (gc == 1)
			tell(&sites, 1500, (struct event){
				.kind = EVENT_OBJECT_ALLOC,
				.alloc = { .id = 64, .size = 64, .class_ = 3, .sample = 1, .gc = 1,
					   .weight = interval ? interval : 64 } });
		assert_int_equal(site_groups__update(&groups, &sites), 0);
		assert_int_equal(site_watch__look(&watch, gc * 1000), 0);
	}
	assert_int_equal(site_rows__take(&rows, &sites, &groups, 0), 0);
	assert_int_equal(site_rows__take_ages(&rows, &sites, &groups, 1), 0);
	sites_table__init(&table, &terminal);
	sites_table__add(&table, out, &terminal, &shown, SIZE_MAX);
	assert_int_equal(out->error, 0);
	sites_table__free(&table);
	site_rows__free(&rows);
	site_watch__free(&watch);
	site_groups__free(&groups);
	sites__free(&sites);
}

/* Of what lives, is aged, has grown. */
static unsigned int count(struct buf *out, const char *wanted)
{
	unsigned int found = 0;

	for (const char *at = buf__str(out); (at = strstr(at, wanted)); at += strlen(wanted))
		found++;
	return found;
}

static void nothing_is_an_estimate_too(void **state)
{
	struct buf out = BUF_INIT;

	(void)state;
	show_dead(524288, false, &out);
	assert_int_equal(count(&out, " ~0 B "), 3);
	assert_int_equal(count(&out, " 0 B "), 0);
	buf__free(&out);
}

static void nothing_of_all_is_exact(void **state)
{
	struct buf out = BUF_INIT;

	(void)state;
	show_dead(0, false, &out);
	assert_int_equal(count(&out, " 0 B "), 3);
	assert_int_equal(count(&out, "~"), 0);
	buf__free(&out);
}

static void what_is_not_followed_has_no_figures_of_what_lives(void **state)
{
	struct buf out = BUF_INIT;

	(void)state;
	show_dead(524288, true, &out);
	assert_int_equal(count(&out, "allocated"), 1);
	assert_int_equal(count(&out, "~512 KiB"), 1);
	assert_int_equal(count(&out, "live") + count(&out, "aged") + count(&out, "growth") +
			 count(&out, "oldest") + count(&out, "0 B"), 0);
	buf__free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_an_estimate_too),
		cmocka_unit_test(nothing_of_all_is_exact),
		cmocka_unit_test(what_is_not_followed_has_no_figures_of_what_lives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
