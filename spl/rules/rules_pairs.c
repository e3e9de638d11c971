// SPDX-License-Identifier: BSD-3-Clause
/* Stages of pairs become a sum of terms, one for each kernel, on rows of l columns; each kernel
 * writes rows of its own:
 *     PAIRS_m (x) I_l = S (EDGE (x) I_l) G + SUM(0<k<m/2) S (PAIR_k (x) I_l) G + S (SELF (x) I_l) G
 * The functions of PAIR_k have two branches: row k, which goes up, and row m-k, which goes down. On
 * a mirrored side each row has two branches, re and im, and kernels are next to V or V^-1:
 *     S(f (x) id_l) (V_2^-1 (x) I_l) (PAIR_k (x) I_l) G */
#include "spl/rules/rewrite.h"

#include <stddef.h>

static const char reference[] = "Cooley, Lewis & Welch 1970, as kernels of two rows";

enum { PAIR_VAR = 0 }; /* the loop over pairs; its k is one more */
/* For columns in a loop inside the loop over pairs, with a loop over shares around both. */
enum { COLUMN_VAR = 0, OUTER_PAIR_VAR, SHARE_VAR };

/* I_a (x) PAIRS (x) I_l, a, l >= 1. */
typedef struct stage {
    const spl *pairs; /* NULL: it is another operator */
    int64_t m, l;
    int64_t a; /* > 1: for the kernels without a partner */
    spl_pairs_kind kind;
    const spl_pairs_def *def;
    int var; /* of the loop over pairs */
} stage;

static stage stage_of(const spl_view *v)
{
    const spl *pairs = v->nmid == 1 ? v->mid[0] : v->base;
    if (pairs->op != SPL_PAIRS || v->a > 1)
        return (stage){.pairs = NULL};
    const spl_pairs_kind kind = spl_pairs_kind_of(pairs);
    return (stage){pairs, spl_pairs_points(pairs), v->b, 1, kind, spl_pairs_def_of(kind), PAIR_VAR};
}

/* A function of `n` values: b + s times (k - its first value). */
static const ix *row_of(spl_ctx *ctx, const stage *p, int n, int64_t rows, int64_t b, int64_t s)
{
    const ix_term count = {p->var, 1, spl_pairs_count(p->kind, p->m), s};
    return ix_digit(ctx, n, rows, b, 1, &count);
}

/* One side: its form, its elements, those that one kernel accesses. */
typedef struct rows {
    spl_pairs_side side;
    bool swapped; /* the partner comes first */
    int64_t elements;
    int count;
} rows;

static rows rows_on_side(const stage *p, spl_pairs_role role, bool out)
{
    if (out)
        return (rows){p->def->out, false, p->pairs->rows, spl_role_rows(p->kind, role)};
    return (rows){p->def->in, p->def->swapped, p->pairs->cols, spl_role_cols(p->kind, role)};
}

/* Row k and its partner; on a mirrored side, re and im of both. */
static const ix *places_of_pair(spl_ctx *ctx, const stage *p, const rows *r)
{
    const int64_t n = r->elements, up = spl_pairs_first(p->kind), down = p->m - 1;
    const int shift = p->def->shift;
    if (r->side == SPL_SIDE_MIRRORED)
        return ix_two(ctx, IX_INDEX, 2,
                      ix_two(ctx, IX_INDEX, 1, row_of(ctx, p, 4, n, up - shift, 1),
                             row_of(ctx, p, 4, n, n - up - shift, -1)),
                      ix_two(ctx, IX_INDEX, 1, row_of(ctx, p, 4, n, down - shift, -1),
                             row_of(ctx, p, 4, n, n - down - shift, 1)));
    const ix *const first = row_of(ctx, p, 2, n, up, 1);
    const ix *const second = row_of(ctx, p, 2, n, down, -1);
    return r->swapped ? ix_two(ctx, IX_INDEX, 1, second, first)
                      : ix_two(ctx, IX_INDEX, 1, first, second);
}

