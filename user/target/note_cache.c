/* SPDX-License-Identifier: BSD-2-Clause */
#include "note_cache.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../base/vec.h"
#include "module.h"
#include "notes.h"

struct key {
	dev_t dev;
	ino_t inode;
	off_t size;
	struct timespec modified, changed;
};

struct entry {
	struct key key;
	struct notes *notes;
	int err;
	char *why;           /* the reason of err */
};

/* When it is full, the next one takes the place of the oldest. */
struct note_cache {
	VEC(struct entry) entries;
	size_t oldest;
	size_t reads;
};

static void free_entry(struct entry *entry)
{
	notes__free(entry->notes);
	free(entry->why);
}

struct note_cache *note_cache__new(void)
{
	return calloc(1, sizeof(struct note_cache));
}

void note_cache__free(struct note_cache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < cache->entries.count; i++)
		free_entry(&cache->entries.items[i]);
	vec__free(&cache->entries);
	free(cache);
}

size_t note_cache__reads(const struct note_cache *cache)
{
	return cache->reads;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool same_key(const struct key *a, const struct key *b)
{
	return a->inode == b->inode && a->dev == b->dev && a->size == b->size &&
	       same_time(&a->modified, &b->modified) && same_time(&a->changed, &b->changed);
}

static const struct entry *find(const struct note_cache *cache, const struct key *key)
{
	for (size_t i = 0; i < cache->entries.count; i++)
		if (same_key(&cache->entries.items[i].key, key))
			return &cache->entries.items[i];
	return NULL;
}

static bool has_known_provider(const struct notes *notes)
{
	for (size_t i = 0; i < notes->probe_count; i++)
		if (provider__find(notes->probes[i].provider) != PROVIDER_COUNT)
			return true;
	return false;
}

static int read_entry(int fd, struct entry *entry)
{
	struct buf reason = BUF_INIT;

	entry->err = notes__read(fd, &entry->notes, &reason);
	if (entry->err == -ENOEXEC)
		entry->err = 0;
	if (entry->notes && !has_known_provider(entry->notes)) {
		notes__free(entry->notes);
		entry->notes = NULL;
	}
	if (entry->err)
		entry->why = buf__detach(&reason, NULL);
	buf__free(&reason);
	return entry->err && !entry->why ? -ENOMEM : 0;
}

/* Takes the entry, unless there is no memory. */
static int keep(struct note_cache *cache, const struct entry *entry, const struct entry **out)
{
	struct entry *place;

	if (cache->entries.count < NOTE_CACHE_FILES) {
		if (vec__push(&cache->entries, *entry))
			return -ENOMEM;
		*out = &cache->entries.items[cache->entries.count - 1];
		return 0;
	}
	place = &cache->entries.items[cache->oldest];
	cache->oldest = (cache->oldest + 1) % NOTE_CACHE_FILES;
	free_entry(place);
	*place = *entry;
	*out = place;
	return 0;
}

static int add(struct note_cache *cache, int fd, const struct key *key, const struct entry **out)
{
	struct entry entry = { .key = *key };
	int err = read_entry(fd, &entry);

	cache->reads++;
	if (!err)
		err = keep(cache, &entry, out);
	if (err)
		free_entry(&entry);
	return err;
}

int note_cache__read(struct note_cache *cache, int fd, struct notes **notes,
		     struct buf *why)
{
	const struct entry *entry;
	struct stat st;
	struct key key;
	int err = 0;

	*notes = NULL;
	if (fstat(fd, &st))
		return -errno;
	key = (struct key){ st.st_dev, st.st_ino, st.st_size, st.st_mtim, st.st_ctim };
	entry = find(cache, &key);
	if (!entry)
		err = add(cache, fd, &key, &entry);
	if (err)
		return err;
	if (entry->err && why)
		buf__add_str(why, entry->why);
	*notes = entry->notes;
	return entry->err;
}
