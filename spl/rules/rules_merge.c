// SPDX-License-Identifier: BSD-3-Clause
/* Merge rules, each one identity of Sigma-SPL. spl_merge (spl/rules/merge.c) applies them from the
 * outside in, in the order of the table, until none holds. Then every kernel K has the form
 *     [S.copy(f)] S(f) [V^-1] D .. K [V] G(g) [G.copy(g)]
 * Permutations and diagonals merge into the stage on their right, whose output they act on.
 * Permutations without such a stage, or with pairs there, merge into the stage on their left.
 *
 * COPY and NET functions stop in front of loops in which nothing copies, so that there is a local
 * buffer between; PLAIN ones never pass them. Indices of factors count from the left; -1: none. */
#include "spl/rules/factors.h"
#include "spl/rules/rewrite.h"

#include <stddef.h>

static const char reference[] =
    "Franchetti, Voronenko & Pueschel 2005; Spiral for the Cell (8), (11)";

/* Does x contain an edge, in a term of any sum? */
static bool holds_edge(const spl *x)
{
    const spl *const *factor;

    while (x->op == SPL_LOOP)
        x = x->kid[0];
    for (int i = 0; x->op == SPL_PLUS && i < x->nkids; i++)
        if (holds_edge(x->kid[i]))
            return true;
    for (int i = x->op == SPL_PLUS ? 0 : spl_factors(&x, &factor); i > 0; i--)
        if (factor[i - 1]->op == SPL_PAIR
                ? spl_pair_role(factor[i - 1]) == SPL_ROLE_EDGE
                : spl_is_loop_or_sum(factor[i - 1]) && holds_edge(factor[i - 1]))
            return true;
    return false;
}

/* Is it a stage of pairs of rows k and n - k, from k = 1 on, with an edge? After a permutation of
 * its rows, addresses would not be sums of digits. */
static bool has_edge(const spl *x)
{
    while (x->op == SPL_LOOP && spl_range_of(x).kind == SPL_PAR)
        x = x->kid[0];
    return x->op == SPL_PLUS && holds_edge(x);
}

/* A P = A G(p), P = G(p), if nothing on P's right scatters, or if a stage of pairs does and P
 * exchanges digits (folds split loops instead). */
static int find_gathered_perm(const spl *x)
{
    const spl *const *factor;
    const int count = spl_factors(&x, &factor);
    int at = -1;
    for (spl_stage s = {0}; at < 0 && spl_next_stage(factor, count, &s);) {
        at = spl_find_factor(factor, s.right, s.end, SPL_PERM);
        if (at < 0 && s.left > 0 && s.left < s.core && factor[s.left]->op == SPL_PERM
            && spl_has_core(&s) && has_edge(factor[s.core]) && factor[s.left]->f->kind == IX_DIGIT)
            at = s.left;
    }
    return at;
}

static bool guard_merge_perm_gather(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, find_gathered_perm(x) >= 0,
                      "it needs A * P with nothing on P's right that could scatter but PAIRS");
}

static const spl *build_merge_perm_gather(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const int at = find_gathered_perm(x);
    const spl *gather = spl_gather(ctx, x->kid[at]->f, SPL_PLAIN);
    return spl_splice(ctx, x, at, 1, 1, &gather);
}

static const char *const cases_merge_perm_gather[] = {
    "SUM(k0<4, S(h(3,12,3*k0%4,1)) * DFT(3)_{leaf} * G(h(3,12,3*k0%4,1))) * P(l(12,4))",
    "SUM(k0<4, S(h(3,12,3*k0%4,1)) * DFT(3)_{leaf} * G(h(3,12,3*k0%4,1))) * P(l(12,4)) * "
    "G(h(12,24,0,2))",
    "P(l(12,4)) * P(l(12,3))",
    "DFT(12)_{leaf} * P(l(12,4)) * DFT(12)_{leaf}",
    "SUM(k0<2, S(h(2,4,k0%2,2)) * DFT(2)_{leaf} * G(h(2,4,k0%2,2))) * P(l(4,2)) * "
    "((S(h(1,4,0,0)) * EDGE.rdct3(4) * V(1) * G(h(2,8,0,4))) + (S(h(1,4,2,0)) * SELF.rdct3(4) * "
    "V(1) * G(h(2,8,2,4))) + SUM(k0<1, S(two(i%2, h(2,4,1 + k0%1,0), h(2,4,3 - k0%1,0))) * "
    "PAIR.rdct3(4,h(1,2,1 + k0%1,0)) * V(2) * G(two(i/2%2, two(i%2, h(4,8,1 + k0%1,0), "
    "h(4,8,7 - k0%1,0)), two(i%2, h(4,8,3 - k0%1,0), h(4,8,5 + k0%1,0))))))",
    NULL};