/* The elements that a kernel accesses on a side. */
static const ix *places_of(spl_ctx *ctx, const stage *p, spl_pairs_role role, const rows *r)
{
    const bool mirrored = r->side == SPL_SIDE_MIRRORED, shifted = mirrored && p->def->shift > 0;
    const int count = r->count * (mirrored ? 2 : 1);
    if (role == SPL_ROLE_PAIR)
        return places_of_pair(ctx, p, r);
    if (role == SPL_ROLE_SELF)
        return ix_h(ctx, count, r->elements, spl_pairs_self(p->kind, p->m) - shifted, p->m);
    return ix_h(ctx, count, r->elements, shifted ? r->elements - 1 : 0, shifted ? -p->m : p->m);
}

/* x with views on the sides whose rows are reals. */
static const spl *with_views(spl_ctx *ctx, const stage *p, const spl *x, int rows, int cols)
{
    const spl *const columns = spl_identity(ctx, p->l);
    if (p->def->out == SPL_SIDE_MIRRORED)
        x = spl_mul2(ctx, spl_kron2(ctx, spl_retyped(ctx, SPL_RETYPE_UNVIEW, rows), columns), x);
    if (p->def->in == SPL_SIDE_MIRRORED)
        x = spl_mul2(ctx, x, spl_kron2(ctx, spl_retyped(ctx, SPL_RETYPE_VIEW, cols), columns));
    return x;
}

/* How the columns of a kernel run: by the rules for its tags, or by a loop. */
typedef struct lanes {
    int ntags;
    const spl_tag *tags;
    const spl_range *columns; /* NULL: by tags */
} lanes;

/* I_a (x) K (x) I_l */
static const spl *with_columns(spl_ctx *ctx, const stage *p, const spl *kernel, const lanes *w)
{
    const spl *const all[] = {spl_identity(ctx, p->a), kernel, spl_identity(ctx, p->l)};
    if (w->columns == NULL)
        return spl_tagged(ctx, spl_kron(ctx, 3, all), w->ntags, w->tags);
    const spl_ends ends = spl_column_ends(ctx, p->l, COLUMN_VAR, kernel);
    return spl_sum(ctx, w->columns, spl_wrap(ctx, ends, SPL_PLAIN, kernel));
}

/* The rows of a kernel (x) id_l, for each of the p->a stages. */
static const ix *places_of_all(spl_ctx *ctx, const stage *p, spl_pairs_role role, const rows *r)
{
    const ix *places = ix_tensor(ctx, places_of(ctx, p, role, r), ix_id(ctx, p->l));
    return p->a > 1 ? ix_tensor(ctx, ix_id(ctx, p->a), places) : places;
}

/* S(rows (x) id_l) {K (x) I_l}_tags G(rows (x) id_l), K the kernel of a role */
static const spl *term_of(spl_ctx *ctx, const stage *p, spl_pairs_role role, const lanes *w)
{
    const int64_t first = spl_pairs_first(p->kind), pairs = spl_pairs_count(p->kind, p->m);
    const ix *k = role == SPL_ROLE_PAIR ? row_of(ctx, p, 1, first + pairs, first, 1) : NULL;
    const spl *body = with_columns(ctx, p, spl_pair_kernel(ctx, p->kind, role, p->m, k), w);
    const rows out = rows_on_side(p, role, true), in = rows_on_side(p, role, false);
    const spl_ends ends = {places_of_all(ctx, p, role, &out), places_of_all(ctx, p, role, &in)};
    body = with_views(ctx, p, body, (int)p->a * out.count, (int)p->a * in.count);
    return spl_wrap(ctx, ends, SPL_PLAIN, body);
}

/* The sum of the three terms. `all`: the stages that share one term for the kernels without a
 * partner; `single`, unless NULL: a loop around each of those terms. */
