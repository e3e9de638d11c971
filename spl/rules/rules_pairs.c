// SPDX-License-Identifier: BSD-3-Clause
/* Passes become a sum of what their kernels compute on rows of l columns, of which kernels write
 * each its own:
 *     PAIRS_m (x) I_l = S (EDGE (x) I_l) G + SUM(0<k<m/2) S (PAIR_k (x) I_l) G + S (SELF (x) I_l) G
 * Row m-k is a second branch of the functions of PAIR_k, which goes down while row k goes up. */
#include "spl/rules/rewrite.h"

#include <stddef.h>

static const char reference[] = "Cooley, Lewis & Welch 1970, as kernels of two rows";

/* PAIRS (x) I_l, l >= 1. */
typedef struct pass {
    const spl *pairs; /* NULL: it is something else */
    int64_t m, l;
    spl_pass_kind kind;
} pass;

static pass pass_of(const spl_view *v)
{
    const spl *pairs = v->nmid == 1 ? v->mid[0] : v->base;
    if (pairs->op != SPL_PAIRS || v->a > 1)
        return (pass){.pairs = NULL};
    return (pass){pairs, spl_pass_points(pairs), v->b, spl_pass_kind_of(pairs)};
}

enum { PAIR_VAR = 0 }; /* of the loop over pairs, whose k is one more */

/* The rows of a kernel among `rows`. */
static const ix *rows_of(spl_ctx *ctx, const pass *p, spl_pass_role role, int count, int64_t rows)
{
    const int64_t pairs = spl_pass_pairs(p->m);
    const ix_term up = {PAIR_VAR, 1, pairs, 1}, down = {PAIR_VAR, 1, pairs, -1};
    if (role == SPL_ROLE_EDGE)
        return ix_h(ctx, count, rows, 0, p->m);
    if (role == SPL_ROLE_SELF)
        return ix_h(ctx, 1, rows, p->m / 2, 1);
    return ix_two(ctx, IX_INDEX, 1, ix_digit(ctx, 2, rows, 1, 1, &up),
                  ix_digit(ctx, 2, rows, p->m - 1, 1, &down));
}

/* S(rows (x) id_l) {K (x) I_l}_tags G(rows (x) id_l), K the kernel of a role */
static const spl *term_of(spl_ctx *ctx, const pass *p, spl_pass_role role, int ntags,
                          const spl_tag *tags)
{
    const ix_term count = {PAIR_VAR, 1, spl_pass_pairs(p->m), 1};
    const ix *k =
        role == SPL_ROLE_PAIR ? ix_digit(ctx, 1, spl_pass_pairs(p->m) + 1, 1, 1, &count) : NULL;
    const spl *body =
        spl_kron2(ctx, spl_pair_kernel(ctx, p->kind, role, p->m, k), spl_identity(ctx, p->l));
    const ix *out = rows_of(ctx, p, role, spl_role_rows(p->kind, role), p->pairs->rows);
    const ix *in = rows_of(ctx, p, role, spl_role_cols(p->kind, role), p->pairs->cols);
    const ix *columns = ix_id(ctx, p->l);
    const spl_ends ends = {ix_tensor(ctx, out, columns), ix_tensor(ctx, in, columns)};
    return spl_wrap(ctx, ends, SPL_PLAIN, spl_tagged(ctx, body, ntags, tags));
}

/* The three terms; `single`, unless NULL: a loop around each of those that have no partner. */
static const spl *sum_of_terms(spl_ctx *ctx, const pass *p, const spl_range *pairs,
                               const spl_range *single, int ntags, const spl_tag *tags)
{
    const spl *terms[SPL_ROLES];
    int count = 0;
    terms[count++] = term_of(ctx, p, SPL_ROLE_EDGE, ntags, tags);
    if (spl_pass_pairs(p->m) > 0) {
        const bool lanes = pairs->kind == SPL_VEC;
        const spl *pair = term_of(ctx, p, SPL_ROLE_PAIR, lanes ? 0 : ntags, tags);
        terms[count++] = spl_sum(ctx, pairs, pair);
    }
    if (p->m % 2 == 0)
        terms[count++] = term_of(ctx, p, SPL_ROLE_SELF, ntags, tags);
    for (int i = 0; single != NULL && i < count; i++)
        if (i != 1 || spl_pass_pairs(p->m) == 0)
            terms[i] = spl_sum(ctx, single, terms[i]);
    return spl_plus(ctx, count, terms);
}

