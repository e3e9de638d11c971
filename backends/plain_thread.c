// SPDX-License-Identifier: BSD-3-Clause
#include "backends/plain_thread.h"

#include <signal.h>

#include "core/mem.h"

struct backend_thread {
    pthread_t id;
    void (*fn)(void *arg);
    void *arg;
};

static void *run_thread(void *arg)
{
    const backend_thread *thread = arg;
    thread->fn(thread->arg);
    return NULL;
}

int plain_thread_create(pthread_t *id, void *(*fn)(void *arg), void *arg)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the new thread inherits the mask */
    const int error = pthread_create(id, NULL, fn, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

backend_thread *plain_thread_start(backend *b, void (*fn)(void *arg), void *arg)
{
    (void)b;
    backend_thread *thread = core_malloc(sizeof *thread);
    if (thread == NULL)
        return NULL;
    thread->fn = fn;
    thread->arg = arg;
    if (plain_thread_create(&thread->id, run_thread, thread) == 0)
        return thread;
    core_free(thread);
    return NULL;
}

void plain_thread_join(backend_thread *thread)
{
    pthread_join(thread->id, NULL);
    core_free(thread);
}
