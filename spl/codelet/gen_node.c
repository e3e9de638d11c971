// SPDX-License-Identifier: BSD-3-Clause
/* An expression as statements.
 *
 * Interleaved, a rotation is a swap within pairs and a sign vector J that an fma takes from the
 * static table, so the direction of the transform is data. Split, a rotation exchanges the names of
 * the two parts:  x + c (-i y):  re + c y.im,  im - c y.re. */
#include <string.h>

#include "core/mem.h"
#include "spl/codelet/gen.h"

/* What a node becomes: its word for re (and interleaved), and for im where that differs. The order
 * of operands in the printed call is factor, b, a. */
typedef struct printed {
    const char *re, *im;
    const char *re_one, *im_one; /* split, where the constant is 1 */
    gen_kind kind;
    bool sign; /* the factor is c J */
} printed;

static const printed table[GEN_OPS] = {
    [GEN_FMA] = {"fma", "fma", NULL, NULL, GEN_FMAS, false},
    [GEN_FNMA] = {"fnma", "fnma", NULL, NULL, GEN_FMAS, false},
    [GEN_FMAJ] = {"fma", "fnma", "add", "sub", GEN_FMAS, true},
    [GEN_FNMAJ] = {"fnma", "fma", "sub", "add", GEN_FMAS, true},
};

typedef struct walk {
    const gen_dag *dag;
    bool live[GEN_NODES], printed[GEN_NODES];
    gen_var var[GEN_NODES];
} walk;

static gen_name factor(gen_emit *e, long double c)
{
    return gen_print("%s_set1(%s)", e->vector.type, gen_number(e, c).text);
}

static gen_var fused_inter(gen_emit *e, const printed *p, long double c, gen_var a, gen_var b)
{
    const gen_var to = gen_fresh(e);
    const gen_name by = p->sign ? gen_sign_row(e, c) : factor(e, c);
    gen_let(e, p->kind, to.re, p->re, by.text, b.re, a.re);
    return to;
}

static gen_var fused_split(gen_emit *e, const printed *p, long double c, gen_var a, gen_var b)
{
    const gen_var to = gen_fresh(e);
    const gen_name by = factor(e, c);
    if (c == 1 && p->re_one) {
        gen_let(e, GEN_ADDS, to.re, p->re_one, a.re, b.re, NULL);
        gen_let(e, GEN_ADDS, to.im, p->im_one, a.im, b.im, NULL);
    } else {
        gen_let(e, p->kind, to.re, p->re, by.text, b.re, a.re);
        gen_let(e, p->kind, to.im, p->im, by.text, b.im, a.im);
    }
    return to;
}

/* c a, or c J a: the only place where a factor is not part of a sum. */
static gen_var product(gen_emit *e, bool sign, long double c, gen_var a)
{
    const gen_var to = gen_fresh(e);
    const gen_name by = sign && !e->vector.split ? gen_sign_row(e, c) : factor(e, c);
    gen_let(e, GEN_MULS, to.re, "mul", by.text, a.re, NULL);
    if (e->vector.split)
        gen_let(e, GEN_MULS, to.im, "mul", factor(e, sign ? -c : c).text, a.im, NULL);
    return to;
}

static gen_var swapped(gen_emit *e, gen_var a)
{
    const gen_var none = {"", ""};
    gen_var to;
    if (!e->vector.split)
        return gen_each(e, GEN_SHUFFLES, "swap", a, none, none);
    memcpy(to.re, a.im, sizeof to.re);
    memcpy(to.im, a.re, sizeof to.im);
    return to;
}

static gen_var statement(gen_emit *e, const walk *w, const gen_node *node)
{
    const gen_var none = {"", ""};
    const gen_var a = w->var[node->a];
    const gen_var b = node->b >= 0 ? w->var[node->b] : none;
    const long double c = node->c >= 0 ? w->dag->constant[node->c] : 0;
    switch (node->op) {
    case GEN_ADD: return gen_each(e, GEN_ADDS, "add", a, b, none);
    case GEN_SUB: return gen_each(e, GEN_ADDS, "sub", a, b, none);
    case GEN_SWAP: return swapped(e, a);
    case GEN_MUL:
    case GEN_MULJ: return product(e, node->op == GEN_MULJ, c, a);
    default:
        return e->vector.split ? fused_split(e, &table[node->op], c, a, b)
                               : fused_inter(e, &table[node->op], c, a, b);
    }
}

static void find_live(walk *w)
{
    for (int i = 0; i < w->dag->n; i++)
        w->live[w->dag->out[i]] = true;
    for (int i = w->dag->count - 1; i >= 0; i--) {
        const gen_node *node = &w->dag->node[i];
        if (!w->live[i] || node->op == GEN_IN)
            continue;
        w->live[node->a] = true;
        if (node->b >= 0)
            w->live[node->b] = true;
    }
}

static void need(gen_emit *e, walk *w, gen_part *part, int id)
{
    if (id < 0 || w->printed[id])
        return;
    const gen_node *node = &w->dag->node[id];
    if (node->op == GEN_IN) {
        w->var[id] = part->load(e, part, node->a);
    } else {
        need(e, w, part, node->a);
        need(e, w, part, node->b);
        w->var[id] = statement(e, w, node);
    }
    w->printed[id] = true;
    for (int i = 0; i < w->dag->n; i++)
        if (w->dag->out[i] == id)
            part->store(e, part, i, w->var[id]);
}

void gen_statements(gen_emit *e, gen_part *part)
{
    const gen_dag *dag = part->dag;
    walk *w = dag && !dag->failed ? core_calloc(1, sizeof *w) : NULL;
    if (!w) {
        e->body.failed = true;
        return;
    }
    w->dag = dag;
    find_live(w);
    for (int i = 0; i < dag->count; i++)
        if (w->live[i] && dag->node[i].op != GEN_IN)
            need(e, w, part, i);
    for (int i = 0; i < dag->n; i++)
        need(e, w, part, dag->out[i]);
    core_free(w);
}
