/* SPDX-License-Identifier: BSD-2-Clause */
/* How many descriptors we may have: each site of a probe can take two. */
#ifndef ATTACH_LIMITS_H
#define ATTACH_LIMITS_H

/* From what programs are content with (the soft limit) to what we are allowed (the hard one). */
void limits__raise(void);

/* As it was, for a program that a child of ours becomes: some try all up to their limit. */
void limits__restore(void);

#endif
