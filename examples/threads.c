// SPDX-License-Identifier: BSD-3-Clause
/* One plan, executed by several threads of the program at once, each on its own arrays. */
#include <pthread.h>
#include <sluice.h>
#include <stdio.h>

enum { POINTS = 256, BATCH = 500, ROUNDS = 20, THREADS = 4 };

typedef struct task {
    pthread_t thread;
    const sluice_plan *plan;
    size_t number, wrong;
    sluice_status status;
} task;

/* The transform of a constant c is POINTS c, 0, 0 .. */
static size_t count_wrong(const float *out, float c)
{
    size_t wrong = 0;
    for (size_t k = 0; k < (size_t)BATCH * POINTS; k++)
        wrong += out[2 * k] != (k % POINTS == 0 ? POINTS * c : 0) || out[2 * k + 1] != 0;
    return wrong;
}

static void *run(void *user)
{
    const size_t scalars = (size_t)BATCH * POINTS * 2;
    task *t = user;
    const float c = (float)(t->number + 1);
    float *in = sluice_alloc(scalars * sizeof *in), *out = sluice_alloc(scalars * sizeof *out);
    t->status = in && out ? SLUICE_OK : SLUICE_E_MEMORY;
    for (size_t i = 0; in && i < scalars; i++)
        in[i] = i % 2 == 0 ? c : 0;
    for (int round = 0; round < ROUNDS && t->status == SLUICE_OK; round++) {
        t->status = sluice_execute(t->plan, in, out);
        if (t->status == SLUICE_OK)
            t->wrong += count_wrong(out, c);
    }
    sluice_free(in);
    sluice_free(out);
    return NULL;
}

/* Starts the tasks and waits for them. */
static sluice_status run_all(const sluice_plan *plan, size_t *wrong)
{
    task tasks[THREADS] = {0};
    sluice_status status = SLUICE_OK;
    size_t started = 0;
    for (; started < THREADS; started++) {
        task *t = &tasks[started];
        t->plan = plan;
        t->number = started;
        if (pthread_create(&t->thread, NULL, run, t) != 0)
            break;
    }
    for (size_t i = 0; i < started; i++) {
        pthread_join(tasks[i].thread, NULL);
        *wrong += tasks[i].wrong;
        status = tasks[i].status != SLUICE_OK ? tasks[i].status : status;
    }
    return started == THREADS ? status : SLUICE_E_MEMORY;
}

static int fail(const char *what, sluice_status status, const sluice_diag *why)
{
    fprintf(stderr, "%s: %s (%s)\n", what, sluice_strerror(status), why->message);
    return 1;
}

int main(void)
{
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    size_t wrong = 0;

    sluice_status status = sluice_machine_open(&machine, NULL, &why);
    if (status == SLUICE_OK) /* each thread computes alone: there are enough of them */
        status = sluice_plan_from_text(&plan, machine, "c2c:f32:256*500:workers=1", NULL, &why);
    if (status == SLUICE_OK)
        status = run_all(plan, &wrong);
    sluice_plan_destroy(plan); /* no execution is in progress any more */
    sluice_machine_close(machine);
    if (status != SLUICE_OK)
        return fail("threads", status, &why);
    printf("%d threads, %d executions each, %zu values wrong\n", THREADS, ROUNDS, wrong);
    return wrong == 0 ? 0 : 1;
}
