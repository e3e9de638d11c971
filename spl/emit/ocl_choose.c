// SPDX-License-Identifier: BSD-3-Clause
/* Chooses which loops of a kernel are distributed to groups and items, and where its scratch is. */
#include "core/number.h"
#include "spl/emit/ocl.h"

enum { GROUPS = 32768 }; /* at most, if items can be distributed to any number of groups */

/* ---- statements ---- */

void ocl_fail(ocl *o, sluice_status status)
{
    if (o->status == SLUICE_OK)
        o->status = status;
}

bool ocl_moves(const prog_stmt *s)
{
    const bool transform = s->kernel == SPL_TRANSFORM && !(s->n == 1 && prog_is_dft(s));

    return s->op != PROG_KERN || (!transform && s->kernel != SPL_PAIR);
}

bool ocl_has_pairs(const ix *f)
{
    bool even = true, odd = false;

    if (f->kind == IX_OPAQUE)
        return ocl_has_pairs(f->inner) && ocl_has_pairs(f->outer);
    if (f->kind == IX_TWO)
        return (f->t->src != IX_INDEX || f->t->div % 2 == 0) && ocl_has_pairs(f->branch[0])
               && ocl_has_pairs(f->branch[1]);
    for (int t = 0; t < f->nt && f->kind == IX_DIGIT; t++) {
        const ix_term *x = &f->t[t];
        const bool last = x->src == IX_INDEX && x->div == 1;
        odd = odd || (last && x->coef == 1 && x->ext % 2 == 0);
        even = even && (last || (x->coef % 2 == 0 && (x->src != IX_INDEX || x->div % 2 == 0)));
    }
    return odd && even && f->c % 2 == 0;
}

/* Is each real moved by itself? A statement with factors moves as many elements as there are
 * factors; one without moves reals if both buffers have reals, unless pairs are adjacent in one of
 * them. */
static bool moves_reals(const ocl *o, const prog_stmt *s)
{
    const prog_buf *buf = o->p->buf;

    if (s->op == PROG_KERN && s->ntwiddles == 0
        && (ocl_has_pairs(s->fin) || ocl_has_pairs(s->fout)))
        return false;
    if (s->ntwiddles > 0)
        return buf[s->out].type == SPL_TYPE_REAL && s->twiddle[0].f->n == s->fout->n;
    return buf[s->in].type == SPL_TYPE_REAL && buf[s->out].type == SPL_TYPE_REAL;
}

bool ocl_counts_reals(const ocl *o, const prog_stmt *s, bool out)
{
    if (s->op == PROG_KERN && s->kernel == SPL_PAIR)
        return false;
    if (s->op == PROG_KERN && s->kernel == SPL_RETYPE)
        return s->kind == (out ? SPL_RETYPE_RE : SPL_RETYPE_EMBED);
    if (ocl_moves(s))
        return moves_reals(o, s);
    const spl_transform *t = spl_transform_of((spl_kind)s->kind);
    const spl_type type = out ? t->to : t->from;
    const ix *f = out ? s->fout : s->fin;
    if (type == SPL_TYPE_ANY)
        return f->n * prog_scalars(&o->p->buf[out ? s->out : s->in])
               == (out ? spl_transform_rows : spl_transform_cols)((spl_kind)s->kind, s->n);
    return type == SPL_TYPE_REAL;
}

int64_t ocl_elements(const ocl *o, const prog_stmt *s)
{
    const int64_t scalars = s->fout->n * prog_scalars(&o->p->buf[s->out]);

    if (!ocl_moves(s))
        return 1;
    return ocl_counts_reals(o, s, true) ? scalars : scalars / 2;
}

/* The most iterations that the loop can have. */
static int64_t most_iterations(const spl_range *r)
{
    if (r->share_var < 0)
        return r->n;
    const int64_t units = (r->n + r->grain - 1) / r->grain;
    return core_min(r->n, (units + r->shares - 1) / r->shares * r->grain);
}

int ocl_first_item_loop(const ocl *o, const prog_stage *stage)
{
    int first = 0;

    for (int l = 0; l < stage->count; l++) {
        const size_t at = (size_t)(stage->loop[l] - o->p->stmt),
                     group = o->current_kernel->group_loop;
        bool around = at <= group && group < stage->loop[l]->end;
        for (int m = l + 1; m < stage->count; m++)
            around = around || stage->loop[m]->range.share_var == stage->loop[l]->range.var;
        if (around)
            first = l + 1;
    }
    return first;
}

bool ocl_computes(const prog_stmt *s)
{
    return prog_is_stage(s) && !ocl_moves(s);
}

/* How many turns have their loads in flight together, at least and at most. */
enum { UNROLLED = 8, MOST_UNROLLED = 16 };

