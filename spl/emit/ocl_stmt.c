// SPDX-License-Identifier: BSD-3-Clause
/* A statement as code of one work-item: a DFT in registers, from the expression that the SIMD
 * codelets are printed from; or one element that moves. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "spl/emit/ocl.h"

/* An index function where it is used: a part that the loops give, computed once under a name, and
 * a constant for every row. */
typedef struct place {
    const ix *f;
    char name[16];
    int64_t shift; /* the index of what the function calls 0 */
} place;

typedef struct job {
    ocl *o;
    const prog_stmt *s;
    bool moves; /* one element, whose index is the place's name */
    place in, out, twiddle[PROG_MAX_TWIDDLES];
} job;

/* ---- buffers ---- */

static bool is_split(const ocl *o, int buf)
{
    const prog_space space = o->p->buf[buf].space;

    return (space == PROG_IN && o->p->sides.in_layout == SLUICE_SPLIT)
           || (space == PROG_OUT && o->p->sides.out_layout == SLUICE_SPLIT);
}

/* In place there is one side only. */
static gen_name buffer_name(ocl *o, int buf, bool im)
{
    const prog_space space = o->p->buf[buf].space;

    if (space != PROG_IN && space != PROG_OUT)
        return gen_print("b%d", buf);
    const device_role arg =
        (device_role)((space == PROG_IN && !o->p->sides.in_place ? DEVICE_IN : DEVICE_OUT)
                      + (int)im);
    o->current_kernel->arg[arg] = true;
    return gen_print("%s", device_role_name(arg));
}

static int64_t shift_of(const ocl *o, int buf)
{
    const prog_space space = o->p->buf[buf].space;

    return space == PROG_IN ? -o->out->side[0].low : space == PROG_OUT ? -o->out->side[1].low : 0;
}

static int table_number(ocl *o, const prog_twiddle *w)
{
    int k = 0;

    while (k < o->ntables
           && (o->table[k].values != w->values || o->table[k].n != w->n || o->table[k].m != w->m))
        k++;
    if (k == o->ntables)
        o->table[o->ntables++] = (ocl_table){w->values, w->n, w->m};
    o->current_kernel->table[k] = true;
    return k;
}

/* ---- indices ---- */

static bool has_loops(const ix *f)
{
    for (int t = 0; t < f->nt; t++)
        if (f->t[t].src != IX_INDEX)
            return true;
    return false;
}

/* Has it neither digits nor a table? */
static bool is_listed(const ix *f)
{
    return f->kind == IX_OPAQUE || f->kind == IX_TWO;
}

static void print_index_sum(ocl *o, const ix *f, const char *index, int64_t shift)
{
    ix_print_c(f, index, &o->c, &o->c.text);
    if (shift)
        core_text_printf(&o->c.text, " + %" PRId64, shift);
    core_text_printf(&o->c.text, ";\n");
}

/* What the loops add to a sum of digits, under the place's name; indices that have no such form
 * are listed row by row. */
static void print_base(ocl *o, place *at, const char *name, const ix *f, int64_t shift, int depth)
{
    *at = (place){.f = f, .shift = shift};
    if (f->kind == IX_TABLE || (f->kind == IX_DIGIT && !has_loops(f)))
        return;
    snprintf(at->name, sizeof at->name, "%s", name);
    if (f->kind == IX_DIGIT) {
        ix_term term[IX_MAX_TERMS];
        ix loops = {.kind = IX_DIGIT, .n = f->n, .N = f->N, .t = term};
        for (int t = 0; t < f->nt; t++)
            if (f->t[t].src != IX_INDEX)
                term[loops.nt++] = f->t[t];
        spl_c_line(&o->c, depth, "const %s %s = ", o->c.index, name);
        print_index_sum(o, &loops, "0", 0);
        return;
    }
    spl_c_line(&o->c, depth, "%s %s[%" PRId64 "];\n", o->c.index, name, f->n);
    spl_c_for(&o->c, depth, "i", "0", gen_print("%" PRId64, f->n).text, "");
    spl_c_line(&o->c, depth + 1, "%s[i] = ", name);
    print_index_sum(o, f, "i", shift);
}

/* The index of an element that moves. */
static void print_index(ocl *o, place *at, const char *name, const ix *f, int64_t shift, int depth)
{
    *at = (place){.f = f, .shift = shift};
    snprintf(at->name, sizeof at->name, "%s", name);
    spl_c_line(&o->c, depth, "const %s %s = ", o->c.index, name);
    print_index_sum(o, f, f->n > 1 ? "i" : "0", shift);
}

