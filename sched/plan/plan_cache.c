// SPDX-License-Identifier: BSD-3-Clause
/* A list, most recently used first, cut at a limit in bytes. A kept plan holds no reference to its
 * machine, which drops the list before it closes. */
#include "sched/plan/plan_cache.h"

#include <string.h>

#include "core/mem.h"
#include "sched/plan/hooks.h"

/* Searching more plans than this would take longer than planning. */
enum { MAX_PLANS = 256 };
/* A plan of more than 1/SHARE of the limit is not kept. */
enum { SHARE = 4 };

struct sched_kept {
    sched_kept *next;
    const sluice_plan *plan;
    sluice_problem problem;
    char *text, *fallback;
    sluice_effort effort;
    bool reproducible;
    double hooks_scale;
    size_t bytes;
};

/* The number of changes of wisdom and costs of all the machine's kinds. */
static unsigned long generation_of(const sluice_machine *machine)
{
    unsigned long changes = 0;

    for (const sluice_machine *m = machine; m; m = m->next)
        changes += atomic_load(&m->generation);
    return changes;
}

static bool same_problem(const sluice_problem *a, const sluice_problem *b)
{
    return a->rank == b->rank && a->batch_rank == b->batch_rank && a->precision == b->precision
           && a->direction == b->direction && a->in_layout == b->in_layout
           && a->out_layout == b->out_layout && a->scale == b->scale && a->mode == b->mode
           && a->workers == b->workers && a->in_place == b->in_place
           && a->in_cyclic.block == b->in_cyclic.block && a->in_cyclic.parts == b->in_cyclic.parts
           && a->out_cyclic.block == b->out_cyclic.block
           && a->out_cyclic.parts == b->out_cyclic.parts
           && memcmp(a->dim, b->dim, (size_t)a->rank * sizeof a->dim[0]) == 0
           && memcmp(a->kind, b->kind, (size_t)a->rank * sizeof a->kind[0]) == 0
           && memcmp(a->batch, b->batch, (size_t)a->batch_rank * sizeof a->batch[0]) == 0;
}

static bool same_text(const char *a, const char *b)
{
    return !a == !b && (!a || strcmp(a, b) == 0);
}

static bool is_for(const sched_kept *kept, const sched_plan_key *key)
{
    return kept->effort == key->effort && kept->reproducible == key->reproducible
           && kept->hooks_scale == key->hooks_scale && same_problem(&kept->problem, key->problem)
           && same_text(kept->text, key->text) && same_text(kept->fallback, key->fallback);
}

static void free_kept(sched_kept *kept)
{
    if (!kept)
        return;
    core_free(kept->text);
    core_free(kept->fallback);
    core_free(kept);
}

static void free_list(sched_kept *list)
{
    while (list) {
        sched_kept *next = list->next;
        sched_plan_release(list->plan);
        free_kept(list);
        list = next;
    }
}

/* Removes *at and everything after it from the list. */
static sched_kept *cut_list(sched_kept **at)
{
    sched_kept *list = *at;

    *at = NULL;
    return list;
}

/* Called with the lock held: removes plans made with older wisdom or costs. */
static sched_kept *drop_outdated(sched_plans *plans, unsigned long generation)
{
    if (plans->generation == generation)
        return NULL;
    plans->generation = generation;
    return cut_list(&plans->newest);
}

/* Called with the lock held: moves the plan of a key to the front and returns a reference to it;
 * NULL: there is none. */
static const sluice_plan *find_kept(sched_plans *plans, const sched_plan_key *key)
{
    for (sched_kept **at = &plans->newest; *at; at = &(*at)->next) {
        sched_kept *kept = *at;
        if (!is_for(kept, key))
            continue;
        *at = kept->next;
        kept->next = plans->newest;
        plans->newest = kept;
        sched_plan_retain(kept->plan);
        return kept->plan;
    }
    return NULL;
}

sluice_plan *sched_plan_cache_find(sluice_machine *m, const sched_plan_key *key,
                                   const sluice_plan_options *options, sched_planning *out)
{
    sched_plans *plans = &m->plans;

    *out = (sched_planning){.key = *key,
                            .machine = m,
                            .keeps = plans->max_bytes > 0 && !core_forked(m->mark)
                                     && !(options && options->time_limit > 0)
                                     && !(options && sched_hooks_sides(options->hooks)),
                            .generation = generation_of(m),
                            .held = core_mem_held()};
    if (!out->keeps)
        return NULL;
    pthread_mutex_lock(&plans->lock);
    sched_kept *gone = drop_outdated(plans, out->generation);
    const sluice_plan *plan = find_kept(plans, key);
    pthread_mutex_unlock(&plans->lock);
    free_list(gone);
    return (sluice_plan *)(uintptr_t)plan;
}

static void drop_all(sluice_machine *m)
{
    free_list(cut_list(&m->plans.newest));
}

/* A copy of a key, without a plan yet; NULL: out of memory. */
static sched_kept *new_kept(const sched_plan_key *key)
{
    sched_kept *kept = core_calloc(1, sizeof *kept);

    if (!kept)
        return NULL;
    *kept = (sched_kept){.problem = *key->problem,
                         .effort = key->effort,
                         .reproducible = key->reproducible,
                         .hooks_scale = key->hooks_scale};
    kept->text = key->text ? core_strdup(key->text) : NULL;
    kept->fallback = key->fallback ? core_strdup(key->fallback) : NULL;
    if (same_text(kept->text, key->text) && same_text(kept->fallback, key->fallback))
        return kept;
    free_kept(kept);
    return NULL;
}

/* Called with the lock held: inserts at the front and removes what exceeds the limits. */
static sched_kept *insert_kept(sched_plans *plans, sched_kept *kept)
{
    size_t bytes = 0;
    int count = 0;

    kept->next = plans->newest;
    plans->newest = kept;
    for (sched_kept **at = &plans->newest; *at; at = &(*at)->next) {
        bytes += (*at)->bytes;
        if (bytes > plans->max_bytes || ++count > MAX_PLANS)
            return cut_list(at);
    }
    return NULL;
}

void sched_plan_cache_add(const sched_planning *planning, const sluice_plan *plan)
{
    sluice_machine *m = planning->machine;
    sched_plans *plans = &m->plans;
    const ptrdiff_t held = core_mem_held() - planning->held;
    const size_t bytes = sizeof(sched_kept) + (size_t)(held > 0 ? held : 0);

    if (!planning->keeps || bytes > plans->max_bytes / SHARE)
        return;
    sched_kept *kept = new_kept(&planning->key), *gone = NULL;
    if (!kept)
        return;
    kept->plan = plan;
    kept->bytes = bytes;
    pthread_mutex_lock(&plans->lock);
    const bool fresh =
        planning->generation == generation_of(m) && planning->generation == plans->generation;
    if (fresh) {
        plans->drop = drop_all;
        /* sched_plan_retain would retain the machine too. */
        atomic_fetch_add_explicit(&((sluice_plan *)(uintptr_t)plan)->refcount, 1,
                                  memory_order_relaxed);
        gone = insert_kept(plans, kept);
    }
    pthread_mutex_unlock(&plans->lock);
    free_list(gone);
    if (!fresh)
        free_kept(kept);
}
