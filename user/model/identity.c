/* SPDX-License-Identifier: BSD-2-Clause */
#include "identity.h"

#include <errno.h>
#include <stdlib.h>

#include "stream/loss.h"
#include "subject.h"

struct identity *identity__new(const struct identity_sink *sink)
{
	struct identity *identity = calloc(1, sizeof(*identity));

	if (identity && sink)
		identity->sink = *sink;
	return identity;
}

void identity__free(struct identity *identity)
{
	struct subject *next;

	if (!identity)
		return;
	for (struct subject *at = identity->subjects; at; at = next) {
		next = at->next;
		subject__free(at);
	}
	free(identity);
}

static struct subject *find(const struct identity *identity, uint32_t target)
{
	struct subject *at = identity->subjects;

	while (at && at->target != target)
		at = at->next;
	return at;
}

static struct subject *need(struct identity *identity, uint32_t target)
{
	struct subject *subject = find(identity, target);

	if (subject)
		return subject;
	subject = subject__new(identity, target);
	if (!subject)
		return NULL;
	subject->next = identity->subjects;
	identity->subjects = subject;
	return subject;
}

static int forget(struct identity *identity, uint32_t target)
{
	struct subject **at = &identity->subjects, *subject;
	int result = 0;

	while (*at && (*at)->target != target)
		at = &(*at)->next;
	subject = *at;
	if (!subject)
		return 0;
	if (identity->sink.ended)
		result = identity->sink.ended(identity->sink.context, target);
	*at = subject->next;
	subject__free(subject);
	return result;
}

/* ---------------------------------------------------------------- the range sink */

typedef int subject__told(struct subject *subject, const struct range_transaction *transaction);

static int tell(void *context, const struct range_transaction *transaction, subject__told *told)
{
	struct subject *subject = need(context, transaction->target);

	return subject ? told(subject, transaction) : -ENOMEM;
}

static int on_start(void *context, const struct range_transaction *transaction)
{
	return tell(context, transaction, subject__start);
}

static int on_report(void *context, const struct range_transaction *transaction,
		     const struct event *report)
{
	struct subject *subject = need(context, transaction->target);

	return subject ? subject__report(subject, transaction, report) : -ENOMEM;
}

static int on_pause_end(void *context, const struct range_transaction *transaction)
{
	return tell(context, transaction, subject__pause_end);
}

static int on_finish(void *context, const struct range_transaction *transaction)
{
	return tell(context, transaction, subject__finish);
}

static int on_drop(void *context, const struct range_transaction *transaction)
{
	return tell(context, transaction, subject__drop);
}

struct range_sink identity__ranges(struct identity *identity)
{
	return (struct range_sink){ identity, on_start, on_report, on_pause_end, on_finish,
				    on_drop };
}

/* ---------------------------------------------------------------- events */

static int lose(struct identity *identity, const struct event *event)
{
	int err = 0;

	for (struct subject *at = identity->subjects; at && !err; at = at->next)
		if (event->target == at->target || event->target == LOSS_ANY_TARGET)
			err = subject__lose(at, event);
	return err;
}

static int of_subject(struct subject *subject, const struct event *event)
{
	switch (event->kind) {
	case EVENT_GENERATION:
		return subject__generation(subject, event);
	case EVENT_REUSE:
		return subject__reuse(subject, event);
	case EVENT_CONTAINER:
		return subject__container(subject, event);
	case EVENT_OBJECT:
		return subject__object(subject, event);
	case EVENT_DUMP_END:
		return subject__dump_end(subject, event);
	case EVENT_OBJECT_ALLOC: /* what becomes of one with a number no range tells */
		return event->alloc.sample ? 0 : subject__birth(subject, event);
	case EVENT_CLASS:
		return types__define(&subject->types, event->class_.class_, event->class_.name);
	case EVENT_PAUSE_BEGIN:
		subject->in_pause = true;
		return 0;
	case EVENT_PAUSE_END:
		subject->in_pause = false;
		return subject__match_if_due(subject);
	default:
		return 0;
	}
}

int identity__event(struct identity *identity, const struct event *event)
{
	struct subject *subject;
	int err = 0;

	switch (event->kind) {
	case EVENT_LOSS:
		return lose(identity, event);
	case EVENT_EXEC:
	case EVENT_EXIT:
		return forget(identity, event->target);
	default:
		break;
	}
	subject = need(identity, event->target);
	if (!subject)
		return -ENOMEM;
	if (subject->doubt && !subject->numbered && event->stamp > subject->lost_until)
		err = subject__end_doubt(subject, event->stamp, false);
	return err ? err : of_subject(subject, event);
}

int identity__tells_some(struct identity *identity, uint32_t target)
{
	struct subject *subject = need(identity, target);

	if (!subject)
		return -ENOMEM;
	subject->some = true;
	return 0;
}

uint64_t identity__bytes(const struct identity *identity)
{
	uint64_t bytes = 0;

	for (const struct subject *at = identity->subjects; at; at = at->next)
		bytes += objects__bytes(&at->objects);
	return bytes;
}

bool identity__look(struct identity *identity, uint32_t target, struct identity_view *view,
		    int *err)
{
	struct subject *subject = find(identity, target);

	*err = 0;
	if (!subject)
		return false;
	*err = subject__take_in_births(subject);
	*view = (struct identity_view){ &subject->objects, &subject->types, &subject->survival,
					&subject->generations, subject->doubt,
					subject->figures };
	return true;
}
