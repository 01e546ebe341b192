/* SPDX-License-Identifier: BSD-2-Clause */
#include "code_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/report.h"
#include "../base/units.h"
#include "name_table.h"
#include "perf_map.h"
#include "process.h"

struct code_names {
	const struct process *process;
	char *directory; /* NULL: the usual one */
	enum code_style style;
	struct perf_map *map; /* NULL: there is none yet */
	bool has_told;	      /* that it was cut */
	struct name_table *table;
};

/* The tier stands in brackets behind the parameters: "...)[OptimizedTier1OSR]". */
static bool dotnet_method(const char *name, const char **method, size_t *len)
{
	static const char stub[] = "stub ";
	const char *tier = strrchr(name, '[');

	*method = name;
	*len = strlen(name);
	if (strncmp(name, stub, strlen(stub)) == 0)
		return false;
	if (tier && tier > name && tier[-1] == ')' && name[*len - 1] == ']')
		*len = (size_t)(tier - name);
	return true;
}

static bool node_method(const char *name, const char **method, size_t *len)
{
	static const char *const kinds[] = { "JS:", "LazyCompile:", "Function:", "Script:",
					     "Eval:" };

	*method = name;
	*len = strlen(name);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const size_t kind = strlen(kinds[i]);

		if (strncmp(name, kinds[i], kind) != 0)
			continue;
		*method += kind + (strchr("~^+*", name[kind]) && name[kind] ? 1 : 0);
		*len -= (size_t)(*method - name);
		return *len > 0;
	}
	return false;
}

bool code_style__method(enum code_style style, const char *name, const char **method, size_t *len)
{
	return style == CODE_DOTNET ? dotnet_method(name, method, len)
				    : node_method(name, method, len);
}

static void tell_cut(struct code_names *names)
{
	char bytes[UNITS_TEXT], lines[UNITS_TEXT];

	if (names->has_told || !names->map || !perf_map__is_cut(names->map))
		return;
	names->has_told = true;
	warning("what process %d compiled last has no names: of its perf map no more than %s and %s"
		" lines are read", names->process->pid, units__bytes(bytes, PERF_MAP_MOST),
		units__count(lines, PERF_MAP_LINES));
}

int code_names__open(const struct process *process, const char *directory, enum code_style style,
		     struct code_names **out, struct buf *why)
{
	struct code_names *names = calloc(1, sizeof(*names));
	int err = -ENOMEM;

	*out = NULL;
	if (!names)
		return -ENOMEM;
	names->process = process;
	names->style = style;
	names->directory = directory ? strdup(directory) : NULL;
	names->table = name_table__new();
	if (names->table && (names->directory || !directory))
		err = perf_map__open(process, directory, &names->map, why);
	if (err == -ENOMEM) {
		code_names__free(names);
		return err;
	}
	tell_cut(names);
	*out = names;
	return err;
}

void code_names__free(struct code_names *names)
{
	if (!names)
		return;
	perf_map__free(names->map);
	name_table__free(names->table);
	free(names->directory);
	free(names);
}

int code_names__refresh(struct code_names *names)
{
	int err;

	if (names->map)
		err = perf_map__refresh(names->map);
	else
		err = perf_map__open(names->process, names->directory, &names->map, NULL);
	tell_cut(names);
	return err;
}

int code_names__find(struct code_names *names, uint64_t address, struct code_name *code)
{
	struct perf_code found;
	const char *method;
	size_t len;

	if (!names->map || !perf_map__find(names->map, address, &found))
		return 0;
	code->is_stub = !code_style__method(names->style, found.name, &method, &len);
	code->is_doubtful = perf_map__is_cut(names->map);
	code->number = name_table__number(names->table, method, len);
	return code->number ? 1 : -ENOMEM;
}

const char *code_names__text(const struct code_names *names, uint64_t number)
{
	return name_table__text(names->table, number);
}
