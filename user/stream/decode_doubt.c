/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a loss leaves behind of single probes. They have no numbers: nobody knows which hits are
 * missing, only that some are, between two stamps.
 *
 *   - A container may have begun: roots belong to none that is known, until the next one begins.
 *   - The first hits of an object may be missing: the next hit of each thread need not be the
 *     first one of its object. Its references' positions are not known until the thread has ended
 *     an object; what it tells then is told from its beginning.
 *
 * While records may still be missing (decode_doubt.until) nothing becomes sure again. The
 * beginning of a dump makes everything sure: no object goes on across it.
 */
#include "decoding.h"

static void forget(struct decoder *decoder)
{
	decoder->container = decoder->id1 = decoder->id2 = 0;
	decoder->doubt.any = true;
	decoder->doubt.sure_count = 0;
	memset(decoder->objects, 0, sizeof(decoder->objects));
}

void decoder__lost(struct decoder *decoder, uint64_t until)
{
	struct decode_doubt *doubt = &decoder->doubt;

	forget(decoder);
	if (!doubt->goes_on || until > doubt->until)
		doubt->until = until;
	doubt->goes_on = true;
}

/* A record has come: is it from after the last one that may be missing? */
void doubt__pass(struct decoder *decoder)
{
	if (decoder->doubt.goes_on && decoder->record->stamp > decoder->doubt.until)
		decoder->doubt.goes_on = false;
}

void doubt__container(struct decoder *decoder, uint64_t type, uint64_t id1, uint64_t id2)
{
	if (decoder->doubt.goes_on)
		return;
	decoder->container = type;
	decoder->id1 = id1;
	decoder->id2 = id2;
	if (type != GCTRACE_C_BEGIN || !decoder->doubt.any)
		return;
	decoder->doubt.any = false;
	memset(decoder->objects, 0, sizeof(decoder->objects));
}

/* Are positions in the object of this hit not known? `ends`: nothing of it follows. */
bool doubt__object(struct decoder *decoder, bool ends)
{
	struct decode_doubt *doubt = &decoder->doubt;

	if (!doubt->any || doubt->goes_on)
		return doubt->any;
	for (size_t i = 0; i < doubt->sure_count; i++)
		if (doubt->sure[i] == decoder->record->tid)
			return false;
	/* One thread too many stays in doubt: that is safe, and the next dump ends it. */
	if (ends && doubt->sure_count < DECODE_OBJECTS)
		doubt->sure[doubt->sure_count++] = decoder->record->tid;
	return true;
}
