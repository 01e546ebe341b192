/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading a recording that may be damaged, cut off, or made by somebody with bad intentions.
 *
 *	recording_walk.c     finds the blocks in the file
 *	recording_ahead.c    unpacks them, ahead of who reads
 *	here                 believes them or not, and takes the records out of them
 *
 * A block is good if both its checksums are right, it can be unpacked, and its number is not
 * below the expected one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crc32.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/report.h"
#include "dump_name.h"
#include "hprof_format.h"
#include "loss.h"
#include "recording.h"
#include "recording_ahead.h"

#define HEADER_LIMIT (64u << 10)
#define MAGIC_BYTES 8

struct recording {
	struct recording_ahead *ahead;
	char *path;
	struct facts *facts;

	struct recording_block block; /* at hand */
	const uint8_t *plain;	      /* its records */
	size_t plain_bytes, offset;
	int read_error;

	uint32_t expected; /* number of the next block */
	uint64_t stamp;	   /* of the last record handed on */
	uint64_t missing;  /* blocks, to be told before the block at hand */
	bool ended;	   /* no further block */
	bool complete;	   /* by an END block */
	bool has_more;	   /* something follows that: another recording, or rubbish */

	uint64_t damaged; /* blocks, all in all */
	uint64_t first_stamp;
	struct buf damage;
};

/* ---------------------------------------------------------------------------------------------
 * Blocks
 */

/* 0, -EILSEQ, -EBADMSG, -ENOMEM. */
static int take_block(struct recording *recording, const struct unpacked_block *unpacked)
{
	const struct recording_block *block = &unpacked->header;

	if (unpacked->error == -EILSEQ)
		return unpacked->error; /* the next one's number shows it */
	if (block->number < recording->expected) {
		recording->missing++; /* the numbers won't show it */
		return -EBADMSG;
	}
	if (unpacked->error)
		return unpacked->error;
	recording->block = *block;
	recording->plain = unpacked->plain;
	recording->plain_bytes = unpacked->bytes;
	recording->offset = 0;
	recording->missing += block->number - recording->expected;
	recording->expected = block->number + 1;
	return 0;
}

/*
 * The next good block becomes the one at hand. 1, 0: there is none, or -ENOMEM. Any other damage
 * shows in the numbers.
 */
static int next_block(struct recording *recording)
{
	const struct unpacked_block *unpacked;

	while ((unpacked = recording_ahead__next(recording->ahead))) {
		const int err = take_block(recording, unpacked);

		if (err == -ENOMEM)
			return err;
		recording_ahead__judge(recording->ahead, !err);
		if (!err)
			return 1;
	}
	recording->read_error = recording_ahead__read_error(recording->ahead);
	return 0;
}

/* Behind the END block nothing may follow: neither a block nor anything else. */
static bool has_more(struct recording *recording)
{
	const struct recording_walk *walk = recording_ahead__walk(recording->ahead);

	return recording_ahead__next(recording->ahead) ||
	       (walk->has_strayed && walk->strayed == walk->blocks);
}