/* The index of row i, without what the loops add. */
static int64_t constant_index(const place *at, int i)
{
    static const int64_t zeros[IX_MAX_VARS];

    return at->shift + ix_eval(at->f, i, zeros);
}

static gen_name row_index(const job *j, const place *at, int i)
{
    if (j->moves)
        return gen_print("%s", at->name);
    if (is_listed(at->f))
        return gen_print("%s[%d]", at->name, i);
    const int64_t fixed = constant_index(at, i);
    if (!at->name[0])
        return gen_print("%" PRId64, fixed);
    return fixed == 0 ? gen_print("%s", at->name) : gen_print("%s + %" PRId64, at->name, fixed);
}

/* ---- elements ---- */

static void swap_re_im(gen_var *x)
{
    const gen_var was = *x;

    memcpy(x->re, was.im, sizeof x->re);
    memcpy(x->im, was.re, sizeof x->im);
}

static bool exchanges_re_im(const prog_stmt *s)
{
    return s->op == PROG_KERN && prog_is_inverse(s) && s->n > 1;
}

/* The inverse is the forward transform of re and im exchanged. */
static gen_var emit_load(gen_emit *e, gen_io *part, int i)
{
    const job *j = part->user;
    const bool held = j->s->at_once;
    const gen_name at = held ? gen_print("%d", i) : row_index(j, &j->in, i);
    const gen_name from = held ? gen_print("held") : buffer_name(j->o, j->s->in, false);
    gen_var x = gen_new_temp(e);

    if (is_split(j->o, j->s->in)) {
        gen_say(e, "const %s %s = %s[%s], %s = %s[%s];", e->vector.type, x.re, from.text, at.text,
                x.im, buffer_name(j->o, j->s->in, true).text, at.text);
    } else {
        const int number = e->next_temp - 1;
        gen_say(e, "const %sx2 x%d = %s[%s];", j->o->value, number, from.text, at.text);
        snprintf(x.re, sizeof x.re, "x%d.x", number);
        snprintf(x.im, sizeof x.im, "x%d.y", number);
    }
    if (exchanges_re_im(j->s))
        swap_re_im(&x);
    return x;
}

static gen_var emit_twiddle(gen_emit *e, const job *j, int k, int i, gen_var x)
{
    const prog_twiddle *w = &j->s->twiddle[k];
    const char *const type = e->vector.type;

    if (!j->moves && ocl_factor_is_one(j->o, w, i))
        return x;
    const int table = table_number(j->o, w);
    const gen_var y = gen_new_temp(e);
    const int number = e->next_temp - 1;
    gen_say(e, "const %sx2 w%d = table%d[%s];", j->o->value, number, table,
            row_index(j, &j->twiddle[k], i).text);
    gen_say(e, "const %s %s = %s_%s(w%d.y, %s, %s_mul(w%d.x, %s));", type, y.re, type,
            w->conjugate ? "fma" : "fnma", number, x.im, type, number, x.re);
    gen_say(e, "const %s %s = %s_%s(w%d.y, %s, %s_mul(w%d.x, %s));", type, y.im, type,
            w->conjugate ? "fnma" : "fma", number, x.re, type, number, x.im);
    return y;
}

static void emit_store(gen_emit *e, gen_io *part, int i, gen_var x)
{
    const job *j = part->user;
    const gen_name at = row_index(j, &j->out, i), to = buffer_name(j->o, j->s->out, false);

    if (exchanges_re_im(j->s))
        swap_re_im(&x);
    for (int k = 0; k < j->s->ntwiddles; k++)
        x = emit_twiddle(e, j, k, i, x);
    if (is_split(j->o, j->s->out)) {
        gen_say(e, "%s[%s] = %s;", to.text, at.text, x.re);
        gen_say(e, "%s[%s] = %s;", buffer_name(j->o, j->s->out, true).text, at.text, x.im);
    } else {
        gen_say(e, "%s[%s] = %sx2_of(%s, %s);", to.text, at.text, j->o->value, x.re, x.im);
    }
}

/* ---- statements ---- */

static void emit_dft(gen_emit *e, job *j)
{
    gen_dag *dag = gen_dft((int)j->s->n);
    gen_io part = {.dag = dag, .load = emit_load, .store = emit_store, .user = j};

    if (!dag)
        ocl_fail(j->o, core_fail_memory(j->o->why));
    else if (dag->failed)
        ocl_fail(j->o, core_fail(j->o->why, SLUICE_E_UNSUPPORTED, 0,
                                 "DFT(%" PRId64 ") is too long for one work-item", j->s->n));
    else
        gen_statements(e, &part);
    core_free(dag);
}

