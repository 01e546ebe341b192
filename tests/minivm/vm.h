/* SPDX-License-Identifier: BSD-2-Clause */
/* What the process as a whole does, for those who are not main. */
#ifndef MINIVM_VM_H
#define MINIVM_VM_H

/* The collector's thread has ended, in a stopped world: main goes on to the end. */
void vm__finished(void);

/* Executes this program anew, with the same options but --exec. */
void vm__exec(void) __attribute__((noreturn));

#endif
