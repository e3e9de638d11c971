// SPDX-License-Identifier: BSD-3-Clause
/* Two consecutive stages as one codelet at position P: transforms of the rows and of the columns of
 * small planes of reals, in either order, if only the second stage reads what the first one writes.
 * The loop around both becomes the codelet's planes. The bits are those of the two stages. If the
 * second one has a constant, results are multiplied in place, as for other stages. */
#include <string.h>

#include "spl/bind/bind_choice.h"
#include "spl/codelet/gen.h"

/* One of the two stages. Its lanes are the rows of the plane, or its columns. */
typedef struct plane_stage {
    prog_stage stage;
    bind_side in, out;
    bool down; /* it transforms the columns */
} plane_stage;

static bool is_transform_of_lanes(const prog_stage *stage, const bind_tape *p)
{
    const prog_stmt *k = stage->stmt;
    const spl_range *lanes = stage->count == 1 ? &stage->loop[0]->range : NULL;

    return k->op == PROG_KERN && k->kernel == SPL_TRANSFORM && bind_is_real_kind(k->kind) && lanes
           && lanes->kind == SPL_VEC && lanes->n == k->n && lanes->share_var < 0
           && p->buf[k->in].format == SPL_REAL && p->buf[k->out].format == SPL_REAL;
}

/* Distance from row to row of the plane on a side of a stage; 0: not a plane. */
static int64_t pitch_of(const plane_stage *s, const bind_side *side)
{
    const int v = s->stage.loop[0]->range.var;
    const int64_t lane = side->at.loop[v], row = side->at.row;

    if (!side->at.row_linear || side->at.digits[v] || side->format != SPL_REAL)
        return 0;
    return s->down && lane == 1 ? row : !s->down && row == 1 ? lane : 0;
}

static bool read_stage(bind_tape *p, size_t at, int depth, const prog_stmt *const *open, bool down,
                       plane_stage *s)
{
    const bind_choice ch = {.tape = p, .stage = &s->stage};

    s->down = down;
    if (!prog_stage_at(p->body, at, &s->stage))
        return false;
    s->stage.outer_count = depth;
    memcpy(s->stage.outer, open, (size_t)depth * sizeof open[0]);
    const prog_stmt *k = s->stage.stmt;
    return is_transform_of_lanes(&s->stage, p) && bind_read_side(&ch, k->in, k->fin, &s->in)
           && bind_read_side(&ch, k->out, k->fout, &s->out) && pitch_of(s, &s->in) != 0
           && pitch_of(s, &s->out) != 0;
}

/* Do two sides access the same plane in every iteration of the enclosing loops? */
static bool is_same_plane(const plane_stage *s, const bind_side *a, const plane_stage *t,
                          const bind_side *b)
{
    bool same = a->at.c == b->at.c && pitch_of(s, a) == pitch_of(t, b);

    for (int i = 0; i < s->stage.outer_count; i++) {
        const int v = s->stage.outer[i]->range.var;
        same = same && !a->at.digits[v] && !b->at.digits[v] && a->at.loop[v] == b->at.loop[v];
    }
    return same;
}

/* Is the second stage the only one that reads what the first one writes? */
static bool is_between(const bind_tape *p, const plane_stage *first, const plane_stage *second)
{
    const prog *body = p->body;
    const int between = first->stage.stmt->out;
    bool own = second->stage.stmt->in == between;

    for (size_t i = 0; i < body->nstmts; i++) {
        const prog_stmt *s = &body->stmt[i];
        const bool reads = s->op == PROG_KERN && s->in == between && s != second->stage.stmt;
        own = own && !reads && s->op != PROG_COPY;
    }
    if (second->stage.stmt->out == between)
        return own && is_same_plane(second, &second->in, second, &second->out);
    return own && body->buf[between].space > PROG_OUT;
}

static const spl_codelet *find_plane(const bind_tape *p, const prog_stmt *k)
{
    const spl_codelet *found = NULL;

    for (int isa = (int)p->target->isa; isa > CORE_ISA_SCALAR && !found; isa--) {
        const spl_key key = {.n = (int)k->n,
                             .isa = (core_isa)isa,
                             .precision = (int)p->precision,
                             .compute = SPL_REAL,
                             .in = SPL_REAL,
                             .out = SPL_REAL,
                             .position = SPL_POS_P,
                             .tw = SPL_TW_NONE,
                             .kind = k->kind};
        found = k->n <= BIND_MAX_WHOLE ? bind_codelet_find(p->target, &key) : NULL;
    }
    return found;
}

/* May the codelet take over the loop? Yes if it is the stages' own and has constant steps on both
 * sides. */
static bool may_take_loop(const bind_choice *ch, const prog_stmt *loop)
{
    const int v = loop->range.var;

    return !bind_encloses_stages(ch, loop) && !ch->in.at.digits[v] && !ch->out.at.digits[v];
}

/* Has the second stage no factors except constants, and the first none at all? */
static bool read_scale(bind_choice *ch, const prog_stmt *first)
{
    bind_read_factors(ch);
    return first->ntwiddles == 0 && !ch->has_tw;
}

/* Reads both stages, from statement `at` on. */
static bool read_stages(bind_tape *p, size_t at, int depth, const prog_stmt *const *open,
                        plane_stage *first, plane_stage *second)
{
    prog_stage stage;

    if (!prog_stage_at(p->body, at, &stage) || stage.stmt->op != PROG_KERN
        || stage.stmt->kernel != SPL_TRANSFORM)
        return false;
    const bool down = gen_plane_columns_first(stage.stmt->kind);
    if (!read_stage(p, at, depth, open, down, first)
        || !read_stage(p, p->body->stmt[at].end, depth, open, !down, second))
        return false;
    const prog_stmt *k = first->stage.stmt, *next = second->stage.stmt;
    return k->kind == next->kind && k->n == next->n && is_between(p, first, second)
           && is_same_plane(first, &first->out, second, &second->in);
}

bool bind_plane(bind_tape *p, size_t at, size_t end, int depth, const prog_stmt *const *open,
                const prog_stmt *planes, bind_op *op)
{
    const prog *body = p->body;
    const size_t next = body->stmt[at].end;
    sluice_diag why;
    plane_stage first, second;

    if (next >= end || body->sides.hook[0] || body->sides.hook[1]
        || !read_stages(p, at, depth, open, &first, &second))
        return false;
    const prog_stmt *k = first.stage.stmt;
    *op = (bind_op){.stmt = second.stage.stmt,
                    .before = k,
                    .in = k->in,
                    .out = second.stage.stmt->out,
                    .codelet = find_plane(p, k)};
    first.in.at.row = pitch_of(&first, &first.in);
    second.out.at.row = pitch_of(&second, &second.out);
    second.stage.count = 0;
    bind_choice ch = {.tape = p,
                      .stage = &second.stage,
                      .op = op,
                      .in = first.in,
                      .out = second.out,
                      .cols = planes,
                      .lanes = 1};
    if (!op->codelet || !read_scale(&ch, k) || (planes && !may_take_loop(&ch, planes))
        || bind_fill(&ch, NULL, &why) != SLUICE_OK)
        return false;
    bind_fill_scale(&ch);
    return true;
}