static void emit_copy(gen_emit *e, job *j)
{
    gen_io part = {.user = j};
    gen_var x;

    if (j->s->op == PROG_ZERO) {
        snprintf(x.re, sizeof x.re, "0");
        snprintf(x.im, sizeof x.im, "0");
    } else {
        x = emit_load(e, &part, 0);
    }
    emit_store(e, &part, 0, x);
}

/* The lines of a body, which are indented twice, `depth` times. */
static void add_body(ocl *o, const core_text *body, int depth)
{
    for (const char *at = core_text_string(body); *at;) {
        const size_t length = strcspn(at, "\n");
        core_text_printf(&o->c.text, "%*s", 4 * depth, "");
        core_text_add(&o->c.text, at + 8, length + 1 - 8);
        at += length + 1;
    }
    o->c.text.failed = o->c.text.failed || body->failed;
}

static void print_places(job *j, int depth)
{
    ocl *o = j->o;
    const prog_stmt *s = j->s;
    void (*print)(ocl *, place *, const char *, const ix *, int64_t, int) =
        j->moves ? print_index : print_base;

    if (s->op != PROG_ZERO)
        print(o, &j->in, "from", s->fin, shift_of(o, s->in), depth);
    print(o, &j->out, "to", s->fout, shift_of(o, s->out), depth);
    for (int k = 0; k < s->ntwiddles && s->op == PROG_KERN; k++)
        print(o, &j->twiddle[k], gen_print("turn%d", k).text, s->twiddle[k].f, 0, depth);
}

/* Does the group have items for which there is no iteration of the stage that runs at once? */
static bool has_idle_items(const job *j)
{
    return j->s->at_once && j->o->iterations < j->o->current_kernel->items;
}

static void print_condition(const job *j, int depth)
{
    if (has_idle_items(j))
        spl_c_line(&j->o->c, depth, "if (j < %" PRId64 ") {\n", j->o->iterations);
}

static void print_condition_end(const job *j, int depth)
{
    if (has_idle_items(j))
        spl_c_line(&j->o->c, depth, "}\n");
}

/* All items read, in registers of their own, before any of them writes. */
static void print_held(const job *j, int depth)
{
    ocl *o = j->o;
    const gen_name from = buffer_name(o, j->s->in, false);

    spl_c_line(&o->c, depth, "%sx2 held[%" PRId64 "];\n", o->value, j->s->n);
    print_condition(j, depth);
    for (int i = 0; i < j->s->n; i++)
        spl_c_line(&o->c, depth + has_idle_items(j), "held[%d] = %s[%s];\n", i, from.text,
                   row_index(j, &j->in, i).text);
    print_condition_end(j, depth);
    spl_c_line(&o->c, depth, "barrier(CLK_LOCAL_MEM_FENCE);\n");
}

void ocl_print_statement(ocl *o, const prog_stmt *s, int depth)
{
    job j = {
        .o = o, .s = s, .moves = s->op != PROG_KERN || s->kernel != SPL_TRANSFORM || s->n == 1};
    gen_emit *e = core_calloc(1, sizeof *e);

    if (!e) {
        ocl_fail(o, core_fail_memory(o->why));
        return;
    }
    e->vector = (gen_vector){.type = o->options->precision == SLUICE_F32 ? "f32x1" : "f64x1",
                             .width = 1,
                             .bytes = o->options->precision == SLUICE_F32 ? 4 : 8,
                             .lanes = 1,
                             .split = true};
    print_places(&j, depth);
    if (s->at_once)
        print_held(&j, depth);
    if (j.moves)
        emit_copy(e, &j);
    else if (s->n <= SPL_OPENCL_LARGEST)
        emit_dft(e, &j);
    else
        ocl_fail(o, core_fail(o->why, SLUICE_E_UNSUPPORTED, 0,
                              "DFT(%" PRId64 ") is too long for one work-item, which computes %d "
                              "points, and is no product of two that are not",
                              s->n, SPL_OPENCL_LARGEST));
    print_condition(&j, depth);
    add_body(o, &e->body, depth + has_idle_items(&j));
    print_condition_end(&j, depth);
    core_text_free(&e->body);
    core_free(e);
}
