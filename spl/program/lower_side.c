// SPDX-License-Identifier: BSD-3-Clause
/* Sides of stages: the buffers that a stage reads and writes, the types of their elements, and how
 * these are counted. */
#include "spl/program/lower.h"

#include "core/status.h"

const ix *low_in_array(low *l, low_side s)
{
    const prog_sides *sides = &l->p->sides;
    const ix *layout = s.buf == LOW_IN ? sides->in : s.buf == LOW_OUT ? sides->out : NULL;
    return layout == NULL ? s.f : ix_compose(l->ctx, layout, s.f);
}

bool low_is_paired(const low *l, const low_side *s)
{
    return s->type != SPL_TYPE_REAL && l->p->buf[s->buf].type == SPL_TYPE_REAL;
}

low_side low_new_side(low *l, int64_t n, spl_type type, bool reals)
{
    const bool paired = type != SPL_TYPE_REAL && reals;
    const int64_t elems = paired ? 2 * n : n;
    const spl_type of = reals ? SPL_TYPE_REAL : SPL_TYPE_COMPLEX;
    return (low_side){.buf = low_buf_new(l, elems, of), .f = ix_id(l->ctx, elems), .type = type};
}

low_side low_through(low *l, low_side s, const ix *g)
{
    if (s.f != NULL && low_is_paired(l, &s))
        g = ix_tensor(l->ctx, g, ix_id(l->ctx, 2));
    s.f = ix_compose(l->ctx, s.f, g);
    return s;
}

/* ---- types ---- */

static bool counts_reals(const spl *x, bool in);

bool low_counts_reals(const spl *const *kid, int from, int to, bool in)
{
    const spl_op moves = in ? SPL_GATH : SPL_SCAT;
    const int step = in ? -1 : 1;
    int i = in ? to - 1 : from;
    while (i >= from && i < to && kid[i]->op == moves)
        i += step;
    return i >= from && i < to && counts_reals(kid[i], in);
}

static bool counts_reals(const spl *x, bool in)
{
    if (x->op == SPL_RETYPE)
        return spl_retype_kind(x) == (in ? SPL_RETYPE_UNVIEW : SPL_RETYPE_VIEW);
    if (x->op == SPL_MUL)
        return low_counts_reals(x->kid, 0, x->nkids, in);
    bool any = false;
    for (int i = 0; (x->op == SPL_LOOP || x->op == SPL_PLUS) && i < x->nkids; i++)
        any = any || counts_reals(x->kid[i], in);
    return any;
}

/* The type that factors from .. to - 1 produce, the last of which reads `type`. */
static spl_type type_behind(const spl *const *kid, int from, int to, spl_type type)
{
    for (int i = from; i < to; i++)
        if (kid[i]->to != SPL_TYPE_ANY)
            return kid[i]->to;
    return type;
}

/* The output side as the last stage sees it, if it may hold intermediate results; else f is NULL.
 * It may do so only if that part of OUT is one contiguous block: strided scratch would cost more
 * than a buffer. Inside loops and terms, a last stage that is a nest without a scatter reaches the
 * whole output, parts of which belong to others. */
static low_side scratch_side(low *l, const spl *const *kid, const low_stage *last, low_side out)
{
    const prog_sides *sides = &l->p->sides;
    low_side none = {.buf = -1, .f = NULL};
    const bool shared = kid != l->whole->kid && last->lo == last->diag && last->has_core
                        && spl_is_loop_or_sum(kid[last->core]);
    if (!sides->out_is_scratch || sides->out != NULL || out.buf != LOW_OUT || shared)
        return none;
    for (int i = last->lo; i < last->diag; i++) {
        if (!spl_is_pair_view(kid[i]) && spl_move_class(kid[i]) != SPL_PLAIN)
            return none;
        if (spl_is_pair_view(kid[i]))
            out.type = kid[i]->from;
        else
            out = low_through(l, out, kid[i]->f);
    }
    return out.f != NULL && ix_run(out.f) == out.f->n ? out : none;
}

/* Is x a kernel of pairs, either a single one or one that the variable counts? */
static bool counts_pairs(const spl *x, int var, int64_t n)
{
    if (x->op == SPL_PAIR)
        return n == 1 || (x->f != NULL && ix_uses(x->f, var));
    return x->op == SPL_MUL && x->nkids == 3 && counts_pairs(x->kid[1], var, n);
}

static bool is_pair(const spl *x)
{
    bool found = x->op == SPL_PAIR;

    for (int i = 0; x->op == SPL_MUL && i < x->nkids; i++)
        found = found || x->kid[i]->op == SPL_PAIR;
    return found;
}

/* Does a digit of the loop's variable end inside an address below, so that the loop will be split
 * into shorter loops (lower_coalesce.c)? */
static bool will_be_split(const spl *x, const spl_range *r)
{
    bool split = x->f != NULL && low_boundary(x->f, r, false) > 0;

    for (int i = 0; i < x->nkids; i++)
        split = split || will_be_split(x->kid[i], r);
    return split;
}

/* Does a vector loop end with a partial vector, at some cost? Out of place a full vector that
 * overlaps the previous one will do. In place the remaining columns go through a buffer: once in a
 * loop of many vectors, but in each of the loops that it is split into. The remaining columns of
 * pairs are computed before the others, which costs less than another array, as there are few
 * operations per element. Loops over pairs of rows are left out: nearly all of them have a
 * remainder. */
