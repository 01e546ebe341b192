/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff_dumps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../stream/dump_name.h"
#include "../stream/hprof.h"

static int find_entry(struct diff_dump *dump)
{
	struct dump_list list = VEC_INIT;
	struct buf damage = BUF_INIT;
	int err = dump_list__read(&list, dump->path, &damage);

	if (!err)
		dump->entry = list.items[dump->number - 1];
	vec__free(&list);
	buf__free(&damage);
	return err;
}

static int find_dump(struct diff_dump *dump, const char *word, struct stat *st)
{
	struct dump_name name;
	int err = dump_name__parse(word, &name);

	if (err)
		return err;
	dump->path = name.path;
	*st = (struct stat){ .st_mode = S_IFREG };
	if (stat(name.path, st) == 0 && !S_ISREG(st->st_mode)) {
		error("%s is no file that can be read several times, which a diff needs: copy it to"
		      " one first",
		      escape(name.path));
		return -ESPIPE;
	}
	dump->is_hprof = hprof__is_file(name.path);
	if (dump->is_hprof) {
		buf__add_str(&dump->word, word);
		return dump->word.error;
	}
	err = dump_list__resolve(&name, &dump->number);
	dump->is_uncertain = err > 0;
	if (err >= 0)
		err = find_entry(dump);
	buf__printf(&dump->word, "%s@%" PRIu64, name.path, dump->number);
	return err ? err : dump->word.error;
}

static int look_at_both(const struct diff_dumps *dumps)
{
	const struct diff_dump *a = &dumps->of[DIFF_WAS], *b = &dumps->of[DIFF_IS];

	if (!dumps->one_file)
		return 0;
	if (a->number == b->number) {
		error("A and B are the same heap dump, %s: give two; gctrace heap FILE --list shows"
		      " which there are",
		      escape(buf__str(&a->word)));
		return -EINVAL;
	}
	if (dumps->one_trace && a->number > b->number) {
		error("A is the earlier dump, B the later one, but dump %" PRIu64
		      " comes behind dump %" PRIu64 ": give them the other way round",
		      a->number, b->number);
		return -EINVAL;
	}
	return 0;
}

int diff_dumps__find(struct diff_dumps *dumps, const struct words *words)
{
	struct stat st[DIFF_SIDES];
	int err = 0;

	*dumps = (struct diff_dumps){ .one_file = false };
	for (unsigned int side = 0; side < DIFF_SIDES && !err; side++)
		err = find_dump(&dumps->of[side], words->items[side], &st[side]);
	if (err)
		return err;
	dumps->one_file = st[0].st_dev == st[1].st_dev && st[0].st_ino == st[1].st_ino;
	dumps->one_trace = dumps->one_file && !dumps->of[0].is_hprof && dumps->of[0].entry.target ==
						      dumps->of[1].entry.target;
	return look_at_both(dumps);
}

void diff_dumps__free(struct diff_dumps *dumps)
{
	for (unsigned int side = 0; side < DIFF_SIDES; side++) {
		free(dumps->of[side].path);
		buf__free(&dumps->of[side].word);
	}
}
