// SPDX-License-Identifier: BSD-3-Clause
/* The identities of merging, one record each, so that each is tested alone. The guard is the left
 * side's pattern; the right side is what spl_merge makes of it. */
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"

#include <stddef.h>

/* Are factors of these two kinds neighbours in the product x? */
static bool beside(const spl *x, spl_op left, spl_op right)
{
    for (int i = 1; x->op == SPL_MUL && i < x->nkids; i++)
        if (x->kid[i - 1]->op == left && x->kid[i]->op == right)
            return true;
    return false;
}

static const spl *merged(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    return spl_merge(ctx, x, false);
}

/* G(g) G(f) = G(f o g);  S(f) S(g) = S(f o g): both sides of a loop in a loop's body. */
static bool guard_merge_fuse(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, beside(x, SPL_GATH, SPL_GATH) || beside(x, SPL_SCAT, SPL_SCAT),
                      "it needs G(g) G(f) or S(f) S(g)");
}

static const char *const cases_merge_fuse[] = {
    "G(h(2,6,1,3)) * G(h(6,12,0,2))", "S(h(12,24,1,2)) * S(h(3,12,0,4))",
    "S(h(6,12,0,2)) * S(h(3,6,1,2)) * DFT(3)_{leaf} * G(h(3,6,0,2)) * G(h(6,12,6,1))",
    "G(h(2,6,1,3)) * DFT(6)_{leaf}", NULL};

/* P (SUM S(f) A G(g)) = SUM S(p^-1 o f) A G(g),  P = G(p) */
static bool guard_merge_perm_loop(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, beside(x, SPL_PERM, SPL_LOOP), "it needs P * SUM");
}

static const char *const cases_merge_perm_loop[] = {
    "P(l(12,3)) * SUM(k0<4, S(h(3,12,3*k0%4,1)) * DFT(3)_{leaf} * G(h(3,12,k0%4,4)))",
    "P(l(12,2)) * P(l(12,3)) * SUM(k0<4, S(h(3,12,k0%4,4)) * DFT(3)_{leaf} * "
    "G(h(3,12,k0%4,4)))",
    "SUM(k0<4, S(h(3,12,3*k0%4,1)) * DFT(3)_{leaf} * G(h(3,12,k0%4,4))) * P(l(12,3))", NULL};

/* (SUM S(f) A G(g)) P = SUM S(f) A G(p o g),  P = G(p), with nothing on P's right */
static bool guard_merge_loop_perm(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, beside(x, SPL_LOOP, SPL_PERM), "it needs SUM * P");
}

static const char *const cases_merge_loop_perm[] = {
    "SUM(k0<4, S(h(3,12,3*k0%4,1)) * DFT(3)_{leaf} * G(h(3,12,3*k0%4,1))) * P(l(12,4))",
    "SUM(k0<4, S(h(3,12,3*k0%4,1)) * DFT(3)_{leaf} * G(h(3,12,3*k0%4,1))) * P(l(12,4)) * "
    "SUM(k0<3, S(h(4,12,k0%3,3)) * DFT(4)_{leaf} * G(h(4,12,k0%3,3)))",
    "P(l(12,4)) * P(l(12,3))", NULL};

/* D (SUM S(f) A G(g)) = SUM S(f) diag(d o f) A G(g) */
static bool guard_merge_diag_loop(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, beside(x, SPL_DIAG, SPL_LOOP), "it needs D * SUM");
}

static const char *const cases_merge_diag_loop[] = {
    "D(3,4,h(12,12,0,1)) * SUM(k0<4, S(h(3,12,k0%4,4)) * DFT(3)_{leaf} * G(h(3,12,k0%4,4)))",
    "D(3,4,h(12,12,0,1))^-1 * P(l(12,3)) * "
    "SUM(k0<4, S(h(3,12,k0%4,4)) * DFT(3)_{leaf} * G(h(3,12,k0%4,4)))",
    "D(3,4,h(12,12,0,1)) * P(l(12,3))", NULL};

