// SPDX-License-Identifier: BSD-3-Clause
/* Goes through the kernels of a program as ocl_kernel.c prints them, and counts the accesses of
 * each statement. */
#include "spl/emit/ocl_count.h"

#include "core/mem.h"
#include "core/status.h"
#include "spl/emit/ocl.h"
#include "spl/price/occupancy.h"

typedef struct counter {
    ocl o;
    ocl_counts *out;
    ocl_kernel_counts *kernel;
    int around_count; /* enclosing loops: of the host, of groups, and those of all items */
    const spl_range *around[IX_MAX_VARS];
} counter;

/* ---- accesses ---- */

static warp_nest nest_of(const counter *c, const prog_stage *stage)
{
    warp_nest nest = {.outer_count = c->around_count,
                      .item_count = stage->count,
                      .elements = ocl_elements(&c->o, stage->stmt),
                      .width = c->kernel->items};

    for (int l = 0; l < c->around_count; l++)
        nest.outer[l] = c->around[l];
    for (int l = 0; l < stage->count; l++)
        nest.item[l] = &stage->loop[l]->range;
    return nest;
}

/* Numbers that are split or in halves take two accesses, for re and im. */
static int accesses_of(const ocl_side *side)
{
    return side->split || side->halves ? 2 : 1;
}

/* Counts the accesses of one side of a statement. */
static void count_side(const counter *c, const warp_nest *nest, const prog_stmt *s, bool out,
                       ocl_stage_counts *to)
{
    const ocl *o = &c->o;
    const ocl_kernel *k = o->current_kernel;
    const ocl_side side = ocl_side_of(o, s, out);
    const prog_buf *buf = &o->p->buf[side.buf];
    const bool own = buf->space == k->store;
    const int64_t bytes =
        o->element_bytes / PROG_PLACE_SCALARS * (side.split ? 1 : prog_held_scalars(buf));
    const int which = out ? OCL_STORE : OCL_LOAD;
    warp_access access = {
        .f = out ? s->fout : s->fin, .bytes = (int)bytes, .together = side.whole ? 2 : 1};

    if (buf->space == PROG_IN || buf->space == PROG_OUT)
        access.first = -o->out->side[buf->space == PROG_OUT].low * access.bytes;
    else
        access.first = (buf->offset - (own ? k->lo : 0)) * o->element_bytes;
    to->local[which] = own && !k->spilled;
    for (int part = 0; part < accesses_of(&side); part++)
        warp_count(&to->at[which], nest, &access);
}

/* Counts the accesses to factors. A factor that is 1 in all iterations is not read. */
static void count_factors(const counter *c, const warp_nest *nest, const prog_stmt *s,
                          warp_counts *out)
{
    for (int k = 0; k < s->ntwiddles && s->op == PROG_KERN; k++) {
        const prog_twiddle *w = &s->twiddle[k];
        if (ocl_computes_factor(&c->o, w) || ocl_is_folded(&c->o, s, k))
            continue;
        ocl_factor at;
        warp_access access = {.f = ocl_place_factor(&c->o, &at, s, k),
                              .bytes = (int)c->o.element_bytes};
        w = &at.w;
        for (int64_t row = 0; row < w->f->n && row < 64 && nest->elements == 1; row++)
            access.left |=
                (uint64_t)(ocl_factor_is_one(&c->o, w, row) || (row > 0 && ocl_is_one_factor(w)))
                << row;
        warp_count(out, nest, &access);
    }
}

/* Bytes that the items of a group load from global memory before they use any. */
static int64_t flight_of(const counter *c, const warp_nest *nest, const prog_stmt *s)
{
    const prog_buf *buf = &c->o.p->buf[s->in];
    const int64_t bytes =
        s->fin->n / nest->elements * c->o.element_bytes / PROG_PLACE_SCALARS * prog_scalars(buf);
    double items = (double)nest->elements;

    for (int l = 0; l < nest->item_count; l++)
        items *= (double)nest->item[l]->n
                 / (double)(nest->item[l]->share_var < 0 ? 1 : nest->item[l]->shares);
    const int64_t busy = items < (double)nest->width ? (int64_t)items : nest->width;
    const int64_t turns = ((int64_t)items + nest->width - 1) / nest->width;
    const int64_t together = ocl_unrolled(&c->o, s);
    return busy * bytes * (turns < together ? turns : together);
}

