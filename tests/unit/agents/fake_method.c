/* SPDX-License-Identifier: BSD-2-Clause */
#include "fake_method.h"

#include <string.h>

jvmtiError JNICALL fake_method__name(jvmtiEnv *env, jmethodID method, char **name, char **signature,
				     char **generic)
{
	(void)env;
	(void)method;
	(void)signature;
	(void)generic;
	*name = strdup(FAKE_METHOD);
	return JVMTI_ERROR_NONE;
}