const spl_rule spl_merge_perm_gather = {
    .name = "merge-perm-gather",
    .group = SPL_MERGE,
    .formula = "A P = A G(p)",
    .reference = reference,
    .guard = guard_merge_perm_gather,
    .build = build_merge_perm_gather,
    .cases = cases_merge_perm_gather,
};

/* G(g) G(f) = G(f o g);  S(f) S(g) = S(f o g). The result has the stronger class. A PLAIN function
 * next to the kernel is not merged with a copying one outside: a local buffer is between them. */
static bool are_gathers(const spl *left, const spl *right)
{
    return left->op == SPL_GATH && right->op == SPL_GATH
           && (spl_move_class(left) != SPL_PLAIN || spl_move_class(right) == SPL_PLAIN);
}

static bool are_scatters(const spl *left, const spl *right)
{
    return left->op == SPL_SCAT && right->op == SPL_SCAT
           && (spl_move_class(right) != SPL_PLAIN || spl_move_class(left) == SPL_PLAIN);
}

static bool guard_merge_fuse(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal,
                      spl_find_pair(x, are_scatters, true) >= 0
                          || spl_find_pair(x, are_gathers, false) >= 0,
                      "it needs G(g) G(f) or S(f) S(g)");
}

static const spl *build_merge_fuse(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const int pair = spl_find_pair(x, are_scatters, true);
    const int at = pair >= 0 ? pair : spl_find_pair(x, are_gathers, false);
    const spl *a = x->kid[at], *b = x->kid[at + 1];
    const spl_class cls =
        spl_move_class(a) > spl_move_class(b) ? spl_move_class(a) : spl_move_class(b);
    const spl *fused = pair >= 0 ? spl_scatter(ctx, ix_compose(ctx, a->f, b->f), cls)
                                 : spl_gather(ctx, ix_compose(ctx, b->f, a->f), cls);
    return spl_splice(ctx, x, at, 2, 1, &fused);
}

static const char *const cases_merge_fuse[] = {
    "G(h(2,6,1,3)) * G(h(6,12,0,2))",
    "S(h(12,24,1,2)) * S(h(3,12,0,4))",
    "S(h(6,12,0,2)) * S(h(3,6,1,2)) * DFT(3)_{leaf} * G(h(3,6,0,2)) * G(h(6,12,6,1))",
    "S.copy(h(6,12,0,2)) * S.copy(h(3,6,1,2)) * DFT(3)_{leaf} * G.copy(h(3,6,0,2))",
    "DFT(3)_{leaf} * G.copy(h(3,6,0,2)) * G(h(6,12,6,1))",
    "DFT(3)_{leaf} * G(h(3,6,0,2)) * G.copy(h(6,12,6,1))",
    "G(h(2,6,1,3)) * DFT(6)_{leaf}",
    NULL};

const spl_rule spl_merge_fuse = {
    .name = "merge-fuse",
    .group = SPL_MERGE,
    .formula = "G(g) G(f) = G(f o g), S(f) S(g) = S(f o g)",
    .reference = reference,
    .guard = guard_merge_fuse,
    .build = build_merge_fuse,
    .cases = cases_merge_fuse,
};

/* P A = S(p^-1) A, P = G(p): P merges into the stage on its right. */
static int find_scattered_perm(const spl *x)
{
    const spl *const *factor;
    const int count = spl_factors(&x, &factor);
    int found = -1;
    for (spl_stage s = {0}; found < 0 && spl_next_stage(factor, count, &s);)
        for (int i = s.left; i < s.core; i++)
            found = factor[i]->op == SPL_PERM ? i : found;
    return found;
}

static bool guard_merge_perm_scatter(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, find_scattered_perm(x) >= 0, "it needs P * A");
}

static const spl *build_merge_perm_scatter(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl *const *factor;
    (void)spl_factors(&x, &factor);
    const int at = find_scattered_perm(x);
    const spl *scatter = spl_scatter(ctx, ix_inverse(ctx, factor[at]->f), SPL_PLAIN);
    return spl_splice(ctx, x, at, 1, 1, &scatter);
}

static const char *const cases_merge_perm_scatter[] = {
    "P(l(12,3)) * SUM(k0<4, S(h(3,12,3*k0%4,1)) * DFT(3)_{leaf} * G(h(3,12,k0%4,4)))",
    "P(l(12,2)) * P(l(12,3)) * SUM(k0<4, S(h(3,12,k0%4,4)) * DFT(3)_{leaf} * "
    "G(h(3,12,k0%4,4)))",
    "P(l(12,2)) * D(3,4,h(12,12,0,1)) * DFT(12)_{leaf}",
    "SUM(k0<4, S(h(3,12,3*k0%4,1)) * DFT(3)_{leaf} * G(h(3,12,k0%4,4))) * P(l(12,3))", NULL};

