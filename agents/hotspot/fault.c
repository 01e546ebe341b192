/* SPDX-License-Identifier: BSD-2-Clause */
#include "fault.h"

#include <stddef.h>

struct fault fault;