static const spl *sum_of_terms(spl_ctx *ctx, const stage *p, const stage *all,
                               const spl_range *pairs, const spl_range *single, const lanes *w)
{
    static const lanes none = {.ntags = 0};
    const spl *terms[SPL_ROLES];
    int count = 0, pair_at = -1;
    if (p->def->edge != SPL_EDGE_NO_ROW)
        terms[count++] = term_of(ctx, all, SPL_ROLE_EDGE, w);
    if (spl_pairs_count(p->kind, p->m) > 0) {
        const bool of_pairs = pairs->kind == SPL_VEC;
        const spl *pair = term_of(ctx, p, SPL_ROLE_PAIR, of_pairs ? &none : w);
        pair_at = count;
        pair = spl_sum(ctx, pairs, pair);
        terms[count++] = all->a > 1 ? spl_loop_rows(ctx, all->a, pair) : pair;
    }
    if (spl_pairs_self(p->kind, p->m) >= 0)
        terms[count++] = term_of(ctx, all, SPL_ROLE_SELF, w);
    for (int i = 0; single != NULL && i < count; i++)
        if (i != pair_at)
            terms[i] = spl_sum(ctx, single, terms[i]);
    return spl_plus(ctx, count, terms);
}

static bool guard_sigma_pairs(const spl *x, const spl_params *params, const char **refusal)
{
    const spl_view v = spl_view_of(x);
    const stage p = stage_of(&v);
    (void)params;
    return spl_unless(refusal, v.outer.kind == SPL_TAG_COUNT && p.pairs != NULL,
                      "it needs PAIRS(m) or PAIRS(m) (x) I_l");
}

static const spl *build_sigma_pairs(spl_ctx *ctx, const spl *x, const spl_params *params)
{
    const spl_view v = spl_view_of(x);
    const stage p = stage_of(&v);
    (void)params;
    const spl_range pairs = spl_range_over(SPL_SEQ, PAIR_VAR, spl_pairs_count(p.kind, p.m));
    return sum_of_terms(ctx, &p, &p, &pairs, NULL, &(lanes){.ntags = 0});
}

static const char *const cases_sigma_pairs[] = {
    "PAIRS.rdft(1)",          "PAIRS.irdft(1)",          "PAIRS.rdft(2)",
    "PAIRS.irdft(2)",         "PAIRS.rdft(3)",           "PAIRS.irdft(3)",
    "PAIRS.rdft(8)",          "PAIRS.irdft(8)",          "PAIRS.rdft(9)",
    "PAIRS.irdft(9)",         "PAIRS.rdft(6) (x) I(3)",  "PAIRS.irdft(7) (x) I(4)",
    "PAIRS.rdct2(6)",         "PAIRS.rdct3(5) (x) I(2)", "PAIRS.rdst2(1)",
    "PAIRS.rdst3(4)",         "PAIRS.ridxst(3)",         "PAIRS.dct4in(5)",
    "PAIRS.dst4out(4)",       "PAIRS.dct4(7) (x) I(2)",  "PAIRS.idxst(6)",
    "I(2) (x) PAIRS.rdft(5)", "DFT(4)_{leaf} (x) I(3)",  NULL};

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

/* {PAIRS_m (x) I_l}_vec: the lanes of every kernel are columns. {PAIRS_m}_vec: the lanes are
 * pairs. */
static bool guard_tag_vec_pairs(const spl *x, const spl_params *params, const char **refusal)
{
    const spl_view v = spl_view_of(x);
    const stage p = stage_of(&v);
    (void)params;
    return spl_unless(refusal, v.outer.kind == SPL_TAG_VEC, "the outermost tag is not vec")
           && spl_nests(&v, refusal)
           && spl_unless(refusal, p.pairs != NULL, "it needs PAIRS(m) or PAIRS(m) (x) I_l");
}

/* The terms of the stages `all`, under the tags of x; their pairs are a loop of this kind over the
 * pairs of stage `one`. */
