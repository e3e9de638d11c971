// SPDX-License-Identifier: BSD-3-Clause
/* start and join of backend_team for backends that keep no threads: each start makes one. */
#ifndef BACKENDS_PLAIN_THREAD_H
#define BACKENDS_PLAIN_THREAD_H

#include <pthread.h>

#include "backends/backend.h"

/* pthread_create; the thread blocks all signals, so that they go to the program's own threads. */
int plain_thread_create(pthread_t *id, void *(*fn)(void *arg), void *arg);
/* The thread blocks all signals, so that they go to the program's own threads. NULL: none to be
 * had. `b` is not used. */
backend_thread *plain_thread_start(backend *b, void (*fn)(void *arg), void *arg);
void plain_thread_join(backend_thread *thread);

#endif
