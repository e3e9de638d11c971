// SPDX-License-Identifier: BSD-3-Clause
/* A statement as code of one work-item: a transform or a step of pairs in registers, from the same
 * expressions as the SIMD codelets; or one element that is moved. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "spl/emit/ocl.h"

/* ---- transforms ---- */

static gen_var load_row(gen_emit *e, gen_io *part, int i)
{
    gen_var x = ocl_load_number(e, part->user, i);

    if (ocl_exchanges_re_im(((ocl_job *)part->user)->s))
        ocl_swap_re_im(&x);
    return x;
}

static void store_row(gen_emit *e, gen_io *part, int i, gen_var x)
{
    ocl_finish_number(e, part->user, i, x);
}

static gen_var known_row(gen_emit *e, gen_io *part, int i)
{
    (void)e;
    return ((ocl_job *)part->user)->read[i];
}

/* Scalar i of an expression of reals, which for complex numbers is one of their parts. */
static gen_var known_scalar(gen_emit *e, gen_io *part, int i)
{
    const ocl_job *j = part->user;
    gen_var x = {"", ""};

    (void)e;
    if (j->in.reals)
        return j->read[i];
    memcpy(x.re, i % 2 ? j->read[i / 2].im : j->read[i / 2].re, sizeof x.re);
    return x;
}

static void store_scalar(gen_emit *e, gen_io *part, int i, gen_var x)
{
    ocl_job *j = part->user;
    gen_var *const to = &j->written[j->out.reals ? i : i / 2];

    memcpy(!j->out.reals && i % 2 ? to->im : to->re, x.re, sizeof x.re);
    if (j->out.reals)
        ocl_finish_number(e, j, i, *to);
    else if (to->re[0] && to->im[0])
        ocl_finish_number(e, j, i / 2, *to);
}

/* Points of the DFT that the transform is computed by. */
static int64_t points_of(const prog_stmt *s)
{
    const spl_transform *t = spl_transform_of((spl_kind)s->kind);

    return t->more ? 2 * (s->n + t->more) : s->n;
}

static bool is_long(const prog_stmt *s)
{
    return points_of(s) > SPL_OPENCL_LARGEST;
}

/* Marks the inputs on which the first `outputs` outputs depend. */
static void mark_inputs(const gen_dag *dag, int64_t outputs, bool *used)
{
    bool needed[GEN_NODES] = {false};

    for (int64_t o = 0; o < outputs; o++)
        needed[dag->out[o]] = true;
    for (int k = dag->count; k-- > 0;) {
        const gen_node *x = &dag->node[k];
        if (needed[k] && x->op == GEN_IN)
            used[x->a] = true;
        for (int side = 0; side < 2 && needed[k] && x->op != GEN_IN; side++)
            if ((side ? x->b : x->a) >= 0)
                needed[side ? x->b : x->a] = true;
    }
}

/* All inputs are read first: an output of a real matrix may not depend on an input whose place it
 * takes. On complex numbers the matrix acts on real and imaginary parts alike. */
static void emit_kind(gen_emit *e, ocl_job *j, const gen_dag *dag)
{
    const prog_stmt *s = j->s;
    const bool scalars = j->in.reals || j->out.reals;
    bool used[GEN_NODES] = {false};
    gen_io part = {.dag = dag,
                   .load = scalars ? known_scalar : known_row,
                   .store = scalars ? store_scalar : store_row,
                   .user = j};

    const int64_t outputs = spl_transform_rows((spl_kind)s->kind, s->n);
    mark_inputs(dag, outputs * (scalars && !j->out.reals ? 2 : 1), used);
    for (int i = 0; i < spl_transform_cols((spl_kind)s->kind, s->n); i++)
        if (scalars && !j->in.reals ? used[2 * i] || used[2 * i + 1] : used[i])
            j->read[i] = ocl_load_number(e, j, i);
    e->vector.split = !scalars;
    gen_statements(e, &part);
}

static void emit_transform(gen_emit *e, ocl_job *j)
{
    const prog_stmt *s = j->s;
    const bool dft = prog_is_dft(s);
    gen_dag *dag = is_long(s) ? NULL : dft ? gen_dft((int)s->n) : gen_kind_dag(s->kind, (int)s->n);
    gen_io part = {.dag = dag, .load = load_row, .store = store_row, .user = j};

    if (is_long(s) || (dag && dag->failed))
        ocl_fail(j->o, core_fail(j->o->why, SLUICE_E_UNSUPPORTED, 0,
                                 "%s(%" PRId64 ") is too long for one work-item, which computes "
                                 "%d points, and is no product of two that are not",
                                 prog_kernel_word(s), s->n, SPL_OPENCL_LARGEST));
    else if (!dag)
        ocl_fail(j->o, core_fail_memory(j->o->why));
    else if (dft)
        gen_statements(e, &part);
    else
        emit_kind(e, j, dag);
    core_free(dag);
}

