/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is told of a thread, by what is known of it: a sighting, and how exact each part of it is.
 */
#include "../base/clock.h"
#include "../target/waiting.h"
#include "observer_private.h"

static struct sighting_doing doing_of(const struct sampled *row)
{
	struct sighting_doing doing = { .syscall = waiting__syscall(row->caught.syscall) };

	switch (row->state) {
	case SAMPLED_WAITS:
	case SAMPLED_WAITS_DEEP:
		doing.state = "waiting";
		doing.wait = row->is_worker ? "event" : waiting__for(row->caught.syscall);
		break;
	case SAMPLED_IS_STOPPED:
		doing.state = "stopped";
		break;
	case SAMPLED_IS_READY:
		doing.state = "ready";
		break;
	case SAMPLED_ENDS:
		doing.state = "ending";
		break;
	default:
		doing.state = "running";
		break;
	}
	return doing;
}

/* How exact a field of a frame is: walker.h. */
static enum accuracy accuracy_of(const struct seen *seen, bool is_sharp, uint8_t field)
{
	if (!(seen->fields & field))
		return ACCURACY_NONE;
	if (seen->guessed & field || !is_sharp)
		return ACCURACY_POOR;
	return seen->lasting & field || seen->is_still ? ACCURACY_EXACT : ACCURACY_POOR;
}

/*
 * A native function, where no managed frame was found: one of a thread that may run managed code
 * may have gone on before its frames were read.
 */
static bool is_innermost(const struct seen *seen)
{
	return !seen->method_guessed && (!seen->walk.is_managed || seen->is_still);
}

static void tell_method(struct sighting *sighting, const struct seen *seen, bool is_sharp)
{
	if (!seen->method)
		return;
	sighting->method = seen->method;
	sighting->function = seen->function;
	sighting->flags |= SAMPLE_METHOD_ID;
	if (seen->fields & FRAME_METHOD)
		sighting->of[SIGHTING_METHOD] = accuracy_of(seen, is_sharp, FRAME_METHOD);
	else
		sighting->of[SIGHTING_METHOD] =
			is_sharp && is_innermost(seen) ? ACCURACY_EXACT : ACCURACY_POOR;
}

static void tell_pc(struct sighting *sighting, const struct seen *seen, bool is_sharp)
{
	sighting->of[SIGHTING_PC] = accuracy_of(seen, is_sharp, FRAME_PC_OFFSET);
	if (sighting->of[SIGHTING_PC] == ACCURACY_NONE)
		return;
	sighting->flags |= SAMPLE_PC;
	sighting->pc_offset = seen->pc_offset;
}

static void tell_stack(struct sighting *sighting, const struct seen *seen, bool is_sharp)
{
	if (!seen->stack)
		return;
	sighting->stack = seen->stack;
	sighting->flags |= SAMPLE_STACK_ID;
	sighting->of[SIGHTING_STACK] =
		is_sharp && !seen->stack_guessed && (seen->stack_lasting || seen->is_still) ?
			ACCURACY_EXACT :
			ACCURACY_POOR;
}

#define LOADING_NS (2 * NS_PER_S)

/*
 * It has just been executed: it may be loading a runtime, whose threads then do what only those do
 * that know it.
 */
static bool may_be_loading(const struct observing *own, const struct sweep *sweep)
{
	return own->executed && own->runtime->kind == RUNTIME_UNKNOWN &&
	       sweep->end_ns - own->image_ns < LOADING_NS;
}

static void tell_place(const struct observing *own, const struct sweep *sweep,
		       struct sighting *sighting, const struct sampled *row,
		       const struct seen *seen)
{
	const struct whereabouts_of of = {
		.runtime = own->runtime->kind,
		.comm = row->comm,
		.thread = &row->caught,
		.code = &seen->code,
		.walk = own->walker ? &seen->walk : NULL,
		.is_sharp = sampled__is_sharp(row),
		.is_still = seen->is_still,
		.paused = own->paused,
	};
	const struct whereabouts where = whereabouts__judge(&of);

	if (where.accuracy == ACCURACY_NONE)
		return;
	sighting->place = where.place;
	sighting->of[SIGHTING_PLACE] = where.accuracy;
	if (where.place != PLACE_BLOCKING && may_be_loading(own, sweep))
		sighting->of[SIGHTING_PLACE] = ACCURACY_POOR;
	sighting->flags |= SAMPLE_LOCATION;
}

static enum accuracy worst_of(const struct sighting *sighting)
{
	enum accuracy worst = sighting->of[SIGHTING_REGISTERS];

	for (unsigned int i = 0; i < SIGHTING_FIELDS; i++)
		if (sighting->of[i] != ACCURACY_NONE && sighting->of[i] < worst)
			worst = sighting->of[i];
	return worst;
}

struct sighting observing__sight(const struct observing *own, const struct sweep *sweep,
				 const struct sampled *row, const struct seen *seen)
{
	const bool is_sharp = sampled__is_sharp(row);
	struct sighting sighting = {
		.pid = (uint32_t)own->process->pid,
		.tid = (uint32_t)row->caught.tid,
		.name = { buf__str(&seen->name), seen->name.len },
		.sweep = sweep->number,
		.time_ns = row->caught.time_ns,
		.doing = doing_of(row),
	};

	/* Of one that ran while it was read not even the registers are known; a worker has none. */
	if (row->torn || row->is_worker)
		return sighting;
	sighting.of[SIGHTING_REGISTERS] = is_sharp ? ACCURACY_EXACT : ACCURACY_POOR;
	sighting.ip = seen->ip;
	sighting.sp = row->caught.sp;
	if (seen->in_generated)
		sighting.flags |= SAMPLE_GENERATED_CODE;
	if (own->options.fields & SAMPLE_LOCATION)
		tell_place(own, sweep, &sighting, row, seen);
	if (own->options.fields & SAMPLE_METHOD_ID)
		tell_method(&sighting, seen, is_sharp);
	if (own->options.fields & SAMPLE_PC)
		tell_pc(&sighting, seen, is_sharp);
	tell_stack(&sighting, seen, is_sharp);
	sighting.accuracy = worst_of(&sighting);
	return sighting;
}
