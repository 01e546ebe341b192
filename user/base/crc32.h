/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CRC-32 as zlib has it (ISO 3309, reflected polynomial 0xedb88320), by carry-less multiplication
 * where the machine has that: several times as fast as zlib's tables.
 */
#ifndef GCTRACE_BASE_CRC32_H
#define GCTRACE_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32__of(const void *bytes, size_t count);

#endif