/* ---- steps of pairs ---- */

/* The i-th factor of a step, times the scale of its pairs, which is exact. */
static gen_var load_factor(gen_emit *e, int i)
{
    const ocl_job *j = e->user;
    const prog_stmt *s = j->s;
    const double by = (double)spl_pairs_def_of((spl_pairs_kind)s->kind)->scale;
    int k = 0;

    while (s->twiddle[k].place != PROG_FACTOR_MIDDLE || i-- > 0)
        k++;
    const int number = e->next_temp++;
    gen_var w, x = ocl_new_parts(e);
    snprintf(w.re, sizeof w.re, "w%d.x", number);
    snprintf(w.im, sizeof w.im, "w%d.y", number);
    gen_say(e, "const %sx2 w%d = %s;", j->o->value, number,
            ocl_factor_at(j->o, &j->factor[k], 0).text);
    if (by == 1)
        memcpy(x.re, w.re, sizeof x.re);
    else
        gen_assign(e, GEN_MULS, x.re, "mul", gen_constant(e, by).text, w.re, NULL);
    if (by == 1 && !s->twiddle[k].conjugate)
        memcpy(x.im, w.im, sizeof x.im);
    else
        gen_assign(e, GEN_MULS, x.im, "mul",
                   gen_constant(e, s->twiddle[k].conjugate ? -by : by).text, w.im, NULL);
    return x;
}

static void emit_step(gen_emit *e, ocl_job *j)
{
    const spl_pairs_kind kind = (spl_pairs_kind)j->s->kind;
    gen_var in[2], out[2];

    for (int i = 0; i < spl_role_cols(kind, j->s->role); i++)
        in[i] = ocl_load_number(e, j, i);
    e->factor = load_factor;
    e->user = j;
    gen_step(e, kind, j->s->role, in, out);
    for (int i = 0; i < spl_role_rows(kind, j->s->role); i++)
        ocl_finish_number(e, j, i, out[i]);
}

/* ---- elements ---- */

static void emit_move(gen_emit *e, ocl_job *j)
{
    const prog_stmt *s = j->s;
    gen_var x = {"0", "0"};

    if (s->op != PROG_ZERO)
        x = ocl_load_number(e, j, 0);
    if (s->op == PROG_KERN && s->kernel == SPL_RETYPE && s->kind == SPL_RETYPE_EMBED)
        snprintf(x.im, sizeof x.im, "0");
    if (s->op == PROG_KERN && s->kernel == SPL_RETYPE && s->kind == SPL_RETYPE_CONJ) {
        const gen_var y = ocl_new_parts(e);
        gen_say(e, "const %s %s = -%s;", e->vector.type, y.im, x.im);
        memcpy(x.im, y.im, sizeof x.im);
    }
    ocl_finish_number(e, j, 0, x);
}

/* ---- statements ---- */

/* Adds the lines of a body, which are indented by two levels, indented by `depth` levels. A body
 * that failed may end within a line. */
static void add_body(ocl *o, const core_text *body, int depth)
{
    o->c.text.failed = o->c.text.failed || body->failed;
    if (body->failed)
        return;
    for (const char *at = core_text_string(body); *at;) {
        const size_t length = strcspn(at, "\n");
        core_text_printf(&o->c.text, "%*s", 4 * depth, "");
        core_text_add(&o->c.text, at + 8, length + 1 - 8);
        at += length + 1;
    }
}

/* Numbers whose parts move together need only one index. */
static void print_place(ocl_job *j, ocl_side *of, const char *name, const ix *f, int depth)
{
    const int64_t shift = ocl_shift_of(j->o, of->buf);
    const int parts = of->paired && !of->whole ? 2 : 1;

    if (ocl_moves(j->s))
        ocl_print_element(j->o, &of->at, name, f, shift, of->paired ? 2 : 1, parts, depth);
    else
        ocl_print_rows(j->o, &of->at, name, f, shift, depth);
}

static void print_places(ocl_job *j, int depth)
{
    const prog_stmt *s = j->s;

    if (s->op != PROG_ZERO && !j->in.halves)
        print_place(j, &j->in, "from", s->fin, depth);
    if (!j->out.halves)
        print_place(j, &j->out, "to", s->fout, depth);
    for (int k = 0; k < s->ntwiddles && s->op == PROG_KERN; k++)
        if (!ocl_is_folded(j->o, s, k))
            ocl_print_factor(j->o, &j->factor[k], gen_print("turn%d", k).text, s, k, depth);
}

/* Does a stage that runs at once have fewer iterations than the group's items? */
static bool has_idle_items(const ocl *o, const prog_stmt *s)
{
    return s->at_once && o->iterations < o->turns * o->current_kernel->items;
}

static void print_condition(ocl *o, const prog_stmt *s, int depth)
{
    if (has_idle_items(o, s))
        spl_c_line(&o->c, depth, "if (j < %" PRId64 ") {\n", o->iterations);
}

