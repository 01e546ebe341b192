/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	message   in profile.proto
 *	1         sample_type
 *	2         sample: locations from the innermost out, values
 *	3         mapping: one, named like the process
 *	4, 5      location and function, one for each name, both of the same id
 *	6         string_table
 *	9, 10     time_nanos, duration_nanos
 *	13, 14    comment, default_sample_type
 *
 * A function has no system_name: where both names are the same, pprof takes it for one of C++ that
 * it may shorten, and List<A> and List<B> become List.
 */
#include "profile.h"

#include "../base/escape.h"
#include "../base/gzip.h"
#include "../base/protobuf.h"

enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};
enum value_type { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2 };
enum sample_field { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum label { LABEL_KEY = 1, LABEL_STR = 2 };
enum mapping { MAPPING_ID = 1, MAPPING_FILENAME = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum location { LOCATION_ID = 1, LOCATION_MAPPING_ID = 2, LOCATION_LINE = 4 };
enum line { LINE_FUNCTION_ID = 1, LINE_LINE = 2 };
enum function { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILENAME = 4 };

#define FLUSH_BYTES (64u << 10)
#define THE_MAPPING 1

static int flush(struct profile *profile)
{
	int err = profile->out.error;

	if (!err)
		err = gzip__write(profile->gzip, buf__str(&profile->out), profile->out.len);
	buf__reset(&profile->out);
	return err;
}

static int flush_if_full(struct profile *profile)
{
	return profile->out.len >= FLUSH_BYTES || profile->out.error ? flush(profile) : 0;
}

/* Its index. */
static uint64_t add_word(struct profile *profile, const char *word)
{
	protobuf__str(&profile->out, PROFILE_STRING_TABLE, word);
	return profile->strings++;
}

static uint64_t add_name(struct profile *profile, struct text name)
{
	buf__add(&profile->raw, name.at, name.bytes);
	escape__move(&profile->name, &profile->raw);
	protobuf__message(&profile->out, PROFILE_STRING_TABLE, &profile->name);
	return profile->strings++;
}

int profile__begin(struct profile *profile, FILE *out)
{
	int err = gzip__new(out, &profile->gzip);

	add_word(profile, ""); /* the first one must be */
	return err;
}

int profile__finish(struct profile *profile, int err)
{
	int finished;

	err = err ? err : flush(profile);
	finished = gzip__finish(profile->gzip);
	buf__free(&profile->out);
	buf__free(&profile->message);
	buf__free(&profile->packed);
	buf__free(&profile->raw);
	buf__free(&profile->name);
	buf__free(&profile->values);
	buf__free(&profile->label);
	buf__free(&profile->labels);
	return err ? err : finished;
}

/* ---------------------------------------------------------------- what it is */

void profile__sample_type(struct profile *profile, const char *type, const char *unit,
			  bool is_shown)
{
	const uint64_t index = add_word(profile, type);

	protobuf__u64(&profile->message, VALUE_TYPE_TYPE, index);
	protobuf__u64(&profile->message, VALUE_TYPE_UNIT, add_word(profile, unit));
	protobuf__message(&profile->out, PROFILE_SAMPLE_TYPE, &profile->message);
	if (is_shown)
		protobuf__u64(&profile->out, PROFILE_DEFAULT_SAMPLE_TYPE, index);
}

void profile__comment(struct profile *profile, const char *words)
{
	protobuf__u64(&profile->out, PROFILE_COMMENT, add_word(profile, words));
}

void profile__mapping(struct profile *profile, struct text name)
{
	protobuf__u64(&profile->message, MAPPING_ID, THE_MAPPING);
	if (name.bytes)
		protobuf__u64(&profile->message, MAPPING_FILENAME, add_name(profile, name));
	protobuf__u64(&profile->message, MAPPING_HAS_FUNCTIONS, true);
	protobuf__message(&profile->out, PROFILE_MAPPING, &profile->message);
}

void profile__time(struct profile *profile, uint64_t ns)
{
	protobuf__u64(&profile->out, PROFILE_TIME_NANOS, ns);
}

void profile__duration(struct profile *profile, uint64_t ns)
{
	protobuf__u64(&profile->out, PROFILE_DURATION_NANOS, ns);
}

/* ---------------------------------------------------------------- places, samples */

uint64_t profile__text(struct profile *profile, struct text text)
{
	return add_name(profile, text);
}

int profile__location(struct profile *profile, uint64_t id, const struct profile_place *place)
{
	const uint64_t name = add_name(profile, place->function);

	protobuf__u64(&profile->message, FUNCTION_ID, id);
	protobuf__u64(&profile->message, FUNCTION_NAME, name);
	if (place->file.bytes)
		protobuf__u64(&profile->message, FUNCTION_FILENAME, add_name(profile, place->file));
	protobuf__message(&profile->out, PROFILE_FUNCTION, &profile->message);
	protobuf__u64(&profile->packed, LINE_FUNCTION_ID, id);
	if (place->line)
		protobuf__u64(&profile->packed, LINE_LINE, place->line);
	protobuf__u64(&profile->message, LOCATION_ID, id);
	protobuf__u64(&profile->message, LOCATION_MAPPING_ID, THE_MAPPING);
	protobuf__message(&profile->message, LOCATION_LINE, &profile->packed);
	protobuf__message(&profile->out, PROFILE_LOCATION, &profile->message);
	return flush_if_full(profile);
}

void profile__step(struct profile *profile, uint64_t location)
{
	protobuf__varint(&profile->packed, location);
}

void profile__value(struct profile *profile, uint64_t value)
{
	protobuf__varint(&profile->values, value);
}

void profile__label(struct profile *profile, uint64_t key, uint64_t value)
{
	protobuf__u64(&profile->label, LABEL_KEY, key);
	protobuf__u64(&profile->label, LABEL_STR, value);
	protobuf__message(&profile->labels, SAMPLE_LABEL, &profile->label);
}

int profile__end_sample(struct profile *profile)
{
	protobuf__message(&profile->message, SAMPLE_LOCATION_ID, &profile->packed);
	protobuf__message(&profile->message, SAMPLE_VALUE, &profile->values);
	buf__move(&profile->message, &profile->labels);
	protobuf__message(&profile->out, PROFILE_SAMPLE, &profile->message);
	return flush_if_full(profile);
}
