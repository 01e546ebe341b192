/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/agent_build.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "attach/agent_library.h"
#include "base/escape.h"
#include "base/files.h"
#include "target/module.h"
#include "target/notes.h"

#define PREFIX "libgctrace-"
#define ID_SHOWN 6 /* bytes of a number: enough to tell builds apart */

static bool has_probe(const struct notes *notes, const struct note_probe *wanted)
{
	for (size_t i = 0; i < notes->probe_count; i++)
		if (!strcmp(notes->probes[i].provider, wanted->provider) &&
		    !strcmp(notes->probes[i].name, wanted->name))
			return true;
	return false;
}

static void add_id(struct buf *text, const struct notes *notes)
{
	for (size_t i = 0; i < notes->build_id_len && i < ID_SHOWN; i++)
		buf__printf(text, "%02x", notes->build_id[i]);
}

static void add_lacking(struct buf *text, const struct notes *loaded, const struct notes *here)
{
	size_t lacking = 0;

	for (size_t i = 0; i < here->probe_count; i++) {
		if (has_probe(loaded, &here->probes[i]))
			continue;
		buf__add_str(text, lacking++ ? ", " : "it lacks the probes ");
		buf__add_str(text, escape(here->probes[i].name));
	}
	buf__add_str(text, lacking ? ", and what needs them is not told" :
				     "it has the same probes, and tells by them what its own"
				     " version tells");
}

bool agent_build__compare(const struct notes *loaded, const struct notes *here, struct buf *text)
{
	if (!loaded->build_id_len || !here->build_id_len ||
	    (loaded->build_id_len == here->build_id_len &&
	     !memcmp(loaded->build_id, here->build_id, here->build_id_len)))
		return false;
	buf__add_str(text, "it is of another build (");
	add_id(text, loaded);
	buf__add_str(text, ") than the one here (");
	add_id(text, here);
	buf__add_str(text, "): ");
	add_lacking(text, loaded, here);
	buf__add_str(text, "; to have the one here, start the program anew");
	return true;
}

/* "libgctrace-dotnet.so" of what may be a copy, "libgctrace-dotnet.0123456789abcdef.so". */
static bool add_library_name(struct buf *name, const struct module *module)
{
	const char *base = files__base_name(module->name);

	if (strncmp(base, PREFIX, strlen(PREFIX)) || !strchr(base, '.'))
		return false;
	buf__printf(name, "%.*s.so", (int)strcspn(base, "."), base);
	return true;
}

static struct notes *read_here(const struct module *module)
{
	struct buf name = BUF_INIT, path = BUF_INIT;
	struct notes *notes = NULL;
	int fd = -1;

	if (add_library_name(&name, module) && !agent_library__find(buf__str(&name), &path))
		fd = open(buf__str(&path), O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && notes__read(fd, &notes, NULL))
		notes = NULL;
	if (fd >= 0)
		close(fd);
	buf__free(&name);
	buf__free(&path);
	return notes;
}

static bool module_differs(const struct module *module, struct buf *text)
{
	struct notes *here = read_here(module);
	bool differs = false;

	if (here) {
		differs = agent_build__compare(module->notes, here, text);
		notes__free(here);
	}
	return differs;
}

bool agent_build__differs(const struct modules *modules, struct buf *text)
{
	for (const struct module *module = modules->first; module; module = module->next)
		if (module->providers & 1U << PROVIDER_GCTRACE && module->notes &&
		    module_differs(module, text))
			return true;
	return false;
}