static bool guard_sigma_pairs(const spl *x, const spl_params *params, const char **refusal)
{
    const spl_view v = spl_view_of(x);
    const pass p = pass_of(&v);
    (void)params;
    return spl_unless(refusal, v.outer.kind == SPL_TAG_COUNT && p.pairs != NULL,
                      "it needs PAIRS(m) or PAIRS(m) (x) I_l");
}

static const spl *build_sigma_pairs(spl_ctx *ctx, const spl *x, const spl_params *params)
{
    const spl_view v = spl_view_of(x);
    const pass p = pass_of(&v);
    (void)params;
    const spl_range pairs = spl_range_over(SPL_SEQ, PAIR_VAR, spl_pass_pairs(p.m));
    return sum_of_terms(ctx, &p, &pairs, NULL, 0, NULL);
}

static const char *const cases_sigma_pairs[] = {
    "PAIRS.rdft(1)",          "PAIRS.irdft(1)",         "PAIRS.rdft(2)",
    "PAIRS.irdft(2)",         "PAIRS.rdft(3)",          "PAIRS.irdft(3)",
    "PAIRS.rdft(8)",          "PAIRS.irdft(8)",         "PAIRS.rdft(9)",
    "PAIRS.irdft(9)",         "PAIRS.rdft(6) (x) I(3)", "PAIRS.irdft(7) (x) I(4)",
    "I(2) (x) PAIRS.rdft(5)", "DFT(4)_{leaf} (x) I(3)", NULL};

const spl_rule spl_sigma_pairs = {
    .name = "sigma-pairs",
    .group = SPL_SIGMA,
    .formula = "PAIRS_m (x) I_l -> S (EDGE (x) I_l) G + SUM(0<k<m/2) S (PAIR_k (x) I_l) G + "
               "S (SELF (x) I_l) G",
    .reference = reference,
    .guard = guard_sigma_pairs,
    .build = build_sigma_pairs,
    .cases = cases_sigma_pairs,
};

/* {PAIRS_m (x) I_l}_vec: lanes are columns, every kernel's alike; of PAIRS_m alone they are pairs. */
static bool guard_tag_vec_pairs(const spl *x, const spl_params *params, const char **refusal)
{
    const spl_view v = spl_view_of(x);
    const pass p = pass_of(&v);
    (void)params;
    return spl_unless(refusal, v.outer.kind == SPL_TAG_VEC, "the outermost tag is not vec")
           && spl_nests(&v, refusal)
           && spl_unless(refusal, p.pairs != NULL, "it needs PAIRS(m) or PAIRS(m) (x) I_l");
}

static const spl *build_tag_vec_pairs(spl_ctx *ctx, const spl *x, const spl_params *params)
{
    const spl_view v = spl_view_of(x);
    const pass p = pass_of(&v);
    (void)params;
    spl_range pairs = spl_range_over(p.l == 1 ? SPL_VEC : SPL_SEQ, PAIR_VAR, spl_pass_pairs(p.m));
    pairs.nu = v.outer.a[0];
    pairs.format = (int)v.outer.a[1];
    return sum_of_terms(ctx, &p, &pairs, NULL, x->ntags, x->tag);
}

static const char *const cases_tag_vec_pairs[] = {"PAIRS.rdft(16)_{vec(4,inter)}",
                                                  "PAIRS.irdft(9)_{vec(4,split)}",
                                                  "PAIRS.rdft(2)_{vec(2,inter)}",
                                                  "(PAIRS.rdft(6) (x) I(5))_{vec(4,inter)}",
                                                  "(PAIRS.irdft(7) (x) I(8))_{vec(4,inter)}",
                                                  "(I(3) (x) PAIRS.rdft(8))_{vec(2,inter)}",
                                                  "PAIRS.rdft(8)",
                                                  NULL};

