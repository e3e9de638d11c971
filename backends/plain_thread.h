// SPDX-License-Identifier: BSD-3-Clause
/* start and join of backend_team for backends without threads of their own: a start creates one. */
#ifndef BACKENDS_PLAIN_THREAD_H
#define BACKENDS_PLAIN_THREAD_H

#include <pthread.h>

#include "backends/backend.h"

/* As pthread_create, but the thread blocks all signals, so that the program's own threads get
 * them. */
int plain_thread_create(pthread_t *id, void *(*fn)(void *arg), void *arg);
/* The thread blocks all signals too. NULL: none could be created. `b` is not used. */
backend_thread *plain_thread_start(backend *b, void (*fn)(void *arg), void *arg);
void plain_thread_join(backend_thread *thread);

#endif
