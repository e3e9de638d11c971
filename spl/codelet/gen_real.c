// SPDX-License-Identifier: BSD-3-Clause
/* Expressions of reals: complex expressions taken apart.
 *
 * A complex number is a pair of values, each of which may be zero or the negative of another one.
 * Signs and factors stay outside of nodes (gen_dag.c), so that conjugate parts are the same nodes:
 * what a real input makes redundant is never built. In the end a result's sign is moved into its
 * node, since a sum with either sign is one instruction. */
#include <math.h>

#include "core/mem.h"
#include "core/trig.h"
#include "spl/codelet/gen.h"

const gen_value gen_zero = {-1, 0, 1};

static long double factor_of(gen_value x)
{
    return x.quarter & 2 ? -x.scale : x.scale;
}

static gen_value sum_of_equals(gen_value x, gen_value y)
{
    const long double factor = factor_of(x) + factor_of(y);
    if (fabsl(factor) < ldexpl(x.scale, -50))
        return gen_zero;
    return gen_scale((gen_value){x.node, 0, 1}, factor);
}

/* Is x the one of the two values that a sum is scaled to? It is the one without a factor; if both
 * or neither have one, the older one, so that the same sum with other signs is the same node. */
static bool is_base(gen_value x, gen_value y)
{
    const bool plain_x = gen_is_same(x.scale, 1), plain_y = gen_is_same(y.scale, 1);
    return plain_x != plain_y ? plain_x : x.node < y.node;
}

gen_value gen_real_add(gen_dag *dag, gen_value x, gen_value y)
{
    if (x.node < 0 || y.node < 0)
        return x.node < 0 ? y : x;
    if (x.node == y.node)
        return sum_of_equals(x, y);
    const gen_value base = is_base(x, y) ? x : y, other = is_base(x, y) ? y : x;
    const bool minus = base.quarter != other.quarter;
    const long double ratio = other.scale / base.scale;
    gen_node sum = {minus ? GEN_SUB : GEN_ADD, base.node, other.node, -1};
    if (!gen_is_same(ratio, 1)) {
        sum.op = minus ? GEN_FNMA : GEN_FMA;
        sum.c = gen_intern_constant(dag, ratio);
    }
    return (gen_value){gen_intern(dag, sum), base.quarter, base.scale};
}

gen_value gen_real_sub(gen_dag *dag, gen_value x, gen_value y)
{
    return gen_real_add(dag, x, gen_rotate_quarters(y, 2));
}

gen_complex gen_conjugate(gen_complex x)
{
    return (gen_complex){x.re, gen_rotate_quarters(x.im, 2)};
}

/* w = c (1 + i t), except if c = 0. */
gen_complex gen_real_root(gen_dag *dag, gen_complex x, size_t k, size_t n)
{
    long double c, s;
    core_root(k % n, n, &c, &s);
    if (c == 0)
        return (gen_complex){gen_scale(x.im, -s), gen_scale(x.re, s)};
    const gen_value re = gen_real_sub(dag, x.re, gen_scale(x.im, s / c));
    const gen_value im = gen_real_add(dag, x.im, gen_scale(x.re, s / c));
    return (gen_complex){gen_scale(re, c), gen_scale(im, c)};
}

/* ---- a complex expression ---- */

/* a + c b, or with `turned` a + c J b, J = (+1, -1). */
static gen_complex fused_sum(gen_dag *dag, gen_complex a, long double c, gen_complex b, bool turned)
{
    return (gen_complex){gen_real_add(dag, a.re, gen_scale(b.re, c)),
                         gen_real_add(dag, a.im, gen_scale(b.im, turned ? -c : c))};
}

