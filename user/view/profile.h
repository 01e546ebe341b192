/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as `go tool pprof` and its relatives read it: gzip'd profile.proto, fields and numbers
 * by github.com/google/pprof, proto/profile.proto.
 *
 *	profile__begin(&profile, out)
 *	profile__sample_type()...	what a sample's values are, in their order
 *	profile__mapping(), profile__time(), profile__comment()...
 *	profile__location()...		each before or behind the samples that name it
 *	profile__step()..., profile__value()..., profile__label()..., profile__end_sample()
 *	profile__finish(&profile, err)
 *
 * The string table is written piece by piece: each string stands behind the first message that
 * needs it. Memory does not grow with the profile. Names are the target's bytes; they are escaped
 * here.
 */
#ifndef GCTRACE_VIEW_PROFILE_H
#define GCTRACE_VIEW_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/buf.h"
#include "../stream/text.h"

struct gzip;

struct profile {
	struct gzip *gzip;
	uint64_t strings; /* written so far */
	struct buf out, message, packed;
	struct buf values, label, labels;
	struct buf raw, name; /* scratch */
};

/* All zero before. 0 or negative errno, as all that answer. */
int profile__begin(struct profile *profile, FILE *out);

/* Flushes, frees. err: what went wrong before, which is answered then. */
int profile__finish(struct profile *profile, int err);

/* One kind of value; `is_shown`: the one that reports show first. */
void profile__sample_type(struct profile *profile, const char *type, const char *unit,
			  bool is_shown);

/* What stands as the program in the reports. */
void profile__mapping(struct profile *profile, struct text name);

/* By the wall clock. */
void profile__time(struct profile *profile, uint64_t ns);
void profile__duration(struct profile *profile, uint64_t ns);
void profile__comment(struct profile *profile, const char *words);

/* What labels are made of: its number. The caller sees to it that each text is written once. */
uint64_t profile__text(struct profile *profile, struct text text);

/* A place in a program: a function of the same id (from 1), in a file where that is known. */
struct profile_place {
	struct text function;
	struct text file; /* empty: not known */
	uint64_t line;	  /* 0: not known */
};
int profile__location(struct profile *profile, uint64_t id, const struct profile_place *place);

/*
 * A sample: its steps (ids of locations), the innermost first, its values and its labels, each a
 * key and a value that are texts of profile__text().
 */
void profile__step(struct profile *profile, uint64_t location);
void profile__value(struct profile *profile, uint64_t value);
void profile__label(struct profile *profile, uint64_t key, uint64_t value);
int profile__end_sample(struct profile *profile);

#endif
