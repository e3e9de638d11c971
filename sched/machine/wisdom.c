// SPDX-License-Identifier: BSD-3-Clause
/* The wisdom of a machine: a sorted list of keys and formulas. */
#include "sched/machine/wisdom.h"

#include <string.h>

#include "core/mem.h"
#include "sched/problem/problem.h"

struct sched_wisdom {
    char *key, *formula;
    bool proven;
    sched_rate rate; /* measured; seconds 0: unknown */
};

/* ---- keys ---- */

static void drop_batches_of_one(sluice_problem *p)
{
    int kept = 0;

    for (int b = 0; b < p->batch_rank; b++)
        if (p->batch[b].n != 1)
            p->batch[kept++] = p->batch[b];
    p->batch_rank = kept;
}

/* Sets the strides of a side to 0 if they are those of packed elements. */
static void drop_packed_strides(sluice_problem *p, int side)
{
    ptrdiff_t packed = 1;
    bool same = true;

    for (int d = sched_problem_dims(p) - 1; d >= 0; d--) {
        const sluice_dim *dim = sched_mutable_dim(p, d);
        if (dim->n > 1 && (side ? dim->out_stride : dim->in_stride) != packed)
            same = false;
        packed *= (ptrdiff_t)dim->n;
    }
    for (int d = 0; d < sched_problem_dims(p) && same; d++)
        *(side ? &sched_mutable_dim(p, d)->out_stride : &sched_mutable_dim(p, d)->in_stride) = 0;
}

char *sched_wisdom_key(const sluice_problem *problem)
{
    sluice_problem p = *problem;
    core_text key = {0};

    p.workers = 0;
    drop_batches_of_one(&p);
    drop_packed_strides(&p, 0);
    drop_packed_strides(&p, 1);
    if (sched_problem_print(&p, &key) == SLUICE_OK)
        return key.data;
    core_text_free(&key);
    return NULL;
}

/* ---- the list, sorted by key ---- */

/* The index of the first entry whose key is not less than this one. */
static size_t entry_index(const sluice_machine *m, const char *key)
{
    size_t lo = 0, hi = m->wisdom_count;

    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (strcmp(m->wisdom[middle].key, key) < 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static sched_wisdom *find_entry(sluice_machine *m, const char *key)
{
    const size_t at = entry_index(m, key);

    return at < m->wisdom_count && strcmp(m->wisdom[at].key, key) == 0 ? &m->wisdom[at] : NULL;
}

char *sched_wisdom_find(sluice_machine *m, const char *key, bool *proven)
{
    pthread_mutex_lock(&m->wisdom_lock);
    const sched_wisdom *w = find_entry(m, key);
    char *formula = w ? core_strdup(w->formula) : NULL;
    *proven = w && w->proven;
    pthread_mutex_unlock(&m->wisdom_lock);
    return formula;
}

static bool reserve_entry(sluice_machine *m)
{
    if (m->wisdom_count < m->wisdom_capacity)
        return true;
    const size_t capacity = m->wisdom_capacity ? 2 * m->wisdom_capacity : 16;
    sched_wisdom *larger = core_realloc(m->wisdom, capacity * sizeof *larger);
    if (!larger)
        return false;
    m->wisdom = larger;
    m->wisdom_capacity = capacity;
    return true;
}

/* Exchanges the entry's formula and *formula, unless a proven one would be lost. */
static void replace_formula(sched_wisdom *w, char **formula, bool proven)
{
    if (w->proven && !proven)
        return;
    char *old = w->formula;
    if (strcmp(old, *formula) != 0)
        w->rate = (sched_rate){.seconds = 0};
    w->formula = *formula;
    w->proven = proven;
    *formula = old;
}

sluice_status sched_wisdom_store(sluice_machine *m, const char *key, const char *formula,
                                 bool proven)
{
    char *own_key = core_strdup(key), *own = core_strdup(formula);
    bool kept = false;

    pthread_mutex_lock(&m->wisdom_lock);
    sched_wisdom *w = find_entry(m, key);
    if (own_key && own && w) {
        replace_formula(w, &own, proven);
        kept = true;
    } else if (own_key && own && reserve_entry(m)) {
        const size_t at = entry_index(m, key);
        memmove(&m->wisdom[at + 1], &m->wisdom[at], (m->wisdom_count++ - at) * sizeof *m->wisdom);
        m->wisdom[at] = (sched_wisdom){.key = own_key, .formula = own, .proven = proven};
        own_key = own = NULL;
        kept = true;
    }
    atomic_fetch_add(&m->generation, 1);
    pthread_mutex_unlock(&m->wisdom_lock);
    core_free(own_key);
    core_free(own);
    return kept ? SLUICE_OK : SLUICE_E_MEMORY;
}

bool sched_wisdom_rate(sluice_machine *m, const char *key, sched_rate *out)
{
    pthread_mutex_lock(&m->wisdom_lock);
    const sched_wisdom *w = find_entry(m, key);
    const bool known = w && w->rate.seconds > 0;
    if (known)
        *out = w->rate;
    pthread_mutex_unlock(&m->wisdom_lock);
    return known;
}

bool sched_wisdom_store_rate(sluice_machine *m, const char *key, const sched_rate *rate)
{
    pthread_mutex_lock(&m->wisdom_lock);
    sched_wisdom *w = find_entry(m, key);
    if (w)
        w->rate = *rate;
    atomic_fetch_add(&m->generation, 1);
    pthread_mutex_unlock(&m->wisdom_lock);
    return w != NULL;
}

void sched_wisdom_judge(sluice_machine *m, const char *key, const char *formula, bool right)
{
    sched_wisdom gone = {.key = NULL};

    pthread_mutex_lock(&m->wisdom_lock);
    sched_wisdom *w = find_entry(m, key);
    if (w && strcmp(w->formula, formula) == 0) {
        w->proven = w->proven || right;
        if (!right) {
            gone = *w;
            atomic_fetch_add(&m->generation, 1);
            m->wisdom_count--;
            memmove(w, w + 1, (size_t)(m->wisdom + m->wisdom_count - w) * sizeof *w);
        }
    }
    pthread_mutex_unlock(&m->wisdom_lock);
    core_free(gone.key);
    core_free(gone.formula);
}

void sched_wisdom_each(sluice_machine *m, sched_wisdom_visit *visit, void *user)
{
    pthread_mutex_lock(&m->wisdom_lock);
    for (size_t i = 0; i < m->wisdom_count; i++)
        visit(user, m->wisdom[i].key, m->wisdom[i].formula, m->wisdom[i].proven,
              &m->wisdom[i].rate);
    pthread_mutex_unlock(&m->wisdom_lock);
}

void sched_wisdom_free(sluice_machine *m)
{
    for (size_t i = 0; i < m->wisdom_count; i++) {
        core_free(m->wisdom[i].key);
        core_free(m->wisdom[i].formula);
    }
    core_free(m->wisdom);
}
