// SPDX-License-Identifier: BSD-3-Clause
/* Which bytes of the user's arrays belong to a block, also if it has fewer transforms than the
 * plan, and which bytes between them do not. */
#include <string.h>

#include "backends/opencl/opencl_state.h"

static const ix *layout_of(const opencl_program *p, int side)
{
    return side ? p->body->sides.out : p->body->sides.in;
}

static int64_t elements_in_block(const opencl_program *p, int side, size_t count, size_t full)
{
    return p->body->buf[side].elems / (int64_t)full * (int64_t)count;
}

static int64_t apply_layout(const ix *f, int64_t i)
{
    static const int64_t zeros[IX_MAX_VARS];

    return f ? ix_eval(f, i, zeros) : i;
}

static int64_t place_in_array(const opencl_program *p, int side, int64_t i)
{
    const prog_hook *h = opencl_hook_of(p, side);

    return h ? prog_hook_place(h, i) : apply_layout(layout_of(p, side), i);
}

/* The distance in the array from transform to transform; false: it is not constant. */
static bool steps_evenly(const opencl_program *p, int side, size_t full, int64_t *step)
{
    const int64_t each = elements_in_block(p, side, full, full) / (int64_t)full;
    const int64_t first = place_in_array(p, side, 0);

    *step = full > 1 ? place_in_array(p, side, each) - first : 0;
    for (int64_t k = 2; k < (int64_t)full; k++)
        if (place_in_array(p, side, k * each) - first != k * *step)
            return false;
    return true;
}

/* How many elements of the array are the block's. */
static int64_t count_present(const opencl_program *p, int side, size_t count, size_t full)
{
    const prog_hook *h = opencl_hook_of(p, side);

    return h ? prog_hook_present(h) / (int64_t)full * (int64_t)count
             : elements_in_block(p, side, count, full);
}

opencl_span opencl_span_of(const opencl_program *p, int side, size_t count, size_t full)
{
    const device_side *s = &p->made.side[side];
    int64_t low = s->low, high = s->high, step;

    if (count < full && steps_evenly(p, side, full, &step)) {
        const int64_t rest = ((int64_t)full - (int64_t)count) * step;
        low -= rest < 0 ? rest : 0;
        high -= rest > 0 ? rest : 0;
    }
    return (opencl_span){.from = (size_t)(low - s->low) * s->element_bytes,
                         .bytes = (size_t)(high - low + 1) * s->element_bytes,
                         .dense = high - low + 1 == count_present(p, side, count, full)};
}

/* Packed elements from one multiple of this number to the next are adjacent in the array too. */
static int64_t adjacent_run(const ix *f, int64_t elements)
{
    if (!f)
        return elements;
    for (int t = 0; t < f->nt && f->kind == IX_DIGIT; t++)
        if (f->t[t].src == IX_INDEX && f->t[t].div == 1 && f->t[t].coef == 1)
            return f->t[t].ext;
    return 1;
}

/* Copies a row at a time, without elements that hooks leave out. */
static void copy_hooked(const prog_hook *h, const device_side *s, int64_t elements, char *to,
                        const char *from)
{
    const ptrdiff_t stride = h->dim[h->dims - 1].stride;
    int64_t run, present;
    ptrdiff_t place;

    for (int64_t i = 0; i < elements; i += run) {
        run = prog_hook_run(h, i, elements - i, &present, &place);
        const int64_t adjacent = stride == 1 ? present : 1;
        for (int64_t k = 0; k < present; k += adjacent) {
            const size_t at = (size_t)(place + k * stride - s->low) * s->element_bytes;
            memcpy(to + at, from + at, (size_t)adjacent * s->element_bytes);
        }
    }
}

void opencl_copy_elements(const opencl_program *p, size_t count, size_t full, char *to,
                          const char *from)
{
    const ix *f = layout_of(p, 1);
    const device_side *s = &p->made.side[1];
    const int64_t elements = elements_in_block(p, 1, count, full);
    const int64_t run = adjacent_run(f, elements);

    if (opencl_hook_of(p, 1)) {
        copy_hooked(opencl_hook_of(p, 1), s, elements, to, from);
        return;
    }
    for (int64_t i = 0; i < elements; i += run) {
        const int64_t left = elements - i < run ? elements - i : run;
        const size_t at = (size_t)(apply_layout(f, i) - s->low) * s->element_bytes;
        memcpy(to + at, from + at, (size_t)left * s->element_bytes);
    }
}

/* ---- groups of a block that is not full ---- */

/* Does an access move by 1/n of the side with each of the loop's n iterations? */
static bool splits_side(const opencl_program *p, int side, const ix *f, const spl_range *r)
{
    const ix *layout = layout_of(p, side);
    const int64_t elements = p->body->buf[side].elems;

    if (f->kind != IX_DIGIT || elements % r->n != 0)
        return false;
    const int64_t step =
        r->n > 1 ? apply_layout(layout, elements / r->n) - apply_layout(layout, 0) : 0;
    for (int t = 0; t < f->nt; t++)
        if (f->t[t].src == r->var)
            return f->t[t].div == 1 && f->t[t].ext >= r->n && f->t[t].coef == step;
    return false;
}

/* Have all groups the same number of iterations? */
static bool is_even(const spl_range *r)
{
    return r->share_var < 0 || r->n % (r->shares * r->grain) == 0;
}

/* Does the statement access the user's arrays in the order of iterations of the loop `group`, or of
 * a loop that takes shares by it? */
static bool is_in_order(const opencl_program *p, const prog_stmt *group, const prog_stmt *s)
{
    const int buffer[2] = {s->in, s->out};
    const ix *const access[2] = {s->fin, s->fout};
    bool ordered[2] = {s->in > 1, s->out > 1};

    for (const prog_stmt *l = group; l < s; l++) {
        const bool around = l->op == PROG_LOOP && l->end > (size_t)(s - p->body->stmt);
        if (!around || !is_even(&l->range)
            || (l != group && l->range.share_var != group->range.var))
            continue;
        for (int i = 0; i < 2; i++)
            ordered[i] = ordered[i] || splits_side(p, buffer[i], access[i], &l->range);
    }
    return ordered[0] && ordered[1];
}

void opencl_order_groups(opencl_program *p)
{
    const prog *body = p->body;
    const prog_stmt *group = &body->stmt[0];
    bool ordered = body->nstmts > 0 && group->op == PROG_LOOP && group->range.kind == SPL_PAR
                   && group->end == body->nstmts && p->made.nkernels == 1 && p->made.nsteps == 1
                   && p->made.kernel[0].groups == group->range.n;

    for (size_t i = 1; i < body->nstmts && ordered; i++)
        ordered = !prog_is_stage(&body->stmt[i]) || is_in_order(p, group, &body->stmt[i]);
    if (ordered)
        p->made.kernel[0].by_count = true;
}