static void print_condition_end(ocl *o, const prog_stmt *s, int depth)
{
    if (has_idle_items(o, s))
        spl_c_line(&o->c, depth, "}\n");
}

bool ocl_holds(const ocl *o, const prog_stmt *s)
{
    const prog_buf *in = &o->p->buf[s->in];

    return s->at_once && in->space == PROG_LOCAL && !in->halves;
}

gen_name ocl_held_name(const ocl *o, const prog_stmt *s, bool out)
{
    const size_t number = (size_t)(s - o->p->stmt);

    return out                       ? gen_print("left%zu", number)
           : o->p->buf[s->in].halves ? gen_print("held%zu", number)
                                     : gen_print("held");
}

int64_t ocl_held_numbers(const ocl *o, const prog_stmt *s, bool out)
{
    return o->turns * (out ? s->fout : s->fin)->n;
}

gen_name ocl_held_index(const ocl *o, const prog_stmt *s, bool out, int i)
{
    const int64_t each = (out ? s->fout : s->fin)->n;

    return o->turns > 1 ? gen_print("turn * %" PRId64 " + %d", each, i) : gen_print("%d", i);
}

/* Lets all items read into registers before any of them writes. */
static void print_held(const ocl_job *j, int depth)
{
    ocl *o = j->o;
    const gen_name from = ocl_buffer_name(o, j->in.buf, false);

    spl_c_line(&o->c, depth, "%sx%d held[%" PRId64 "];\n", o->value, j->in.reals ? 1 : 2, j->s->n);
    print_condition(o, j->s, depth);
    for (int i = 0; i < j->s->n; i++)
        if (j->in.whole)
            spl_c_line(&o->c, depth + has_idle_items(o, j->s), "held[%d] = %s;\n", i,
                       ocl_whole(o, &j->in, i, false).text);
        else if (j->in.paired)
            spl_c_line(&o->c, depth + has_idle_items(o, j->s),
                       "held[%d] = %sx2_of(%s[%s], %s[%s]);\n", i, o->value, from.text,
                       ocl_index(&j->in.at, 2 * i).text, from.text,
                       ocl_index(&j->in.at, 2 * i + 1).text);
        else
            spl_c_line(&o->c, depth + has_idle_items(o, j->s), "held[%d] = %s[%s];\n", i, from.text,
                       ocl_index(&j->in.at, i).text);
    print_condition_end(o, j->s, depth);
    ocl_print_wait(o, depth);
}

void ocl_print_half(ocl *o, const prog_stmt *s, bool out, char part, int depth)
{
    ocl_side side = ocl_side_of(o, s, out);
    const gen_name held = ocl_held_name(o, s, out), buf = ocl_buffer_name(o, side.buf, false);

    ocl_print_rows(o, &side.at, out ? "to" : "from", out ? s->fout : s->fin, 0, depth);
    print_condition(o, s, depth);
    for (int i = 0; i < (out ? s->fout : s->fin)->n; i++) {
        const gen_name at = ocl_index(&side.at, i), own = ocl_held_index(o, s, out, i);
        const int inner = depth + has_idle_items(o, s);
        if (out)
            spl_c_line(&o->c, inner, "%s[%s] = %s[%s].%c;\n", buf.text, at.text, held.text,
                       own.text, part);
        else
            spl_c_line(&o->c, inner, "%s[%s].%c = %s[%s];\n", held.text, own.text, part, buf.text,
                       at.text);
    }
    print_condition_end(o, s, depth);
}

static void emit_statement(gen_emit *e, ocl_job *j)
{
    const bool single = j->o->options->precision == SLUICE_F32;

    e->vector = (gen_vector){.type = single ? "f32x1" : "f64x1",
                             .width = 1,
                             .bytes = single ? 4 : 8,
                             .lanes = 1,
                             .split = true};
    e->fused = e->fuses = true;
    if (ocl_moves(j->s))
        emit_move(e, j);
    else if (j->s->kernel == SPL_PAIR)
        emit_step(e, j);
    else
        emit_transform(e, j);
}

void ocl_print_statement(ocl *o, const prog_stmt *s, int depth)
{
    ocl_job *j = core_calloc(1, sizeof *j);
    gen_emit *e = core_calloc(1, sizeof *e);

    if (j && e) {
        *j = (ocl_job){
            .o = o, .s = s, .in = ocl_side_of(o, s, false), .out = ocl_side_of(o, s, true)};
        print_places(j, depth);
        if (ocl_holds(o, s))
            print_held(j, depth);
        emit_statement(e, j);
        print_condition(o, j->s, depth);
        add_body(o, &e->body, depth + has_idle_items(o, j->s));
        print_condition_end(o, j->s, depth);
        core_text_free(&e->body);
    } else {
        ocl_fail(o, core_fail_memory(o->why));
    }
    core_free(e);
    core_free(j);
}
