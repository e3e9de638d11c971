// SPDX-License-Identifier: BSD-3-Clause
/* What candidates transpose; keeps some candidates of each kind in a full list. */
#include "sched/planner/transposed.h"

/* The minimum of a kind in a full list, if there are that many. Candidates that transpose nothing
 * can only be told apart as programs, so several are kept. */
typedef struct share {
    sched_transposed kind;
    int least;
} share;

static bool has_rows(const sched_tree *x)
{
    bool has = x && x->rule == &spl_columns_rows;

    for (int i = 0; x && !has && i < x->nkids; i++)
        has = has_rows(x->kid[i]);
    return has;
}

sched_transposed sched_transposed_of(const sched_tree *x)
{
    return x->block_rows > 0           ? SCHED_ARRAYS_AS_COLUMNS
           : has_rows(x)               ? SCHED_COLUMNS_AS_ROWS
           : sched_tree_has_halves(x)  ? SCHED_HALVES_AS_COLUMNS
           : sched_tree_has_columns(x) ? SCHED_ROWS_AS_COLUMNS
                                       : SCHED_NOTHING_TRANSPOSED;
}

static int count_of(const sched_list *list, sched_transposed kind)
{
    int count = 0;

    for (int i = 0; i < list->count; i++)
        count += sched_transposed_of(list->tree[i]) == kind;
    return count;
}

/* Removes the most expensive candidate of another kind. */
static void remove_other(sched_list *list, sched_transposed kind)
{
    int at = list->count - 1;

    while (at > 0 && sched_transposed_of(list->tree[at]) == kind)
        at--;
    list->count--;
    for (; at < list->count; at++)
        list->tree[at] = list->tree[at + 1];
}

/* Adds the cheapest candidates of a kind until there are enough of it. */
static void keep_some(const sched_target *t, const sched_place *at, int d, const sched_list *axis,
                      const sched_list *before, const share *kept, sched_list *all)
{
    sched_list found = {.count = 0};

    for (int i = 0; i < before->count; i++)
        for (int k = 0; k < axis->count; k++) {
            sched_tree x = *before->tree[i];
            x.cycles += (double)at->batch * axis->tree[k]->cycles;
            x.kid[d] = axis->tree[k];
            if (sched_transposed_of(&x) == kept->kind)
                sched_list_insert(t->ctx, &found, &x);
        }
    for (int i = count_of(all, kept->kind); i < kept->least && i < found.count; i++) {
        if (all->count == SCHED_MAX_CANDIDATES)
            remove_other(all, kept->kind);
        sched_list_insert(t->ctx, all, found.tree[i]);
    }
}

void sched_keep_transposed(const sched_target *t, const sched_place *at, int d,
                           const sched_list *axis, const sched_list *before, sched_list *all)
{
    static const share kept[] = {{SCHED_NOTHING_TRANSPOSED, SCHED_MAX_CANDIDATES / 2},
                                 {SCHED_COLUMNS_AS_ROWS, 1}};

    for (size_t i = 0; i < sizeof kept / sizeof *kept && all->count > 0; i++)
        if (count_of(all, kept[i].kind) < kept[i].least)
            keep_some(t, at, d, axis, before, &kept[i], all);
}
