/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The wire format of protocol buffers, written: a message is its fields, one after the other, each
 * with its number and how its value is encoded (protobuf.dev/programming-guides/encoding). All
 * append to a buffer, whose sticky error tells what was lost. A message in a message, and numbers
 * that are packed, are put together in a buffer of their own first: their length stands before
 * them.
 */
#ifndef GCTRACE_BASE_PROTOBUF_H
#define GCTRACE_BASE_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"

/* A number alone, as packed fields have them. */
void protobuf__varint(struct buf *out, uint64_t value);

/* A field that is a number: uint32, uint64, int32 and int64 (sign-extended), bool, enum. */
void protobuf__u64(struct buf *out, uint32_t field, uint64_t value);

/* A field that is a string or bytes. */
void protobuf__bytes(struct buf *out, uint32_t field, const void *bytes, size_t len);
void protobuf__str(struct buf *out, uint32_t field, const char *text);

/* A field that is a message, or packed numbers. It is emptied; its error becomes that of `out`. */
void protobuf__message(struct buf *out, uint32_t field, struct buf *message);

#endif
