// SPDX-License-Identifier: BSD-3-Clause
/* Finds the block of a buffer that one iteration of a loop reads or writes: bytes without a gap.
 *
 * Each op accesses `count` elements between the lowest and the highest address of its index
 * function, with the loops around the iteration at 0. No element is written twice (prog_check), so
 * several ops leave no gap if their counts add up to the distance. Elements that are read twice may
 * hide a gap, which does no harm: such blocks are only prefetched. The program's index functions
 * are used, so neither the order in which codelets run nor the loops that they take over matter. */
#include "spl/bind/bind_slices.h"
#include "spl/index/ix_form.h"

typedef struct span {
    int64_t low, high, count; /* elements */
} span;

/* Loop variables that change within the iteration: n[v] is the number of values, 0: constant. */
typedef struct inner {
    int64_t n[IX_MAX_VARS];
} inner;

static bool is_outside(const bind_tape *p, size_t loop, int var)
{
    for (size_t i = 0; i <= loop; i++)
        if (p->op[i].var == var && (i == loop || bind_slices_around(&p->op[i], i, loop)))
            return true;
    return false;
}

/* Finds the op's loops in the program that are inside the iteration. False: one is distributed to
 * members, or a loop over blocks of columns does not count the program's columns. */
static bool find_inner(const bind_tape *p, size_t loop, const bind_op *op, const prog_stmt *stmt,
                       inner *in)
{
    const size_t at = (size_t)(stmt - p->body->stmt);
    bool good = true;

    *in = (inner){{0}};
    for (const prog_stmt *s = p->body->stmt; s < stmt; s++) {
        const spl_range *r = &s->range;
        if (s->op != PROG_LOOP || s->end <= at)
            continue;
        const bool blocks = p->op[loop].of_columns && r->var == p->op[loop].var;
        if (!blocks && is_outside(p, loop, r->var))
            continue;
        in->n[r->var] = blocks ? op->cols.n : r->n;
        good = good && (blocks ? op->cols.n * p->op[loop].range.n == r->n : r->share_var < 0);
    }
    return good;
}

/* Adds the addresses of element i; false: they are not sums of digits of inner variables. */
static bool add_element(const ix *f, int64_t i, const inner *in, span *s)
{
    int64_t low, high;

    while (f->kind == IX_TWO && f->t->src == IX_INDEX)
        f = f->branch[i / f->t->div % 2];
    if (f->kind != IX_DIGIT)
        return false;
    low = high = f->c;
    for (int t = 0; t < f->nt; t++) {
        const ix_term *x = &f->t[t];
        if (x->src == IX_INDEX) {
            low += x->coef * (i / x->div % x->ext);
            high += x->coef * (i / x->div % x->ext);
            continue;
        }
        const int64_t values = (in->n[x->src] + x->div - 1) / x->div,
                      last = values > x->ext ? x->ext - 1 : values - 1;
        low += last > 0 && x->coef < 0 ? last * x->coef : 0;
        high += last > 0 && x->coef > 0 ? last * x->coef : 0;
    }
    s->low = low < s->low ? low : s->low;
    s->high = high > s->high ? high : s->high;
    return true;
}

static bool find_span(const bind_tape *p, size_t loop, const bind_op *op, bool out, span *s)
{
    const prog_stmt *stmt = !out && op->before ? op->before : op->stmt;
    const ix *f = out ? stmt->fout : stmt->fin;
    inner in;

    if (!find_inner(p, loop, op, stmt, &in))
        return false;
    *s = (span){INT64_MAX, INT64_MIN, f->n};
    for (int64_t i = 0; i < f->n; i++)
        if (!add_element(f, i, &in, s))
            return false;
    for (int v = 0; v < IX_MAX_VARS; v++)
        s->count *= in.n[v] > 1 && ix_uses(f, v) ? in.n[v] : 1;
    return true;
}

