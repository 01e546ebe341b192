/* SPDX-License-Identifier: BSD-2-Clause */
#include "handles.h"
#include "addresses.h"
#include "vmstructs.h"

#include <stddef.h>

struct handles handles;

/* What a field of ZGlobalsForVMStructs points to (zVMStructs.hpp). */
static const uint64_t *global_of_zgc(const char *name)
{
	const unsigned char *const *instance = vmstructs__static("ZGlobalsForVMStructs",
								 "_instance_p");
	size_t offset;

	if (!instance || !*instance || !vmstructs__offset("ZGlobalsForVMStructs", name, &offset))
		return NULL;
	return *(const uint64_t *const *)(const void *)(*instance + offset);
}

/*
 * Before Java 21 the same object is seen in three views, by the one bit of three above the offset
 * that its colour sets. The third is that of a heap at rest.
 */
static bool learn_zgc(void)
{
	const uint64_t *mask = global_of_zgc("_ZAddressOffsetMask");

	/* Only that with generations has it. */
	handles.keep_alive = global_of_zgc("_ZPointerLoadShift") != NULL;
	if (handles.keep_alive)
		return true;
	if (!mask || !*mask)
		return false;
	handles.mask = *mask;
	handles.view = (*mask + 1) << 2;
	return true;
}

static bool comes_out(struct visit *visit, jobject local)
{
	jweak weak = VM_CALL(visit->jni, NewWeakGlobalRef, local);
	bool is_right;

	if (!weak)
		return false;
	is_right = handles__object((uintptr_t)weak) ==
		   handles__address(addresses__of(local));
	VM_CALL(visit->jni, DeleteWeakGlobalRef, weak);
	return is_right;
}

bool handles__find(struct visit *visit)
{
	jobject object;
	bool is_right;

	handles = (struct handles){ .mask = ~UINT64_C(0) };
	if (vmstructs__flag("UseZGC", false) && !learn_zgc())
		return false;
	if (handles.keep_alive)
		return true;
	object = VM_CALL(visit->jni, NewStringUTF, "");
	if (!object)
		return false;
	is_right = comes_out(visit, object);
	VM_CALL(visit->jni, DeleteLocalRef, object);
	return is_right;
}
