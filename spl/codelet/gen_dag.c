// SPDX-License-Identifier: BSD-3-Clause
/* Complex expressions, hash-consed: equal nodes exist once.
 *
 * Real factors and powers of -i are not nodes. They stay with a value until a sum absorbs them:
 *     s x + t y = s (x + (t/s) y)          one fma, the factor s stays
 * so a twiddle w = cos(1 - i tan) costs one fma when it is applied and nothing in the following
 * butterfly (Linzer & Feig 1993). Constants are long double and shared if they agree to 2^-50, so
 * that a real number computed in several ways is one constant. */
#include <math.h>

#include "spl/codelet/gen.h"

bool gen_is_same(long double a, long double b)
{
    return fabsl(a - b) <= ldexpl(fabsl(a), -50);
}

int gen_intern_constant(gen_dag *dag, long double value)
{
    for (int i = 0; i < dag->constants; i++)
        if (gen_is_same(dag->constant[i], value))
            return i;
    if (dag->constants == GEN_CONSTANTS) {
        dag->failed = true;
        return 0;
    }
    dag->constant[dag->constants] = value;
    return dag->constants++;
}

int gen_intern(gen_dag *dag, gen_node node)
{
    for (int i = 0; i < dag->count; i++) {
        const gen_node *old = &dag->node[i];
        if (old->op == node.op && old->a == node.a && old->b == node.b && old->c == node.c)
            return i;
    }
    if (dag->count == GEN_NODES) {
        dag->failed = true;
        return 0;
    }
    dag->node[dag->count] = node;
    return dag->count++;
}

static int intern_swap(gen_dag *dag, int a)
{
    return gen_intern(dag, (gen_node){GEN_SWAP, a, -1, -1});
}

gen_value gen_input(gen_dag *dag, int i)
{
    return (gen_value){gen_intern(dag, (gen_node){GEN_IN, i, -1, -1}), 0, 1};
}

gen_value gen_rotate_quarters(gen_value x, int quarters)
{
    x.quarter = (x.quarter + quarters) & 3;
    return x;
}

gen_value gen_scale(gen_value x, long double factor)
{
    x.scale *= fabsl(factor);
    return factor < 0 ? gen_rotate_quarters(x, 2) : x;
}

/* A rank for the value that a sum is scaled to: the fewer factors remain, the higher. */
static int scale_rank(gen_value x)
{
    return 2 * gen_is_same(x.scale, 1) + (x.quarter == 0);
}

gen_value gen_add(gen_dag *dag, gen_value x, gen_value y)
{
    static const gen_op with_factor[] = {GEN_FMA, GEN_FMAJ, GEN_FNMA, GEN_FNMAJ};
    if (scale_rank(y) > scale_rank(x)) {
        const gen_value first = y;
        y = x;
        x = first;
    }
    const int quarters = (y.quarter - x.quarter) & 3;
    const long double ratio = y.scale / x.scale;
    gen_node sum = {with_factor[quarters], x.node, y.node, -1};
    if (quarters & 1)
        sum.b = intern_swap(dag, y.node);
    else if (gen_is_same(ratio, 1))
        sum.op = quarters == 0 ? GEN_ADD : GEN_SUB;
    if (sum.op != GEN_ADD && sum.op != GEN_SUB)
        sum.c = gen_intern_constant(dag, gen_is_same(ratio, 1) ? 1 : ratio);
    return (gen_value){gen_intern(dag, sum), x.quarter, x.scale};
}

gen_value gen_sub(gen_dag *dag, gen_value x, gen_value y)
{
    return gen_add(dag, x, gen_rotate_quarters(y, 2));
}

void gen_output(gen_dag *dag, int i, gen_value x)
{
    const long double factor = x.quarter & 2 ? -x.scale : x.scale;
    int node = x.node;
    if (x.quarter & 1)
        node = gen_intern(dag, (gen_node){GEN_MULJ, intern_swap(dag, node), -1,
                                          gen_intern_constant(dag, factor)});
    else if (!gen_is_same(factor, 1))
        node = gen_intern(dag, (gen_node){GEN_MUL, node, -1, gen_intern_constant(dag, factor)});
    dag->out[i] = node;
}
