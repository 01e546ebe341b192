/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of records that have been seen (merge.c says why it is right): by stamp, and where
 * stamps are equal by producer and sequence (of batches), then by ring and place in the ring. What
 * was injected comes last.
 */
#ifndef STREAM_ORDER_H
#define STREAM_ORDER_H

#include "lane.h"

/* Mostly they are in order already, which costs one look at each. */
void order__sort(struct waitings *waitings);

#endif
