// SPDX-License-Identifier: BSD-3-Clause
/* The exchanges of a program, between threads that move nothing: how often each waits for which. */
#ifndef BACKENDS_FAKE_FAKE_EXCHANGE_H
#define BACKENDS_FAKE_FAKE_EXCHANGE_H

#include "spl/program/program.h"

/* Called at each arrival at an exchange; false: this member fails there. From any member's
 * thread. */
typedef bool fake_arrive(void *user);

/* Walks the program with `members` threads, the caller's among them, with a barrier at every SYNC.
 * A member that fails, or that no thread was found for, ends the walk for all: E_DEVICE, E_MEMORY.
 * Every thread is gone when it returns. */
sluice_status fake_exchange(const prog *p, int members, fake_arrive *arrive, void *user);

#endif
