// SPDX-License-Identifier: BSD-3-Clause
#include "backends/fake/fake_exchange.h"

#include <pthread.h>

#include "backends/plain_thread.h"
#include "core/mem.h"

/* A barrier that breaks: members that wait there or arrive later learn of it. */
typedef struct exchange_barrier {
    pthread_mutex_t lock; /* protects all below */
    pthread_cond_t moved;
    int members, here;
    long round;
    bool broken;
} exchange_barrier;

typedef struct barrier_walk {
    const prog *p;
    exchange_barrier barrier;
    fake_arrive *arrive;
    void *user;
} barrier_walk;

static void break_barrier(exchange_barrier *m)
{
    pthread_mutex_lock(&m->lock);
    m->broken = true;
    pthread_cond_broadcast(&m->moved);
    pthread_mutex_unlock(&m->lock);
}

static bool wait_at_barrier(exchange_barrier *m)
{
    pthread_mutex_lock(&m->lock);
    const long round = m->round;
    if (++m->here == m->members) {
        m->here = 0;
        m->round++;
        pthread_cond_broadcast(&m->moved);
    }
    while (m->round == round && !m->broken)
        pthread_cond_wait(&m->moved, &m->lock);
    const bool met = m->round != round;
    pthread_mutex_unlock(&m->lock);
    return met;
}

/* All members walk the loops around barriers; what they compute between is nothing. */
static bool walk_range(barrier_walk *w, size_t first, size_t end)
{
    for (size_t i = first; i < end; i = w->p->stmt[i].end) {
        const prog_stmt *s = &w->p->stmt[i];
        const bool has_barriers = s->op == PROG_LOOP && s->has_par && s->range.kind != SPL_PAR;
        for (int64_t v = 0; has_barriers && v < s->range.n; v++)
            if (!walk_range(w, i + 1, s->end))
                return false;
        if (s->op != PROG_SYNC)
            continue;
        if (!w->arrive(w->user)) {
            break_barrier(&w->barrier);
            return false;
        }
        if (!wait_at_barrier(&w->barrier))
            return false;
    }
    return true;
}

static void walk_barriers(void *arg)
{
    barrier_walk *w = arg;
    (void)walk_range(w, 0, w->p->nstmts);
}

sluice_status fake_exchange(const prog *p, int members, fake_arrive *arrive, void *user)
{
    barrier_walk w = {.p = p, .barrier = {.members = members}, .arrive = arrive, .user = user};
    backend_thread **thread = core_calloc((size_t)members, sizeof(backend_thread *));
    sluice_status status = SLUICE_OK;

    if (thread == NULL)
        return SLUICE_E_MEMORY;
    pthread_mutex_init(&w.barrier.lock, NULL);
    pthread_cond_init(&w.barrier.moved, NULL);
    for (int i = 1; i < members && status == SLUICE_OK; i++) {
        thread[i] = plain_thread_start(NULL, walk_barriers, &w);
        if (thread[i] == NULL) {
            status = SLUICE_E_MEMORY;
            break_barrier(&w.barrier);
        }
    }
    if (status == SLUICE_OK)
        walk_barriers(&w);
    for (int i = 1; i < members; i++)
        if (thread[i] != NULL)
            plain_thread_join(thread[i]);
    if (status == SLUICE_OK && w.barrier.broken)
        status = SLUICE_E_DEVICE;
    pthread_cond_destroy(&w.barrier.moved);
    pthread_mutex_destroy(&w.barrier.lock);
    core_free((void *)thread);
    return status;
}