const spl_rule spl_merge_perm_scatter = {
    .name = "merge-perm-scatter",
    .group = SPL_MERGE,
    .formula = "P A = S(p^-1) A",
    .reference = reference,
    .guard = guard_merge_perm_scatter,
    .build = build_merge_perm_scatter,
    .cases = cases_merge_perm_scatter,
};

/* D S(f) = S(f) diag(d o f) */
static bool is_diagonal_scatter(const spl *left, const spl *right)
{
    return left->op == SPL_DIAG_OF && right->op == SPL_SCAT;
}

static bool guard_merge_diag(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, spl_find_pair(x, is_diagonal_scatter, true) >= 0,
                      "it needs D * S(f)");
}

static const spl *build_merge_diag(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const int at = spl_find_pair(x, is_diagonal_scatter, true);
    const spl *D = x->kid[at], *S = x->kid[at + 1];
    const spl *const pair[] = {S, spl_diag_of(ctx, D, ix_compose(ctx, D->f, S->f))};
    return spl_splice(ctx, x, at, 2, 2, pair);
}

static const char *const cases_merge_diag[] = {
    "D(3,4,h(12,12,0,1)) * S(h(3,12,1,4)) * DFT(3)_{leaf}",
    "D(3,4,h(12,12,0,1)) * D(4,3,h(12,12,0,1))^-1 * S.copy(h(3,12,1,4)) * DFT(3)_{leaf}",
    "D(3,4,h(12,12,0,1)) * P(l(12,3))", NULL};

const spl_rule spl_merge_diag = {
    .name = "merge-diag",
    .group = SPL_MERGE,
    .formula = "D S(f) = S(f) diag(d o f)",
    .reference = reference,
    .guard = guard_merge_diag,
    .build = build_merge_diag,
    .cases = cases_merge_diag,
};

/* S(f) (SUM A) G(g) = SUM S(f) A G(g), and the same for sums of terms; D and V^-1 as S, V as G.
 * Copying functions enter loops in which something copies, but no terms: a term has only some of
 * the rows, a transfer has all. (11) */
static bool is_entered(const spl *nest, const spl *x, spl_op side, spl_retype view)
{
    if (x->op == side)
        return spl_move_class(x) == SPL_PLAIN
               || (nest->op == SPL_LOOP && spl_copies_inside(nest, side));
    return spl_is_retype(x, view) || (side == SPL_SCAT && x->op == SPL_DIAG_OF);
}

static bool enters_from_left(const spl *left, const spl *right)
{
    return spl_is_loop_or_sum(right) && is_entered(right, left, SPL_SCAT, SPL_RETYPE_UNVIEW);
}

static bool enters_from_right(const spl *left, const spl *right)
{
    return spl_is_loop_or_sum(left) && is_entered(left, right, SPL_GATH, SPL_RETYPE_VIEW);
}

static const spl *multiply_from_left(spl_ctx *ctx, const spl *body, const void *x)
{
    return spl_mul2(ctx, x, body);
}

static const spl *multiply_from_right(spl_ctx *ctx, const spl *body, const void *x)
{
    return spl_mul2(ctx, body, x);
}

static bool guard_merge_nest(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal,
                      spl_find_pair(x, enters_from_left, true) >= 0
                          || spl_find_pair(x, enters_from_right, false) >= 0,
                      "it needs S(f) SUM or SUM G(g), both of copies or none");
}

static const spl *build_merge_nest(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const int left = spl_find_pair(x, enters_from_left, true);
    const int at = left >= 0 ? left : spl_find_pair(x, enters_from_right, false);
    const spl *a = x->kid[at], *b = x->kid[at + 1];
    const spl *nest = left >= 0 ? spl_map(ctx, b, multiply_from_left, a)
                                : spl_map(ctx, a, multiply_from_right, b);
    return spl_splice(ctx, x, at, 2, 1, &nest);
}