const spl_rule spl_tag_vec_pairs = {
    .name = "vec-pairs",
    .group = SPL_TAGGING,
    .formula = "{PAIRS_m}_vec(nu,f) -> {EDGE}_vec + SUM.vec(0<k<m/2) PAIR_k + {SELF}_vec; "
               "{PAIRS_m (x) I_l}_vec -> {EDGE (x) I_l}_vec + SUM(k) {PAIR_k (x) I_l}_vec + ..",
    .reference = reference,
    .guard = guard_tag_vec_pairs,
    .build = build_tag_vec_pairs,
    .cases = cases_tag_vec_pairs,
};

/* {PAIRS_m}_spe(p,mu) -> SUM.par(q<p) of the same sum, its loop over pairs in shares; what has no
 * partner is a loop of one, which is the last part's. */
static bool guard_tag_spe_pairs(const spl *x, const spl_params *params, const char **refusal)
{
    const spl_view v = spl_view_of(x);
    const pass p = pass_of(&v);
    (void)params;
    return spl_unless(refusal, v.outer.kind == SPL_TAG_SPE, "the outermost tag is not spe")
           && spl_nests(&v, refusal)
           && spl_unless(refusal, p.pairs != NULL && p.l == 1, "it needs PAIRS(m) alone")
           && spl_unless(refusal, v.nrest == 0 || (v.nrest == 1 && v.rest[0].kind == SPL_TAG_VEC),
                         "only vec may stand inside spe on PAIRS(m)")
           && spl_unless(refusal, spl_shares_fit(v.outer.a[0], spl_pass_pairs(p.m)),
                         "p is too large: more than 65536 parts, and more than pairs");
}

static const spl *build_tag_spe_pairs(spl_ctx *ctx, const spl *x, const spl_params *params)
{
    const spl_view v = spl_view_of(x);
    const int64_t parts = v.outer.a[0];
    const int height = v.nrest > 0 ? 1 : 0, share = height + 1; /* {EDGE}_vec is a loop itself */
    const pass p = pass_of(&v);
    (void)params;
    spl_range pairs = spl_range_shared(PAIR_VAR, spl_pass_pairs(p.m), share, parts, v.outer.a[1]);
    const spl_range single = spl_range_shared(height, 1, share, parts, 1);
    spl_range_lanes(&pairs, &v);
    return spl_parts(ctx, share, parts, sum_of_terms(ctx, &p, &pairs, &single, v.nrest, v.rest));
}

static const char *const cases_tag_spe_pairs[] = {
    "PAIRS.rdft(16)_{spe(2,1)}",
    "PAIRS.irdft(16)_{vec(2,inter),spe(3,2)}",
    "PAIRS.rdft(33)_{vec(4,inter),spe(2,1)}",
    "PAIRS.irdft(3)_{spe(4,8)}",
    "PAIRS.rdft(2)_{spe(2,1)}",
    "(PAIRS.rdft(6) (x) I(8))_{vec(2,inter),spe(2,4)}",
    "(I(4) (x) PAIRS.irdft(6))_{spe(2,1)}",
    "(I(2) (x) PAIRS.rdft(32))_{spe(4,1)}",
    "(PAIRS.rdft(6) (x) I(8))_{spe(2,4)}",
    "PAIRS.rdft(16)_{tile(2),spe(2,1)}",
    NULL};

const spl_rule spl_tag_spe_pairs = {
    .name = "spe-pairs",
    .group = SPL_TAGGING,
    .formula =
        "{PAIRS_m}_spe(p,mu) -> SUM.par(q<p) (SUM(1 @q/p) EDGE + SUM(0<k<m/2 @q/p/mu) PAIR_k "
        "+ SUM(1 @q/p) SELF)",
    .reference = reference,
    .guard = guard_tag_spe_pairs,
    .build = build_tag_spe_pairs,
    .cases = cases_tag_spe_pairs,
};
