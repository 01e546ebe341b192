/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/object.h"

#include <errno.h>

#include "skel/gctrace.skel.h"
#include "skel/hotspot.skel.h"
#include "skel/python.skel.h"
#include "skel/ruby.skel.h"

/* What differs between skeletons is their types. */
#define OBJECT(name)                                                                              \
	static void destroy_##name(void *skeleton)                                                \
	{                                                                                         \
		name##_bpf__destroy(skeleton);                                                    \
	}                                                                                         \
                                                                                                  \
	static int open_##name(struct object *out, unsigned int shards, bool sleepable)           \
	{                                                                                         \
		struct name##_bpf *skeleton = name##_bpf__open();                                 \
                                                                                                  \
		if (!skeleton)                                                                    \
			return -errno;                                                            \
		skeleton->rodata->ring_shards = shards;                                           \
		skeleton->rodata->sleepable = sleepable;                                          \
		out->object = skeleton->obj;                                                      \
		out->skeleton = skeleton;                                                         \
		out->destroy = destroy_##name;                                                    \
		return 0;                                                                         \
	}

OBJECT(gctrace)
OBJECT(hotspot)
OBJECT(python)
OBJECT(ruby)

static int (*const open_object[PROVIDER_COUNT])(struct object *, unsigned int, bool) = {
	[PROVIDER_GCTRACE] = open_gctrace,
	[PROVIDER_HOTSPOT] = open_hotspot,
	[PROVIDER_PYTHON] = open_python,
	[PROVIDER_RUBY] = open_ruby,
};

/* HotSpot is one runtime with two providers: its programs are in one object. */
enum provider object__provider(enum provider provider)
{
	return provider == PROVIDER_HS_PRIVATE ? PROVIDER_HOTSPOT : provider;
}

int object__open(struct object *object, enum provider provider, unsigned int shards,
		 bool sleepable)
{
	return open_object[provider] ? open_object[provider](object, shards, sleepable) : -ENOENT;
}

void object__close(struct object *object)
{
	if (object->destroy)
		object->destroy(object->skeleton);
	*object = (struct object){ 0 };
}