int64_t ocl_unrolled(const ocl *o, const prog_stmt *s)
{
    const ocl_kernel *k = o->current_kernel;
    const bool loads = o->p->buf[s->in].space != k->store || k->spilled;
    const int64_t local = k->spilled ? 0 : (k->hi - k->lo) * o->element_bytes;
    int64_t turns = UNROLLED;

    while (turns < MOST_UNROLLED && 4 * turns * k->items * o->element_bytes <= local)
        turns *= 2;
    return !ocl_computes(s) || (loads && s->kernel == SPL_PAIR) ? turns : 1;
}

/* Which statements determine the number of items: transforms that run at once, if there are any,
 * because others may take turns; else all transforms, else pairs, else moves. */
typedef enum weight { MOVES = 0, PAIRS, COMPUTES, AT_ONCE } weight;

static weight work_of(const prog_stmt *s)
{
    if (s->at_once && s->kernel != SPL_PAIR)
        return AT_ONCE;
    return !ocl_computes(s) ? MOVES : s->kernel == SPL_PAIR ? PAIRS : COMPUTES;
}

static weight heaviest(const prog *p, size_t from, size_t to)
{
    weight most = MOVES;

    for (size_t i = from; i < to; i++)
        if (prog_is_stage(&p->stmt[i]) && work_of(&p->stmt[i]) > most)
            most = work_of(&p->stmt[i]);
    return most;
}

/* The most items for which a statement from..to-1 of at least this weight has work. */
static int64_t most_items(const ocl *o, size_t from, size_t to, weight least)
{
    int64_t most = 1;

    for (size_t i = from; i < to; i = o->p->stmt[i].end) {
        prog_stage stage;
        int64_t items = 1;
        if (!prog_stage_at(o->p, i, &stage)) {
            items =
                o->p->stmt[i].op == PROG_LOOP ? most_items(o, i + 1, o->p->stmt[i].end, least) : 1;
        } else if (work_of(stage.stmt) >= least) {
            items = ocl_elements(o, stage.stmt);
            for (int l = ocl_first_item_loop(o, &stage); l < stage.count; l++)
                items *= most_iterations(&stage.loop[l]->range);
        }
        most = items > most ? items : most;
    }
    return most;
}

/* ---- groups ---- */

static bool touches(const prog_stmt *s, int buf)
{
    return prog_is_stage(s) && (s->in == buf || s->out == buf);
}

/* Does each iteration of the loop use the buffer for itself, so that groups may have one each? */
static bool is_own(const prog *p, size_t loop, int buf)
{
    const int var = p->stmt[loop].range.var;

    for (size_t i = 0; i < p->nstmts; i++) {
        const prog_stmt *s = &p->stmt[i];
        if (!touches(s, buf))
            continue;
        if (i < loop || i >= p->stmt[loop].end || (s->in == buf && ix_uses(s->fin, var))
            || (s->out == buf && ix_uses(s->fout, var)))
            return false;
    }
    return true;
}

static bool may_distribute(const prog *p, size_t at)
{
    if (p->stmt[at].op != PROG_LOOP || p->stmt[at].has_par || p->stmt[at].range.share_var >= 0)
        return false;
    for (int b = 0; b < p->nbufs; b++)
        for (size_t i = at; i < p->stmt[at].end; i++)
            if (p->buf[b].space == PROG_SHARED && touches(&p->stmt[i], b) && !is_own(p, at, b))
                return false;
    return true;
}

static bool is_of_groups(const prog *p, size_t at)
{
    const prog_stmt *s = &p->stmt[at];

    return s->op == PROG_LOOP && s->range.kind == SPL_PAR && s->range.share_var < 0;
}

size_t ocl_kernel_end(const prog *p, size_t at)
{
    size_t end = p->stmt[at].end;

    while (is_of_groups(p, at) && end < p->nstmts && p->stmt[end].depth == p->stmt[at].depth
           && is_of_groups(p, end))
        end = p->stmt[end].end;
    return end;
}

/* The loop of a statement that is distributed to groups; nstmts: none. */
static size_t group_loop_of(const prog *p, size_t at)
{
    prog_stage stage;
    size_t i = at;

    while (p->stmt[i].op == PROG_LOOP && p->stmt[i].has_par && p->stmt[i].range.kind != SPL_PAR
           && p->stmt[i + 1].end == p->stmt[i].end)
        i++;
    if (is_of_groups(p, i))
        return i;
    return !prog_stage_at(p, at, &stage) && may_distribute(p, at) ? at : p->nstmts;
}

void ocl_begin_statement(ocl *o, ocl_kernel *k, size_t at)
{
    const size_t before = k->group_loop;

    k->first_group = at == k->at ? 0 : k->first_group + o->p->stmt[before].range.n;
    k->statement = at;
    k->group_loop = group_loop_of(o->p, at);
}

