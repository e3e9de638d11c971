// SPDX-License-Identifier: BSD-3-Clause
/* What candidates transpose, and that a full list has one of each. */
#include "sched/planner/transposed.h"

static bool has_rows(const sched_tree *x)
{
    bool has = x && x->rule == &spl_columns_rows;

    for (int i = 0; x && !has && i < x->nkids; i++)
        has = has_rows(x->kid[i]);
    return has;
}

sched_transposed sched_transposed_of(const sched_tree *x)
{
    return x->columns > 0              ? SCHED_ARRAYS_AS_COLUMNS
           : has_rows(x)               ? SCHED_COLUMNS_AS_ROWS
           : sched_tree_has_halves(x)  ? SCHED_HALVES_AS_COLUMNS
           : sched_tree_has_columns(x) ? SCHED_ROWS_AS_COLUMNS
                                       : SCHED_NOTHING_TRANSPOSED;
}

static bool has_one(const sched_list *list, sched_transposed kind)
{
    bool has = false;

    for (int i = 0; i < list->count && !has; i++)
        has = sched_transposed_of(list->tree[i]) == kind;
    return has;
}

/* Adds the cheapest one. */
static void keep_one(sched_target *t, const sched_place *at, int d, const sched_list *axis,
                     const sched_list *before, sched_transposed kind, sched_list *all)
{
    sched_list found = {.count = 0};

    for (int i = 0; i < before->count; i++)
        for (int k = 0; k < axis->count; k++) {
            sched_tree x = *before->tree[i];
            x.cycles += (double)at->batch * axis->tree[k]->cycles;
            x.kid[d] = axis->tree[k];
            if (sched_transposed_of(&x) == kind)
                sched_list_insert(t->ctx, &found, &x);
        }
    if (found.count == 0)
        return;
    all->count -= all->count == SCHED_MAX_CANDIDATES;
    sched_list_insert(t->ctx, all, found.tree[0]);
}

void sched_keep_transposed(sched_target *t, const sched_place *at, int d, const sched_list *axis,
                           const sched_list *before, sched_list *all)
{
    static const sched_transposed kinds[] = {SCHED_NOTHING_TRANSPOSED, SCHED_COLUMNS_AS_ROWS};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && all->count > 0; i++)
        if (!has_one(all, kinds[i]))
            keep_one(t, at, d, axis, before, kinds[i], all);
}