static void count_stage(counter *c, const prog_stage *stage)
{
    const prog_stmt *s = stage->stmt;
    const warp_nest nest = nest_of(c, stage);
    ocl_kernel_counts *k = c->kernel;
    ocl_stage_counts *to = &k->stage[k->nstages++];

    *to = (ocl_stage_counts){.stmt = (size_t)(s - c->o.p->stmt),
                             .points = nest.elements == 1 ? s->n : 0};
    for (int a = 0; a < OCL_ACCESSES; a++)
        to->at[a].exact = true;
    for (int l = 0; l < stage->count; l++)
        c->o.range[stage->loop[l]->range.var] = stage->loop[l]->range.n;
    if (s->op != PROG_ZERO)
        count_side(c, &nest, s, false, to);
    count_side(c, &nest, s, true, to);
    count_factors(c, &nest, s, &to->at[OCL_TABLE]);
    const bool loads = s->op != PROG_ZERO && !to->local[OCL_LOAD];
    const int64_t flight = loads ? flight_of(c, &nest, s) : 0;
    k->flight = flight > k->flight ? flight : k->flight;
    const int64_t registers =
        price_registers(to->points, c->o.options->precision == SLUICE_F64, s->ntwiddles > 0);
    k->registers = registers > k->registers ? registers : k->registers;
}

/* ---- kernels ---- */

static void enter(counter *c, const spl_range *r)
{
    c->o.range[r->var] = r->n;
    c->around[c->around_count++] = r;
}

static void count_body(counter *c, size_t from, size_t to)
{
    const prog *p = c->o.p;

    for (size_t i = from; i < to; i = p->stmt[i].end) {
        prog_stage stage;
        if (prog_stage_at(p, i, &stage) && ocl_first_item_loop(&c->o, &stage) == 0) {
            stage = ocl_in_order(&c->o, &stage);
            count_stage(c, &stage);
        } else if (p->stmt[i].op == PROG_LOOP) {
            enter(c, &p->stmt[i].range);
            count_body(c, i + 1, p->stmt[i].end);
            c->around_count--;
        }
    }
}

static int64_t launches_of(const counter *c)
{
    int64_t launches = 1;

    for (int l = 0; l < c->around_count; l++) {
        const spl_range *r = c->around[l];
        launches *= r->share_var < 0 ? r->n : (r->n + r->shares - 1) / r->shares;
    }
    return launches;
}

static void count_kernel(counter *c, size_t at)
{
    ocl *o = &c->o;
    ocl_kernel k = {.at = at};
    ocl_kernel_counts *to = &c->out->kernel[c->out->nkernels++];

    c->kernel = to;
    o->current_kernel = &k;
    ocl_choose(o, &k);
    to->stage = core_calloc((size_t)k.stages + 1, sizeof *to->stage);
    if (!to->stage) {
        ocl_fail(o, core_fail_memory(o->why));
        return;
    }
    to->groups = k.groups;
    to->items = k.items;
    to->launches = launches_of(c);
    to->local_bytes = k.spilled ? 0 : (k.hi - k.lo) * o->element_bytes;
    for (size_t i = at; i < k.end; i = o->p->stmt[i].end) {
        ocl_begin_statement(o, &k, i);
        count_body(c, i, o->p->stmt[i].end);
    }
}

/* Loops around a barrier between groups are loops of the host. */
static void count_sequence(counter *c, size_t from, size_t to)
{
    const prog *p = c->o.p;

    for (size_t i = from, end; i < to && c->o.status == SLUICE_OK; i = end) {
        end = ocl_kernel_end(p, i);
        if (p->stmt[i].op == PROG_SYNC)
            continue;
        if (p->stmt[i].op == PROG_LOOP && prog_has_sync(p, i, p->stmt[i].end)) {
            enter(c, &p->stmt[i].range);
            count_sequence(c, i + 1, p->stmt[i].end);
            c->around_count--;
        } else {
            count_kernel(c, i);
        }
    }
}

sluice_status spl_device_count(const prog *p, const spl_opencl *how, ocl_counts *out,
                               sluice_diag *why)
{
    device_program sides = {.nkernels = 0};
    counter c = {.o = {.p = p,
                       .options = how,
                       .out = &sides,
                       .element_bytes = how->precision == SLUICE_F32 ? 8 : 16,
                       .why = why},
                 .out = out};

    *out = (ocl_counts){.kernel = core_calloc(p->nstmts + 1, sizeof *out->kernel)};
    if (!out->kernel)
        return core_fail_memory(why);
    device_sides_of(&sides, p, how->precision);
    count_sequence(&c, 0, p->nstmts);
    return c.o.status;
}

void ocl_counts_free(ocl_counts *c)
{
    for (int k = 0; k < c->nkernels; k++)
        core_free(c->kernel[k].stage);
    core_free(c->kernel);
    *c = (ocl_counts){0};
}