/* Up to the next block of records: 0, or -ENOMEM; recording->ended: there is none. */
static int load(struct recording *recording)
{
	while (!recording->ended) {
		int found = next_block(recording);

		if (found < 0)
			return found;
		if (!found) {
			recording->ended = true;
			recording->missing++; /* at least the END block */
			break;
		}
		if (recording->block.kind == RECORDING_RECORDS)
			return 0;
		if (recording->block.kind == RECORDING_END) {
			recording->complete = recording->ended = true;
			recording->has_more = has_more(recording);
			recording->missing += recording->has_more;
		} else if (recording->block.kind == RECORDING_FACTS) {
			int err = facts__parse(recording->facts, recording->plain,
					       recording->plain_bytes);

			if (err == -ENOMEM)
				return err;
			recording->missing += err != 0;
		}
	}
	recording->plain_bytes = recording->offset = 0;
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * Opening
 */

static int refuse_file(const struct recording *recording, const struct recording_walk *walk)
{
	const struct buf *window = &walk->window;
	size_t bytes = window->len < MAGIC_BYTES ? window->len : MAGIC_BYTES;

	if (walk->read_error)
		return error_errno(walk->read_error, "cannot read %s", escape(recording->path));
	if (bytes == 0)
		error("%s is empty: expected a recording, as gctrace record -p PID --output FILE "
		      "makes it",
		      escape(recording->path));
	else if (!memcmp(window->data, RECORDING_MAGIC, bytes))
		error("%s is a recording that was cut off in its header, after %zu of %zu bytes: "
		      "there is nothing to read",
		      escape(recording->path), window->len, sizeof(struct recording_header));
	else if (window->len >= sizeof(HPROF_TEXT) &&
		 !memcmp(window->data, HPROF_TEXT, sizeof(HPROF_TEXT) - 1))
		error("%s is no recording, but the heap dump of a JVM (hprof), which gctrace heap,"
		      " path, diff and export read",
		      escape(recording->path));
	else
		error("%s is no recording: it starts with \"%s\", expected \"%s\"; gctrace record "
		      "-p PID --output FILE makes one",
		      escape(recording->path), escape_bytes(window->data, bytes),
		      escape(RECORDING_MAGIC));
	return -EBADMSG;
}

/* The first version's has no checksum: it is believed. */
static bool is_damaged(const struct recording_header *header)
{
	if (header->major == 1 && header->minor == 0 &&
	    header->header_bytes == RECORDING_HEADER_FIRST)
		return false;
	return header->checksum !=
	       crc32__of(header, offsetof(struct recording_header, checksum));
}

static int judge_header(const struct recording *recording, struct recording_header *header)
{
	if (is_damaged(header)) {
		warning("%s: its header is damaged; what follows it is read, and checked block by"
			" block",
			escape(recording->path));
		header->header_bytes = 0;
		return 0;
	}
	if (header->major == RECORDING_MAJOR)
		return 0;
	error("%s is a recording of version %u.%u, this gctrace knows %u.%u: use the gctrace that"
	      " made it, or a later one",
	      escape(recording->path), header->major, header->minor, RECORDING_MAJOR,
	      RECORDING_MINOR);
	return -EPROTONOSUPPORT;
}

static int read_header(struct recording *recording)
{
	struct recording_walk *walk = recording_ahead__walk(recording->ahead);
	struct recording_header header = { .major = 0 };
	int err;

	if (!recording_walk__have(walk, RECORDING_HEADER_FIRST) ||
	    memcmp(walk->window.data, RECORDING_MAGIC, MAGIC_BYTES))
		return refuse_file(recording, walk);
	memcpy(&header, walk->window.data, RECORDING_HEADER_FIRST);
	if (header.header_bytes != RECORDING_HEADER_FIRST) {
		if (!recording_walk__have(walk, sizeof(header)))
			return refuse_file(recording, walk);
		memcpy(&header, walk->window.data, sizeof(header));
	}
	err = judge_header(recording, &header);
	if (err)
		return err;
	/* A wrong length is damage like any other: the search finds the first block. */
	if (header.header_bytes < RECORDING_HEADER_FIRST || header.header_bytes > HEADER_LIMIT ||
	    !recording_walk__have(walk, header.header_bytes))
		header.header_bytes = RECORDING_HEADER_FIRST;
	recording_walk__skip(walk, header.header_bytes);
	return load(recording);
}

int recording__open_fd(int fd, const char *path, struct recording **out)
{
	struct recording *recording = calloc(1, sizeof(*recording));
	int err = -ENOMEM;

	if (recording)
		recording->ahead = recording_ahead__new(fd);
	if (!recording || !recording->ahead) {
		free(recording);
		close(fd);
		return error_errno(ENOMEM, "cannot read %s", escape(path));
	}
	recording->path = strdup(path);
	recording->facts = facts__new();
	if (recording->path && recording->facts)
		err = read_header(recording);
	if (err == -ENOMEM)
		error_errno(ENOMEM, "cannot read %s", escape(path));
	if (err) {
		recording__close(recording);
		return err;
	}
	*out = recording;
	return 0;
}

int recording__open(const char *path, struct recording **out)
{
	int fd = files__open_input(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int err = fd < 0 ? errno : 0;
	struct stat st;

	if (err == ENOENT && dump_name__refuse(path))
		return -EINVAL;
	if (err)
		return error_errno(err, "cannot open the recording %s", escape(path));
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		return error_errno(EISDIR, "cannot read the recording %s", escape(path));
	}
	return recording__open_fd(fd, path, out);
}

void recording__close(struct recording *recording)
{
	if (!recording)
		return;
	recording_ahead__free(recording->ahead);
	facts__free(recording->facts);
	buf__free(&recording->damage);
	free(recording->path);
	free(recording);
}

const struct facts *recording__facts(const struct recording *recording)
{
	return recording->facts;
}

void recording__leave_references(struct recording *recording)
{
	recording_ahead__leave_references(recording->ahead);
}

uint64_t recording__whole_from(const struct recording *recording, uint32_t target)
{
	const struct facts *facts = recording__facts(recording);
	const char *attached = facts__get_target(facts, target, "attached_ns", NULL);

	return attached ? strtoull(attached, NULL, 10) : facts__get_u64(facts, "started_ns", 0);
}

/* ---------------------------------------------------------------------------------------------
 * Records
 */

static int tell_missing(struct recording *recording, uint64_t until,
			const struct record_sink *sink)
{
	struct record_call loss = {
		.head = {
			.stamp = recording->stamp,
			.bytes = sizeof(loss),
			.kind = RECORD_LOSS,
			.target = LOSS_ANY_TARGET,
		},
		.args = { LOSS_RECORDING, recording->missing, until },
	};

	recording->damaged += recording->missing;
	recording->missing = 0;
	return sink->record(sink->ctx, &loss.head, 0);
}

/* The next record of the block at hand; NULL: what follows is no record. */
static const struct record *next_record(struct recording *recording)
{
	size_t left = recording->plain_bytes - recording->offset;
	const struct record *record =
		(const void *)(recording->plain + recording->offset);

	if (left < sizeof(*record) || record->bytes < sizeof(*record) || record->bytes > left)
		return NULL;
	recording->offset += ((size_t)record->bytes + 7) & ~(size_t)7;
	if (recording->offset > recording->plain_bytes)
		recording->offset = recording->plain_bytes;
	return record;
}

static int hand_on(struct recording *recording, const struct record_sink *sink)
{
	while (recording->offset < recording->plain_bytes) {
		const struct record *record = next_record(recording);
		int answer;

		if (!record) {
			recording->offset = recording->plain_bytes;
			recording->missing++;
			break;
		}
		recording->stamp = record->stamp;
		if (!recording->first_stamp)
			recording->first_stamp = record->stamp;
		answer = sink->record(sink->ctx, record, record->ring);
		if (answer)
			return answer;
	}
	return 0;
}

int recording__pull(struct recording *recording, const struct record_sink *sink)
{
	int answer = 0;

	if (recording->missing)
		answer = tell_missing(recording,
				      recording->ended ? UINT64_MAX : recording->block.first, sink);
	if (!answer)
		answer = hand_on(recording, sink);
	if (answer)
		return source__answer(answer);
	if (recording->ended && !recording->missing && recording->read_error)
		return error_errno(recording->read_error, "cannot read on in %s",
				   escape(recording->path));
	if (recording->ended && !recording->missing)
		return SOURCE_END;
	return load(recording) ? -ENOMEM : SOURCE_MORE;
}

static int pull(void *ctx, uint64_t timeout_ns, const struct record_sink *sink)
{
	(void)timeout_ns;
	return recording__pull(ctx, sink);
}

struct source recording__source(struct recording *recording)
{
	return (struct source){ .pull = pull, .ctx = recording };
}

const char *recording__damage(struct recording *recording)
{
	struct buf *damage = &recording->damage;
	uint64_t blocks = recording->damaged + recording->missing;
	uint64_t ns = recording->stamp - recording->first_stamp;
	size_t start;

	if (!blocks && !recording->read_error)
		return NULL;
	buf__reset(damage);
	buf__printf(damage, "%s: ", escape(recording->path));
	start = damage->len;
	if (recording->ended && !recording->complete) {
		buf__printf(damage, "it is cut off after %llu.%03llu s",
			    (unsigned long long)(ns / NS_PER_S),
			    (unsigned long long)(ns % NS_PER_S / NS_PER_MS));
		blocks--; /* that one */
	}
	if (recording->has_more) {
		buf__add_str(damage, "something follows its end, which is not read: another"
				     " recording, or damage");
		blocks--;
	}
	if (blocks)
		buf__printf(damage, "%s%llu of its blocks %s damaged or missing",
			    damage->len > start ? ", and " : "", (unsigned long long)blocks,
			    blocks == 1 ? "is" : "are");
	if (recording->read_error)
		buf__printf(damage, "%sit can't be read on: %s", damage->len > start ? ", " : "",
			    strerror(-recording->read_error));
	return buf__str(damage);
}
