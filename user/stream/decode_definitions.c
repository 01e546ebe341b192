/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Definitions: classes with the names of their fields, and names of other numbers. What comes
 * in parts is joined (join.h) and told once, whole; numbers are those of the last part.
 */
#include "decoding.h"

static int add_part(struct decoder *decoder, const struct join_key *key,
		    const struct join_part *part, struct text *name, struct text *fields)
{
	uint64_t incomplete = 0;
	bool whole = joins__add(decoder->room->joins, key, part, name, fields, &incomplete);

	decoder__lose(decoder, LOSS_INCOMPLETE, incomplete);
	return whole && !decoder->answer;
}

int decode__class(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_CLASS);
	const char *texts = (const char *)at + sizeof(struct gctrace_class);
	struct gctrace_class fixed;
	struct join_part part;
	struct join_key key;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes) ||
	    (uint64_t)fixed.name_bytes + fixed.fields_bytes > bytes - sizeof(fixed))
		return -EBADMSG;
	key = (struct join_key){
		.producer = decoder->producer,
		.target = decoder->target,
		.tid = decoder->record->tid,
		.id = fixed.class_,
	};
	part = (struct join_part){
		.name = { texts, fixed.name_bytes },
		.fields = { texts + fixed.name_bytes, fixed.fields_bytes },
		.last = !(fixed.head.flags & GCTRACE_MORE),
	};
	if (!add_part(decoder, &key, &part, &event.class_.name, &event.class_.fields))
		return decoder->answer;
	event.class_.class_ = fixed.class_;
	event.class_.super = fixed.super;
	event.class_.size = fixed.size;
	event.class_.flags = fixed.flags;
	return decoder__tell(decoder, &event);
}

int decode__define(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_DEFINE);
	struct gctrace_define fixed;
	struct join_part part;
	struct join_key key;
	struct text none;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes) ||
	    fixed.name_bytes > bytes - sizeof(fixed) || fixed.space == 0)
		return -EBADMSG;
	key = (struct join_key){
		.producer = decoder->producer,
		.target = decoder->target,
		.tid = decoder->record->tid,
		.space = fixed.space,
		.id = fixed.id,
		.a = fixed.a,
	};
	part = (struct join_part){
		.name = { (const char *)at + sizeof(fixed), fixed.name_bytes },
		.last = !(fixed.head.flags & GCTRACE_MORE),
	};
	if (!add_part(decoder, &key, &part, &event.define.name, &none))
		return decoder->answer;
	event.define.space = fixed.space;
	event.define.id = fixed.id;
	event.define.a = fixed.a;
	event.define.b = fixed.b;
	return decoder__tell(decoder, &event);
}

/*
 * A single probe says both texts as one, of which a part counts bytes: so a missing part
 * shows at once. args: class, super, flags, bytes of the name, bytes of the fields, size.
 */
static bool is_next_part(struct decoder *decoder, const struct join_key *key, uint64_t first)
{
	if (first == 0) {
		decoder__lose(decoder, LOSS_INCOMPLETE, joins__drop(decoder->room->joins, key));
		return true;
	}
	if (first == joins__so_far(decoder->room->joins, key))
		return true;
	joins__drop(decoder->room->joins, key);
	decoder__lose(decoder, LOSS_INCOMPLETE, 1);
	return false;
}

int decode__single_class(struct decoder *decoder, const struct record_call *call, size_t left)
{
	struct event event = decoder__event(decoder, EVENT_CLASS);
	const uint64_t *args = (const uint64_t *)call->args;
	const struct record_part *sizes = &call->part;
	struct join_key key = {
		.target = decoder->target,
		.tid = decoder->record->tid,
		.id = args[0],
	};
	struct join_part part = { .name = { (const char *)(call + 1), sizes->count } };
	struct text both, none;

	if (sizes->count > left || args[3] > sizes->total || sizes->first > sizes->total ||
	    sizes->count > sizes->total - sizes->first || args[2] > UINT32_MAX)
		return -EBADMSG;
	part.last = sizes->first + sizes->count == sizes->total;
	if (!is_next_part(decoder, &key, sizes->first) || decoder->answer ||
	    !add_part(decoder, &key, &part, &both, &none))
		return decoder->answer;
	event.class_.class_ = args[0];
	event.class_.super = args[1];
	event.class_.flags = (uint32_t)args[2];
	event.class_.size = args[5];
	event.class_.name = (struct text){ both.at, args[3] };
	event.class_.fields = (struct text){ both.at + args[3], both.bytes - args[3] };
	return decoder__tell(decoder, &event);
}
