// SPDX-License-Identifier: BSD-3-Clause
#include "backends/copy_team.h"

#include <pthread.h>

#include "backends/plain_thread.h"
#include "core/mem.h"

struct copy_team {
    pthread_mutex_t lock; /* protects all that follows, and `done` of tasks */
    pthread_cond_t come, done;
    copy_task *first, *last; /* not yet begun */
    bool ends;
    int threads;
    pthread_t thread[];
};

static copy_task *take_first(copy_team *t)
{
    copy_task *task = t->first;

    t->first = task->next;
    return task;
}

static void *copy_tasks(void *arg)
{
    copy_team *t = arg;

    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (!t->first && !t->ends)
            pthread_cond_wait(&t->come, &t->lock);
        if (!t->first)
            break;
        copy_task *task = take_first(t);
        pthread_mutex_unlock(&t->lock);
        task->run(task);
        pthread_mutex_lock(&t->lock);
        task->done = true;
        pthread_cond_broadcast(&t->done);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

copy_team *copy_team_open(int threads)
{
    copy_team *t = core_calloc(1, sizeof *t + (size_t)threads * sizeof t->thread[0]);

    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->come, NULL);
    pthread_cond_init(&t->done, NULL);
    while (t->threads < threads && plain_thread_create(&t->thread[t->threads], copy_tasks, t) == 0)
        t->threads++;
    return t;
}

void copy_team_close(copy_team *t, bool forked)
{
    if (!t)
        return;
    if (!forked) {
        pthread_mutex_lock(&t->lock);
        t->ends = true;
        pthread_cond_broadcast(&t->come);
        pthread_mutex_unlock(&t->lock);
        for (int i = 0; i < t->threads; i++)
            pthread_join(t->thread[i], NULL);
        pthread_cond_destroy(&t->done);
        pthread_cond_destroy(&t->come);
        pthread_mutex_destroy(&t->lock);
    }
    core_free(t);
}

void copy_team_give(copy_team *t, copy_task *task)
{
    task->next = NULL;
    task->done = t->threads == 0;
    if (task->done) {
        task->run(task);
        return;
    }
    pthread_mutex_lock(&t->lock);
    *(t->first ? &t->last->next : &t->first) = task;
    t->last = task;
    pthread_cond_signal(&t->come);
    pthread_mutex_unlock(&t->lock);
}

bool copy_team_is_done(copy_team *t, const copy_task *task)
{
    pthread_mutex_lock(&t->lock);
    const bool done = task->done;
    pthread_mutex_unlock(&t->lock);
    return done;
}

void copy_team_wait(copy_team *t, const copy_task *task)
{
    pthread_mutex_lock(&t->lock);
    while (!task->done)
        pthread_cond_wait(&t->done, &t->lock);
    pthread_mutex_unlock(&t->lock);
}