/* D P, P D, P, D alone = SUM(j<N/r) S(h_{jr,1}) diag(d o h_{jr,1}) I(r) G(p o h_{jr,1}) */
static bool guard_merge_alone(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    bool alone = x->op == SPL_PERM || x->op == SPL_DIAG || x->op == SPL_MUL;
    for (int i = 0; i < x->nkids; i++)
        alone &= x->kid[i]->op == SPL_PERM || x->kid[i]->op == SPL_DIAG;
    return spl_unless(refusal, alone, "it needs permutations and diagonals, nothing else");
}

static const char *const cases_merge_alone[] = {
    "P(l(12,3))",
    "D(3,4,h(12,12,0,1))",
    "D(3,4,h(12,12,0,1)) * P(l(12,3))",
    "P(l(12,3)) * D(3,4,h(12,12,0,1)) * P(l(12,2)) * D(4,3,h(12,12,0,1))^-1",
    "P(l(6,2)) * P(l(6,3))",
    "DFT(4)_{leaf}",
    NULL};

/* A D = A (SUM(j<N/r) S(h_{jr,1}) diag(d o h_{jr,1}) I(r) G(h_{jr,1})): no producer on D's right */
static bool guard_merge_loop_diag(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, x->op == SPL_MUL && x->kid[x->nkids - 1]->op == SPL_DIAG,
                      "it needs a product that ends with D");
}

static const char *const cases_merge_loop_diag[] = {
    "SUM(k0<4, S(h(3,12,k0%4,4)) * DFT(3)_{leaf} * G(h(3,12,k0%4,4))) * D(3,4,h(12,12,0,1))",
    "DFT(12)_{leaf} * D(3,4,h(12,12,0,1))",
    "SUM(k0<4, S(h(3,12,k0%4,4)) * DFT(3)_{leaf} * G(h(3,12,k0%4,4))) * P(l(12,3))", NULL};

/* S(f) (SUM S(f') A G(g')) G(g) = SUM S(f o f') A G(g o g'), in a loop's body: (11) */
static bool guard_merge_11(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, x->op == SPL_LOOP && beside(x->kid[0], SPL_SCAT, SPL_LOOP),
                      "it needs SUM S(f) SUM");
}

static const char *const cases_merge_11[] = {
    "SUM(k1<2, S(h(6,12,6*k1%2,1)) * SUM(k0<3, S(h(2,6,2*k0%3,1)) * DFT(2)_{leaf} * "
    "G(h(2,6,2*k0%3,1))) * G(h(6,12,6*k1%2,1)))",
    "SUM.par(k1<2, S(h(6,12,k1%2,2)) * SUM(k0<3, S(h(2,6,k0%3,3)) * DFT(2)_{leaf} * "
    "G(h(2,6,k0%3,3))) * SUM(k0<2, S(h(3,6,3*k0%2,1)) * DFT(3)_{leaf} * G(h(3,6,3*k0%2,1))) * "
    "G(h(6,12,k1%2,2)))",
    "SUM(k0<3, S(h(2,6,k0%3,3)) * DFT(2)_{leaf} * G(h(2,6,k0%3,3)))", NULL};

/* Is there S.copy(f) SUM in x's body, and does SUM copy inside? */
static bool copy_over(const spl *x, bool copies_inside)
{
    const spl *body = x->op == SPL_LOOP ? x->kid[0] : x;
    if (body->op != SPL_MUL || body->kid[0]->op != SPL_SCAT || body->kid[0]->a[0] == SPL_PLAIN
        || body->kid[1]->op != SPL_LOOP)
        return false;
    const spl *inner = body->kid[1]->kid[0];
    return copies_inside == (inner->op == SPL_MUL && inner->kid[0]->a[0] != SPL_PLAIN);
}

/* S.copy(f) (SUM S.copy(f') A G.copy(g')) G.copy(g) = SUM S.copy(f o f') A G.copy(g o g') */
static bool guard_merge_copy_copy(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, copy_over(x, true), "it needs S.copy(f) around a copying loop");
}