static void choose_groups(ocl *o, ocl_kernel *k)
{
    const prog *p = o->p;
    prog_stage stage;

    k->end = ocl_kernel_end(p, k->at);
    for (size_t i = k->at; i < k->end; i = p->stmt[i].end) {
        ocl_begin_statement(o, k, i);
        const int64_t items = most_items(o, i, p->stmt[i].end, heaviest(p, i, p->stmt[i].end));
        k->items = items > k->items ? items : k->items;
    }
    k->spread = k->group_loop == p->nstmts && prog_stage_at(p, k->at, &stage);
    k->groups = k->group_loop < p->nstmts ? k->first_group + p->stmt[k->group_loop].range.n : 1;
    if (k->group_loop == p->nstmts || p->stmt[k->group_loop].range.kind != SPL_PAR)
        k->fallbacks |= DEVICE_GROUPS_OF_LOOP;
    if (k->items > o->options->items)
        k->fallbacks |= DEVICE_ITEMS_IN_TURN;
    if (k->spread)
        k->groups = core_min((k->items + o->options->items - 1) / o->options->items, GROUPS);
    k->items = core_min(k->items, o->options->items);
}

/* ---- scratch ---- */

static void choose_store(ocl *o, ocl_kernel *k)
{
    const prog *p = o->p;
    const bool promoted = k->group_loop == k->at && !p->stmt[k->at].has_par;

    k->store = promoted ? PROG_SHARED : PROG_LOCAL;
    for (size_t i = k->at; i < k->end; i++)
        for (int b = 0; b < p->nbufs; b++) {
            const prog_buf *buf = &p->buf[b];
            if (!touches(&p->stmt[i], b) || buf->space != k->store)
                continue;
            const int64_t places =
                (buf->elems * prog_held_scalars(buf) + PROG_PLACE_SCALARS - 1) / PROG_PLACE_SCALARS;
            const int64_t end = buf->offset + places;
            k->lo = k->hi == 0 ? buf->offset : core_min(k->lo, buf->offset);
            k->hi = end > k->hi ? end : k->hi;
        }
    k->spilled = (k->hi - k->lo) * o->element_bytes > o->options->local_bytes;
    k->fallbacks |= (promoted && k->hi > k->lo ? DEVICE_SHARED_IN_LOCAL : 0)
                    | (k->spilled ? DEVICE_SPILLED : 0);
    if (k->spilled && k->groups * (k->hi - k->lo) > o->spill)
        o->spill = k->groups * (k->hi - k->lo);
}

bool ocl_touches(const ocl *o, const ocl_kernel *k, int buf)
{
    for (size_t i = k->at; i < k->end; i++)
        if (touches(&o->p->stmt[i], buf))
            return true;
    return false;
}

bool ocl_views_output(const ocl *o)
{
    const prog_buf *buf = o->p->buf;

    return o->p->sides.in_place && prog_scalars(&buf[0]) != prog_scalars(&buf[1]);
}

static void note_scratch(ocl *o, ocl_kernel *k)
{
    k->arg[DEVICE_SPILL] = k->spilled;
    for (int b = 0; b < o->p->nbufs; b++)
        if (o->p->buf[b].space >= PROG_SHARED && o->p->buf[b].space != k->store
            && ocl_touches(o, k, b))
            k->arg[DEVICE_SCRATCH] = true;
}

bool ocl_reads_what_it_writes(const ocl *o, const ocl_kernel *k)
{
    bool read[2] = {false, false}, written[2] = {false, false}; /* sides; scratch */

    for (size_t i = k->at; i < k->end; i++) {
        const prog_stmt *s = &o->p->stmt[i];
        if (!prog_is_stage(s))
            continue;
        const prog_space in = o->p->buf[s->in].space, out = o->p->buf[s->out].space;
        if (in == PROG_OUT || (in == PROG_IN && o->p->sides.in_place))
            read[0] = true;
        else if (in != PROG_IN && (in != k->store || k->spilled))
            read[1] = true;
        if (out == PROG_OUT)
            written[0] = true;
        else if (out != k->store || k->spilled)
            written[1] = true;
    }
    return (read[0] && written[0]) || (read[1] && written[1]);
}

/* ---- factors ---- */

bool ocl_factor_is_one(const ocl *o, const prog_twiddle *w, int64_t row)
{
    static const int64_t zeros[IX_MAX_VARS];

    if (w->values != SPL_TWIDDLES || (w->f->kind != IX_DIGIT && w->f->kind != IX_TABLE))
        return false;
    int64_t most = ix_eval(w->f, row, zeros);
    for (int t = 0; t < w->f->nt && w->f->kind == IX_DIGIT; t++) {
        const ix_term *x = &w->f->t[t];
        if (x->src == IX_INDEX)
            continue;
        const int64_t last = (o->range[x->src] - 1) / x->div;
        most += x->coef > 0 ? x->coef * (last < x->ext ? last : x->ext - 1) : 0;
    }
    return most < w->m;
}

/* ---- the whole ---- */

void ocl_choose(ocl *o, ocl_kernel *k)
{
    choose_groups(o, k);
    for (size_t i = k->at; i < k->end; i++)
        k->stages += prog_is_stage(&o->p->stmt[i]);
    choose_store(o, k);
    note_scratch(o, k);
}
