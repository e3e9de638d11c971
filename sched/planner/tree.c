// SPDX-License-Identifier: BSD-3-Clause
/* Trees of rules: copied, compared, sorted by price, printed. */
#include "sched/planner/tree.h"

#include <string.h>

const sched_tree *sched_tree_new(spl_ctx *ctx, sched_tree x)
{
    sched_tree *made = spl_ctx_get(ctx, sizeof *made);

    if (made)
        *made = x;
    return made;
}

bool sched_tree_equal(const sched_tree *a, const sched_tree *b)
{
    if (a == b || !a || !b)
        return a == b;
    if (a->rule != b->rule || a->n != b->n || a->tile != b->tile || a->block_rows != b->block_rows
        || a->pairs_rows != b->pairs_rows || a->moved_ends != b->moved_ends
        || a->packed_sides != b->packed_sides || a->nkids != b->nkids
        || memcmp(&a->params, &b->params, sizeof a->params) != 0)
        return false;
    for (int i = 0; i < a->nkids; i++)
        if (!sched_tree_equal(a->kid[i], b->kid[i]))
            return false;
    return true;
}

bool sched_tree_fuses(const sched_tree *x)
{
    bool fuses = x && (x->tile > 0 || x->rule == &spl_dft_tiles);

    if (x && x->n == 0 && x->nkids > 1)
        return false;
    for (int i = 0; x && !fuses && i < x->nkids; i++)
        fuses = sched_tree_fuses(x->kid[i]);
    return fuses;
}

bool sched_tree_has_columns(const sched_tree *x)
{
    bool has = x && x->block_rows > 0;

    for (int i = 0; x && !has && i < x->nkids; i++)
        has = sched_tree_has_columns(x->kid[i]);
    return has;
}

bool sched_tree_has_halves(const sched_tree *x)
{
    bool has = x && x->pairs_rows;

    for (int i = 0; x && !has && i < x->nkids; i++)
        has = sched_tree_has_halves(x->kid[i]);
    return has;
}

bool sched_tree_transposes(const sched_tree *x)
{
    return x->rule == &spl_transposing_first || x->rule == &spl_transposing_last;
}

bool sched_tree_convolves(const sched_tree *x)
{
    return x->rule == &spl_dft_bluestein || x->rule == &spl_dft_rader;
}

bool sched_list_refuses(const sched_list *list, double cycles)
{
    return list->count == SCHED_MAX_CANDIDATES && list->tree[list->count - 1]->cycles <= cycles;
}

void sched_list_insert(spl_ctx *ctx, sched_list *list, const sched_tree *x)
{
    const sched_tree *kept =
        x && !sched_list_refuses(list, x->cycles) ? sched_tree_new(ctx, *x) : NULL;
    int at = list->count - (list->count == SCHED_MAX_CANDIDATES);

    if (!kept)
        return;
    list->count = at + 1;
    for (; at > 0 && list->tree[at - 1]->cycles > kept->cycles; at--)
        list->tree[at] = list->tree[at - 1];
    list->tree[at] = kept;
}

bool sched_list_has_codelet(const sched_list *list)
{
    bool has = false;

    for (int i = 0; i < list->count; i++)
        has = has || !list->tree[i]->rule;
    return has;
}

/* The rightmost factor of a product runs first. */
static void print_codelets(const sched_tree *x, char sign, core_text *out)
{
    if (!x->rule)
        core_text_printf(out, "%lld", (long long)x->n);
    const bool first_tiles = x->rule == &spl_dft_tiles;
    for (int i = x->nkids - 1; i >= 0; i--) {
        const bool shared = x->tile || (first_tiles && i > x->nkids - 3);
        print_codelets(x->kid[i], shared ? '*' : sign, out);
        if (i > 0)
            core_text_printf(out, "%c", shared && !(first_tiles && i == x->nkids - 2) ? '*' : sign);
    }
}

void sched_tree_print(const sched_tree *x, core_text *out)
{
    print_codelets(x, 'x', out);
}