static const char *const cases_merge_copy_copy[] = {
    "SUM.stream(k1<2, S.copy(h(6,12,6*k1%2,1)) * SUM.stream(k0<3, S.copy(h(2,6,2*k0%3,1)) * "
    "DFT(2)_{leaf} * G.copy(h(2,6,2*k0%3,1))) * G.copy(h(6,12,6*k1%2,1)))",
    "SUM.stream(k1<2, S.copy(h(6,12,6*k1%2,1)) * SUM(k0<3, S(h(2,6,2*k0%3,1)) * "
    "DFT(2)_{leaf} * G(h(2,6,2*k0%3,1))) * G.copy(h(6,12,6*k1%2,1)))",
    NULL};

/* P (SUM.stream S.copy(f) A G.copy(g)) = SUM.stream S.copy(p^-1 o f) A G.copy(g);
 * D (SUM.stream S.copy(f) ..) = SUM.stream S.copy(f) diag(d o f) .. */
static bool guard_merge_mono_copy(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const bool beside_one = beside(x, SPL_PERM, SPL_LOOP) || beside(x, SPL_DIAG, SPL_LOOP);
    return spl_unless(refusal, beside_one && copy_over(x->kid[x->nkids - 1], false),
                      "it needs P or D beside a copying loop");
}

static const char *const cases_merge_mono_copy[] = {
    "P(l(12,3)) * D(4,3,h(12,12,0,1)) * SUM.stream(k1<2, S.copy(h(6,12,6*k1%2,1)) * "
    "SUM(k0<3, S(h(2,6,2*k0%3,1)) * DFT(2)_{leaf} * G(h(2,6,2*k0%3,1))) * "
    "G.copy(h(6,12,6*k1%2,1)))",
    "P(l(12,3))", NULL};

static bool is_par(const spl *x)
{
    return x->op == SPL_LOOP && x->a[2] == SPL_PAR;
}

/* (SUM.par S(f) A G(g)) P D (SUM.par S(f') B G(g'))
 * = (SUM.par S(f) A G(g)) (SUM.par S(p^-1 o f') diag(d o f') B G(g')): between two parallel
 * stages elements move once, from the part that scatters to the part that gathers. */
static bool guard_merge_exchange(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    int at = 1;
    while (x->op == SPL_MUL && at < x->nkids
           && (x->kid[at]->op == SPL_PERM || x->kid[at]->op == SPL_DIAG))
        at++;
    return spl_unless(
        refusal, x->op == SPL_MUL && at + 1 == x->nkids && is_par(x->kid[0]) && is_par(x->kid[at]),
        "it needs SUM.par, permutations and diagonals or none, SUM.par");
}

static const char *const cases_merge_exchange[] = {
    /* equation (8) of the paper for 16 points, and with a permutation between */
    "SUM.par(k1<2, S(q(8,16,k1%2,2,2)) * SUM(k0<2, S(h(4,8,k0%2,2)) * DFT(4)_{leaf} * "
    "G(h(4,8,k0%2,2))) * G(q(8,16,k1%2,2,2))) * D(4,4,h(16,16,0,1)) * "
    "SUM.par(k1<2, S(h(8,16,8*k1%2,1)) * SUM(k0<2, S(h(4,8,4*k0%2,1)) * DFT(4)_{leaf} * "
    "G(h(4,8,k0%2,2))) * G(q(8,16,k1%2,2,2)))",
    "SUM.par(k1<3, SUM(k0<4@k1/3, S(h(3,12,k0%4,4)) * DFT(3)_{leaf} * G(h(3,12,k0%4,4)))) * "
    "P(l(12,4)) * D(3,4,h(12,12,0,1)) * "
    "SUM.par(k1<2, SUM(k0<3@k1/2, S(h(4,12,k0%3,3)) * DFT(4)_{leaf} * G(h(4,12,k0%3,3))))",
    "SUM.par(k0<2, S(h(2,4,k0%2,2)) * DFT(2)_{leaf} * G(h(2,4,k0%2,2))) * "
    "SUM.par(k0<2, S(h(2,4,2*k0%2,1)) * DFT(2)_{leaf} * G(h(2,4,2*k0%2,1)))",
    "SUM(k0<2, S(h(2,4,k0%2,2)) * DFT(2)_{leaf} * G(h(2,4,k0%2,2))) * P(l(4,2))", NULL};

static const char reference[] =
    "Franchetti, Voronenko & Pueschel 2005; Spiral for the Cell (8), (11)";

