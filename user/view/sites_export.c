/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampled allocations for other tools: whole stacks with what was allocated there, lives, and lives
 * in the old generation. All are estimates, which these formats have no word for but a comment's.
 *
 *	folded	com.shop.Main.main(Main.java:12);com.shop.Cache.put(Cache.java:31) 5242880
 *	pprof	the same, a location for each frame: "pkg.Class.method", in File.java, line 123
 *
 * Rows of spots that have one stack are put together.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buf.h"
#include "folded.h"
#include "profile.h"
#include "sites.h"
#include "view.h"

struct exporting {
	const struct sites *sites;
	struct site_groups groups;
	struct site_rows rows;
};

static int begin(struct exporting *exporting, const struct sites *sites)
{
	int err;

	*exporting = (struct exporting){ .sites = sites };
	err = site_groups__update(&exporting->groups, sites);
	return err ? err : site_rows__take(&exporting->rows, sites, &exporting->groups, 0);
}

static void end(struct exporting *exporting)
{
	site_groups__free(&exporting->groups);
	site_rows__free(&exporting->rows);
}

static uint64_t rounded(double value)
{
	return value > 0 ? (uint64_t)llround(value) : 0;
}

/* What lives is no more than the heap in use lets live. */
static uint64_t bytes_of(const struct exporting *exporting, const struct site_row *row,
			 enum sites_value value)
{
	const double most = exporting->rows.limit.most;

	return rounded(value == SITES_ALLOCATED ? row->allocated.bytes :
		       fmin(value == SITES_OLD ? row->old.bytes : row->live.bytes, most));
}

/* ---------------------------------------------------------------- folded */

static void add_line(struct buf *line, const struct sites *sites, uint32_t node)
{
	const struct stacks *stacks = &sites->stacks;
	const uint32_t depth = stacks->nodes.items[node].depth;

	if (!depth)
		folded__add(line, sites__frame(sites, node));
	for (uint32_t at = depth; at > 0; at--)
		folded__add(line, stacks__frame(stacks, stacks__at(stacks, node, at)));
}

int sites__write_folded(const struct sites *sites, enum sites_value value, FILE *out)
{
	struct exporting exporting;
	struct buf line = BUF_INIT;
	int err = begin(&exporting, sites);

	for (size_t i = 0; i < exporting.rows.of.count && !err; i++) {
		const struct site_row *row = &exporting.rows.of.items[i];
		const uint64_t bytes = bytes_of(&exporting, row, value);

		if (!bytes)
			continue;
		add_line(&line, sites, row->key);
		folded__end(&line, bytes);
		err = buf__flush(&line, out);
	}
	buf__free(&line);
	end(&exporting);
	return err;
}

/* ---------------------------------------------------------------- pprof */

/* "pkg.Class.method(File.java:123)": a name, a file, a line. What is not like this is a name. */
static struct profile_place place_of(struct text frame)
{
	struct profile_place place = { .function = frame };
	size_t open = frame.bytes, colon, line = 0;

	while (open > 0 && frame.at[open - 1] != '(')
		open--;
	if (open < 2 || frame.at[frame.bytes - 1] != ')')
		return place;
	for (colon = frame.bytes - 1; colon > open && isdigit((unsigned char)frame.at[colon - 1]);)
		colon--;
	for (size_t at = colon; at + 1 < frame.bytes && at < colon + 9; at++)
		line = line * 10 + (size_t)(frame.at[at] - '0');
	if (colon <= open + 1 || frame.at[colon - 1] != ':' || !line)
		return place;
	place.function = (struct text){ frame.at, open - 1 };
	place.file = (struct text){ frame.at + open, colon - 1 - open };
	place.line = line;
	return place;
}

static int add_places(struct profile *profile, const struct sites *sites)
{
	const struct profile_place none = { .function = sites__frame(sites, STACKS_ROOT) };
	int err = profile__location(profile, 1, &none);

	for (size_t i = 0; i < sites->stacks.frames.count && !err; i++) {
		const struct profile_place place = place_of(sites->stacks.frames.items[i]);

		err = profile__location(profile, i + 2, &place);
	}
	return err;
}

static int add_sample(struct profile *profile, const struct exporting *exporting,
		      const struct site_row *row)
{
	const struct sites *sites = exporting->sites;
	const struct stacks *stacks = &sites->stacks;
	const uint32_t depth = stacks->nodes.items[row->key].depth;

	if (!depth)
		profile__step(profile, 1);
	for (uint32_t at = 1; at <= depth; at++)
		profile__step(profile,
			      stacks->nodes.items[stacks__at(stacks, row->key, at)].frame + 2);
	profile__value(profile, rounded(row->allocated.objects));
	profile__value(profile, bytes_of(exporting, row, SITES_ALLOCATED));
	if (sites->unfollowed)
		return profile__end_sample(profile);
	profile__value(profile, rounded(row->live.objects));
	profile__value(profile, bytes_of(exporting, row, SITES_LIVE));
	profile__value(profile, rounded(row->old.objects));
	profile__value(profile, bytes_of(exporting, row, SITES_OLD));
	return profile__end_sample(profile);
}

static void add_head(struct profile *profile, const struct sites *sites,
		     const struct heading *heading)
{
	struct buf words = BUF_INIT;

	profile__sample_type(profile, "alloc_objects", "count", false);
	profile__sample_type(profile, "alloc_space", "bytes", sites->unfollowed);
	if (!sites->unfollowed) {
		profile__sample_type(profile, "inuse_objects", "count", false);
		profile__sample_type(profile, "inuse_space", "bytes", true);
		profile__sample_type(profile, "old_objects", "count", false);
		profile__sample_type(profile, "old_space", "bytes", false);
	}
	profile__mapping(profile, heading->name);
	if (heading->clock_offset_ns)
		profile__time(profile, sites->last_ns + (uint64_t)heading->clock_offset_ns);
	buf__printf(&words, "Sampled allocations by gctrace " GCTRACE_VERSION
			    ": estimates, one sample for each %" PRIu64 " bytes allocated.",
		    sites->sampler.interval);
	profile__comment(profile, buf__str(&words));
	profile__comment(profile, sites->unfollowed ?
					  "What lives is not known: " SITES_UNFOLLOWED "." :
					  "old: what lives in the old generation.");
	buf__free(&words);
}

int sites__write_pprof(const struct sites *sites, const struct heading *heading, FILE *out)
{
	struct profile profile = { .strings = 0 };
	struct exporting exporting;
	int err = begin(&exporting, sites);

	if (!err)
		err = profile__begin(&profile, out);
	if (!err)
		add_head(&profile, sites, heading);
	err = err ? err : add_places(&profile, sites);
	for (size_t i = 0; i < exporting.rows.of.count && !err; i++)
		err = add_sample(&profile, &exporting, &exporting.rows.of.items[i]);
	err = profile__finish(&profile, err);
	end(&exporting);
	return err;
}