static const spl *tagged_terms(spl_ctx *ctx, const spl *x, const stage *one, const stage *all,
                               spl_loop kind)
{
    spl_range pairs = spl_range_over(kind, PAIR_VAR, spl_pairs_count(one->kind, one->m));
    const spl_view v = spl_view_of(x);

    pairs.nu = v.outer.a[0];
    pairs.format = (int)v.outer.a[1];
    return sum_of_terms(ctx, one, all, &pairs, NULL, &(lanes){x->ntags, x->tag, NULL});
}

static const spl *build_tag_vec_pairs(spl_ctx *ctx, const spl *x, const spl_params *params)
{
    const spl_view v = spl_view_of(x);
    const stage p = stage_of(&v);
    (void)params;
    return tagged_terms(ctx, x, &p, &p, p.l == 1 ? SPL_VEC : SPL_SEQ);
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

/* {I_a (x) PAIRS_m}_vec: kernels without a partner are one loop whose lanes are the a stages; the
 * lanes of the others are the pairs of one stage. */
static stage stage_of_rows(const spl_view *v)
{
    spl_view row = *v;
    row.a = 1;
    return v->a > 1 && v->b == 1 ? stage_of(&row) : (stage){.pairs = NULL};
}

static bool guard_tag_vec_pairs_rows(const spl *x, const spl_params *params, const char **refusal)
{
    const spl_view v = spl_view_of(x);
    const stage p = stage_of_rows(&v);
    (void)params;
    return spl_unless(refusal, v.outer.kind == SPL_TAG_VEC, "the outermost tag is not vec")
           && spl_nests(&v, refusal)
           && spl_unless(refusal, p.pairs != NULL, "it needs I_a (x) PAIRS(m), a > 1");
}

static const spl *build_tag_vec_pairs_rows(spl_ctx *ctx, const spl *x, const spl_params *params)
{
    const spl_view v = spl_view_of(x);
    const stage row = stage_of_rows(&v);
    stage all = row;
    (void)params;
    all.a = v.a;
    return tagged_terms(ctx, x, &row, &all, SPL_VEC);
}

static const char *const cases_tag_vec_pairs_rows[] = {"(I(3) (x) PAIRS.rdft(8))_{vec(2,inter)}",
                                                       "(I(4) (x) PAIRS.irdft(6))_{vec(4,inter)}",
                                                       "(I(2) (x) PAIRS.rdct2(10))_{vec(4,inter)}",
                                                       "(I(5) (x) PAIRS.rdct3(2))_{vec(2,inter)}",
                                                       "(I(3) (x) PAIRS.dct4in(5))_{vec(2,inter)}",
                                                       "PAIRS.rdft(8)_{vec(2,inter)}",
                                                       NULL};

const spl_rule spl_tag_vec_pairs_rows = {
    .name = "vec-pairs-rows",
    .group = SPL_TAGGING,
    .formula = "{I_a (x) PAIRS_m}_vec(nu,f) -> {I_a (x) EDGE}_vec + SUM(j<a) SUM.vec(0<k<m/2) "
               "PAIR_k + {I_a (x) SELF}_vec",
    .reference = reference,
    .guard = guard_tag_vec_pairs_rows,
    .build = build_tag_vec_pairs_rows,
    .cases = cases_tag_vec_pairs_rows,
};

/* {PAIRS_m}_spe(p,mu) -> SUM.par(q<p) of the same sum, with the loop over pairs in shares. A kernel
 * without a partner is in a loop of one iteration, which the last part gets. */
static bool guard_tag_spe_pairs(const spl *x, const spl_params *params, const char **refusal)
{
    const spl_view v = spl_view_of(x);
    const stage p = stage_of(&v);
    (void)params;
    return spl_unless(refusal, v.outer.kind == SPL_TAG_SPE, "the outermost tag is not spe")
           && spl_nests(&v, refusal)
           && spl_unless(refusal, p.pairs != NULL && p.l == 1, "it needs PAIRS(m) alone")
           && spl_unless(refusal, v.nrest == 0 || (v.nrest == 1 && v.rest[0].kind == SPL_TAG_VEC),
                         "only vec may stand inside spe on PAIRS(m)")
           && spl_unless(refusal, spl_shares_fit(v.outer.a[0], spl_pairs_count(p.kind, p.m)),
                         "p is too large: more than 65536 parts, and more than pairs");
}

static const spl *build_tag_spe_pairs(spl_ctx *ctx, const spl *x, const spl_params *params)
{
    const spl_view v = spl_view_of(x);
    const int64_t parts = v.outer.a[0];
    const int height = v.nrest > 0 ? 1 : 0, share = height + 1; /* {EDGE}_vec is a loop itself */
    const stage p = stage_of(&v);
    (void)params;
    spl_range pairs =
        spl_range_shared(PAIR_VAR, spl_pairs_count(p.kind, p.m), share, parts, v.outer.a[1]);
    const spl_range single = spl_range_shared(height, 1, share, parts, 1);
    spl_range_lanes(&pairs, &v);
    return spl_parts(ctx, share, parts,
                     sum_of_terms(ctx, &p, &p, &pairs, &single, &(lanes){v.nrest, v.rest, NULL}));
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

/* {PAIRS_m (x) I_n}_spe(p,mu), mu not | n: the columns of every kernel are shared. With a loop over
 * columns as in (7u), lanes would be pairs, and the bits would differ from those without parts. */
static bool guard_tag_spe_pairs_columns(const spl *x, const spl_params *params,
                                        const char **refusal)
{
    const spl_view v = spl_view_of(x);
    const stage p = stage_of(&v);
    (void)params;
    return spl_is_distributable(x, refusal)
           && spl_unless(refusal, p.pairs != NULL && p.l % v.outer.a[1] != 0,
                         "it needs PAIRS(m) (x) I_n, mu not | n")
           && spl_unless(refusal, v.nrest == 0 || (v.nrest == 1 && v.rest[0].kind == SPL_TAG_VEC),
                         "only vec may stand inside spe on PAIRS(m) (x) I_n");
}

static const spl *build_tag_spe_pairs_columns(spl_ctx *ctx, const spl *x, const spl_params *params)
{
    const spl_view v = spl_view_of(x);
    const int64_t parts = v.outer.a[0];
    stage p = stage_of(&v);
    (void)params;
    p.var = OUTER_PAIR_VAR;
    const spl_range pairs = spl_range_over(SPL_SEQ, p.var, spl_pairs_count(p.kind, p.m));
    spl_range columns = spl_range_shared(COLUMN_VAR, p.l, SHARE_VAR, parts, v.outer.a[1]);
    spl_range_lanes(&columns, &v);
    return spl_parts(ctx, SHARE_VAR, parts,
                     sum_of_terms(ctx, &p, &p, &pairs, NULL, &(lanes){.columns = &columns}));
}

static const char *const cases_tag_spe_pairs_columns[] = {
    "(PAIRS.rdft(6) (x) I(5))_{vec(2,inter),spe(2,4)}",
    "(PAIRS.dct3(7) (x) I(9))_{spe(3,2)}",
    "(PAIRS.rdct2(4) (x) I(3))_{vec(2,inter),spe(2,2)}",
    "(PAIRS.rdft(6) (x) I(8))_{vec(2,inter),spe(2,4)}",
    "(PAIRS.rdft(6) (x) I(9))_{tile(2),spe(2,4)}",
    "(DFT(4)_{leaf} (x) I(9))_{spe(2,4)}",
    NULL};

const spl_rule spl_tag_spe_pairs_columns = {
    .name = "spe-pairs-columns",
    .group = SPL_TAGGING,
    .formula = "{PAIRS_m (x) I_n}_spe(p,mu) -> SUM.par(q<p) (EDGE (x) SUM(j<n @q/p/mu) + "
               "SUM(0<k<m/2) PAIR_k (x) SUM(j<n @q/p/mu) + SELF (x) SUM(j<n @q/p/mu))",
    .reference = reference,
    .guard = guard_tag_spe_pairs_columns,
    .build = build_tag_spe_pairs_columns,
    .cases = cases_tag_spe_pairs_columns,
};
