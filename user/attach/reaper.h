/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Detaches links in the background, for those who cannot wait 100 ms for the kernel: the loop that
 * reads rings, when a process has ended.
 */
#ifndef ATTACH_REAPER_H
#define ATTACH_REAPER_H

struct links;
struct reaper;

struct reaper *reaper__new(void); /* NULL: no memory */

/* Waits until all is detached. */
void reaper__wait(struct reaper *reaper);
void reaper__free(struct reaper *reaper);

/* Takes the links out of the list, which is empty then. Without a thread it is done at once. */
void reaper__take(struct reaper *reaper, struct links *links);

#endif
