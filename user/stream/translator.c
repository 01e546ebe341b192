/* SPDX-License-Identifier: BSD-2-Clause */
#include "translator.h"

const struct translator *const translators[TRANSLATORS] = {
	&hotspot_translator,
	&python_translator,
	&ruby_translator,
};