static gen_complex expand_node(gen_dag *dag, const gen_dag *from, const gen_node *node,
                               const gen_complex *in, const gen_complex *x)
{
    const gen_complex none = {gen_zero, gen_zero};
    const gen_complex a = node->op == GEN_IN ? in[node->a] : x[node->a];
    const gen_complex b = node->b >= 0 ? x[node->b] : none;
    const long double c = node->c >= 0 ? from->constant[node->c] : 1;
    switch (node->op) {
    case GEN_ADD:
    case GEN_FMA: return fused_sum(dag, a, c, b, false);
    case GEN_SUB:
    case GEN_FNMA: return fused_sum(dag, a, -c, b, false);
    case GEN_FMAJ: return fused_sum(dag, a, c, b, true);
    case GEN_FNMAJ: return fused_sum(dag, a, -c, b, true);
    case GEN_SWAP: return (gen_complex){a.im, a.re};
    case GEN_MUL: return (gen_complex){gen_scale(a.re, c), gen_scale(a.im, c)};
    case GEN_MULJ: return (gen_complex){gen_scale(a.re, c), gen_scale(a.im, -c)};
    default: return a;
    }
}

bool gen_real_dft(gen_dag *dag, int n, const gen_complex *in, gen_complex *out)
{
    gen_dag *from = gen_dft(n);
    gen_complex *x = core_calloc(GEN_NODES, sizeof *x);
    const bool made = from && x && !from->failed;
    for (int i = 0; made && i < from->count; i++)
        x[i] = expand_node(dag, from, &from->node[i], in, x);
    for (int i = 0; made && i < n; i++)
        out[i] = x[from->out[i]];
    core_free(from);
    core_free(x);
    return made;
}

/* ---- outputs ---- */

/* Sets the operation for +- a +- b, or +- a +- c b. */
static void sign_sum(gen_dag *dag, gen_node *node, bool minus_a, bool minus_b)
{
    static const gen_op fused[2][2] = {{GEN_FMA, GEN_FNMA}, {GEN_FMS, GEN_FNMS}};
    if (node->c < 0 && minus_a && minus_b)
        node->c = gen_intern_constant(dag, 1);
    if (node->c >= 0) {
        node->op = fused[minus_a][minus_b];
    } else if (minus_a) {
        *node = (gen_node){GEN_SUB, node->b, node->a, -1};
    } else {
        node->op = minus_b ? GEN_SUB : GEN_ADD;
    }
}

/* Makes the nodes marked in `negative` compute the opposite value. */
static void negate_nodes(gen_dag *dag, const bool *negative)
{
    for (int i = 0; i < dag->count; i++) {
        gen_node *node = &dag->node[i];
        if (node->op == GEN_IN || node->op == GEN_ZERO)
            continue;
        const bool flip_a = negative[i] != negative[node->a];
        if (node->op == GEN_MUL && flip_a)
            node->c = gen_intern_constant(dag, -dag->constant[node->c]);
        else if (node->op != GEN_MUL)
            sign_sum(dag, node, flip_a,
                     (negative[i] != negative[node->b])
                         != (node->op == GEN_SUB || node->op == GEN_FNMA));
    }
}

/* Does an output need the node with its sign? The sign of inputs cannot be chosen. */
static bool sign_is_fixed(const gen_dag *dag, int node, int count, const gen_value *out)
{
    for (int i = 0; i < count; i++)
        if (out[i].node == node && out[i].quarter == 0 && gen_is_same(out[i].scale, 1))
            return true;
    return dag->node[node].op == GEN_IN;
}

void gen_real_outputs(gen_dag *dag, int count, const gen_value *out)
{
    bool negative[GEN_NODES] = {false};
    dag->n = count;
    for (int i = 0; i < count; i++) {
        const gen_value x = out[i];
        if (x.node < 0) {
            dag->out[i] = gen_intern(dag, (gen_node){GEN_ZERO, -1, -1, -1});
        } else if (gen_is_same(x.scale, 1)
                   && (x.quarter == 0 || !sign_is_fixed(dag, x.node, count, out))) {
            dag->out[i] = x.node;
            negative[x.node] = x.quarter != 0;
        } else {
            gen_output(dag, i, x);
        }
    }
    negate_nodes(dag, negative);
}