/* Do loops around the iteration move all rows of the side by the same distance? */
static bool moves_as_one(const bind_tape *p, size_t loop, const bind_op *op, bool out)
{
    bind_op outer = *op;

    bind_slices_outer_steps(p, loop, &outer);
    for (int i = 0; i < outer.nsteps; i++)
        if (out ? outer.step[i].os : outer.step[i].is)
            return false;
    return true;
}

/* Has b every step of a, for the same digit and by the same distance? */
static bool has_steps(const bind_op *a, const bind_op *b, bool out)
{
    for (int i = 0; i < a->nsteps; i++) {
        const bind_step *s = &a->step[i];
        ptrdiff_t by = 0;
        for (int k = 0; k < b->nsteps; k++)
            if (b->step[k].var == s->var && b->step[k].div == s->div && b->step[k].ext == s->ext)
                by = out ? b->step[k].out : b->step[k].in;
        if (by != (out ? s->out : s->in))
            return false;
    }
    return true;
}

/* Do the loops around the iteration move two ops alike? */
static bool move_alike(const bind_tape *p, size_t loop, const bind_op *a, const bind_op *b,
                       bool out)
{
    bind_op x = *a, y = *b;

    bind_slices_outer_steps(p, loop, &x);
    bind_slices_outer_steps(p, loop, &y);
    return has_steps(&x, &y, out) && has_steps(&y, &x, out);
}

/* Reads one op: the span of its elements, and how far an iteration moves them, in scalars. */
static bool read_op(const bind_tape *p, size_t loop, const bind_op *op, bool out, span *s,
                    int64_t *step)
{
    bind_step by;

    if (op->op != BIND_KERN || op->cols.share_var >= 0 || op->outer.share_var >= 0
        || p->buf[out ? op->out : op->in].format == SPL_SPLIT
        || !bind_uniform_step(op, p->op[loop].var, &by) || !moves_as_one(p, loop, op, out))
        return false;
    *step = out ? by.out : by.in;
    return find_span(p, loop, op, out, s);
}

/* Merges the ops from `first` to before `end` that access the buffer into one block. */
static bool read_ops(const bind_tape *p, size_t loop, size_t first, size_t end, int buffer,
                     bool out, bind_block *b)
{
    const bind_op *found = NULL;
    span all = {INT64_MAX, INT64_MIN, 0}, s;

    for (size_t i = first; i < end; i++) {
        const bind_op *op = &p->op[i];
        int64_t step;
        if (op->op == BIND_LOOP || (out ? op->out : op->in) != buffer)
            continue;
        if (!read_op(p, loop, op, out, &s, &step)
            || (found && (step != b->step || !move_alike(p, loop, found, op, out))))
            return false;
        found = op;
        b->step = step;
        all.low = s.low < all.low ? s.low : all.low;
        all.high = s.high > all.high ? s.high : all.high;
        all.count += s.count;
    }
    if (!found || all.count != all.high - all.low + 1)
        return false;
    const int64_t scalars = prog_scalars(&p->body->buf[buffer]);
    const bind_base *re = &found->base[(out ? 2 : 0) + found->swap];
    b->bytes = (size_t)(all.count * scalars) * p->scalar;
    b->base = *re;
    b->base.bytes += (ptrdiff_t)(all.low * scalars - (out ? found->out_offset : found->in_offset))
                     * (ptrdiff_t)p->scalar;
    return true;
}

bool bind_block_of_op(const bind_tape *p, size_t loop, size_t at, bool out, bind_block *b)
{
    return read_ops(p, loop, at, at + 1, out ? p->op[at].out : p->op[at].in, out, b);
}

bool bind_block_of_loop(const bind_tape *p, size_t loop, int buffer, bool out, bind_block *b)
{
    return read_ops(p, loop, loop + 1, p->op[loop].end, buffer, out, b)
           && b->step >= (int64_t)(b->bytes / p->scalar);
}
