// SPDX-License-Identifier: BSD-3-Clause
#include "sched/machine/gate.h"

#include <pthread.h>
#include <stdint.h>

#include "core/mem.h"

typedef struct lane {
    int in_flight;
    uint64_t first, next; /* tickets of waiting threads: first .. next-1 */
} lane;

struct sched_gate {
    pthread_mutex_t lock; /* protects the lanes */
    pthread_cond_t left;
    int depth;
    lane lane[]; /* of each unit */
};

sched_gate *sched_gate_open(int units, int depth)
{
    sched_gate *g = core_calloc(1, sizeof *g + (size_t)units * sizeof g->lane[0]);

    if (!g)
        return NULL;
    g->depth = depth;
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->left, NULL);
    return g;
}

void sched_gate_close(sched_gate *g)
{
    if (!g)
        return;
    pthread_cond_destroy(&g->left);
    pthread_mutex_destroy(&g->lock);
    core_free(g);
}

void sched_gate_enter(sched_gate *g, int unit)
{
    lane *l = &g->lane[unit];

    pthread_mutex_lock(&g->lock);
    const uint64_t number = l->next++;
    while (number != l->first || l->in_flight == g->depth)
        pthread_cond_wait(&g->left, &g->lock);
    l->first++;
    l->in_flight++;
    pthread_cond_broadcast(&g->left);
    pthread_mutex_unlock(&g->lock);
}

bool sched_gate_try(sched_gate *g, int unit)
{
    lane *l = &g->lane[unit];

    pthread_mutex_lock(&g->lock);
    const bool has_room = l->first == l->next && l->in_flight < g->depth;
    l->in_flight += has_room;
    pthread_mutex_unlock(&g->lock);
    return has_room;
}

void sched_gate_leave(sched_gate *g, int unit)
{
    pthread_mutex_lock(&g->lock);
    g->lane[unit].in_flight--;
    pthread_cond_broadcast(&g->left);
    pthread_mutex_unlock(&g->lock);
}