static bool has_partial_vectors(const spl *x)
{
    enum { MANY = 64, SOME = 4 };

    if (x->op == SPL_LOOP && spl_loop_kind(x) == SPL_VEC
        && spl_loop_count(x) % spl_range_of(x).nu != 0) {
        const spl_range r = spl_range_of(x);
        const bool first = r.n >= SOME * r.nu && is_pair(x->kid[0]);
        const bool costs = will_be_split(x->kid[0], &r) || (r.n < MANY * r.nu && !first);
        return costs && !counts_pairs(x->kid[0], r.var, r.n);
    }
    for (int i = 0; i < x->nkids; i++)
        if (has_partial_vectors(x->kid[i]))
            return true;
    return false;
}

/* Should a stage work in place? */
static bool stays_in_place(low *l, const spl *const *kid, const low_stage *st, low_side in,
                           low_side out)
{
    if (in.f == NULL || out.f == NULL)
        return false;
    const spl *x = spl_mul(l->ctx, st->hi - st->lo, kid + st->lo);
    return x != NULL && low_in_place(l, x, in, out) && !has_partial_vectors(x);
}

/* Do the iterations of a stage run at once on the items of a group, so that it may read and write
 * the same local buffer? */
static bool runs_at_once(const low *l, const spl *const *kid, const low_stage *st, low_side same)
{
    const int64_t iterations = l->in_par && same.f != NULL ? low_iterations(kid, st) : 0;
    return iterations > 0 && iterations <= l->p->sides.group_items
           && l->p->buf[same.buf].space == PROG_LOCAL;
}

/* The vector between two stages: n elements of a type, counted as reals or not. */
typedef struct interface {
    int64_t n;
    spl_type type;
    bool reals;
} interface;

/* The vector between st[i] and st[i + 1]; `in` is the type that st[0] reads. */
static interface interface_behind(const low *l, const spl *const *kid, const low_stage *st, int i,
                                  spl_type in)
{
    const low_stage *w = &st[i], *r = &st[i + 1];
    const spl_type type = type_behind(kid, w->lo, st[0].hi, in);
    const bool inside = l->counts_reals
                        && (low_counts_reals(kid, w->lo, w->hi, false)
                            || low_counts_reals(kid, r->lo, r->hi, true));
    return (interface){kid[w->lo]->rows, type, type == SPL_TYPE_REAL || inside};
}

/* The side for that vector at the beginning of s; f is NULL if it may not be there. */
static low_side side_within(low *l, low_side s, const interface *x)
{
    const bool reals = s.buf >= 0 && l->p->buf[s.buf].type == SPL_TYPE_REAL;
    const int64_t n = reals && x->type != SPL_TYPE_REAL ? 2 * x->n : x->n;
    if (s.f == NULL || (x->reals && !reals) || s.f->n < n)
        return (low_side){.buf = -1, .f = NULL};
    if (s.f->n > n)
        s.f = ix_compose(l->ctx, s.f, ix_h(l->ctx, n, s.f->n, 0, 1));
    s.type = x->type;
    return s;
}

void low_choose_sides(low *l, const spl *const *kid, low_stage *st, int n, low_side in,
                      low_side *to)
{
    const low_side out = to[n - 1], scratch = scratch_side(l, kid, &st[n - 1], out);
    for (int i = n - 2; i >= 0; i--) {
        const interface x = interface_behind(l, kid, st, i, in.type);
        const bool before_out = to[i + 1].buf == out.buf;
        const low_side same = side_within(l, before_out ? scratch : to[i + 1], &x);
        to[i] = same;
        const bool stays = stays_in_place(l, kid, &st[i + 1], same, to[i + 1]);
        st[i + 1].at_once = !stays && runs_at_once(l, kid, &st[i + 1], same);
        if (!stays && !st[i + 1].at_once)
            to[i] = before_out ? (low_side){.f = NULL} : side_within(l, scratch, &x);
        if (to[i].f == NULL
            || (i == 0 && prog_share_memory(l->p, in.buf, to[i].buf)
                && !stays_in_place(l, kid, &st[i], in, to[i])))
            to[i] = low_new_side(l, x.n, x.type, x.reals);
    }
}

spl_type low_side_type(spl_type type, const prog_sides *sides)
{
    type = type == SPL_TYPE_ANY ? sides->type : type;
    return type == SPL_TYPE_ANY ? SPL_TYPE_COMPLEX : type;
}

bool low_open_side(low *l, const spl *x, bool out)
{
    prog_sides *sides = &l->p->sides;
    const spl_type type = low_side_type(out ? x->to : x->from, sides);
    const ix **const f = out ? &sides->out : &sides->in;
    int64_t *const n = out ? &l->p->rows : &l->p->cols;
    const bool reals = l->counts_reals && type != SPL_TYPE_REAL && counts_reals(x, !out);
    *n = out ? x->rows : x->cols;
    if (reals && (out ? sides->out_layout : sides->in_layout) == SLUICE_SPLIT) {
        spl_refuse(l->ctx, SLUICE_E_UNSUPPORTED,
                   "the formula counts reals in complex numbers of which re and im lie apart");
        return false;
    }
    if (reals && *f != NULL)
        *f = ix_tensor(l->ctx, *f, ix_id(l->ctx, 2));
    *n *= reals ? 2 : 1;
    const int b = low_buf_new(l, *n, reals ? SPL_TYPE_REAL : type);
    if (b >= 0)
        l->p->buf[b].space = out ? PROG_OUT : PROG_IN;
    return b >= 0;
}
