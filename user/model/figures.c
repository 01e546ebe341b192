/* SPDX-License-Identifier: BSD-2-Clause */
#include "figures.h"

#include <string.h>

const struct collection_figure *figures__find(const struct figures *figures, uint32_t what,
					      uint64_t generation)
{
	for (size_t i = 0; i < figures->of.count; i++) {
		const struct collection_figure *figure = &figures->of.items[i];

		if (figure->what == what && figure->generation == generation)
			return figure;
	}
	return NULL;
}

int figures__note(struct figures *figures, const struct event *event)
{
	struct collection_figure *known = (struct collection_figure *)figures__find(
		figures, event->figure.what, event->figure.generation);

	if (known) {
		known->value = event->figure.value;
		return 0;
	}
	if (figures->of.count >= FIGURES_MOST) {
		figures->dropped++;
		return 0;
	}
	return vec__push(&figures->of,
			 (struct collection_figure){ .what = event->figure.what,
						     .generation = event->figure.generation,
						     .value = event->figure.value });
}

void figures__free(struct figures *figures)
{
	vec__free(&figures->of);
	*figures = (struct figures){ .dropped = figures->dropped };
}

uint64_t collection__of_pool(const struct collection *collection,
			     const struct collection_pool *pool, uint32_t what)
{
	for (size_t i = 0; i < collection->figure_count; i++) {
		const struct collection_figure *figure = &collection->figures[i];

		if (figure->what == what && figure->name.bytes &&
		    text__equal(figure->name, pool->name))
			return figure->value;
	}
	return EVENT_UNKNOWN;
}

uint64_t collection__of_heap(const struct collection *collection, uint32_t what)
{
	for (size_t i = 0; i < collection->figure_count; i++) {
		const struct collection_figure *figure = &collection->figures[i];

		if (figure->what == what && figure->generation == EVENT_UNKNOWN)
			return figure->value;
	}
	return EVENT_UNKNOWN;
}