static const char *const cases_merge_nest[] = {
    "S(h(6,12,6,1)) * SUM(k0<3, S(h(2,6,2*k0%3,1)) * DFT(2)_{leaf} * G(h(2,6,2*k0%3,1)))",
    "SUM(k0<3, S(h(2,6,2*k0%3,1)) * DFT(2)_{leaf} * G(h(2,6,2*k0%3,1))) * G(h(6,12,0,2))",
    "D(3,4,h(12,12,0,1)) * SUM(k0<4, S(h(3,12,k0%4,4)) * DFT(3)_{leaf} * G(h(3,12,k0%4,4)))",
    "SUM.par(k1<3, SUM(k0<4@k1/3, S(h(3,12,k0%4,4)) * DFT(3)_{leaf} * G(h(3,12,3*k0%4,1)))) * "
    "G(h(12,24,0,2))",
    "S.copy(h(6,12,6,1)) * SUM.stream(k0<3, S.copy(h(2,6,2*k0%3,1)) * DFT(2)_{leaf} * "
    "G.copy(h(2,6,2*k0%3,1))) * G.copy(h(6,12,6,1))",
    "V(6)^-1 * SUM(k0<3, S(h(2,6,2*k0%3,1)) * DFT(2)_{leaf} * G(h(2,6,2*k0%3,1))) * V(6)",
    "S(h(5,10,0,2)) * (S(h(3,5,0,1)) * DFT(3)_{leaf} * G(h(3,5,0,1)) + S(h(2,5,3,1)) * "
    "DFT(2)_{leaf} * G(h(2,5,3,1))) * G(h(5,10,5,1))",
    "D(5,1,h(5,5,0,1)) * (S(h(3,5,0,1)) * G(h(3,5,0,1)) + S(h(2,5,3,1)) * DFT(2)_{leaf} * "
    "G(h(2,5,3,1)))",
    "S.copy(h(6,12,6,1)) * SUM(k0<3, S(h(2,6,2*k0%3,1)) * DFT(2)_{leaf} * G(h(2,6,2*k0%3,1)))",
    "S.copy(h(5,10,0,2)) * (S(h(3,5,0,1)) * G(h(3,5,0,1)) + S(h(2,5,3,1)) * DFT(2)_{leaf} * "
    "G(h(2,5,3,1)))",
    NULL};

const spl_rule spl_merge_nest = {
    .name = "merge-nest",
    .group = SPL_MERGE,
    .formula = "S(f) (SUM A) G(g) = SUM S(f) A G(g), S(f) (A + B) = S(f) A + S(f) B",
    .reference = reference,
    .guard = guard_merge_nest,
    .build = build_merge_nest,
    .cases = cases_merge_nest,
};

/* K = S(id) K G(id) for a kernel: a leaf, or an identity that only moves elements. Returns the
 * index where S or G is missing; for G, `after` is the factor that it follows. */
static int find_bare_side(const spl *x, bool scatter)
{
    const spl *const *factor;
    const int count = spl_factors(&x, &factor);
    for (spl_stage s = {0}; spl_next_stage(factor, count, &s);) {
        int at = scatter ? s.core : s.right;
        if (spl_has_core(&s) && spl_is_loop_or_sum(factor[s.core]))
            continue;
        while (scatter && at > s.left && factor[at - 1]->op != SPL_SCAT)
            at--;
        while (!scatter && at < s.end && factor[at]->op != SPL_GATH)
            at++;
        const int next = scatter ? at - 1 : at;
        const bool has = next >= s.left && next < s.end
                         && spl_is_plain(factor[next], scatter ? SPL_SCAT : SPL_GATH);
        if (!has)
            return at;
    }
    return -1;
}

static bool guard_merge_kernel(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, find_bare_side(x, true) >= 0 || find_bare_side(x, false) >= 0,
                      "it needs a kernel without plain scatter or gather");
}

static const spl *build_merge_kernel(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl *const *factor;
    (void)spl_factors(&x, &factor);
    const int s = find_bare_side(x, true), at = s >= 0 ? s : find_bare_side(x, false);
    const spl *side = s >= 0 ? spl_scatter(ctx, ix_id(ctx, factor[at]->rows), SPL_PLAIN)
                             : spl_gather(ctx, ix_id(ctx, factor[at - 1]->cols), SPL_PLAIN);
    return spl_splice(ctx, x, at, 0, 1, &side);
}

static const char *const cases_merge_kernel[] = {
    "DFT(4)_{leaf}",
    "D(3,4,h(12,12,0,1)) * DFT(12)_{leaf} * G(h(12,24,1,2))",
    "S.copy(h(4,8,0,2)) * DFT(4)_{leaf} * G.copy(h(4,8,4,1))",
    "S(h(4,8,0,2)) * D(2,2,h(4,4,0,1))",
    "S(h(8,8,0,1)) * V(4)^-1 * DFT(4)_{leaf} * V(4)",
    "S(h(4,8,0,2)) * DFT(4)_{leaf} * G(h(4,8,4,1))",
    NULL};

const spl_rule spl_merge_kernel = {
    .name = "merge-kernel",
    .group = SPL_MERGE,
    .formula = "K = S(id) K G(id)",
    .reference = reference,
    .guard = guard_merge_kernel,
    .build = build_merge_kernel,
    .cases = cases_merge_kernel,
};
