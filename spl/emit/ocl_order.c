// SPDX-License-Identifier: BSD-3-Clause
/* The order in which a stage's iterations are numbered for items: neighbouring items should access
 * the same line of global memory, and different banks of local memory. */
#include "spl/emit/ocl.h"
#include "spl/price/warps.h"

/* With more loops than this, orders are not compared. */
enum { MOST_LOOPS = 4 };
/* Cost of a line of global memory, in wavefronts of local memory. */
enum { LINE_COST = 4 };

static bool is_in_memory(const ocl *o, int buf)
{
    const ocl_kernel *k = o->current_kernel;

    return o->p->buf[buf].space != k->store || k->spilled;
}

/* No table, and no branches that a loop selects? */
static bool is_formula(const ix *f)
{
    if (f->kind == IX_TWO)
        return f->t->src == IX_INDEX && is_formula(f->branch[0]) && is_formula(f->branch[1]);
    return f->kind != IX_TABLE;
}

/* May the loops be exchanged, and accesses be counted? */
static bool is_countable(const prog_stage *stage)
{
    for (int l = 0; l < stage->count; l++)
        if (stage->loop[l]->range.share_var >= 0)
            return false;
    return stage->count > 1 && stage->count <= MOST_LOOPS && is_formula(stage->stmt->fin)
           && is_formula(stage->stmt->fout);
}

static int64_t cost_of(const ocl *o, const prog_stage *stage)
{
    const prog_stmt *s = stage->stmt;
    warp_nest nest = {.item_count = stage->count,
                      .elements = ocl_elements(o, s),
                      .width = o->current_kernel->items};
    int64_t cost = 0;

    for (int l = 0; l < stage->count; l++)
        nest.item[l] = &stage->loop[l]->range;
    for (int side = 0; side < 2; side++) {
        const prog_buf *buf = &o->p->buf[side ? s->out : s->in];
        const int64_t scalars = prog_held_scalars(buf);
        const warp_access access = {.f = side ? s->fout : s->fin,
                                    .bytes =
                                        (int)(o->element_bytes / PROG_PLACE_SCALARS * scalars)};
        warp_counts counts = {.exact = true};
        warp_count(&counts, &nest, &access);
        cost +=
            is_in_memory(o, side ? s->out : s->in) ? LINE_COST * counts.lines : counts.wavefronts;
    }
    return cost;
}

/* Tries all orders of the first n loops; the loops after them stay. */
static void try_orders(const ocl *o, prog_stage *tried, int n, prog_stage *best, int64_t *least)
{
    if (n <= 1) {
        const int64_t cost = cost_of(o, tried);
        if (cost < *least) {
            *least = cost;
            *best = *tried;
        }
        return;
    }
    for (int l = n - 1; l >= 0; l--) {
        const prog_stmt *const last = tried->loop[n - 1], *const chosen = tried->loop[l];
        tried->loop[n - 1] = chosen;
        tried->loop[l] = last;
        try_orders(o, tried, n - 1, best, least);
        tried->loop[l] = chosen;
        tried->loop[n - 1] = last;
    }
}

prog_stage ocl_in_order(const ocl *o, const prog_stage *stage)
{
    prog_stage best = *stage, tried = *stage;
    int64_t least = INT64_MAX;

    if (is_countable(stage))
        try_orders(o, &tried, stage->count, &best, &least);
    return best;
}
