/* SPDX-License-Identifier: BSD-2-Clause */
#include "modules.h"
#include "agents/common/unnamed.h"

#define MOST_MODULES (1u << 16)

static struct table modules;

bool modules__init(void)
{
	return table__reserve(&modules, sizeof(struct module), MOST_MODULES);
}

static struct metadata *get_import(uintptr_t id)
{
	static const struct guid iid = IID_IMetaDataImport;
	void *import = NULL;

	if (CLR_CALL(get_module_metadata, id, 0, &iid, &import) != S_OK)
		return NULL;
	return import;
}

static bool may_unload(uintptr_t id)
{
	uint32_t units, flags = 0;

	return CLR_CALL(get_module_info2, id, NULL, 0, &units, NULL, NULL, &flags) < 0 ||
	       flags & MODULE_COLLECTIBLE;
}

static struct module *add(uintptr_t id)
{
	struct module *module = table__add(&modules, id);

	if (!module) {
		unnamed__add(1); /* what is looked for in it */
		return NULL;
	}
	module->import = get_import(id);
	module->may_unload = may_unload(id);
	return module;
}

void modules__open(void)
{
	struct enumerator *all = NULL;
	uintptr_t id;
	uint32_t count = 0;

	if (CLR_CALL(enum_modules, (void **)&all) < 0 || !all)
		return;
	while (all->table->next(all, 1, &id, &count) == S_OK && count == 1)
		add(id);
	all->table->unknown.release(all);
}

void modules__close(void)
{
	for (uint32_t i = 0; i < modules.count; i++) {
		struct module *module = table__at(&modules, i);

		if (module->import)
			module->import->table->unknown.release(module->import);
	}
	table__empty(&modules);
}

struct metadata *modules__import(uintptr_t id)
{
	struct module *module = table__find(&modules, id);

	if (!module)
		module = add(id);
	return module ? module->import : NULL;
}

bool modules__stays(uintptr_t id)
{
	const struct module *module = table__find(&modules, id);

	return module && !module->may_unload;
}

uint32_t modules__count(void)
{
	return modules.count;
}

const struct module *modules__at(uint32_t index)
{
	return table__at(&modules, index);
}