const spl_rule spl_merge_fuse = {
    .name = "merge-fuse",
    .phase = SPL_MERGE,
    .formula = "G(g) G(f) = G(f o g), S(f) S(g) = S(f o g)",
    .reference = reference,
    .params = "",
    .guard = guard_merge_fuse,
    .build = merged,
    .cases = cases_merge_fuse,
};

const spl_rule spl_merge_perm_loop = {
    .name = "merge-perm-loop",
    .phase = SPL_MERGE,
    .formula = "P (SUM S(f) A G(g)) = SUM S(p^-1 o f) A G(g)",
    .reference = reference,
    .params = "",
    .guard = guard_merge_perm_loop,
    .build = merged,
    .cases = cases_merge_perm_loop,
};

const spl_rule spl_merge_loop_perm = {
    .name = "merge-loop-perm",
    .phase = SPL_MERGE,
    .formula = "(SUM S(f) A G(g)) P = SUM S(f) A G(p o g)",
    .reference = reference,
    .params = "",
    .guard = guard_merge_loop_perm,
    .build = merged,
    .cases = cases_merge_loop_perm,
};

const spl_rule spl_merge_diag_loop = {
    .name = "merge-diag-loop",
    .phase = SPL_MERGE,
    .formula = "D (SUM S(f) A G(g)) = SUM S(f) diag(d o f) A G(g)",
    .reference = reference,
    .params = "",
    .guard = guard_merge_diag_loop,
    .build = merged,
    .cases = cases_merge_diag_loop,
};

const spl_rule spl_merge_alone = {
    .name = "merge-alone",
    .phase = SPL_MERGE,
    .formula = "D P = SUM(j<N/r) S(h_{jr,1}) diag(d o h_{jr,1}) I(r) G(p o h_{jr,1})",
    .reference = reference,
    .params = "",
    .guard = guard_merge_alone,
    .build = merged,
    .cases = cases_merge_alone,
};

const spl_rule spl_merge_loop_diag = {
    .name = "merge-loop-diag",
    .phase = SPL_MERGE,
    .formula = "A D = A (SUM(j<N/r) S(h_{jr,1}) diag(d o h_{jr,1}) G(h_{jr,1}))",
    .reference = reference,
    .params = "",
    .guard = guard_merge_loop_diag,
    .build = merged,
    .cases = cases_merge_loop_diag,
};

const spl_rule spl_merge_11 = {
    .name = "merge-(11)",
    .phase = SPL_MERGE,
    .formula = "S(f) (SUM S(f') A G(g')) G(g) = SUM S(f o f') A G(g o g')",
    .reference = reference,
    .params = "",
    .guard = guard_merge_11,
    .build = merged,
    .cases = cases_merge_11,
};

const spl_rule spl_merge_exchange = {
    .name = "merge-exchange",
    .phase = SPL_MERGE,
    .formula = "(SUM.par S(f) A G(g)) P D (SUM.par S(f') B G(g')) = (SUM.par S(f) A G(g)) (SUM.par "
               "S(p^-1 o f') diag(d o f') B G(g'))",
    .reference = reference,
    .params = "",
    .guard = guard_merge_exchange,
    .build = merged,
    .cases = cases_merge_exchange,
};

const spl_rule spl_merge_copy_copy = {
    .name = "merge-copy-copy",
    .phase = SPL_MERGE,
    .formula =
        "S.copy(f) (SUM S.copy(f') A G.copy(g')) G.copy(g) = SUM S.copy(f o f') A G.copy(g o g')",
    .reference = reference,
    .params = "",
    .guard = guard_merge_copy_copy,
    .build = merged,
    .cases = cases_merge_copy_copy,
};

const spl_rule spl_merge_mono_copy = {
    .name = "merge-mono-copy",
    .phase = SPL_MERGE,
    .formula = "P D (SUM S.copy(f) A G.copy(g)) = SUM S.copy(p^-1 o f) diag(d o f) A G.copy(g)",
    .reference = reference,
    .params = "",
    .guard = guard_merge_mono_copy,
    .build = merged,
    .cases = cases_merge_mono_copy,
};
