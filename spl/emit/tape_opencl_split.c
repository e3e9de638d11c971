// SPDX-License-Identifier: BSD-3-Clause
/* Parallel loops whose iterations are shares of one loop. The loop's iterations are independent, so
 * any number of shares gives the same results. */
#include "spl/bind/bind_slices.h"
#include "spl/emit/tape_opencl_parts.h"

/* The range of a loop, or of columns or rows, of which the iterations of a parallel loop take
 * shares; NULL: none. */
static const spl_range *range_shared(const bind_op *op, const bind_op *loop)
{
    const spl_range *const ranges[] = {&op->range, &op->cols, &op->outer};

    for (int i = op->op == BIND_LOOP ? 0 : 1; i < (op->op == BIND_LOOP ? 1 : 3); i++)
        if (ranges[i]->n > 0 && ranges[i]->share_var == loop->var)
            return ranges[i];
    return NULL;
}

static bool steps_follow(const bind_op *op, int var)
{
    for (int i = 0; i < op->nsteps; i++)
        if (op->step[i].var == var)
            return true;
    return false;
}

/* Do addresses of an op depend on a loop variable, other than through its share? */
static bool addresses_follow(const bind_op *op, int var)
{
    const prog_stmt *s = op->stmt;

    if (op->op == BIND_LOOP)
        return op->slices
               && (steps_follow(&op->slices->put, var) || steps_follow(&op->slices->get, var));
    if (steps_follow(op, var) || op->op == BIND_SYNC)
        return true;
    if (op->op == BIND_KERN || op->op == BIND_COPY)
        return false;
    for (int k = 0; k < s->ntwiddles; k++)
        if (ix_uses(s->twiddle[k].f, var))
            return true;
    return (s->fin && ix_uses(s->fin, var)) || (s->fout && ix_uses(s->fout, var));
}

int64_t tape_opencl_split(const tape_c *e, const bind_op *loop)
{
    const bind_op *const first = loop + 1, *const end = e->p->op + loop->end;
    const spl_range *const r = first < end ? range_shared(first, loop) : NULL;

    if (!r || (int64_t)e->p->local_bytes > e->opencl->how->local_bytes || r->shares != loop->range.n
        || first + 1 > end || (first->op == BIND_LOOP ? e->p->op + first->end : first + 1) != end)
        return 1;
    for (const bind_op *op = first; op < end; op++) {
        const spl_range *const other = range_shared(op, loop);
        if (addresses_follow(op, loop->var) || (other && other != r))
            return 1;
    }
    const int64_t wanted = e->opencl->how->groups / r->shares, most = r->n / r->grain / r->shares;
    const int64_t split = wanted < most ? wanted : most;
    return split > 1 ? split : 1;
}
