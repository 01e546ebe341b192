/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Another agent that has the JVM's only sampler: it asks for it when it is loaded, and does nothing
 * with it. Option `drop`: it gives the sampler back when it is loaded again with that.
 */
#include <jvmti.h>
#include <string.h>

static jvmtiEnv *env;

static jint take(JavaVM *vm, const char *options)
{
	const jvmtiCapabilities sampler = { .can_generate_sampled_object_alloc_events = 1 };

	if (env && options && !strcmp(options, "drop"))
		return (*env)->DisposeEnvironment(env);
	if ((*vm)->GetEnv(vm, (void **)&env, JVMTI_VERSION_11))
		return 1;
	return (*env)->AddCapabilities(env, &sampler);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	(void)reserved;
	return take(vm, options);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
	(void)reserved;
	return take(vm, options);
}
