/* SPDX-License-Identifier: BSD-2-Clause */
/* What all methods of the pretended JVMs are called (hotspot_vm.h, sampled_vm.h). */
#ifndef UNIT_FAKE_METHOD_H
#define UNIT_FAKE_METHOD_H

#include <jvmti.h>

#define FAKE_METHOD "make"
#define FAKE_NATIVE_METHOD 0x77 /* the only one that is native */

/* JVMTI's GetMethodName. */
jvmtiError JNICALL fake_method__name(jvmtiEnv *env, jmethodID method, char **name, char **signature,
				     char **generic);

#endif
