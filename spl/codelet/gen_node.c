// SPDX-License-Identifier: BSD-3-Clause
/* Prints an expression as statements.
 *
 * Expressions of reals: each node is one statement. Interleaved: a rotation is a swap within pairs
 * and a sign vector J, which an fma takes from the static table, so that the direction of the
 * transform is data. Split: a rotation exchanges the names of the two parts: x + c (-i y): re + c
 * y.im, im - c y.re. */
#include <string.h>

#include "core/mem.h"
#include "spl/codelet/gen.h"

/* The functions of a node: for re (and interleaved) and for im. The operands of the printed call
 * are factor, b, a. */
typedef struct node_text {
    const char *re, *im;
    const char *re_one, *im_one; /* split, if the constant is 1 */
    gen_kind kind;
    bool sign; /* the factor is c J */
} node_text;

static const node_text node_texts[GEN_OPS] = {
    [GEN_FMA] = {"fma", "fma", NULL, NULL, GEN_FMAS, false},
    [GEN_FNMA] = {"fnma", "fnma", NULL, NULL, GEN_FMAS, false},
    [GEN_FMAJ] = {"fma", "fnma", "add", "sub", GEN_FMAS, true},
    [GEN_FMS] = {"fms", "fms", NULL, NULL, GEN_FMAS, false},
    [GEN_FNMS] = {"fnms", "fnms", NULL, NULL, GEN_FMAS, false},
    [GEN_FNMAJ] = {"fnma", "fma", "sub", "add", GEN_FMAS, true},
};

typedef struct dag_printer {
    const gen_dag *dag;
    bool is_needed[GEN_NODES], is_printed[GEN_NODES];
    gen_var var[GEN_NODES];
} dag_printer;

static gen_var emit_fused_inter(gen_emit *e, const node_text *p, long double c, gen_var a,
                                gen_var b)
{
    const gen_var to = gen_new_temp(e);
    const gen_name by = p->sign ? gen_sign_row(e, c) : gen_constant(e, c);
    gen_assign(e, p->kind, to.re, p->re, by.text, b.re, a.re);
    return to;
}

static gen_var emit_fused_split(gen_emit *e, const node_text *p, long double c, gen_var a,
                                gen_var b)
{
    const gen_var to = gen_new_temp(e);
    if (c == 1 && p->re_one) {
        gen_assign(e, GEN_ADDS, to.re, p->re_one, a.re, b.re, NULL);
        gen_assign(e, GEN_ADDS, to.im, p->im_one, a.im, b.im, NULL);
    } else {
        const gen_name by = gen_constant(e, c);
        gen_assign(e, p->kind, to.re, p->re, by.text, b.re, a.re);
        gen_assign(e, p->kind, to.im, p->im, by.text, b.im, a.im);
    }
    return to;
}

/* c a, or c J a: the only statement whose factor is not part of a sum. */
static gen_var emit_scaled(gen_emit *e, bool sign, long double c, gen_var a)
{
    const gen_var to = gen_new_temp(e);
    const gen_name by = sign && !e->vector.split ? gen_sign_row(e, c) : gen_constant(e, c);
    gen_assign(e, GEN_MULS, to.re, "mul", by.text, a.re, NULL);
    if (e->vector.split)
        gen_assign(e, GEN_MULS, to.im, "mul", gen_constant(e, sign ? -c : c).text, a.im, NULL);
    return to;
}

static gen_var emit_swap(gen_emit *e, gen_var a)
{
    const gen_var none = {"", ""};
    gen_var to;
    if (!e->vector.split)
        return gen_each(e, GEN_SHUFFLES, "swap", a, none, none);
    memcpy(to.re, a.im, sizeof to.re);
    memcpy(to.im, a.re, sizeof to.im);
    return to;
}

static gen_var emit_zero(gen_emit *e)
{
    const gen_var to = gen_new_temp(e);
    gen_say(e, "const %s %s = %s;", e->vector.type, to.re, gen_constant(e, 0).text);
    if (e->vector.split)
        gen_say(e, "const %s %s = %s;", e->vector.type, to.im, to.re);
    return to;
}

static gen_var emit_statement(gen_emit *e, const dag_printer *w, const gen_node *node)
{
    const gen_var none = {"", ""};
    if (node->op == GEN_ZERO)
        return emit_zero(e);
    const gen_var a = w->var[node->a];
    const gen_var b = node->b >= 0 ? w->var[node->b] : none;
    const long double c = node->c >= 0 ? w->dag->constant[node->c] : 0;
    switch (node->op) {
    case GEN_ADD: return gen_each(e, GEN_ADDS, "add", a, b, none);
    case GEN_SUB: return gen_each(e, GEN_ADDS, "sub", a, b, none);
    case GEN_SWAP: return emit_swap(e, a);
    case GEN_MUL:
    case GEN_MULJ: return emit_scaled(e, node->op == GEN_MULJ, c, a);
    default:
        return e->vector.split ? emit_fused_split(e, &node_texts[node->op], c, a, b)
                               : emit_fused_inter(e, &node_texts[node->op], c, a, b);
    }
}

static void mark_live(dag_printer *w)
{
    for (int i = 0; i < w->dag->n; i++)
        w->is_needed[w->dag->out[i]] = true;
    for (int i = w->dag->count - 1; i >= 0; i--) {
        const gen_node *node = &w->dag->node[i];
        if (!w->is_needed[i] || node->op == GEN_IN || node->op == GEN_ZERO)
            continue;
        w->is_needed[node->a] = true;
        if (node->b >= 0)
            w->is_needed[node->b] = true;
    }
}

/* A codelet that may run in place loads everything before it stores anything, since not every
 * result of a cosine or sine transform depends on every element. Work-items, which have no key,
 * load first anyway. */
static void load_rest(gen_emit *e, dag_printer *w, gen_io *io)
{
    for (int i = 0; i < w->dag->count; i++)
        if (w->dag->node[i].op == GEN_IN && w->is_needed[i] && !w->is_printed[i]) {
            w->var[i] = io->load(e, io, w->dag->node[i].a);
            w->is_printed[i] = true;
        }
}

static void emit_node(gen_emit *e, dag_printer *w, gen_io *io, int id)
{
    if (id < 0 || w->is_printed[id])
        return;
    const gen_node *node = &w->dag->node[id];
    if (node->op == GEN_IN) {
        w->var[id] = io->load(e, io, node->a);
    } else {
        emit_node(e, w, io, node->a);
        emit_node(e, w, io, node->b);
        w->var[id] = emit_statement(e, w, node);
    }
    w->is_printed[id] = true;
    for (int i = 0; i < w->dag->n; i++)
        if (w->dag->out[i] == id) {
            if (e->key && e->key->in == e->key->out)
                load_rest(e, w, io);
            io->store(e, io, i, w->var[id]);
        }
}

void gen_statements(gen_emit *e, gen_io *io)
{
    const gen_dag *dag = io->dag;
    dag_printer *w = dag && !dag->failed ? core_calloc(1, sizeof *w) : NULL;
    if (!w) {
        e->body.failed = true;
        return;
    }
    w->dag = dag;
    mark_live(w);
    for (int i = 0; i < dag->count; i++)
        if (w->is_needed[i] && dag->node[i].op != GEN_IN)
            emit_node(e, w, io, i);
    for (int i = 0; i < dag->n; i++)
        emit_node(e, w, io, dag->out[i]);
    core_free(w);
}
